// SPDX-License-Identifier: MIT OR Apache-2.0
//! BRANCHes soon after the compare status has changed.

use drra_isa::{
    Opcode, Operand, Recipe, Steps, Wanted,
    fabric::DpuStatus,
    instructions::{BranchMode, BwConfig, DpuMode, branch},
};
use rand_chacha::ChaCha8Rng;

use super::feed::feed;
use crate::{
    cross::{Directed, cross},
    decode::NOWHERE,
};

cross! {
    /// A BRANCH with the compare status in the cycle of its decode.
    Branches "BRANCH" {
        mode: BranchMode = "mode",
        status: DpuStatus = "status" "on {}",
        since: Since = "since" ["new in this cycle", "for 2 cycles", "for longer"],
    }
}

impl Since {
    /// For so many cycles the status is what it is, at least 1.
    #[inline]
    pub(crate) fn cycles(cycles: u8) -> Self {
        Self(usize::from(cycles.clamp(1, 3) - 1))
    }
}

impl Directed for Branches {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        // Operands of cycle 9 + k are pair k; status of pair 8 is there from cycle 18 on, when that of
        // the pairs before it was another one.
        let pair = |status: DpuStatus| match status {
            DpuStatus::Less => [3, 7],
            DpuStatus::Greater => [7, 3],
            DpuStatus::Equal => [5, 5],
        };
        let other = *DpuStatus::ALL.iter().find(|s| **s != self.status)?;
        let pairs: Vec<[u16; 2]> = [[pair(other); 8], [pair(self.status); 8]].concat();
        let mode = Wanted::dpu(DpuMode::MaxMin.code().into());
        let mut recipe = feed(mode, BwConfig::Int16, Some(Operand::In1), &pairs);
        let fields = [(branch::MODE, self.mode.code().into()), (branch::FALSE_PC, NOWHERE)];
        if let Steps::Timed(steps) = &mut recipe.cells[0].steps {
            steps.push((18 + self.since.0 as u64, Wanted::new(Opcode::Branch, &fields)));
        }
        Some(recipe)
    }
}
