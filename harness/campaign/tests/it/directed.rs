// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage-directed generation.

use std::collections::{BTreeMap, BTreeSet};

use drra_campaign::CampaignCases;
use drra_case::Case;
use drra_coverage::{Collector, Coverage};
use drra_generate::Profile;

/// The cases that run on the golden model to find the targets.
const PROBE_CASES: u64 = 256;

/// Directed cases target bins that the first cases do not hit. All covergroups take turns, those with more such bins
/// more often, and so do the bins of a group.
#[test]
fn all_groups_take_turns_and_all_bins_theirs() {
    let cases = CampaignCases::new(Profile::shipped("default").unwrap(), 1);
    let bins = |case: &Case| {
        let mut collector = Collector::new();
        collector.run(case, None);
        collector.bins().collect::<Vec<u32>>()
    };
    let mut coverage = Coverage::default();
    (0..PROBE_CASES).for_each(|number| coverage.add(&bins(&cases.undirected(number))));
    // The group of each target, identified by its first bin.
    let targets: BTreeMap<u32, usize> =
        coverage.targets().iter().map(|t| (t.bin() as u32, t.group().first)).collect();
    let hit = |case: &dyn Fn(u64) -> Case| -> BTreeSet<u32> {
        let numbers = (PROBE_CASES + 1..PROBE_CASES + 601).step_by(2);
        let bins = numbers.flat_map(|number| bins(&case(number)));
        bins.filter(|bin| targets.contains_key(bin)).collect()
    };
    let [directed, undirected] = [hit(&|n| cases.case(n)), hit(&|n| cases.undirected(n))];
    let of_group = |bins: &mut dyn Iterator<Item = &u32>| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        bins.for_each(|bin| *counts.entry(targets[bin]).or_default() += 1);
        counts
    };
    let (all, found) = (of_group(&mut targets.keys()), of_group(&mut directed.iter()));
    // A sequence makes its bin likely, not certain.
    assert!(all.len() > 30 && found.len() + 2 >= all.len(), "{found:?} of {all:?}");
    let small = || all.iter().filter(|(_, count)| (5..=30).contains(*count));
    let of_small: usize = small().filter_map(|(group, _)| found.get(group)).sum();
    let all_small: usize = small().map(|(_, count)| count).sum();
    assert!(3 * of_small > 2 * all_small, "{of_small} of {all_small} in small groups");
    let counts = (directed.len(), undirected.len());
    assert!(counts.0 > 2 * counts.1, "{counts:?} directed and undirected");
}
