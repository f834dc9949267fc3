// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that are decoded while others wait for a flag.

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
