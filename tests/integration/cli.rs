// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `drra` command: transcripts, exit codes, and files that are either complete or absent.

use std::{
    fs,
    process::{Command, Output},
};

use drra_cosim::GEOMETRY;

use crate::drra;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// `tests/cmd/*.trycmd`.
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
    let output = drra(&["trace", "two\n::error::lines.sasm"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
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
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("trace").display().to_string();
    for format in ["jsonl", "fst"] {
        let arguments = ["trace", "isa/vec_add.sasm", "--from", "5000", "--format", format, "-o"];
        let output = drra(&[&arguments[..], &[&*file]].concat());
        assert_eq!(output.status.code(), Some(2), "{format}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("before cycle 5000"), "{text}");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{format}");
    }
}

/// Disassembling and assembling again yields the same image.
#[test]
fn asm_and_disasm_are_inverse() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let output =
        drra(&["asm", "isa/vec_add.sasm", "-o", &path("a.bin"), "--mem-out", &path("a.mem")]);
    assert!(output.status.success());
    assert_eq!(
        fs::read_to_string(path("a.bin")).unwrap(),
        include_str!("../../isa/vec_add.bin.expected")
    );
    assert_eq!(
        fs::read_to_string(path("a.mem")).unwrap(),
        include_str!("../../isa/vec_add.mem.expected")
    );
    fs::write(path("b.sasm"), drra(&["disasm", &path("a.bin")]).stdout).unwrap();
    let output = drra(&["asm", &path("b.sasm")]);
    assert_eq!(stdout(&output), include_str!("../../isa/vec_add.bin.expected"));
}

/// A program yields the same trace whether it is given as text or as an image, on both models.
#[test]
#[cfg(feature = "rtl")]
fn traces_agree() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    drra(&["asm", "isa/vec_add.sasm", "-o", &path("a.bin"), "--mem-out", &path("a.mem")]);
    let body =
        |output: &Output| stdout(output).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let golden = drra(&["trace", "isa/vec_add.sasm"]);
    let image = drra(&["trace", &path("a.bin"), "--mem", &path("a.mem")]);
    let rtl = drra(&["trace", &path("a.bin"), "--mem", &path("a.mem"), "--model", "rtl"]);
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
    let filtered = stdout(&drra(&[
        "trace",
        "isa/vec_add.sasm",
        "--only",
        "*.seq.pc",
        "--from",
        "40",
        "--to",
        "50",
    ]));
    let lines = filtered.lines().count();
    assert!(filtered.lines().take(lines - 1).skip(1).all(|l| l.contains(".seq.pc")));
}

/// Bad input causes exit code 2 and one message with file and location, and no output file is written.
#[test]
fn bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
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
        (
            "run",
            dir.path().join("none.sasm").to_str().unwrap().to_owned(),
            "none.sasm",
            "no such file",
        ),
        ("run", dir.path().to_str().unwrap().to_owned(), "", "unknown kind"),
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
        let output = drra(&arguments);
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{command} {file}: {message}");
        assert!(message.contains(what), "{what}: {message}");
        assert!(message.contains(place), "{place}: {message}");
        assert!(output.stdout.is_empty(), "{command} {file}");
    }
    let target = dir.path().join("out.bin");
    let bad = write("bad.sasm", "STOP");
    let output = drra(&["asm", &bad, "-o", target.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!target.exists());
    let output = drra(&["asm", "isa/vec_add.sasm", "-o", "/nonexistent/folder/out.bin"]);
    assert_eq!(output.status.code(), Some(2));
    for usage in [&["fly"][..], &["run"], &["run", "x.sasm", "--cycles", "many"]] {
        assert_eq!(drra(usage).status.code(), Some(2), "{usage:?}");
    }
    assert_eq!(drra(&["run", "isa/vec_add.sasm", "--io-cell", "5,5"]).status.code(), Some(2));
}

/// A program that cannot be read does not prevent the others from being run or the report from being written.
#[test]
fn a_missing_program_is_part_of_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let junit = dir.path().join("junit.xml");
    let absolute = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm");
    let programs = ["run", "./nowhere.sasm", absolute, "--golden-only", "--junit"];
    let output = drra(&[&programs[..], &[junit.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", message(&output));
    assert!(says(&output, "nowhere.sasm"), "{}", message(&output));
    assert!(stdout(&output).contains("vec_add.sasm: 98 cycles"), "{}", stdout(&output));
    let text = fs::read_to_string(junit).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.errors), (2, 1), "{text}");
    // Names do not depend on the location of the project, and each test case has its duration.
    let names: Vec<&str> = suite.test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["nowhere.sasm", "isa/vec_add.sasm"]);
    assert!(suite.test_cases[1].time.is_some_and(|time| !time.is_zero()), "{text}");
}

/// Cases for which the build has no model are named, counted and skipped, unless nothing else is left to compare.
#[cfg(feature = "rtl")]
#[test]
fn cases_of_other_sizes_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions/drra_agu.json");
    let mut case: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(own).unwrap()).unwrap();
    case["fabric"] = serde_json::json!({
        "columns": 7, "tile_rows": 2, "rf_words": 64, "sram_blocks": 128
    });
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let (other, junit) = (path("other.json"), path("junit.xml"));
    fs::write(&other, case.to_string()).unwrap();
    for (files, code, counts) in [
        (&[own, &other][..], 0, [2, 0, 1]),
        (&[&other], 2, [1, 1, 0]),
        (&[&other, own, "nowhere.json"], 2, [3, 1, 1]),
    ] {
        let output = drra(&[&["run", "--junit", &junit], files].concat());
        assert_eq!(output.status.code(), Some(code), "{files:?}: {}", message(&output));
        assert!(says(&output, "other.json: the case is for fabric 7x2"), "{}", message(&output));
        let told = format!("1 of {} cases skipped", files.len());
        assert_eq!(stdout(&output).contains(&told), files.len() > 1, "{}", stdout(&output));
        let text = fs::read_to_string(&junit).unwrap();
        let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
        let suite = &read.test_suites[0];
        assert_eq!([suite.tests, suite.errors, suite.skipped], counts, "{text}");
    }
}

