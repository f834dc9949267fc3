// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines of `drra trace` as a dump: every register of the fabric is a signal, by its path.
//!
//! There is no clock in it, so there is one here: in cycle n it rises at time 2n+1, and what the cycle
//! changes is there from time 2n on. The last line tells the last cycle; a trace of version 1 has no such line
//! and ends with the cycle of its last change.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use drra_golden::Fabric;
use drra_isa::{
    Geometry, Unit,
    fabric::{Location, Register},
};
use drra_lockstep::{
    StateSource,
    trace::{FORMAT, VERSION_WITH_END, VERSION_WITHOUT_END},
};
use serde::Deserialize;

use super::{
    DumpEnd, DumpError, Format, Played, Shown,
    collect::{Collector, Stop},
    damaged, failed, file_from_start,
};
use crate::{
    Bits,
    names::{Names, SignalId, SignalKind},
};

/// The path of the clock.
pub(super) const CLOCK: &str = "clock";
/// Most cycles of a trace; a greater number is a sign of damage.
const MAX_CYCLES: u64 = 100_000_000;
/// Bits of a row of memory.
const BLOCK_BITS: u32 = 256;
/// Longest line, in bytes.
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

/// A line after the header: a change has the first three elements, the end the last one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    cycle: Option<u64>,
    path: Option<&'a str>,
    value: Option<&'a str>,
    last_cycle: Option<u64>,
}

/// What a line says.
enum Told {
    /// A register has a value from a cycle on.
    Change { cycle: u64, register: SignalId, value: Bits },
    /// The last cycle.
    End(u64),
}

/// A trace that was opened.
#[derive(Debug)]
pub(super) struct Trace {
    clock: SignalId,
    /// Registers and rows of memories by their paths.
    registers: HashMap<String, Announced>,
}

#[derive(Clone, Debug)]
struct Announced {
    id: SignalId,
    reset: Bits,
}

/// The lines of a file that are complete, with their numbers.
struct Lines<'a> {
    reader: BufReader<File>,
    path: &'a Path,
    number: u64,
    line: String,
    cut: bool,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, DumpError> {
        let reader = file_from_start(path)?;
        Ok(Self { reader, path, number: 0, line: String::new(), cut: false })
    }

    /// The next line; a last one without an end is left out.
    fn next(&mut self) -> Result<Option<&str>, DumpError> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.reader).take(MAX_LINE).read_line(&mut self.line);
        match read {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(self.wrong("it is not text"))
            }
            Err(error) => Err(failed(self.path)(error)),
            Ok(0) => Ok(None),
            Ok(length) if length as u64 == MAX_LINE => Err(self.wrong("it is too long")),
            Ok(_) if !self.line.ends_with('\n') => {
                self.cut = true;
                Ok(None)
            }
            Ok(_) => Ok(Some(&self.line)),
        }
    }

    fn wrong(&self, what: impl Display) -> DumpError {
        damaged(self.path, Format::Trace, format!("line {}: {what}", self.number))
    }

    /// The size of the fabric that the first line tells, and whether the last line tells the end.
    fn header(&mut self) -> Result<(Geometry, bool), DumpError> {
        let line = self.next()?.unwrap_or("").to_owned();
        let header: Header = serde_json::from_str(&line)
            .map_err(|error| self.wrong(format_args!("it is no header of a trace ({error})")))?;
        if header.format != FORMAT
            || !(VERSION_WITHOUT_END..=VERSION_WITH_END).contains(&header.version)
        {
            return Err(self.wrong(format_args!(
                "it is no header of a `{FORMAT}` of version {VERSION_WITHOUT_END} or {VERSION_WITH_END}"
            )));
        }
        let FabricSize { rows, columns, tile_rows, rf_words, sram_blocks } = header.fabric;
        let possible = rows == Geometry::ROWS
            && (2..=Geometry::MAX_COLUMNS).contains(&columns)
            && (1..=Geometry::MAX_TILE_ROWS).contains(&tile_rows)
            && (rf_words == 32 || rf_words == 64)
            && sram_blocks.is_power_of_two()
            && sram_blocks <= Geometry::LARGEST.sram_blocks;
        if possible {
            let size = Geometry { columns, tile_rows, rf_words, sram_blocks };
            Ok((size, header.version > VERSION_WITHOUT_END))
        } else {
            Err(self.wrong("no fabric has this size"))
        }
    }
}

impl Trace {
    /// Reads the header: it tells which registers there are.
    pub(super) fn open(path: &Path) -> Result<(Self, Names), DumpError> {
        let (geometry, _) = Lines::open(path)?.header()?;
        let mut names = Names::default();
        let clock = names.add(&[], CLOCK, SignalKind::Bits { width: 1 }, Vec::new());
        let mut registers = HashMap::new();
        for (location, reset) in reset_values(&geometry) {
            let path = location.to_string();
            let kind = SignalKind::Bits { width: reset.width() };
            let id = names.add(&[], &path, kind, Vec::new());
            registers.insert(path, Announced { id, reset });
        }
        Ok((Self { clock, registers }, names))
    }

