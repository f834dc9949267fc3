// SPDX-License-Identifier: MIT OR Apache-2.0
//! State changes per cycle, one JSON object per line.
//!
//! The first line is a header. Then comes one line for each change of a register or memory block: `{"cycle": 5, "path":
//! "cell[0][0].rf.mem[32]", "value": "0x0010"}` says that the register has this value in cycle 5 and had a different
//! one in cycle 4. Lines are ordered by cycle, then as in the state table. Everything starts at its reset value, and
//! keeps its last value while it is undefined.
//!
//! A trace of version 1 ends with its last change. A trace of version 2 ends with `{"last_cycle": 98}`: it covers the
//! cycles up to and including 98, by default the cycle after the last edge. Without that line, a trace of version 2 is
//! truncated, or a violated assertion ended the run. Each line follows `trace.schema.json`.

use std::{
    io::{self, Write},
    ops::ControlFlow,
};

use drra_case::Case;
use drra_isa::{Geometry, Unit};
use schemars::JsonSchema;
use serde::Serialize;
use wildmatch::WildMatch;

use crate::{
    difference::{StateSource, between, sram_row},
    golden_run::EndRule,
    history::StateHistory,
    lockstep_run::{CycleView, LockstepRun, Observer},
    stop::{AssertionFailure, StepError},
    value::Value,
};

/// The name of the format, in the header.
pub const FORMAT: &str = "drra-trace";
/// The version of the format whose traces end with their last change.
pub const VERSION_WITHOUT_END: u64 = 1;
/// The version of the format whose traces end with their last cycle.
pub const VERSION_WITH_END: u64 = 2;

/// The part of a run that a trace covers.
#[derive(Clone, Debug, Default)]
pub struct TraceFilter {
    /// First cycle.
    pub from: Option<u64>,
    /// Last cycle.
    pub to: Option<u64>,
    /// Path pattern: `*` matches any text, `?` one character.
    pub only: Option<WildMatch>,
    /// True if the trace includes the state after the last edge and ends with its last cycle.
    pub end: bool,
}

impl TraceFilter {
    /// True if the cycle is selected.
    pub fn wants_cycle(&self, cycle: u64) -> bool {
        self.from.is_none_or(|f| cycle >= f) && self.to.is_none_or(|t| cycle <= t)
    }

    /// True if the element with this canonical path is selected.
    pub fn wants(&self, path: &str) -> bool {
        self.only.as_ref().is_none_or(|p| p.matches(path))
    }
}

/// The first line of a trace.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Header")]
struct TraceHeader<'a> {
    /// Always `drra-trace`.
    #[schemars(extend("const" = FORMAT))]
    format: &'static str,
    /// 1, or 2 if the trace states its last cycle.
    #[schemars(range(min = VERSION_WITHOUT_END, max = VERSION_WITH_END))]
    version: u64,
    /// Name of the program.
    program: &'a str,
    /// `golden` or `rtl`.
    model: &'static str,
    /// Size of the fabric.
    fabric: TraceFabric,
    /// Cycle in which the first program word is on the port.
    first_program_cycle: Option<u64>,
}

/// Size of a fabric.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FabricSize")]
struct TraceFabric {
    /// Rows of cells.
    rows: usize,
    /// Columns of cells and tiles.
    columns: usize,
    /// Rows of tiles.
    tile_rows: usize,
    /// Words of a register file.
    rf_words: usize,
    /// Blocks of a tile's memory.
    sram_blocks: usize,
}

/// The JSON schema of a line, `trace.schema.json`.
pub fn schema() -> String {
    #[derive(JsonSchema)]
    #[schemars(untagged, deny_unknown_fields, title = "Line of a DRRA trace")]
    #[expect(dead_code, reason = "only for the schema; lines are written faster without it")]
    enum Line {
        /// The first line.
        Header(TraceHeader<'static>),
        /// A register or memory block that changes.
        Change {
            /// First cycle with the new value.
            cycle: u64,
            /// The path of the element, for example `cell[0][0].rf.mem[32]`.
            path: String,
            /// The new value.
            #[schemars(regex(pattern = "^0x[0-9a-f]+$"))]
            value: String,
        },
        /// The last line of a trace of version 2.
        End {
            /// The last cycle of the trace; by default, the cycle after the last edge.
            last_cycle: u64,
        },
    }
    serde_json::to_string_pretty(&schemars::schema_for!(Line)).expect("plain data") + "\n"
}

/// Writes the header line.
///
/// # Errors
/// If writing fails.
pub fn write_header(
    out: &mut dyn Write,
    case: &Case,
    side: TracedSide,
    filter: &TraceFilter,
) -> io::Result<()> {
    let geometry = &case.geometry;
    let header = TraceHeader {
        format: FORMAT,
        version: if filter.end { VERSION_WITH_END } else { VERSION_WITHOUT_END },
        program: &case.name,
        model: side.model(),
        fabric: TraceFabric {
            rows: Geometry::ROWS,
            columns: geometry.columns,
            tile_rows: geometry.tile_rows,
            rf_words: geometry.rf_words,
            sram_blocks: geometry.sram_blocks,
        },
        first_program_cycle: case.stimulus.first_program_cycle(),
    };
    writeln!(out, "{}", serde_json::to_string(&header)?)
}

/// The side that is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedSide {
    /// The golden model.
    Golden,
    /// The design under test.
    Dut,
}

