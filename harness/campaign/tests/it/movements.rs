// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated cases move useful data and change all registers.

use std::collections::BTreeMap;

use drra_campaign::{CampaignSettings, measure_effectiveness};
use drra_fabric::{Layout, RegisterId};
use drra_generate::{Profile, generate};
use drra_isa::UnitKind;
use drra_lockstep::{GoldenDesign, GoldenRun};
use drra_results::summary::Effectiveness;

use crate::{GEOMETRY, profile, run};

/// At least three quarters of the expected transfers, results and write-backs carry data that are not all the
/// same. For the profiles `default` and `smoke`, the share is larger.
#[test]
fn data_really_move() {
    let no_port = r#", "constraints": [{"situation": "register_file_init"}]"#;
    let no_port = profile("default", no_port);
    let shipped = |name| Profile::shipped(name).unwrap();
    for (profile, cases, share) in [
        (shipped("default"), 1500, 0.80),
        (shipped("smoke"), 1500, 0.85),
        (shipped("silago-published"), 500, 0.75),
        (no_port, 500, 0.75),
    ] {
        let name = &profile.name;
        let mut all = Effectiveness::default();
        for seed in 0..cases {
            let generated = generate(&profile, seed, &GEOMETRY);
            let until = generated.case.cycles.unwrap();
            all.add(&measure_effectiveness(&generated, until));
        }
        for (what, [expected, moved]) in [
            ("transfers", all.transfers),
            ("results", all.results),
            ("write-backs", all.write_backs),
        ] {
            assert!(expected > 100, "{name}: {expected} {what}");
            let reached = moved as f64 / expected as f64;
            println!("{name} {what}: {moved} of {expected}");
            assert!(reached >= share, "{name}: {moved} of {expected} {what}");
        }
    }
}

/// If all ways to preset a register file are excluded, cases compute only on zeros, and the summary warns of this.
#[test]
fn a_data_path_without_data_is_pointed_out() {
    let closed = ["register_file_init", "tile_init", "input_buffers"];
    let closed = closed.map(|name| format!(r#"{{"situation": "{name}"}}"#)).join(", ");
    let profile = profile("default", &format!(r#", "constraints": [{closed}]"#));
    let settings = CampaignSettings { profile, cases: Some(192), ..CampaignSettings::default() };
    let summary = run(&settings, &GoldenDesign).unwrap();
    assert!(
        summary.to_text().contains("warning: more than a third of the expected"),
        "{summary:?}"
    );
    for (results, warns) in [([12, 8], false), ([12, 7], true), ([11, 0], false)] {
        let warning = Effectiveness { results, ..Effectiveness::default() }.warning();
        assert_eq!(warning.is_some_and(|text| text.contains("(DPU results)")), warns);
    }
}

/// A register that neither side computes never differs, so every register has to change from its reset value in some
/// case.
#[test]
fn every_register_moves() {
    let geometry = &GEOMETRY;
    let layout = Layout::new(geometry);
    // For each kind of unit, an image of the bits that changed in some unit.
    let mut moved: BTreeMap<UnitKind, Vec<u64>> =
        UnitKind::ALL.iter().map(|kind| (*kind, vec![0; layout.words(*kind)])).collect();
    let mut still: Vec<RegisterId> = RegisterId::ALL.to_vec();
    let profiles = ["default", "chaos"].map(|name| Profile::shipped(name).unwrap());
    let mut cases = (0..600).zip(profiles.iter().cycle());
    while !still.is_empty()
        && let Some((seed, profile)) = cases.next()
    {
        let case = generate(profile, seed, geometry).case;
        let mut run = GoldenRun::new(&case);
        run.fabric.pack();
        let start: Vec<Vec<u64>> = layout.units().map(|u| run.fabric.image(u).to_vec()).collect();
        while run.cycle < 300 {
            run.step();
            run.fabric.pack();
            for (unit, start) in layout.units().zip(&start) {
                let changes =
                    run.fabric.image(unit).iter().zip(start).map(|(now, then)| now ^ then);
                let moved = moved.get_mut(&unit.kind()).unwrap();
                moved.iter_mut().zip(changes).for_each(|(moved, change)| *moved |= change);
            }
        }
        still.retain(|id| {
            let value = |register| layout.value(register, &moved[&id.info().unit]);
            // Only the memory of a tile is not in an image.
            !id.all(geometry).any(|r| value(r).is_none_or(|words| words.iter().any(|w| *w != 0)))
        });
    }
    assert!(still.is_empty(), "registers that no case moves: {still:?}");
}
