// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns with cases of several fabric sizes.

use std::collections::BTreeMap;

use drra_campaign::{CampaignCases, CampaignSettings, case_seed};
use drra_fabric::Layout;
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::GoldenDesign;

use crate::{profile, run};

const CASES: u64 = 40;

fn settings(more: &str) -> CampaignSettings {
    CampaignSettings {
        profile: profile("smoke", more),
        seed: 11,
        cases: Some(CASES),
        ..CampaignSettings::default()
    }
}

/// The size of a case depends only on its seed, so it is the same for any number of workers and shards. The summary
/// counts cases, cycles and bits by size.
#[test]
fn sizes_follow_from_seeds() {
    let settings = settings(r#", "fabrics": {"2x1": 2, "3x3": 1, "4x1-rf32-sram8": 1}"#);
    let mut expected: BTreeMap<Geometry, u64> = BTreeMap::new();
    let cases = CampaignCases::new(settings.profile.clone(), settings.seed);
    for number in 0..CASES {
        let size = settings.profile.fabrics.of(case_seed(settings.seed, number));
        assert_eq!(cases.case(number).geometry, size, "{number}");
        *expected.entry(size).or_default() += 1;
    }
    assert_eq!(expected.len(), 3);
    let summary = run(&settings, &GoldenDesign).unwrap();
    let found: BTreeMap<Geometry, u64> =
        summary.fabrics.iter().map(|f| (f.fabric.parse().unwrap(), f.cases)).collect();
    assert_eq!(found, expected);
    let bits = |size: &Geometry| Layout::new(size).state_bits();
    let of = |f: &drra_results::summary::FabricCases| f.cycles * bits(&f.fabric.parse().unwrap());
    assert_eq!(summary.compared.bit_cycles, summary.fabrics.iter().map(of).sum::<u64>());
    assert_eq!(summary.compared.all().bits, expected.keys().map(bits).sum::<u64>());

    let several = run(&CampaignSettings { jobs: 3, ..settings.clone() }, &GoldenDesign).unwrap();
    assert_eq!(several.fabrics, summary.fabrics);
    let [one, two] = [[1, 2], [2, 2]]
        .map(|shard| run(&CampaignSettings { shard, ..settings.clone() }, &GoldenDesign).unwrap());
    let cases =
        |all: &[drra_results::summary::FabricCases]| all.iter().map(|f| f.cases).sum::<u64>();
    assert_eq!(cases(&one.fabrics) + cases(&two.fabrics), CASES);
    assert_eq!(one.cycles + two.cycles, summary.cycles);
}

/// A profile without sizes is for the default size, and its summary lists no sizes.
#[test]
fn one_size_is_none() {
    let profile = Profile::parse(
        r#"{"version": 1, "name": "x", "cycles": [20, 40], "scenarios": {"stream": 1}}"#,
        None,
    );
    let settings = CampaignSettings {
        profile: profile.unwrap(),
        cases: Some(3),
        ..CampaignSettings::default()
    };
    assert_eq!(
        CampaignCases::new(settings.profile.clone(), settings.seed).case(2).geometry,
        Geometry::default()
    );
    let summary = run(&settings, &GoldenDesign).unwrap();
    assert_eq!(summary.fabrics, []);
    let bits = Layout::new(&Geometry::default()).state_bits();
    assert_eq!(summary.compared.bit_cycles, summary.cycles * bits);
}
