// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of a campaign: a line with the settings of the campaign, followed by lines with the sums of finished
//! cases. These lines are appended a few times a second, and immediately for a new failure.
//!
//! The settings are written again when a campaign is resumed with more cases or by another build. Timestamps record
//! when the parts of the campaign started and ended.
//!
//! A line is a JSON object whose last field is the checksum of the other fields. Only one process at a time writes a
//! journal; the process holds a lock on the file, which the system releases when the process ends.

mod hits;
mod read;
mod write;

use std::{ops::Range, path::PathBuf};

use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::{ComparisonCoverage, DesignFingerprint, RunSetup};
use drra_results::identity::CampaignIdentity;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::settings::CampaignSettings;

pub use hits::HITS;
pub(crate) use hits::{read_tally, write as write_hits};
pub(crate) use read::read_file;
pub use read::{CaseSumsHandler, JournalMetadata, duration, is_begun, read_each};
pub use write::{Journal, idle};

/// Maximum number of shards of a campaign.
pub const MAX_SHARDS: u64 = 1_000_000;

/// Version of the format that this build writes; it also reads version 2.
pub const VERSION: u32 = 3;

/// Name of the journal in the folder of a campaign.
pub const FILE_NAME: &str = "journal.jsonl";

/// The settings of a campaign, in the first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalHeader {
    /// Version of the format.
    pub version: u32,
    /// Columns, tile rows, register file words and blocks per tile of the fabric; if the profile has several sizes, of
    /// one with the most columns.
    pub fabric: [usize; 4],
    /// The resolved profile of the generator.
    pub profile: Profile,
    /// Absolute path of the profile, for the commands that repeat the campaign; `None` for a bundled profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_file: Option<PathBuf>,
    /// Seed of the campaign.
    pub seed: u64,
    /// Number of cases of the whole campaign, over all shards; `None`: as many cases as the time allows.
    pub cases: Option<u64>,
    /// This shard, numbered from 1, and the number of shards.
    pub shard: [u64; 2],
    /// Comparison coverage of the design; cycles are not counted here.
    pub compared: ComparisonCoverage,
    /// Fingerprint of the coverage bins, to which the numbers in the records refer.
    pub bins: u64,
    /// The build that started the campaign.
    #[serde(default)]
    pub identity: CampaignIdentity,
    /// True if each case ends at its first difference.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
    /// For a merged campaign, the number of shards by which its cases are numbered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<u64>,
    /// Other builds whose results were accepted with `--mix`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<CampaignIdentity>,
}

impl JournalHeader {
    /// True if both headers are of the same campaign: only the number of cases and `mixed` may differ.
    fn is_of(&self, other: &Self) -> bool {
        let (cases, mixed) = (other.cases, other.mixed.clone());
        Self { cases, mixed, ..self.clone() } == *other
    }

    /// Number of shards by which cases are numbered.
    pub fn shards(&self) -> u64 {
        self.joined.unwrap_or(self.shard[1])
    }

    /// The shards in this journal, numbered from 0.
    pub(crate) fn own_shards(&self) -> Range<u64> {
        self.joined.map_or(self.shard[0] - 1..self.shard[0], |shards| 0..shards)
    }

    /// The builds that ran the campaign.
    pub fn identities(&self) -> impl Iterator<Item = &CampaignIdentity> {
        std::iter::once(&self.identity).chain(&self.mixed)
    }

    /// Adds the builds that are new; returns true if there are any.
    pub fn mix<'a>(&mut self, others: impl IntoIterator<Item = &'a CampaignIdentity>) -> bool {
        let before = self.mixed.len();
        for other in others {
            if !self.identities().any(|known| known.fits(other)) {
                self.mixed.push(other.clone());
            }
        }
        self.mixed.len() > before
    }
}

/// The versions of `drra`, the design and the profile of a campaign.
fn identity(settings: &CampaignSettings, design: &DesignFingerprint) -> CampaignIdentity {
    let profile = serde_json::to_vec(&settings.profile).expect("plain data");
    let digest = Sha256::digest(profile);
    CampaignIdentity {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: settings.revision.clone(),
        program: settings.program.clone(),
        rtl: design.sources.to_owned(),
        model: design.model.to_owned(),
        profile: digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// The first line of the journal of a campaign.
pub fn header(settings: &CampaignSettings, setup: &RunSetup<'_>) -> JournalHeader {
    let sizes = settings.profile.fabrics.sizes();
    let Geometry { columns, tile_rows, rf_words, sram_blocks } =
        sizes.last().copied().unwrap_or_default();
    JournalHeader {
        version: VERSION,
        fabric: [columns, tile_rows, rf_words, sram_blocks],
        profile: settings.profile.clone(),
        profile_file: settings.profile_file.clone(),
        seed: settings.seed,
        cases: settings.cases,
        shard: settings.shard,
        identity: identity(settings, &setup.design.fingerprint()),
        first_only: settings.first_only,
        joined: None,
        mixed: Vec::new(),
        // A design made from recorded runs would otherwise count the cycles of these runs.
        compared: setup.compared(&sizes).in_cycles(0),
        bins: drra_coverage::fingerprint(),
    }
}

/// The version in the first line; the other fields of the line depend on it.
#[derive(Deserialize)]
struct VersionLine {
    version: u32,
}
