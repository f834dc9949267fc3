// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of a sequencer in a cycle, for observers.

use drra_fabric::{SequencerState as State, images::SeqCore};

use super::LoadPort;
use crate::{loops::SlotPhase, situation::situations};

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
