// SPDX-License-Identifier: MIT OR Apache-2.0
//! The output of `drra trace` as a waveform: every register of the fabric is a signal, named by its path.
//!
//! A trace contains no clock, so one is added: in cycle n it rises at time 2n+1, and the changes of the cycle happen at
//! time 2n. The last line states the last cycle; a trace of version 1 has no such line and ends with the cycle of its
//! last change.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
    io::{self, BufRead, Read},
};

use drra_golden::Fabric;
use drra_isa::Geometry;
use drra_lockstep::trace::{FORMAT, VERSION_WITH_END, VERSION_WITHOUT_END};
use serde::Deserialize;

use drra_lockstep::Value;

use super::{
    collect::{ChangeCollector, StopReason},
    error::Damage,
    reader::WaveformReader,
    shown::WaveformValue,
};
use crate::names::{SignalHandle, SignalKind, SignalNames};

/// The path of the clock.
const CLOCK: &str = "clock";
/// The highest possible cycle in a trace; a higher one indicates damage.
const MAX_CYCLES: u64 = 100_000_000;
/// A line with this number of bytes or more is too long.
const MAX_LINE: u64 = 1 << 16;

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
    fabric: FabricSize,
}

#[derive(Deserialize)]
struct FabricSize {
    rows: usize,
    columns: usize,
    tile_rows: usize,
    rf_words: usize,
    sram_blocks: usize,
}

/// A line after the header. A change has the first three members, and the end marker has only the last member.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    cycle: Option<u64>,
    path: Option<&'a str>,
    value: Option<&'a str>,
    last_cycle: Option<u64>,
}

/// An open trace.
#[derive(Debug)]
pub(super) struct Trace {
    clock: SignalHandle,
    /// Registers and memory rows by their paths, with their values after reset.
    registers: HashMap<String, (SignalHandle, Value)>,
}

/// The complete lines of a trace, numbered.
struct Lines<'a> {
    reader: WaveformReader<'a>,
    number: u64,
    line: String,
    cut: bool,
}

impl<'a> Lines<'a> {
    fn new(reader: WaveformReader<'a>) -> Self {
        Self { reader, number: 0, line: String::new(), cut: false }
    }

    /// The next line; an unterminated last line is left out.
    fn next(&mut self) -> Result<Option<&str>, StopReason> {
        self.line.clear();
        self.number += 1;
        match (&mut self.reader).take(MAX_LINE).read_line(&mut self.line) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(wrong(self.number, "not text"))
            }
            Err(error) => Err(error.into()),
            Ok(0) => Ok(None),
            Ok(length) if length as u64 == MAX_LINE => Err(wrong(self.number, "line too long")),
            Ok(_) if !self.line.ends_with('\n') => {
                self.cut = true;
                Ok(None)
            }
            Ok(_) => Ok(Some(&self.line)),
        }
    }

    /// The fabric size in the first line, and whether the last line must be an end marker.
    fn header(&mut self) -> Result<(Geometry, bool), StopReason> {
        let line = self.next()?.unwrap_or("");
        let header: Header = serde_json::from_str(line)
            .map_err(|error| wrong(1, format_args!("not a trace header ({error})")))?;
        if header.format != FORMAT
            || !(VERSION_WITHOUT_END..=VERSION_WITH_END).contains(&header.version)
        {
            let versions = format_args!("{VERSION_WITHOUT_END} or {VERSION_WITH_END}");
            let what = format_args!("not a `{FORMAT}` header of version {versions}");
            return Err(wrong(1, what));
        }
        let FabricSize { rows, columns, tile_rows, rf_words, sram_blocks } = header.fabric;
        let size = Geometry { columns, tile_rows, rf_words, sram_blocks };
        if rows != Geometry::ROWS || size.check().is_err() {
            return Err(wrong(1, "not a valid fabric size"));
        }
        Ok((size, header.version > VERSION_WITHOUT_END))
    }
}

fn wrong(line: u64, what: impl Display) -> StopReason {
    format!("line {line}: {what}").into()
}

impl Trace {
    /// Reads the header, which determines the registers.
    pub(super) fn open(reader: WaveformReader<'_>) -> Result<(Self, SignalNames), StopReason> {
        let (geometry, _) = Lines::new(reader).header()?;
        let mut names = SignalNames::default();
        let clock = names.add(CLOCK, SignalKind::Bits { width: 1 }, Vec::new());
        let mut registers = HashMap::new();
        let fabric = Fabric::new(geometry, 0);
        for location in fabric.layout().locations() {
            let (path, width) = (location.to_string(), location.register.width(&geometry));
            let reset = Value::new(fabric.value(location).unwrap_or_default(), width);
            let id = names.add(&path, SignalKind::Bits { width }, Vec::new());
            registers.insert(path, (id, reset));
        }
        Ok((Self { clock, registers }, names))
    }

