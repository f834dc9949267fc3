// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns on a design that lacks registers: everything that they write says how much was compared.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use drra_campaign::CampaignError;
use drra_campaign::Settings;
use drra_campaign::merge;
use drra_case::Case;
use drra_generate::Profile;
use drra_golden::BufferWrite;
use drra_golden::Signals;
use drra_isa::ColumnId;
use drra_isa::Geometry;
use drra_isa::TileId;
use drra_isa::Unit;
use drra_isa::UnitKind;
use drra_isa::fabric::Layout;
use drra_isa::fabric::Location;
use drra_isa::fabric::Register;
use drra_isa::fabric::RegisterId;
use drra_isa::ports::Block;
use drra_isa::ports::Inputs;
use drra_lockstep::Account;
use drra_lockstep::Count;
use drra_lockstep::Design;
use drra_lockstep::Dut;
use drra_lockstep::DutError;
use drra_lockstep::Fault;
use drra_lockstep::Faulty;
use drra_lockstep::Flip;
use drra_lockstep::GoldenDesign;
use drra_lockstep::NotCompared;
use drra_lockstep::Outputs;
use drra_lockstep::SignalDifference;
use drra_lockstep::StartError;
use drra_lockstep::StateSource;
use drra_lockstep::StepError;
use drra_lockstep::WhyNot;
use drra_report::data::Amount;
use drra_report::summary::Summary;
use serde_json::Value;

use crate::setup;

/// Registers of the default fabric (chapter 5, section 7): the program counters of 16 cells, 6 bits each, are lacking.
const LACKING: Amount = Amount { registers: 16, bits: 96 };

/// The golden model without its program counters.
#[derive(Debug)]
struct Partial;

struct PartialDut(Box<dyn Dut>);

fn lacks(register: Register) -> bool {
    register.id() == RegisterId::SeqPc
}

impl Design for Partial {
    fn start(
        &self,
        case: &Case,
        geometry: &Geometry,
        layout: &Arc<Layout>,
    ) -> Result<Box<dyn Dut>, StartError> {
        Ok(Box::new(PartialDut(GoldenDesign.start(case, geometry, layout)?)))
    }

    fn simulator(&self) -> &str {
        "half a golden model"
    }

    fn account(&self) -> Option<Account> {
        let mut account = Account::whole(setup().geometry);
        let cells = &mut account.compared[UnitKind::Cell as usize];
        cells.registers -= LACKING.registers;
        cells.bits -= LACKING.bits;
        let why = WhyNot::Lacking { path: "top.pc".into(), nearest: vec!["top.pcs".into()] };
        let count = Count { registers: LACKING.registers, bits: LACKING.bits };
        account.not_compared = vec![NotCompared { register: RegisterId::SeqPc, count, why }];
        Some(account)
    }
}

impl StateSource for PartialDut {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        self.0.read(unit, image);
    }

    fn shows(&self, _unit: Unit, register: Register) -> bool {
        !lacks(register)
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.0.sram_block(tile, row)
    }
}

impl Dut for PartialDut {
    fn step(&mut self, inputs: &Inputs<'_>) -> Result<(), StepError> {
        self.0.step(inputs)
    }

    fn outputs(&self) -> Outputs {
        self.0.outputs()
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        self.0.io_in_addr(column)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        self.0.io_out(column)
    }

    fn differing_signals(&self, golden: &Signals) -> Result<Vec<SignalDifference>, DutError> {
        self.0.differing_signals(golden)
    }

    fn flip(&mut self, location: Location, bit: u32) -> bool {
        self.0.flip(location, bit)
    }
}

fn settings(folder: &Path, shard: [u64; 2]) -> Settings {
    Settings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 7,
        cases: Some(4),
        shard,
        folder: Some(folder.to_owned()),
        ..Settings::default()
    }
}

fn run(settings: &Settings, design: &dyn Design) -> Result<Summary, CampaignError> {
    let stop = AtomicBool::new(false);
    let result = drra_campaign::run(settings, setup().geometry, design, &stop, &mut |_| {});
    result.map(|result| result.summary)
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Files and text say how much was compared, what not, and why.
#[test]
fn every_output_says_how_much() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let summary = run(&settings(folder, [1, 1]), &Partial).unwrap();
    assert_eq!((summary.cases, summary.failed), (4, 0));
    let (all, compared) = (summary.compared.all(), summary.compared.compared());
    assert_eq!(all.bits, Layout::new(setup().geometry).state_bits());
    assert_eq!(compared.registers, all.registers - LACKING.registers);
    assert_eq!(compared.bits, all.bits - LACKING.bits);
    assert_eq!(summary.compared.cycles, summary.cycles);
    assert_eq!(summary.compared.bit_cycles, summary.cycles * compared.bits);
    let share = format!(
        "{} of {} registers ({} of {} bits)",
        compared.registers, all.registers, compared.bits, all.bits
    );
    let lacking = "16 registers (96 bits), not in the design: top.pc (nearest: top.pcs)";
    // Tables are as wide as a terminal, their texts are wrapped.
    let words = |text: &str| -> String {
        text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for text in [summary.to_text(), text(folder, "index.html"), text(folder, "junit.xml")] {
        let text = words(&text);
        assert!(text.contains(&share) && text.contains(lacking), "{text}");
    }
    let json: Value = serde_json::from_str(&text(folder, "summary.json")).unwrap();
    assert_eq!(json["compared"]["not_compared"][0]["registers"][0], "seq.pc");
    // A design that shows everything says so, too.
    let whole = run(&settings(&folder.join("whole"), [1, 1]), &GoldenDesign).unwrap();
    assert!(whole.compared.is_whole());
    let share = format!("{0} of {0} registers ({1} of {1} bits)", all.registers, all.bits);
    assert!(words(&whole.to_text()).contains(&share), "{}", whole.to_text());
    assert!(!text(&folder.join("whole"), "index.html").contains("not compared"));
}

/// What is lacking is not compared, what is beside it is.
#[test]
fn the_account_is_true() {
    let dir = tempfile::tempdir().unwrap();
    for (register, failed) in [("seq.pc", 0), ("seq.load_count", 4)] {
        let location = format!("cell[0][0].{register}").parse().unwrap();
        let flip = Flip { cycle: 20, location, bit: 0 };
        let faulty = Faulty::new(&Partial, Fault::Flip(flip));
        let summary = run(&settings(&dir.path().join(register), [1, 1]), &faulty).unwrap();
        assert_eq!(summary.failed, failed, "{register}");
    }
}

/// Shards that compared other parts of the state are not joined, and no campaign goes on with another part.
#[test]
fn other_parts_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = ["one", "two"].map(|name| dir.path().join(name)).to_vec();
    run(&settings(&folders[0], [1, 2]), &Partial).unwrap();
    run(&settings(&folders[1], [2, 2]), &GoldenDesign).unwrap();
    let error = merge(&folders, false).unwrap_err();
    assert!(matches!(error, CampaignError::OtherState { .. }), "{error}");
    let bits = Layout::new(setup().geometry).state_bits();
    let text = error.to_string();
    for part in [
        folders[0].display().to_string(),
        folders[1].display().to_string(),
        format!("({bits} of {bits} bits)"),
        format!("({} of {bits} bits)", bits - LACKING.bits),
    ] {
        assert!(text.contains(&part), "{part} is not in: {text}");
    }
    let again = Settings { resume: true, ..settings(&folders[0], [1, 2]) };
    let error = run(&again, &GoldenDesign).unwrap_err();
    assert!(error.to_string().contains("in this build"), "{error}");
    assert_eq!(run(&again, &Partial).unwrap().cases, 2);
}
