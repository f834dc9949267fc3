// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of groups: which bins there are, what hits them, how a case is directed at them.

use std::{fmt, sync::LazyLock};

use drra_isa::{Opcode, Recipe};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{
    axes::{Axes, Axis},
    exclusion::{Exclusion, exclusions},
    groups::{
        AGU_LAUNCH, AGU_PATTERN, CROSSES, DPU_CONFIGURATION, Fields, IO_PATTERN, LOOPS, NOC_PATH,
        PERM_DISTANCE, Product, RACCU, SRAM_PATTERN, SWITCHBOX, crosses,
    },
    observed::{Observed, Source},
};

/// The bins of one group, numbered from 0.
pub(crate) trait Bins: Send + Sync {
    /// Name of the group.
    fn name(&self) -> String;

    /// The properties that tell its bins apart.
    fn axes(&self) -> Axes;

    /// The kind of observations that [`Self::hit`] understands; `None` for a group whose bins are
    /// noted by their values.
    fn source(&self) -> Option<Source> {
        None
    }

    /// Notes the bins that an observation hits. One of another kind than [`Self::source`] hits
    /// none.
    fn hit(&self, _seen: &Observed<'_>, _note: &mut dyn FnMut(usize)) {}

    /// True if cases can be directed at a bin.
    fn is_directed(&self, index: &[usize]) -> bool {
        self.recipe(index, &mut ChaCha8Rng::seed_from_u64(0)).is_some()
    }

    /// What hits a bin; `None` if cases cannot be directed at it.
    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe>;
}

/// A group of bins.
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Number of its first bin among the bins of all groups.
    pub first: usize,
    axes: Axes,
    len: usize,
    /// Position in the list of exclusions of what excludes each bin.
    excluded: Vec<Option<u16>>,
    kind: Box<dyn Bins>,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({}: {} bins from {})", self.name, self.len, self.first)
    }
}

impl Group {
    fn new(kind: Box<dyn Bins>, first: usize) -> Self {
        let (name, axes) = (kind.name(), kind.axes());
        let len = axes.count();
        let mine: Vec<(u16, Vec<Vec<bool>>)> = (0..)
            .zip(exclusions())
            .filter(|(_, exclusion)| exclusion.group == name)
            .map(|(k, exclusion)| (k, exclusion.values(&axes)))
            .collect();
        let mut excluded = vec![None; len];
        if !mine.is_empty() {
            axes.each(|bin, index| {
                let all = |values: &[Vec<bool>]| index.iter().zip(values).all(|(v, of)| of[*v]);
                let first = mine.iter().find(|(_, values)| all(values));
                excluded[bin] = first.map(|(k, _)| *k);
            });
        }
        Self { name, first, axes, len, excluded, kind }
    }

    /// Numbers of its bins, counted from 0, those that are excluded among them.
    pub fn bins(&self) -> std::ops::Range<usize> {
        0..self.len
    }

    /// A bin in words.
    ///
    /// # Panics
    /// If the group has no such bin; likewise all that ask for a bin.
    pub fn label(&self, bin: usize) -> String {
        assert!(bin < self.len, "{}: {bin} of {} bins", self.name, self.len);
        self.axes.label(bin)
    }

    /// The properties that tell its bins apart.
    pub fn axes(&self) -> &[Axis] {
        &self.axes.0
    }

    /// Values of the properties of a bin, as positions in [`Axis::values`].
    pub fn index(&self, bin: usize) -> Vec<usize> {
        self.axes.index(bin)
    }

    /// The bin with these values of the properties.
    pub fn number(&self, index: &[usize]) -> usize {
        self.axes.number(index)
    }

    /// Why no case can hit a bin; `None` for one that can be hit.
    pub fn exclusion(&self, bin: usize) -> Option<&'static Exclusion> {
        self.excluded[bin].map(|k| &exclusions()[usize::from(k)])
    }

    /// True if a case can hit a bin.
    pub fn is_reachable(&self, bin: usize) -> bool {
        self.excluded[bin].is_none()
    }

    /// Number of the bins that a case can hit.
    pub fn reachable(&self) -> usize {
        self.excluded.iter().filter(|e| e.is_none()).count()
    }

    /// Notes the bins, numbered among those of all groups, that an observation hits.
    pub(crate) fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize)) {
        self.kind.hit(seen, &mut |bin| note(self.first + bin));
    }
}

/// A bin at which a case can be directed.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    group: &'static Group,
    bin: usize,
}

