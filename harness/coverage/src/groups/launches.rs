// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations that reach an AGU, in every phase of the pattern before them.

use drra_golden::AguPhase;
use drra_isa::{
    InstructionField, Opcode, Recipe, Wanted,
    fabric::{AguId, images::AguCfg},
    instructions::{refi, wait},
};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Classes, Directed, cross, named},
    decode::refi_for,
};

/// Class of a two-level pattern: bit 0 if the inner level has several items, bit 1 if the outer
/// one has.
pub(super) fn levels(l1_iter: u64, l2_iter: u64) -> usize {
    usize::from(l1_iter > 0) + 2 * usize::from(l2_iter > 0)
}

/// `l1_iter` and `l2_iter` of such a class.
pub(super) fn draw_levels(class: usize) -> [u64; 2] {
    [(class & 1) as u64 * 5, (class >> 1) as u64 * 2]
}

cross! {
    /// AGU, levels of the pattern, delay before it, whether the AGU is busy.
    Launches "AGU launch" {
        agu: AguId = "AGU",
        levels: Levels = "levels" [
            "single address", "one level", "second level only", "two levels",
        ],
        delay: Delay = "delay" { 0 "no delay", 1 "delay 1", 2 "longer delay"; 10 },
        busy: Busy = "state" ["at rest", "busy"],
    }
}

impl Levels {
    #[inline]
    pub(super) fn new(config: &AguCfg) -> Self {
        Self(levels(config.l1_iter.into(), config.l2_iter.into()))
    }
}

impl Launches {
    /// The bin of a launch.
    #[inline]
    pub(crate) fn new(agu: AguId, config: &AguCfg, busy: bool) -> Self {
        let (levels, delay) = (Levels::new(config), Delay::class(config.init_delay));
        Self { agu, levels, delay, busy: Busy(busy.into()) }
    }
}

/// A REFI with these levels and this delay.
fn launched(agu: AguId, levels: Levels, delay: Delay, rng: &mut ChaCha8Rng) -> Wanted {
    let [l1, l2] = draw_levels(levels.0);
    let delay = delay.draw(rng);
    refi_for(agu).with(&[(refi::L1_ITER, l1), (refi::L2_ITER, l2), (refi::INIT_DELAY, delay)])
}

impl Directed for Launches {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let launched = launched(self.agu, self.levels, self.delay, rng);
        let busy = (self.busy.0 == 1).then(|| refi_for(self.agu).with(&[(refi::L1_ITER, 40)]));
        Some(Recipe::sequence(busy.into_iter().chain([launched])))
    }
}

cross! {
    /// AGU, delays within the pattern, direction of the inner steps.
    Patterns "AGU pattern" {
        agu: AguId = "AGU",
        delays: Delays = "delays" ["no delays", "inner delay", "row delay", "both delays"],
        direction: Direction = "direction" ["upwards", "downwards"],
    }
}

impl Patterns {
    /// The bin of a launch.
    #[inline]
    pub(crate) fn new(agu: AguId, config: &AguCfg) -> Self {
        let delays = Delays(levels(config.l1_delay.into(), config.l2_delay.into()));
        Self { agu, delays, direction: Direction(config.l1_step_sign.into()) }
    }
}

impl Directed for Patterns {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let delays = self.delays.0 as u64;
        Some(Recipe::sequence([refi_for(self.agu).with(&[
            (refi::L1_ITER, 5),
            (refi::L2_ITER, 2),
            (refi::L1_DELAY, (delays & 1) * 2),
            (refi::L2_DELAY, (delays >> 1) * 3),
            (refi::L1_STEP_SIGN, self.direction.0 as u64),
        ])]))
    }
}

named! {
    /// How a configuration is launched: it arrives with the flag set, and nothing waits, or it takes
    /// the place of one that waits; or it has waited itself.
    How {
        Arrives "arrives",
        ArrivesOverWaiting "arrives while one waits",
        HasWaited "has waited",
    }
}

