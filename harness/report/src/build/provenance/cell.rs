// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of a value within cells and between them: words, ports, inputs, lanes, operands.

use drra_diagnose::attribution::{Cause, IssuedInstruction, Writer};
use drra_golden::units::permute;
use drra_isa::{
    CellId, CellInput, Lane, Operand, Operands,
    fabric::{AguId, Location, Register},
    instructions::DpuMode,
};

use super::{BLOCK_WORDS, Tracer, word_value};
use crate::data::{LinkKind, Step};

impl Tracer<'_> {
    /// A word of a register file in a cycle.
    pub(super) fn word(&mut self, depth: usize, cell: CellId, word: usize, cycle: u64) {
        let Some(now) = self.r.golden(cycle) else { return };
        let value = Some(word_value(now.low(cell, Register::RfMem(word)) as u16));
        let Some(write) = self.r.attribution.rf_write(cell, word, cycle).cloned() else {
            self.add((depth, cycle), cell, Step::WordKept { word }, value, &None);
            return;
        };
        let step = Step::WordWritten { word, writer: write.writer };
        if !self.add((depth, write.cycle), cell, step, value, &write.by) {
            return;
        }
        match write.writer {
            Writer::Init => {}
            Writer::W0 => self.input(depth + 1, cell, CellInput::Write0, write.cycle),
            Writer::W1 => self.input(depth + 1, cell, CellInput::Write1, write.cycle),
            Writer::Wb => self.block_in(depth + 1, cell, word % BLOCK_WORDS, write.cycle),
            Writer::Perm => {
                let from = write.by.as_ref().and_then(|d| {
                    // The old words are their own numbers, so that the new ones tell their origin.
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

    /// An input of a cell in a cycle.
    pub(super) fn input(&mut self, depth: usize, cell: CellId, input: CellInput, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        let value = Some(word_value(signals.cell(cell).input(input)));
        let Some((source, lane)) = signals.cell(cell).source(input) else {
            self.add((depth, cycle), cell, Step::Unconnected { input }, value, &None);
            return;
        };
        let by = self.selection(cell, input, cycle);
        let step = Step::Listens { input, cell: source, lane };
        if !self.add((depth, cycle), cell, step, value, &by) {
            return;
        }
        if source != cell {
            self.link(source, cell, LinkKind::Switchbox);
        }
        self.lane(depth + 1, source, lane, cycle);
    }

    /// The SWB that made a selection which is in force in a cycle: the latest one decoded for the
    /// input by then.
    fn selection(&self, cell: CellId, input: CellInput, cycle: u64) -> Cause {
        // What is released in a cycle selects from the next one on.
        self.latest(cell, cycle.saturating_sub(1), |d| d.input() == Some(input))
    }

    /// A lane of a cell in a cycle.
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
            self.add((depth, cycle), cell, Step::ReadsNothing { agu }, value, &None);
            return;
        };
        let by = self.launch(cell, agu, cycle);
        if self.add((depth, cycle), cell, Step::Reads { agu, word }, value, &by) {
            self.word(depth + 1, cell, word, cycle);
        }
    }

    fn dpu_output(&mut self, depth: usize, cell: CellId, lane: Lane, channel: usize, cycle: u64) {
        let (Some(now), Some(signals)) = (self.r.golden(cycle), self.r.signals(cycle)) else {
            return;
        };
        let value = Some(word_value(signals.cell(cell).lane(lane)));
        let unit = cell.into();
        let register = Register::DpuModeReg;
        let Some(mode) = now.reading(unit, register) else { return };
        let latency = self.mode(cell, cycle).and_then(|mode| mode.info().latency).unwrap_or(1);
        let by = self.latest(cell, cycle.saturating_sub(1), |d| d.dpu_mode().is_some());
        let step = Step::DpuResult { channel, mode };
        if self.add((depth, cycle), cell, step, value, &by)
            && let Some(earlier) = cycle.checked_sub(latency.into())
            && let Some(mode) = self.mode(cell, earlier)
        {
            let operands = mode.info().operands_of_output(channel);
            self.operands(depth + 1, cell, channel, operands, earlier);
        }
    }

    /// Mode of a DPU in a cycle.
    fn mode(&self, cell: CellId, cycle: u64) -> Option<DpuMode> {
        let mode = self.r.golden(cycle)?.low(cell, Register::DpuModeReg);
        DpuMode::from_code(mode)
    }

    /// The latest instruction of a cell that had reached its unit by a cycle.
    fn latest(
        &self,
        cell: CellId,
        cycle: u64,
        wanted: impl Fn(&IssuedInstruction) -> bool,
    ) -> Cause {
        self.r
            .attribution
            .log()
            .rev()
            .find(|d| d.cell == cell && wanted(d) && d.released.get().is_some_and(|c| c <= cycle))
            .cloned()
    }

    /// The REFI of an AGU in force in a cycle.
    pub(super) fn launch(&self, cell: CellId, agu: AguId, cycle: u64) -> Cause {
        self.latest(cell, cycle, |d| d.agu() == Some(agu))
    }

    /// What a register of a channel is computed from in a cycle.
    pub(super) fn register_operands(
        &mut self,
        depth: usize,
        cell: CellId,
        channel: usize,
        cycle: u64,
    ) {
        if let Some(mode) = self.mode(cell, cycle) {
            self.operands(depth, cell, channel, mode.info().operands[channel], cycle);
        }
    }

    /// The operands of a channel of a DPU in a cycle: inputs, the accumulator, constants.
    fn operands(
        &mut self,
        depth: usize,
        cell: CellId,
        channel: usize,
        operands: Operands,
        cycle: u64,
    ) {
        for number in operands.inputs() {
            self.input(depth, cell, CellInput::ALL[CellInput::Dpu0.index() + number], cycle);
        }
        if operands.contains(Operand::Acc) {
            let register = Register::DpuAcc(channel);
            self.operand(depth, cell, register, cycle, |location| Step::Accumulates { location });
        }
        for (operand, register) in [
            (Operand::Ir0, Register::DpuIr0),
            (Operand::Ir1, Register::DpuIr1),
            (Operand::SmReg, Register::DpuSmReg),
            (Operand::Const, Register::DpuConstReg),
        ] {
            if operands.contains(operand)
                && !(operand == Operand::Const && self.copies(cell, cycle))
            {
                self.operand(depth, cell, register, cycle, |location| Step::Operand { location });
            }
        }
    }

    /// The scaler copies words of a single lane, whatever its factor (chapter 4, section 11).
    fn copies(&self, cell: CellId, cycle: u64) -> bool {
        let scales = matches!(self.mode(cell, cycle), Some(DpuMode::ScaleDw | DpuMode::ScaleUp));
        let now = self.r.golden(cycle).filter(|_| scales);
        now.is_some_and(|now| now.lanes_of_width(cell.into(), Register::DpuBwReg) == 1)
    }

    /// A register as an operand.
    fn operand(
        &mut self,
        depth: usize,
        cell: CellId,
        register: Register,
        cycle: u64,
        step: impl Fn(Location) -> Step,
    ) {
        let unit = cell.into();
        let value = self.r.golden(cycle).and_then(|now| now.reading(unit, register));
        let location = Location { unit, register };
        self.add((depth, cycle), cell, step(location), value, &None);
    }
}
