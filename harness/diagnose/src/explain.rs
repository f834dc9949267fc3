// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who is responsible for a mismatch: the block in which the difference arose, and the instruction
//! that had set it up.
//!
//! Nothing of this is recorded while a case runs; the case is run again up to the mismatch, which
//! gives the same result. All registers agree in the cycle before the mismatch. So whatever signal
//! between the blocks differs in that cycle comes out of the block that is wrong; if none does, the
//! block of the register itself is.

use std::ops::ControlFlow;

use drra_case::Case;
use drra_golden::Fabric;
use drra_golden::Owner;
use drra_golden::Signals;
use drra_golden::Unit;
use drra_isa::Geometry;
use drra_lockstep::AssertionFailure;
use drra_lockstep::Difference;
use drra_lockstep::DutError;
use drra_lockstep::EndRule;
use drra_lockstep::Mismatch;
use drra_lockstep::MismatchKind;
use drra_lockstep::Now;
use drra_lockstep::Observer;
use drra_lockstep::Pair;
use drra_lockstep::Setup;
use drra_lockstep::Signal;
use drra_lockstep::SignalDifference;

use crate::attribution::Attribution;
use crate::attribution::Decoded;
use crate::attribution::Tag;
use crate::attribution::index;
use crate::follow::Follower;
use crate::rule;
use crate::rule::Rule;

/// What is known about a mismatch.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction that had set up the block in which the difference arose, if one was decoded.
    pub owner: Option<Decoded>,
    /// The rule that decides who is right; it names the block.
    pub rule: &'static Rule,
    /// Signal that differs in the cycle before; `None` if the difference arose in the register.
    pub arose: Option<SignalDifference>,
    /// The difference arose when a configuration reached its generator: which of the registers that
    /// take it over differs first says nothing.
    pub launch: bool,
}

/// Runs the case again up to the mismatch.
///
/// # Errors
/// If the design does not fit its maps.
pub fn explain(
    case: &Case,
    setup: &Setup<'_>,
    mismatch: &Mismatch,
) -> Result<Explanation, DutError> {
    let mut explainer = Explainer::new(case, setup.geometry, mismatch, 0);
    let mut pair = Pair::replay(case, setup.geometry, setup.design)?;
    pair.run(EndRule::at(mismatch.cycle), &mut explainer);
    explainer.finish().map(|(explanation, _)| explanation)
}

/// Explains a mismatch while its case runs again, to the mismatch or on.
pub struct Explainer<'a> {
    mismatch: &'a Mismatch,
    geometry: &'a Geometry,
    follower: Follower<'a>,
    differing: Result<Vec<SignalDifference>, DutError>,
    explained: (Explanation, Attribution),
}

impl<'a> Explainer<'a> {
    /// For a run from cycle 0. Decodes and writes of the last `kept` cycles can be asked for.
    pub fn new(case: &'a Case, geometry: &'a Geometry, mismatch: &'a Mismatch, kept: u64) -> Self {
        // In cycle 0 nothing has been decoded yet.
        let explained = (unexplained(mismatch), Attribution::new(case, geometry, 0));
        let follower = Follower::new(case, geometry, kept);
        Self { mismatch, geometry, follower, differing: Ok(Vec::new()), explained }
    }

    /// What was followed up to the last edge.
    pub fn follower(&self) -> &Follower<'a> {
        &self.follower
    }

    /// The explanation, and what was followed up to the mismatch.
    ///
    /// # Errors
    /// If the design does not fit its signal map.
    pub fn finish(self) -> Result<(Explanation, Attribution), DutError> {
        self.differing.map(|_| self.explained)
    }

    /// The edge that ends `cycle` leads to the mismatch.
    fn leads(&self, cycle: u64) -> bool {
        cycle + 1 == self.mismatch.cycle
    }
}

