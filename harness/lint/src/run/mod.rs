// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings of a run on the golden model: data that do not arrive, are not taken, or are not there. Registers are read
//! during a cycle; writes happen at the edge that ends it.

mod array;
mod contents;
mod lost;
mod numbers;
mod operands;

use std::collections::BTreeSet;

use drra_case::{Case, load::LoadedCase};
use drra_diagnose::{
    ActiveOutputs,
    attribution::{Attribution, Cause, rf_init},
    low,
};
use drra_fabric::{CellInput, Lane, Location, Register};
use drra_golden::{Fabric, Signals};
use drra_isa::{CellId, Geometry, SourceLine, Unit};
use drra_lockstep::{EndRule, GoldenResult, LockstepRun, Observer};

use self::{array::Array, contents::Contents, lost::Lost, operands::Sum};
use crate::{Finding, Findings, Kind};

/// Runs a program on the golden model and adds its findings.
pub(crate) fn check(
    LoadedCase { case, lines, given, .. }: &LoadedCase,
    cycles: Option<u64>,
    findings: &mut Findings,
) -> GoldenResult {
    let geometry = case.geometry;
    let mut watch = RunWatch {
        case,
        lines,
        geometry,
        before: None,
        findings: std::mem::take(findings),
        active: ActiveOutputs::new(&geometry),
        attribution: Attribution::new(case, 1),
        sums: vec![Sum::default(); geometry.cells()],
        contents: Contents::new(&geometry, given.as_ref()),
        array: Array::new(&geometry),
        lost: Lost::new(&geometry),
    };
    let mut run = LockstepRun::alone(case);
    run.run(EndRule::new(case, cycles), &mut watch);
    // In a run that is cut off, messages can be under way, and patterns go on.
    if run.golden().quiet() {
        watch.never_arrived(run.cycle());
        watch.patterns_end();
    }
    *findings = watch.findings;
    run.result()
}

/// The state of the checks.
struct RunWatch<'a> {
    case: &'a Case,
    lines: &'a [SourceLine],
    geometry: Geometry,
    /// The fabric before the edge; none until the first program runs.
    before: Option<Fabric>,
    findings: Findings,
    active: ActiveOutputs,
    attribution: Attribution,
    /// Per cell.
    sums: Vec<Sum>,
    contents: Contents<'a>,
    array: Array,
    lost: Lost,
}

/// A cycle before its edge.
struct Now<'f> {
    cycle: u64,
    fabric: &'f Fabric,
    signals: &'f Signals,
    /// Per cell: the connected operands of its operation.
    operations: Vec<Option<[bool; 6]>>,
}

/// The source of an input in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    Unconnected,
    /// A word that was read or computed for this cycle.
    Word,
    /// The sum so far in an accumulator.
    Held,
    Nothing,
}

impl Observer for RunWatch<'_> {
    fn pre_edge(&mut self, fabric: &Fabric, _cycle: u64) {
        let runs = |cell| fabric.sequencer(cell).running();
        if self.before.is_some() || CellId::all(&self.geometry).any(runs) {
            self.before = Some(fabric.clone());
        }
    }

    fn post_edge(&mut self, fabric: &Fabric, cycle: u64) {
        let init = rf_init(self.case, cycle);
        // Until the first program runs, data are loaded and nothing else happens.
        let Some(before) = self.before.take() else {
            self.contents.initialise(init, fabric);
            return;
        };
        self.cycle(&before, fabric, cycle, init);
        self.rows(fabric, cycle);
        self.lost(fabric, cycle);
        self.program_ends(fabric, cycle);
        self.attribution.after(fabric, cycle);
        self.before = Some(before);
    }

    fn reads_images(&self) -> bool {
        true
    }
}