cross! {
    /// AGU, its phase, how a configuration is launched, its levels, its delay.
    Relaunches "AGU launch by phase" {
        agu: AguId = "AGU",
        phase: AguPhase = "phase",
        how: How = "launch",
        levels: Levels = "levels",
        delay: Delay = "delay",
    }
}

impl Relaunches {
    /// The bin of a launch.
    #[inline]
    pub(crate) fn new(agu: AguId, phase: AguPhase, how: How, config: &AguCfg) -> Self {
        let (levels, delay) = (Levels::new(config), Delay::class(config.init_delay));
        Self { agu, phase, how, levels, delay }
    }
}

/// A pattern, and cycles from its launch until it is in a phase; none for an AGU at rest.
fn pattern(phase: AguPhase) -> Option<(u64, Vec<(InstructionField, u64)>)> {
    use refi::*;
    let (cycles, fields): (u64, &[(InstructionField, u64)]) = match phase {
        AguPhase::Idle => return None,
        AguPhase::InitWait => (5, &[(INIT_DELAY, 20)]),
        AguPhase::InitWaitLast => (7, &[(INIT_DELAY, 8)]),
        AguPhase::Run => (5, &[(L1_ITER, 30)]),
        AguPhase::RunBetween => (4, &[(L1_ITER, 9), (L1_DELAY, 9)]),
        AguPhase::RunRowEnd => (3, &[(L1_ITER, 3), (L2_ITER, 5), (L2_STEP, 1)]),
        AguPhase::RunLast => (7, &[(L1_ITER, 7)]),
        AguPhase::RowWait => (5, &[(L1_ITER, 1), (L2_ITER, 3), (L2_DELAY, 10)]),
        // Addresses in cycles 0 and 1, ten cycles of waiting, the next row in cycle 12.
        AguPhase::RowWaitLast => (11, &[(L1_ITER, 1), (L2_ITER, 3), (L2_DELAY, 10)]),
        AguPhase::RowStart => (12, &[(L1_ITER, 1), (L2_ITER, 3), (L2_DELAY, 10)]),
    };
    Some((cycles, fields.to_vec()))
}

/// Instructions that bring an AGU into a phase in the cycle after `cycle`.
fn lead(agu: AguId, phase: AguPhase, cycle: u64) -> Vec<(u64, Wanted)> {
    let first =
        pattern(phase).map(|(cycles, fields)| (cycle - cycles, refi_for(agu).with(&fields)));
    first.into_iter().collect()
}

/// Cycle of the decode that meets the phase, counted from the start of a recipe.
const MEETS: u64 = 14;

impl Directed for Relaunches {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let agu = self.agu;
        let launched = launched(agu, self.levels, self.delay, rng);
        let mut steps = lead(agu, self.phase, MEETS);
        match self.how {
            How::Arrives => steps.push((MEETS, launched)),
            How::ArrivesOverWaiting => {
                steps.push((MEETS - 1, refi_for(agu).with(&[(refi::INIT_ADDR, 2)]).deferred()));
                steps.push((MEETS, launched));
            }
            How::HasWaited => {
                steps.push((MEETS - 1, launched.deferred()));
                steps.push((MEETS, Wanted::new(Opcode::Wait, &[(wait::CYCLE, 0)])));
            }
        }
        Some(Recipe::timed(steps))
    }
}

cross! {
    /// AGU, its phase, whether the configuration that begins to wait replaces another one.
    Shadowings "AGU configuration that waits, by phase" {
        agu: AguId = "AGU",
        phase: AguPhase = "phase",
        shadow: Shadow = "shadow register" ["empty", "replaced"],
    }
}

impl Directed for Shadowings {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let agu = self.agu;
        let mut steps = lead(agu, self.phase, MEETS);
        let waits = |word| refi_for(agu).with(&[(refi::INIT_ADDR, word)]).deferred();
        if self.shadow.0 == 1 {
            steps.push((MEETS - 1, waits(1)));
        }
        steps.push((MEETS, waits(2)));
        Some(Recipe::timed(steps))
    }
}
