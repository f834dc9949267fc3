// SPDX-License-Identifier: MIT OR Apache-2.0
//! Selects a few cases of a campaign that together kill as many mutants and hit as many bins as possible: a regression
//! that runs in seconds.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashSet},
};

use drra_case::Case;
use drra_coverage::Collector;
use rayon::prelude::*;

use crate::{CampaignCases, journal::JournalHeader, tally::Tally};

/// Maximum number of cases examined, evenly spread over the campaign, in addition to cases that kill mutants.
const MAX_EXAMINED: usize = 8192;

/// The selected cases, and the numbers of mutants they kill and bins they hit.
#[derive(Debug)]
pub struct Selection {
    /// The cases, with their numbers. No other case would add more killed mutants to those before it or, among cases
    /// that add equally many, more bins.
    pub cases: Vec<(u64, Case)>,
    /// Number of mutants that the selected cases kill.
    pub killed: usize,
    /// Number of bins that the selected cases hit.
    pub hit: usize,
    /// Number of cases examined.
    pub examined: usize,
    /// Number of bins that the examined cases hit.
    pub bins: usize,
}

/// Selects at most `most` agreeing cases of a campaign. `kills` lists the mutants that each case killed.
pub fn distil(
    tally: &Tally,
    header: &JournalHeader,
    most: usize,
    kills: &BTreeMap<u64, Vec<u32>>,
) -> Selection {
    let cases = CampaignCases::new(header.profile.clone(), header.seed);
    let step = (tally.cases() as usize).div_ceil(MAX_EXAMINED).max(1);
    let numbers = tally.numbers().enumerate();
    let spread = numbers.filter(|(k, n)| k % step == 0 || kills.contains_key(n)).map(|(_, n)| n);
    let examined: Vec<u64> = spread.filter(tally.agrees()).collect();
    let bins: Vec<Vec<u32>> = examined.par_iter().map(|n| bins(&cases.case(*n))).collect();

    // The contribution of a case can only decrease, so the case with the largest count is the best if its count is up
    // to date.
    let [mut hit, mut killed]: [HashSet<u32>; 2] = [HashSet::new(), HashSet::new()];
    let mutants = |k: usize| kills.get(&examined[k]).map_or(&[][..], Vec::as_slice);
    let mut left: BinaryHeap<_> = bins
        .iter()
        .enumerate()
        .map(|(k, all)| ((mutants(k).len(), all.len()), Reverse(k)))
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < most
        && let Some((count, Reverse(k))) = left.pop()
        && count > (0, 0)
    {
        let new_kills = mutants(k).iter().filter(|mutant| !killed.contains(*mutant)).count();
        let new = (new_kills, bins[k].iter().filter(|bin| !hit.contains(*bin)).count());
        if left.peek().is_none_or(|(other, _)| new >= *other) {
            killed.extend(mutants(k));
            hit.extend(&bins[k]);
            chosen.push((examined[k], cases.case(examined[k])));
        } else {
            left.push((new, Reverse(k)));
        }
    }
    let all: HashSet<&u32> = bins.iter().flatten().collect();
    let (examined, bins) = (examined.len(), all.len());
    Selection { cases: chosen, killed: killed.len(), hit: hit.len(), examined, bins }
}

/// The bins that a case hits.
fn bins(case: &Case) -> Vec<u32> {
    let mut collector = Collector::new();
    collector.run(case, None);
    collector.bins().collect()
}
