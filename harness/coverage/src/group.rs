// SPDX-License-Identifier: MIT OR Apache-2.0
//! A group of bins, and those of them that no case can hit: `harness/coverage/exclusions.json`, each
//! with the argument.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use drra_isa::Recipe;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use wildmatch::WildMatch;

use crate::cross::{Axis, Directed};

/// Bins of a group that no case can hit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of the group.
    pub group: String,
    /// Their values of some dimensions; `*` is any text, `?` any character.
    pub bins: BTreeMap<String, String>,
    /// Why no case can hit them.
    pub reason: String,
}

impl Exclusion {
    /// For each dimension of its group the values that it excludes: a bin that has such a value of
    /// every dimension.
    fn values(&self, axes: &[Axis]) -> Vec<Vec<bool>> {
        let of = |axis: &Axis| {
            let pattern = self.bins.get(axis.name).map(|p| WildMatch::new(p));
            let matches = |value: &String| pattern.as_ref().is_none_or(|p| p.matches(value));
            axis.values.iter().map(matches).collect()
        };
        axes.iter().map(of).collect()
    }
}

/// All exclusions.
pub fn exclusions() -> &'static [Exclusion] {
    static ALL: LazyLock<Vec<Exclusion>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../exclusions.json")).expect("a test reads it")
    });
    &ALL
}

/// What hits a bin; `None` if cases cannot be directed at it.
pub(crate) type RecipeOf = Box<dyn Fn(usize, &mut ChaCha8Rng) -> Option<Recipe> + Send + Sync>;

/// A group of bins.
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Number of its first bin among the bins of all groups.
    pub first: usize,
    axes: Vec<Axis>,
    /// What excludes each bin.
    excluded: Vec<Option<&'static Exclusion>>,
    is_directed: fn(usize) -> bool,
    recipe: RecipeOf,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({}: {} bins from {})", self.name, self.excluded.len(), self.first)
    }
}

impl Group {
    /// The group of a cross.
    pub(crate) fn of<C: Directed>() -> Self {
        let recipe = Box::new(|bin, rng: &mut _| C::of(bin).recipe(rng));
        Self::new(C::NAME.to_owned(), C::axes(), |bin| C::of(bin).is_directed(), recipe)
    }

    /// A group whose bins are numbered from 0.
    pub(crate) fn new(
        name: String,
        axes: Vec<Axis>,
        is_directed: fn(usize) -> bool,
        recipe: RecipeOf,
    ) -> Self {
        let mine = exclusions().iter().filter(|exclusion| exclusion.group == name);
        let mine: Vec<_> = mine.map(|exclusion| (exclusion, exclusion.values(&axes))).collect();
        let bins = axes.iter().map(|axis| axis.values.len()).product();
        let mut group =
            Self { name, first: 0, axes, excluded: vec![None; bins], is_directed, recipe };
        if !mine.is_empty() {
            let excluded = |index: Vec<usize>| {
                let matches =
                    |values: &[Vec<bool>]| values.iter().zip(&index).all(|(of, k)| of[*k]);
                mine.iter().find(|(_, values)| matches(values)).map(|(exclusion, _)| *exclusion)
            };
            group.excluded = group.bins().map(|bin| excluded(group.index(bin))).collect();
        }
        group
    }

    /// Numbers of its bins, counted from 0, those that are excluded among them.
    pub fn bins(&self) -> std::ops::Range<usize> {
        0..self.excluded.len()
    }

    /// The dimensions of its bins.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Values of the dimensions of a bin, as positions in [`Axis::values`].
    ///
    /// # Panics
    /// If the group has no such bin; likewise all that ask for a bin.
    pub fn index(&self, bin: usize) -> Vec<usize> {
        let bins = self.excluded.len();
        assert!(bin < bins, "{}: {bin} of {bins} bins", self.name);
        let mut rest = bin;
        let mut index = vec![0; self.axes.len()];
        for (value, axis) in index.iter_mut().zip(&self.axes).rev() {
            *value = rest % axis.values.len();
            rest /= axis.values.len();
        }
        index
    }

    /// The bin with these values of the dimensions.
    pub fn number(&self, index: &[usize]) -> usize {
        let values = self.axes.iter().zip(index);
        values.fold(0, |number, (axis, value)| number * axis.values.len() + value)
    }

    /// A bin in words.
    pub fn label(&self, bin: usize) -> String {
        let values = self.axes.iter().zip(self.index(bin));
        values.map(|(axis, value)| axis.values[value].as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Why no case can hit a bin; `None` for one that can be hit.
    pub fn exclusion(&self, bin: usize) -> Option<&'static Exclusion> {
        self.excluded[bin]
    }

    /// True if a case can hit a bin.
    pub fn is_reachable(&self, bin: usize) -> bool {
        self.excluded[bin].is_none()
    }

    /// Number of the bins that a case can hit.
    pub fn reachable(&self) -> usize {
        self.excluded.iter().filter(|e| e.is_none()).count()
    }

    /// True if cases can be directed at a bin.
    pub(crate) fn is_directed(&self, bin: usize) -> bool {
        self.is_reachable(bin) && (self.is_directed)(bin)
    }

    /// What hits a bin at which cases can be directed.
    pub(crate) fn recipe(&self, bin: usize, rng: &mut ChaCha8Rng) -> Recipe {
        (self.recipe)(bin, rng).unwrap_or_default()
    }
}
