// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a group still lacks, in few words.

use crate::{Coverage, Group};

/// Bins of a group that no case hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holes {
    /// How many.
    pub count: usize,
    /// Values of properties with which nothing was hit at all: property, value, bins; those with the
    /// most bins first.
    pub whole: Vec<(&'static str, String, usize)>,
    /// Other holes, nearest first: those that differ in one property from many bins that were hit.
    pub nearest: Vec<String>,
}

impl Holes {
    /// What a group lacks; at most so many values and so many single bins.
    pub fn new(coverage: &Coverage, group: &Group, most: usize) -> Self {
        let open: Vec<usize> = coverage.open(group).collect();
        let mut whole = Vec::new();
        let mut values = Vec::new();
        // A group with one property has a bin for each value: nothing to sum up.
        let axes = if group.axes().len() > 1 { group.axes() } else { &[] };
        for (k, axis) in axes.iter().enumerate() {
            let mut all = vec![[0, 0]; axis.values.len()];
            for bin in group.bins().filter(|bin| group.is_reachable(*bin)) {
                let [bins, hit] = &mut all[group.index(bin)[k]];
                *bins += 1;
                *hit += usize::from(coverage.is_hit(group, bin));
            }
            let empty = |(_, [bins, hit]): &(usize, [usize; 2])| *bins > 0 && *hit == 0;
            for (value, [bins, _]) in all.into_iter().enumerate().filter(empty) {
                whole.push((axis.name, axis.values[value].clone(), bins));
                values.push((k, value));
            }
        }
        // A stable sort: equal ones stay in the order of the properties.
        whole.sort_by_key(|(_, _, bins)| std::cmp::Reverse(*bins));
        let single = |bin: &usize| {
            let index = group.index(*bin);
            !values.iter().any(|(k, value)| index[*k] == *value)
        };
        let mut nearest: Vec<(usize, usize)> = open
            .iter()
            .filter(|bin| single(bin))
            .map(|&bin| (neighbours(coverage, group, bin), bin))
            .collect();
        nearest.sort_by_key(|(hit, bin)| (std::cmp::Reverse(*hit), *bin));
        whole.truncate(most);
        let nearest = nearest.into_iter().take(most).map(|(_, bin)| group.label(bin)).collect();
        Self { count: open.len(), whole, nearest }
    }
}

/// Of the bins that differ from a bin in one property, how many of 1000 were hit.
fn neighbours(coverage: &Coverage, group: &Group, bin: usize) -> usize {
    let mut index = group.index(bin);
    let (mut all, mut hit) = (0, 0);
    for (k, axis) in group.axes().iter().enumerate() {
        let own = index[k];
        for value in (0..axis.values.len()).filter(|value| *value != own) {
            index[k] = value;
            let other = group.number(&index);
            if group.is_reachable(other) {
                all += 1;
                hit += usize::from(coverage.is_hit(group, other));
            }
        }
        index[k] = own;
    }
    1000 * hit / all.max(1)
}
