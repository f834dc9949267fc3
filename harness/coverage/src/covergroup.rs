// SPDX-License-Identifier: MIT OR Apache-2.0
//! A covergroup and its ignored bins; `harness/coverage/exclusions.json` gives the reason for each.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use drra_case::DirectedSequence;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use wildmatch::WildMatch;

use crate::cross::{Coverpoint, DirectedCross};

/// Bins of a covergroup that no case can hit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoredBins {
    /// Name of the covergroup.
    pub group: String,
    /// The values of these bins for some coverpoints; `*` matches any text, `?` any character.
    pub bins: BTreeMap<String, String>,
    /// The reason why no case can hit these bins.
    pub reason: String,
}

impl IgnoredBins {
    /// The numbers of these bins in a cross of coverpoints. A bin is ignored if all its values match.
    fn numbers(&self, coverpoints: &[Coverpoint]) -> Vec<usize> {
        coverpoints.iter().fold(vec![0], |bins, point| {
            let pattern = self.bins.get(point.name).map(|p| WildMatch::new(p));
            let matches = |k: &usize| pattern.as_ref().is_none_or(|p| p.matches(&point.values[*k]));
            let count = point.values.len();
            let values: Vec<usize> = (0..count).filter(matches).collect();
            bins.iter().flat_map(|bin| values.iter().map(move |k| bin * count + k)).collect()
        })
    }
}

/// All ignored bins.
pub fn ignored_bins() -> &'static [IgnoredBins] {
    static ALL: LazyLock<Vec<IgnoredBins>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../exclusions.json")).expect("a test reads it")
    });
    &ALL
}

/// Returns a directed sequence that hits a bin; `None` if there is none.
pub(crate) type SequenceFn =
    Box<dyn Fn(usize, &mut ChaCha8Rng) -> Option<DirectedSequence> + Send + Sync>;

/// A cross of coverpoints: one bin for each combination of their values.
pub struct Covergroup {
    /// Name of the group.
    pub name: String,
    /// Number of the group's first bin, counted over all groups.
    pub first: usize,
    coverpoints: Vec<Coverpoint>,
    /// The reason why each bin is ignored, if it is.
    ignored: Vec<Option<&'static IgnoredBins>>,
    is_directed: fn(usize) -> bool,
    sequence: SequenceFn,
}

impl fmt::Debug for Covergroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Covergroup({}: {} bins from {})", self.name, self.ignored.len(), self.first)
    }
}

impl Covergroup {
    /// The group of a cross.
    pub(crate) fn of<C: DirectedCross>() -> Self {
        let sequence = Box::new(|bin, rng: &mut _| C::of(bin).sequence(rng));
        let is_directed = |bin| {
            C::ALL_DIRECTED || C::of(bin).sequence(&mut ChaCha8Rng::seed_from_u64(0)).is_some()
        };
        Self::new(C::NAME.to_owned(), C::coverpoints(), is_directed, sequence)
    }

    /// A group whose bins are numbered from 0.
    pub(crate) fn new(
        name: String,
        coverpoints: Vec<Coverpoint>,
        is_directed: fn(usize) -> bool,
        sequence: SequenceFn,
    ) -> Self {
        let bins = coverpoints.iter().map(|point| point.values.len()).product();
        let mut ignored = vec![None; bins];
        // If several reasons apply to a bin, the first one counts.
        for reason in ignored_bins().iter().filter(|of| of.group == name).rev() {
            for bin in reason.numbers(&coverpoints) {
                ignored[bin] = Some(reason);
            }
        }
        Self { name, first: 0, coverpoints, ignored, is_directed, sequence }
    }

    /// Numbers of the group's bins, counted from 0, including ignored bins.
    pub fn bins(&self) -> std::ops::Range<usize> {
        0..self.ignored.len()
    }

    /// The coverpoints of the group.
    pub fn coverpoints(&self) -> &[Coverpoint] {
        &self.coverpoints
    }

    /// The coverpoint values of a bin, as indices into [`Coverpoint::values`].
    ///
    /// # Panics
    /// If the group has no such bin; the same applies to all public methods that take a bin.
    pub fn index(&self, bin: usize) -> Vec<usize> {
        let bins = self.ignored.len();
        assert!(bin < bins, "{}: {bin} of {bins} bins", self.name);
        let mut rest = bin;
        let mut index = vec![0; self.coverpoints.len()];
        for (value, point) in index.iter_mut().zip(&self.coverpoints).rev() {
            *value = rest % point.values.len();
            rest /= point.values.len();
        }
        index
    }

    /// The bin with these coverpoint values.
    pub fn number(&self, index: &[usize]) -> usize {
        let values = self.coverpoints.iter().zip(index);
        values.fold(0, |number, (point, value)| number * point.values.len() + value)
    }

    /// The name of a bin.
    pub fn label(&self, bin: usize) -> String {
        let values = self.coverpoints.iter().zip(self.index(bin));
        values.map(|(point, value)| point.values[value].as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The reason why a bin is ignored; `None` if it can be hit.
    pub fn ignored(&self, bin: usize) -> Option<&'static IgnoredBins> {
        self.ignored[bin]
    }

    /// True if a case can hit the bin.
    pub fn is_reachable(&self, bin: usize) -> bool {
        self.ignored[bin].is_none()
    }

    /// Number of bins that a case can hit.
    pub fn reachable(&self) -> usize {
        self.ignored.iter().filter(|e| e.is_none()).count()
    }

    /// True if the bin has a directed sequence.
    pub(crate) fn is_directed(&self, bin: usize) -> bool {
        self.is_reachable(bin) && (self.is_directed)(bin)
    }

    /// A directed sequence for a bin; empty if there is none.
    pub(crate) fn sequence(&self, bin: usize, rng: &mut ChaCha8Rng) -> DirectedSequence {
        (self.sequence)(bin, rng).unwrap_or_default()
    }
}
