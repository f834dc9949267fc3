// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `drra` command: transcripts, exit codes, files that appear whole or not at all.

use std::fs;
use std::process::Command;
use std::process::Output;

use drra_cosim::GEOMETRY;

fn drra(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drra"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// `tests/cmd/*.trycmd`.
#[test]
fn transcripts() {
    if GEOMETRY != drra_isa::Geometry::default() || cfg!(not(feature = "rtl")) {
        println!("skipped: the transcripts are those of the default build");
        return;
    }
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

/// Assembling what was disassembled gives the same image.
#[test]
fn asm_and_disasm_are_inverse() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let output =
        drra(&["asm", "isa/vec_add.sasm", "-o", &path("a.bin"), "--mem-output", &path("a.mem")]);
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

/// The same program as text and as image gives the same trace, on both models.
#[test]
#[cfg(feature = "rtl")]
fn traces_agree() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    drra(&["asm", "isa/vec_add.sasm", "-o", &path("a.bin"), "--mem-output", &path("a.mem")]);
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

/// The header and every line of a trace have their documented form, ordered by cycle.
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
    assert!(filtered.lines().skip(1).all(|l| l.contains(".seq.pc")));
}

/// Bad input: exit code 2, one message with file and place, no output file.
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
        let message = String::from_utf8_lossy(&output.stderr);
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
