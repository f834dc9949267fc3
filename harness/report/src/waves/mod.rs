// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waves of both sides in one FST file: all registers under `golden` and `rtl` (of the tile memories, only the rows
//! that change or differ) with the signals between blocks that the report names, and, under `diff`, a bit for every
//! register that differs at some time. One time unit is one cycle, and `cycle` is its number. Registers with named
//! values are accompanied by the name as ASCII (`seq.state_name`), and the state of a sequencer by the instruction that
//! the sequencer executes (`seq.instruction`).
//!
//! Names are the canonical paths with brackets turned into underscores, because viewers treat brackets differently:
//! `cell[0][3].rf.agu[w0].addr_reg` is `golden.cell_0_3.rf.agu_w0.addr_reg`.

mod scopes;
mod side;
mod viewer;
mod write;

pub use self::{scopes::WaveError, write::trace};

use std::{
    fs::File,
    io::{BufWriter, Seek, Write},
    path::Path,
};

use drra_case::Case;
use drra_diagnose::SIGNAL_CYCLES;
use drra_fabric::Location;
use drra_lockstep::{
    DutError, EndRule, LockstepRun, RunLog, RunSetup, SignalLocation, StartError, Value,
};

/// Default number of cycles before a mismatch.
pub const BEFORE: u64 = SIGNAL_CYCLES;
/// Default number of cycles after a mismatch.
pub const AFTER: u64 = 32;

/// Signals between blocks, and the values of a signal in a cycle: golden model, then design.
pub type WaveSignals<'a> =
    (&'a [SignalLocation], &'a dyn Fn(SignalLocation, u64) -> [Option<Value>; 2]);
pub(crate) const NO_SIGNALS: WaveSignals<'static> = (&[], &|_, _| [None, None]);

/// The cycles to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveWindow {
    /// A cycle, with these numbers of cycles before and after it.
    Around { cycle: u64, before: u64, after: u64 },
    /// The whole run.
    Full,
}

impl WaveWindow {
    /// The default cycles around a mismatch.
    pub fn around(cycle: u64) -> Self {
        Self::Around { cycle, before: BEFORE, after: AFTER }
    }
}

/// The cycles that were recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCycles {
    /// First cycle.
    pub from: u64,
    /// Last cycle.
    pub to: u64,
    /// First cycle in which a register differs.
    pub mismatch: Option<u64>,
    /// Registers that differ, in the order in which they begin to differ, each with its width.
    pub differing: Vec<(Location, u32)>,
    /// Registers that a viewer opens as well: the inputs of the rule in the report. Empty until the caller fills them
    /// in.
    pub inputs: Vec<(Location, u32)>,
    /// The signals between blocks in the file, all of which a viewer opens if they are not too many.
    pub signals: Vec<SignalLocation>,
}

/// Runs a case again and writes its waves to a file, completely or not at all.
///
/// # Errors
/// If the design does not fit its map or has no model of this size, or the file cannot be written.
pub fn record(
    case: &Case,
    setup: &RunSetup<'_>,
    window: WaveWindow,
    path: &Path,
) -> Result<RecordedCycles, WaveError> {
    let (from, end) = match window {
        WaveWindow::Around { cycle, before, after } => {
            (cycle.saturating_sub(before), EndRule::at(cycle.saturating_add(after)))
        }
        WaveWindow::Full => (0, setup.end(case)),
    };
    let log = RunLog::record(case, setup, from, end)?;
    drra_files::write_partial(path, |partial| {
        write(&log, case, from, NO_SIGNALS, BufWriter::new(File::create(partial)?))
    })
}

/// Writes the waves of a recorded run, starting with cycle `from`, with some signals between blocks.
///
/// # Errors
/// If they cannot be written.
pub fn write(
    log: &RunLog,
    case: &Case,
    from: u64,
    signals: WaveSignals<'_>,
    file: impl Write + Seek,
) -> Result<RecordedCycles, WaveError> {
    let mut differing: Vec<Location> = log.differing.keys().copied().collect();
    differing.sort_by_key(|location| log.differing[location].first());
    write::write(log, case, from, signals, file)?;
    Ok(RecordedCycles {
        from,
        to: log.last,
        mismatch: log.mismatch,
        differing: differing.iter().map(|l| (*l, l.register.width(log.geometry()))).collect(),
        inputs: Vec::new(),
        signals: signals.0.to_vec(),
    })
}

/// Records all signals of the design for a whole run, as its simulator writes them; the state of cycle t starts at t
/// ns. The waves end early if a violated assertion stops the design. Returns the last cycle.
///
/// # Errors
/// If the design cannot start or cannot write waves, if it violates an assertion in reset or because of the inputs of
/// cycle 0, or if the file cannot be written.
pub fn record_rtl(case: &Case, setup: &RunSetup<'_>, path: &Path) -> Result<u64, WaveError> {
    drra_files::write_partial(path, |partial| {
        let mut run = match LockstepRun::new(case, setup) {
            Ok(run) => run,
            Err(StartError::Violated(_)) => return Err(WaveError::Reset),
            Err(StartError::Dut(e)) => return Err(e.into()),
        };
        run.dut_mut().ok_or(DutError::NoWaves)?.open_waves(partial)?;
        run.run(setup.end(case), &mut ());
        Ok(run.cycle())
    })
}
