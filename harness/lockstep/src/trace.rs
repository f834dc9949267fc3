// SPDX-License-Identifier: MIT OR Apache-2.0
//! State changes per cycle, one JSON object per line.
//!
//! The first line is a header. Every other line is one changed register or memory block:
//! `{"cycle": 5, "path": "cell[0][0].rf.mem[32]", "value": "0x0010"}` says that it has this value
//! in cycle 5 and had another one in cycle 4. Lines are ordered by cycle, then as in the state
//! table. Everything starts at its reset value.
//!
//! A trace of version 1 ends with its last change. One of version 2 has an end, `{"last_cycle": 98}`: it tells of
//! the cycles up to 98, the one after the last edge; without that line it is cut.

use std::io;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

use drra_case::Case;
use drra_golden::Fabric;
use drra_isa::Geometry;
use drra_isa::Unit;
use drra_isa::fabric::Layout;
use drra_isa::fabric::Location;
use drra_isa::ports::Block;
use drra_isa::ports::ZERO_BLOCK;
use serde_json::json;
use wildmatch::WildMatch;

use crate::difference::sram_row;
use crate::dut::AssertionFailure;
use crate::dut::StepError;
use crate::golden_run::EndRule;
use crate::pair::Now;
use crate::pair::Observer;
use crate::state_source::StateSource;
use crate::value::Value;

/// The name of the format, in the header.
pub const FORMAT: &str = "drra-trace";
/// The version of the format whose traces end with their last change.
pub const VERSION_WITHOUT_END: u64 = 1;
/// The version of the format whose traces tell their last cycle.
pub const VERSION_WITH_END: u64 = 2;

/// Which lines are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// First cycle.
    pub from: Option<u64>,
    /// Last cycle.
    pub to: Option<u64>,
    /// Path pattern: `*` stands for any text, `?` for one character.
    pub only: Option<WildMatch>,
    /// The trace goes on to the state after the last edge and tells its last cycle.
    pub end: bool,
}

impl Filter {
    fn wants_cycle(&self, cycle: u64) -> bool {
        self.from.is_none_or(|f| cycle >= f) && self.to.is_none_or(|t| cycle <= t)
    }

    fn wants(&self, path: &str) -> bool {
        self.only.as_ref().is_none_or(|p| p.matches(path))
    }
}

/// One changed element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The register, or row of a tile's memory.
    pub location: Location,
    /// New value.
    pub value: Value,
}

/// Remembers a state and finds what changed since.
#[derive(Debug)]
pub struct Differ {
    layout: Arc<Layout>,
    geometry: Geometry,
    units: Vec<Unit>,
    images: Vec<Vec<u64>>,
    srams: Vec<Vec<Block>>,
    scratch: Vec<u64>,
}

impl Differ {
    /// Starts from the reset values.
    pub fn new(layout: &Arc<Layout>, geometry: &Geometry, reset: &dyn StateSource) -> Self {
        let units: Vec<Unit> = layout.units().collect();
        let mut images = vec![Vec::new(); units.len()];
        for (unit, image) in units.iter().zip(&mut images) {
            reset.read(*unit, image);
        }
        Self {
            layout: Arc::clone(layout),
            geometry: *geometry,
            units,
            images,
            srams: vec![vec![ZERO_BLOCK; geometry.sram_blocks]; geometry.tiles()],
            scratch: Vec::new(),
        }
    }

    /// Changes since the last call, in table order.
    pub fn changes(&mut self, source: &dyn StateSource) -> Vec<Change> {
        let mut changes = Vec::new();
        for (i, &unit) in self.units.iter().enumerate() {
            source.read(unit, &mut self.scratch);
            if self.scratch != self.images[i] {
                for variable in self.layout.variables_of(unit.kind()) {
                    let (old, new) =
                        (variable.words(&self.images[i]), variable.words(&self.scratch));
                    if old == new {
                        continue;
                    }
                    for field in &variable.fields {
                        let value = field.value(new);
                        if value != field.value(old) {
                            let location = Location { unit, register: field.register };
                            changes
                                .push(Change { location, value: Value::new(value, field.width) });
                        }
                    }
                }
                std::mem::swap(&mut self.images[i], &mut self.scratch);
            }
            if let Unit::Tile(tile) = unit {
                let rows = &mut self.srams[tile.index(&self.geometry)];
                for (row, old) in rows.iter_mut().enumerate() {
                    let block = source.sram_block(tile, row);
                    if *old != block {
                        *old = block;
                        let value = Value::new(block.to_vec(), 256);
                        changes.push(Change { location: sram_row(tile, row), value });
                    }
                }
            }
        }
        changes
    }
}

