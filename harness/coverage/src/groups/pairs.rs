// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that follow each other in a cell, or are decoded while others wait for a flag.

use drra_golden::Receiver;
use drra_isa::{
    Opcode, Recipe, Step, Wanted,
    fabric::AguId,
    instructions::{DpuMode, loop_, raccu},
};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Directed, cross},
    decode::{Kind, NOWHERE, preludes, refi_for},
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

cross! {
    /// Where something waits, the instruction whose flag gets there, its flag. A LOOP or RACCU meets
    /// the flag in the cycle of the decode, everything else in the next one.
    Waiting "what waits" {
        receiver: Receiver = "what waits" "{} waits",
        kind: Kind = "instruction",
        flag: Flag = "flag" ["deferred", "immediate"],
    }
}

impl Waiting {
    /// Receivers that meet the flag of an instruction in the cycle of its decode.
    pub(crate) const AT_ONCE: u16 = 1 << Receiver::Raccu as u16 | 1 << Receiver::Loop as u16;
}

/// An instruction that waits in a receiver.
fn waits(receiver: Receiver) -> Wanted {
    let wanted = match receiver {
        Receiver::Dpu => Wanted::dpu(DpuMode::Add.code().into()),
        Receiver::Message => Wanted::new(Opcode::Route, &[]),
        Receiver::Perm => Wanted::new(Opcode::Perm, &[]),
        Receiver::Raccu => Wanted::new(
            Opcode::Raccu,
            &[(raccu::MODE, 1), (raccu::OPERAND1, 5), (raccu::RESULT, 3)],
        ),
        Receiver::Loop => Wanted::new(Opcode::Loop, &[(loop_::ENDPC, NOWHERE), (loop_::ITER, 2)]),
        agu => refi_for(AguId::ALL[agu as usize]),
    };
    wanted.deferred()
}

impl Directed for Waiting {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let mut wanted = self.kind.wanted(rng);
        wanted.immediate = self.flag.0 == 1;
        let mut steps = preludes(&[self.kind]);
        steps.push(waits(self.receiver).into());
        steps.push(Step::from(wanted));
        Some(Recipe::sequence(steps))
    }
}
