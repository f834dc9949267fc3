// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the fabric description: the faults that the loader finds, the data derived from the description, and its
//! schema.

use std::collections::BTreeSet;

use drra_fabric::*;
use drra_isa::{Geometry, UnitKind};

/// The fault that the loader finds in the description with one value replaced or removed.
fn fault(pointer: &str, value: Option<serde_json::Value>) -> FabricError {
    let mut json: serde_json::Value = serde_json::from_str(SOURCE).unwrap();
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    let parent = json.pointer_mut(parent).unwrap();
    match (parent, value) {
        (serde_json::Value::Object(all), Some(value)) => {
            all.insert(last.to_owned(), value);
        }
        (serde_json::Value::Object(all), None) => {
            all.remove(last).unwrap();
        }
        (serde_json::Value::Array(all), Some(value)) => all[last.parse::<usize>().unwrap()] = value,
        other => panic!("{other:?}"),
    }
    load_fabric(&json.to_string()).err().unwrap_or_else(|| panic!("{pointer}: no fault found"))
}

/// Each case is a place, the value to put there (none to remove what is there), and part of the message.
#[test]
fn every_kind_of_fault_is_found_with_its_place() {
    let cases: Vec<(String, Vec<serde_json::Value>, String)> =
        serde_json::from_str(include_str!("../data/fabric_error_cases.json")).unwrap();
    for (pointer, value, expected) in cases {
        let found = fault(&pointer, value.into_iter().next()).to_string();
        assert!(found.contains(&expected), "{pointer}: {found}");
        let place = found.split(": ").next().unwrap().to_owned();
        let list = pointer.split('/').nth(1).unwrap();
        assert!(!place.is_empty() && (place.contains('[') || place.contains(list)), "{found}");
    }
}

#[test]
fn entries_of_a_list_have_different_names() {
    for (list, what) in [
        ("keys", "kind of key `agu`"),
        ("enumerations", "enumeration `SequencerState`"),
        ("messages", "message `IO`"),
        ("types", "type `raccu_op_t`"),
        ("blocks", "block `sequencer`"),
        ("parts", "part `decode`"),
        ("signal_sets", "signal set `fetched`"),
        ("signals", "signal `rdata`"),
        ("ports", "port `cell_idle`"),
        ("named_inputs", "named input `load port`"),
    ] {
        let name = what.split('`').nth(1);
        let found = fault(&format!("/{list}/1/name"), name.map(Into::into)).to_string();
        let expected = format!("{list}[1].name: the {what} already exists; give it another name");
        assert_eq!(found, expected);
    }
}

#[test]
fn what_is_not_one_description_is_refused() {
    for (text, expected) in [
        (SOURCE.to_owned() + "{}", "trailing characters at line"),
        (SOURCE.replacen('{', "", 1), "invalid type: string"),
        (SOURCE[..SOURCE.len() / 2].to_owned(), "EOF while parsing"),
        (SOURCE.replacen("\"keys\": [", "\"keys\": [[", 1), "keys[0]"),
        (String::new(), "EOF while parsing a value"),
        (SOURCE.replacen("\"name\": \"SiLago 1\",", "", 1), "missing field `name`"),
    ] {
        let found = load_fabric(&text).unwrap_err();
        assert!(!found.at.is_empty() && found.to_string().contains(expected), "{found}");
    }
}

