// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes of the mode of a DPU and of the width of its lanes.

use drra_case::{DirectedSequence, InstructionTemplate};
use drra_isa::{
    Opcode,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode, dpu, wait},
};
use rand_chacha::ChaCha8Rng;

use super::feed::hand_over;
use crate::cross::{Dimension, DirectedCross, cross, numbered};

cross! {
    /// Current mode; mode, control and `io_change` of the launched instruction; lane width in that cycle.
    ModeChanges "DPU mode changes" {
        from: DpuMode = "mode in force",
        to: DpuMode = "mode launched" "then {to}",
        control: DpuControl = "control",
        change: DpuIoChange = "change",
        width: BwConfig = "width",
    }
}

impl DirectedCross for ModeChanges {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let settings =
            [(dpu::CONTROL, self.control.draw(rng)), (dpu::IO_CHANGE, self.change.draw(rng))];
        let [from, to] = [self.from, self.to].map(InstructionTemplate::dpu);
        Some(hand_over(InstructionTemplate::bw(self.width), from, to.with(&settings), rng))
    }
}

cross! {
    /// Current mode, and the lane widths before and after a change.
    WidthChanges "DPU width changes" {
        mode: DpuMode = "mode",
        widths: Widths = "widths",
    }
}

numbered! {
    /// Two different widths, as an index into the list of all changes.
    Widths, BwConfig::ALL.len() * OTHERS, |k| {
        let [from, to] = Widths(k).parts();
        format!("from {from} to {to}")
    }
}

/// Number of widths that a change can lead to.
const OTHERS: usize = BwConfig::ALL.len() - 1;

impl Widths {
    /// A change between two different widths.
    pub(crate) fn new(from: BwConfig, to: BwConfig) -> Self {
        Self(from as usize * OTHERS + to as usize - usize::from(to > from))
    }

    fn parts(self) -> [BwConfig; 2] {
        let (from, to) = (self.0 / OTHERS, self.0 % OTHERS);
        [from, to + usize::from(to >= from)].map(BwConfig::of)
    }
}

impl DirectedCross for WidthChanges {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let [from, to] = self.widths.parts().map(InstructionTemplate::bw);
        let pause = InstructionTemplate::new(Opcode::Wait, &[(wait::CYCLE, 2)]);
        Some(DirectedSequence::in_order([from, InstructionTemplate::dpu(self.mode), pause, to]))
    }
}
