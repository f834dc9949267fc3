// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bins that no case can hit, `harness/coverage/exclusions.json`, each with the argument.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use wildmatch::WildMatch;

use crate::axes::Axes;

/// Bins of a group that no case can hit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of the group.
    pub group: String,
    /// Their values of some properties; `*` is any text, `?` any character.
    pub bins: BTreeMap<String, String>,
    /// Why no case can hit them.
    pub reason: String,
}

impl Exclusion {
    /// The values that it excludes, for each property of its group: a bin with such a value of every
    /// property.
    pub(crate) fn values(&self, axes: &Axes) -> Vec<Vec<bool>> {
        let of = |axis: &crate::axes::Axis| {
            let pattern = self.bins.get(axis.name).map(|p| WildMatch::new(p));
            let matches = |value: &String| pattern.as_ref().is_none_or(|p| p.matches(value));
            axis.values.iter().map(matches).collect()
        };
        axes.0.iter().map(of).collect()
    }
}

/// All exclusions.
pub fn exclusions() -> &'static [Exclusion] {
    static ALL: LazyLock<Vec<Exclusion>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../exclusions.json")).expect("a test reads it")
    });
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups;

    /// Each entry names a group, excludes a bin that no entry before it does, and says why.
    #[test]
    fn every_exclusion_excludes() {
        for (k, exclusion) in exclusions().iter().enumerate() {
            let Exclusion { group: name, bins, reason } = exclusion;
            assert!(reason.len() > 20, "{name}: {bins:?}: no argument");
            let group = groups().iter().find(|g| g.name == *name);
            let group = group.unwrap_or_else(|| panic!("there is no group {name}"));
            for property in bins.keys() {
                let known = group.axes().iter().any(|axis| axis.name == property);
                assert!(known, "{name} has no property {property}");
            }
            assert!(!bins.is_empty(), "{name}: all bins");
            let mine = |bin| group.exclusion(bin).is_some_and(|e| std::ptr::eq(e, exclusion));
            assert!(group.bins().any(mine), "exclusion {k}, {name}: {bins:?} matches nothing new");
        }
    }
}
