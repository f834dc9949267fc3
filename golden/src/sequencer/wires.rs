// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules of a sequencer (chapter 2): fetch, decode, loops.

use drra_isa::fabric::{SignalId, images::SeqRefi};

use super::Sequencer;
use crate::{
    decode::{Effects, decode},
    loops,
    register_file::Refi,
    wires::Wires,
};

impl Sequencer {
    /// Puts the signals of this cycle.
    pub(crate) fn wires(&self, cond_status: u8, io_cell: bool, out: &mut Wires<'_>) {
        let (run, pc) = (self.running(), self.pc());
        let word = |ahead: u8| self.imem()[usize::from(pc.wrapping_add(ahead) & 63)];
        let imm_now = self.imem_imm_word() >> pc & 1 == 1;
        out.put(SignalId::Run, run);
        out.put(SignalId::Fetch0, word(0));
        out.put(SignalId::Fetch1, word(1));
        out.put(SignalId::Fetch2, word(2));
        out.put(SignalId::Word, word(0));
        out.put(SignalId::ImmNow, imm_now);
        out.put(SignalId::ImmediateOut, self.immediate());
        out.put(SignalId::Refi, self.refi_word());
        out.put(SignalId::DpuIssue, self.dpu_word());
        out.put(SignalId::Idle, self.idle());
        out.put_words(SignalId::Raccu, 0, &self.raccu_words());
        let decoded = match run {
            true => decode(&self.imem, pc, &self.raccu, cond_status, io_cell),
            false => Effects::default(),
        };
        if run {
            out.put(SignalId::Adv, decoded.advance);
        }
        decoded.wires(out);
        let waiting = decoded.wait.is_some_and(|target| target != self.wait_count());
        out.put(SignalId::Waiting, waiting);
        self.loop_wires(&decoded, imm_now, waiting, out);
    }

    /// What the loop controller hands to program counter and RACCU.
    fn loop_wires(&self, decoded: &Effects, imm_now: bool, waiting: bool, out: &mut Wires<'_>) {
        let mut next = self.clone();
        let (_, executed) = next.launch(decoded, imm_now);
        let done = loops::step(&mut next.slots, &self.raccu, &executed, self.pc(), waiting);
        out.put(SignalId::LoopJump, done.target.is_some());
        if let Some(target) = done.target {
            out.put(SignalId::LoopJumpPc, target);
        }
        for (slot, iterator) in done.iterators.iter().enumerate() {
            out.put_at(SignalId::IterWe, slot, iterator.is_some());
            if let Some(value) = iterator {
                out.put_at(SignalId::IterValue, slot, *value);
            }
        }
    }
}

impl Effects {
    fn wires(&self, out: &mut Wires<'_>) {
        out.put(SignalId::Halt, self.halt);
        out.put(SignalId::Wait, self.wait.is_some());
        if let Some(target) = self.wait {
            out.put(SignalId::WaitTarget, target);
        }
        out.put(SignalId::Jump, self.jump.is_some());
        if let Some(target) = self.jump {
            out.put(SignalId::JumpPc, target);
        }
        out.put(SignalId::RaccuDec, self.raccu.pack());
        out.put(SignalId::LoopDec, self.lp.pack());
        out.put(SignalId::RefiDec, self.refi.as_ref().map_or(0, decoded_refi));
        out.put(SignalId::DpuDec, self.dpu.is_some());
        if let Some(dpu) = &self.dpu {
            out.put(SignalId::DpuDecInstr, dpu.image().pack());
        }
        out.put(SignalId::BwDec, self.bw.is_some());
        if let Some(width) = self.bw {
            out.put(SignalId::BwDecConfig, width);
        }
        out.put(SignalId::SwbDec, self.out.swb.is_some());
        out.put(SignalId::PermDec, self.out.perm.is_some());
        out.put_words(SignalId::NocDec, 0, &self.out.noc.words());
    }
}

/// A REFI in the cycle of its decode, as its registers have it a cycle later.
fn decoded_refi(refi: &Refi) -> u64 {
    let (cfg_port, cfg) = (refi.port.code(), refi.cfg.image());
    SeqRefi { cfg_start: true, cfg_port, cfg_dimarch: refi.dimarch, cfg }.pack()
}
