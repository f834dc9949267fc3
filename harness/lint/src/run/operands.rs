// SPDX-License-Identifier: MIT OR Apache-2.0
//! Operands that do not arrive together, and stores of results that are not due.

use std::collections::BTreeSet;

use drra_diagnose::attribution::Cause;
use drra_fabric::{AguId, CellInput, Lane, Register};
use drra_isa::{
    CellId, Opcode,
    instructions::{DpuMode, swb},
};

use super::{Arrival, Now, RunWatch, finding, input_name};
use crate::{Finding, Kind};

/// The accumulators of a DPU.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    /// Operands that they hold.
    pub(super) operands: u64,
    /// An operand that was dropped, unless the DPU is set up anew in the next two cycles: the cycle, the mode and the
    /// instruction.
    dropped: Option<(u64, DpuMode, Cause)>,
    /// Operations with an operand that does not arrive, with the cycles and outputs in which their results are due.
    incomplete: Vec<(u64, Lane, Finding)>,
}

impl Sum {
    /// The edge of a cycle in which the DPU works on `operation`.
    pub(super) fn step(&mut self, now: &Now<'_>, cell: CellId, operation: Option<DpuMode>) {
        let launches = now.launches(cell) && now.fabric.dpu(cell).mode() != DpuMode::LdAcc;
        if launches || now.counted(cell) {
            self.operands = 0;
        } else if operation.is_some_and(|mode| mode.info().accumulates()) {
            self.operands += 1;
        }
    }
}

