// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assigns the signals of a sequencer to their identities, for observers (chapter 5, 7.4).

use drra_fabric::SignalId;

use super::{LoadPort, Sequencer, SequencerSignals};
use crate::signals::SignalCollector;

impl LoadPort {
    /// Adds the signals of the load port.
    pub(crate) fn show(&self, out: &mut SignalCollector<'_>) {
        out.put(SignalId::LoadValid, self.valid);
        if self.valid {
            out.put(SignalId::LoadMatch, self.matches);
            out.put(SignalId::LoadInstr, self.instr);
            out.put(SignalId::LoadImm, self.imm);
        }
    }
}

impl SequencerSignals {
    /// Adds the signals of a cycle; `before` has its registers.
    pub(crate) fn show(&self, before: &Sequencer, out: &mut SignalCollector<'_>) {
        let registers = &before.registers;
        out.put(SignalId::Run, self.run);
        out.put(SignalId::Fetch0, self.fetch[0]);
        out.put(SignalId::Fetch1, self.fetch[1]);
        out.put(SignalId::Fetch2, self.fetch[2]);
        out.put(SignalId::Word, self.fetch[0]);
        out.put(SignalId::ImmNow, self.imm_now);
        out.put(SignalId::ImmediateOut, registers.immediate);
        out.put(SignalId::Refi, registers.refi.pack());
        out.put(SignalId::DpuIssue, registers.dpu.pack());
        out.put(SignalId::Idle, before.idle());
        out.put_words(SignalId::Raccu, 0, &before.raccu_words());
        let d = &self.decoded;
        if self.run {
            out.put(SignalId::Adv, d.adv);
        }
        out.put(SignalId::Halt, d.halt);
        out.put(SignalId::Wait, d.wait.is_some());
        out.put_some(SignalId::WaitTarget, 0, d.wait);
        out.put(SignalId::Jump, d.jump.is_some());
        out.put_some(SignalId::JumpPc, 0, d.jump);
        out.put(SignalId::RaccuDec, d.raccu.pack());
        out.put(SignalId::LoopDec, d.lp.pack());
        out.put(SignalId::RefiDec, d.refi.pack());
        out.put(SignalId::DpuDec, d.dpu.is_some());
        out.put_some(SignalId::DpuDecInstr, 0, d.dpu.map(|instr| instr.pack()));
        out.put(SignalId::BwDec, d.bw.is_some());
        out.put_some(SignalId::BwDecConfig, 0, d.bw.map(|width| width.code()));
        out.put(SignalId::SwbDec, d.swb);
        out.put(SignalId::PermDec, d.perm);
        out.put_words(SignalId::NocDec, 0, &d.noc.unwrap_or_default().pack());
        out.put(SignalId::Waiting, self.waiting);
        out.put(SignalId::LoopJump, self.loops.jump.is_some());
        out.put_some(SignalId::LoopJumpPc, 0, self.loops.jump);
        for (slot, iterator) in self.loops.iter_value.iter().enumerate() {
            out.put_at(SignalId::IterWe, slot, iterator.is_some());
            out.put_some(SignalId::IterValue, slot, *iterator);
        }
    }
}
