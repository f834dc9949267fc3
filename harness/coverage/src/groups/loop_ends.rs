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
    axes::{Axes, Axis},
    group::Bins,
    kind::{Kind, NOWHERE, preludes},
};

const PHASES: usize = SlotPhase::ALL.len();
const SLOTS: usize = 4;

/// What an instruction at the end of a loop does to the program counter by itself.
const INSTRUCTIONS: [&str; 7] =
    ["plain instruction", "WAIT", "JUMP", "BRANCH taken", "BRANCH not taken", "LOOP", "HALT"];

/// Phases of the four slots, at least one of them at its end; what the instruction does.
pub(crate) struct LoopEnds;

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

/// Position in [`INSTRUCTIONS`].
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
    /// Number of the bin, if a loop ends.
    #[inline]
    pub(crate) fn bin(slots: &[SlotPhase; SLOTS], kind: Kind) -> Option<usize> {
        let number = slots.iter().fold(0, |number, phase| number * PHASES + *phase as usize);
        let position = CATALOGUE.position[number]?;
        Some(position * INSTRUCTIONS.len() + class(kind))
    }
}

impl Bins for LoopEnds {
    fn name(&self) -> String {
        "loop ends".to_owned()
    }

    fn axes(&self) -> Axes {
        let slots = CATALOGUE.situations.iter().map(|slots| {
            let each = slots.iter().enumerate().map(|(k, s)| format!("slot {k} {}", s.name()));
            each.collect::<Vec<_>>().join(", ")
        });
        Axes(vec![Axis::new("slots", slots), Axis::new("instruction", INSTRUCTIONS)])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let slots = CATALOGUE.situations[index[0]];
        let kind = Kind::all().find(|kind| class(*kind) == index[1] && *kind != Kind::NONE)?;
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
        let wanted = match index[1] {
            0 => Wanted::bw(BwConfig::Int8.code().into()),
            _ => kind.wanted(rng),
        };
        steps.push(wanted.into());
        Some(Recipe::sequence(steps))
    }
}
