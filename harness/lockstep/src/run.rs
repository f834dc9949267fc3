// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case in lock-step, all state that the design shows compared in every cycle.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::Fabric;
use drra_isa::TileId;

use crate::difference::Difference;
use crate::dut::AssertionFailure;
use crate::dut::Dut;
use crate::dut::DutError;
use crate::dut::StartError;
use crate::golden_run::GoldenRun;
use crate::pair::Now;
use crate::pair::Observer;
use crate::pair::Pair;
use crate::pair::Setup;
use crate::port::PortDifference;
use crate::port::differing_ports;

/// The memories of the tiles are compared row by row where a row is written, and as a whole after
/// so many cycles and at the end.
pub const SRAM_PERIOD: u64 = 64;

/// Result of a run in lock-step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Cycles in which both sides were compared, cycle 0 included.
    pub cycles: u64,
    /// Instructions decoded by the golden model.
    pub instructions: u64,
    /// Bits of state compared in each cycle.
    pub state_bits: u64,
    /// True if a sequencer was still running when the run ended.
    pub unfinished: bool,
    /// The first disagreement, if there is one.
    pub mismatch: Option<Mismatch>,
}

/// The first disagreement of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// First cycle whose state differs; for an assertion the cycle in which it was violated.
    pub cycle: u64,
    /// What it is.
    pub kind: MismatchKind,
}

/// Kinds of disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// Registers differ; in table order, at least one.
    State(Vec<Difference>),
    /// Output ports differ while all registers agree; at least one.
    Port(Vec<PortDifference>),
    /// The design violates one of its own assertions.
    Assertion(AssertionFailure),
}

/// Runs a case in lock-step.
///
/// # Errors
/// If the design does not fit its map (a defect of the build). A disagreement is no error.
pub fn run(case: &Case, setup: &Setup<'_>) -> Result<Outcome, DutError> {
    run_observed(case, setup, &mut ())
}

/// As [`run`], with an observer; it sees the cycles in which both sides agree.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    case: &Case,
    setup: &Setup<'_>,
    observer: &mut impl Observer,
) -> Result<Outcome, DutError> {
    let first = pass(case, setup, u64::MAX, observer)?;
    // Memories are not compared as a whole in every cycle, so the difference found may be the
    // consequence of an older one in a memory. Run again, comparing them in every cycle since they
    // last agreed.
    match &first.mismatch {
        Some(m) => pass(case, setup, m.cycle.saturating_sub(SRAM_PERIOD), &mut ()),
        None => Ok(first),
    }
}

/// One pass; from cycle `sram_from` on the memories are compared as a whole in every cycle.
fn pass(
    case: &Case,
    setup: &Setup<'_>,
    sram_from: u64,
    observer: &mut impl Observer,
) -> Result<Outcome, DutError> {
    let mut pair = match Pair::new(case, setup.geometry, setup.design) {
        Ok(pair) => pair,
        Err(StartError::Dut(e)) => return Err(e),
        Err(StartError::Violated(failure)) => {
            let golden = GoldenRun::new(case, setup.geometry);
            let kind = MismatchKind::Assertion(failure);
            return Ok(Outcome {
                cycles: 0,
                instructions: 0,
                state_bits: golden.fabric.layout().state_bits(),
                unfinished: false,
                mismatch: Some(Mismatch { cycle: 0, kind }),
            });
        }
    };
    let state_bits = shown_bits(&mut pair);
    let mut both = (Comparison { sram_from, ..Comparison::default() }, observer);
    pair.run(setup.end(case), &mut both);
    Ok(Outcome {
        cycles: both.0.cycles,
        instructions: pair.golden().instructions(),
        state_bits,
        unfinished: !pair.golden().status().all_idle,
        mismatch: both.0.mismatch,
    })
}

/// Bits of state that the design shows.
fn shown_bits(pair: &mut Pair<'_>) -> u64 {
    let layout = pair.golden().layout().clone();
    let Some(dut) = pair.dut_mut() else { return 0 };
    let mut bits = layout.state_bits();
    for unit in layout.units() {
        let fields = layout.variables_of(unit.kind()).flat_map(|v| &v.fields);
        let hidden = fields.filter(|f| !dut.shows(unit, f.register));
        bits -= hidden.map(|f| u64::from(f.width)).sum::<u64>();
    }
    bits
}

/// Compares both sides in every cycle and ends the run where they differ.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// From this cycle on the memories are compared as a whole in every cycle.
    pub sram_from: u64,
    /// Cycles compared.
    pub cycles: u64,
    /// The first disagreement.
    pub mismatch: Option<Mismatch>,
}

impl Default for Comparison {
    /// Memories every [`SRAM_PERIOD`] cycles, nothing compared yet.
    fn default() -> Self {
        Self { sram_from: u64::MAX, cycles: 0, mismatch: None }
    }
}

impl Observer for Comparison {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let Some(dut) = now.dut else { return ControlFlow::Continue(()) };
        let cycle = now.cycle;
        self.cycles = cycle + 1;
        let whole = now.last || cycle.is_multiple_of(SRAM_PERIOD) || cycle >= self.sram_from;
        match compare(now.golden, dut, cycle, whole) {
            None => ControlFlow::Continue(()),
            Some(kind) => {
                self.mismatch = Some(Mismatch { cycle, kind });
                ControlFlow::Break(())
            }
        }
    }

    fn violated(&mut self, cycle: u64, failure: &AssertionFailure) -> ControlFlow<()> {
        let kind = MismatchKind::Assertion(failure.clone());
        self.mismatch = Some(Mismatch { cycle, kind });
        ControlFlow::Break(())
    }
}

/// Compares the current cycle of both sides.
#[inline]
fn compare(golden: &Fabric, dut: &dyn Dut, cycle: u64, whole: bool) -> Option<MismatchKind> {
    let memories = if whole {
        dut.srams_agree(golden)
    } else {
        TileId::all(golden.geometry()).all(|tile| {
            golden.written_row(tile).is_none_or(|row| dut.sram_row_agrees(golden, tile, row))
        })
    };
    if !memories || !dut.agrees(golden) {
        return Some(MismatchKind::State(dut.differences(golden)));
    }
    // The ports are read after the first edge.
    let ports = if cycle == 0 { Vec::new() } else { differing_ports(golden, dut) };
    (!ports.is_empty()).then_some(MismatchKind::Port(ports))
}
