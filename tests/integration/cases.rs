// SPDX-License-Identifier: MIT OR Apache-2.0
//! Case files: what is read, what is refused.

use drra_cosim::GEOMETRY;
use drra_cosim::case::parse;
use drra_cosim::golden_run::GoldenRun;
use serde_json::Value;
use serde_json::json;

fn fabric() -> Value {
    json!({"columns": GEOMETRY.columns, "tile_rows": GEOMETRY.tile_rows,
           "rf_words": GEOMETRY.rf_words, "sram_blocks": GEOMETRY.sram_blocks})
}

fn block(base: u16) -> String {
    (0..16).rev().map(|k| format!("{:04x}", base + k)).collect()
}

/// A program case: cell (0,0) reads block 5 of its home tile into its register file.
fn program_case() -> Value {
    json!({
        "version": 1, "name": "one block", "fabric": fabric(), "isa": "r4", "seed": 7,
        "origin": {"profile": "default", "seed": 1},
        "cells": [{"row": 0, "col": 0, "text": "ROUTE\nSRAM init_addr=5\nREFI dimarch=y, init_delay=4\nWAIT cycle=20\nHALT"}],
        "sram": [{"row": 0, "col": 0, "blocks": {"5": block(0x500)}}],
        "rf": [{"row": 1, "col": 1, "blocks": {"1": block(0x100)}}],
        "expect": {"cycle": 3, "path": "cell[0][0].seq.pc"}
    })
}

fn validator() -> jsonschema::Validator {
    let schema: Value =
        serde_json::from_str(include_str!("../../harness/case/case.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn program_case_runs() {
    let value = program_case();
    assert!(validator().is_valid(&value));
    let case = parse(&value.to_string(), &GEOMETRY).unwrap();
    assert_eq!((case.seed, case.stimulus.first_program_cycle()), (7, Some(1)));
    let mut run = GoldenRun::new(&case, &GEOMETRY);
    for _ in 0..60 {
        run.step();
    }
    assert_eq!(run.fabric.register_file(0).word(3), 0x503);
    assert_eq!(run.fabric.register_file(GEOMETRY.columns + 1).word(17), 0x101);
}

#[test]
fn stimulus_case_runs() {
    let value = json!({
        "version": 1, "fabric": fabric(), "isa": "r4", "cycles": 30, "io_cells": [[1, 0]],
        "input_buffers": [{"col": 0, "blocks": {"3": block(9)}}],
        "stimulus": [
            {"cycle": 2, "prog": {"word": 0x2CA3000, "imm": true, "row_sel": 3, "col_sel": 3}},
            {"cycle": 3, "prog": {"word": 0, "imm": true, "row_sel": 3, "col_sel": 3},
             "rf_init": {"row": 0, "col": 1, "address": 1, "data": block(0x40)}},
            {"cycle": 9, "sram_init": {"row": 0, "col": 1, "address": 2, "data": block(0x80)}}
        ]
    });
    assert!(validator().is_valid(&value));
    let case = parse(&value.to_string(), &GEOMETRY).unwrap();
    assert_eq!(case.program.cells().count(), 4);
    let mut run = GoldenRun::new(&case, &GEOMETRY);
    for _ in 0..30 {
        run.step();
    }
    assert_eq!(run.fabric.register_file(1).word(16), 0x40);
    assert_eq!(run.fabric.sram(1)[2][0] & 0xffff, 0x80);
    assert_eq!(run.fabric.instructions(), 8);
}

/// Every refusal names the place; the schema refuses what has the wrong form as well.
#[test]
fn refusals_name_the_place() {
    let check = |change: &dyn Fn(&mut Value), path: &str, by_schema: bool| {
        let mut value = program_case();
        change(&mut value);
        let error = parse(&value.to_string(), &GEOMETRY).unwrap_err();
        assert_eq!(error.path, path, "{error}");
        assert_eq!(!validator().is_valid(&value), by_schema, "{error}");
    };
    check(&|v| v["colour"] = json!(1), "colour", true);
    check(&|v| v["cells"][0]["colour"] = json!(1), "cells[0].colour", true);
    check(&|v| v["version"] = json!(2), "version", true);
    check(&|v| v["fabric"]["columns"] = json!(9), "fabric", false);
    check(&|v| v["isa"] = json!("r9"), "isa", true);
    check(&|v| v["cells"][0]["row"] = json!(2), "cells[0]", false);
    check(&|v| v["cells"][0]["text"] = json!("HALT\nSTOP"), "cells[0].text", false);
    check(&|v| v["cells"][0]["text"] = json!("CELL <0,1>\nHALT"), "cells[0].text", false);
    check(&|v| v["cells"] = json!([v["cells"][0], v["cells"][0]]), "cells[1]", false);
    check(&|v| v["sram"][0]["col"] = json!(64), "sram[0]", false);
    check(&|v| v["sram"][0]["blocks"] = json!({"200": block(0)}), "sram[0].blocks.200", false);
    check(&|v| v["sram"][0]["blocks"] = json!({"2": "12"}), "sram[0].blocks.2", true);
    check(&|v| v["io_cells"] = json!([[0, 99]]), "io_cells[0]", false);
    check(&|v| v["cycles"] = json!(1_000_000_000_000u64), "cycles", true);
    check(&|v| v["seed"] = json!("x"), "seed", true);
    check(&|v| v["stimulus"] = json!([]), ".", true);
    let error = parse("{\"version\": 1", &GEOMETRY).unwrap_err();
    assert!(error.message.contains("EOF"), "{error}");
}
