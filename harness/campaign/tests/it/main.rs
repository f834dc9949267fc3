// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns on the golden model as the design.

mod behind;
mod campaign;
mod common;
mod constraints;
mod counts;
mod directed;
mod distil;
mod estimate;
mod folders;
mod identity;
mod joined;
mod journal;
mod movements;
mod partial;
mod reach;
mod shrink;
mod sizes;
mod timestamps;
mod totals;
mod vary;
#[cfg(unix)]
mod workers;

use std::{path::Path, sync::atomic::AtomicBool};

use drra_campaign::{CampaignError, CampaignResult, CampaignSettings};
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::{Design, GoldenDesign, RunSetup};
use drra_results::summary::Summary;

/// Fabric size of the cases in these tests.
const GEOMETRY: Geometry = Geometry::DEFAULT;

/// The setup of the cases in these tests.
fn setup() -> RunSetup<'static> {
    RunSetup::new(&GoldenDesign)
}

/// A shard of a campaign of a few cases.
fn small(folder: &Path, shard: [u64; 2]) -> CampaignSettings {
    CampaignSettings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 7,
        cases: Some(4),
        shard,
        folder: Some(folder.to_owned()),
        ..CampaignSettings::default()
    }
}

/// A profile that extends a bundled one.
fn profile(base: &str, more: &str) -> Profile {
    let text = format!(r#"{{"version": 1, "name": "mine", "extends": "{base}"{more}}}"#);
    Profile::parse(&text, None).unwrap()
}

/// Runs a campaign on a design.
fn run(settings: &CampaignSettings, design: &dyn Design) -> Result<Summary, CampaignError> {
    result(settings, design).map(|result| result.summary)
}

/// The result of a campaign on a design, with its failures.
fn result(
    settings: &CampaignSettings,
    design: &dyn Design,
) -> Result<CampaignResult, CampaignError> {
    drra_campaign::run(settings, design, &AtomicBool::new(false), &mut |_| {})
}
