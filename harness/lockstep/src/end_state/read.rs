// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses texts of expected states, and takes over arrays.

use std::collections::BTreeMap;

use drra_fabric::{Location, Register};
use drra_isa::{BlockWords, CellId, Geometry, TextFormat, read_memory};

use super::{
    Element, EndState, EndStateError, ExpectedValue, MAX_VALUES, SampleTime, Slice, SliceItem,
    slice::WORDS,
};

/// The expectation that a comment of a program states: `# END ...` or `# AT ...`.
fn stated(line: &str) -> Option<&str> {
    let text = line.trim().strip_prefix('#')?.trim_start();
    (text.starts_with("END ") || text.starts_with("AT ")).then_some(text)
}

/// True if a line states an expectation as no line of a program does: `cell[0][0]... = 1`, `AT 5 tile[1][0]... = 1`.
fn expects(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let place = |word: &str| {
        ["cell[", "tile[", "col[", "output_buffer["].iter().any(|unit| word.starts_with(unit))
    };
    match words.next() {
        // After AT, there is a time.
        Some("AT" | "END") => words.take(2).any(place),
        first => first.is_some_and(place),
    }
}

/// True if a comment looks like an expectation but is not read as one: `# At 5 cell[0][0]... = 1`, `# END: tile...`.
fn resembles(line: &str) -> bool {
    let Some(text) = line.strip_prefix('#') else { return false };
    let text = text.trim_start_matches(['#', ' ', '\t']);
    let (first, rest) = text.split_once([' ', '\t']).unwrap_or_default();
    let first = first.trim_end_matches(':').to_ascii_uppercase();
    ["AT", "END"].contains(&&*first) && line.contains('=') && expects(&format!("{first} {rest}"))
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
        // A program states its expectations in comments; its instructions and data are not parsed.
        let states_some = text.lines().any(|line| stated(line).is_some());
        let (mut negative, mut large, mut expected) = (false, false, Vec::new());
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            let content = match stated(content) {
                Some(expectation) => expectation,
                None if resembles(content) => {
                    let message =
                        "expected `# END path = value` or `# AT time path = value`".into();
                    return Err(EndStateError { line, message });
                }
                None if content.is_empty() || content.starts_with('#') => continue,
                None if states_some && !expects(content) => continue,
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
            let width = pairs[0].0.width;
            // Registers of 32 bits hold numbers, as words do.
            let numbers = matches!(width, 16 | 32);
            let top = |value: &&str| value.parse().is_ok_and(|n: u64| n >> (width - 1) != 0);
            negative |= values.iter().any(|value| value.starts_with('-'));
            large |= numbers && values.iter().any(top);
            for (mut item, value) in pairs {
                item.signed |= item.lane.is_none() && numbers;
                let (at, source) = (at.clone(), ("line", line));
                expected.push(ExpectedValue { at, item, value, source });
            }
            if expected.len() > MAX_VALUES {
                return Err(error(format!("more than {MAX_VALUES} values")));
            }
        }
        if expected.is_empty() {
            return Err(none());
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
        let found: Vec<_> = labels
            .iter()
            .filter(|((cell, label), _)| label == name || name == format!("{cell}:{label}"))
            .collect();
        match (&found[..], text.parse(), after.parse()) {
            ([], Ok(cycle), _) if !name.is_empty() => Ok(Self::Cycle(cycle)),
            (&[((cell, _), &address)], _, Ok(after)) => {
                Ok(Self::Decode { cell: *cell, address, after, label: name.into() })
            }
            ([_], ..) => Err(format!("`{after}` is not a number of cycles")),
            ([((cell, _), _), ..], ..) => {
                Err(format!("`{name}` is a label of several cells; name one: {cell}:{text}"))
            }
            ([], ..) => {
                let known: Vec<_> =
                    labels.keys().map(|(c, label)| format!("{c}:{label}")).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                Err(format!(
                    "`{text}` is neither a cycle nor LABEL or LABEL+CYCLES; labels: {known}"
                ))
            }
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
    if expected.is_empty() {
        return Err(none());
    }
    Ok(EndState { expected })
}

/// The error about a text without expectations.
fn none() -> EndStateError {
    let message = "no expectations; write lines `path = value ...`, or a memory image with rows";
    EndStateError { line: 1, message: message.into() }
}

/// First line with the digits of a block.
fn line_of(text: &str, block: &BlockWords) -> usize {
    let hex: String = block.iter().rev().map(|w| format!("{w:04x}")).collect();
    let has = |line: &str| line.to_ascii_lowercase().contains(&hex);
    1 + text.lines().position(has).unwrap_or_default()
}
