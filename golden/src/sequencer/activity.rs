// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of a sequencer in a cycle, for observers.

use drra_fabric::{
    SequencerState as State,
    images::{SeqCore, SeqLoop, SeqShRaccu},
};
use drra_isa::instructions::RaccuMode;

use super::LoadPort;
use crate::{
    loops::{LoopSignals, SlotPhase},
    raccu::pending,
    situation::situations,
};

situations! {
    /// The load port of a cell in a cycle (chapter 2, section 4).
    LoadEvent {
        None "no word",
        Other "a word for another cell",
        Own "a word",
    }
}

situations! {
    /// The ways in which a program ends (chapter 2, 5.3).
    ProgramEnd {
        No "goes on",
        Halt "HALT",
        LastWord "with its last word",
        AfterLastWord "after its last word",
        OnlyWord "as a program of one word",
    }
}

/// The activity of a cell's sequencer in its last cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequencerActivity {
    /// State before the edge.
    pub state: State,
    /// The load port.
    pub load: LoadEvent,
    /// Whether and how the program ended with this cycle.
    pub end: ProgramEnd,
    /// The phases of the loop slots, if one is active in RUN and no WAIT holds the program.
    pub phases: Option<[SlotPhase; 4]>,
    /// If a slot is active, a jump is pending or a loop is skipped: the targets in the order of precedence (chapter 2,
    /// 5.1): the first two loops that iterate, a loop that is skipped, a jump kept during a WAIT, a JUMP or BRANCH;
    /// then the start of a loop that ends, which redirects nothing.
    pub redirects: Option<[Option<u8>; 6]>,
    /// The register that the RACCU writes.
    pub raccu: Option<u8>,
    /// The loop controller has another value for that register; true if the loop is configured in this cycle.
    pub overruled: Option<bool>,
}

/// [`SequencerActivity::redirects`] of a cycle with these slots before and after the edge.
pub(super) fn redirects(
    core: &SeqCore,
    loops: &LoopSignals,
    jump: Option<u8>,
    [before, after]: [&[SeqLoop; 4]; 2],
) -> Option<[Option<u8>; 6]> {
    if !core.pend_valid && loops.skip.is_none() && before.iter().all(|slot| !slot.active) {
        return None;
    }
    let starts = |does: fn(&SeqLoop, &SeqLoop) -> bool| {
        let slots = before.iter().zip(after).filter(move |(old, new)| does(old, new));
        slots.map(|(old, _)| old.start_pc)
    };
    let mut iterating = starts(|old, new| new.active && new.count > old.count);
    let ended = starts(|old, new| old.active && !new.active).next();
    let pending = core.pend_valid.then_some(core.pend_pc);
    Some([iterating.next(), iterating.next(), loops.skip, pending, jump, ended])
}

/// [`SequencerActivity::raccu`]: `op` is the RACCU decoded in this cycle, `shadow` the pending one.
pub(super) fn raccu_target(imm_now: bool, op: SeqShRaccu, shadow: SeqShRaccu) -> Option<u8> {
    let (rx, _) = pending(imm_now, op, op.mode != RaccuMode::Idle, shadow);
    (rx.mode != RaccuMode::Idle).then_some(rx.dst)
}

/// [`SequencerActivity::overruled`]: the RACCU writes register `dst`; the slots and registers are those after the edge.
pub(super) fn overruled(
    dst: u8,
    loops: &LoopSignals,
    slots: &[SeqLoop; 4],
    raccu_reg: &[u8; 16],
) -> Option<bool> {
    let k = 15 - usize::from(dst);
    let value = loops.iter_value.get(k).copied().flatten()?;
    let configured = slots[k].active && slots[k].count == 0;
    (raccu_reg[usize::from(dst)] != value).then_some(configured)
}

impl LoadEvent {
    pub(super) fn of(port: &LoadPort) -> Self {
        match (port.valid, port.matches) {
            (false, _) => Self::None,
            (true, false) => Self::Other,
            (true, true) => Self::Own,
        }
    }
}

impl ProgramEnd {
    pub(super) fn of(core: &SeqCore, halt: bool, stop: bool) -> Self {
        match core.load_count {
            _ if halt => Self::Halt,
            _ if !stop => Self::No,
            1 => Self::OnlyWord,
            words if core.pc == words => Self::AfterLastWord,
            _ => Self::LastWord,
        }
    }
}