impl Observer for Explainer<'_> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if let Some(dut) = now.dut.filter(|_| self.leads(now.cycle)) {
            self.differing = dut.differing_signals(&now.golden.signals());
        }
        if self.differing.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn before(&mut self, golden: &Fabric, cycle: u64) {
        self.follower.before(golden, cycle);
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        self.follower.after(golden, cycle);
        if self.leads(cycle)
            && let (Ok(differing), Some(signals)) = (&self.differing, self.follower.signals())
        {
            let followed = self.follower.attribution();
            let found = attribute(self.mismatch, self.geometry, followed, signals, differing);
            self.explained = (found, followed.clone());
        }
    }

    fn violated(&mut self, cycle: u64, failure: &AssertionFailure) -> ControlFlow<()> {
        self.follower.violated(cycle, failure)
    }
}

/// What is known before anything is decoded.
fn unexplained(mismatch: &Mismatch) -> Explanation {
    Explanation { owner: None, rule: rule_of(mismatch), arose: None, launch: false }
}

/// The rule of what differs.
fn rule_of(mismatch: &Mismatch) -> &'static Rule {
    match &mismatch.kind {
        MismatchKind::State(differences) => differences
            .first()
            .map_or_else(|| rule::of_port(""), |d| rule::of_register(d.unit.owner, &d.register)),
        MismatchKind::Output { port, .. } => rule::of_port(port),
        MismatchKind::Assertion(failure) => rule::of_file(&failure.place),
    }
}

/// Block and instruction, from what was followed up to the edge behind which both sides differ.
/// `differing` are the signals that differ in the cycle before.
fn attribute(
    mismatch: &Mismatch,
    geometry: &Geometry,
    attribution: &Attribution,
    signals: &Signals,
    differing: &[SignalDifference],
) -> Explanation {
    let first = match &mismatch.kind {
        MismatchKind::State(differences) => differences.first(),
        _ => None,
    };
    let arose = first.and_then(|d| arose(d, geometry, signals, differing)).cloned();
    let violated = || match &mismatch.kind {
        MismatchKind::Assertion(failure) => {
            let unit = failure.instances.iter().find_map(|i| i.unit)?;
            attribution.owner(unit, "")
        }
        _ => None,
    };
    let owner = arose
        .as_ref()
        .and_then(|s| signal_owner(s.signal, geometry, attribution, signals))
        .or_else(|| first.and_then(|d| attribution.owner(d.unit, &d.register)))
        .or_else(violated);
    let (rule, launch) = match (&arose, first, &owner) {
        (Some(arose), _, _) => (rule::of_signal(arose.signal), false),
        (None, Some(d), Some(o)) => {
            let launch = launches(mismatch, d, o, attribution);
            (rule::of_register_under(d, &o.mnemonic(), o.dpu_mode(), launch), launch)
        }
        _ => (rule_of(mismatch), false),
    };
    Explanation { owner: owner.map(|d| Decoded::clone(&d)), rule, arose, launch }
}

/// True if the instruction reached the differing generator with the last edge.
fn launches(
    mismatch: &Mismatch,
    first: &Difference,
    owner: &Decoded,
    attribution: &Attribution,
) -> bool {
    match first.unit.owner {
        Owner::Cell if first.register.starts_with("rf.agu") => {
            // A launch moves several registers of an AGU at once.
            let agu = first.register.split(']').next().unwrap_or_default();
            let now = owner.released.get() == mismatch.cycle.checked_sub(1);
            now && registers_of(mismatch, first.unit, agu) > 1
        }
        Owner::Tile => {
            let configuration = ["rd.cfg", "rd.cfg_valid", "wr.cfg", "wr.cfg_valid"];
            configuration.contains(&first.register.as_str()) && attribution.offers(first.unit.index)
        }
        _ => false,
    }
}

/// How many registers of a unit differ whose paths begin alike.
fn registers_of(mismatch: &Mismatch, unit: Unit, prefix: &str) -> usize {
    match &mismatch.kind {
        MismatchKind::State(differences) => {
            differences.iter().filter(|d| d.unit == unit && d.register.starts_with(prefix)).count()
        }
        _ => 0,
    }
}

