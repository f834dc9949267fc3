// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: cases of one profile in parallel workers, a journal of the finished ones, distinct
//! failures with reduced cases, a summary.
//!
//! A case depends on the profile, the seed of the campaign and its own number alone, and the
//! summary on the finished cases alone: the number of workers, interruptions and shards change
//! nothing.
//!
//! Workers are threads ([`Here`]) or processes ([`process::Processes`]). In a process a design may crash, hang or
//! print without end: that is a failure of one case like any other.
//!
//! The crate runs on any design; what a failure looks like is the business of `drra-report`.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use drra_campaign::{Settings, run};
//! use drra_lockstep::GoldenDesign;
//!
//! let settings = Settings { cases: Some(3), ..Settings::default() };
//! let stop = AtomicBool::new(false);
//! let result = run(&settings, &GoldenDesign, &stop, &mut |_| {}).unwrap();
//! assert_eq!((result.summary.cases, result.summary.failed), (3, 0));
//! ```

mod achieved;
mod error;
mod estimate;
mod exam;
pub mod journal;
mod merge;
pub mod moments;
mod place;
pub mod process;
mod progress;
mod publish;
mod run;
mod runner;
mod settings;
pub mod shrink;
mod steer;
mod store;
mod summarize;
mod tally;

use drra_case::Case;
use drra_diagnose::signature;
use drra_generate::Generated;
use drra_isa::Geometry;
use drra_lockstep::{Fingerprint, Setup};
use drra_report::identity::Identity;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

pub use achieved::{Achieved, achieved};
pub use error::CampaignError;
pub use exam::{Effort, Ending, Exam, Examined, Found, LOG, Wanted, examine, write_log};
pub use merge::{EachOf, Shards};
pub use place::{Here, Place, Work};
pub use progress::Progress;
pub use publish::{
    generate_command, moved, publish, repeat_command, stored_entries, stored_report,
};
pub use run::{CampaignResult, run, run_at};
pub use settings::Settings;
pub use store::{reduction, tries};
pub use tally::Tally;

use journal::Header;
use steer::Steering;

/// Name of the file with the coverage of the RTL, in builds that count it.
pub const RTL_COVERAGE: &str = "rtl_coverage.dat";

/// Generator seed of a case of a campaign.
pub fn case_seed(campaign: u64, case: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(campaign);
    rng.set_stream(case);
    // Whole numbers up to 2^53 survive every JSON reader.
    rng.next_u64() >> 11
}

/// Folder of a failure, below that of its campaign.
pub fn failure_folder(signature: &str) -> String {
    format!("failures/{}", signature::folder_name(signature))
}

/// A case of a campaign, made again.
pub fn case_of(settings: &Settings, number: u64) -> Case {
    Cases::new(settings.clone()).case(number)
}

/// The cases of a campaign, made again in any order.
#[derive(Clone, Debug)]
pub struct Cases {
    settings: Settings,
    steering: Steering,
}

impl Cases {
    /// Those of a campaign; runs its first cases on the golden model, as the campaign did.
    pub fn new(settings: Settings) -> Self {
        let steering = Steering::new(&settings);
        Self { settings, steering }
    }

    /// Those of a campaign whose first cases another process has run: the bins at which it directs cases.
    fn directed_at(bins: &[u32], settings: Settings) -> Self {
        let steering = Steering::of(bins, &settings);
        Self { settings, steering }
    }

    /// The case with a number.
    pub fn case(&self, number: u64) -> Case {
        self.generated(number).case
    }

    /// Whether the profile says for which sizes of the fabric its cases are.
    fn names_sizes(&self) -> bool {
        !self.settings.profile.fabrics.is_empty()
    }

    /// The case with a number as it is where none is directed at bins.
    pub fn undirected(&self, number: u64) -> Case {
        Steering::plain(&self.settings, number).case
    }

    /// The case with a number, and what it intends.
    fn generated(&self, number: u64) -> Generated {
        self.steering.case(&self.settings, number)
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
        version: journal::VERSION,
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