/// Commands that are printed for a profile in a file name the file, and are quoted.
#[cfg(feature = "rtl")]
#[test]
fn printed_commands_can_be_pasted() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("ein Ordner \u{fc} 'q'");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("my profile.json"),
        "{\"version\": 1, \"name\": \"mine\", \"extends\": \"smoke\"}",
    )
    .unwrap();
    let shell = |line: &str| {
        let line = line.replace("drra ", concat!("'", env!("CARGO_BIN_EXE_drra"), "' "));
        Command::new("sh").args(["-c", &line]).current_dir(&folder).output().unwrap()
    };
    let ran = shell("drra fuzz --profile 'my profile.json' --cases 3 --fabric 8x2 --out 'an out'");
    assert!(ran.status.success(), "{}", message(&ran));
    let page = fs::read_to_string(folder.join("an out/index.html")).unwrap();
    let command = page.split("<dt>Reproduce</dt><dd><code>").nth(1).unwrap();
    let command = command.split("</code>").next().unwrap();
    assert!(command.contains("--profile 'my profile.json' "), "{command}");
    let again = shell(command);
    assert!(again.status.success(), "{command}: {}", message(&again));
    assert!(stdout(&again).contains("failures: 0 in 3 cases"), "{}", stdout(&again));
    let chosen = shell("drra distil 'an out' --cases 2 --out 'the best'");
    let command = stdout(&chosen);
    let command =
        command.split("run them with: ").nth(1).unwrap_or_else(|| panic!("{}", message(&chosen)));
    assert!(shell(command).status.success(), "{command}");
}

/// What a command printed to standard error.
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
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("small.json"), SMALL).unwrap();
    fs::write(path("p.sasm"), "PUT what=nine\nPUT.D what=2\nEND\n").unwrap();
    let isa = path("small.json");
    let image = stdout(&drra(&["asm", &path("p.sasm"), "--isa", &isa]));
    assert_eq!(image, "CELL 0 0\n1 01010010\n0 01000100\n1 11100000\n\n");

    fs::write(path("p.bin"), &image).unwrap();
    let text = stdout(&drra(&["disasm", &path("p.bin"), "--isa", &isa]));
    let lines = "CELL <0,0>\nPUT (what=nine)\nPUT.D (what=2)\nEND ()\n";
    assert_eq!(text, format!("# read this with --isa {isa}\n.ISA mine\n\n{lines}"));
    fs::write(path("again.sasm"), &text).unwrap();
    assert_eq!(stdout(&drra(&["asm", &path("again.sasm"), "--isa", &isa])), image);
    let output = drra(&["asm", &path("again.sasm")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(says(&output, "A19"), "{}", message(&output));
    // Its words differ from the words of the published revisions.
    assert_eq!(drra(&["disasm", &path("p.bin")]).status.code(), Some(2));
}

/// A program runs with a description whose codes and fields are those of a published revision; any other description is
/// refused with its first difference.
#[test]
fn a_description_drives_run_where_the_hardware_follows() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
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
            let output = drra(&[command, &program, "--isa", isa]);
            assert_eq!(output.status.code(), Some(2));
            assert!(says(&output, difference), "{}", message(&output));
            assert!(output.stdout.is_empty());
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
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.sasm");
    fs::write(&path, ".ISA r1\nDPU mode=mac\nHALT\n").unwrap();
    let path = path.to_str().unwrap();
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
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.json");
    let case = drra_case::Case::new("old", &GEOMETRY, Default::default(), Default::default());
    let text = drra_case::to_json(&case);
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["isa"] = "r1".into();
    json["cells"] = serde_json::json!([{"row": 0, "col": 1, "text": "DPU mode=mac\nHALT\n"}]);
    fs::write(&path, json.to_string()).unwrap();
    let output = drra(&["run", path.to_str().unwrap(), "--golden-only"]);
    assert!(output.status.success());
    let text = "old.json: at `cells[0].text`: line 1: W07 DPU mode=mac is value 11";
    assert!(says(&output, text), "{}", message(&output));
}

/// A description that cannot be read causes the error ISA-E01, wherever it is named.
#[test]
fn an_unreadable_description_has_its_code() {
    let dir = tempfile::tempdir().unwrap();
    let binary = dir.path().join("binary.json");
    fs::write(&binary, b"{\xff").unwrap();
    let folder = dir.path().to_str().unwrap();
    let binary = binary.to_str().unwrap();
    let program = "isa/vec_add.sasm";
    for arguments in [
        &["isa", "check", "nowhere.json"][..],
        &["isa", "doc", "nowhere.json"],
        &["isa", "check", folder],
        &["isa", "check", binary],
        &["asm", program, "--isa", "nowhere.json"],
        &["disasm", "isa/vec_add.bin.expected", "--isa", binary],
        &["run", program, "--golden-only", "--isa", "r9"],
    ] {
        let output = drra(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(says(&output, "ISA-E01"), "{arguments:?}: {}", message(&output));
    }
    let fabric = drra(&["asm", program, "--isa", "isa/fabric.json"]);
    assert_eq!(fabric.status.code(), Some(2));
    assert!(says(&fabric, "describes a fabric, not instructions"), "{}", message(&fabric));
}