/// The signal through which a difference came into a register: the one nearest to its origin.
fn arose<'a>(
    d: &Difference,
    geometry: &Geometry,
    signals: &Signals,
    differing: &'a [SignalDifference],
) -> Option<&'a SignalDifference> {
    let cols = geometry.columns;
    let found = |signal: Signal| differing.iter().find(|d| d.signal == signal);
    // What the inputs of a cell listen to, else the selection itself.
    let input = |cell: usize, v: usize| {
        let input = found(Signal::Input { cell, v })?;
        let source = signals.cells[cell].sources[v];
        source.and_then(|(cell, lane)| found(Signal::Lane { cell, lane })).or(Some(input))
    };
    let rows = |col: usize| [col, cols + col];
    let cell_message =
        |col: usize| rows(col).into_iter().find_map(|cell| found(Signal::CellMessage { cell }));
    let block_read =
        |col: usize| rows(col).into_iter().find_map(|cell| found(Signal::BlockRead { cell }));
    let Unit { owner, index: unit } = d.unit;
    match owner {
        Owner::Cell if d.register.starts_with("rf.mem") => {
            let word = index(&d.register)?;
            let emitted = signals.cells[unit].emitted.map(|e| e.map(usize::from));
            // The port that writes the word, else any that writes.
            let blocks = emitted[2].is_some_and(|b| b == word / 16);
            let ports = (0..2).filter(|&k| emitted[k] == Some(word));
            let others = (0..2).filter(|&k| emitted[k].is_some() && emitted[k] != Some(word));
            let block = || found(Signal::BlockWrite { cell: unit });
            blocks
                .then(block)
                .flatten()
                .or_else(|| ports.chain(others).find_map(|v| input(unit, v)))
                .or_else(block)
        }
        Owner::Cell if is_dpu_data(&d.register) => (2..6).find_map(|v| input(unit, v)),
        Owner::Cell => None,
        Owner::Column => match d.register.as_str() {
            "io_msg" => cell_message(unit),
            "io_wdata" => block_read(unit),
            _ => None,
        },
        Owner::Tile => {
            let sides = d.register.starts_with("side") || d.register.starts_with("seg");
            if !sides && !d.register.starts_with('x') {
                return None;
            }
            let home = (unit < cols).then_some(unit);
            if d.register.starts_with("xout") {
                let up = found(Signal::Up { col: home? })?;
                return block_read(home?).or(Some(up));
            }
            home.and_then(|col| {
                let message = found(Signal::ColumnMessage { col })?;
                cell_message(col).or(Some(message))
            })
            .or_else(|| {
                let mut at = (0..4).map(|side| Signal::TileMessage { tile: unit, side });
                at.find_map(found)
            })
        }
        Owner::Fabric => None,
    }
}

/// Registers of a DPU that take what comes in at its inputs.
pub fn is_dpu_data(register: &str) -> bool {
    ["dpu.acc[", "dpu.status", "dpu.ir", "dpu.sm_reg", "dpu.div_p", "dpu.pack_reg"]
        .iter()
        .any(|p| register.starts_with(p))
}

/// The instruction that had set up what drives a signal.
fn signal_owner(
    signal: Signal,
    geometry: &Geometry,
    attribution: &Attribution,
    signals: &Signals,
) -> Tag {
    match signal {
        Signal::Lane { cell, lane: lane @ (0 | 1) } => attribution.agu(cell, 3 + lane).clone(),
        Signal::Lane { cell, .. } => attribution.dpu(cell),
        Signal::Input { cell, v } => attribution.input(cell, v).clone(),
        Signal::BlockRead { cell } => attribution.agu(cell, 5).clone(),
        Signal::CellMessage { cell } => attribution.message(cell),
        Signal::ColumnMessage { col } => {
            [col, geometry.columns + col].into_iter().find_map(|cell| attribution.message(cell))
        }
        Signal::Up { col } => [col, geometry.columns + col]
            .into_iter()
            .find(|&cell| signals.cells[cell].blk_rdata.is_some())
            .and_then(|cell| attribution.agu(cell, 5).clone()),
        Signal::BlockWrite { .. } | Signal::TileMessage { .. } => None,
    }
}
