// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loop controller (chapter 2, section 9).

use drra_fabric::images::{SeqLoop, SeqShLoop};

use crate::{bits::sx, raccu::pending, situation::situations};

situations! {
    /// A loop slot in a cycle of RUN in which no WAIT holds the program, classified by `pc` and `count` alone: the
    /// signals `at_end` and `last` of chapter 2, section 9, also depend on the inner slots and on links.
    SlotPhase {
        Inactive "inactive",
        Runs "runs",
        AtEnd "at its end",
        AtLastEnd "at its end for the last time",
    }
}

impl SlotPhase {
    /// The phases of the slots, if one of them is active.
    pub(crate) fn all(slots: &[SeqLoop; 4], pc: u8) -> Option<[Self; 4]> {
        slots.iter().any(|slot| slot.active).then(|| slots.map(|slot| Self::of(&slot, pc)))
    }

    fn of(slot: &SeqLoop, pc: u8) -> Self {
        match slot.active {
            false => Self::Inactive,
            true if pc != slot.end_pc => Self::Runs,
            true if is_last(slot) => Self::AtLastEnd,
            true => Self::AtEnd,
        }
    }
}

/// True in the last iteration of a slot.
fn is_last(slot: &SeqLoop) -> bool {
    slot.count == slot.iter.wrapping_sub(1) & 63
}

/// Sign-extends a 6-bit pattern to the 7 bits of a RACCU register.
fn sext7(pattern: u8) -> u8 {
    (sx(pattern.into(), 6) & 127) as u8
}

/// Signals of the loop controller in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoopSignals {
    /// `loop_jump`, `loop_jump_pc`: the target of the jump, if there is one.
    pub(crate) jump: Option<u8>,
    /// The target of a LOOP without iterations (`zero`), even if a slot jumps back.
    pub(crate) skip: Option<u8>,
    /// `iter_value`: the value that each slot k writes to RACCU register 15-k, if any.
    pub(crate) iter_value: [Option<u8>; 4],
}

/// Signals of one slot in a cycle.
struct SlotSignals {
    /// `done`, or the slot is unused.
    done: bool,
    /// The slot requests a jump to its `start_pc`.
    back: bool,
    /// What is written to the slot's RACCU register, if anything.
    iterator: Option<u8>,
    /// The slot in the next cycle.
    next: SeqLoop,
}

/// The inputs that all slots share.
struct SharedInputs<'a> {
    pc: u8,
    waiting: bool,
    /// The LOOP that takes effect in this cycle.
    lx: &'a SeqShLoop,
    /// `zero` of section 9: that LOOP skips its body.
    skip: bool,
}

/// `loop_slot` of section 10: slot k in a cycle; `iterator` is RACCU register 15-k.
fn loop_slot(
    k: usize,
    slot: &SeqLoop,
    inner_done: bool,
    iterator: u8,
    shared: &SharedInputs<'_>,
) -> SlotSignals {
    let SharedInputs { pc, waiting, lx, skip } = *shared;
    let linked = skip && lx.link >> k & 1 == 1;
    let at_end = slot.active && !waiting && inner_done && (pc == slot.end_pc || linked);
    let last = at_end && is_last(slot);
    let done = !slot.active || last || (pc + 1) & 63 == slot.end_pc;
    let (back, iterator, next) = if lx.valid && !skip && usize::from(lx.id) == k {
        let SeqShLoop { start_pc, end_pc, iter, step, .. } = *lx;
        let slot = SeqLoop { active: true, start_pc, end_pc, iter, step, count: 0 };
        (false, Some(sext7(lx.start)), slot)
    } else if last || !slot.active {
        (false, Some(0), SeqLoop::default())
    } else if at_end {
        let next = SeqLoop { count: (slot.count + 1) & 63, ..*slot };
        (true, Some((iterator + sext7(slot.step)) & 127), next)
    } else {
        (false, None, *slot)
    };
    SlotSignals { done, back, iterator, next }
}

/// `loop_unit` of section 10; `raccu` contains the registers before the edge. Returns the signals, and both registers
/// in the next cycle.
pub(crate) fn loop_unit(
    sh_loop: SeqShLoop,
    slots: &[SeqLoop; 4],
    imm_now: bool,
    pc: u8,
    waiting: bool,
    op: SeqShLoop,
    raccu: &[u8; 16],
) -> (LoopSignals, SeqShLoop, [SeqLoop; 4]) {
    let (lx, sh_loop) = pending(imm_now, op, op.valid, sh_loop);
    let skip = lx.valid && lx.iter == 0;
    let shared = SharedInputs { pc, waiting, lx: &lx, skip };
    let jump = skip.then(|| (lx.end_pc + 1) & 63);
    let mut out = LoopSignals { jump, skip: jump, ..LoopSignals::default() };
    let mut next = *slots;
    // Innermost slot first; the last jump back has precedence. `all_done` is true if all slots inside are done or unused.
    let mut all_done = true;
    for k in (0..4).rev() {
        let inner_done = slots.get(k + 1).is_none_or(|inner| !inner.active) || all_done;
        let slot = loop_slot(k, &slots[k], inner_done, raccu[15 - k], &shared);
        if slot.back {
            out.jump = Some(slots[k].start_pc);
        }
        (out.iter_value[k], next[k]) = (slot.iterator, slot.next);
        all_done &= slot.done;
    }
    (out, sh_loop, next)
}
