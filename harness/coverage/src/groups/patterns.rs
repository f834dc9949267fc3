// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations offered to the generators of tiles and I/O units in every phase of their patterns.

use drra_golden::{Offer, PatternPhase};
use drra_isa::{
    InstructionField, Opcode, Recipe, RecipeCell, Wanted,
    fabric::{Generator, Side},
    instructions::{io, sram},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{
    launches::{Levels, draw_levels, levels},
    messages::{Reach, path},
    settings::{Blocks, Delay, Mask},
};
use crate::cross::{Classes, Directed, cross};

/// Fields of a pattern, by what they are.
struct PatternFields {
    delay: InstructionField,
    l1_iter: InstructionField,
    l1_delay: InstructionField,
    /// Second level: iterations and delay.
    l2: Option<[InstructionField; 2]>,
}

const SRAM: PatternFields = PatternFields {
    delay: sram::INIT_DELAY,
    l1_iter: sram::L1_ITER,
    l1_delay: sram::L1_DELAY,
    l2: Some([sram::L2_ITER, sram::L2_DELAY]),
};

const IO: PatternFields =
    PatternFields { delay: io::INIT_DELAY, l1_iter: io::L1_ITER, l1_delay: io::L1_DELAY, l2: None };

/// Fields of a pattern that is in a phase so many cycles (at least 3) after it was offered, and the
/// number of these cycles, which is another one for some phases; `None` for no pattern.
fn pattern(
    fields: &PatternFields,
    phase: PatternPhase,
    cycles: u64,
) -> Option<(u64, Vec<(InstructionField, u64)>)> {
    let PatternFields { delay, l1_iter, l1_delay, l2 } = fields;
    Some(match phase {
        PatternPhase::Idle => return None,
        PatternPhase::Configured => (1, vec![(*delay, 3)]),
        PatternPhase::InitWait => (cycles, vec![(*delay, cycles + 4)]),
        PatternPhase::InitWaitLast => (cycles, vec![(*delay, cycles - 1)]),
        PatternPhase::Run => (cycles, vec![(*l1_iter, cycles + 9)]),
        PatternPhase::RunBetween => (cycles, vec![(*l1_iter, 2), (*l1_delay, 20)]),
        PatternPhase::RunRowEnd => (cycles, vec![((*l2)?[0], cycles + 9)]),
        PatternPhase::RunBetweenRows => (cycles, vec![((*l2)?[0], 2), ((*l2)?[1], 20)]),
        PatternPhase::RunLast => (cycles, vec![(*l1_iter, cycles - 2)]),
    })
}

cross! {
    /// Generator of a tile, its phase, side that took the configuration, its levels, its delay.
    TileOffers "SRAM offer by phase" {
        generator: Generator = "generator",
        phase: PatternPhase = "phase",
        side: Side = "side" "taken at {}",
        levels: Levels = "levels",
        delay: Delay = "delay",
    }
}

impl TileOffers {
    /// The bin of an offer.
    #[inline]
    pub(crate) fn new(generator: Generator, offer: &Offer) -> Self {
        let c = &offer.config;
        Self {
            generator,
            phase: offer.phase,
            side: offer.side,
            levels: Levels(levels(c.l1_iter.into(), c.l2_iter.into())),
            delay: Delay::class(c.init_delay),
        }
    }
}

/// Cycle of the decode that meets the phase, counted from the start of a recipe.
const MEETS: u64 = 10;

impl Directed for TileOffers {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let (path, hops) = path(self.side, Reach::Here)?;
        let margin = [Side::E, Side::W].map(|side| usize::from(self.side == side));
        let generator = [(sram::RW, self.generator as u64), (sram::HOPS, hops)];
        let of =
            |fields: &[(InstructionField, u64)]| Wanted::new(Opcode::Sram, &generator).with(fields);
        let mut steps = vec![(0, Wanted::new(Opcode::Route, &path))];
        if let Some((cycles, fields)) = pattern(&SRAM, self.phase, 5) {
            steps.push((MEETS - cycles, of(&fields)));
        }
        let [l1, l2] = draw_levels(self.levels.0);
        let delay = self.delay.0 as u64 * rng.random_range(1..9);
        let fields = [(sram::L1_ITER, l1), (sram::L2_ITER, l2), (sram::INIT_DELAY, delay)];
        steps.push((MEETS, of(&fields)));
        Some(Recipe::timed(steps).within(margin))
    }
}

