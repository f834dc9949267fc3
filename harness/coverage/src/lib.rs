// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage of the stimulus, collected on the golden side while cases run: bins come from the
//! description of the instruction set and from the chapters.
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
//! let mut collector = Collector::new(&geometry);
//! collector.start(case.straps(&geometry));
//! Pair::alone(&case, &geometry).run(EndRule::new(&case, None), &mut collector);
//! let mut coverage = Coverage::default();
//! coverage.add(&collector.bins().collect::<Vec<_>>());
//! assert!(coverage.groups().iter().any(|group| group.hit > 0));
//! ```

mod collect;
mod group;
mod groups;
mod observed;
pub mod rtl;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

pub use collect::Collector;
pub use group::Group;
pub use group::Target;
pub use group::groups;

/// Coverage of a group of bins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupCoverage {
    /// Name of the group.
    pub name: String,
    /// Bins hit.
    pub hit: u64,
    /// All bins.
    pub bins: u64,
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
        groups()
            .iter()
            .map(|g| GroupCoverage {
                name: g.name.clone(),
                hit: self.of(g).iter().filter(|c| **c > 0).count() as u64,
                bins: g.bins.len() as u64,
            })
            .collect()
    }

    /// Names of the bins of a group that no case hit.
    pub fn holes<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a str> {
        let bins = group.bins.iter().zip(self.of(group));
        bins.filter(|(_, count)| **count == 0).map(|(name, _)| name.as_str())
    }

    /// Empty bins at which cases can be directed.
    pub fn targets(&self) -> Vec<Target> {
        let empty = |group: &'static Group| {
            let counts = self.of(group).iter().enumerate().filter(|(_, count)| **count == 0);
            counts.filter_map(move |(bin, _)| Target::new(group, bin))
        };
        groups().iter().flat_map(empty).collect()
    }

    fn of(&self, group: &Group) -> &[u8] {
        &self.counts[group.first..group.first + group.bins.len()]
    }
}
