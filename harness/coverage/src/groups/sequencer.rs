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
    axes::{Axes, Axis},
    group::Bins,
    kind::NOWHERE,
};

/// State, load port, end of the program, whether a loop is active.
pub(crate) struct Sequencers;

const LOOPS: [&str; 2] = ["no loop active", "a loop active"];

impl Sequencers {
    /// Number of the bin of what a sequencer did.
    #[inline]
    pub(crate) fn bin(
        state: SequencerState,
        activity: &SequencerActivity,
        loop_active: bool,
    ) -> usize {
        let at = state.value() as usize * LoadEvent::ALL.len() + activity.load as usize;
        let at = at * ProgramEnd::ALL.len() + activity.end as usize;
        at * LOOPS.len() + usize::from(loop_active)
    }
}

impl Bins for Sequencers {
    fn name(&self) -> String {
        "sequencer".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("state", SequencerState::ALL),
            Axis::new("load port", LoadEvent::ALL.iter().map(|e| e.name())),
            Axis::new("end of the program", ProgramEnd::ALL.iter().map(|e| e.name())),
            Axis::new("loops", LOOPS),
        ])
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let running = SequencerState::ALL[index[0]] == SequencerState::Run;
        let quiet = LoadEvent::ALL[index[1]] == LoadEvent::None;
        // All else takes words at the load port, or a program with another end.
        if !running || !quiet {
            return None;
        }
        let fields = [(loop_::ENDPC, NOWHERE), (loop_::ITER, 9)];
        let enclosing = (index[3] == 1).then(|| Wanted::new(Opcode::Loop, &fields));
        let pause = Wanted::new(Opcode::Wait, &[(wait::CYCLE, 2)]);
        let end = match ProgramEnd::ALL[index[2]] {
            ProgramEnd::No => pause,
            ProgramEnd::Halt => Wanted::new(Opcode::Halt, &[]),
            _ => return None,
        };
        Some(Recipe::sequence(enclosing.into_iter().chain([end])))
    }
}
