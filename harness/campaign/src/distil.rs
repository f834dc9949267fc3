// SPDX-License-Identifier: MIT OR Apache-2.0
//! Selects a few cases of campaigns that together kill as many mutants and hit as many bins as possible: a regression
//! that runs in seconds.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashSet},
};

use drra_case::Case;
use drra_coverage::Collector;
use rayon::prelude::*;

use crate::{CampaignCases, journal::JournalHeader, tally::Tally};

/// Maximum number of cases examined, evenly spread over the campaigns, in addition to cases that kill mutants.
const MAX_EXAMINED: usize = 8192;

/// The selected cases, and the numbers of mutants they kill and bins they hit.
#[derive(Debug)]
pub struct Selection {
    /// The cases, with their campaigns and numbers. No other case would add more killed mutants to those before it or, among cases
    /// that add equally many, more bins.
    pub cases: Vec<(CampaignCase, Case)>,
    /// Number of mutants that the selected cases kill.
    pub killed: usize,
    /// Number of bins that the selected cases hit.
    pub hit: usize,
    /// Number of cases examined.
    pub examined: usize,
    /// Number of bins that the examined cases hit.
    pub bins: usize,
}

/// A case: the place of its campaign in the list of campaigns, and its number there.
pub type CampaignCase = (usize, u64);

/// Selects at most `most` agreeing cases of some campaigns. `kills` lists the mutants that each case killed. The bins of a
/// case are found by running it on the golden model, so the numbers of the cases suffice.
pub fn distil(
    campaigns: &[(JournalHeader, Tally)],
    most: usize,
    kills: &BTreeMap<CampaignCase, Vec<u32>>,
) -> Selection {
    let all: u64 = campaigns.iter().map(|(_, tally)| tally.cases()).sum();
    let step = (all as usize).div_ceil(MAX_EXAMINED).max(1);
    let mut examined = Vec::new();
    for (place, (_, tally)) in campaigns.iter().enumerate() {
        let numbers = tally.numbers().enumerate().map(|(k, n)| (k, (place, n)));
        let spread = numbers.filter(|(k, case)| k % step == 0 || kills.contains_key(case));
        let agrees = tally.agrees();
        examined.extend(spread.map(|(_, case)| case).filter(|(_, n)| agrees(n)));
    }
    let cases = campaigns.iter().map(|(of, _)| CampaignCases::new(of.profile.clone(), of.seed));
    let cases: Vec<CampaignCases> = cases.collect();
    let case = |(place, number): CampaignCase| cases[place].case(number);
    let bins: Vec<Vec<u32>> = examined.par_iter().map(|one| bins(&case(*one))).collect();

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
            chosen.push((examined[k], case(examined[k])));
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
