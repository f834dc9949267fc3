// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loop controller (chapter 2, section 9).

use drra_isa::fabric::images::{SeqLoop, SeqShLoop};

use crate::bits::sx;

/// A LOOP instruction after operand substitution. `start` and `step` are 6-bit patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoopOp {
    pub(crate) valid: bool,
    pub(crate) id: u8,
    pub(crate) start_pc: u8,
    pub(crate) end_pc: u8,
    pub(crate) start: u8,
    pub(crate) iter: u8,
    pub(crate) step: u8,
    pub(crate) link: u8,
}

impl LoopOp {
    pub(crate) fn pack(&self) -> u64 {
        let image = SeqShLoop {
            valid: self.valid,
            id: self.id,
            start_pc: self.start_pc,
            end_pc: self.end_pc,
            start: self.start,
            iter: self.iter,
            step: self.step,
            link: self.link,
        };
        image.pack()
    }
}

/// One loop slot; all 0 while inactive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoopSlot {
    pub(crate) active: bool,
    pub(crate) start_pc: u8,
    pub(crate) end_pc: u8,
    pub(crate) iter: u8,
    pub(crate) step: u8,
    pub(crate) count: u8,
}

impl LoopSlot {
    pub(crate) fn pack(&self) -> u64 {
        let image = SeqLoop {
            active: self.active,
            start_pc: self.start_pc,
            end_pc: self.end_pc,
            iter: self.iter,
            step: self.step,
            count: self.count,
        };
        image.pack()
    }
}

/// Sign-extends a 6-bit pattern to the 7 bits of a RACCU register.
fn iterator(pattern: u8) -> u8 {
    (sx(pattern.into(), 6) & 127) as u8
}

/// What the loop controller hands out in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loops {
    /// Target of the jump, if there is one.
    pub(crate) target: Option<u8>,
    /// What each slot k writes to RACCU register 15-k, if it does.
    pub(crate) iterators: [Option<u8>; 4],
}

/// Executes one cycle of the four slots. `lx` is the LOOP that takes effect now, `raccu` the registers before
/// the edge.
pub(crate) fn step(
    slots: &mut [LoopSlot; 4],
    raccu: &[u8; 16],
    lx: &LoopOp,
    pc: u8,
    waiting: bool,
) -> Loops {
    let skip = lx.valid && lx.iter == 0;
    // "Everything inside slot k is finished", going from the innermost slot outwards.
    let mut inside_done = true;
    let mut next_inner_inactive = true;
    let target = skip.then(|| (lx.end_pc + 1) & 63);
    let mut loops = Loops { target, iterators: [None; 4] };
    for k in (0..4).rev() {
        let slot = &mut slots[k];
        let was_active = slot.active;
        let may = next_inner_inactive || inside_done;
        let linked = skip && lx.link >> k & 1 == 1;
        let at_end = was_active && !waiting && may && (pc == slot.end_pc || linked);
        let last = at_end && slot.count == slot.iter.wrapping_sub(1) & 63;
        let done = last || (pc + 1) & 63 == slot.end_pc;
        if lx.valid && !skip && usize::from(lx.id) == k {
            *slot = LoopSlot {
                active: true,
                start_pc: lx.start_pc,
                end_pc: lx.end_pc,
                iter: lx.iter,
                step: lx.step,
                count: 0,
            };
            loops.iterators[k] = Some(iterator(lx.start));
        } else if last || !was_active {
            *slot = LoopSlot::default();
            loops.iterators[k] = Some(0);
        } else if at_end {
            slot.count = (slot.count + 1) & 63;
            let next = raccu[15 - k].wrapping_add(iterator(slot.step)) & 127;
            loops.iterators[k] = Some(next);
            loops.target = Some(slot.start_pc); // a lower slot that follows wins
        }
        inside_done &= done || !was_active;
        next_inner_inactive = !was_active;
    }
    loops
}
