// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of compilers through the commands: every form, schedules, and expected end states.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use drra_isa::{CellId, Revision, decode, read_program};
use serde_json::{Value, json};
use tempfile::TempDir;

use drra_cosim::GEOMETRY;

use crate::drra;

const VEC_ADD: &str = include_str!("../../isa/tests/data/vec_add.bin.expected");
const MEMORY: &str = "isa/tests/data/vec_add.mem.expected";

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder with `vec_add` in the forms that compilers write.
struct Programs {
    folder: TempDir,
}

impl Programs {
    fn new() -> Self {
        let programs = Self { folder: tempfile::tempdir().unwrap() };
        programs.write("vec_add.bin", VEC_ADD);
        let image = programs.path("vec_add.bin");
        let listing = out(&drra(&["disasm", &image, "--isa", "r2", "--listing"]));
        programs.write("instr_list.txt", &listing);
        programs.write("sync_instr.txt", &schedule_text(&listing));
        programs.write("sync_instr.json", &schedule_json().to_string());
        programs
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.folder.path().join(name), text).unwrap();
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }
}

/// Fetch cycles of vec_add as published: chapter 2, 11.1.
const FETCH: [u64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 34];

fn schedule_json() -> Value {
    let image = read_program(VEC_ADD, &GEOMETRY, 27).unwrap();
    let words: Vec<u64> = image.cell(CellId::FIRST).unwrap().iter().map(|w| w.bits).collect();
    let (mut at, mut list) = (0, Vec::new());
    for fetch in FETCH {
        let decoded = decode(Revision::R2.isa(), &words[at..], false).unwrap();
        let fields = decoded.instruction.fields.iter().zip(&decoded.values);
        let values: serde_json::Map<String, Value> =
            fields.map(|(field, value)| (field.name.clone(), json!(value))).collect();
        list.push(
            json!({"id": at, "name": decoded.instruction.name, "immediate": 1, "start": fetch,
                         "segment_values": values, "timestamps": [[0, fetch]]}),
        );
        at += decoded.len;
    }
    json!([{"row": 0, "col": 0, "instr_list": list}, {"row": 1, "col": 1, "instr_list": null}])
}

fn schedule_text(listing: &str) -> String {
    let lines = listing.lines().filter(|l| l.contains('('));
    let pcs = [0, 2, 4, 5, 8, 11, 13, 14, 15, 16, 19, 20, 23, 24, 25, 26];
    let line = |((line, pc), t): ((&str, i32), u64)| {
        format!("{pc} ({t}):|Sch:[{t},{t},{t},{t},{t}] I|{line}\n")
    };
    let lines: String = lines.zip(pcs).zip(FETCH).map(line).collect();
    format!("# CELL <0, 0>\n{lines}")
}

/// The sums that vec_add leaves in its register file.
const SUMS: &str = "cell[0][0].rf.mem[32] = 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46\n";

#[test]
fn every_command_takes_every_form() {
    let programs = Programs::new();
    let sums = programs.write("sums", SUMS);
    for name in ["vec_add.bin", "instr_list.txt", "sync_instr.txt", "sync_instr.json"] {
        let path = programs.path(name);
        let ran = drra(&["run", &path, "--mem", MEMORY, "--golden-only", "--expect", &sums]);
        assert_eq!(ran.status.code(), Some(0), "{name}: {}{}", out(&ran), err(&ran));
        assert_eq!(out(&drra(&["asm", &path])), VEC_ADD, "{name}");
        let trace = out(&drra(&["trace", &path, "--mem", MEMORY, "--only", "*.rf.mem[47]"]));
        assert!(trace.lines().last().unwrap().ends_with("\"0x002e\"}"), "{name}: {trace}");
        let text = drra(&["disasm", &path]);
        let again = programs.write("again.sasm", &out(&text));
        assert_eq!(out(&drra(&["asm", &again])), VEC_ADD, "{name}: {}", err(&text));
        let decided = err(&drra(&["asm", &path]));
        assert_eq!(decided.contains("read as r2"), name.ends_with(".txt"), "{name}: {decided}");
        assert_eq!(decided.contains("--isa"), name != "vec_add.bin", "{name}: {decided}");
    }
    // The file name does not matter if the content identifies the form.
    fs::rename(programs.path("instr_list.txt"), programs.path("list.bin")).unwrap();
    assert_eq!(out(&drra(&["asm", &programs.path("list.bin")])), VEC_ADD);
    let list = programs.path("list.bin");
    let given = drra(&["asm", &list, "--isa", "r4"]);
    assert!(out(&given) != VEC_ADD && err(&given).contains("W10"), "{}", err(&given));
}

#[test]
fn memory_contents_are_not_a_program() {
    let output = drra(&["run", MEMORY, "--golden-only"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("memory image") && err(&output).contains("--mem"),
        "{}",
        err(&output)
    );
}

/// The data that vec_add provides for its tile: the first part of its memory image, up to the empty line.
fn tile_memory() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(MEMORY);
    fs::read_to_string(path).unwrap().split_once("\n\n").unwrap().0.to_owned()
}

