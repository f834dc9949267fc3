// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that follow each other in a cell.

use drra_isa::Opcode;
use drra_isa::Recipe;
use drra_isa::Step;
use rand_chacha::ChaCha8Rng;

use crate::axes::Axes;
use crate::axes::Axis;
use crate::group::Bins;
use crate::kind::Kind;
use crate::kind::preludes;

/// Values of the flags of two instructions, as `2 * first + second`.
pub(super) const FLAGS: [&str; 4] =
    ["both deferred", "deferred then immediate", "immediate then deferred", "both immediate"];

/// Flags of two instructions.
pub(super) fn flags(index: usize) -> [bool; 2] {
    [index & 2 == 2, index & 1 == 1]
}

/// An instruction, the one that is decoded in the cycle after its last, their flags.
pub(crate) struct Pairs;

impl Pairs {
    /// Number of a bin.
    #[inline]
    pub(crate) fn bin(first: (Kind, bool), second: (Kind, bool)) -> usize {
        let flags = 2 * usize::from(first.1) + usize::from(second.1);
        (first.0.index() * Kind::COUNT + second.0.index()) * FLAGS.len() + flags
    }
}

impl Bins for Pairs {
    fn name(&self) -> String {
        "instruction pairs".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("first instruction", Kind::all().map(Kind::name)),
            Axis::new("second instruction", Kind::all().map(|k| format!("then {}", k.name()))),
            Axis::new("flags", FLAGS),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let kinds = [index[0], index[1]].map(Kind::from_index);
        let mut steps = preludes(&kinds);
        for (k, (kind, flag)) in kinds.iter().zip(flags(index[2])).enumerate() {
            let mut wanted = kind.wanted(rng)?;
            wanted.immediate = flag;
            let jumps = k == 0 && (wanted.opcode == Opcode::Jump || *kind == Kind::BRANCH_TAKEN);
            steps.push(Step { wanted, target: jumps.then_some(steps.len() + 1) });
        }
        Some(Recipe::sequence(steps))
    }
}