    /// Delivers the wanted signals. Returns the place where the file ends, if it is truncated.
    pub(super) fn play(
        &self,
        reader: WaveformReader<'_>,
        wanted: &[SignalHandle],
        collector: &mut ChangeCollector<'_>,
    ) -> Result<Option<String>, StopReason> {
        let wanted: HashSet<SignalHandle> = wanted.iter().copied().collect();
        let mut change = |time: u64, id: SignalHandle, bits: Value| match wanted.contains(&id) {
            true => collector.change(time, id, WaveformValue::Bits(bits)),
            false => Ok(()),
        };
        let level = |level: u64| Value::new([level], 1);
        change(0, self.clock, level(0))?;
        for (id, reset) in self.registers.values() {
            change(0, *id, reset.clone())?;
        }
        let mut lines = Lines::new(reader);
        let (_, has_end) = lines.header()?;
        let (mut cycle, mut ended) = (0, false);
        let mut changed: HashMap<SignalHandle, u64> = HashMap::new();
        while let Some(line) = lines.next()? {
            let told = self.told(line, has_end);
            let number = lines.number;
            if ended {
                return Err(wrong(number, "a line after the end marker"));
            }
            let (to, register) = told.map_err(|what| wrong(number, what))?;
            if to < cycle {
                return Err(Damage::backwards(cycle, to).into());
            }
            while cycle < to {
                change(2 * cycle + 1, self.clock, level(1))?;
                cycle += 1;
                change(2 * cycle, self.clock, level(0))?;
            }
            ended = register.is_none();
            if let Some((id, value)) = register {
                if changed.insert(id, cycle) == Some(cycle) {
                    let what = format_args!("the register changes twice in cycle {cycle}");
                    return Err(wrong(number, what));
                }
                change(2 * cycle, id, value)?;
            }
        }
        change(2 * cycle + 1, self.clock, level(1))?;
        Ok(match (lines.cut, has_end && !ended) {
            (true, _) => Some("the file ends in the middle of a line".to_owned()),
            (false, true) => Some("the end marker is missing".to_owned()),
            (false, false) => None,
        })
    }

    /// The contents of a line: the cycle, and the register with its new value, or no register for the end marker.
    fn told(
        &self,
        line: &str,
        has_end: bool,
    ) -> Result<(u64, Option<(SignalHandle, Value)>), String> {
        let line: Line<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let (cycle, change) = match (line.cycle, line.path, line.value, line.last_cycle) {
            (Some(cycle), Some(path), Some(value), None) => (cycle, Some((path, value))),
            (None, None, None, Some(last)) if has_end => (last, None),
            _ => return Err("neither a change nor the end marker".to_owned()),
        };
        if cycle > MAX_CYCLES {
            return Err(format!("cycle {cycle} exceeds the maximum of {MAX_CYCLES}"));
        }
        let Some((path, value)) = change else { return Ok((cycle, None)) };
        let register = self.registers.get(path);
        let (id, reset) = register.ok_or_else(|| format!("the fabric has no `{path}`"))?;
        let width = reset.width();
        let bits = hexadecimal(value, width)
            .ok_or_else(|| format!("`{value}` does not fit in the {width} bits of `{path}`"))?;
        Ok((cycle, Some((*id, bits))))
    }
}

/// The value of a text such as `0x1f`, if it has at most `width` bits.
fn hexadecimal(text: &str, width: u32) -> Option<Value> {
    let digits = text.strip_prefix("0x").filter(|digits| !digits.is_empty())?;
    let mut words = vec![0; (digits.len().div_ceil(16)).max(width.div_ceil(64) as usize)];
    for (i, digit) in digits.chars().rev().enumerate() {
        words[i / 16] |= u64::from(digit.to_digit(16)?) << (4 * (i % 16));
    }
    let bits = Value::new(&words, width);
    let beyond = words.iter().skip(bits.words().len()).any(|word| *word != 0);
    (!beyond && bits.words() == &words[..bits.words().len()]).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_values() {
        assert_eq!(hexadecimal("0x1f", 5), Some(Value::new([0x1f], 5)));
        assert_eq!(hexadecimal("0x20", 5), None);
        assert_eq!(hexadecimal("0x00000000000000001", 4), Some(Value::new([1], 4)));
        assert_eq!(hexadecimal("0x10000000000000000", 65), Some(Value::new([0, 1], 65)));
        for text in ["", "0x", "12", "0xg", "0x-1"] {
            assert_eq!(hexadecimal(text, 8), None, "{text}");
        }
    }
}