#[test]
fn a_test_bench_provides_memory_contents() {
    let programs = Programs::new();
    let memory = tile_memory();
    let rows: Vec<String> = memory
        .lines()
        .filter_map(|line| Some(format!("X\"{}\"", line.split_once(' ')?.1)))
        .filter(|row| row.len() == 67)
        .collect();
    let text =
        format!("LIBRARY ieee;\nCONSTANT mem_init_values : t := (\n{});\n", rows.join(",\n"));
    let bench = programs.write("testbench.vhd", &text);
    let sums = programs.write("sums", SUMS);
    let image = programs.path("vec_add.bin");
    let ran = drra(&["run", &image, "--mem", &bench, "--golden-only", "--expect", &sums]);
    assert_eq!(ran.status.code(), Some(0), "{}{}", out(&ran), err(&ran));
    let mem = programs.path("out.mem");
    assert_eq!(drra(&["asm", &bench, "--mem-out", &mem]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(mem).unwrap().trim_end(), memory);
}

/// Records of the published layout give the same contents, and those of register files.
#[test]
fn records_provide_contents_of_tiles_and_register_files() {
    let programs = Programs::new();
    let bench = "tests/compiled/testbench_records.vhd";
    let expected = programs.write("expected", &(SUMS.to_owned() + "cell[0][0].rf.mem[48] = 7\n"));
    let image = programs.path("vec_add.bin");
    let ran = drra(&["run", &image, "--mem", bench, "--golden-only", "--expect", &expected]);
    assert_eq!(ran.status.code(), Some(0), "{}{}", out(&ran), err(&ran));
    let mem = programs.path("out.mem");
    assert_eq!(drra(&["asm", bench, "--mem-out", &mem]).status.code(), Some(0));
    let file = format!("{}\n\nRF 0 0\n3 {:064x}\n\n", tile_memory(), 7);
    assert_eq!(fs::read_to_string(mem).unwrap(), file);
}

#[test]
fn a_schedule_is_compared_with_the_decode_cycles() {
    let programs = Programs::new();
    let run = |schedule: &str| {
        let image = programs.path("vec_add.bin");
        drra(&["run", &image, "--mem", MEMORY, "--golden-only", "--schedule", schedule])
    };
    for name in ["sync_instr.json", "sync_instr.txt"] {
        let output = run(&programs.path(name));
        assert_eq!(output.status.code(), Some(0), "{}", out(&output));
        assert!(out(&output).contains("all 16 instructions"), "{}", out(&output));
    }
    let changed = |pointer: &str, value: Value| {
        let mut schedule = schedule_json();
        *schedule.pointer_mut(pointer).unwrap() = value;
        run(&programs.write("changed.json", &schedule.to_string()))
    };
    let output = changed("/0/instr_list/13/start", json!(15));
    assert_eq!(output.status.code(), Some(1));
    for part in ["address 24", "DPU mode=add", "cycle 16", "cycle 15", "1 late", "1 of 16"] {
        assert!(out(&output).contains(part), "{part}: {}", out(&output));
    }
    let output = changed("/0/instr_list/15/name", json!("JUMP"));
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("the program has HALT"), "{}", out(&output));
    let output = changed("/0/instr_list/13/segment_values/mode", json!(2));
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("the program has DPU mode=add"), "{}", out(&output));
    let first = schedule_json().pointer("/0/instr_list/0").cloned().unwrap();
    let output = changed("/0/instr_list", json!([first]));
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("15 of 16 instructions deviate"), "{}", out(&output));
    // Only a run that is long enough reaches the end of the schedule.
    let (image, json) = (programs.path("vec_add.bin"), programs.path("sync_instr.json"));
    let arguments = ["run", &image, "--golden-only", "--schedule", &json, "--cycles", "40"];
    let output = drra(&arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("not decoded"), "{}", out(&output));
    // An image has no cycles.
    let output = run(&programs.path("vec_add.bin"));
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
}