impl RunWatch<'_> {
    /// The operands of a DPU. Lanes from which it takes a word are added to `taken`.
    pub(super) fn operands(
        &mut self,
        now: &Now<'_>,
        cell: CellId,
        taken: &mut BTreeSet<(CellId, Lane)>,
    ) {
        let (index, mode) = (cell.index(&self.geometry), now.fabric.dpu(cell).mode());
        self.dropped(now, cell);
        let Some(used) = now.operations[index] else { return };
        let sources = now.signals.cell(cell).sources;
        taken.extend((0..6).filter(|input| used[*input]).filter_map(|input| sources[input]));
        self.domains(now, cell);
        let (info, by) = (mode.info(), self.attribution.dpu(cell));
        let complete = [0, 1].map(|channel| self.absent(now, cell, channel));
        for (input, used) in used.iter().enumerate().skip(CellInput::Dpu0.index()) {
            if !used && self.arrival(now, cell, input) == Arrival::Word {
                let name = input_name(input);
                let text = format!("a word arrives at {name}, and {} does not use it", mode.name());
                let place = (cell, name.as_str(), Register::DpuModeReg);
                self.add(Kind::OperandUnused, place, now.cycle, &by, text);
            }
        }
        if now.counted(cell) && self.sums[index].operands > 0 {
            self.sums[index].dropped = Some((now.cycle, mode, by));
        } else if now.launches(cell) && complete.contains(&true) && info.outputs.contains(&true) {
            let text = format!("an operand of {} arrives when the next DPU starts", mode.name());
            let place = (cell, "DPU", Register::DpuModeReg);
            self.add(Kind::OperandDropped, place, now.cycle, &by, text);
        }
    }

    /// An operand that was dropped at the end of a group counts if the DPU is not set up anew in the next two cycles.
    fn dropped(&mut self, now: &Now<'_>, cell: CellId) {
        let sum = &mut self.sums[cell.index(&self.geometry)];
        let Some((cycle, mode, by)) = sum.dropped.take() else { return };
        if mode != now.fabric.dpu(cell).mode() {
            return;
        }
        if now.cycle < cycle + 2 {
            sum.dropped = Some((cycle, mode, by));
            return;
        }
        let text = format!("an operand of {} arrives when its group ends", mode.name());
        self.add(Kind::OperandDropped, (cell, "DPU", Register::DpuAccCnt), cycle, &by, text);
    }

    /// Operands of a channel that do not arrive, although another one does. Returns true if all of them arrive.
    fn absent(&mut self, now: &Now<'_>, cell: CellId, channel: usize) -> bool {
        let (mode, sources) = (now.fabric.dpu(cell).mode(), now.signals.cell(cell).sources);
        let (info, name) = (mode.info(), mode.name());
        let inputs = info.operands[channel].inputs().map(|number| CellInput::Dpu0.index() + number);
        let arrivals: Vec<_> = inputs.map(|i| (i, self.arrival(now, cell, i))).collect();
        if arrivals.iter().all(|(_, arrival)| *arrival != Arrival::Word) {
            return false;
        }
        let output = match info.outputs {
            [true, true] if channel == 1 => Lane::Dpu1,
            [false, true] => Lane::Dpu1,
            _ => Lane::Dpu0,
        };
        // A sum always changes; another result counts only if it is taken.
        let latency = info.latency.filter(|_| !info.accumulates()).unwrap_or(0);
        for (input, arrival) in &arrivals {
            let port = input_name(*input);
            let (kind, text) = match arrival {
                Arrival::Word | Arrival::Held => continue,
                Arrival::Unconnected if self.disconnected(cell, *input) => continue,
                Arrival::Unconnected => (
                    Kind::OperandUnconnected,
                    format!("{name} uses {port}, which is not connected and reads 0"),
                ),
                Arrival::Nothing => {
                    let from = self.source(now, cell, *input);
                    let text = format!("{name} gets 0 at {port}: nothing comes from {from}");
                    (Kind::OperandMissing, text)
                }
            };
            // The pattern that does not deliver the word, if there was one.
            let read = match sources[*input] {
                Some((from, Lane::Rf0)) => self.attribution.agu(from, AguId::R0).clone(),
                Some((from, Lane::Rf1)) => self.attribution.agu(from, AguId::R1).clone(),
                _ => None,
            };
            let by = read.or_else(|| self.attribution.dpu(cell));
            let place = (cell, port.as_str(), Register::DpuAcc(channel));
            let finding = finding(kind, place, now.cycle, &by, text);
            let due = now.cycle + u64::from(latency);
            self.sums[cell.index(&self.geometry)].incomplete.push((due, output, finding));
        }
        arrivals.iter().all(|(_, arrival)| *arrival == Arrival::Word)
    }

    /// True if an SWB gave an input no source inside the fabric: on purpose (`hb_index` 7), or the text shows it.
    fn disconnected(&self, cell: CellId, input: usize) -> bool {
        self.attribution.input(cell, CellInput::ALL[input]).is_some()
    }

    /// Adds the findings about incomplete operations whose results are due and are taken, by an input or by BRANCH.
    pub(super) fn incomplete(
        &mut self,
        now: &Now<'_>,
        cell: CellId,
        taken: &BTreeSet<(CellId, Lane)>,
    ) {
        let sequencer = now.fabric.sequencer(cell);
        let word = sequencer.imem(sequencer.pc().into());
        let branches = sequencer.running() && Opcode::of(word, false) == Some(Opcode::Branch);
        let used = branches || now.accumulates(cell);
        let sum = &mut self.sums[cell.index(&self.geometry)];
        let (later, due): (Vec<_>, Vec<_>) =
            std::mem::take(&mut sum.incomplete).into_iter().partition(|(due, ..)| *due > now.cycle);
        sum.incomplete = later;
        for (_, output, finding) in due {
            if used || taken.contains(&(cell, output)) {
                self.findings.add(finding);
            }
        }
    }

    /// The words stored by the write ports of a cell. Lanes that they take are added to `taken`.
    pub(super) fn stores(
        &mut self,
        now: &Now<'_>,
        cell: CellId,
        taken: &mut BTreeSet<(CellId, Lane)>,
    ) {
        for (agu, input) in [(AguId::W0, CellInput::Write0), (AguId::W1, CellInput::Write1)] {
            let own = now.signals.cell(cell);
            let Some(word) = own.emitted(agu) else { continue };
            let by = self.attribution.agu(cell, agu).clone();
            let register = Register::RfMem(word.into());
            let (name, from) = (agu.to_string(), self.source(now, cell, input.index()));
            let Some((other, lane)) = own.source(input) else {
                // The text shows a source outside the fabric.
                let swb = self.attribution.input(cell, input).as_ref();
                if swb.is_some_and(|swb| swb::HB_INDEX.get(&swb.words) != 7) {
                    continue;
                }
                let text = format!("word {word} is stored, but {name} is not connected and gets 0");
                self.add(Kind::StoreUnconnected, (cell, &name, register), now.cycle, &by, text);
                continue;
            };
            taken.insert((other, lane));
            let computed = matches!(lane, Lane::Dpu0 | Lane::Dpu1);
            match self.arrival(now, cell, input.index()) {
                Arrival::Held | Arrival::Word
                    if now.accumulates(other)
                        && computed
                        && now.operations[other.index(&self.geometry)].is_some()
                        && !now.counted(other)
                        && !now.launches(other) =>
                {
                    let text = format!(
                        "word {word} is stored from {from}, to which an operand is still added"
                    );
                    self.add(Kind::StorePartial, (cell, &name, register), now.cycle, &by, text);
                }
                Arrival::Unconnected | Arrival::Held | Arrival::Word => {}
                Arrival::Nothing => {
                    let text = format!("word {word} is stored, but nothing comes from {from}");
                    self.add(Kind::StoreNothing, (cell, &name, register), now.cycle, &by, text);
                }
            }
        }
    }
}
