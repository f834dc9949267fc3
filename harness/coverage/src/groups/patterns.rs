// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations offered to the generators of tiles and I/O units in every phase of their patterns.

use drra_golden::{Offer, PatternPhase};
use drra_isa::{
    InstructionField, Opcode, Recipe, RecipeCell, Wanted,
    fabric::{Generator, Side},
    instructions::{io, route, sram},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{
    product::{draw_levels, levels},
    relaunch::LEVELS,
    transfers::MASK,
};
use crate::{
    axes::{Axes, Axis},
    group::Bins,
};

const PHASES: usize = PatternPhase::ALL.len();

/// The property phase of a generator.
fn phases(name: &'static str) -> Axis {
    Axis::new(name, PatternPhase::ALL.iter().map(|p| p.name()))
}

/// Names of no delay and of any.
const DELAY: [&str; 2] = ["no delay", "delay"];

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

/// Generator, its phase, side that took the configuration, its levels, its delay.
pub(crate) struct TileOffers;

impl TileOffers {
    /// Number of a bin; `generator`: 0 read, 1 write.
    #[inline]
    pub(crate) fn bin(generator: usize, offer: &Offer) -> usize {
        let c = &offer.config;
        let levels = levels(c.l1_iter.into(), c.l2_iter.into());
        let at = generator * PHASES + offer.phase as usize;
        let at = at * Side::ALL.len() + offer.side.index();
        (at * LEVELS.len() + levels) * DELAY.len() + usize::from(c.init_delay > 0)
    }
}

/// Fields of the ROUTE of a path, tiles to pass, columns that it needs to the west and to the east.
type Path = (Vec<(InstructionField, u64)>, u64, [usize; 2]);

/// A path to a tile that is entered at a side.
pub(super) fn path_from(side: Side) -> Option<Path> {
    match side {
        Side::N => None,
        Side::S => Some((Vec::new(), 0, [0, 0])),
        Side::E => Some((vec![(route::HORIZONTAL_HOPS, 1), (route::HORIZONTAL_DIR, 0)], 1, [1, 0])),
        Side::W => Some((vec![(route::HORIZONTAL_HOPS, 1), (route::HORIZONTAL_DIR, 1)], 1, [0, 1])),
    }
}

/// Cycle of the decode that meets the phase, counted from the start of a recipe.
const MEETS: u64 = 10;

impl Bins for TileOffers {
    fn name(&self) -> String {
        "SRAM offer by phase".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("generator", Generator::ALL),
            phases("phase"),
            Axis::new("side", Side::ALL.iter().map(|s| format!("taken at {s}"))),
            Axis::new("levels", LEVELS),
            Axis::new("delay", DELAY),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let (path, hops, margin) = path_from(Side::ALL[index[2]])?;
        let generator = [(sram::RW, index[0] as u64), (sram::HOPS, hops)];
        let of =
            |fields: &[(InstructionField, u64)]| Wanted::new(Opcode::Sram, &generator).with(fields);
        let mut steps = vec![(0, Wanted::new(Opcode::Route, &path))];
        if let Some((cycles, fields)) = pattern(&SRAM, PatternPhase::ALL[index[1]], 5) {
            steps.push((MEETS - cycles, of(&fields)));
        }
        let [l1, l2] = draw_levels(index[3]);
        let delay = index[4] as u64 * rng.random_range(1..9);
        let fields = [(sram::L1_ITER, l1), (sram::L2_ITER, l2), (sram::INIT_DELAY, delay)];
        steps.push((MEETS, of(&fields)));
        Some(Recipe::timed(steps).within(margin))
    }
}

/// Phases of the two generators of a tile in the same cycle.
pub(crate) struct GeneratorPairs;

impl GeneratorPairs {
    /// Number of a bin; the read generator comes first.
    #[inline]
    pub(crate) fn bin(phases: [PatternPhase; 2]) -> usize {
        phases[0] as usize * PHASES + phases[1] as usize
    }
}

/// Instructions that bring two generators into these phases in the same cycle.
fn both(
    index: &[usize],
    fields: &PatternFields,
    of: impl Fn(u64, &[(InstructionField, u64)]) -> Wanted,
) -> Option<Vec<(u64, Wanted)>> {
    let mut steps = Vec::new();
    for (generator, (&phase, cycles)) in index.iter().zip([5, 7]).enumerate() {
        let phase = PatternPhase::ALL[phase];
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

impl Bins for GeneratorPairs {
    fn name(&self) -> String {
        "SRAM generators together".to_owned()
    }

    fn axes(&self) -> Axes {
        let write = PatternPhase::ALL.iter().map(|p| format!("wr {}", p.name()));
        let read = PatternPhase::ALL.iter().map(|p| format!("rd {}", p.name()));
        Axes(vec![Axis::new("read generator", read), Axis::new("write generator", write)])
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |rw, fields: &[(InstructionField, u64)]| {
            Wanted::new(Opcode::Sram, &[(sram::RW, rw)]).with(fields)
        };
        if let Some(steps) = both(index, &SRAM, of) {
            let path = (0, Wanted::new(Opcode::Route, &[]));
            return Some(Recipe::timed([path].into_iter().chain(steps)));
        }
        // Two configurations at once come from two cells, over paths that end in the same tile.
        let configured = PatternPhase::Configured as usize;
        if index != [configured; 2] {
            return None;
        }
        let (path, hops, _) = path_from(Side::W)?;
        let west = [
            (1, Wanted::new(Opcode::Route, &path)),
            (6, Wanted::new(Opcode::Sram, &[(sram::RW, 1), (sram::HOPS, hops)])),
        ];
        let home = [(2, Wanted::new(Opcode::Route, &[])), (7, of(0, &[]))];
        let west = RecipeCell::timed(west).at(None, -1);
        Some(Recipe::of([RecipeCell::timed(home), west]).within([1, 0]))
    }
}

/// Generator of an I/O unit, its phase, blocks of the configuration, its delay, its mask.
pub(crate) struct IoOffers;

/// Names of numbers of blocks and of masks.
const BLOCKS: [&str; 2] = ["single block", "several blocks"];
const MASKS: [&str; 3] = ["no mask", "some words masked", "all words masked"];

impl IoOffers {
    /// Number of a bin; `generator`: 0 read, 1 write.
    #[inline]
    pub(crate) fn bin(generator: usize, offer: &Offer) -> usize {
        let c = &offer.config;
        let at = generator * PHASES + offer.phase as usize;
        let at = at * BLOCKS.len() + usize::from(c.l1_iter > 0);
        let at = at * DELAY.len() + usize::from(c.init_delay > 0);
        at * MASKS.len() + MASK.of(c.mask.into())
    }
}

impl Bins for IoOffers {
    fn name(&self) -> String {
        "IO offer by phase".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("generator", Generator::ALL),
            phases("phase"),
            Axis::new("blocks", BLOCKS),
            Axis::new("delay", DELAY),
            Axis::new("mask", MASKS),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |fields: &[(InstructionField, u64)]| {
            Wanted::new(Opcode::Io, &[(io::RW, index[0] as u64)]).with(fields)
        };
        let phase = PatternPhase::ALL[index[1]];
        let first = pattern(&IO, phase, 5).map(|(c, fields)| (MEETS - c, of(&fields)));
        if first.is_none() && phase != PatternPhase::Idle {
            return None;
        }
        let fields = [
            (io::L1_ITER, index[2] as u64 * rng.random_range(1..6)),
            (io::INIT_DELAY, index[3] as u64 * rng.random_range(1..6)),
            (io::MASK, MASK.draw(index[4], rng)),
        ];
        Some(Recipe::timed(first.into_iter().chain([(MEETS, of(&fields))])))
    }
}

/// Phases of the two generators of an I/O unit in the same cycle.
pub(crate) struct IoPairs;

impl Bins for IoPairs {
    fn name(&self) -> String {
        "IO generators together".to_owned()
    }

    fn axes(&self) -> Axes {
        GeneratorPairs.axes()
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let of = |rw, fields: &[(InstructionField, u64)]| {
            Wanted::new(Opcode::Io, &[(io::RW, rw)]).with(fields)
        };
        Some(Recipe::timed(both(index, &IO, of)?))
    }
}