/// A program that does not end is a finding, unless its length is given.
#[test]
fn an_endless_program_does_not_pass() {
    let programs = Programs::new();
    let endless = programs.write("endless.sasm", "CELL <0,0>\nJUMP pc=0\n");
    let junit = programs.path("junit.xml");
    let run = |more: &[&str]| {
        drra(&[&["run", &endless, "--golden-only", "--junit", &junit], more].concat())
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let text = "does not end: not idle 100000 cycles after the last input";
    assert!(out(&output).contains(text), "{}", out(&output));
    assert!(fs::read_to_string(&junit).unwrap().contains("failures=\"1\""));
    assert_eq!(run(&["--cycles", "500"]).status.code(), Some(0));
    let output = run(&["--cycles", "0"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(err(&output).contains("compares nothing"), "{}", err(&output));
}

/// The schedule of a cell can count cycles from the first cycle of the cell or of the fabric.
#[test]
fn a_schedule_of_several_cells_may_count_from_the_first_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let schedule = |skew: u64, late: u64| {
        let list = |from: u64, late: u64| {
            json!([
                {"name": "WAIT", "immediate": 1, "start": from, "segment_values": {"cycle": 3}},
                {"name": "HALT", "immediate": 1, "start": from + 4 + late, "segment_values": null},
            ])
        };
        json!([{"row": 0, "col": 0, "instr_list": list(0, 0)}, {"row": 1, "col": 0, "instr_list": list(skew, late)}])
    };
    for (skew, late, code) in [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1), (2, 0, 1)] {
        let file = path("sync_instr.json");
        fs::write(&file, schedule(skew, late).to_string()).unwrap();
        let output = drra(&["run", &file, "--golden-only", "--schedule", &file]);
        assert_eq!(output.status.code(), Some(code), "{skew} {late}: {}", out(&output));
    }
}

#[test]
fn an_expected_end_state_is_compared() {
    let programs = Programs::new();
    let image = programs.path("vec_add.bin");
    let run = |text: &str| {
        let file = programs.write("expected", text);
        let junit = programs.path("junit.xml");
        let _ = fs::remove_file(&junit);
        let arguments =
            ["run", &image, "--mem", MEMORY, "--golden-only", "--expect", &file, "--junit", &junit];
        let output = drra(&arguments);
        (
            output.status.code(),
            out(&output) + &err(&output),
            fs::read_to_string(junit).unwrap_or_default(),
        )
    };
    let memory = tile_memory();
    for expected in [
        SUMS,
        "# comment\n\n# END cell[0][0].rf.mem[33] = 18\nHALT",
        "cell[0][0].rf.mem[48..63] = 0\ncell[0][0].dpu.mode_reg = 1\ntile[1][0].sram[4..127] = 0\n",
        "tile[1][0].sram[0] = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0x10",
        "tile[1][0].sram[1] = 0x001f001e001d001c001b001a0019001800170016001500140013001200110010",
        "output_buffer[0][0..3] = 0",
        &memory,
    ] {
        let (code, text, junit) = run(expected);
        assert_eq!(code, Some(0), "{expected}: {text}");
        assert!(junit.contains("failures=\"0\""), "{junit}");
    }
    let (code, text, junit) = run(&SUMS.replace("18", "19"));
    assert_eq!(code, Some(1));
    for part in ["cell[0][0].rf.mem[33]", "18 (0x12)", "19 (0x13)", "line 1", "1 of 16"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(junit.contains("failures=\"1\"") && junit.contains("1 of 16"), "{junit}");
    assert_eq!(run(&memory.replacen("000f", "000e", 1)).0, Some(1));
    assert_eq!(run("output_buffer[0][0] = 1").0, Some(1));
    for (text, line) in [
        ("", "line 1"),
        ("cell[0][0].rf.mem[32] 1", "line 1"),
        ("\ncell[0][0].rf.mem[64] = 1", "line 2"),
        ("cell[0][0].rf.mem[63] = 1 2", "line 1"),
        ("cell[0][0].rf.mem[32] = 65536", "line 1"),
        ("cell[0][0].rf.mem[0..3] = 1 2", "line 1"),
        ("tile[1][0].sram[0..128] = 0", "line 1"),
        ("tile[0][0].sram[0] = 0", "line 1"),
        ("output_buffer[99][0] = 0", "line 1"),
        ("cell[0][0].rf.mem[32] =", "line 1"),
        ("tile[1][0].sram[0..18446744073709551615] = 0", "line 1"),
    ] {
        let (code, message, _) = run(text);
        assert_eq!(code, Some(2), "{text}: {message}");
        assert!(message.contains(line), "{text}: {message}");
    }
}

/// Schedules and end states are also checked with the RTL in lock-step.
#[test]
#[cfg(feature = "rtl")]
fn lockstep_checks_the_same() {
    let programs = Programs::new();
    let wrong = programs.write("wrong", &SUMS.replace("18", "19"));
    let (list, json) = (programs.path("instr_list.txt"), programs.path("sync_instr.json"));
    let run = |expect: &str| {
        drra(&["run", &list, "--mem", MEMORY, "--schedule", &json, "--expect", expect])
    };
    let sums = programs.write("sums", SUMS);
    let output = run(&sums);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(out(&output).contains("agree in"), "{}", out(&output));
    assert_eq!(run(&wrong).status.code(), Some(1));
}

/// The text of the guide page about compilers, which must name the options that are tested here.
fn guide() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("harness/guide/compilers.md");
    fs::read_to_string(path).unwrap()
}

#[test]
fn the_guide_names_the_options() {
    let text = guide();
    for option in ["--schedule", "--expect", "--mem", "--isa", "--golden-only", "--junit"] {
        assert!(text.contains(option), "{option}");
    }
}
