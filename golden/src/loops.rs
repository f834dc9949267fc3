// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loop controller (chapter 2, section 9).

use drra_fabric::images::{SeqLoop, SeqShLoop};

use crate::bits::sx;

/// Sign-extends a 6-bit pattern to the 7 bits of a RACCU register.
fn sext7(pattern: u8) -> u8 {
    (sx(pattern.into(), 6) & 127) as u8
}

/// The effect of the loop controller in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loops {
    /// Target of the jump, if there is one: `loop_jump`, `loop_jump_pc`.
    pub(crate) jump: Option<u8>,
    /// The value that each slot k writes to RACCU register 15-k, if any.
    pub(crate) iterators: [Option<u8>; 4],
    /// The next state of each slot, if it changes.
    pub(crate) next: [Option<SeqLoop>; 4],
}

/// One cycle of the four slots. `lx` is the LOOP that takes effect now; `raccu` contains the registers before the edge.
pub(crate) fn eval(
    slots: &[SeqLoop; 4],
    raccu: &[u8; 16],
    lx: &SeqShLoop,
    pc: u8,
    waiting: bool,
    n: &mut Loops,
) {
    let zero = lx.valid && lx.iter == 0;
    n.jump = zero.then(|| (lx.end_pc + 1) & 63);
    if !lx.valid && slots.iter().all(|slot| !slot.active) {
        // A shortcut to the result of the loop below if no LOOP takes effect and all slots are inactive, as in most
        // cycles.
        (n.iterators, n.next) = ([Some(0); 4], [None; 4]);
        return;
    }
    // From the innermost slot outwards: whether all active slots inside slot k are `done`, and whether slot k+1 is
    // active.
    let mut inner_done = true;
    let mut inner_active = false;
    for k in (0..4).rev() {
        let slot = &slots[k];
        let may = !inner_active || inner_done;
        let at_end =
            slot.active && !waiting && may && (pc == slot.end_pc || zero && lx.link >> k & 1 == 1);
        let last = at_end && slot.count == slot.iter.wrapping_sub(1) & 63;
        (n.next[k], n.iterators[k]) = (None, None);
        if lx.valid && !zero && usize::from(lx.id) == k {
            let SeqShLoop { start_pc, end_pc, iter, step, .. } = *lx;
            let slot = SeqLoop { active: true, start_pc, end_pc, iter, step, count: 0 };
            (n.next[k], n.iterators[k]) = (Some(slot), Some(sext7(lx.start)));
        } else if !slot.active {
            n.iterators[k] = Some(0); // its registers are 0 already
        } else if last {
            (n.next[k], n.iterators[k]) = (Some(SeqLoop::default()), Some(0));
        } else if at_end {
            n.jump = Some(slot.start_pc); // a lower slot, which follows, may override this
            let iterator = raccu[15 - k].wrapping_add(sext7(slot.step)) & 127;
            n.next[k] = Some(SeqLoop { count: (slot.count + 1) & 63, ..*slot });
            n.iterators[k] = Some(iterator);
        }
        inner_done &= !slot.active || last || (pc + 1) & 63 == slot.end_pc;
        inner_active = slot.active;
    }
}
