// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of groups: which bins there are, what hits them, how a case is directed at them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use drra_isa::Opcode;
use drra_isa::Wanted;
use rand_chacha::ChaCha8Rng;

use crate::groups::AGU_LAUNCH;
use crate::groups::AGU_PATTERN;
use crate::groups::BRANCH;
use crate::groups::DPU_CONFIGURATION;
use crate::groups::Events;
use crate::groups::Fields;
use crate::groups::IO_PATTERN;
use crate::groups::LOOPS;
use crate::groups::NOC_PATH;
use crate::groups::PERM_DISTANCE;
use crate::groups::RACCU;
use crate::groups::SRAM_PATTERN;
use crate::groups::SWITCHBOX;
use crate::groups::Saturated;
use crate::observed::Observed;
use crate::observed::Source;

/// The bins of one group, numbered from 0.
pub(crate) trait Bins: Send + Sync {
    /// Name of the group.
    fn name(&self) -> String;

    /// Names of the bins.
    fn labels(&self) -> Vec<String>;

    /// The kind of observations that [`Self::hit`] understands.
    fn source(&self) -> Source;

    /// Notes the bins that an observation hits. One of another kind than [`Self::source`] hits
    /// none.
    fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize));

    /// True if cases can be directed at the bins.
    fn is_directed(&self) -> bool;

    /// Instructions, one after the other in one cell, that hit a bin as far as instructions alone
    /// can; none if cases cannot be directed at the bins.
    fn recipe(&self, bin: usize, rng: &mut ChaCha8Rng) -> Vec<Wanted>;
}

/// A group of bins.
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Number of its first bin among the bins of all groups.
    pub first: usize,
    /// Names of its bins.
    pub bins: Vec<String>,
    kind: Box<dyn Bins>,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group({}: {} bins from {})", self.name, self.bins.len(), self.first)
    }
}

impl Group {
    /// True if cases can be directed at its bins.
    pub fn is_directed(&self) -> bool {
        self.kind.is_directed()
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
    /// A bin of a group, numbered from 0; `None` if the group has no such bin or cases cannot be
    /// directed at it.
    pub fn new(group: &'static Group, bin: usize) -> Option<Self> {
        (group.is_directed() && bin < group.bins.len()).then_some(Self { group, bin })
    }

    /// Number of the bin among the bins of all groups.
    pub fn bin(self) -> usize {
        self.group.first + self.bin
    }

    /// Instructions, one after the other in one cell, that hit the bin as far as instructions
    /// alone can.
    pub fn recipe(self, rng: &mut ChaCha8Rng) -> Vec<Wanted> {
        self.group.kind.recipe(self.bin, rng)
    }
}

/// All groups in the order of their bins.
fn table() -> Vec<Box<dyn Bins>> {
    let mut all: Vec<Box<dyn Bins>> = Vec::new();
    for &opcode in Opcode::ALL {
        all.push(Box::new(Fields::new(opcode)));
    }
    all.push(Box::new(DPU_CONFIGURATION));
    all.push(Box::new(Saturated::new()));
    all.push(Box::new(SWITCHBOX));
    all.push(Box::new(AGU_LAUNCH));
    all.push(Box::new(AGU_PATTERN));
    all.push(Box::new(LOOPS));
    all.push(Box::new(RACCU));
    all.push(Box::new(BRANCH));
    all.push(Box::new(NOC_PATH));
    all.push(Box::new(SRAM_PATTERN));
    all.push(Box::new(IO_PATTERN));
    all.push(Box::new(PERM_DISTANCE));
    all.push(Box::new(Events));
    all
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| {
    let mut first = 0;
    let number = |kind: Box<dyn Bins>| {
        let group = Group { name: kind.name(), first, bins: kind.labels(), kind };
        first += group.bins.len();
        group
    };
    table().into_iter().map(number).collect()
});

/// All groups; the numbers of their bins follow each other.
pub fn groups() -> &'static [Group] {
    &GROUPS
}

/// Number of all bins.
pub(crate) fn total() -> usize {
    groups().last().map_or(0, |g| g.first + g.bins.len())
}

/// The groups that a kind of observations is for.
pub(crate) fn groups_for(source: Source) -> &'static [&'static Group] {
    static BY_SOURCE: LazyLock<BTreeMap<Source, Vec<&'static Group>>> = LazyLock::new(|| {
        let mut by_source: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for group in groups() {
            by_source.entry(group.kind.source()).or_default().push(group);
        }
        by_source
    });
    BY_SOURCE.get(&source).map_or(&[], Vec::as_slice)
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
            next += group.bins.len();
            for bin in &group.bins {
                assert!(names.insert((&group.name, bin)), "{}: {bin} twice", group.name);
            }
        }
        assert_eq!(next, total());
    }
}
