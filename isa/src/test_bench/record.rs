// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of test benches: rows with their address, row and column.

use super::{AggregateItem, ConstantValue, ElementChoice, PlacedWord, Span, TestBenchReader};
use crate::{
    Geometry,
    image::{ImageError, Memory, cell_at},
    place::TileId,
};

/// Elements of a record, in this order.
const FIELDS: [&str; 4] = ["address", "row", "col", "data"];

/// Stands for the number of aggregates that enclose a word, of which there are at most four, in a record with a place.
pub(super) const RECORDS: usize = 5;

/// Maximum width of a vector that is a number in a record.
const NUMBER_BITS: usize = 32;

/// True for elements with names, and for elements of different widths, one of which can be a number.
pub(super) fn is_record(items: &[AggregateItem<'_>]) -> bool {
    let width = |item: &AggregateItem<'_>| match &item.value {
        ConstantValue::Number(_) => 16,
        ConstantValue::Bits(bits) => bits.len(),
        ConstantValue::Words(..) => 256,
    };
    let widths = || items.iter().map(width);
    items.iter().any(|item| matches!(item.choice, ElementChoice::Field(_)))
        || items.iter().all(|item| item.choice == ElementChoice::Next)
            && items.len() < Geometry::BLOCK_WORDS
            && widths().min() != widths().max()
            && widths().any(|width| width <= NUMBER_BITS)
}

impl TestBenchReader<'_> {
    /// A record of an address and a row, or of an address, a row, a column and data.
    pub(super) fn record(
        &self,
        items: &[AggregateItem<'_>],
        span: Span,
    ) -> Result<ConstantValue, ImageError> {
        let expected = FIELDS.join(", ");
        let element = |k: usize| {
            let named = items.iter().find(|item| item.choice == ElementChoice::Field(FIELDS[k]));
            let next = Some(&items[k]).filter(|item| item.choice == ElementChoice::Next);
            let what = || format!("the record has no `{}`, expected {expected}", FIELDS[k]);
            named.or(next).ok_or_else(|| self.error("VHD-E1", span, what()))
        };
        let number = |k| self.number(element(k)?).map(Some);
        let (level, row, place) = match items {
            [row, address] if address.choice == ElementChoice::Field(FIELDS[0]) => {
                (1, row, [Some(self.number(address)?), None, None])
            }
            [address, row] => (1, row, [Some(self.number(address)?), None, None]),
            [_, _, _, _] => (RECORDS, element(3)?, [number(0)?, number(2)?, number(1)?]),
            _ => {
                let what = format!("a record of {} elements, expected {expected}", items.len());
                return self.fail(span, what);
            }
        };
        let (1, mut words) = self.words(row)? else {
            return self.fail(row.span, "expected a row of 256 bits");
        };
        for word in &mut words {
            word.span = span;
            word.place[1..].copy_from_slice(&place);
        }
        Ok(ConstantValue::Words(level, words))
    }

    /// The value of an element that is not the data of its record.
    fn number(&self, item: &AggregateItem<'_>) -> Result<i64, ImageError> {
        match &item.value {
            ConstantValue::Number(number) => Ok(*number),
            ConstantValue::Bits(bits) if bits.len() <= NUMBER_BITS => {
                Ok(bits.iter().fold(0, |number, bit| number << 1 | i64::from(*bit)))
            }
            _ => self.fail(item.span, "expected a number, or a vector of up to 32 bits"),
        }
    }

    /// An array of records with these words. Of the records of a range, two are enough to show that a place is given
    /// twice.
    pub(super) fn records(
        &self,
        items: &[AggregateItem<'_>],
        inner: &[(usize, Vec<PlacedWord>)],
    ) -> Result<ConstantValue, ImageError> {
        let mut all = Vec::new();
        for (item, (_, words)) in items.iter().zip(inner) {
            let times = match item.choice {
                ElementChoice::Next => 1,
                ElementChoice::Range(from, to) => to.saturating_sub(from).clamp(-1, 1) + 1,
                _ if words.iter().all(|word| word.value == 0) => 0,
                _ => return self.fail(item.span, "`others` can only be a record with data 0"),
            };
            (0..times).for_each(|_| all.extend_from_slice(words));
        }
        Ok(ConstantValue::Words(RECORDS, all))
    }

    /// The memory with a row and a column of a record, or the code and message of the error.
    pub(super) fn memory_of(
        &self,
        is_tile: bool,
        (row, col): (i64, i64),
    ) -> Result<Memory, (&'static str, String)> {
        if !is_tile {
            // The position of the only 1, counted from the least significant bit.
            let one_hot = |bits: i64| (bits.count_ones() == 1).then_some(bits.trailing_zeros());
            let Some((row, col)) = one_hot(row).zip(one_hot(col)) else {
                let what =
                    "expected exactly one 1 in row and in col: bit k denotes row or column k";
                return Err(("VHD-E1", what.to_owned()));
            };
            let cell = cell_at((row as usize, col as usize), self.geometry);
            return cell.map(Memory::Rf).map_err(|message| ("MEM-E2", message));
        }
        let Geometry { tile_rows, columns, .. } = *self.geometry;
        let inside = (1..=tile_rows as i64).contains(&row) && (0..columns as i64).contains(&col);
        let tile = TileId::new(row as usize, col as usize).filter(|_| inside);
        tile.map(Memory::Sram).ok_or_else(|| {
            let limits = format!("rows 1 to {tile_rows} and columns 0 to {}", columns - 1);
            let what = "is outside the fabric, whose tiles have";
            ("MEM-E2", format!("row {row}, column {col} {what} {limits}"))
        })
    }
}
