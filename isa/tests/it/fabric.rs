// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fabric description: what follows from it, and that generated files are up to date.

use std::collections::BTreeSet;

use drra_isa::Geometry;
use drra_isa::UnitKind;
use drra_isa::fabric::*;

fn generated(path: &str, text: &str) {
    let committed = std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR")));
    assert!(
        committed.unwrap_or_default() == text,
        "{path} is stale; regenerate it with\n  cargo run -p drra-isa --example generate"
    );
}

#[test]
fn the_identities_are_up_to_date() {
    let description = load_fabric(SOURCE).unwrap();
    generated("src/fabric/ids.rs", &rust_ids(&description));
}

/// Chapter 5, section 7, last line of 7.2.
#[test]
fn a_fabric_has_the_bits_that_the_chapter_counts() {
    let layout = Layout::new(&Geometry::default());
    let bits = UnitKind::ALL.map(|kind| layout.unit_bits(kind));
    assert_eq!(bits, [4567, 1101, 2497, 8 * 39]);
    assert_eq!(layout.state_bits(), 16 * 4567 + 8 * 1101 + 16 * (2497 + 32768) + 8 * 39);
}

#[test]
fn every_path_leads_back_to_its_register() {
    let geometry = Geometry { columns: 3, ..Geometry::default() };
    let layout = Layout::new(&geometry);
    let mut paths = BTreeSet::new();
    for unit in layout.units() {
        for field in layout.variables_of(unit.kind()).flat_map(|v| &v.fields) {
            let location = Location::new(unit, field.register).unwrap();
            let path = location.to_string();
            assert_eq!(path.parse(), Ok(location), "{path}");
            assert_eq!(layout.find(field.register).map(|f| f.1), Some(field), "{path}");
            assert!(paths.insert(path));
        }
    }
    for path in [
        "cell[0][0].seq.imem[64]",
        "cell[0][0].seq.imem[07]",
        "cell[0][0].seq.imem",
        "cell[0][0].rf.agu[w2].state",
        "cell[0][0].xsel[N]",
        "tile[1][0].xsel[NONE]",
        "col[0].rd.state",
        "seq.pc",
        "",
    ] {
        assert!(path.parse::<Location>().is_err(), "{path}");
    }
}

/// Positions of chapter 6, section 3, and chapter 7, A3.
#[test]
fn values_are_shown_decoded() {
    let stage = RegisterId::NocNocStage;
    assert_eq!(stage.words(&[0, 0]).as_deref(), Some("none"));
    let route = 1u64 << 8 | 3 << 9 | 2 << 13 | 1 << 25;
    assert_eq!(
        stage.words(&[route, 0b110]).as_deref(),
        Some("ROUTE read=1 horizontal_hops=2 vertical_hops=3 vertical_dir=1")
    );
    let sram = 2u64 << 54 | 0xff << 28 | 1;
    let forwarded = RegisterId::TileSideFwd.words(&[sram | 0b111 << 60]);
    assert_eq!(forwarded.as_deref(), Some("SRAM hops=2 l1_step=-1 rw=1"));
    let io = RegisterId::ColumnIoMsg.words(&[1 << 63 | 7 << 38, 1]);
    assert_eq!(io.as_deref(), Some("IO rw=1 init_addr=7"));
    assert_eq!(RegisterId::SeqState.words(&[2]).as_deref(), Some("RUN"));
    assert_eq!(RegisterId::SeqDpuMode.words(&[10]).as_deref(), Some("mac"));
    assert_eq!(RegisterId::SwbSwbCfg.words(&[0b100111]).as_deref(), Some("other=1 hb=7"));
    assert_eq!(RegisterId::SeqPc.words(&[2]), None);
}

#[test]
fn a_rule_depends_on_what_acted() {
    let pc = RegisterId::SeqPc.only();
    assert_eq!(pc.rule_under(&Circumstances::default()), RuleId::ProgramCounter);
    let by_loop = Circumstances { instruction: Some("LOOP"), ..Circumstances::default() };
    assert_eq!(pc.rule_under(&by_loop), RuleId::Loops);
    let launch = Circumstances { launch: true, ..Circumstances::default() };
    assert_eq!(RegisterId::RfAguState.at(AguId::W0).rule_under(&launch), RuleId::RfShadow);
    assert_eq!(RegisterId::TileGeneratorCfg.at(Generator::Read).rule_under(&launch), RuleId::Take);
    let squash = Circumstances { dpu_mode: Some(21), ..Circumstances::default() };
    assert_eq!(RegisterId::DpuAcc.at(0).rule_under(&squash), RuleId::DpuSquash);
    assert_eq!(RegisterId::DpuAcc.at(1).rule_under(&squash), RuleId::DpuChannel);
    assert_eq!(RuleId::of_module("drra_lane_add"), Some(RuleId::DpuChannel));
    assert_eq!(RuleId::Agu.chapter_file(), "isa/spec/03-register-file.md");
}
