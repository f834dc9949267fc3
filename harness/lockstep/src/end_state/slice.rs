// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slices of the state, `PLACE[,offset=N][,stride=N][,width=N][,signed]`: the values of registers and memories in order.

use std::{fmt, ops::RangeInclusive};

use drra_fabric::{Key, Layout, Location, Register};
use drra_isa::{BlockWords, Geometry};

use super::{Element, MAX_VALUES};
use crate::golden_run::GoldenRun;

/// Words of a block.
pub(super) const WORDS: usize = Geometry::BLOCK_WORDS;

/// Bits of a word.
const WORD_BITS: u32 = 16;

/// Largest address of an output buffer.
const LAST_BLOCK: u32 = (1 << 25) - 1;

/// A sequence of values of the state: registers, words of memories or of output buffers, or lanes of these.
///
/// ```
/// use drra_isa::Geometry;
/// use drra_lockstep::Slice;
///
/// // The upper byte of each word follows the lower one; every other word is left out.
/// let slice = Slice::parse("cell[0][0].rf.mem[0..3],stride=2,width=8", &Geometry::default()).unwrap();
/// let items: Vec<String> = (0..slice.count()).map(|k| slice.item(k).unwrap().to_string()).collect();
/// assert_eq!(items[1], "cell[0][0].rf.mem[0] lane 1");
/// assert_eq!(items[2], "cell[0][0].rf.mem[2] lane 0");
/// ```
#[derive(Clone, Debug)]
pub struct Slice {
    geometry: Geometry,
    first: Element,
    /// First and last index, if the place has a range.
    range: Option<RangeInclusive<usize>>,
    /// Number of elements before the first one of the slice.
    offset: usize,
    /// Distance of two elements of the slice.
    stride: usize,
    /// Number of values of an element, its lanes.
    lanes: usize,
    /// Width of a value in bits.
    width: u32,
    signed: bool,
}

/// A value of a slice: an element of the state or, if the values are narrower, a lane of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceItem {
    /// The element.
    pub element: Element,
    /// Number of the lane, from the least significant one; `None` if the value is the whole element.
    pub lane: Option<u32>,
    /// Width of the value in bits.
    pub width: u32,
    /// True if the value is shown as a signed number.
    pub signed: bool,
}

