// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of a sequencer in a cycle, for observers.

use drra_fabric::{
    SequencerState as State,
    images::{SeqCore, SeqLoop},
};

use super::{LoadPort, SequencerSignals};
use crate::situation::situations;

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
    /// The loop slots, if one is active in RUN and no WAIT holds the program.
    pub slots: Option<[SlotPhase; 4]>,
}

impl SequencerSignals {
    /// True in the first cycle of an instruction.
    pub(crate) fn decodes(&self) -> bool {
        self.run && self.core.wait_count == 0
    }

    /// The activity of a cycle with this state of the load port.
    pub(crate) fn activity(&self, load: &LoadPort) -> SequencerActivity {
        let SeqCore { state, pc, load_count, .. } = self.core;
        let end = match load_count {
            _ if self.decoded.halt => ProgramEnd::Halt,
            _ if !self.stop => ProgramEnd::No,
            1 => ProgramEnd::OnlyWord,
            words if pc == words => ProgramEnd::AfterLastWord,
            _ => ProgramEnd::LastWord,
        };
        let looks = self.run && !self.waiting && self.slots.iter().any(|s| s.active);
        SequencerActivity {
            state,
            load: match (load.valid, load.matches) {
                (false, _) => LoadEvent::None,
                (true, false) => LoadEvent::Other,
                (true, true) => LoadEvent::Own,
            },
            end,
            slots: looks.then(|| self.slots.map(|slot| slot_phase(&slot, pc))),
        }
    }
}

/// A loop slot while the instruction at `pc` is executed.
fn slot_phase(slot: &SeqLoop, pc: u8) -> SlotPhase {
    match slot {
        SeqLoop { active: false, .. } => SlotPhase::Inactive,
        SeqLoop { end_pc, .. } if *end_pc != pc => SlotPhase::Runs,
        SeqLoop { count, iter, .. } if *count == iter.wrapping_sub(1) & 63 => SlotPhase::AtLastEnd,
        SeqLoop { .. } => SlotPhase::AtEnd,
    }
}
