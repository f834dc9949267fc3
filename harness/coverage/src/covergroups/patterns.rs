// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations that reach the generators of register files, tiles and I/O units, in every phase of the previous
//! pattern.

use drra_case::{DirectedCell, DirectedSequence, InstructionTemplate};
use drra_fabric::{AguId, Generator, Side};
use drra_golden::{AguPhase, ConfigOffer, PatternPhase};
use drra_isa::{
    InstructionField, Opcode,
    instructions::{io, refi, sram, wait},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{
    messages::path,
    settings::{Blocks, Delay, Mask},
};
use crate::{
    cross::{Dimension, DirectedCross, cross, draw_levels, levels, named},
    decode::refi_for,
};

cross! {
    /// AGU, levels of the pattern, its initial delay, and whether the AGU is busy.
    Launches "AGU launch" {
        agu: AguId = "AGU",
        levels: Levels ["single address", "one level", "second level only", "two levels"]
            = "levels",
        delay: LaunchDelay { 0 "no delay", 1 "delay 1", 2 "longer delay"; 10 } = "delay",
        busy: Busy ["at rest", "busy"] = "state",
    }
}

/// A REFI with these levels and this delay.
fn launched(
    agu: AguId,
    levels: Levels,
    delay: LaunchDelay,
    rng: &mut ChaCha8Rng,
) -> InstructionTemplate {
    let [l1, l2] = draw_levels(levels.0);
    let delay = delay.draw(rng);
    refi_for(agu).with(&[(refi::L1_ITER, l1), (refi::L2_ITER, l2), (refi::INIT_DELAY, delay)])
}

impl DirectedCross for Launches {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let launched = launched(self.agu, self.levels, self.delay, rng);
        let busy = (self.busy.0 == 1).then(|| refi_for(self.agu).with(&[(refi::L1_ITER, 40)]));
        Some(DirectedSequence::in_order(busy.into_iter().chain([launched])))
    }
}

cross! {
    /// AGU, delays within the pattern, direction of the inner steps.
    Patterns "AGU pattern" {
        agu: AguId = "AGU",
        delays: Delays ["no delays", "inner delay", "row delay", "both delays"] = "delays",
        direction: Direction ["upwards", "downwards"] = "direction",
    }
}

impl DirectedCross for Patterns {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let delays = self.delays.draw(rng);
        Some(DirectedSequence::in_order([refi_for(self.agu).with(&[
            (refi::L1_ITER, 5),
            (refi::L2_ITER, 2),
            (refi::L1_DELAY, (delays & 1) * 2),
            (refi::L2_DELAY, (delays >> 1) * 3),
            (refi::L1_STEP_SIGN, self.direction.draw(rng)),
        ])]))
    }
}

named! {
    /// How a configuration is launched: it arrives with the flag set while nothing waits, it replaces a waiting
    /// configuration, or it has waited itself.
    How {
        Arrives "arrives",
        ArrivesOverWaiting "arrives while one waits",
        HasWaited "has waited",
    }
}

cross! {
    /// AGU, its phase; how a configuration is launched, the levels of the configuration, its delay.
    Relaunches "AGU launch by phase" {
        agu: AguId = "AGU",
        phase: AguPhase = "phase",
        how: How = "launch",
        levels: Levels = "levels",
        delay: LaunchDelay = "delay",
    }
}

/// Cycle of the decode that meets the phase of an AGU, counted from the start of a directed sequence.
const LAUNCH: u64 = 14;

/// Instructions that bring an AGU into a phase in the cycle after `cycle`; none for an idle AGU.
fn lead(agu: AguId, phase: AguPhase, cycle: u64) -> Vec<(u64, InstructionTemplate)> {
    use refi::*;
    let (cycles, fields): (u64, &[(InstructionField, u64)]) = match phase {
        AguPhase::Idle => return Vec::new(),
        AguPhase::InitWait => (5, &[(INIT_DELAY, 20)]),
        AguPhase::InitWaitLast => (7, &[(INIT_DELAY, 8)]),
        AguPhase::Run => (5, &[(L1_ITER, 30)]),
        AguPhase::RunBetween => (4, &[(L1_ITER, 9), (L1_DELAY, 9)]),
        AguPhase::RunRowEnd => (3, &[(L1_ITER, 3), (L2_ITER, 5), (L2_STEP, 1)]),
        AguPhase::RunLast => (7, &[(L1_ITER, 7)]),
        AguPhase::RowWait => (5, &[(L1_ITER, 1), (L2_ITER, 3), (L2_DELAY, 10)]),
        // Addresses in cycles 0 and 1, ten waiting cycles, the next row in cycle 12.
        AguPhase::RowWaitLast => (11, &[(L1_ITER, 1), (L2_ITER, 3), (L2_DELAY, 10)]),
        AguPhase::RowStart => (12, &[(L1_ITER, 1), (L2_ITER, 3), (L2_DELAY, 10)]),
    };
    vec![(cycle - cycles, refi_for(agu).with(fields))]
}

