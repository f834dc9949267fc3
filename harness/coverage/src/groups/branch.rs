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
    axes::{Axes, Axis},
    group::Bins,
    kind::NOWHERE,
};

/// Mode, compare status in the cycle of the decode, since when.
pub(crate) struct Branches;

/// When the status has changed last.
const SINCE: [&str; 3] = ["new in this cycle", "for 2 cycles", "for longer"];

impl Branches {
    /// Number of a bin; `since`: cycles for which the status is what it is, at least 1.
    #[inline]
    pub(crate) fn bin(mode: usize, status: u8, since: u8) -> usize {
        let at = mode * DpuStatus::ALL.len() + usize::from(status);
        at * SINCE.len() + usize::from(since.clamp(1, 3) - 1)
    }
}

impl Bins for Branches {
    fn name(&self) -> String {
        "BRANCH".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("mode", BranchMode::ALL),
            Axis::new("status", DpuStatus::ALL.iter().map(|s| format!("on {s}"))),
            Axis::new("since", SINCE),
        ])
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        // Operands of cycle 9 + k are pair k; status of pair 8 is there from cycle 18 on, when that of
        // the pairs before it was another one.
        let pair = |status: DpuStatus| match status {
            DpuStatus::Less => [3, 7],
            DpuStatus::Greater => [7, 3],
            DpuStatus::Equal => [5, 5],
        };
        let status = DpuStatus::ALL[index[1]];
        let other = *DpuStatus::ALL.iter().find(|s| **s != status)?;
        let pairs: Vec<[u16; 2]> = [[pair(other); 8], [pair(status); 8]].concat();
        let mode = Wanted::dpu(DpuMode::MaxMin.code().into());
        let mut recipe = feed(mode, BwConfig::Int16, Some(Operand::In1), &pairs);
        let fields = [(branch::MODE, index[0] as u64), (branch::FALSE_PC, NOWHERE)];
        if let Steps::Timed(steps) = &mut recipe.cells[0].steps {
            steps.push((18 + index[2] as u64, Wanted::new(Opcode::Branch, &fields)));
        }
        Some(recipe)
    }
}
