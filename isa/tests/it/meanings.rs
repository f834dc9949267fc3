// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits of portability between revisions: names that stand for different values, and fields that programs of a
//! revision do not write.

use std::collections::BTreeSet;

use drra_isa::{
    Assembler, Revision, TextKind, Warning, instructions::DpuMode, load, read_sync_json,
};
use serde_json::json;

use crate::*;

fn warnings(revision: Revision, kind: TextKind, text: &str) -> Vec<Warning> {
    let assembler = Assembler { isa: revision.into(), kind, ..Default::default() };
    let assembly = assembler.assemble(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assembly.warnings.into_iter().filter(|w| w.code != "W03").collect()
}

#[track_caller]
fn codes(revision: Revision, text: &str, expected: &[&str]) {
    let found = warnings(revision, TextKind::Source, text);
    assert_eq!(found.iter().map(|w| w.code).collect::<Vec<_>>(), expected, "{text}: {found:?}");
}

/// The two mode lists of chapter 1, section 3: 29 of the 31 codes of r1 are different modes in r4, and 13 modes of r1
/// no longer exist.
#[test]
fn modes_of_r1_that_mean_something_else_are_warned_about() {
    let mode = &Revision::R1.isa().by_name("DPU").unwrap().fields[0];
    assert_eq!((mode.name.as_str(), mode.values.len()), ("mode", 31));
    let mut other = BTreeSet::new();
    let mut gone = BTreeSet::new();
    for (value, name) in &mode.values {
        let by_name = warnings(Revision::R1, TextKind::Source, &format!("DPU mode={name}"));
        assert_eq!(by_name, warnings(Revision::R1, TextKind::Source, &format!("DPU mode={value}")));
        assert!(by_name.iter().all(|w| w.code == "W07") && by_name.len() < 2, "{by_name:?}");
        for warning in by_name {
            other.insert(name.as_str());
            if warning.message.contains("there is no") {
                gone.insert(name.as_str());
            }
        }
    }
    assert_eq!(other.len(), 29);
    assert!(!other.contains("idle") && !other.contains("add"));
    let missing = [
        "add_3",
        "add_acc",
        "subt_acc",
        "som_dist",
        "mac_const",
        "max_acc",
        "max_const",
        "min_acc",
        "max",
        "elu",
        "ld_regs",
        "st_regs",
        "change_q",
    ];
    assert_eq!(gone, missing.into());
    let text = &warnings(Revision::R1, TextKind::Source, ".ISA r1\nWAIT cycle=1\nDPU mode=mac")[0];
    assert_eq!(text.line, 3);
    assert_eq!(text.message, "DPU mode=mac is value 11, which runs as ld_ir; mac is 10 there (r4)");
}

/// A mode whose name has changed has a new meaning; every other named value has kept its meaning.
#[test]
fn no_other_value_changed_its_meaning() {
    for revision in Revision::ALL {
        for instruction in &revision.isa().instructions {
            let io_cell = instruction.cell_kind.is_some();
            for field in &instruction.fields {
                for (value, name) in &field.values {
                    let changed = instruction.name == "DPU"
                        && field.name == "mode"
                        && DpuMode::from_bits(*value).name() != name;
                    let cell = if io_cell { ".IOCELL <0,0>\n" } else { "" };
                    let text = format!("{cell}{} {}={value}", instruction.name, field.name);
                    let found = warnings(revision, TextKind::Source, &text);
                    assert_eq!(found.iter().any(|w| w.code == "W07"), changed, "{text}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn listings_and_schedules_are_warned_about_too() {
    let found = warnings(Revision::R1, TextKind::Listing, "0_0\nDPU (mode=mac)\n");
    assert_eq!(found.iter().map(|w| w.code).collect::<Vec<_>>(), ["W07"]);
    let schedule = json!([{"row": 0, "col": 0, "instr_list": [
        {"name": "DPU", "immediate": 1, "segment_values": {"mode": 11}}]}]);
    let assembler = Assembler { isa: Revision::R1.into(), ..Default::default() };
    let assembly = read_sync_json(&assembler, &schedule.to_string()).unwrap();
    assert_eq!(assembly.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), ["W07"]);
}

/// r3 has no I/O cells: the hardware runs an SRAM of r3 in such a cell as IO.
#[test]
fn an_instruction_that_runs_as_another_one_is_warned_about() {
    codes(Revision::R3, ".IOCELL <0,0>\nSRAM", &["W07"]);
    codes(Revision::R3, "SRAM", &[]);
    codes(Revision::R4, ".IOCELL <0,0>\nIO", &[]);
}

#[test]
fn a_given_description_is_compared_where_its_words_run() {
    let warned = |change: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(Revision::R4.source()).unwrap();
        let dpu = &mut document["instruction_templates"][2];
        // The table of modes uses the names that change.
        dpu.as_object_mut().unwrap().remove("modes").unwrap();
        change(&mut dpu["segment_templates"]);
        let isa = load(&document.to_string()).isa.unwrap();
        let assembler = Assembler { isa: isa.into(), ..Default::default() };
        let assembly = assembler.assemble("DPU mode=1").unwrap();
        assembly.warnings.iter().any(|w| w.code == "W07")
    };
    let plus = |fields: &mut Value| fields[0]["verbo_map"][1]["val"] = json!("plus");
    assert!(!warned(&|_| ()));
    assert!(warned(&plus));
    assert!(!warned(&|fields| {
        plus(fields);
        fields[0]["renamed"] = json!(true);
    }));
    // Words with a different layout are for other hardware.
    assert!(!warned(&|fields| {
        plus(fields);
        fields[3]["bitwidth"] = json!(7);
    }));
}

/// Fields that r0 and r1 mark as not controllable (chapter 1, 5.1) have their own warning; `link` keeps W02.
#[test]
fn fields_that_programs_do_not_write() {
    for revision in [Revision::R0, Revision::R1] {
        for text in [
            "REFI init_delay=1",
            "REFI init_delay_sd=d",
            "REFI l1_delay_sd=d",
            "REFI l1_delay=1",
            "REFI l2_delay_sd=d",
            "REFI l2_delay=1",
            "REFI l1_delay_ext=1",
            "SRAM init_delay=1",
            "SRAM l1_delay=1",
            "SRAM l2_delay=1",
            "SRAM init_delay_sd=d",
            "SRAM l1_delay_sd=d",
            "SRAM l2_delay_sd=d",
        ] {
            codes(revision, text, &["W06"]);
            codes(Revision::R2, text, &[]);
        }
        codes(revision, "REFI init_delay=0", &[]);
        codes(revision, "REFI unused_0=3", &["W01"]);
    }
    codes(Revision::R2, "LOOP extra=1, link=1", &["W02"]);
    codes(Revision::R4, "LOOP extra=1, link=0", &["W02"]);
    assert!(warnings(Revision::R1, TextKind::Listing, "REFI (init_delay=1)").is_empty());
}

/// The meanings of 0 and 1 in r0: the fields of one bit have the names of r1.
#[test]
fn r0_has_the_names_of_r1_for_fields_of_one_bit() {
    let (r0, r1) = (Revision::R0.isa(), Revision::R1.isa());
    let mut named = 0;
    for (old, new) in r0.instructions.iter().zip(&r1.instructions) {
        for (field, later) in old.fields.iter().zip(&new.fields) {
            let expected = if later.width == 1 { &later.values[..] } else { &[] };
            assert_eq!(field.values, expected, "{}.{}", old.name, field.name);
            named += usize::from(!field.values.is_empty());
        }
    }
    assert_eq!(named, 30);
    let words = |text: &str| {
        let assembler = Assembler { isa: Revision::R0.into(), ..Default::default() };
        assembler.assemble(text).unwrap().image
    };
    let refi = |s: &str| format!("REFI extra=2, init_addr_sd={s}");
    assert_eq!(words(&refi("d")), words(&refi("1")));
    assert_eq!(words("REFI extra=2, dimarch=y"), words("REFI extra=2, dimarch=1"));
    assert_eq!(words("REFI extra=1, l1_step_sign=-"), words("REFI extra=1, l1_step_sign=1"));
    // `y` means that the rows are equal, as in r1 and r2.
    assert_eq!(words("SWB send_to_other_row=y"), words("SWB send_to_other_row=0"));
    assert_eq!(words("ROUTE direction=w"), words("ROUTE direction=1"));
}
