// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses texts of expected states, and takes over arrays.

use std::collections::BTreeMap;

use drra_fabric::{Location, Register};
use drra_isa::{BlockWords, CellId, Geometry, TextFormat, read_memory};

use super::{
    Element, EndState, EndStateError, ExpectedValue, MAX_VALUES, SampleTime, Slice, SliceItem,
};

/// Words of a block.
const WORDS: usize = Geometry::BLOCK_WORDS;

/// The expectation that a comment of a program states: `# END ...` or `# AT ...`.
fn stated(line: &str) -> Option<&str> {
    let text = line.trim().strip_prefix('#')?.trim_start();
    (text.starts_with("END ") || text.starts_with("AT ")).then_some(text)
}

impl EndState {
    /// Reads an expected state: lines `path = value ...` (described in harness/guide/compilers.md), or a memory image.
    ///
    /// # Errors
    /// If a line is malformed, names an element that the fabric does not have or a label, or if there are no
    /// expectations or too many.
    pub fn read(text: &str, geometry: &Geometry) -> Result<Self, EndStateError> {
        Self::read_with_labels(text, geometry, &BTreeMap::new())
    }

    /// Like [`Self::read`], for a program with labels.
    ///
    /// # Errors
    /// As for [`Self::read`], but only for labels that the program does not have.
    pub fn read_with_labels(
        text: &str,
        geometry: &Geometry,
        labels: &BTreeMap<(CellId, String), usize>,
    ) -> Result<Self, EndStateError> {
        if TextFormat::of(text) == Some(TextFormat::Memory) {
            return of_memory(text, geometry);
        }
        // A program states its expectations in comments; its other lines are not parsed.
        let states_some = text.lines().any(|line| stated(line).is_some());
        let (mut negative, mut large, mut expected) = (false, false, Vec::new());
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            let content = match stated(content) {
                Some(expectation) => expectation,
                None if states_some || content.is_empty() || content.starts_with('#') => continue,
                None => content,
            };
            let error = |message: String| EndStateError { line, message };
            let content = content.split(" #").next().unwrap_or_default();
            let content = content.strip_prefix("END ").unwrap_or(content).trim();
            let (at, content) = match content.strip_prefix("AT ") {
                Some(rest) => {
                    let (time, rest) = rest.trim().split_once([' ', '\t']).unwrap_or_default();
                    (Some(SampleTime::read(time, labels).map_err(error)?), rest)
                }
                None => (None, content),
            };
            let (place, values) = content
                .rsplit_once('=')
                .ok_or_else(|| error("expected `path = value ...`".into()))?;
            let values: Vec<&str> = values.split_whitespace().collect();
            let slice = Slice::parse(place.trim(), geometry).map_err(error)?;
            let pairs = slice.expect(&values).map_err(error)?;
            let top = pairs[0].0.width.min(64) - 1;
            negative |= values.iter().any(|value| value.starts_with('-'));
            large |= values.iter().any(|value| value.parse().is_ok_and(|n: u64| n >> top != 0));
            for (mut item, value) in pairs {
                // Registers of 32 bits hold numbers, as words do.
                item.signed |= item.lane.is_none() && matches!(item.width, 16 | 32);
                let (at, source) = (at.clone(), ("line", line));
                expected.push(ExpectedValue { at, item, value, source });
            }
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
        let words = expected.iter_mut().filter(|value| value.item.lane.is_none());
        words.for_each(|value| value.item.signed &= negative || !large);
        Ok(EndState { expected })
    }

    /// The values that a slice has at the end.
    ///
    /// # Errors
    /// If a number does not fit, or their number does not.
    pub fn of_array(slice: &Slice, numbers: &[i128]) -> Result<Self, String> {
        let encode = |n: &i128| Ok(vec![slice.encode(*n)?]);
        let values = numbers.iter().map(encode).collect::<Result<Vec<_>, String>>()?;
        let negative = numbers.iter().any(|n| *n < 0);
        let expected = slice.assign(values)?.into_iter().enumerate().map(|(k, (item, value))| {
            let item = SliceItem { signed: negative || item.signed, ..item };
            ExpectedValue { at: None, item, value, source: ("element", k) }
        });
        Ok(Self { expected: expected.collect() })
    }
}

impl SampleTime {
    /// Reads `CYCLE`, or `[CELL:]LABEL[+N]`.
    fn read(text: &str, labels: &BTreeMap<(CellId, String), usize>) -> Result<Self, String> {
        let (name, after) = text.split_once('+').unwrap_or((text, "0"));
        let mut found = labels
            .iter()
            .filter(|((cell, label), _)| label == name || name == format!("{cell}:{label}"));
        match (found.next(), found.next(), text.parse(), after.parse()) {
            (None, _, Ok(cycle), _) if !name.is_empty() => Ok(Self::Cycle(cycle)),
            (Some((&(cell, _), &address)), None, _, Ok(after)) => {
                Ok(Self::Decode { cell, address, after, label: name.into() })
            }
            _ => Err(format!(
                "`{text}` is neither a cycle nor a label of the program, with or without +N; a label that several \
                 cells have needs its cell, for example cell[0][0]:{text}"
            )),
        }
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
    let mut add = |block: &BlockWords, element: &dyn Fn(usize) -> Element| {
        let source = ("line", line_of(text, block));
        expected.extend(block.iter().enumerate().map(|(word, &value)| {
            let item = SliceItem { element: element(word), lane: None, width: 16, signed: true };
            ExpectedValue { at: None, item, value: vec![value.into()], source }
        }));
    };
    for (&tile, blocks) in &image.sram {
        for (&address, block) in blocks {
            let location = Location { unit: tile.into(), register: Register::TileSram(address) };
            add(block, &|word| Element::Word(location, word));
        }
    }
    for (&cell, blocks) in &image.rf {
        for (&number, block) in blocks {
            let register = |word| Register::RfMem(number * WORDS + word);
            let unit = CellId::into(cell);
            add(block, &|word| Element::Register(Location { unit, register: register(word) }));
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
