// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all covergroups, and its exclusions.

use std::collections::BTreeSet;

use drra_coverage::{Covergroup, IgnoredBins, groups, ignored_bins};

#[test]
fn names_are_distinct_and_numbers_contiguous() {
    let mut next = 0;
    let mut names = BTreeSet::new();
    for group in groups() {
        assert_eq!(group.first, next);
        next += group.bins().len();
        for bin in group.bins() {
            let label = group.label(bin);
            assert!(names.insert((&group.name, label)), "{}: {bin} twice", group.name);
            assert_eq!(group.number(&group.index(bin)), bin, "{}", group.name);
        }
    }
}

/// There are enough bins for a long campaign.
#[test]
fn there_are_many_bins() {
    let reachable: usize = groups().iter().map(Covergroup::reachable).sum();
    assert!(reachable >= 20_000, "{reachable}");
}

/// Each entry names a group, excludes a bin that no earlier entry excludes, and gives a reason.
#[test]
fn every_exclusion_excludes() {
    for (k, ignored) in ignored_bins().iter().enumerate() {
        let IgnoredBins { group: name, bins, reason } = ignored;
        assert!(reason.len() > 20, "{name}: {bins:?}: no reason");
        let group = groups().iter().find(|g| g.name == *name);
        let group = group.unwrap_or_else(|| panic!("there is no group {name}"));
        for property in bins.keys() {
            let known = group.coverpoints().iter().any(|point| point.name == property);
            assert!(known, "{name} has no coverpoint {property}");
        }
        assert!(!bins.is_empty(), "{name}: all bins");
        let mine = |bin| group.ignored(bin).is_some_and(|e| std::ptr::eq(e, ignored));
        assert!(group.bins().any(mine), "ignored {k}, {name}: {bins:?} matches nothing new");
    }
}
