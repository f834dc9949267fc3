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

use crate::{Cases, journal::Header, tally::Tally};

/// Maximum number of cases examined, evenly spread over the campaign, in addition to cases that kill mutants.
const LOOKED_AT: usize = 8192;

/// The selected cases, and the numbers of mutants they kill and bins they hit.
#[derive(Debug)]
pub struct Distilled {
    /// The cases, with their numbers. Each case adds the most killed mutants to the cases before it and, among cases
    /// that add equally many, the most bins.
    pub cases: Vec<(u64, Case)>,
    /// Number of mutants that the selected cases kill.
    pub killed: usize,
    /// Number of bins that the selected cases hit.
    pub hit: usize,
    /// Number of cases examined.
    pub looked_at: usize,
    /// Number of bins that the examined cases hit.
    pub bins: usize,
}

/// Selects at most `most` agreeing cases of a campaign. `kills` lists the mutants that each case
/// killed.
pub fn distil(
    tally: &Tally,
    header: &Header,
    most: usize,
    kills: &BTreeMap<u64, Vec<u32>>,
) -> Distilled {
    let cases = Cases::new(header.profile.clone(), header.seed);
    let step = (tally.cases() as usize).div_ceil(LOOKED_AT).max(1);
    let numbers = tally.numbers().enumerate();
    let spread = numbers.filter(|(k, n)| k % step == 0 || kills.contains_key(n)).map(|(_, n)| n);
    let looked_at: Vec<u64> = spread.filter(tally.agrees()).collect();
    let bins: Vec<Vec<u32>> = looked_at.par_iter().map(|n| bins(&cases.case(*n))).collect();

    // The contribution of a case can only decrease, so the case with the largest count is the best if its count is up
    // to date.
    let [mut hit, mut killed]: [HashSet<u32>; 2] = [HashSet::new(), HashSet::new()];
    let mutants = |k: usize| kills.get(&looked_at[k]).map_or(&[][..], Vec::as_slice);
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
            chosen.push((looked_at[k], cases.case(looked_at[k])));
        } else {
            left.push((new, Reverse(k)));
        }
    }
    let all: HashSet<&u32> = bins.iter().flatten().collect();
    let (looked_at, bins) = (looked_at.len(), all.len());
    Distilled { cases: chosen, killed: killed.len(), hit: hit.len(), looked_at, bins }
}

/// Bins that a case hits.
fn bins(case: &Case) -> Vec<u32> {
    let mut collector = Collector::new();
    collector.run(case, None);
    collector.bins().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use drra_generate::Profile;
    use drra_lockstep::{GoldenDesign, Setup};

    use super::*;
    use crate::{Settings, header, run, sums::FailureCount};

    /// A few cases hit many of the bins, and all cases together hit all of them. Each selected case adds bins or
    /// mutants, and the first case adds the most.
    #[test]
    fn few_cases_hit_much() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("campaign");
        let settings = Settings {
            profile: Profile::shipped("smoke").unwrap(),
            cases: Some(60),
            folder: Some(folder.clone()),
            ..Settings::default()
        };
        run(&settings, &GoldenDesign, &AtomicBool::new(false), &mut |_| {}).unwrap();
        let header = header(&settings, &Setup { design: &GoldenDesign, cycles: None });
        let (_, mut tally) = Tally::read(&folder).unwrap();
        let none = BTreeMap::new();
        let [few, all] = [6, 60].map(|most| distil(&tally, &header, most, &none));
        assert_eq!((few.cases.len(), all.looked_at, all.hit), (6, 60, all.bins));
        assert!(few.hit * 3 > all.hit && few.hit < all.hit, "{} of {}", few.hit, all.hit);
        let cases = Cases::new(settings.profile, settings.seed);
        let most = (0..60).map(|n| bins(&cases.case(n)).len()).max().unwrap();
        assert_eq!(bins(&few.cases[0].1).len(), most);
        let mut hit = HashSet::new();
        for (number, case) in &all.cases {
            let before = hit.len();
            hit.extend(bins(case));
            assert!(hit.len() > before, "case {number} adds nothing");
        }
        // Cases that kill mutants come first, in descending order of the number of mutants they add; killing a mutant
        // once is enough.
        let kills = BTreeMap::from([(7, vec![1, 2]), (11, vec![2]), (30, vec![3, 4, 5])]);
        let gate = distil(&tally, &header, 3, &kills);
        let numbers: Vec<u64> = gate.cases.iter().map(|(number, _)| *number).collect();
        assert_eq!((&numbers[..2], gate.killed), (&[30, 7][..], 5));
        assert!(numbers[2] != 11, "{numbers:?}");
        // Of a failure with three cases, the last listed one is case 5: later cases may fail.
        let failing = FailureCount { count: 3, first: (2, 0), next: vec![(5, 0)] };
        tally.failures.insert(String::new(), BTreeMap::from([(String::new(), failing)]));
        assert_eq!(distil(&tally, &header, 60, &none).looked_at, 4);
    }
}