impl Slice {
    /// Reads a place, such as `cell[0][0].rf.mem[32]`, `tile[1][0].sram[0..127]` or `output_buffer[2][0]`, with options.
    ///
    /// # Errors
    /// If the fabric has no such place, or an option is unknown or does not fit the place.
    pub fn parse(text: &str, geometry: &Geometry) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let path = parts.next().unwrap_or_default();
        let unknown = || {
            format!(
                "`{path}` is not a register, memory row or output_buffer[column][address] of this fabric; paths are \
                 those of traces, for example cell[0][3].rf.mem[5], with ranges as in sram[0..127]"
            )
        };
        let (first, last, range) = match path.split_once("..") {
            None => (path.to_owned(), path.to_owned(), None),
            Some((before, after)) => {
                let from = before.rsplit('[').next().and_then(|from| from.parse().ok());
                let to = after.split(']').next().and_then(|to| to.parse().ok());
                let (Some(from), Some(to)) = (from, to) else { return Err(unknown()) };
                let rest = &after[after.find(']').unwrap_or(after.len())..];
                if from > to {
                    return Err(format!("the range {from}..{to} is empty"));
                }
                if to - from >= MAX_VALUES / WORDS {
                    return Err(format!(
                        "the range {from}..{to} has more than {} elements",
                        MAX_VALUES / WORDS
                    ));
                }
                let name = before.trim_end_matches(|c: char| c.is_ascii_digit());
                (format!("{before}{rest}"), format!("{name}{to}{rest}"), Some(from..=to))
            }
        };
        let first = first_of(&first).ok_or_else(unknown)?;
        let element_width = match first {
            Element::Register(location) => location.register.width(geometry),
            Element::Word(..) | Element::Output { .. } => WORD_BITS,
        };
        let (mut signed, mut options) =
            (false, [("offset", 0), ("stride", 1), ("width", element_width as usize)]);
        for option in parts {
            let (name, number) = option.split_once('=').unwrap_or((option, ""));
            let known = options.iter_mut().find(|known| known.0 == name);
            match (known, number.parse()) {
                (Some(known), Ok(number)) => known.1 = number,
                _ if option == "signed" => signed = true,
                _ => {
                    return Err(format!(
                        "`{option}` is no option of a place; give offset=N, stride=N, width=N or signed"
                    ));
                }
            }
        }
        let [(_, offset), (_, stride), (_, width)] = options;
        let whole = element_width as usize;
        // A lane does not cross a boundary of 64 bits.
        let is_lane = (1..=64).contains(&width) && width.is_power_of_two();
        let fits = stride > 0 && (width == whole || is_lane && whole.is_multiple_of(width));
        let lanes = if fits { whole / width } else { 0 };
        let (geometry, width) = (*geometry, width as u32);
        let slice = Self { geometry, first, range, offset, stride, lanes, width, signed };
        if slice.count() == 0 {
            return Err(format!(
                "the options select nothing of `{path}`: offset and stride leave no element, or its {whole} bits have no \
                 lanes of this width"
            ));
        }
        if slice.count() > MAX_VALUES {
            return Err(format!("`{path}` has more than {MAX_VALUES} values"));
        }
        // The range is that of the last index, and its last element exists, too.
        match slice.element(slice.elements() - slice.per_number()) {
            Some(element) if slice.element(0).is_some() && first_of(&last) == Some(element) => {
                Ok(slice)
            }
            _ => Err(unknown()),
        }
    }

    /// Number of values: those of the range or, without a range, of one register or row, beyond which the slice goes on.
    pub fn count(&self) -> usize {
        self.elements().saturating_sub(self.offset).div_ceil(self.stride.max(1)) * self.lanes
    }

    /// Number of elements of the place.
    fn elements(&self) -> usize {
        let numbers = self.range.as_ref().map_or(1, |r| r.end() - r.start() + 1);
        numbers * self.per_number()
    }

    /// The number of elements for each index of a range.
    fn per_number(&self) -> usize {
        if let Element::Register(_) = self.first { 1 } else { WORDS }
    }

    /// A value, if the fabric has it.
    pub fn item(&self, number: usize) -> Option<SliceItem> {
        let &Self { lanes, width, signed, .. } = self;
        let offset = (number / lanes).checked_mul(self.stride)?.checked_add(self.offset)?;
        let lane = (lanes > 1).then_some((number % lanes) as u32);
        Some(SliceItem { element: self.element(offset)?, lane, width, signed })
    }

    /// The element at an offset from the first one, if the fabric has it.
    fn element(&self, offset: usize) -> Option<Element> {
        let geometry = &self.geometry;
        match self.first {
            Element::Register(location) => {
                let location = following(location, offset)?;
                let layout = Layout::new(geometry);
                let exists =
                    location.unit.is_in(geometry) && layout.find(location.register).is_some();
                exists.then_some(Element::Register(location))
            }
            Element::Word(location, _) => {
                let location = following(location, offset / WORDS)?;
                let row = location.register.key().number()?;
                let exists = location.unit.is_in(geometry) && row < geometry.sram_blocks;
                exists.then_some(Element::Word(location, offset % WORDS))
            }
            Element::Output { col, address, .. } => {
                let address = address.checked_add(u32::try_from(offset / WORDS).ok()?);
                let (address, word) = (address.filter(|a| *a <= LAST_BLOCK)?, offset % WORDS);
                (col < geometry.columns).then_some(Element::Output { col, address, word })
            }
        }
    }

    /// Assigns values to the items of the slice.
    ///
    /// # Errors
    /// If there are no values, another number of values than a range has, or more than the fabric has.
    pub fn assign<T>(&self, values: Vec<T>) -> Result<Vec<(SliceItem, T)>, String> {
        let (count, all) = (values.len(), self.count());
        if count == 0 || self.range.is_some() && count != all {
            return Err(format!("{count} values for {all} elements"));
        }
        let item = |(k, value)| Ok((self.item(k).ok_or("more values than elements")?, value));
        values.into_iter().enumerate().map(item).collect()
    }

    /// The values of a line: one for each element, or one for all elements of a range.
    pub(super) fn expect(&self, texts: &[&str]) -> Result<Vec<(SliceItem, Vec<u64>)>, String> {
        let rows = self.per_number() == WORDS && self.lanes == 1;
        let mut values = Vec::new();
        for text in texts {
            match row(text).filter(|_| rows) {
                Some(words) => values.extend(words.map(|word| vec![word.into()])),
                None => values.push(self.number(text).ok_or_else(|| self.no_value(text))?),
            }
        }
        if self.range.is_some() && values.len() == 1 {
            values = vec![values[0].clone(); self.count()];
        }
        self.assign(values)
    }

    fn no_value(&self, text: impl fmt::Display) -> String {
        let signed = if self.signed { "signed " } else { "" };
        format!("`{text}` is not a {signed}value of {} bits", self.width)
    }

    /// A number as the bits of a value; a negative number is in two's complement.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn encode(&self, number: i128) -> Result<u64, String> {
        let bits = self.width.min(64);
        let range = -(1i128 << (bits - 1))..1i128 << (bits - u32::from(self.signed));
        let fits = range.contains(&number).then_some(number as u64 & (u64::MAX >> (64 - bits)));
        fits.ok_or_else(|| self.no_value(number))
    }

    /// The values in the current cycle of a run; of wider ones, the low 64 bits.
    pub fn values(&self, run: &mut GoldenRun<'_>) -> Vec<i128> {
        run.fabric.pack();
        let items = (0..self.count()).filter_map(|k| self.item(k));
        items.filter_map(|item| Some(item.number(item.value(run)?[0]))).collect()
    }

    /// A decimal or hexadecimal number, as 64-bit words, low word first.
    fn number(&self, text: &str) -> Option<Vec<u64>> {
        let width = self.width;
        let words = width.div_ceil(64) as usize;
        let mut value = vec![0; words];
        if let Some(digits) = text.strip_prefix("0x") {
            let clean = digits.trim_start_matches('0');
            if digits.is_empty() || !clean.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            for (i, digit) in clean.chars().rev().enumerate() {
                *value.get_mut(i / 16)? |= u64::from(digit.to_digit(16)?) << (4 * (i % 16));
            }
            let top = width - 64 * (words as u32 - 1);
            return (top == 64 || value[words - 1] >> top == 0).then_some(value);
        }
        let number: i128 = text.parse().ok()?;
        value[0] = self.encode(number).ok()?;
        (number >= 0 || width <= 64).then_some(value)
    }
}

