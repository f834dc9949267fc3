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
    axes::{Axes, Axis},
    group::Bins,
    kind::{Kind, NOWHERE, preludes, refi_for},
};

/// Where something waits, the instruction whose flag gets there, its flag. A LOOP or RACCU meets the
/// flag in the cycle of the decode, everything else in the next one.
pub(crate) struct Waiting;

impl Waiting {
    /// Receivers that meet the flag of an instruction in the cycle of its decode.
    pub(crate) const AT_ONCE: u16 = 1 << Receiver::Raccu as u16 | 1 << Receiver::Loop as u16;

    /// Number of a bin.
    #[inline]
    pub(crate) fn bin(receiver: usize, kind: Kind, flag: bool) -> usize {
        (receiver * Kind::COUNT + kind.index()) * 2 + usize::from(flag)
    }
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

impl Bins for Waiting {
    fn name(&self) -> String {
        "what waits".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("what waits", Receiver::ALL.iter().map(|r| format!("{} waits", r.name()))),
            Axis::new("instruction", Kind::all().map(Kind::name)),
            Axis::new("flag", ["deferred", "immediate"]),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let kind = Kind::from_index(index[1]);
        let mut wanted = kind.wanted(rng);
        wanted.immediate = index[2] == 1;
        let mut steps = preludes(&[kind]);
        steps.push(waits(Receiver::ALL[index[0]]).into());
        steps.push(Step::from(wanted));
        Some(Recipe::sequence(steps))
    }
}