impl RunWatch<'_> {
    /// A cycle, with the fabric before and after the edge that ends it.
    fn cycle(
        &mut self,
        fabric: &Fabric,
        after: &Fabric,
        cycle: u64,
        init: Option<(CellId, usize)>,
    ) {
        let signals = &fabric.signals_of(after);
        self.attribution.before(fabric, signals, cycle, init);
        let operation = |cell| self.active.operation(signals, cell, fabric.dpu(cell).mode());
        let operations = CellId::all(&self.geometry).map(operation).collect();
        let now = Now { cycle, fabric, signals, operations };

        self.launches(&now);
        let mut taken = BTreeSet::new();
        for cell in CellId::all(&self.geometry) {
            self.operands(&now, cell, &mut taken);
            self.stores(&now, cell, &mut taken);
        }
        for cell in CellId::all(&self.geometry) {
            self.incomplete(&now, cell, &taken);
            self.reads(&now, cell, &taken);
            self.writes(&now, cell);
        }
        self.contents.initialise(init, after);
        for (from, lane) in taken {
            self.results(&now, from, lane);
        }
        self.array(&now);
        for (cell, operation) in CellId::all(&self.geometry).zip(&now.operations) {
            let operation = operation.map(|_| fabric.dpu(cell).mode());
            self.active.step_dpu(cell, operation);
            self.sums[cell.index(&self.geometry)].step(&now, cell, operation);
        }
    }

    fn add(
        &mut self,
        kind: Kind,
        place: (impl Into<Unit>, &str, Register),
        cycle: u64,
        by: &Cause,
        text: String,
    ) {
        self.findings.add(finding(kind, place, cycle, by, text));
    }

    /// What arrives at an input of a cell.
    fn arrival(&self, now: &Now<'_>, cell: CellId, input: usize) -> Arrival {
        let Some((from, lane)) = now.signals.cell(cell).sources[input] else {
            return Arrival::Unconnected;
        };
        let sum = &self.sums[from.index(&self.geometry)];
        let channel = match lane {
            Lane::Rf0 | Lane::Rf1 => None,
            Lane::Dpu0 => Some(0),
            Lane::Dpu1 => Some(1),
        };
        let empty = now.accumulates(from) && sum.operands == 0;
        let shows = |channel: usize| now.shows_result(from, channel) && !empty;
        match self.active.lane(now.signals, from, lane) {
            _ if channel.is_some_and(|channel| !shows(channel)) => Arrival::Nothing,
            false if channel.is_some() && now.accumulates(from) => Arrival::Held,
            true => Arrival::Word,
            false => Arrival::Nothing,
        }
    }

    /// The place where a word at an input comes from, in words.
    fn source(&self, now: &Now<'_>, cell: CellId, input: usize) -> String {
        let Some((from, lane)) = now.signals.cell(cell).sources[input] else {
            return "nothing".to_owned();
        };
        match lane {
            Lane::Rf0 => format!("r0 of {from}"),
            Lane::Rf1 => format!("r1 of {from}"),
            Lane::Dpu0 | Lane::Dpu1 => {
                format!("the DPU of {from} ({})", now.fabric.dpu(from).mode().name())
            }
        }
    }
}

impl Now<'_> {
    /// True if the mode of a cell's DPU adds to its accumulators.
    fn accumulates(&self, cell: CellId) -> bool {
        self.fabric.dpu(cell).mode().info().accumulates()
    }

    /// True if an output of a DPU shows a result of operands, at least one of which is connected.
    fn shows_result(&self, cell: CellId, output: usize) -> bool {
        let operands = self.fabric.dpu(cell).mode().info().operands_of_output(output);
        let sources = &self.signals.cell(cell).sources[CellInput::Dpu0.index()..];
        operands.inputs().any(|number| sources[number].is_some())
    }

    /// A register, in this cycle.
    fn register(&self, unit: impl Into<Unit>, register: Register) -> u64 {
        low(self.fabric, unit, register)
    }

    /// True if the next DPU of a cell is launched in this cycle.
    fn launches(&self, cell: CellId) -> bool {
        let sequencer = self.fabric.sequencer(cell);
        let waits = self.fabric.dpu(cell).shadow().is_some();
        sequencer.immediate() && (sequencer.dpu().dpu_start || waits)
    }

    /// True if the operands of a cell have been counted, so that its accumulators are cleared (chapter 4, 5.5).
    fn counted(&self, cell: CellId) -> bool {
        let groups = self.register(cell, Register::DpuConstReg);
        let dpu = self.fabric.dpu(cell);
        dpu.mode().info().counts && groups != 0 && u64::from(dpu.acc_cnt()) == groups
    }
}

/// A finding at a port of a unit, in a cycle, caused by an instruction.
fn finding(
    kind: Kind,
    (unit, port, register): (impl Into<Unit>, &str, Register),
    cycle: u64,
    by: &Cause,
    text: String,
) -> Finding {
    let instruction = by.as_ref().map(|by| (by.cell, usize::from(by.address)));
    let (unit, port) = (unit.into(), port.to_owned());
    let register = Some(Location { unit, register }.to_string());
    Finding { port, register, cycle: Some(cycle), instruction, ..Finding::new(kind, unit, text) }
}

/// Name of an input of a cell: `w0`, `w1` or `in0` to `in3`.
fn input_name(input: usize) -> String {
    match input.checked_sub(CellInput::Dpu0.index()) {
        Some(number) => format!("in{number}"),
        None => format!("w{input}"),
    }
}
