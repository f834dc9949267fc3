// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that follow each other in a cell.

use drra_isa::{Opcode, Recipe, Step};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Directed, cross},
    decode::{Kind, preludes},
};

cross! {
    /// An instruction, the one that is decoded in the cycle after its last, their flags.
    Pairs "instruction pairs" {
        first: Kind = "first instruction",
        second: Kind = "second instruction" "then {}",
        /// As `2 * first + second`.
        flags: Flags = "flags" [
            "both deferred", "deferred then immediate", "immediate then deferred",
            "both immediate",
        ],
    }
}

impl Flags {
    #[inline]
    pub(crate) fn new(first: bool, second: bool) -> Self {
        Self(2 * usize::from(first) + usize::from(second))
    }

    pub(super) fn each(self) -> [bool; 2] {
        [self.0 & 2 == 2, self.0 & 1 == 1]
    }
}

impl Pairs {
    /// The bin of two instructions with their flags.
    #[inline]
    pub(crate) fn new(first: (Kind, bool), second: (Kind, bool)) -> Self {
        Self { first: first.0, second: second.0, flags: Flags::new(first.1, second.1) }
    }
}

impl Directed for Pairs {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        Some(row(&[self.first, self.second], &self.flags.each(), rng))
    }
}

/// Instructions with flags, one decoded in the cycle after the other's last.
fn row(kinds: &[Kind], flags: &[bool], rng: &mut ChaCha8Rng) -> Recipe {
    let mut steps = preludes(kinds);
    for (k, (kind, flag)) in kinds.iter().zip(flags).enumerate() {
        let mut wanted = kind.wanted(rng);
        wanted.immediate = *flag;
        let jumps = wanted.opcode == Opcode::Jump || *kind == Kind::BRANCH_TAKEN;
        let on = jumps && k + 1 < kinds.len();
        steps.push(Step { wanted, target: on.then_some(steps.len() + 1) });
    }
    Recipe::sequence(steps)
}

cross! {
    /// Three instructions, each decoded in the cycle after the last of the one before, their flags.
    Triples "instruction triples" {
        first: Kind = "first instruction",
        second: Kind = "second instruction" "then {}",
        third: Kind = "third instruction" "then {}",
        /// `d` deferred, `i` immediate.
        flags: ThreeFlags = "flags" ["ddd", "ddi", "did", "dii", "idd", "idi", "iid", "iii"],
    }
}

impl Triples {
    /// The bin of three instructions with their flags.
    #[inline]
    pub(crate) fn new(row: [(Kind, bool); 3]) -> Self {
        let [first, second, third] = row.map(|(kind, _)| kind);
        let flags = row.iter().fold(0, |at, (_, flag)| at * 2 + usize::from(*flag));
        Self { first, second, third, flags: ThreeFlags(flags) }
    }
}

impl Directed for Triples {
    fn is_directed(&self) -> bool {
        true
    }

    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let flags = [4, 2, 1].map(|bit| self.flags.0 & bit != 0);
        Some(row(&[self.first, self.second, self.third], &flags, rng))
    }
}
