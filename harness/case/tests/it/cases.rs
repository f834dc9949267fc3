// SPDX-License-Identifier: MIT OR Apache-2.0
//! Case files that are accepted, and case files that are rejected.

use drra_case::{Case, IdlePorts, Stimulus, StimulusEntry, parse, to_json};
use drra_fabric::{
    Location, Register,
    ports::{ProgWord, RfInit, ZERO_BLOCK},
};
use drra_golden::Fabric;
use drra_isa::{CellId, Geometry, MemoryImage, ProgramImage, TileId, Unit, Word};
use serde_json::{Value, json};

/// The golden model after this many cycles of a case that reads no buffer.
fn run(case: &Case, cycles: u64) -> Fabric {
    let geometry = Geometry::default();
    let mut fabric = Fabric::new(geometry, case.straps());
    let mut player = case.stimulus.player();
    for _ in 0..cycles {
        fabric.step(&player.next(&[]));
    }
    fabric
}

fn fabric() -> Value {
    let geometry = Geometry::default();
    json!({"columns": geometry.columns, "tile_rows": geometry.tile_rows,
           "rf_words": geometry.rf_words, "sram_blocks": geometry.sram_blocks})
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
    let schema: Value = serde_json::from_str(include_str!("../../case.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn program_case_runs() {
    let value = program_case();
    assert!(validator().is_valid(&value));
    let case = parse(&value.to_string()).unwrap();
    assert_eq!((case.seed, case.stimulus.first_program_cycle()), (7, Some(1)));
    let fabric = run(&case, 60);
    assert_eq!(fabric.register_file(CellId::new(0, 0).unwrap()).word(3), 0x503);
    assert_eq!(fabric.register_file(CellId::new(1, 1).unwrap()).word(17), 0x101);
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
    let case = parse(&value.to_string()).unwrap();
    assert_eq!(case.program.cells().count(), 4);
    let fabric = run(&case, 30);
    assert_eq!(fabric.register_file(CellId::new(0, 1).unwrap()).word(16), 0x40);
    assert_eq!(fabric.sram(TileId::new(1, 1).unwrap())[2][0] & 0xffff, 0x80);
    assert_eq!(fabric.instructions(), 8);
}

/// The assembler's warnings about a program are returned with the case: the mode `mac` of r1 is another operation on
/// the fabric (chapter 1, section 5).
#[test]
fn warnings_name_the_place() {
    let mut value = program_case();
    value["isa"] = json!("r1");
    value["cells"] = json!([
        {"row": 0, "col": 0, "text": "HALT\n"},
        {"row": 1, "col": 1, "text": "HALT\nDPU mode=mac\nWAIT\n"}
    ]);
    let (_, warnings) = drra_case::parse_with_warnings(&value.to_string()).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!((warning.path.as_str(), warning.warning.line), ("cells[1].text", 2));
    assert_eq!(warning.warning.code, "W07");

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.json");
    std::fs::write(&path, value.to_string()).unwrap();
    let loaded = drra_case::load::load(&path, &Default::default(), &Geometry::default()).unwrap();
    let [text] = &loaded.warnings[..] else { panic!("{:?}", loaded.warnings) };
    assert!(text.contains("old.json: at `cells[1].text`: line 2: W07 DPU mode=mac"), "{text}");
}

/// A loaded program keeps the line of each instruction; in a case, lines would have no file.
#[test]
fn a_program_keeps_its_lines() {
    let dir = tempfile::tempdir().unwrap();
    let lines = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let loaded =
            drra_case::load::load(&path, &Default::default(), &Geometry::default()).unwrap();
        let of = |line: &drra_isa::SourceLine| (line.cell.col(), line.address, line.line);
        loaded.lines.iter().map(of).collect::<Vec<_>>()
    };
    let text = "CELL <0,2>\n\nDPU mode=mac\nREFI port_no=r0, init_addr=0, l1_delay=1\nHALT\n";
    assert_eq!(lines("three.sasm", text), [(2, 0, 3), (2, 1, 4), (2, 3, 5)]);
    assert_eq!(lines("case.json", &program_case().to_string()), []);
}

/// A case has the size that it specifies, or else the default size.
#[test]
fn cases_name_their_fabric() {
    let of = |value: &Value| parse(&value.to_string()).unwrap();
    let mut value = program_case();
    let usual = of(&value);
    assert_eq!(usual.geometry, Geometry::default());
    value.as_object_mut().unwrap().remove("fabric");
    assert!(validator().is_valid(&value));
    assert_eq!(to_json(&of(&value)), to_json(&usual));
    value["fabric"] = json!({"columns": 3, "tile_rows": 1, "rf_words": 32, "sram_blocks": 8});
    let small = of(&value);
    assert_eq!(small.geometry.to_string(), "3x1-rf32-sram8");
    assert_eq!(of(&serde_json::from_str(&to_json(&small)).unwrap()).geometry, small.geometry);
}

/// Every error states the location, and the schema also rejects files of the wrong form.
#[test]
fn refusals_name_the_place() {
    let check = |change: &dyn Fn(&mut Value), path: &str, by_schema: bool| {
        let mut value = program_case();
        change(&mut value);
        let error = parse(&value.to_string()).unwrap_err();
        assert_eq!(error.path, path, "{error}");
        assert_eq!(!validator().is_valid(&value), by_schema, "{error}");
    };
    check(&|v| v["colour"] = json!(1), "colour", true);
    check(&|v| v["cells"][0]["colour"] = json!(1), "cells[0].colour", true);
    check(&|v| v["version"] = json!(2), "version", true);
    check(&|v| v["name"] = json!("two\n::error::lines"), "name", true);
    check(&|v| v["name"] = json!("\u{1b}]0;title\u{7}"), "name", true);
    check(&|v| v["fabric"]["columns"] = json!(33), "fabric", true);
    check(&|v| v["fabric"]["tile_rows"] = json!(8), "fabric", true);
    check(&|v| v["fabric"]["sram_blocks"] = json!(24), "fabric", true);
    check(&|v| v["fabric"]["sram_blocks"] = json!(4), "sram[0].blocks.5", false);
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
    check(&|v| v["fabric"]["rf_words"] = json!(48), "fabric", true);
    check(&|v| v["fabric"]["columns"] = json!(1), "fabric", true);
    check(&|v| v["sram"][0]["blocks"] = json!({"x": block(0)}), "sram[0].blocks.?", true);
    check(&|v| v["io_cells"] = json!([[0]]), "io_cells[0]", true);
    check(&|v| v["expect"]["cycle"] = json!(-1), "expect.cycle", true);
    check(&|v| v["origin"] = json!({"profile": "default"}), "origin", true);
    let word = |word: u32| json!([{"cycle": 0, "prog": {"word": word, "imm": true, "row_sel": 1, "col_sel": 1}}]);
    let ports = |v: &mut Value, stimulus| {
        for key in ["cells", "sram", "rf"] {
            v.as_object_mut().unwrap().remove(key);
        }
        v["stimulus"] = stimulus;
    };
    check(&|v| ports(v, word(1 << 27)), "stimulus[0].prog", true);
    let idle = |row: u32| {
        let init = json!({"row": row, "col": 0, "address": 0, "data": block(0)});
        json!([{"cycle": 0, "idle": {"sram_init": init}}])
    };
    check(&|v| ports(v, idle(4)), "stimulus[0].idle.sram_init", false);
    check(&|v| v["idle_ports"] = json!("any"), "idle_ports", true);
    let error = parse("{\"version\": 1").unwrap_err();
    assert!(error.to_string().contains("EOF"), "{error}");
    assert_eq!(error.path, ".");
}

/// Lines of unused ports have no effect, but their values propagate (chapter 5, 5.1 and 5.2; chapter 6, 7.4).
#[test]
fn lines_of_ports_that_are_not_used() {
    let value = json!({
        "version": 1, "fabric": fabric(), "isa": "r4", "idle_ports": "random", "cycles": 9,
        "stimulus": [{"cycle": 0, "idle": {
            "prog": {"word": 0x2aa_aaaa, "imm": true, "row_sel": 3, "col_sel": 255},
            "sram_init": {"row": 1, "col": 0, "address": 5, "data": block(7)},
            "rf_init": {"row": 0, "col": 0, "address": 0, "data": block(9)},
        }}],
    });
    assert!(validator().is_valid(&value));
    let case = parse(&value.to_string()).unwrap();
    let again = parse(&to_json(&case)).unwrap();
    assert_eq!((&again.stimulus, again.idle_ports), (&case.stimulus, IdlePorts::Random));
    assert_eq!(case.stimulus.end(), 0, "no port is used");

    let mut fabric = run(&case, 1);
    fabric.pack();
    let (cell, tile) = (CellId::new(0, 0).unwrap(), TileId::new(1, 0).unwrap());
    assert!(fabric.status().all_idle, "a cell was loaded");
    assert_eq!(fabric.sequencer(cell).imem(0), 0);
    assert_eq!(fabric.register_file(cell).word(1), 0);
    assert_eq!(fabric.sram(tile)[5], [0; 4]);
    let value = |unit: Unit, register| fabric.value(Location { unit, register }).unwrap();
    let stage = |of: fn(usize) -> Register| value(Unit::Fabric, of(0))[0];
    assert_eq!((stage(Register::LdPipeValid), stage(Register::LdPipeInstr)), (0, 0x2aa_aaaa));
    assert_eq!(value(tile.into(), Register::TileInitEn), [0]);
    assert_eq!(value(tile.into(), Register::TileInitData)[0] & 0xffff, 7);
}

/// Cell (1,7) is the farthest cell; in the golden model, its word arrives in cycle `load_end` and not before.
#[test]
fn the_load_ends_with_the_farthest_cell() {
    let geometry = Geometry::default();
    let mut program = ProgramImage::default();
    program.push(CellId::new(1, 7).unwrap(), Word { bits: 0x2aa_aaaa, immediate: true });
    let case = Case::new("farthest", &geometry, program, MemoryImage::default());
    let end = case.stimulus.load_end(&geometry);
    assert_eq!(end, 9, "presented in cycle 0, one edge for the memory, eight stages");
    let farthest = CellId::new(1, 7).unwrap();
    let word = |cycle| run(&case, cycle).sequencer(farthest).imem(0);
    assert_eq!((word(end - 1), word(end)), (0, 0x2aa_aaaa));
}

/// Entries added in any order form the same stimulus as a list of these entries. Of two entries for one cycle, the
/// later one determines the ports that it uses.
#[test]
fn entries_are_added_and_cut() {
    let prog = |instr| Some(ProgWord { instr, ..ProgWord::default() });
    let rf_init = |block| Some(RfInit { row: 0, col: 0, block, data: ZERO_BLOCK });
    let entries = [
        StimulusEntry { cycle: 7, prog: prog(1), ..Default::default() },
        StimulusEntry { cycle: 3, rf_init: rf_init(2), ..Default::default() },
        StimulusEntry { cycle: 9, prog: prog(3), ..Default::default() },
        StimulusEntry { cycle: 7, rf_init: rf_init(1), ..Default::default() },
        StimulusEntry { cycle: 9, prog: prog(4), ..Default::default() },
    ];
    let mut stimulus = Stimulus::default();
    entries.iter().for_each(|entry| stimulus.add(*entry));
    let expected = [
        StimulusEntry { cycle: 3, rf_init: rf_init(2), ..Default::default() },
        StimulusEntry { cycle: 7, prog: prog(1), rf_init: rf_init(1), ..Default::default() },
        StimulusEntry { cycle: 9, prog: prog(4), ..Default::default() },
    ];
    assert_eq!(stimulus.entries(), expected);
    assert_eq!(stimulus, Stimulus::new(entries.to_vec()));
    stimulus.cut(8);
    assert_eq!(stimulus.entries(), &expected[..2]);
    stimulus.cut(7);
    assert_eq!(stimulus.entries(), &expected[..1]);
}