impl Target {
    /// A bin of a group, numbered from 0; `None` if the group has no such bin, no case can hit it or
    /// none can be directed at it.
    pub fn new(group: &'static Group, bin: usize) -> Option<Self> {
        let can =
            bin < group.len && group.is_reachable(bin) && group.kind.is_directed(&group.index(bin));
        can.then_some(Self { group, bin })
    }

    /// A bin by its number among the bins of all groups, as [`Target::new`].
    pub fn of_bin(bin: usize) -> Option<Self> {
        let group = groups().iter().rfind(|group| group.first <= bin)?;
        Self::new(group, bin - group.first)
    }

    /// Number of the bin among the bins of all groups.
    pub fn bin(self) -> usize {
        self.group.first + self.bin
    }

    /// The group of the bin.
    pub fn group(self) -> &'static Group {
        self.group
    }

    /// Instructions and data that hit the bin where nothing disturbs them.
    pub fn recipe(self, rng: &mut ChaCha8Rng) -> Recipe {
        let index = self.group.index(self.bin);
        self.group.kind.recipe(&index, rng).unwrap_or_default()
    }
}

/// All groups in the order of their bins.
fn table() -> Vec<Box<dyn Bins>> {
    const PRODUCTS: [Product; 10] = [
        DPU_CONFIGURATION,
        SWITCHBOX,
        AGU_LAUNCH,
        AGU_PATTERN,
        LOOPS,
        RACCU,
        NOC_PATH,
        SRAM_PATTERN,
        IO_PATTERN,
        PERM_DISTANCE,
    ];
    let fields = |opcode: &Opcode| -> Box<dyn Bins> { Box::new(Fields::new(*opcode)) };
    let mut all: Vec<_> = Opcode::ALL.iter().map(fields).collect();
    all.extend(PRODUCTS.map(|product| -> Box<dyn Bins> { Box::new(product) }));
    all.extend(crosses());
    all
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| {
    let mut first = 0;
    let number = |kind: Box<dyn Bins>| {
        let group = Group::new(kind, first);
        first += group.len;
        group
    };
    table().into_iter().map(number).collect()
});

/// All groups; the numbers of their bins follow each other.
pub fn groups() -> &'static [Group] {
    &GROUPS
}

/// First bins of the groups that are crosses, which are the last ones.
pub(crate) fn firsts() -> [usize; CROSSES] {
    let crosses = &groups()[groups().len() - CROSSES..];
    std::array::from_fn(|k| crosses[k].first)
}

/// Number of all bins.
pub(crate) fn total() -> usize {
    groups().last().map_or(0, |g| g.first + g.len)
}

/// A number that changes when groups, their bins or the order of these do. It fits into every JSON
/// reader's numbers.
pub fn fingerprint() -> u64 {
    // FNV-1a.
    let byte = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let text = |hash, text: &str| text.bytes().chain([0]).fold(hash, byte);
    let whole = groups().iter().fold(0xcbf2_9ce4_8422_2325, |hash, group| {
        group.axes().iter().fold(text(hash, &group.name), |hash, axis| {
            axis.values.iter().fold(text(hash, axis.name), |hash, value| text(hash, value))
        })
    });
    whole >> 11
}

/// The groups that a kind of observations is for.
pub(crate) fn groups_for(source: Source) -> &'static [&'static Group] {
    static BY_SOURCE: LazyLock<[Vec<&'static Group>; Source::COUNT]> = LazyLock::new(|| {
        let mut by_source = [const { Vec::new() }; Source::COUNT];
        for group in groups() {
            if let Some(source) = group.kind.source() {
                by_source[source.index()].push(group);
            }
        }
        by_source
    });
    &BY_SOURCE[source.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_numbers_contiguous() {
        let mut next = 0;
        let mut names = std::collections::BTreeSet::new();
        for group in groups() {
            assert_eq!(group.first, next);
            next += group.bins().len();
            for bin in group.bins() {
                let label = group.label(bin);
                assert!(names.insert((&group.name, label)), "{}: {bin} twice", group.name);
                assert_eq!(group.number(&group.index(bin)), bin, "{}", group.name);
            }
        }
        assert_eq!(next, total());
    }

    /// The night has something to do.
    #[test]
    fn there_are_many_bins() {
        let reachable: usize = groups().iter().map(Group::reachable).sum();
        assert!(reachable >= 20_000, "{reachable}");
    }
}
