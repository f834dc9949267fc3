// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage of the stimulus, collected on the golden side while cases run: bins come from the
//! descriptions of the instruction set and of the fabric, and from the chapters. Each group of bins
//! says what its properties are, what hits a bin, and what directs a case at it.
//!
//! The crate does not decide which cases are run: it says what is still empty.
//!
//! ```
//! use drra_coverage::{Collector, Coverage};
//! use drra_isa::Geometry;
//! use drra_lockstep::{EndRule, Pair};
//!
//! let geometry = Geometry::default();
//! let case = drra_case::programs::ALL[0].case(&geometry).unwrap();
//! let mut collector = Collector::new();
//! collector.start(&case);
//! Pair::alone(&case).run(EndRule::new(&case, None), &mut collector);
//! let mut coverage = Coverage::default();
//! coverage.add(&collector.bins().collect::<Vec<_>>());
//! assert!(coverage.groups().iter().any(|group| group.hit > 0));
//! ```

mod axes;
mod bits;
mod collect;
mod cross;
mod exclusion;
mod group;
mod groups;
mod holes;
mod kind;
mod observed;
pub mod rtl;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use axes::Axis;
pub use collect::Collector;
pub use exclusion::{Exclusion, exclusions};
pub use group::{Group, Target, fingerprint, groups};
pub use holes::Holes;

/// Coverage of a group of bins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupCoverage {
    /// Name of the group.
    pub name: String,
    /// Bins hit.
    pub hit: u64,
    /// Bins that can be hit.
    pub bins: u64,
    /// Bins that no case can hit.
    #[serde(default)]
    pub excluded: u64,
}

/// How many cases hit each bin: none, one, or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    counts: Vec<u8>,
}

impl Default for Coverage {
    fn default() -> Self {
        Self { counts: vec![0; group::total()] }
    }
}

impl Coverage {
    /// Adds bins that one case hit. Unknown numbers do not count.
    pub fn add(&mut self, bins: &[u32]) {
        for &bin in bins {
            if let Some(count) = self.counts.get_mut(bin as usize) {
                *count = (*count + 1).min(2);
            }
        }
    }

    /// True if a bin was hit by less than two cases.
    pub(crate) fn is_rare(&self, bin: u32) -> bool {
        self.counts[bin as usize] < 2
    }

    /// Bins that exactly one case hit.
    pub fn hit_once(&self) -> u64 {
        self.counts.iter().filter(|c| **c == 1).count() as u64
    }

    /// Hits and bins of each group.
    pub fn groups(&self) -> Vec<GroupCoverage> {
        let counted = |group: &Group| {
            let bins = group.reachable() as u64;
            GroupCoverage {
                name: group.name.clone(),
                hit: group
                    .bins()
                    .filter(|b| group.is_reachable(*b) && self.is_hit(group, *b))
                    .count() as u64,
                bins,
                excluded: group.bins().len() as u64 - bins,
            }
        };
        groups().iter().map(counted).collect()
    }

    /// True if a case hit a bin of a group.
    pub fn is_hit(&self, group: &Group, bin: usize) -> bool {
        self.counts[group.first + bin] > 0
    }

    /// Bins of a group, numbered from 0, that no case hit though one can.
    pub fn open<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = usize> + 'a {
        group.bins().filter(|bin| group.is_reachable(*bin) && !self.is_hit(group, *bin))
    }

    /// Names of these bins.
    pub fn holes<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = String> + 'a {
        self.open(group).map(|bin| group.label(bin))
    }

    /// Names of the bins of a group that a case hit though they are excluded: the arguments are
    /// wrong.
    pub fn refuted<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = String> + 'a {
        let hit = |bin: &usize| !group.is_reachable(*bin) && self.is_hit(group, *bin);
        group.bins().filter(hit).map(|bin| group.label(bin))
    }

    /// Empty bins at which cases can be directed.
    pub fn targets(&self) -> Vec<Target> {
        let of = |group| self.open(group).filter_map(move |bin| Target::new(group, bin));
        groups().iter().flat_map(of).collect()
    }
}
