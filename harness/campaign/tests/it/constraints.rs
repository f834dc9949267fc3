// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints in campaigns: situations that occur only while a case runs, reduced cases, and the summary.

use std::{collections::BTreeMap, ops::Range};

use drra_campaign::{CampaignCases, CampaignSettings, shrink};
use drra_case::load::ProgramInputs;
use drra_fabric::AguId;
use drra_generate::{Profile, generate};
use drra_golden::{Arrival, Fabric};
use drra_isa::{CellId, TileId};
use drra_lockstep::{EndRule, LockstepRun, Observer};
use drra_testkit::{Fault, FaultyDesign};

use crate::{GEOMETRY, run, setup};

/// Seeds of the cases for each situation. Blocks move in both directions at once in three of a hundred cases
/// of `agu` and `dimarch`.
const SEEDS: Range<u64> = 0..300;

fn profile(base: &str, constraints: &str) -> Profile {
    crate::profile(base, &format!(r#", "constraints": [{constraints}]"#))
}

/// Watches the address generators of all cells, and all tiles.
#[derive(Default)]
struct Watch {
    /// Patterns of the busy address generators.
    busy: BTreeMap<(CellId, AguId), u64>,
    relaunches: u64,
    overlaps: u64,
    /// Cycles in which a tile both reads and writes.
    accesses: u64,
    /// SRAM instructions that arrive at a side without a path.
    pathless: u64,
}

impl Watch {
    fn of(profile: &Profile) -> Self {
        let geometry = &GEOMETRY;
        let mut watch = Self::default();
        for seed in SEEDS {
            let case = generate(profile, seed, geometry).case;
            watch.busy.clear();
            let end = EndRule::at(case.cycles.unwrap());
            LockstepRun::alone(&case).run(end, &mut watch);
        }
        watch
    }
}

fn cells(golden: &Fabric) -> impl Iterator<Item = CellId> {
    let geometry = golden.geometry();
    (0..geometry.cells()).filter_map(move |cell| CellId::from_index(cell, geometry))
}

impl Observer for Watch {
    fn pre_edge(&mut self, golden: &Fabric, _cycle: u64) {
        self.busy.clear();
        for cell in cells(golden) {
            for &agu in AguId::ALL {
                let state = golden.register_file(cell).agu(agu);
                if state.busy() {
                    self.busy.insert((cell, agu), state.pattern_word());
                }
            }
            let blocks = [AguId::Wb, AguId::Rb].map(|agu| self.busy.contains_key(&(cell, agu)));
            self.overlaps += u64::from(blocks == [true; 2]);
        }
    }

    fn post_edge(&mut self, golden: &Fabric, _cycle: u64) {
        for ((cell, agu), pattern) in &self.busy {
            let now = golden.register_file(*cell).agu(*agu).pattern_word();
            // After its end, a pattern is 0 (chapter 3, section 6.3).
            self.relaunches += u64::from(now != *pattern && now != 0);
        }
        for tile in TileId::all(golden.geometry()) {
            let writes = golden.written_row(tile).is_some();
            self.accesses += u64::from(golden.mem_rvalid(tile) && writes);
            let arrivals = golden.tile_activity(tile).arrivals;
            let pathless = [Arrival::SramReadLost, Arrival::SramWriteLost];
            let lost = arrivals.iter().flatten().filter(|a| pathless.contains(a));
            self.pathless += lost.count() as u64;
        }
    }
}

/// With the constraints, no busy address generator receives another pattern, and blocks move in only one direction at a
/// time.
#[test]
fn address_generators_are_left_alone() {
    for base in ["agu", "chaos"] {
        let free = Watch::of(&profile(base, ""));
        let bound = Watch::of(&profile(base, r#"{"situation": "agu_relaunch"}"#));
        assert!(free.relaunches > 5, "{base}: {}", free.relaunches);
        assert_eq!(bound.relaunches, 0, "{base}");
    }
    for base in ["agu", "dimarch"] {
        let free = Watch::of(&profile(base, ""));
        let bound = Watch::of(&profile(base, r#"{"situation": "block_ports_overlap"}"#));
        assert!(free.overlaps > 5, "{base}: {}", free.overlaps);
        assert_eq!(bound.overlaps, 0, "{base}");
    }
}

/// If a profile avoids deviation 6.D1 of the published fabric, no tile reads and writes in the same cycle; if it avoids
/// 6.D3, no SRAM instruction arrives at a side without a path. The profile of that fabric avoids both deviations, as
/// well as blanked blocks (3.1, 6.D2).
#[test]
fn tiles_are_used_as_in_the_published_fabric() {
    let avoiding = |base: &str, avoid: &str| {
        Watch::of(&crate::profile(base, &format!(r#", "avoid": [{avoid}]"#)))
    };
    let free = avoiding("dimarch", "");
    assert!(free.accesses > 5 && free.pathless > 5, "{} {}", free.accesses, free.pathless);
    assert_eq!(avoiding("dimarch", r#""6.D1""#).accesses, 0);
    assert_eq!(avoiding("dimarch", r#""6.D3""#).pathless, 0);
    assert_eq!(avoiding("dimarch", r#""6.D2""#).overlaps, 0);
    let published = Watch::of(&Profile::shipped("silago-published").unwrap());
    assert_eq!([published.accesses, published.pathless, published.overlaps], [0; 3]);
}

/// A faulty program port: the second operand of every RACCU instruction loses a bit.
fn operand_lost(word: u32) -> u32 {
    if word >> 23 == 10 { word & !(1 << 5) } else { word }
}

/// Directed and reduced cases obey the constraints, and the summary states how often an instruction or field was
/// replaced.
#[test]
fn a_campaign_keeps_to_the_constraints() {
    let constraints = r#"{"instruction": "WAIT", "fields": {"cycle": {"is": [0, 1, 2]}},
                          "reason": "too short"},
                         {"instruction": "REFI", "fields": {"init_addr": {"is": [0]}}}"#;
    let dir = tempfile::tempdir().unwrap();
    let settings = CampaignSettings {
        profile: profile("loops", constraints),
        cases: Some(12),
        folder: Some(dir.path().to_owned()),
        shrink: shrink::ReductionBounds { steps: 60, ..shrink::ReductionBounds::default() },
        ..CampaignSettings::default()
    };
    let geometry = &GEOMETRY;
    let cases = CampaignCases::new(settings.profile.clone(), settings.seed);
    for number in [3, 7] {
        let case = cases.case(number);
        assert_eq!(settings.profile.violated(&case), None, "{number}");
    }
    let faulty = FaultyDesign::new(setup().design, Fault::Word(operand_lost));
    let summary = run(&settings, &faulty).unwrap();
    assert!(!summary.failures.is_empty());
    for failure in &summary.failures {
        let file = dir.path().join(&failure.folder).join("case.json");
        let loaded = drra_case::load::load(&file, &ProgramInputs::default(), geometry).unwrap();
        assert_eq!(settings.profile.violated(&loaded.case), None, "{}", file.display());
    }
    let listed = &summary.constraints;
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0].constraint, "WAIT cycle is [0,1,2]");
    assert_eq!(listed[0].reason.as_deref(), Some("too short"));
    assert!(listed.iter().all(|c| c.replaced > 0), "{listed:?}");
    assert!(summary.to_text().contains("too short"));
}
