// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `drra` command: transcripts, exit codes, and files that are either complete or absent.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use drra_cosim::GEOMETRY;

use crate::{Folder, drra, said};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The transcripts in `tests/cmd/*.trycmd` are correct.
#[test]
fn transcripts() {
    if GEOMETRY != drra_isa::Geometry::default() || cfg!(not(feature = "rtl")) {
        println!("skipped: the transcripts are written for the default build");
        return;
    }
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

/// A file name cannot add a line of its own to a log.
#[test]
fn control_characters_in_arguments() {
    let (code, _, text) = said(drra(&["trace", "two\n::error::lines.sasm"]));
    assert_eq!(code, Some(2));
    assert!(text.contains("control character"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("::")), "{text}");
}

/// A standard error that cannot be written to does not change the exit code.
#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_error_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, code) in [
        (&["trace", "nowhere.sasm"] as &[&str], 2),
        (&["trace", "isa/vec_add.sasm", "--from", "50", "--to", "10"], 2),
        (&["asm", "isa/vec_add.sasm", "-o", "/nowhere/vec_add.bin"], 2),
        (&["no-such-command"], 2),
        (&["run", "isa/vec_add.sasm"], 0),
        (&["fuzz", "--profile", "smoke", "--cases", "2", "--out", "out"], 0),
        (&["fuzz", "--profile", "nowhere", "--cases", "2", "--out", "none"], 2),
    ] {
        let needs_rtl = ["run", "fuzz"].contains(&arguments[0]);
        if needs_rtl && cfg!(not(feature = "rtl")) {
            continue;
        }
        let arguments: Vec<String> = arguments
            .iter()
            .map(|a| a.replace("isa/", concat!(env!("CARGO_MANIFEST_DIR"), "/isa/")))
            .collect();
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
        let output = command.args(&arguments).current_dir(&dir).stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

/// A trace that would contain no cycle is an error in every format, and leaves no file.
#[test]
fn a_trace_needs_a_cycle() {
    let dir = Folder::new();
    for format in ["jsonl", "fst"] {
        let arguments = ["trace", "isa/vec_add.sasm", "--from", "5000", "--format", format, "-o"];
        let (code, _, text) = said(drra(&[&arguments[..], &[&dir.name("trace")]].concat()));
        assert_eq!(code, Some(2), "{format}");
        assert!(text.contains("before cycle 5000"), "{text}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{format}");
    }
}

/// Disassembling and assembling again yields the same image.
#[test]
fn asm_and_disasm_are_inverse() {
    let dir = Folder::new();
    let expected = include_str!("../../isa/tests/data/vec_add.bin.expected");
    let [image, memory] = ["a.bin", "a.mem"].map(|name| dir.name(name));
    let output = drra(&["asm", "isa/vec_add.sasm", "-o", &image, "--mem-out", &memory]);
    assert!(output.status.success());
    assert_eq!(fs::read_to_string(&image).unwrap(), expected);
    let contents = fs::read_to_string(memory).unwrap();
    assert_eq!(contents, include_str!("../../isa/tests/data/vec_add.mem.expected"));
    let text = dir.write("b.sasm", drra(&["disasm", &image]).stdout);
    assert_eq!(stdout(&drra(&["asm", &text])), expected);
}

/// A program yields the same trace whether it is given as text or as an image, on both models.
#[test]
#[cfg(feature = "rtl")]
fn traces_agree() {
    let dir = Folder::new();
    let [image, memory] = ["a.bin", "a.mem"].map(|name| dir.name(name));
    drra(&["asm", "isa/vec_add.sasm", "-o", &image, "--mem-out", &memory]);
    let body =
        |output: &Output| stdout(output).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let golden = drra(&["trace", "isa/vec_add.sasm"]);
    let rtl = drra(&["trace", &image, "--mem", &memory, "--model", "rtl"]);
    let image = drra(&["trace", &image, "--mem", &memory]);
    assert!(golden.status.success() && image.status.success() && rtl.status.success());
    assert!(body(&golden).len() > 400);
    assert_eq!(body(&golden), body(&image));
    assert_eq!(body(&golden), body(&rtl));
    let header: serde_json::Value =
        serde_json::from_str(stdout(&golden).lines().next().unwrap()).unwrap();
    assert_eq!(header["first_program_cycle"], 4);
    assert_eq!(header["version"], 1);
}

/// The lines of a trace have their documented form and are ordered by cycle.
#[test]
fn trace_lines() {
    let text = stdout(&drra(&["trace", "isa/vec_add.sasm"]));
    let mut last = 0;
    for line in text.lines().skip(1) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let cycle = value["cycle"].as_u64().unwrap();
        assert!(cycle >= last);
        last = cycle;
        assert!(value["value"].as_str().unwrap().starts_with("0x"));
    }
    // A run of 98 cycles: the last state is the state after the edge that ends cycle 97.
    let with_end = stdout(&drra(&["trace", "isa/vec_add.sasm", "--with-end"]));
    assert!(with_end.contains(r#""version":2,"#));
    assert_eq!(with_end.lines().last(), Some(r#"{"last_cycle": 98}"#));
    let to = stdout(&drra(&["trace", "isa/vec_add.sasm", "--with-end", "--to", "50"]));
    assert_eq!(to.lines().last(), Some(r#"{"last_cycle": 50}"#));
    assert!(text.contains(r#""path": "cell[0][0].rf.mem[32]", "value": "0x0010"}"#));
    let range = ["trace", "isa/vec_add.sasm", "--from", "40", "--to", "50"];
    let filtered = stdout(&drra(&[&range[..], &["--only", "*.seq.pc"]].concat()));
    let lines = filtered.lines().count();
    assert!(filtered.lines().take(lines - 1).skip(1).all(|l| l.contains(".seq.pc")));
}

/// Bad input causes exit code 2 and one message with file and location, and no output file is written.
#[test]
fn bad_input() {
    let dir = Folder::new();
    let write = |name: &str, text: &str| dir.write(name, text);
    let word = "000100010100000001111010010";
    let isa = drra_isa::Revision::R4.source();
    let duplicate = isa.replacen("\"code\": 14", "\"code\": 12", 1);
    assert_ne!(duplicate, isa);
    let files = [
        ("run", write("cut.bin", &format!("CELL 0 0\n1 {word}\n1 00010")), "cut.bin:3", "BIN-E1"),
        ("run", write("long.bin", &format!("1 {word}1\n")), "long.bin:1", "28 bits"),
        ("run", write("far.bin", "CELL 0 40\n"), "far.bin:1", "BIN-E2"),
        ("run", write("x.json", "{\"version\": 1, \"colour\": 2}"), "x.json", "colour"),
        ("run", write("x.sasm", "WAIT cycle=1\nWAIT cycel=2\n"), "x.sasm:2", "A04"),
        ("run", write("x.txt", ""), "x.txt", ".sasm"),
        ("run --golden-only", write("no.sasm", ""), "no.sasm", "so nothing is compared"),
        ("run", dir.name("none.sasm"), "none.sasm", "no such file"),
        ("run", dir.name(""), "", "unknown kind"),
        (
            "isa check",
            write("dup.json", &duplicate),
            "dup.json",
            "ISA-E05 /instruction_templates/12/code",
        ),
        ("isa check", write("no.json", "{"), "no.json", "ISA-E01"),
        ("disasm", write("binary.bin", "\u{0}\u{1}"), "binary.bin:1", "BIN-E1"),
    ];
    for (command, file, place, what) in &files {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push(file);
        let (code, out, message) = said(drra(&arguments));
        assert_eq!(code, Some(2), "{command} {file}: {message}");
        assert!(message.contains(what), "{what}: {message}");
        assert!(message.contains(place), "{place}: {message}");
        assert!(out.is_empty(), "{command} {file}");
    }
    let (target, bad) = (dir.name("out.bin"), write("bad.sasm", "STOP"));
    for usage in [
        &["asm", &bad, "-o", &target][..],
        &["asm", "isa/vec_add.sasm", "-o", "/nonexistent/folder/out.bin"],
        &["fly"],
        &["run"],
        &["run", "x.sasm", "--cycles", "many"],
        &["run", "isa/vec_add.sasm", "--io-cell", "5,5"],
    ] {
        assert_eq!(drra(usage).status.code(), Some(2), "{usage:?}");
    }
    assert!(!dir.join("out.bin").exists());
}

/// A program that cannot be read does not prevent the others from being run or the report from being written.
#[test]
fn a_missing_program_is_part_of_the_report() {
    let dir = Folder::new();
    let junit = dir.name("junit.xml");
    let absolute = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm");
    let programs = ["run", "./nowhere.sasm", absolute, "--golden-only", "--junit"];
    let (code, out, err) = said(drra(&[&programs[..], &[&junit]].concat()));
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("nowhere.sasm"), "{err}");
    assert!(out.contains("vec_add.sasm: 98 cycles"), "{out}");
    let suite = suite(&junit);
    assert_eq!((suite.tests, suite.errors), (2, 1), "{suite:?}");
    // Names do not depend on the location of the project, and each test case has its duration.
    let names: Vec<&str> = suite.test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["nowhere.sasm", "isa/vec_add.sasm"]);
    assert!(suite.test_cases[1].time.is_some_and(|time| !time.is_zero()), "{suite:?}");
}

/// The results in a JUnit report.
fn suite(path: &str) -> quick_junit::TestSuite {
    let text = fs::read_to_string(path).unwrap();
    quick_junit::Report::deserialize_from_str(&text).unwrap().test_suites.remove(0)
}

/// Cases for which the build has no model are named, counted and skipped, unless nothing else is left to compare.
#[cfg(feature = "rtl")]
#[test]
fn cases_of_other_sizes_are_skipped() {
    let dir = Folder::new();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions/drra_agu.json");
    let mut case: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(own).unwrap()).unwrap();
    case["fabric"]["columns"] = 7.into();
    let (other, junit) = (dir.write("other.json", case.to_string()), dir.name("junit.xml"));
    for (files, code, counts) in [
        (&[own, &other][..], 0, [2, 0, 1]),
        (&[&other], 2, [1, 1, 0]),
        (&[&other, own, "nowhere.json"], 2, [3, 1, 1]),
    ] {
        let (found, out, err) = said(drra(&[&["run", "--junit", &junit], files].concat()));
        assert_eq!(found, Some(code), "{files:?}: {err}");
        assert!(err.contains("other.json: the case is for fabric 7x2"), "{err}");
        let told = format!("1 of {} cases skipped", files.len());
        assert_eq!(out.contains(&told), files.len() > 1, "{out}");
        let suite = suite(&junit);
        assert_eq!([suite.tests, suite.errors, suite.skipped], counts, "{suite:?}");
    }
}

/// Commands that are printed for a profile in a file name the file, and are quoted.
#[cfg(feature = "rtl")]
#[test]
fn printed_commands_can_be_pasted() {
    let dir = Folder::new();
    let folder = dir.join("ein Ordner ü 'q'");
    let profile = r#"{"version": 1, "name": "mine", "extends": "smoke"}"#;
    dir.write("ein Ordner ü 'q'/my profile.json", profile);
    let shell = |line: &str| {
        let line = line.replace("drra ", concat!("'", env!("CARGO_BIN_EXE_drra"), "' "));
        let mut shell = Command::new("sh");
        let (code, out, err) =
            said(shell.args(["-c", &line]).current_dir(&folder).output().unwrap());
        assert_eq!(code, Some(0), "{line}: {err}");
        out
    };
    shell("drra fuzz --profile 'my profile.json' --cases 3 --fabric 8x2 --out 'an out'");
    let page = fs::read_to_string(folder.join("an out/index.html")).unwrap();
    let command = page.split("<dt>Reproduce</dt><dd><code>").nth(1).unwrap();
    let command = command.split("</code>").next().unwrap();
    assert!(command.contains("--profile 'my profile.json' "), "{command}");
    let again = shell(command);
    assert!(again.contains("failures: 0 in 3 cases"), "{again}");
    let chosen = shell("drra distil 'an out' --cases 2 --out 'the best'");
    shell(chosen.split("run them with: ").nth(1).unwrap());
}

/// Standard error of a command.
fn message(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// True if the text is part of what a command printed to standard error.
fn says(output: &Output, text: &str) -> bool {
    message(output).contains(text)
}

/// A description of an invented instruction set: words of 8 bits, `PUT` and `END`.
const SMALL: &str = r#"{
    "platform": "small", "revision": "mine", "instr_bitwidth": 8, "instr_code_bitwidth": 3,
    "instruction_templates": [
        {"code": 7, "name": "END"},
        {"code": 2, "name": "PUT", "segment_templates": [
            {"name": "what", "bitwidth": 4, "comment": "",
             "verbo_map": [{"key": 9, "val": "nine"}]}]}]}"#;

/// Assembler and disassembler work with a description that the user supplies.
#[test]
fn a_description_drives_asm_and_disasm() {
    let dir = Folder::new();
    let isa = dir.write("small.json", SMALL);
    let program = dir.write("p.sasm", "PUT what=nine\nPUT.D what=2\nEND\n");
    let image = stdout(&drra(&["asm", &program, "--isa", &isa]));
    assert_eq!(image, "CELL 0 0\n1 01010010\n0 01000100\n1 11100000\n\n");

    let binary = dir.write("p.bin", &image);
    let text = stdout(&drra(&["disasm", &binary, "--isa", &isa]));
    let lines = "CELL <0,0>\nPUT (what=nine)\nPUT.D (what=2)\nEND ()\n";
    assert_eq!(text, format!("# read this with --isa {isa}\n.ISA mine\n\n{lines}"));
    let again = dir.write("again.sasm", &text);
    assert_eq!(stdout(&drra(&["asm", &again, "--isa", &isa])), image);
    crate::refused(dir.path(), &["asm", &again], &["A19"]);
    // Its words differ from the words of the published revisions.
    assert_eq!(drra(&["disasm", &binary]).status.code(), Some(2));
}

/// A program runs with a description whose codes and fields are those of a published revision; any other description is
/// refused with its first difference.
#[test]
fn a_description_drives_run_where_the_hardware_follows() {
    let dir = Folder::new();
    let write = |name: &str, text: &str| dir.write(name, text);
    let r4 = drra_isa::Revision::R4.source();
    let other = |from: &str, to: &str| {
        let text = r4.replacen(from, to, 1);
        assert_ne!(text, r4);
        text
    };
    let program = write("p.sasm", "DPU mode=plus\nHALT\n");
    let run = |program: &str, isa: &str| drra(&["run", program, "--golden-only", "--isa", isa]);

    // The name of a mode occurs next to its value and in the table of modes.
    let renamed = other(r#""val": "add"}"#, r#""val": "plus"}"#);
    let renamed =
        renamed.replacen(r#"{"name": "add", "operands""#, r#"{"name": "plus", "operands""#, 1);
    let renamed = write("renamed.json", &renamed);
    let output = run(&program, &renamed);
    assert!(output.status.success(), "{}", message(&output));
    assert!(stdout(&output).contains("2 instructions"), "{}", stdout(&output));
    assert!(says(&output, "p.sasm:1: W07 DPU mode=plus is value 1"));
    let trace = drra(&["trace", &program, "--isa", &renamed]);
    assert!(trace.status.success() && says(&trace, "W07"), "{}", message(&trace));

    let narrow =
        write("narrow.json", &other(r#""cycle", "bitwidth": 15"#, r#""cycle", "bitwidth": 9"#));
    for (isa, difference) in [
        (&narrow, "instruction WAIT: field 2 is cycle of 9 bits (published: cycle of 15 bits)"),
        (&write("small.json", SMALL), "words of 8 bits (published: 27)"),
    ] {
        for command in ["run", "trace"] {
            let (code, out, err) = said(drra(&[command, &program, "--isa", isa]));
            assert!(code == Some(2) && err.contains(difference), "{err}");
            assert!(out.is_empty());
        }
    }

    let revision = run(&write("r1.sasm", "DPU mode=elu\nHALT\n"), "r1");
    assert!(revision.status.success() && says(&revision, "there is no elu (r4)"));
    let image = write("p.bin", "CELL 0 0\n1 000000000000000000000000000\n");
    assert!(run(&image, &renamed).status.success());
    let case = run("tests/regressions/drra_dpu.json", &renamed);
    assert_eq!(case.status.code(), Some(2));
    assert!(says(&case, "a case contains its own revision"), "{}", message(&case));
}

/// A program of r1 runs with a warning if its mode is another operation on the fabric.
#[test]
fn a_mode_of_an_old_revision_is_warned_about() {
    let dir = Folder::new();
    let path = &*dir.write("old.sasm", ".ISA r1\nDPU mode=mac\nHALT\n");
    for arguments in [&["asm", path][..], &["run", path, "--golden-only"]] {
        let output = drra(arguments);
        assert!(output.status.success());
        let text =
            "old.sasm:2: W07 DPU mode=mac is value 11, which runs as ld_ir; mac is 10 there (r4)";
        assert!(says(&output, text), "{}", message(&output));
    }
    if cfg!(feature = "rtl") {
        for command in ["replay", "shrink"] {
            let output = drra(&[command, path]);
            assert!(output.status.success() && says(&output, "W07"), "{}", message(&output));
        }
    }
}

/// A program of r1 in a case causes the same warning as a program in a text.
#[test]
fn a_mode_of_an_old_revision_in_a_case_is_warned_about() {
    let dir = Folder::new();
    let case = drra_case::Case::new("old", &GEOMETRY, Default::default(), Default::default());
    let text = drra_case::to_json(&case);
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["isa"] = "r1".into();
    json["cells"] = serde_json::json!([{"row": 0, "col": 1, "text": "DPU mode=mac\nHALT\n"}]);
    let path = dir.write("old.json", json.to_string());
    let output = drra(&["run", &path, "--golden-only"]);
    assert!(output.status.success());
    let text = "old.json: at `cells[0].text`: line 1: W07 DPU mode=mac is value 11";
    assert!(says(&output, text), "{}", message(&output));
}

/// A description that cannot be read causes the error ISA-E01, wherever it is named.
#[test]
fn an_unreadable_description_has_its_code() {
    let dir = Folder::new();
    let (folder, binary) = (&*dir.name(""), &*dir.write("binary.json", b"{\xff"));
    let (project, program) = (Path::new(env!("CARGO_MANIFEST_DIR")), "isa/vec_add.sasm");
    for arguments in [
        &["isa", "check", "nowhere.json"][..],
        &["isa", "doc", "nowhere.json"],
        &["isa", "check", folder],
        &["isa", "check", binary],
        &["asm", program, "--isa", "nowhere.json"],
        &["disasm", "isa/tests/data/vec_add.bin.expected", "--isa", binary],
    ] {
        crate::refused(project, arguments, &["ISA-E01"]);
    }
    let unknown = ["run", program, "--golden-only", "--isa", "r9"];
    crate::refused(project, &unknown, &["ISA-E01 : no such revision", "r0 to r4", "its path"]);
    let fabric = ["asm", program, "--isa", "isa/fabric.json"];
    crate::refused(project, &fabric, &["describes a fabric, not instructions"]);
}
