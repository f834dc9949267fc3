// SPDX-License-Identifier: MIT OR Apache-2.0
//! The journal of a campaign: one line for its settings, one line for each finished case. Lines are
//! appended as cases finish, in any order; whatever is computed from a journal sorts them first.
//!
//! The line of settings comes again where a continued campaign has more cases than before, or is mixed with results
//! of another build. Lines of their own tell when its parts began and ended.
//!
//! A line is a JSON object whose last field is the checksum of the others. One process writes a journal at a
//! time: it holds a lock on the file, which the system takes back when the process ends, however it ends.

mod read;
mod write;

use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::{Compared, Fingerprint, Setup};
use drra_report::identity::Identity;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::settings::Settings;

pub use read::{Each, Outline, is_begun, read, read_each, spent};
pub use write::Journal;

/// Version of the format that this build reads and writes.
pub const VERSION: u32 = 2;

/// Name of the file in the folder of a campaign.
pub const FILE_NAME: &str = "journal.jsonl";

/// First line: what makes the cases of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the format.
    pub version: u32,
    /// Columns, tile rows, register file words, blocks per tile; of the largest fabric, if the profile has several.
    pub fabric: [usize; 4],
    /// Profile of the generator, resolved.
    pub profile: Profile,
    /// Seed of the campaign.
    pub seed: u64,
    /// Cases of the whole campaign, all shards together; `None`: as many as the time allows.
    pub cases: Option<u64>,
    /// This shard and the number of shards, counted from 1.
    pub shard: [u64; 2],
    /// How much of the state the design lets compare; cycles are not counted here.
    pub compared: Compared,
    /// Fingerprint of the coverage bins, whose numbers are in the records.
    pub bins: u64,
    /// What the campaign was begun with.
    #[serde(default)]
    pub identity: Identity,
    /// Other builds whose results were mixed into it on purpose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Identity>,
}

impl Header {
    /// Those that differ in their number of cases and in the builds that ran them have cases of one campaign.
    fn is_of(&self, other: &Self) -> bool {
        let (cases, mixed) = (other.cases, other.mixed.clone());
        Self { cases, mixed, ..self.clone() } == *other
    }

    /// The builds that ran the campaign.
    pub fn identities(&self) -> impl Iterator<Item = &Identity> {
        std::iter::once(&self.identity).chain(&self.mixed)
    }

    /// Mixes in the results of other builds; true if there is one that was not among them.
    pub fn mix<'a>(&mut self, others: impl IntoIterator<Item = &'a Identity>) -> bool {
        let before = self.mixed.len();
        for other in others {
            if !self.identities().any(|known| known.fits(other)) {
                self.mixed.push(other.clone());
            }
        }
        self.mixed.len() > before
    }
}

/// What a campaign is run with.
fn identity(settings: &Settings, design: &Fingerprint) -> Identity {
    let profile = serde_json::to_vec(&settings.profile).expect("plain data");
    let digest = Sha256::digest(profile);
    Identity {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: settings.revision.clone(),
        program: settings.program.clone(),
        rtl: design.sources.to_owned(),
        model: design.model.to_owned(),
        profile: digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// The first line of the journal of a campaign.
pub fn header(settings: &Settings, setup: &Setup<'_>) -> Header {
    let sizes = settings.profile.fabrics.sizes();
    let Geometry { columns, tile_rows, rf_words, sram_blocks } =
        sizes.last().copied().unwrap_or_default();
    Header {
        version: VERSION,
        fabric: [columns, tile_rows, rf_words, sram_blocks],
        profile: settings.profile.clone(),
        seed: settings.seed,
        cases: settings.cases,
        shard: settings.shard,
        identity: identity(settings, &setup.design.fingerprint()),
        mixed: Vec::new(),
        // A design that recorded runs would count their cycles.
        compared: setup.compared(&sizes).in_cycles(0),
        bins: drra_coverage::fingerprint(),
    }
}

/// The version alone, whatever else the first line says.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// One finished case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Number of the case in the campaign.
    pub case: u64,
    /// Size of its fabric, where the profile names sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<Geometry>,
    /// Cycles compared.
    pub cycles: u64,
    /// Instructions decoded.
    pub instructions: u64,
    /// Instructions in the programs: kinds in the order of the description, raw words last.
    pub kinds: Vec<u64>,
    /// Changes that the constraints of the profile asked for, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<u64>,
    /// Intended and achieved transfers, results and write-backs, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<[[u64; 2]; 3]>,
    /// Coverage bins that this case hits and that the worker had seen less than twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "gaps")]
    pub bins: Vec<u32>,
    /// Signature and cycle of the mismatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, u64)>,
}

/// Ascending numbers as the differences between each and the one before it, which are short.
mod gaps {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bins: &[u32], to: S) -> Result<S::Ok, S::Error> {
        let before = [0].into_iter().chain(bins.iter().copied());
        to.collect_seq(bins.iter().zip(before).map(|(bin, before)| bin - before))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u32>, D::Error> {
        let gaps = Vec::<u32>::deserialize(from)?;
        let sums = gaps.iter().scan(0u32, |sum, gap| {
            *sum = sum.saturating_add(*gap);
            Some(*sum)
        });
        Ok(sums.collect())
    }
}

#[cfg(test)]
mod tests;
