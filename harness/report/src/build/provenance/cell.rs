// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of a value inside and between cells: words, ports, inputs, lanes and operands.

use drra_diagnose::attribution::{Cause, IssuedInstruction, RfWriter};
use drra_fabric::{AguId, CellInput, Lane, Location, Register};
use drra_golden::units::permute;
use drra_isa::{CellId, Operand, OperandSet, instructions::DpuMode};
use drra_lockstep::SignalLocation;

use super::{BLOCK_WORDS, Tracer, word_value};
use crate::data::{LinkKind, ProvenanceEvent};

/// Register stages of the divider.
const DIVIDER_STAGES: u64 = 3;

impl Tracer<'_> {
    /// Traces a word of a register file in a cycle.
    pub(super) fn word(&mut self, depth: usize, cell: CellId, word: usize, cycle: u64) {
        let Some(now) = self.r.golden(cycle) else { return };
        let value = Some(word_value(now.low(cell, Register::RfMem(word)) as u16));
        let Some(write) = self.r.attribution.rf_write(cell, word, cycle).cloned() else {
            let step = ProvenanceEvent::WordKept { word, since: self.since() };
            self.add((depth, cycle), cell, step, value, &None);
            return self.later_write(depth + 1, cell, word, cycle);
        };
        let step = ProvenanceEvent::WordWritten { word, writer: write.writer };
        if !self.add((depth, write.cycle), cell, step, value, &write.by) {
            return;
        }
        match write.writer {
            RfWriter::Init => self.later_write(depth + 1, cell, word, cycle),
            RfWriter::W0 => self.input(depth + 1, cell, CellInput::Write0, write.cycle),
            RfWriter::W1 => self.input(depth + 1, cell, CellInput::Write1, write.cycle),
            RfWriter::Wb => self.block_in(depth + 1, cell, word % BLOCK_WORDS, write.cycle),
            RfWriter::Perm => {
                let from = write.by.as_ref().and_then(|d| {
                    // The old words are filled with their own numbers, so that the new words reveal their origin.
                    let numbers = std::array::from_fn(|i| i as u16 + 1);
                    let (mode, distance) = d.permutation()?;
                    let new = permute(&numbers, mode, distance)?;
                    usize::from(new[word % BLOCK_WORDS]).checked_sub(1)
                });
                if let Some(k) = from {
                    self.word(depth + 1, cell, word / BLOCK_WORDS * BLOCK_WORDS + k, write.cycle);
                }
            }
        }
    }

    /// Adds the first write to a word in a cycle or later, for the provenance of an end state.
    fn later_write(&mut self, depth: usize, cell: CellId, word: usize, cycle: u64) {
        if let Some(write) = self.r.attribution.next_rf_write(cell, word, cycle).cloned() {
            let step = ProvenanceEvent::WordWritten { word, writer: write.writer };
            self.note((depth, write.cycle), cell, step, &write.by);
        }
    }

    /// Traces an input of a cell in a cycle.
    pub(super) fn input(&mut self, depth: usize, cell: CellId, input: CellInput, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        let value = Some(word_value(signals.cell(cell).input(input)));
        let Some((source, lane)) = signals.cell(cell).source(input) else {
            let by = self.end.and_then(|_| self.selection(cell, input, cycle));
            self.add((depth, cycle), cell, ProvenanceEvent::Unconnected { input }, value, &by);
            return;
        };
        let by = self.selection(cell, input, cycle);
        let step = ProvenanceEvent::Listens { input, cell: source, lane };
        if !self.add((depth, cycle), cell, step, value, &by) {
            return;
        }
        if source != cell {
            self.link(source, cell, LinkKind::Switchbox);
        }
        self.lane(depth + 1, source, lane, cycle);
    }

    /// The SWB that made the selection in force in a cycle: the latest SWB released for the input before that cycle.
    fn selection(&self, cell: CellId, input: CellInput, cycle: u64) -> Cause {
        // A selection released in a cycle takes effect from the next cycle on.
        let last = self.r.attribution.input(cell, input);
        self.latest(cell, cycle.saturating_sub(1), last, |d| d.input() == Some(input))
    }

    /// Traces a lane of a cell in a cycle.
    fn lane(&mut self, depth: usize, cell: CellId, lane: Lane, cycle: u64) {
        match lane {
            Lane::Rf0 => self.read_port(depth, cell, lane, AguId::R0, cycle),
            Lane::Rf1 => self.read_port(depth, cell, lane, AguId::R1, cycle),
            Lane::Dpu0 => self.dpu_output(depth, cell, lane, 0, cycle),
            Lane::Dpu1 => self.dpu_output(depth, cell, lane, 1, cycle),
        }
    }

    fn read_port(&mut self, depth: usize, cell: CellId, lane: Lane, agu: AguId, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        let value = Some(word_value(signals.cell(cell).lane(lane)));
        let Some(word) = signals.cell(cell).emitted(agu).map(usize::from) else {
            self.add((depth, cycle), cell, ProvenanceEvent::ReadsNothing { agu }, value, &None);
            let r = self.r;
            let emits = |at| r.signals(at).is_some_and(|s| s.cell(cell).emitted(agu).is_some());
            return self.nearest((depth + 1, cycle), cell, "nearest reads", emits);
        };
        let by = self.launch(cell, agu, cycle);
        if self.add((depth, cycle), cell, ProvenanceEvent::Reads { agu, word }, value, &by) {
            self.word(depth + 1, cell, word, cycle);
        }
    }

    fn dpu_output(&mut self, depth: usize, cell: CellId, lane: Lane, channel: usize, cycle: u64) {
        let (Some(now), Some(signals)) = (self.r.golden(cycle), self.r.signals(cycle)) else {
            return;
        };
        let lanes = now.signal_lanes(SignalLocation::lane(cell, lane));
        let value = Some(word_value(signals.cell(cell).lane(lane)).in_lanes(lanes));
        let unit = cell.into();
        let register = Register::DpuModeReg;
        let Some(mode) = now.reading(unit, register) else { return };
        let by = self.dpu(cell, cycle.saturating_sub(1));
        let step = ProvenanceEvent::DpuResult { channel, mode };
        if self.add((depth, cycle), cell, step, value, &by) {
            match self.end {
                Some(end) => self.result(depth + 1, cell, (lane, channel), cycle, end),
                None => self.shown(depth + 1, cell, channel, cycle),
            }
        }
    }

    /// Traces the value that an output of a DPU shows in a cycle (chapter 4, section 6).
    pub(super) fn shown(&mut self, depth: usize, cell: CellId, channel: usize, cycle: u64) {
        let Some(mode) = self.r.mode(cell, cycle).filter(|mode| mode.info().outputs[channel])
        else {
            return;
        };
        let Some(before) = cycle.checked_sub(1) else { return };
        let in_force = self.r.mode(cell, before) == Some(mode);
        let info = mode.info();
        if info.scaler && !in_force {
            self.operand(depth, cell, Register::DpuPackReg, cycle, |location| {
                ProvenanceEvent::Operand { location }
            });
        } else if info.divider || !in_force || self.r.clears(cell, before).is_some() {
            self.accumulator(depth, cell, channel, before);
        } else {
            self.operands(depth, cell, channel, info.operands_of_output(channel), before);
        }
    }

    /// The latest instruction of a cell, of those `wanted`, that had reached its unit by a cycle. If it was decoded
    /// before the recorded cycles, it is still the last one.
    fn latest(
        &self,
        cell: CellId,
        cycle: u64,
        last: &Cause,
        wanted: impl Fn(&IssuedInstruction) -> bool,
    ) -> Cause {
        self.r
            .attribution
            .log()
            .rev()
            .chain(last)
            .find(|d| d.cell == cell && wanted(d) && d.released.get().is_some_and(|c| c <= cycle))
            .cloned()
    }

    /// The DPU instruction that had been launched by a cycle.
    fn dpu(&self, cell: CellId, cycle: u64) -> Cause {
        let last = self.r.attribution.dpu(cell);
        self.latest(cell, cycle, &last, |d| d.dpu_mode().is_some())
    }

    /// The REFI that is in force for an AGU in a cycle.
    pub(super) fn launch(&self, cell: CellId, agu: AguId, cycle: u64) -> Cause {
        self.latest(cell, cycle, self.r.attribution.agu(cell, agu), |d| d.agu() == Some(agu))
    }

    /// Traces the value that a data path register captures at the edge that ends a cycle (chapter 4, section 8).
    pub(super) fn data(&mut self, cell: CellId, register: Register, cycle: u64) {
        let Some(mode) = self.r.mode(cell, cycle) else { return };
        let info = mode.info();
        let channel = match register {
            Register::DpuAcc(channel) => return self.accumulator(0, cell, channel, cycle),
            Register::DpuDivP1 => return self.quotient(0, cell, Some(cycle)),
            Register::DpuDivP2 => return self.quotient(0, cell, cycle.checked_sub(1)),
            Register::DpuDivP3 => return self.quotient(0, cell, cycle.checked_sub(2)),
            Register::DpuSmReg if mode == DpuMode::AccSoftmax => {
                let step = |location| ProvenanceEvent::Accumulates { location };
                return self.operand(0, cell, Register::DpuAcc(1), cycle, step);
            }
            // The second channel of lk_relu multiplies.
            Register::DpuStatus(channel)
                if info.compares && (mode, channel) != (DpuMode::LkRelu, 1) =>
            {
                channel
            }
            Register::DpuIr0 if mode == DpuMode::LdIr => 0,
            Register::DpuIr1 if mode == DpuMode::LdIr => 1,
            Register::DpuPackReg if info.scaler => 0,
            _ => return,
        };
        self.operands(0, cell, channel, info.operands[channel], cycle);
    }

    /// Traces the value that an accumulator captures at the edge that ends a cycle (chapter 4, 5.3 and 5.5).
    pub(super) fn accumulator(&mut self, depth: usize, cell: CellId, channel: usize, cycle: u64) {
        let Some(mode) = self.r.mode(cell, cycle) else { return };
        if let Some(launch) = self.r.clears(cell, cycle) {
            let by = self.dpu(cell, cycle);
            self.add((depth, cycle), cell, ProvenanceEvent::Cleared { launch }, None, &by);
        } else if mode.info().divider && channel == 0 {
            self.quotient(depth, cell, cycle.checked_sub(DIVIDER_STAGES));
        } else if mode != DpuMode::LdIr && !mode.info().scaler {
            self.operands(depth, cell, channel, mode.info().operands[channel], cycle);
        }
    }

    /// Traces a quotient whose operands enter the divider in a cycle (chapter 4, section 10); in modes that do not
    /// divide, the divider receives constants.
    fn quotient(&mut self, depth: usize, cell: CellId, cycle: Option<u64>) {
        let Some(cycle) = cycle else { return };
        if let Some(mode) = self.r.mode(cell, cycle).filter(|mode| mode.info().divider) {
            self.operands(depth, cell, 0, mode.info().operands[0], cycle);
        }
    }

    /// Traces the operands of a channel of a DPU in a cycle: inputs, the accumulator, constants and `sm_reg`.
    pub(super) fn operands(
        &mut self,
        depth: usize,
        cell: CellId,
        channel: usize,
        operands: OperandSet,
        cycle: u64,
    ) {
        for number in operands.inputs() {
            self.input(depth, cell, CellInput::ALL[CellInput::Dpu0.index() + number], cycle);
        }
        if operands.contains(Operand::Acc) {
            let register = Register::DpuAcc(channel);
            self.operand(depth, cell, register, cycle, |location| ProvenanceEvent::Accumulates {
                location,
            });
        }
        let Some(now) = self.r.golden(cycle) else { return };
        for (operand, register) in [
            (Operand::Ir0, Register::DpuIr0),
            (Operand::Ir1, Register::DpuIr1),
            (Operand::SmReg, Register::DpuSmReg),
            (Operand::Const, now.constant(cell.into())),
        ] {
            if operands.contains(operand)
                && !(operand == Operand::Const && self.copies(cell, cycle))
            {
                self.operand(depth, cell, register, cycle, |location| ProvenanceEvent::Operand {
                    location,
                });
                if let Operand::Ir0 | Operand::Ir1 = operand {
                    self.loaded(depth + 1, cell, usize::from(operand == Operand::Ir1), cycle);
                }
            }
        }
    }

    /// Traces the value that ld_ir last loaded into a constant register, if ld_ir was in force in a recorded cycle
    /// (chapter 4, 5.6).
    fn loaded(&mut self, depth: usize, cell: CellId, channel: usize, cycle: u64) {
        let earlier = (0..cycle).rev().map_while(|at| Some((at, self.r.mode(cell, at)?)));
        let last = earlier.into_iter().find(|(_, mode)| *mode == DpuMode::LdIr);
        if let Some((at, mode)) = last {
            self.operands(depth, cell, channel, mode.info().operands[channel], at);
        }
    }

    /// True if the scaler copies its words, because they have a single lane; its factor then has no effect (chapter 4,
    /// section 11).
    fn copies(&self, cell: CellId, cycle: u64) -> bool {
        let scales = matches!(self.r.mode(cell, cycle), Some(DpuMode::ScaleDw | DpuMode::ScaleUp));
        let now = self.r.golden(cycle).filter(|_| scales);
        now.is_some_and(|now| now.lanes_of_width(cell.into(), Register::DpuBwReg) == 1)
    }

    /// Adds a register as an operand.
    fn operand(
        &mut self,
        depth: usize,
        cell: CellId,
        register: Register,
        cycle: u64,
        step: impl Fn(Location) -> ProvenanceEvent,
    ) {
        let location = Location { unit: cell.into(), register };
        let value = self.r.golden(cycle).and_then(|now| now.value(location.unit, register));
        let value = value.map(|value| self.r.reading(self.cycle, location, value));
        self.add((depth, cycle), cell, step(location), value, &None);
    }
}
