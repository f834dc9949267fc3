// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory contents in VHDL test benches (chapter 1, 7.8).

mod vhdl;

use crate::{
    geometry::Geometry,
    image::{BlockWords, ImageError, Memory, MemoryImage, tile_at},
};
use vhdl::{Choice, Item, Kind, Problem, Token, Value};

/// Name of the constant.
const NAME: &str = "mem_init_values";

/// Reads the scratchpad contents that a test bench has in its constants `mem_init_values`.
///
/// # Errors
/// `VHD-E1` no such constant, or a value that is not understood, `MEM-E2` tile outside the fabric,
/// `MEM-E3` address outside the memory or given twice.
pub fn read_test_bench(text: &str, geometry: &Geometry) -> Result<MemoryImage, ImageError> {
    let tokens = vhdl::tokens(text);
    let malformed = |(line, message): Problem| ImageError { code: "VHD-E1", line, message };
    let mut contents = Contents { geometry, image: MemoryImage::default() };
    let mut found = false;
    for (at, token) in tokens.iter().enumerate() {
        let Kind::Word(name) = &token.kind else { continue };
        let Some((tile, start)) = tile_of(name).zip(value_start(&tokens, at)) else { continue };
        found = true;
        let value = vhdl::value(&tokens[start..]).map_err(malformed)?;
        contents.add(&value, Place { tile, address: None }, token.line)?;
    }
    if !found {
        let what = format!("there is no constant {NAME} with a value");
        return Err(malformed((1, what)));
    }
    Ok(contents.image)
}

/// The tile that a name of a constant tells: `mem_init_values` that of row 0 and column 0,
/// `mem_init_values_1_3` that of row 1 and column 3.
fn tile_of(name: &str) -> Option<(usize, usize)> {
    let suffix = name.strip_prefix(NAME)?;
    if suffix.is_empty() {
        return Some((0, 0));
    }
    let (row, col) = suffix.strip_prefix('_')?.split_once('_')?;
    Some((row.parse().ok()?, col.parse().ok()?))
}

/// First token of the value that is given to the name at a token, if one is.
fn value_start(tokens: &[Token], at: usize) -> Option<usize> {
    let is = |at: usize, kind: Kind| tokens.get(at).is_some_and(|t| t.kind == kind);
    is(at + 1, Kind::Punct(':')).then_some(())?;
    // The type may have an index range in brackets.
    let rest =
        tokens[at..].iter().position(|t| matches!(t.kind, Kind::Assign | Kind::Punct(';')))?;
    is(at + rest, Kind::Assign).then_some(at + rest + 1)
}

/// Where a value belongs.
#[derive(Clone, Copy)]
struct Place {
    tile: (usize, usize),
    address: Option<i64>,
}

struct Contents<'a> {
    geometry: &'a Geometry,
    image: MemoryImage,
}

impl Contents<'_> {
    /// Adds a row, the rows of a tile, the tiles of a row of tiles, or those of all rows.
    fn add(&mut self, value: &Value, place: Place, line: usize) -> Result<(), ImageError> {
        if let Some(block) = row(value, line)? {
            return self.put(place.tile, place.address.unwrap_or(0), block, line);
        }
        let Value::Aggregate(items) = value else {
            return malformed(line, "a row of the scratchpad is expected, not a number");
        };
        let depth = depth(value);
        let limit = match depth {
            1 => self.geometry.sram_blocks,
            2 => self.geometry.columns,
            3 => self.geometry.tile_rows,
            _ => {
                let what = "an aggregate of rows, of columns or of tile rows is expected";
                return malformed(line, what);
            }
        };
        for (index, item) in indexed(items, limit)? {
            let Place { tile: (row, col), .. } = place;
            let number = usize::try_from(index).unwrap_or(usize::MAX);
            let inner = match depth {
                1 => match record(&item.value)? {
                    Some((address, block)) => {
                        self.put(place.tile, address, block, item.line)?;
                        continue;
                    }
                    None => Place { address: Some(index), ..place },
                },
                2 => Place { tile: (row, number), ..place },
                _ => Place { tile: (number, col), ..place },
            };
            self.add(&item.value, inner, item.line)?;
        }
        Ok(())
    }

    fn put(
        &mut self,
        tile: (usize, usize),
        address: i64,
        block: BlockWords,
        line: usize,
    ) -> Result<(), ImageError> {
        let tile = tile_at(tile, self.geometry).map_err(|message| ImageError {
            code: "MEM-E2",
            line,
            message,
        })?;
        let message = self.image.insert(Memory::Sram(tile), address, block, self.geometry);
        message.map_or(Ok(()), |message| Err(ImageError { code: "MEM-E3", line, message }))
    }
}

