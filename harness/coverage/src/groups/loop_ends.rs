// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loops that end at the same instruction, and what the instruction does.

use std::sync::LazyLock;

use drra_golden::SlotPhase;
use drra_isa::{
    Opcode, Recipe, Step, Wanted,
    instructions::{BwConfig, loop_},
};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Dimension, Directed, cross, numbered},
    decode::{Kind, NOWHERE, preludes},
};

const PHASES: usize = SlotPhase::ALL.len();
const SLOTS: usize = 4;

cross! {
    /// Phases of the four slots, at least one of them at its end; what the instruction there does.
    LoopEnds "loop ends" {
        slots: Situation = "slots",
        instruction: AtEnd = "instruction" [
            "plain instruction", "WAIT", "JUMP", "BRANCH taken", "BRANCH not taken", "LOOP",
            "HALT",
        ],
    }
}

numbered! {
    /// Phases of the slots, as a position in the catalogue.
    Situation, CATALOGUE.situations.len(), |k| {
        let slots = CATALOGUE.situations[k].iter().enumerate();
        slots.map(|(k, s)| format!("slot {k} {}", s.name())).collect::<Vec<_>>().join(", ")
    }
}

/// The situations of the slots with a bin.
struct Catalogue {
    /// For each situation, slot 3 fastest: its position, if it has a bin.
    position: Vec<Option<usize>>,
    situations: Vec<[SlotPhase; SLOTS]>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut catalogue = Catalogue { position: Vec::new(), situations: Vec::new() };
    for number in 0..PHASES.pow(SLOTS as u32) {
        let slots: [SlotPhase; SLOTS] = std::array::from_fn(|k| {
            SlotPhase::ALL[number / PHASES.pow((SLOTS - 1 - k) as u32) % PHASES]
        });
        let ends = slots.iter().any(|s| matches!(s, SlotPhase::AtEnd | SlotPhase::AtLastEnd));
        catalogue.position.push(ends.then_some(catalogue.situations.len()));
        if ends {
            catalogue.situations.push(slots);
        }
    }
    catalogue
});

/// Number of an [`AtEnd`].
fn class(kind: Kind) -> usize {
    match kind.opcode() {
        Some((Opcode::Wait, _)) => 1,
        Some((Opcode::Jump, _)) => 2,
        Some((Opcode::Branch, variant)) => 3 + variant,
        Some((Opcode::Loop, _)) => 5,
        Some((Opcode::Halt, _)) => 6,
        _ => 0,
    }
}

impl LoopEnds {
    /// The bin, if a loop ends.
    #[inline]
    pub(crate) fn new(slots: &[SlotPhase; SLOTS], kind: Kind) -> Option<Self> {
        let number = slots.iter().fold(0, |number, phase| number * PHASES + *phase as usize);
        let slots = Situation(CATALOGUE.position[number]?);
        Some(Self { slots, instruction: AtEnd(class(kind)) })
    }
}

impl Directed for LoopEnds {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let slots = CATALOGUE.situations[self.slots.0];
        let AtEnd(number) = self.instruction;
        let kind = Kind::all().find(|kind| class(*kind) == number && *kind != Kind::NONE)?;
        let mut steps = preludes(&[kind]);
        let loops = slots.iter().filter(|s| **s != SlotPhase::Inactive).count();
        // The loops, an instruction inside all of them, the end.
        let end = steps.len() + loops + 1;
        for (slot, phase) in slots.iter().enumerate() {
            let (iterations, ends) = match phase {
                SlotPhase::Inactive => continue,
                SlotPhase::Runs => (2, false),
                SlotPhase::AtEnd => (3, true),
                SlotPhase::AtLastEnd => (1, true),
            };
            let fields = [
                (loop_::LOOPID, slot as u64),
                (loop_::ITER, iterations),
                (loop_::ENDPC, NOWHERE - 1),
            ];
            let wanted = Wanted::new(Opcode::Loop, &fields);
            steps.push(Step { wanted, target: ends.then_some(end) });
        }
        steps.push(Wanted::bw(BwConfig::Int16.code().into()).into());
        let wanted = match number {
            0 => Wanted::bw(BwConfig::Int8.code().into()),
            _ => kind.wanted(rng),
        };
        steps.push(wanted.into());
        Some(Recipe::sequence(steps))
    }
}
