// SPDX-License-Identifier: MIT OR Apache-2.0
//! States of a sequencer with what is on its load port and how programs end.

use drra_golden::{LoadEvent, ProgramEnd, SequencerActivity};
use drra_isa::{
    Opcode, Recipe, Wanted,
    fabric::SequencerState,
    instructions::{loop_, wait},
};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Directed, cross},
    decode::NOWHERE,
};

cross! {
    /// State, load port, end of the program, whether a loop is active.
    Sequencers "sequencer" {
        state: SequencerState = "state",
        load: LoadEvent = "load port",
        end: ProgramEnd = "end of the program",
        loops: Loops = "loops" ["no loop active", "a loop active"],
    }
}

impl Sequencers {
    /// The bin of what a sequencer did.
    #[inline]
    pub(crate) fn new(state: SequencerState, did: &SequencerActivity, loop_active: bool) -> Self {
        Self { state, load: did.load, end: did.end, loops: Loops(loop_active.into()) }
    }
}

impl Directed for Sequencers {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let running = self.state == SequencerState::Run;
        let quiet = self.load == LoadEvent::None;
        // All else takes words at the load port, or a program with another end.
        if !running || !quiet {
            return None;
        }
        let fields = [(loop_::ENDPC, NOWHERE), (loop_::ITER, 9)];
        let enclosing = (self.loops.0 == 1).then(|| Wanted::new(Opcode::Loop, &fields));
        let pause = Wanted::new(Opcode::Wait, &[(wait::CYCLE, 2)]);
        let end = match self.end {
            ProgramEnd::No => pause,
            ProgramEnd::Halt => Wanted::new(Opcode::Halt, &[]),
            _ => return None,
        };
        Some(Recipe::sequence(enclosing.into_iter().chain([end])))
    }
}