/// A REFI that waits; its pattern starts at a given address: a word or, for a block AGU, a block.
fn waits(agu: AguId, address: u64) -> InstructionTemplate {
    refi_for(agu).with(&[(refi::INIT_ADDR, address)]).deferred()
}

impl DirectedCross for Relaunches {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let agu = self.agu;
        let launched = launched(agu, self.levels, self.delay, rng);
        let mut steps = lead(agu, self.phase, LAUNCH);
        match self.how {
            How::Arrives => steps.push((LAUNCH, launched)),
            How::ArrivesOverWaiting => {
                steps.extend([(LAUNCH - 1, waits(agu, 2)), (LAUNCH, launched)]);
            }
            How::HasWaited => {
                let flag = InstructionTemplate::new(Opcode::Wait, &[(wait::CYCLE, 0)]);
                steps.extend([(LAUNCH - 1, launched.deferred()), (LAUNCH, flag)]);
            }
        }
        Some(DirectedSequence::timed(steps))
    }
}

cross! {
    /// AGU, its phase, and whether the configuration that starts to wait replaces another one.
    Shadowings "AGU configuration that waits, by phase" {
        agu: AguId = "AGU",
        phase: AguPhase = "phase",
        shadow: Shadow ["empty", "replaced"] = "shadow register",
    }
}

impl DirectedCross for Shadowings {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let replaced = (self.shadow.0 == 1).then(|| (LAUNCH - 1, waits(self.agu, 1)));
        let lead = lead(self.agu, self.phase, LAUNCH).into_iter().chain(replaced);
        Some(DirectedSequence::timed(lead.chain([(LAUNCH, waits(self.agu, 2))])))
    }
}

/// The fields of a pattern for a tile or an I/O unit, by role.
struct PatternFields {
    opcode: Opcode,
    generator: InstructionField,
    delay: InstructionField,
    l1_iter: InstructionField,
    l1_delay: InstructionField,
    /// Second level: iterations and delay.
    l2: Option<[InstructionField; 2]>,
}

const SRAM: PatternFields = PatternFields {
    opcode: Opcode::Sram,
    generator: sram::RW,
    delay: sram::INIT_DELAY,
    l1_iter: sram::L1_ITER,
    l1_delay: sram::L1_DELAY,
    l2: Some([sram::L2_ITER, sram::L2_DELAY]),
};

const IO: PatternFields = PatternFields {
    opcode: Opcode::Io,
    generator: io::RW,
    delay: io::INIT_DELAY,
    l1_iter: io::L1_ITER,
    l1_delay: io::L1_DELAY,
    l2: None,
};

impl PatternFields {
    /// An instruction for a generator.
    fn of(&self, generator: Generator) -> InstructionTemplate {
        InstructionTemplate::new(self.opcode, &[(self.generator, generator as u64)])
    }

    /// Fields of a pattern that reaches a phase `cycles` cycles (at least 3) after it is offered, and the actual number
    /// of cycles, which is 1 for `Configured`; `None` for an idle generator, or if no pattern has the phase.
    fn pattern(
        &self,
        phase: PatternPhase,
        cycles: u64,
    ) -> Option<(u64, Vec<(InstructionField, u64)>)> {
        let Self { delay, l1_iter, l1_delay, l2, .. } = *self;
        Some(match phase {
            PatternPhase::Idle => return None,
            PatternPhase::Configured => (1, vec![(delay, 3)]),
            PatternPhase::InitWait => (cycles, vec![(delay, cycles + 4)]),
            PatternPhase::InitWaitLast => (cycles, vec![(delay, cycles - 1)]),
            PatternPhase::Run => (cycles, vec![(l1_iter, cycles + 9)]),
            PatternPhase::RunBetween => (cycles, vec![(l1_iter, 2), (l1_delay, 20)]),
            PatternPhase::RunRowEnd => (cycles, vec![(l2?[0], cycles + 9)]),
            PatternPhase::RunBetweenRows => (cycles, vec![(l2?[0], 2), (l2?[1], 20)]),
            PatternPhase::RunLast => (cycles, vec![(l1_iter, cycles - 2)]),
        })
    }