    /// Delivers the wanted signals.
    pub(super) fn play(
        &self,
        path: &Path,
        wanted: &[SignalId],
        collector: &mut Collector<'_>,
    ) -> Result<DumpEnd, Played> {
        let wanted: HashSet<SignalId> = wanted.iter().copied().collect();
        let mut clock = Clock { id: wanted.get(&self.clock).copied(), cycle: 0, collector };
        clock.starts()?;
        for register in self.registers.values().filter(|register| wanted.contains(&register.id)) {
            clock.change(register.id, register.reset.clone())?;
        }
        let mut lines = Lines::open(path)?;
        let (_, has_end) = lines.header()?;
        let mut ended = false;
        let mut changed: HashMap<SignalId, u64> = HashMap::new();
        while let Some(line) = lines.next()? {
            let parsed = serde_json::from_str::<Line<'_>>(line).map_err(|error| error.to_string());
            let told = parsed.and_then(|line| self.told(&line, has_end));
            if ended {
                return Err(lines.wrong("there is a line after the end").into());
            }
            match told.map_err(|what| lines.wrong(what))? {
                Told::Change { cycle, register, value } => {
                    clock.goes_on_to(cycle)?;
                    if changed.insert(register, cycle) == Some(cycle) {
                        let what = format_args!("it changes twice in cycle {cycle}");
                        return Err(lines.wrong(what).into());
                    }
                    if wanted.contains(&register) {
                        clock.change(register, value)?;
                    }
                }
                Told::End(cycle) => {
                    clock.goes_on_to(cycle)?;
                    ended = true;
                }
            }
        }
        clock.rises()?;
        let cut = match (lines.cut, has_end && !ended) {
            (true, _) => Some("the file ends in the middle of a line".to_owned()),
            (false, true) => Some("the line that tells the end is missing".to_owned()),
            (false, false) => None,
        };
        Ok(DumpEnd { last_time: 2 * clock.cycle + 1, cut })
    }

    /// What a line says.
    fn told(&self, line: &Line<'_>, has_end: bool) -> Result<Told, String> {
        let bounded = |cycle: u64| {
            let beyond = || format!("cycle {cycle} is beyond {MAX_CYCLES}");
            if cycle > MAX_CYCLES { Err(beyond()) } else { Ok(cycle) }
        };
        let Line { cycle, path, value, last_cycle } = *line;
        let (cycle, path, value) = match (cycle, path, value, last_cycle) {
            (Some(cycle), Some(path), Some(value), None) => (bounded(cycle)?, path, value),
            (None, None, None, Some(last)) if has_end => return bounded(last).map(Told::End),
            _ => return Err("it is neither a change nor the end".to_owned()),
        };
        let register =
            self.registers.get(path).ok_or_else(|| format!("the fabric has no `{path}`"))?;
        let width = register.reset.width();
        let bits = hexadecimal(value, width)
            .ok_or_else(|| format!("`{value}` is no value of the {width} bits of `{path}`"))?;
        Ok(Told::Change { cycle, register: register.id, value: bits })
    }
}

/// The clock that a trace does not have.
struct Clock<'a, 'b> {
    /// If it is wanted.
    id: Option<SignalId>,
    cycle: u64,
    collector: &'a mut Collector<'b>,
}

impl Clock<'_, '_> {
    fn starts(&mut self) -> Result<(), Stop> {
        self.level(0)
    }

    fn rises(&mut self) -> Result<(), Stop> {
        self.level(1)
    }

    /// All cycles before this one end. Cycles must not decrease.
    fn goes_on_to(&mut self, cycle: u64) -> Result<(), Stop> {
        if cycle < self.cycle {
            return Err(Stop::Backwards { from: self.cycle, to: cycle });
        }
        while self.cycle < cycle {
            self.rises()?;
            self.cycle += 1;
            self.starts()?;
        }
        Ok(())
    }

    fn level(&mut self, level: u64) -> Result<(), Stop> {
        let time = 2 * self.cycle + level;
        match self.id {
            Some(id) => self.collector.change(time, id, Shown::Bits(Bits::new(&[level], 1))),
            None => self.collector.advance(time),
        }
    }

    /// A register has this value in the current cycle.
    fn change(&mut self, id: SignalId, value: Bits) -> Result<(), Stop> {
        self.collector.change(2 * self.cycle, id, Shown::Bits(value))
    }
}

/// Every register and row of memory of a fabric, with its value after reset.
fn reset_values(geometry: &Geometry) -> Vec<(Location, Bits)> {
    let fabric = Fabric::new(*geometry, 0);
    let layout = fabric.layout();
    let mut values = Vec::new();
    let mut image = Vec::new();
    for unit in layout.units() {
        fabric.read(unit, &mut image);
        for variable in layout.variables_of(unit.kind()) {
            for field in &variable.fields {
                let value = field.value(variable.words(&image));
                let location = Location { unit, register: field.register };
                values.push((location, Bits::new(&value, field.width)));
            }
        }
        if let Unit::Tile(_) = unit {
            for row in 0..geometry.sram_blocks {
                let register = Register::TileSram(row);
                values.push((Location { unit, register }, Bits::new(&[], BLOCK_BITS)));
            }
        }
    }
    values
}

/// The value of `0x1f`, if it has at most `width` bits.
fn hexadecimal(text: &str, width: u32) -> Option<Bits> {
    let digits = text.strip_prefix("0x").filter(|digits| !digits.is_empty())?;
    let mut words = vec![0; (digits.len().div_ceil(16)).max(width.div_ceil(64) as usize)];
    for (i, digit) in digits.chars().rev().enumerate() {
        words[i / 16] |= u64::from(digit.to_digit(16)?) << (4 * (i % 16));
    }
    let bits = Bits::new(&words, width);
    let beyond = words.iter().skip(bits.words().len()).any(|word| *word != 0);
    (!beyond && bits.words() == &words[..bits.words().len()]).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_values() {
        assert_eq!(hexadecimal("0x1f", 5), Some(Bits::new(&[0x1f], 5)));
        assert_eq!(hexadecimal("0x20", 5), None);
        assert_eq!(hexadecimal("0x00000000000000001", 4), Some(Bits::new(&[1], 4)));
        assert_eq!(hexadecimal("0x10000000000000000", 65), Some(Bits::new(&[0, 1], 65)));
        for text in ["", "0x", "12", "0xg", "0x-1"] {
            assert_eq!(hexadecimal(text, 8), None, "{text}");
        }
    }
}
