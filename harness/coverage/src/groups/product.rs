// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups whose bins are all combinations of a few properties.

use drra_isa::{Opcode, Recipe, Wanted};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{
    axes::{Axes, Axis},
    group::Bins,
    observed::{Decode, Launch, Observed, Source},
};

/// Most properties of a group.
const MOST: usize = 5;

/// One value of each property; what is beyond the properties of a group is 0.
pub(super) type Index = [usize; MOST];

/// Values of the properties of a group.
pub(super) fn at<const N: usize>(values: [usize; N]) -> Index {
    const { assert!(N <= MOST) };
    let mut index = [0; MOST];
    index[..N].copy_from_slice(&values);
    index
}

/// What hits a bin of a group.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// A decode of an instruction; `None`: it hits no bin.
    Decode(Opcode, fn(&Decode) -> Option<Index>),
    /// A launch of an AGU.
    Launch(fn(&Launch) -> Index),
}

/// A group with a bin for each combination of properties, the last property fastest.
pub(crate) struct Product {
    /// Name of the group.
    pub(super) name: &'static str,
    /// Number of values of each property.
    pub(super) sizes: &'static [usize],
    /// Which combination is observed.
    pub(super) rule: Rule,
    /// Name of a combination.
    pub(super) label: fn(&[usize]) -> String,
    /// Instructions that make a combination.
    pub(super) recipe: fn(&[usize], &mut ChaCha8Rng) -> Vec<Wanted>,
}

impl Product {
    fn number(&self, index: Index) -> usize {
        self.sizes.iter().zip(index).fold(0, |number, (size, value)| {
            debug_assert!(value < *size, "{}: {value} of {size}", self.name);
            number * size + value
        })
    }

    fn index(&self, mut number: usize) -> Vec<usize> {
        let mut index = vec![0; self.sizes.len()];
        for (value, size) in index.iter_mut().zip(self.sizes).rev() {
            *value = number % size;
            number /= size;
        }
        index
    }
}

impl Bins for Product {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn axes(&self) -> Axes {
        let count: usize = self.sizes.iter().product();
        Axes(vec![Axis::new("case", (0..count).map(|n| (self.label)(&self.index(n))))])
    }

    fn source(&self) -> Option<Source> {
        Some(match self.rule {
            Rule::Decode(opcode, _) => Source::Decode(opcode),
            Rule::Launch(_) => Source::Launch,
        })
    }

    fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize)) {
        let index = match (self.rule, seen) {
            (Rule::Decode(opcode, rule), Observed::Decode(d)) if d.opcode == opcode => rule(d),
            (Rule::Launch(rule), Observed::Launch(launch)) => Some(rule(launch)),
            _ => None,
        };
        if let Some(index) = index {
            note(self.number(index));
        }
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        Some(Recipe::sequence((self.recipe)(&self.index(index[0]), rng)))
    }
}

/// Classes of the values of a number: 0, and then from each limit to the one after it.
#[derive(Clone, Copy)]
pub(super) struct Classes {
    /// Lower limits of the classes after the first one, ascending.
    pub(super) limits: &'static [u64],
    /// Recipes draw values below this one.
    pub(super) top: u64,
}

impl Classes {
    /// Class of a value.
    pub(super) fn of(&self, value: u64) -> usize {
        self.limits.iter().take_while(|limit| value >= **limit).count()
    }

    /// A value of a class.
    pub(super) fn draw(&self, class: usize, rng: &mut ChaCha8Rng) -> u64 {
        match class {
            0 => 0,
            c => {
                let above = self.limits.get(c).copied().unwrap_or(self.top);
                rng.random_range(self.limits[c - 1]..above)
            }
        }
    }
}

/// Class of a two-level pattern: bit 0 if the inner level has several items, bit 1 if the outer
/// one has.
pub(super) fn levels(l1_iter: u64, l2_iter: u64) -> usize {
    usize::from(l1_iter > 0) + 2 * usize::from(l2_iter > 0)
}

/// `l1_iter` and `l2_iter` of such a class.
pub(super) fn draw_levels(class: usize) -> [u64; 2] {
    [(class & 1) as u64 * 5, (class >> 1) as u64 * 2]
}
