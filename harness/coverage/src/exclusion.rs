// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bins that no case can hit, `harness/coverage/exclusions.json`, each with the argument.

use std::sync::LazyLock;

use serde::Deserialize;
use wildmatch::WildMatch;

/// Bins of a group that no case can hit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of the group.
    pub group: String,
    /// The bins in words; `*` is any text, `?` any character.
    pub bins: String,
    /// Why no case can hit them.
    pub reason: String,
}

impl Exclusion {
    /// True for a bin of its group that it excludes.
    pub(crate) fn matches(&self, label: &str) -> bool {
        WildMatch::new(&self.bins).matches(label)
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
            assert!(reason.len() > 20, "{name}: {bins}: no argument");
            let group = groups().iter().find(|g| g.name == *name);
            let group = group.unwrap_or_else(|| panic!("there is no group {name}"));
            let mine = |bin| group.exclusion(bin).is_some_and(|e| std::ptr::eq(e, exclusion));
            assert!(group.bins().any(mine), "exclusion {k}, {name}: {bins}: matches nothing new");
        }
    }
}