/// Chapter 5, section 7: last line of 7.2, and the row of the load pipeline.
#[test]
fn a_fabric_has_the_bits_that_the_chapter_counts() {
    let chapter = include_str!("../../../spec/05-interconnect.md").replace('\n', " ");
    let count = |before: &str| -> u64 {
        let text = chapter.split(before).nth(1).unwrap_or_else(|| panic!("{before}"));
        text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let [cell, column, tile] = [" Bits per cell: ", "; per column ", "; per tile "].map(count);
    let [memory, stage] = [" without `sram` (", " | `ld_pipe[k]` | "].map(count);
    let layout = Layout::new(&Geometry::default());
    let bits = UnitKind::ALL.map(|kind| layout.unit_bits(kind));
    assert_eq!(bits, [cell, column, tile, 8 * stage], "of a unit: description, chapter");
    assert_eq!(layout.state_bits(), 16 * cell + 8 * column + 16 * (tile + memory) + 8 * stage);
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
        Some("ROUTE read=1 horizontal_hops=2 horizontal_dir=w vertical_hops=3 vertical_dir=n")
    );
    let sram = 1u64 << 59 | 2 << 54 | 0xff << 28 | 1;
    let forwarded = RegisterId::TileSideFwd.words(&[sram | 0b111 << 60]);
    assert_eq!(forwarded.as_deref(), Some("SRAM hops=2 init_addr=0 l1_step=-1 rw=w"));
    let io = RegisterId::ColumnIoMsg.words(&[1 << 63 | 7 << 38, 1]);
    assert_eq!(io.as_deref(), Some("IO rw=w init_addr=7"));
    assert_eq!(RegisterId::SeqState.words(&[2]).as_deref(), Some("RUN"));
    assert_eq!(RegisterId::SeqDpuMode.words(&[10]).as_deref(), Some("mac"));
    // Fields that determine the effect are shown even if they are 0: read or write, modes, the lane that an input
    // selects.
    for (id, value, expected) in [
        (RegisterId::NocNocStage, [1 << 59, 0b111], "SRAM init_addr=0 rw=r"),
        (RegisterId::TileSideAgu, [1 << 54, 0], "valid=1 rw=r cfg=(init_addr=0)"),
        (RegisterId::TileSideAgu, [0, 0], "0"),
        (RegisterId::PermPermStage, [1 << 21, 0], "valid=1 mode=shl_zero block=0 distance=0"),
        (RegisterId::SwbSwbCfg, [0, 0], "other=0 block=rf port=0 hb=0"),
        (RegisterId::SwbSwbCfg, [0b100111, 0], "other=1 block=rf port=0 hb=7"),
        (RegisterId::RfShShCfg, [43 << 43, 0], "init_addr=43 l1_step_sign=+"),
    ] {
        assert_eq!(id.words(&value).as_deref(), Some(expected), "{id}");
    }
    assert_eq!(RegisterId::SeqPc.words(&[2]), None);
}

#[test]
fn registers_and_signals_have_a_rule_and_a_block() {
    assert_eq!(RegisterId::SeqPc.rule(), RuleId::ProgramCounter);
    assert_eq!(SignalId::NocDec.block(), BlockId::Decoder);
    assert_eq!(RegisterId::NocNocStage.block(), BlockId::NocIssue);
    assert_eq!(SignalId::AguLaunch.rule(), RuleId::RfShadow);
    assert_eq!(RuleId::of_instance("drra_lane_add", ""), Some(RuleId::DpuChannel));
    assert_eq!(RuleId::Agu.chapter_file(), "isa/spec/03-register-file.md");
}

/// The first register that differs determines the block of a fault. A loop slot writes its iterator into a RACCU
/// register, but a RACCU never writes a slot (chapter 2, sections 8 and 9): if both differ, the slot must come first.
#[test]
fn a_loop_slot_comes_before_its_iterator() {
    let layout = Layout::new(&Geometry::default());
    let place = |register| layout.locations().position(|l| l.register == register).unwrap();
    assert!(place(Register::SeqLoopCount(3)) < place(Register::SeqRaccuReg(0)));
}

#[test]
fn an_instance_leads_to_the_rule_of_its_registers() {
    let cell = "drra_fabric.gen_row[0].gen_col[1].u_cell";
    let column = "drra_fabric.gen_column[1].u_column";
    let tile = "drra_fabric.gen_tile_row[2].gen_tile_col[1].u_tile";
    let expected = [
        ("drra_issue", format!("{cell}.u_noc"), RuleId::NocIssue),
        ("drra_issue", format!("{cell}.u_perm"), RuleId::PermIssue),
        ("drra_issue", format!("{cell}.u_perm.NothingStagedIsZero"), RuleId::PermIssue),
        ("drra_pattern_agu", format!("{column}.u_io_rd"), RuleId::IoAgu),
        ("drra_pattern_agu", format!("{column}.u_io_wr"), RuleId::IoAgu),
        ("drra_pattern_agu", format!("{tile}.u_rd"), RuleId::SramAgu),
        ("drra_pattern_agu", format!("{tile}.u_wr.gen_rows"), RuleId::SramAgu),
        ("drra_agu", format!("{cell}.u_rf.gen_agu[5].u_agu"), RuleId::Agu),
        ("drra_dpu", format!("{cell}.u_dpu"), RuleId::DpuOperands),
        ("drra_cell", cell.to_owned(), RuleId::CellWiring),
        ("drra_fabric", "drra_fabric".to_owned(), RuleId::Status),
    ];
    for (module, scope, rule) in expected {
        assert_eq!(RuleId::of_instance(module, &scope), Some(rule), "{module} at {scope}");
    }
    assert_eq!(RuleId::of_instance("drra_other", cell), None);
}

#[test]
fn the_description_follows_its_schema() {
    let schema = serde_json::from_str(include_str!("../../../fabric.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut description: serde_json::Value = serde_json::from_str(SOURCE).unwrap();
    let faults: Vec<String> = validator.iter_errors(&description).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    description["groups"][0]["registers"][0]["colour"] = "red".into();
    assert!(!validator.is_valid(&description));
}
