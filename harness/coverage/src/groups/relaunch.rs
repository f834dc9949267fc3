// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations that reach an AGU in every phase of the pattern before them.

use drra_golden::{AguPhase, units::AguConfig};
use drra_isa::{
    InstructionField, Opcode, Recipe, Wanted,
    fabric::AguId,
    instructions::{refi, wait},
};
use rand_chacha::ChaCha8Rng;

use super::{
    agu::DELAY,
    product::{draw_levels, levels},
};
use crate::{
    axes::{Axes, Axis},
    group::Bins,
    kind::refi_for,
};

/// How a configuration is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It arrives with the flag set, and nothing waits.
    Arrives,
    /// It arrives with the flag set and takes the place of one that waits.
    ArrivesOverWaiting,
    /// It has waited.
    HasWaited,
}

/// Names of the ways of a launch.
const HOW: [&str; 3] = ["arrives", "arrives while one waits", "has waited"];

/// Names of levels and delays of a pattern.
pub(super) const LEVELS: [&str; 4] =
    ["single address", "one level", "second level only", "two levels"];
pub(super) const DELAYS: [&str; 3] = ["no delay", "delay 1", "longer delay"];

/// AGU, its phase, how a configuration is launched, its levels, its delay.
pub(crate) struct Relaunches;

impl Relaunches {
    /// Number of a bin.
    #[inline]
    pub(crate) fn bin(agu: AguId, phase: AguPhase, how: How, config: &AguConfig) -> usize {
        let levels = levels(config.l1_iter.into(), config.l2_iter.into());
        let delay = DELAY.of(config.init_delay.into());
        let at = (agu.index() * AguPhase::ALL.len() + phase as usize) * HOW.len() + how as usize;
        (at * LEVELS.len() + levels) * DELAYS.len() + delay
    }
}

/// The properties AGU and phase.
fn phases() -> Vec<Axis> {
    vec![Axis::new("AGU", AguId::ALL), Axis::new("phase", AguPhase::ALL.iter().map(|p| p.name()))]
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

impl Bins for Relaunches {
    fn name(&self) -> String {
        "AGU launch by phase".to_owned()
    }

    fn axes(&self) -> Axes {
        let mut axes = phases();
        axes.push(Axis::new("launch", HOW));
        axes.push(Axis::new("levels", LEVELS));
        axes.push(Axis::new("delay", DELAYS));
        Axes(axes)
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let agu = AguId::ALL[index[0]];
        let [l1, l2] = draw_levels(index[3]);
        let delay = DELAY.draw(index[4], rng);
        let fields = [(refi::L1_ITER, l1), (refi::L2_ITER, l2), (refi::INIT_DELAY, delay)];
        let launched = refi_for(agu).with(&fields);
        let mut steps = lead(agu, AguPhase::ALL[index[1]], MEETS);
        match index[2] {
            0 => steps.push((MEETS, launched)),
            1 => {
                steps.push((MEETS - 1, refi_for(agu).with(&[(refi::INIT_ADDR, 2)]).deferred()));
                steps.push((MEETS, launched));
            }
            _ => {
                steps.push((MEETS - 1, launched.deferred()));
                steps.push((MEETS, Wanted::new(Opcode::Wait, &[(wait::CYCLE, 0)])));
            }
        }
        Some(Recipe::timed(steps))
    }
}

/// AGU, its phase, whether the configuration that begins to wait replaces another one.
pub(crate) struct Shadowings;

impl Shadowings {
    /// Number of a bin.
    #[inline]
    pub(crate) fn bin(agu: AguId, phase: AguPhase, replaces: bool) -> usize {
        (agu.index() * AguPhase::ALL.len() + phase as usize) * 2 + usize::from(replaces)
    }
}

impl Bins for Shadowings {
    fn name(&self) -> String {
        "AGU configuration that waits, by phase".to_owned()
    }

    fn axes(&self) -> Axes {
        let mut axes = phases();
        axes.push(Axis::new("shadow register", ["empty", "replaced"]));
        Axes(axes)
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let agu = AguId::ALL[index[0]];
        let mut steps = lead(agu, AguPhase::ALL[index[1]], MEETS);
        let waits = |word| refi_for(agu).with(&[(refi::INIT_ADDR, word)]).deferred();
        if index[2] == 1 {
            steps.push((MEETS - 1, waits(1)));
        }
        steps.push((MEETS, waits(2)));
        Some(Recipe::timed(steps))
    }
}
