// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses texts of expected end states.

use std::ops::RangeInclusive;

use drra_fabric::{Key, Layout, Location, Register};
use drra_isa::{BlockWords, Geometry, TextFormat, read_memory};

use super::{Element, EndState, EndStateError, ExpectedValue};

/// Prefix of comments in assembly programs that state an expectation.
const EXPECTATION: &str = "# END ";

/// Words of a block.
const WORDS: usize = Geometry::BLOCK_WORDS;

/// Bits of a word.
const WORD_BITS: u32 = 16;

/// Largest address of an output buffer.
const LAST_BLOCK: usize = (1 << 25) - 1;

/// Maximum number of values in one text.
const MAX_VALUES: usize = 1 << 20;

impl EndState {
    /// Reads an expected end state: lines `path = value ...` (described in harness/guide/compilers.md), or a
    /// memory image.
    ///
    /// # Errors
    /// If a line is malformed or names an element that the fabric does not have, or if there are no expectations or too
    /// many.
    pub fn read(text: &str, geometry: &Geometry) -> Result<Self, EndStateError> {
        if TextFormat::of(text) == Some(TextFormat::Memory) {
            return of_memory(text, geometry);
        }
        // A program states its expectations in comments; its other lines are not parsed.
        let states_some = text.lines().any(|line| line.trim_start().starts_with(EXPECTATION));
        let (mut negative, mut large, mut expected) = (false, false, Vec::new());
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            let content = match content.strip_prefix(EXPECTATION) {
                Some(expectation) => expectation,
                None if states_some || content.is_empty() || content.starts_with('#') => continue,
                None => content,
            };
            let error = |message: String| EndStateError { line, message };
            let content = content.split(" #").next().unwrap_or_default();
            let (path, values) = content
                .split_once('=')
                .ok_or_else(|| error("expected `path = value ...`".into()))?;
            let values: Vec<&str> = values.split_whitespace().collect();
            negative |= values.iter().any(|value| value.starts_with('-'));
            large |=
                values.iter().any(|value| value.parse().is_ok_and(|n: u64| n > i16::MAX as u64));
            let elements = elements(path.trim(), geometry).map_err(error)?;
            expected.extend(elements.expect(&values, geometry, line).map_err(error)?);
            if expected.len() > MAX_VALUES {
                return Err(error(format!("more than {MAX_VALUES} values")));
            }
        }
        if expected.is_empty() {
            let message =
                "no expectations; write lines `path = value ...`, or a memory image".into();
            return Err(EndStateError { line: 1, message });
        }
        // The words are shown as signed numbers, unless the text writes them as unsigned numbers.
        expected.iter_mut().for_each(|value| value.signed &= negative || !large);
        Ok(EndState { expected })
    }
}

/// Reads a memory image, whose words are the expected values.
fn of_memory(text: &str, geometry: &Geometry) -> Result<EndState, EndStateError> {
    let image = read_memory(text, geometry).map_err(|e| EndStateError {
        line: e.line,
        message: format!("{} {}", e.code, e.message),
    })?;
    let mut expected = Vec::new();
    // The image does not keep line numbers, so each row is searched for in the text.
    let mut add = |elements: Elements, block: &BlockWords| {
        let found = (0..WORDS).map(|word| (elements.at(word, geometry), block[word]));
        let found = found.filter_map(|(element, word)| Some((element?, word)));
        expected.extend(found.map(|(element, word)| ExpectedValue {
            element,
            value: vec![word.into()],
            signed: true,
            line: line_of(text, block),
        }));
    };
    for (&tile, blocks) in &image.sram {
        for (&address, block) in blocks {
            let location = Location { unit: tile.into(), register: Register::TileSram(address) };
            add(Elements { first: FirstElement::Row(location), range: None }, block);
        }
    }
    for (&cell, blocks) in &image.rf {
        for (&number, block) in blocks {
            let register = Register::RfMem(number * WORDS);
            let location = Location { unit: cell.into(), register };
            add(Elements { first: FirstElement::Register(location), range: None }, block);
        }
    }
    Ok(EndState { expected })
}

/// First line with the digits of a block.
fn line_of(text: &str, block: &BlockWords) -> usize {
    let hex: String = block.iter().rev().map(|w| format!("{w:04x}")).collect();
    let has = |line: &str| line.to_ascii_lowercase().contains(&hex);
    1 + text.lines().position(has).unwrap_or_default()
}

/// The elements that a path names: the first element, and those that follow it.
struct Elements {
    first: FirstElement,
    /// First and last index, if the path has a range.
    range: Option<RangeInclusive<usize>>,
}

enum FirstElement {
    Register(Location),
    Row(Location),
    Output { col: usize, address: usize },
}