impl SliceItem {
    /// The value in the current cycle of a run whose registers are packed; `None` if the fabric has no such element.
    pub(super) fn value(&self, run: &GoldenRun<'_>) -> Option<Vec<u64>> {
        let element = self.element.value(run)?;
        let Some(lane) = self.lane else { return Some(element) };
        let first = (lane * self.width) as usize;
        Some(vec![element[first / 64] >> (first % 64) & (u64::MAX >> (64 - self.width))])
    }

    /// The bits of a value as a number.
    pub(super) fn number(&self, value: u64) -> i128 {
        let negative = self.signed && value >> (self.width - 1) & 1 == 1;
        i128::from(value) - if negative { 1 << self.width } else { 0 }
    }
}

impl fmt::Display for SliceItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.element.fmt(f)?;
        self.lane.map_or(Ok(()), |lane| write!(f, " lane {lane}"))
    }
}

fn first_of(path: &str) -> Option<Element> {
    if let Some(rest) = path.strip_prefix("output_buffer[") {
        let (col, address) = rest.strip_suffix(']')?.split_once("][")?;
        let (col, address) = (col.parse().ok()?, address.parse().ok()?);
        return Some(Element::Output { col, address, word: 0 });
    }
    let location: Location = path.parse().ok()?;
    let is_row = matches!(location.register, Register::TileSram(_));
    Some(if is_row { Element::Word(location, 0) } else { Element::Register(location) })
}

/// The register whose number is higher by an offset.
fn following(location: Location, offset: usize) -> Option<Location> {
    if offset == 0 {
        return Some(location);
    }
    let number = location.register.key().number()?.checked_add(offset)?;
    let register = Register::new(location.register.id(), Key::Number(number))?;
    Some(Location { register, ..location })
}

/// A whole row as 64 hexadecimal digits, word 15 first.
fn row(text: &str) -> Option<BlockWords> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.len() != 4 * WORDS || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let word = |k: usize| u16::from_str_radix(&digits[4 * (WORDS - 1 - k)..][..4], 16).ok();
    let words: Option<Vec<u16>> = (0..WORDS).map(word).collect();
    words?.try_into().ok()
}