impl TracedSide {
    /// The name of the side in files: `golden` or `rtl`.
    pub fn model(self) -> &'static str {
        match self {
            Self::Golden => "golden",
            Self::Dut => "rtl",
        }
    }
}

/// One side of a run.
#[derive(Clone, Debug)]
pub struct SideTrace {
    /// The state of the side in each recorded cycle, from cycle 0 on, before the edge that ends the cycle; empty if no
    /// cycle is recorded.
    pub history: StateHistory,
    /// The state of the side in reset.
    reset: Vec<Vec<u64>>,
    /// The assertion that ended the run of the design, if there is one.
    pub violated: Option<AssertionFailure>,
}

/// Records one side of a run, until the last cycle of the filter or until this side ends the run. The state after the
/// last edge is recorded if the filter includes the end.
pub fn record(
    run: &mut LockstepRun<'_>,
    side: TracedSide,
    end: EndRule,
    filter: &TraceFilter,
) -> SideTrace {
    let golden = run.golden();
    let layout = golden.layout();
    let reset = layout.units().map(|unit| golden.image(unit).to_vec()).collect();
    let traced = SideTrace { history: StateHistory::new(layout, 0), reset, violated: None };
    let mut recorder = TraceRecorder { side, filter, end, traced };
    run.run(EndRule::at(u64::MAX), &mut recorder);
    recorder.traced
}

struct TraceRecorder<'a> {
    side: TracedSide,
    filter: &'a TraceFilter,
    end: EndRule,
    traced: SideTrace,
}

impl Observer for TraceRecorder<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let (source, quiet): (&dyn StateSource, bool) = match (self.side, view.dut) {
            (TracedSide::Golden, _) => (view.golden, view.golden.quiet()),
            (TracedSide::Dut, Some(dut)) => {
                let outputs = dut.ports().map(|ports| ports.outputs()).unwrap_or_default();
                (dut, outputs.all_idle && !outputs.agu_busy)
            }
            (TracedSide::Dut, None) => return ControlFlow::Break(()),
        };
        let ends = self.end.ends(view.cycle, || quiet);
        if self.filter.to.is_some_and(|t| view.cycle > t) || ends && !self.filter.end {
            return ControlFlow::Break(());
        }
        self.traced.history.add(source);
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stopped(&mut self, _cycle: u64, why: &StepError) -> ControlFlow<()> {
        if let StepError::Violated(failure) = why {
            self.traced.violated = Some(failure.clone());
        }
        ControlFlow::Break(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}

impl SideTrace {
    /// Writes the changes of each cycle, and the end marker if the filter includes it and no assertion ended the run.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, filter: &TraceFilter, out: &mut dyn Write) -> io::Result<()> {
        let layout = self.history.layout();
        let (mut replay, mut images) = (self.history.replay(), self.reset.clone());
        for cycle in self.history.cycles() {
            replay.go_to(cycle);
            let rows: Vec<_> = self.history.changing_rows(cycle..cycle + 1).collect();
            for (unit, image) in layout.units().zip(&mut images) {
                let current = replay.image(unit);
                let registers = between(layout, unit, image, current);
                let changes = registers.map(|(_, change)| (change.location, change.dut));
                let of_unit = rows.iter().filter(|(tile, _)| Unit::Tile(*tile) == unit);
                let of_memory = of_unit.map(|&(tile, row)| {
                    let block = replay.sram_block(tile, row).to_vec();
                    (sram_row(tile, row), Value::new(block, 256))
                });
                for (location, value) in changes.chain(of_memory) {
                    let path = location.to_string();
                    if filter.wants_cycle(cycle) && filter.wants(&path) {
                        // Paths and values need no escapes.
                        writeln!(
                            out,
                            "{{\"cycle\": {cycle}, \"path\": \"{path}\", \"value\": \"{value}\"}}"
                        )?;
                    }
                }
                image.copy_from_slice(current);
            }
        }
        if let (None, Some(last), true) = (&self.violated, self.history.last(), filter.end) {
            writeln!(out, "{{\"last_cycle\": {last}}}")?;
        }
        Ok(())
    }
}