/// The items with the indices that they stand for, of an array of `limit` elements: `others` are
/// those that no other item names.
fn indexed(items: &[Item], limit: usize) -> Result<Vec<(i64, &Item)>, ImageError> {
    let mut next = 0;
    let mut named: Vec<(i64, &Item)> = Vec::new();
    for item in items {
        let (from, to) = match item.choice {
            Choice::Next => (next, next),
            Choice::Range(from, to) if to - from < limit as i64 => (from, to),
            Choice::Range(..) => {
                return malformed(item.line, "the range is longer than the memory");
            }
            Choice::Field(_) => {
                return malformed(item.line, "an index is expected, not the name of a field");
            }
            Choice::Others => continue,
        };
        named.extend((from..=to).map(|index| (index, item)));
        next = to.saturating_add(1);
        if named.len() > limit {
            return malformed(item.line, format!("more than {limit} elements"));
        }
    }
    if let Some(others) = items.iter().find(|i| i.choice == Choice::Others) {
        let free: Vec<i64> =
            (0..limit as i64).filter(|i| named.iter().all(|(index, _)| index != i)).collect();
        named.extend(free.into_iter().map(|index| (index, others)));
    }
    Ok(named)
}

/// How deep a value is nested above rows, by its first element; more than 3 if there are none.
fn depth(value: &Value) -> usize {
    match value {
        Value::Bits(_) | Value::Number(_) => 0,
        Value::Aggregate(_) if matches!(row(value, 1), Ok(Some(_))) => 0,
        Value::Aggregate(_) if matches!(record(value), Ok(Some(_))) => 0,
        Value::Aggregate(items) => 1 + items.first().map_or(3, |item| depth(&item.value)),
    }
}

/// A value as a row: 256 bits, 16 words, or `(others => '0')`; `None` if it is something else.
fn row(value: &Value, line: usize) -> Result<Option<BlockWords>, ImageError> {
    match value {
        Value::Number(_) => Ok(None),
        Value::Bits(bits) if bits.len() == 16 * Geometry::BLOCK_WORDS => {
            let word = |k: usize| to_word(&bits[16 * (15 - k)..16 * (16 - k)]);
            Ok(Some(std::array::from_fn(word)))
        }
        Value::Bits(bits) => {
            malformed(line, format!("a row of {} bits, 256 are expected", bits.len()))
        }
        Value::Aggregate(items) => {
            let words: Option<Vec<(&Item, u16)>> =
                items.iter().map(|item| Some((item, word(item)?))).collect();
            let Some(words) = words else { return Ok(None) };
            let mut block = [0; Geometry::BLOCK_WORDS];
            for (index, item) in indexed(items, block.len())? {
                let Some(place) = usize::try_from(index).ok().and_then(|i| block.get_mut(i)) else {
                    return malformed(item.line, "a row has 16 words, 0 to 15");
                };
                *place =
                    words.iter().find(|(i, _)| std::ptr::eq(*i, item)).map_or(0, |(_, word)| *word);
            }
            let named = indexed(items, block.len())?.len();
            if named != block.len() {
                return malformed(line, format!("a row of {named} words, 16 are expected"));
            }
            Ok(Some(block))
        }
    }
}

/// A value as a 16-bit word, if it is one; bits of `others` stand for words of such bits.
fn word(item: &Item) -> Option<u16> {
    match &item.value {
        Value::Number(value @ -32768..=65535) => Some(*value as u16),
        Value::Bits(bits) if bits.len() == 16 => Some(to_word(bits)),
        Value::Bits(bits) if bits.len() == 1 && item.choice == Choice::Others => {
            Some(if bits[0] { u16::MAX } else { 0 })
        }
        _ => None,
    }
}

fn to_word(bits: &[bool]) -> u16 {
    bits.iter().fold(0, |word, bit| word << 1 | u16::from(*bit))
}

/// A record of an address and a row, in this order.
fn record(value: &Value) -> Result<Option<(i64, BlockWords)>, ImageError> {
    let Value::Aggregate(items) = value else { return Ok(None) };
    match &items[..] {
        [Item { value: Value::Number(address), .. }, contents]
            if !matches!(contents.value, Value::Number(_)) =>
        {
            Ok(row(&contents.value, contents.line)?.map(|block| (*address, block)))
        }
        _ => Ok(None),
    }
}

fn malformed<T>(line: usize, message: impl Into<String>) -> Result<T, ImageError> {
    Err(ImageError { code: "VHD-E1", line, message: message.into() })
}
