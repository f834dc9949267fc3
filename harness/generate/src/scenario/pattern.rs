// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address patterns of movements.

use rand::RngExt;

use crate::plan::Plan;

/// A two-level address pattern; all ports of a movement share it, so that they run in step.
pub(super) struct Pattern {
    pub(super) l1_iter: u64,
    pub(super) l1_delay: u64,
    pub(super) l2_iter: u64,
    pub(super) l2_delay: u64,
}

impl Pattern {
    /// Up to `most` items, a few of them with rows and delays.
    pub(super) fn draw(plan: &mut Plan<'_>, most: u64) -> Self {
        let rng = &mut *plan.rng;
        let items = rng.random_range(1..=most.max(2));
        let mut pattern = Self { l1_iter: items - 1, l1_delay: 0, l2_iter: 0, l2_delay: 0 };
        if rng.random_bool(0.25) {
            pattern.l1_delay = rng.random_range(0..4);
        }
        if items >= 4 && rng.random_bool(0.3) {
            let rows = rng.random_range(2..=items / 2);
            pattern.l1_iter = items / rows - 1;
            pattern.l2_iter = rows - 1;
            pattern.l2_delay = if rng.random_bool(0.5) { rng.random_range(0..5) } else { 0 };
        }
        pattern
    }

    /// Cycles from the first to the last item.
    pub(super) fn span(&self) -> u64 {
        let row = self.l1_iter * (1 + self.l1_delay) + 1;
        (self.l2_iter + 1) * row + self.l2_iter * self.l2_delay - 1
    }

    /// Fields of a REFI for words: steps of its own.
    pub(super) fn words(&self, plan: &mut Plan<'_>) -> Vec<(&'static str, u64)> {
        let rng = &mut *plan.rng;
        let step = if rng.random_bool(0.7) { 1 } else { rng.random_range(1..16) };
        let mut fields = vec![
            ("init_addr", rng.random_range(0..plan.geometry.rf_words as u64)),
            ("l1_iter", self.l1_iter),
            ("l1_step", step),
            ("l1_step_sign", u64::from(rng.random_bool(0.2))),
            ("l1_delay", self.l1_delay),
        ];
        if self.l2_iter > 0 {
            let step = rng.random_range(1..32u64);
            fields.extend([
                ("l2_iter", self.l2_iter & 31),
                ("l2_iter_ext", self.l2_iter >> 5),
                ("l2_step", step & 15),
                ("l2_step_ext", step >> 4),
                ("l2_delay", self.l2_delay),
            ]);
        }
        fields
    }

    /// Fields of a REFI for blocks.
    pub(super) fn blocks(&self, plan: &mut Plan<'_>) -> Vec<(&'static str, u64)> {
        let first = plan.rng.random_range(0..plan.geometry.rf_blocks() as u64);
        vec![
            ("init_addr", first),
            ("l1_iter", self.l1_iter),
            ("l1_delay", self.l1_delay),
            ("l2_iter", self.l2_iter),
            ("l2_delay", self.l2_delay),
        ]
    }
}