/// Reads `cell[0][0].rf.mem[32]`, `tile[1][0].sram[0..127]`, `output_buffer[2][0]`, ...
fn elements(path: &str, geometry: &Geometry) -> Result<Elements, String> {
    let unknown = || {
        format!(
            "`{path}` is not a register, memory row or output_buffer[column][address] of this fabric; paths are \
             those of traces, for example cell[0][3].rf.mem[5], with ranges as in sram[0..127]"
        )
    };
    let (first, range) = match path.split_once("..") {
        None => (path.to_owned(), None),
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
            (format!("{before}{rest}"), Some(from..=to))
        }
    };
    let first = first_of(&first).ok_or_else(unknown)?;
    let elements = Elements { first, range };
    // The last element of a range must exist, too.
    let last = elements.range.as_ref().map_or(0, |r| (r.end() - r.start()) * elements.per_number());
    match (elements.at(0, geometry), elements.at(last, geometry)) {
        (Some(_), Some(_)) => Ok(elements),
        _ => Err(unknown()),
    }
}

fn first_of(path: &str) -> Option<FirstElement> {
    if let Some(rest) = path.strip_prefix("output_buffer[") {
        let (col, address) = rest.strip_suffix(']')?.split_once("][")?;
        return Some(FirstElement::Output {
            col: col.parse().ok()?,
            address: address.parse().ok()?,
        });
    }
    let location: Location = path.parse().ok()?;
    let is_row = matches!(location.register, Register::TileSram(_));
    Some(if is_row { FirstElement::Row(location) } else { FirstElement::Register(location) })
}

impl Elements {
    /// The number of elements for each index of a range.
    fn per_number(&self) -> usize {
        if let FirstElement::Register(_) = self.first { 1 } else { WORDS }
    }

    /// The element at an offset from the first one, if the fabric has it.
    fn at(&self, offset: usize, geometry: &Geometry) -> Option<Element> {
        let layout = Layout::new(geometry);
        match self.first {
            FirstElement::Register(location) => {
                let location = following(location, offset)?;
                let exists =
                    location.unit.is_in(geometry) && layout.find(location.register).is_some();
                exists.then_some(Element::Register(location))
            }
            FirstElement::Row(location) => {
                let location = following(location, offset / WORDS)?;
                let row = location.register.key().number()?;
                let exists = location.unit.is_in(geometry) && row < geometry.sram_blocks;
                exists.then_some(Element::Word(location, offset % WORDS))
            }
            FirstElement::Output { col, address } => {
                let address = address.checked_add(offset / WORDS).filter(|a| *a <= LAST_BLOCK)?;
                let (address, word) = (u32::try_from(address).ok()?, offset % WORDS);
                (col < geometry.columns).then_some(Element::Output { col, address, word })
            }
        }
    }

    /// The elements with the values of a line: one value per element, or one for all elements of a range.
    fn expect(
        &self,
        values: &[&str],
        geometry: &Geometry,
        line: usize,
    ) -> Result<Vec<ExpectedValue>, String> {
        let numbers = self.range.as_ref().map(|r| r.end() - r.start() + 1);
        let count = numbers.map(|n| n * self.per_number());
        let mut expected = Vec::new();
        let mut offset = 0;
        let mut add = |value: Option<Vec<u64>>, width: u32, text: &str| -> Result<(), String> {
            let element = self.at(offset, geometry).ok_or("more values than elements")?;
            let value = value.ok_or_else(|| format!("`{text}` is not a value of {width} bits"))?;
            let signed = width == WORD_BITS;
            expected.push(ExpectedValue { element, value, signed, line });
            offset += 1;
            Ok(())
        };
        let repeated = count.filter(|_| values.len() == 1);
        for text in values.iter().cycle().take(repeated.unwrap_or(values.len())) {
            match row(text).filter(|_| self.per_number() == WORDS) {
                Some(words) if repeated.is_none_or(|count| count == WORDS) => {
                    for word in words {
                        add(Some(vec![word.into()]), WORD_BITS, text)?;
                    }
                    if repeated.is_some() {
                        break;
                    }
                }
                _ => {
                    let width = self.width(geometry);
                    add(number(text, width), width, text)?;
                }
            }
        }
        match count {
            _ if expected.is_empty() => Err("expected a value after `=`".into()),
            Some(count) if count != expected.len() => Err(format!(
                "{} values for {count} elements; write one for all, or one for each",
                expected.len()
            )),
            _ => Ok(expected),
        }
    }

    /// Width of an element in bits.
    fn width(&self, geometry: &Geometry) -> u32 {
        match self.first {
            FirstElement::Register(location) => location.register.width(geometry),
            FirstElement::Row(_) | FirstElement::Output { .. } => WORD_BITS,
        }
    }
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

/// A decimal or hexadecimal number of `width` bits, as 64-bit words, low word first; negative numbers are in two's
/// complement.
fn number(text: &str, width: u32) -> Option<Vec<u64>> {
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
    let bits = width.min(64);
    if !(-(1i128 << (bits - 1))..1i128 << bits).contains(&number) {
        return None;
    }
    value[0] = number as u64 & (u64::MAX >> (64 - bits));
    if number < 0 && width > 64 {
        return None;
    }
    Some(value)
}