/// Writes the header line.
///
/// # Errors
/// If writing fails.
pub fn write_header(
    out: &mut dyn Write,
    case: &Case,
    geometry: &Geometry,
    model: &str,
    filter: &Filter,
) -> io::Result<()> {
    let header = json!({
        "format": FORMAT,
        "version": if filter.end { VERSION_WITH_END } else { VERSION_WITHOUT_END },
        "program": case.name,
        "model": model,
        "fabric": {
            "rows": Geometry::ROWS,
            "columns": geometry.columns,
            "tile_rows": geometry.tile_rows,
            "rf_words": geometry.rf_words,
            "sram_blocks": geometry.sram_blocks,
        },
        "first_program_cycle": case.stimulus.first_program_cycle(),
    });
    writeln!(out, "{header}")
}

/// Writes the changes of a cycle.
///
/// # Errors
/// If writing fails.
pub fn write_changes(
    out: &mut dyn Write,
    cycle: u64,
    changes: &[Change],
    filter: &Filter,
) -> io::Result<()> {
    if !filter.wants_cycle(cycle) {
        return Ok(());
    }
    for Change { location, value } in changes {
        let path = location.to_string();
        if filter.wants(&path) {
            // Paths and values need no escapes.
            writeln!(out, "{{\"cycle\": {cycle}, \"path\": \"{path}\", \"value\": \"{value}\"}}")?;
        }
    }
    Ok(())
}

/// Which side is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The golden model.
    Golden,
    /// The design under test.
    Dut,
}

/// Writes the changes of one side while it runs, and the end if it is wanted. The side that is traced says when
/// the run ends.
pub struct Trace<'a> {
    model: Model,
    filter: &'a Filter,
    end: EndRule,
    differ: Differ,
    out: &'a mut dyn Write,
    /// The last cycle that is told.
    last: Option<u64>,
    written: io::Result<()>,
    violated: Option<AssertionFailure>,
}

impl<'a> Trace<'a> {
    /// A trace of a side of a run; changes are those from the state of `reset` on.
    pub fn new(
        model: Model,
        end: EndRule,
        filter: &'a Filter,
        reset: &Fabric,
        out: &'a mut dyn Write,
    ) -> Self {
        let differ = Differ::new(reset.layout(), reset.geometry(), reset);
        Self { model, filter, end, differ, out, last: None, written: Ok(()), violated: None }
    }

    /// Writes the end if it is wanted, unless an assertion ended the run of the design: that one is returned.
    ///
    /// # Errors
    /// If writing failed, which ended the run, too.
    pub fn finish(self) -> io::Result<Option<AssertionFailure>> {
        self.written?;
        if let (None, Some(last), true) = (&self.violated, self.last, self.filter.end) {
            writeln!(self.out, "{{\"last_cycle\": {last}}}")?;
        }
        Ok(self.violated)
    }
}

impl Observer for Trace<'_> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let (source, quiet): (&dyn StateSource, bool) = match (self.model, now.dut) {
            (Model::Golden, _) => (now.golden, now.golden.quiet()),
            (Model::Dut, Some(dut)) => {
                let outputs = dut.outputs();
                (dut, outputs.all_idle && !outputs.agu_busy)
            }
            (Model::Dut, None) => return ControlFlow::Break(()),
        };
        let cycle = now.cycle;
        let ends = self.end.ends(cycle, || quiet);
        if self.filter.to.is_some_and(|t| cycle > t) || ends && !self.filter.end {
            return ControlFlow::Break(());
        }
        let changes = self.differ.changes(source);
        self.written = write_changes(self.out, cycle, &changes, self.filter);
        self.last = Some(cycle);
        if ends || self.written.is_err() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stopped(&mut self, _cycle: u64, why: &StepError) -> ControlFlow<()> {
        if let StepError::Violated(failure) = why {
            self.violated = Some(failure.clone());
        }
        ControlFlow::Break(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use super::WildMatch;

    #[test]
    fn patterns() {
        for (pattern, path, expected) in [
            ("*", "", true),
            ("cell[0][?].seq.*", "cell[0][3].seq.pc", true),
            ("cell[0][?].seq.*", "cell[0][3].rf.mem[0]", false),
            ("*.mem[*]", "cell[1][2].rf.mem[63]", true),
            ("*pc", "cell[1][2].seq.pend_pc", true),
            ("pc", "cell[1][2].seq.pc", false),
            ("a*b*c", "axxbyybzc", true),
        ] {
            let filter = Filter { only: Some(WildMatch::new(pattern)), ..Filter::default() };
            assert_eq!(filter.wants(path), expected, "{pattern} {path}");
        }
    }
}
