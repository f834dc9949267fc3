// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns on the golden model as the design.

mod campaign;
mod constraints;
mod counts;
mod identity;
mod movements;
mod partial;
mod reach;
mod sizes;

use std::{path::Path, sync::atomic::AtomicBool};

use drra_campaign::{CampaignError, Settings};
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::{Design, GoldenDesign, Setup};
use drra_report::summary::Summary;

/// Fabric size of the cases in these tests.
const GEOMETRY: Geometry = Geometry::DEFAULT;

/// The setup of the cases in these tests.
fn setup() -> Setup<'static> {
    Setup { design: &GoldenDesign, cycles: None }
}

/// A shard of a campaign of a few cases.
fn small(folder: &Path, shard: [u64; 2]) -> Settings {
    Settings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 7,
        cases: Some(4),
        shard,
        folder: Some(folder.to_owned()),
        ..Settings::default()
    }
}

/// Runs a campaign on a design.
fn run(settings: &Settings, design: &dyn Design) -> Result<Summary, CampaignError> {
    let stop = AtomicBool::new(false);
    let result = drra_campaign::run(settings, design, &stop, &mut |_| {});
    result.map(|result| result.summary)
}