cross! {
    /// Phases of the two generators of a tile in the same cycle.
    TilePairs "SRAM generators together" {
        read: PatternPhase = "read generator" "rd {}",
        write: PatternPhase = "write generator" "wr {}",
    }
}

/// Instructions that bring two generators into these phases in the same cycle.
fn both(
    phases: [PatternPhase; 2],
    fields: &PatternFields,
    of: impl Fn(u64, &[(InstructionField, u64)]) -> Wanted,
) -> Option<Vec<(u64, Wanted)>> {
    let mut steps = Vec::new();
    for (generator, (phase, cycles)) in phases.into_iter().zip([5, 7]).enumerate() {
        let Some((cycles, pattern)) = pattern(fields, phase, cycles) else {
            // At rest, unless such a pattern has no such phase.
            if phase == PatternPhase::Idle { continue } else { return None }
        };
        steps.push((MEETS - cycles, of(generator as u64, &pattern)));
    }
    if steps.is_empty() {
        steps.push((MEETS, of(0, &[])));
    }
    // One cell does not decode two in the same cycle.
    let clash = steps.len() == 2 && steps[0].0 == steps[1].0;
    (!clash).then_some(steps)
}

impl Directed for TilePairs {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let phases = [self.read, self.write];
        let of = |rw, fields: &[(InstructionField, u64)]| {
            Wanted::new(Opcode::Sram, &[(sram::RW, rw)]).with(fields)
        };
        if let Some(steps) = both(phases, &SRAM, of) {
            let path = (0, Wanted::new(Opcode::Route, &[]));
            return Some(Recipe::timed([path].into_iter().chain(steps)));
        }
        // Two configurations at once come from two cells, over paths that end in the same tile.
        if phases != [PatternPhase::Configured; 2] {
            return None;
        }
        let (path, hops) = path(Side::W, Reach::Here)?;
        let west = [
            (1, Wanted::new(Opcode::Route, &path)),
            (6, Wanted::new(Opcode::Sram, &[(sram::RW, 1), (sram::HOPS, hops)])),
        ];
        let home = [(2, Wanted::new(Opcode::Route, &[])), (7, of(0, &[]))];
        let west = RecipeCell::timed(west).at(None, -1);
        Some(Recipe::of([RecipeCell::timed(home), west]).within([1, 0]))
    }
}

cross! {
    /// Generator of an I/O unit, its phase, blocks of the configuration, its delay, its mask.
    IoOffers "IO offer by phase" {
        generator: Generator = "generator",
        phase: PatternPhase = "phase",
        blocks: Blocks = "blocks",
        delay: Delay = "delay",
        mask: Mask = "mask",
    }
}

impl IoOffers {
    /// The bin of an offer.
    #[inline]
    pub(crate) fn new(generator: Generator, offer: &Offer) -> Self {
        let c = &offer.config;
        Self {
            generator,
            phase: offer.phase,
            blocks: Blocks::class(c.l1_iter),
            delay: Delay::class(c.init_delay),
            mask: Mask::class(c.mask),
        }
    }
}

impl Directed for IoOffers {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |fields: &[(InstructionField, u64)]| {
            Wanted::new(Opcode::Io, &[(io::RW, self.generator as u64)]).with(fields)
        };
        let first = pattern(&IO, self.phase, 5).map(|(c, fields)| (MEETS - c, of(&fields)));
        if first.is_none() && self.phase != PatternPhase::Idle {
            return None;
        }
        let fields = [
            (io::L1_ITER, self.blocks.0 as u64 * rng.random_range(1..6)),
            (io::INIT_DELAY, self.delay.0 as u64 * rng.random_range(1..6)),
            (io::MASK, self.mask.draw(rng)),
        ];
        Some(Recipe::timed(first.into_iter().chain([(MEETS, of(&fields))])))
    }
}

cross! {
    /// Phases of the two generators of an I/O unit in the same cycle.
    IoPairs "IO generators together" {
        read: PatternPhase = "read generator" "rd {}",
        write: PatternPhase = "write generator" "wr {}",
    }
}

impl Directed for IoPairs {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |rw, fields: &[(InstructionField, u64)]| {
            Wanted::new(Opcode::Io, &[(io::RW, rw)]).with(fields)
        };
        Some(Recipe::timed(both([self.read, self.write], &IO, of)?))
    }
}
