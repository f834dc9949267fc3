// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that follow each other in a cell.

use drra_isa::{Opcode, Recipe, Step};
use rand_chacha::ChaCha8Rng;

use crate::{
    axes::{Axes, Axis},
    group::Bins,
    kind::{Kind, preludes},
};

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
        Some(row(&kinds, &flags(index[2]), rng))
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

/// Flags of three instructions.
const THREE_FLAGS: [&str; 8] = ["ddd", "ddi", "did", "dii", "idd", "idi", "iid", "iii"];

/// Three instructions, each decoded in the cycle after the last of the one before, their flags: `d`
/// deferred, `i` immediate.
pub(crate) struct Triples;

impl Triples {
    /// Number of a bin.
    #[inline]
    pub(crate) fn bin(row: [(Kind, bool); 3]) -> usize {
        let kinds = row.iter().fold(0, |at, (kind, _)| at * Kind::COUNT + kind.index());
        let flags = row.iter().fold(0, |at, (_, flag)| at * 2 + usize::from(*flag));
        kinds * THREE_FLAGS.len() + flags
    }
}

impl Bins for Triples {
    fn name(&self) -> String {
        "instruction triples".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("first instruction", Kind::all().map(Kind::name)),
            Axis::new("second instruction", Kind::all().map(|k| format!("then {}", k.name()))),
            Axis::new("third instruction", Kind::all().map(|k| format!("then {}", k.name()))),
            Axis::new("flags", THREE_FLAGS),
        ])
    }

    fn is_directed(&self, _index: &[usize]) -> bool {
        true
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let kinds = [index[0], index[1], index[2]].map(Kind::from_index);
        let flags = [4, 2, 1].map(|bit| index[3] & bit != 0);
        Some(row(&kinds, &flags, rng))
    }
}
