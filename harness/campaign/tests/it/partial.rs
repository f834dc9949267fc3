// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns on a design that lacks registers: all of their output reports how much was compared.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drra_campaign::{CampaignSettings, Shards};
use drra_fabric::{Layout, RegisterId};
use drra_generate::FabricWeights;
use drra_isa::UnitKind;
use drra_lockstep::{ComparisonCoverage, GoldenDesign, StateCount, UncomparedReason};
use drra_report::unfitted;
use drra_testkit::{Fault, FaultyDesign, Flip, HiddenRegisters};
use serde_json::Value;

use crate::{GEOMETRY, run};

/// The registers that the design lacks, in the default fabric (chapter 5, section 7): the program counters of 16 cells,
/// with 6 bits each.
const LACKING: StateCount = StateCount { registers: 16, bits: 96 };

/// The golden model without its program counters.
fn partial() -> FaultyDesign<'static> {
    let mut compared = ComparisonCoverage::whole(&[GEOMETRY]);
    let cells = &mut compared.units[UnitKind::Cell as usize].compared;
    cells.registers -= LACKING.registers;
    cells.bits -= LACKING.bits;
    let why = UncomparedReason::Lacking { path: "top.pc".into(), nearest: vec!["top.pcs".into()] };
    compared.leave_out(RegisterId::SeqPc, LACKING, why);
    let fault = Fault::Hidden(HiddenRegisters {
        register: RegisterId::SeqPc,
        compared: Box::new(compared),
    });
    FaultyDesign::new(&GoldenDesign, fault)
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Files and text state how much was compared, what was not compared, and why.
#[test]
fn every_output_says_how_much() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let summary = run(&small(folder, [1, 1]), &partial()).unwrap();
    assert_eq!((summary.cases, summary.failed), (4, 0));
    let (all, compared) = (summary.compared.all(), summary.compared.compared());
    assert_eq!(all.bits, Layout::new(&GEOMETRY).state_bits());
    assert_eq!(compared.registers, all.registers - LACKING.registers);
    assert_eq!(compared.bits, all.bits - LACKING.bits);
    assert_eq!(summary.compared.cycles, summary.cycles);
    assert_eq!(summary.compared.bit_cycles, summary.cycles * compared.bits);
    // More than 99.95 %, but not all.
    let share = format!(
        "99.9 %: {} of {} registers ({} of {} bits)",
        compared.registers, all.registers, compared.bits, all.bits
    );
    let lacking = "16 registers (96 bits), not in the design: top.pc (nearest: top.pcs)";
    for text in [summary.to_text(), text(folder, "index.html"), text(folder, "junit.xml")] {
        let text = unfitted(&text);
        assert!(text.contains(&share) && text.contains(lacking), "{text}");
    }
    let json: Value = serde_json::from_str(&text(folder, "summary.json")).unwrap();
    assert_eq!(json["compared"]["not_compared"][0]["registers"][0], "seq.pc");
    // For a design that exposes all registers, the output states that, too.
    let whole = run(&small(&folder.join("whole"), [1, 1]), &GoldenDesign).unwrap();
    assert!(whole.compared.is_whole());
    let share = format!("{0} of {0} registers ({1} of {1} bits)", all.registers, all.bits);
    assert!(unfitted(&whole.to_text()).contains(&share), "{}", whole.to_text());
    assert!(!text(&folder.join("whole"), "index.html").contains("not compared"));
}

/// A shard of a campaign with a few cases, all of which have the fabric size of `LACKING`.
fn small(folder: &Path, shard: [u64; 2]) -> CampaignSettings {
    let mut settings = crate::small(folder, shard);
    settings.profile.fabrics = FabricWeights::one(GEOMETRY);
    settings
}

/// Missing registers are not compared, but their neighbours are.
#[test]
fn the_account_is_true() {
    let dir = tempfile::tempdir().unwrap();
    for (register, failed) in [("seq.pc", 0), ("seq.load_count", 4)] {
        let location = format!("cell[0][0].{register}").parse().unwrap();
        let flip = Flip { cycle: 20, location, bit: 0 };
        let partial = partial();
        let faulty = FaultyDesign::new(&partial, Fault::Flip(flip));
        let summary = run(&small(&dir.path().join(register), [1, 1]), &faulty).unwrap();
        assert_eq!(summary.failed, failed, "{register}");
    }
}

/// A difference in the very first state is found by comparison, even before any clock edge.
#[test]
fn the_first_state_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    let flip = Flip { cycle: 0, location: "cell[0][0].seq.pc".parse().unwrap(), bit: 0 };
    let faulty = FaultyDesign::new(&GoldenDesign, Fault::Flip(flip));
    let settings = CampaignSettings { first_only: true, ..small(dir.path(), [1, 1]) };
    let summary = run(&settings, &faulty).unwrap();
    assert_eq!((summary.failed, summary.cycles), (4, 0));
    let text = summary.to_text();
    assert!(text.contains("at most cycle 0"), "{text}");
}

/// Shards that compared different parts of the state are not merged, and no campaign is resumed with a different part.
#[test]
fn other_parts_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = ["one", "two"].map(|name| dir.path().join(name)).to_vec();
    run(&small(&folders[0], [1, 2]), &partial()).unwrap();
    run(&small(&folders[1], [2, 2]), &GoldenDesign).unwrap();
    let text = Shards::open(&folders, false).unwrap_err().to_string();
    assert!(text.ends_with("the design or its map has changed"), "{text}");
    let bits = Layout::new(&GEOMETRY).state_bits();
    for part in [
        folders[0].display().to_string(),
        folders[1].display().to_string(),
        format!("({bits} of {bits} bits)"),
        format!("({} of {bits} bits)", bits - LACKING.bits),
    ] {
        assert!(text.contains(&part), "{part} is not in: {text}");
    }
    let again = CampaignSettings { resume: true, ..small(&folders[0], [1, 2]) };
    let error = run(&again, &GoldenDesign).unwrap_err();
    assert!(error.to_string().contains("in this build"), "{error}");
    assert_eq!(run(&again, &partial()).unwrap().cases, 2);
}