    /// Instructions that bring the two generators into these phases in the same cycle.
    fn both(&self, phases: [PatternPhase; 2]) -> Option<Vec<(u64, InstructionTemplate)>> {
        let mut steps = Vec::new();
        for ((phase, cycles), generator) in phases.into_iter().zip([5, 7]).zip(Generator::ALL) {
            let Some((cycles, pattern)) = self.pattern(phase, cycles) else {
                // An idle generator needs no pattern; any other phase without a pattern cannot be reached.
                if phase == PatternPhase::Idle { continue } else { return None }
            };
            steps.push((OFFER - cycles, self.of(*generator).with(&pattern)));
        }
        if steps.is_empty() {
            steps.push((OFFER, self.of(Generator::ALL[0])));
        }
        // One cell cannot decode two instructions in the same cycle.
        let clash = steps.len() == 2 && steps[0].0 == steps[1].0;
        (!clash).then_some(steps)
    }
}

cross! {
    /// Generator of a tile, its phase; side that took the configuration, levels of the configuration, its delay.
    TileOffers "SRAM offer by phase" {
        generator: Generator = "generator",
        phase: PatternPhase = "phase",
        side: Side = "side" "taken at {side}",
        levels: Levels = "levels",
        delay: Delay = "delay",
    }
}

impl TileOffers {
    /// The bin of an offer.
    pub(crate) fn new(generator: Generator, offer: &ConfigOffer) -> Self {
        let c = &offer.config;
        Self {
            generator,
            phase: offer.phase,
            side: offer.side,
            levels: Levels(levels(c.l1_iter, c.l2_iter)),
            delay: Delay::class(c.init_delay),
        }
    }
}

/// Cycle of the decode that meets the phase of a generator, counted from the start of a directed sequence.
const OFFER: u64 = 10;

impl DirectedCross for TileOffers {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let (path, hops) = path(self.side, None)?;
        let margin = [Side::E, Side::W].map(|side| usize::from(self.side == side));
        let offer = SRAM.of(self.generator).with(&[(sram::HOPS, hops)]);
        let mut steps = vec![(0, InstructionTemplate::new(Opcode::Route, &path))];
        if let Some((cycles, fields)) = SRAM.pattern(self.phase, 5) {
            steps.push((OFFER - cycles, offer.clone().with(&fields)));
        }
        let [l1, l2] = draw_levels(self.levels.0);
        let delay = self.delay.0 as u64 * rng.random_range(1..9);
        let fields = [(sram::L1_ITER, l1), (sram::L2_ITER, l2), (sram::INIT_DELAY, delay)];
        steps.push((OFFER, offer.with(&fields)));
        Some(DirectedSequence::timed(steps).within(margin))
    }
}

cross! {
    /// Phases of the two generators of a tile in the same cycle.
    TilePairs "SRAM generators together" {
        read: PatternPhase = "read generator" "rd {read}",
        write: PatternPhase = "write generator" "wr {write}",
    }
}

impl DirectedCross for TilePairs {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let phases = [self.read, self.write];
        let route = |path: &[_]| InstructionTemplate::new(Opcode::Route, path);
        if let Some(steps) = SRAM.both(phases) {
            return Some(DirectedSequence::timed([(0, route(&[]))].into_iter().chain(steps)));
        }
        // Two simultaneous configurations come from two cells, over paths that end in the same tile.
        if phases != [PatternPhase::Configured; 2] {
            return None;
        }
        let (path, hops) = path(Side::W, None)?;
        let [read, write] = [0, 1].map(|k| SRAM.of(Generator::ALL[k]));
        let west = [(1, route(&path)), (6, write.with(&[(sram::HOPS, hops)]))];
        let home = DirectedCell::timed([(2, route(&[])), (7, read)]);
        Some(DirectedSequence::of([home, DirectedCell::timed(west).at(None, -1)]).within([1, 0]))
    }
}

cross! {
    /// Generator of an I/O unit, its phase; number of blocks of the configuration, its delay, its mask.
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
    pub(crate) fn new(generator: Generator, offer: &ConfigOffer) -> Self {
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

impl DirectedCross for IoOffers {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let offer = IO.of(self.generator);
        let first = IO.pattern(self.phase, 5).map(|(c, f)| (OFFER - c, offer.clone().with(&f)));
        if first.is_none() && self.phase != PatternPhase::Idle {
            return None;
        }
        let fields = [
            (io::L1_ITER, self.blocks.0 as u64 * rng.random_range(1..6)),
            (io::INIT_DELAY, self.delay.0 as u64 * rng.random_range(1..6)),
            (io::MASK, self.mask.draw(rng)),
        ];
        Some(DirectedSequence::timed(first.into_iter().chain([(OFFER, offer.with(&fields))])))
    }
}

cross! {
    /// Phases of the two generators of an I/O unit in the same cycle.
    IoPairs "IO generators together" {
        read: PatternPhase = "read generator" "rd {read}",
        write: PatternPhase = "write generator" "wr {write}",
    }
}

impl DirectedCross for IoPairs {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        Some(DirectedSequence::timed(IO.both([self.read, self.write])?))
    }
}
