// SPDX-License-Identifier: MIT OR Apache-2.0
//! The versions of `drra`, the design and the profile of a campaign, which distinguish results of different builds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The versions of `drra`, the design and the profile with which a campaign was run. Digests are 16 hexadecimal digits,
/// equal for equal files, and empty if unknown.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Identity")]
pub struct CampaignIdentity {
    /// Version of `drra`.
    pub version: String,
    /// Git revision of the sources of `drra`, followed by `-dirty` if they or the RTL had uncommitted changes; absent
    /// if `drra` was not built in a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Digest of those sources of `drra` that affect cases and verdicts.
    pub program: String,
    /// Digest of the sources of the design.
    pub rtl: String,
    /// Digest of the model that was generated from the design.
    pub model: String,
    /// Digest of the profile.
    pub profile: String,
}

impl CampaignIdentity {
    /// True if both are the same build. The revision does not matter: if all digests are equal, so are the sources. The
    /// profile is not part of a build.
    pub fn fits(&self, other: &Self) -> bool {
        self.differences(other).iter().all(|item| *item == "profile")
    }

    /// The items in which the two differ.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let pairs = self.digests().into_iter().zip(other.digests());
        pairs.filter(|(one, two)| one != two).map(|((name, _), _)| name).collect()
    }

    /// The items that must be equal, each with its name.
    fn digests(&self) -> [(&'static str, &str); 5] {
        [
            ("version", &self.version),
            ("program", &self.program),
            ("RTL", &self.rtl),
            ("model", &self.model),
            ("profile", &self.profile),
        ]
    }

    /// All items that are known, each with its name.
    pub fn entries(&self) -> Vec<(&'static str, &str)> {
        let revision = self.revision.as_deref().unwrap_or_default();
        let mut entries = self.digests().to_vec();
        entries.insert(1, ("revision", revision));
        entries.retain(|(_, value)| !value.is_empty());
        entries
    }

    /// The identity in one line.
    pub fn text(&self) -> String {
        match self.entries() {
            entries if entries.is_empty() => "an unrecorded build".to_owned(),
            entries => {
                let words: Vec<String> =
                    entries.iter().map(|(name, value)| format!("{name} {value}")).collect();
                words.join(", ")
            }
        }
    }
}
