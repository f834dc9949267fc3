// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra check` through the command line: exit codes, a single waveform, and a batch.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use drra_report::unfitted;

use crate::{Folder, drra_in, refused, said};

/// A map of the traces of `drra trace`.
const MAP: &str = "\
clock rising clock
cycle_0 when 1'b1
cell[r][c].seq.pc = cell[r][c].seq.pc
cell[r][c].rf.mem[w] = cell[r][c].rf.mem[w]
cell[r][c].dpu.status[a] excluded: the adder has no flags
tile[R][c].sram[a] = tile[R][c].sram[a]
";

/// Exit code, standard output and standard error of `drra check`.
fn check(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let fixed = ["check", "--map", "signals.map"];
    said(drra_in(folder, &[&fixed, arguments].concat()))
}

/// A folder with a map, a case, its trace, and a trace in which a word of the register file is wrong.
fn folder() -> Folder {
    let dir = Folder::new();
    dir.write("vec_add.sasm", include_str!("../../isa/vec_add.sasm"));
    dir.write("signals.map", MAP);
    let exported = drra_in(dir.path(), &["export", "vec_add.sasm", "--out", "exported"]);
    assert!(exported.status.success());
    fs::copy(dir.join("exported/case.json"), dir.join("case.json")).unwrap();
    let (_, trace, _) = said(drra_in(dir.path(), &["trace", "case.json", "--with-end"]));
    let word = r#""path": "cell[0][0].rf.mem[40]", "value": "0x0020""#;
    assert!(trace.contains(word), "{trace}");
    dir.write("bad.jsonl", trace.replace(word, &word.replace('2', "0")));
    dir.write("good.jsonl", trace);
    dir
}

/// A waveform that differs from golden model and chapters is alone.
#[test]
fn a_waveform_can_be_alone() {
    let dir = folder();
    let (code, out, errors) = check(dir.path(), &["case.json", "bad.jsonl", "--chapters"]);
    if errors.contains("python3: ") {
        return; // there is no Python
    }
    assert_eq!(code, Some(1), "{out}{errors}");
    assert!(out.contains("vec_add.sasm: golden and chapters agree: "), "{out}");
    assert!(out.contains("the waveform is alone: cell[0][0].rf.mem[40] differs"), "{out}");
    let (code, out, _) = check(dir.path(), &["case.json", "good.jsonl", "--chapters"]);
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{out}");
}

/// Notes that the waveform library prints do not reach standard output.
#[test]
fn standard_output_is_only_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let var =
        "$var wire 1 ! clk $end\n$attrbegin misc 02 CHARACTER 1039 $end\n$var string 1 s ch $end";
    let text = format!("$scope module tb $end\n{var}\n$upscope $end\n$enddefinitions $end\n");
    let edges = "#0\n0!\nsA s\n#1\n1!\n#2\n0!\n#3\n1!\n";
    fs::write(dir.path().join("x.vcd"), text + edges).unwrap();
    let map = "clock rising tb.clk\ncycle_0 when 1'b1\ncell[0][0].seq.immediate = tb.clk\n";
    fs::write(dir.path().join("x.map"), map).unwrap();
    let output = drra_in(dir.path(), &["map", "check", "x.map", "x.vcd", "--json"]);
    assert!(serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("TODO: handle String Character"));
}

/// Runs `drra check` with a waveform on standard input; `write` writes it.
fn check_pipe(
    folder: &Path,
    arguments: &[&str],
    write: impl FnOnce(std::process::ChildStdin),
) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_drra"))
        .args(["check", "case.json", "-", "--map", "signals.map"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    write(child.stdin.take().unwrap());
    said(child.wait_with_output().unwrap())
}

/// A waveform from a pipe has the verdict, the counts and the report of the same file, whose name is as long.
#[test]
fn a_pipe_is_like_a_file() {
    let dir = folder();
    for name in ["good.jsonl", "bad.jsonl"] {
        fs::copy(dir.join(name), dir.join("w")).unwrap();
        let expected = check(dir.path(), &["case.json", "w", "--report", "as_file"]);
        let text = fs::read_to_string(dir.join(name)).unwrap();
        let found = check_pipe(dir.path(), &["--report", "as_pipe"], |mut to| {
            // The comparison may end before the waveform.
            let _ = to.write_all(text.as_bytes());
        });
        let as_file = |text: &str| {
            let text =
                text.replace("case.json -", "case.json w").replace("waveform -", "waveform w");
            text.replace("as_pipe", "as_file")
        };
        assert_eq!((found.0, as_file(&found.1), as_file(&found.2)), expected, "{name}");
        for part in ["report.json", "report.txt", "report.html", "case.json", "wave.fst"] {
            let read = |folder: &str| fs::read(dir.join(folder).join(part)).ok();
            let (found, expected) = (read("as_pipe"), read("as_file"));
            assert_eq!(found.is_some(), name == "bad.jsonl", "{part}");
            let found = found.map(|bytes| match std::str::from_utf8(&bytes) {
                Ok(text) => as_file(text).into_bytes(),
                Err(_) => bytes,
            });
            assert!(found == expected, "{part} of {name}");
        }
    }
}

/// A simulator that never ends is stopped by the first difference, whose report needs 32 more cycles, or by the end of
/// the case.
#[test]
fn an_endless_simulation_is_stopped() {
    let dir = folder();
    for (name, exit) in [("good.jsonl", 0), ("bad.jsonl", 1)] {
        let text = fs::read_to_string(dir.join(name)).unwrap();
        let (changes, end) = text.trim_end().rsplit_once('\n').unwrap();
        assert!(end.contains("last_cycle"), "{end}");
        let mut written = None;
        let (code, out, errors) = check_pipe(dir.path(), &[], |mut to| {
            let last = changes.lines().last().unwrap();
            let number =
                |line: &str| line.split([' ', ',']).nth(1).unwrap().parse::<u64>().unwrap();
            to.write_all(changes.as_bytes()).unwrap_or_default();
            let other = ["0x0", "0x1"];
            for cycle in number(last) + 1.. {
                let line = format!(
                    "\n{{\"cycle\": {cycle}, \"path\": \"cell[0][0].seq.pend_valid\", \"value\": \"{}\"}}",
                    other[(cycle % 2) as usize]
                );
                if to.write_all(line.as_bytes()).is_err() {
                    written = Some(cycle);
                    return;
                }
            }
        });
        assert_eq!(code, Some(exit), "{name}: {out}{errors}");
        assert!(written.is_some());
    }
}

/// Exit code 0 means agreement, 1 a mismatch, and 2 that the waveform cannot be compared.
#[test]
fn exit_codes() {
    let dir = folder();
    let (code, out, _) = check(dir.path(), &["case.json", "good.jsonl"]);
    assert_eq!(code, Some(0), "{out}");
    for part in [
        "golden model and waveform agree in ",
        " in 100 cycles, ",
        "excluded: the adder has no flags",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let named = out.lines().find(|line| line.contains("not in the map: ")).unwrap();
    assert!(named.ends_with(" others") && named.len() < 500, "{named}");
    let (_, out, _) = said(drra_in(dir.path(), &["map", "check", "signals.map", "good.jsonl"]));
    let listed: Vec<&str> =
        out.lines().filter_map(|l| l.strip_prefix("not in the map: ")).collect();
    assert!(listed.len() == 20 && listed.contains(&"cell[*][*].dpu.acc[*] (32)"), "{out}");
    // A trace without the end marker counts as truncated.
    let trace = fs::read_to_string(dir.join("good.jsonl")).unwrap();
    // Ports alone yield no map.
    let ports = |line: &&str| !line.contains("path") || line.contains("ld_pipe[0].");
    dir.write("ports.jsonl", trace.lines().filter(ports).collect::<Vec<_>>().join("\n"));
    let learn = ["map", "learn", "case.json", "ports.jsonl", "--out", "empty.map"];
    refused(dir.path(), &learn, &["no register was found in ", "give cases that use more"]);
    assert!(!dir.join("empty.map").exists());
    // A learned map, which leaves nothing to find, can be given back.
    let learn = ["map", "learn", "case.json", "good.jsonl", "--out", "one.map"];
    assert_eq!(said(drra_in(dir.path(), &learn)).0, Some(0));
    let again = ["map", "learn", "case.json", "good.jsonl", "--map", "one.map", "--out", "two.map"];
    assert_eq!(said(drra_in(dir.path(), &again)).0, Some(0));
    let without_end = trace.trim_end().rsplit_once('\n').unwrap().0;
    dir.write("cut.jsonl", format!("{without_end}\n"));
    let (code, out, _) = check(dir.path(), &["case.json", "cut.jsonl"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(unfitted(&out).contains("the end marker is missing"), "{out}");
    let (code, out, _) = check(dir.path(), &["case.json", "bad.jsonl", "--report", "report"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains(": cell[0][0].rf.mem[40] differs"), "{out}");
    for name in ["case.json", "report.html", "report.json", "wave.fst"] {
        assert!(dir.join("report").join(name).is_file(), "{name}");
    }

    for (arguments, wanted) in [
        (["case.json", "nowhere.vcd", "--map", "signals.map"], "`nowhere.vcd` cannot be read: "),
        (
            ["case.json", "good.jsonl", "--map", "nowhere.json"],
            "nowhere.json: there is no such file",
        ),
        (["case.json", "vec_add.sasm", "--map", "signals.map"], "vec_add.sasm"),
        (["good.jsonl", "--cycles", "9", "--map=signals.map"], "give the case that was simulated"),
    ] {
        refused(dir.path(), &[&["check"], &arguments[..]].concat(), &[wanted]);
    }
}

/// Files from an editor that writes a byte order mark and CRLF mean the same.
#[test]
fn a_byte_order_mark_is_skipped() {
    let dir = folder();
    let write = |name: &str, text: &str| {
        dir.write(name, format!("\u{feff}{}", text.replace('\n', "\r\n")));
    };
    write("signals.map", MAP);
    write("known.txt", "cell.rf.mem * = 3.7: of old\n");
    write("profile.json", "{\"version\": 1,\n\"name\": \"mine\", \"extends\": \"smoke\"}\n");
    let (code, out, err) = check(dir.path(), &["case.json", "bad.jsonl", "--known", "known.txt"]);
    assert_eq!((code, out.contains("known deviation 3.7")), (Some(0), true), "{out}{err}");
    for name in ["case.json", "good.jsonl", "vec_add.sasm"] {
        write(name, &fs::read_to_string(dir.join(name)).unwrap());
    }
    assert_eq!(check(dir.path(), &["case.json", "good.jsonl"]).0, Some(0));
    let run = ["run", "vec_add.sasm", "--golden-only"];
    assert!(drra_in(dir.path(), &run).status.success());
    let export = ["export", "--profile", "profile.json", "--cases", "1", "--out", "cases"];
    let output = drra_in(dir.path(), &export);
    assert!(output.status.success(), "{output:?}");

    fs::remove_dir_all(dir.join("cases")).unwrap();
    // UTF-16 is one error, whatever the text is for.
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let check =
        ["check", "case.json", "good.jsonl", "--map", "signals.map", "--known", "known.txt"];
    for (name, command) in [
        ("profile.json", &export[..]),
        ("vec_add.sasm", &run),
        ("known.txt", &check),
        ("signals.map", &check),
        ("good.jsonl", &check),
    ] {
        let before = fs::read(dir.join(name)).unwrap();
        dir.write(name, utf16("\u{feff}text\r\n"));
        refused(dir.path(), command, &[name, "is UTF-16 text", "save it as UTF-8"]);
        dir.write(name, before);
    }
}

/// Agreement on less than the required share is an error, and agreement on less than half of the state causes
/// a warning.
#[test]
fn a_minimum_share_can_be_required() {
    let dir = folder();
    let share =
        |least: &str| check(dir.path(), &["case.json", "good.jsonl", "--min-compared", least]);
    let (code, _, err) = share("60");
    assert_eq!((code, err.contains("warning")), (Some(0), false), "{err}");
    let (code, _, err) = share("99.5");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains(" % of the state was compared; 99.5 % is required"), "{err}");
    assert!(share("101").2.contains("from 0 to 100"));
    let (code, _, err) = check(dir.path(), &["case.json", "good.jsonl", "--cycles", "0"]);
    assert!(code == Some(2) && err.contains("'--cycles <N>': 0 is not in 1.."), "{err}");
    let (code, ..) = check(dir.path(), &["case.json", "bad.jsonl", "--min-compared", "99.5"]);
    assert_eq!(code, Some(1), "a difference takes precedence");
    let few: String =
        MAP.lines().filter(|line| !line.contains("sram")).flat_map(|l| [l, "\n"]).collect();
    dir.write("signals.map", few);
    let (code, _, err) = check(dir.path(), &["case.json", "good.jsonl"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("warning: only "), "{err}");
    assert!(err.contains(" % of the state was compared"), "{err}");
}

/// Neither a reader that closes standard output nor a closed standard error changes the verdict.
#[test]
fn a_closed_pipe_changes_nothing() {
    let dir = folder();
    for closed in ["stdout", "stderr", "both"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
        command.args(["check", "case.json", "bad.jsonl", "--map", "signals.map"]);
        command.args(["--report", closed]).current_dir(dir.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().filter(|_| closed == "stderr");
        let errors = child.stderr.take().filter(|_| closed == "stdout");
        assert_eq!(child.wait().unwrap().code(), Some(1), "{closed}");
        assert!(dir.join(closed).join("report.html").is_file(), "{closed}");
        drop((output, errors));
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command
        .args(["check", "nowhere.json", "bad.jsonl", "--map", "signals.map"])
        .current_dir(dir.path());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2), "no panic");
}

/// A signal whose type has lost its length appears to have 2^31 bits. This is reported as an error even if memory is
/// limited.
#[test]
#[cfg(target_os = "linux")]
fn a_damaged_ghw_is_refused_in_little_memory() {
    let dir = folder();
    let source = "harness/recorded/tests/it/fixtures/small.ghw";
    let mut ghw = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(source)).unwrap();
    // A signal of type 2, `std_logic`, becomes one of type 5, `std_ulogic_vector`.
    let signal = &mut ghw[0x1ae..0x1b2];
    assert_eq!(*signal, [0x10, 0x0f, 2, 1], "kind, name, type, number");
    signal[2] = 5;
    dir.write("bad.ghw", ghw);
    let limited = "ulimit -v 4000000; exec \"$0\" map check signals.map bad.ghw";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_drra")]).current_dir(dir.path());
    let (code, _, text) = said(command.output().unwrap());
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("`bad.ghw` cannot be read as GHW"), "{text}");
}

/// A job summary that cannot be written does not change the verdict.
#[test]
fn a_job_summary_that_cannot_be_written() {
    let dir = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(["check", "case.json", "bad.jsonl", "--map", "signals.map"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", "/nowhere/summary.md");
    let (code, _, text) = said(command.current_dir(dir.path()).output().unwrap());
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("warning: GITHUB_STEP_SUMMARY"), "{text}");
}

/// Reads a tile's side at the west edge, and then a row that nothing has written.
const EDGE: &str = "\
.ISA r4
.CODE
CELL <0,0>
    ROUTE horizontal_dir=w, horizontal_hops=1, vertical_dir=n, direction=r
    WAIT cycle=9
    ROUTE vertical_dir=n, direction=r
    SRAM rw=r, init_addr=9
    WAIT cycle=19
    HALT
";

/// A known deviation that requires a provenance does not hide another difference in the same register: `xout[S]` is
/// wrong while it follows the edge (from cycle 14 on), shows row 9 (29), and follows the memory that reads nothing
/// (35).
#[test]
fn a_known_deviation_can_require_a_provenance() {
    let dir = Folder::new();
    let write = |name: &str, text: &str| dir.write(name, text);
    write("signals.map", &MAP.replace("sram[a]", "xout[a]"));
    write("edge.sasm", EDGE);
    assert!(drra_in(dir.path(), &["export", "edge.sasm", "--out", "out"]).status.success());
    let case = fs::read_to_string(dir.join("out/case.json")).unwrap();
    let (_, trace, _) = said(drra_in(dir.path(), &["trace", "out/case.json", "--with-end"]));
    for (name, cycle) in [("edge", 16), ("row", 29), ("idle", 35)] {
        let wrong =
            format!(r#"{{"cycle": {cycle}, "path": "tile[1][0].xout[S]", "value": "0x1"}}"#);
        let place = trace.find(&format!(r#"{{"cycle": {},"#, cycle + 1)).unwrap();
        let (before, after) = trace.split_at(place);
        write(&format!("batch/{name}/dump.jsonl"), &format!("{before}{wrong}\n{after}"));
        write(&format!("batch/{name}/case.json"), &case);
    }
    let batch =
        ["--batch", "batch", "--known", "known.txt", "--json", "all.json", "--report=report"];
    let exits = |list: &str| {
        write("known.txt", list);
        let (_, out, err) = check(dir.path(), &batch);
        let text = fs::read_to_string(dir.join("all.json")).expect(&err);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let exit = |n: usize| value["cases"][n]["exit"].as_u64().unwrap();
        ([0, 1, 2].map(exit), unfitted(&out))
    };
    // In the order of the names: edge, idle, row.
    let any = "tile.xout * = 6.D9: a list of 1.0\n";
    let [edge, row] = ["beyond the edge", "never written"]
        .map(|origin| format!("tile.xout * = 6.D9 provenance={origin}: why\n"));
    assert_eq!(exits(any).0, [0, 0, 0]);
    assert_eq!(exits(&edge).0, [0, 1, 1]);
    assert_eq!(exits(&row).0, [1, 1, 0]);
    let (both, out) = exits(&format!("{edge}{row}unknown {edge}"));
    assert_eq!(both, [0, 1, 0]);
    assert!(out.contains("no failure matches line 3: unknown tile.xout"), "{out}");
    assert!(out.contains("tile.xout ROUTE (2 known: 6.D9, provenance "), "{out}");
    let report = fs::read_dir(dir.join("report")).unwrap().next().unwrap().unwrap().path();
    let report = fs::read_to_string(report.join("report.json")).unwrap();
    assert!(report.contains("\"memory_idle\""), "the report shows the case that is not known");
}

/// In a batch with a folder for each case, the worst result determines the verdict.
#[test]
fn a_batch() {
    let dir = folder();
    let add = |name: &str, dump: &str| {
        for (from, to) in [("case.json", "case.json"), (dump, "dump.jsonl")] {
            dir.write(&format!("batch/{name}/{to}"), fs::read(dir.join(from)).unwrap());
        }
    };
    let arguments = ["--batch", "batch", "--json", "all.json", "--report", "out", "--jobs", "2"];
    add("a", "good.jsonl");
    assert_eq!(check(dir.path(), &arguments).0, Some(0));
    add("b", "bad.jsonl");
    add("c", "bad.jsonl");
    let (code, out, _) = check(dir.path(), &arguments);
    assert_eq!(code, Some(1), "{out}");

    let json = fs::read_to_string(dir.join("all.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let schema = include_str!("../../harness/results/batch.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let exits: Vec<_> = (0..3).map(|n| value["cases"][n]["exit"].as_u64()).collect();
    assert_eq!(exits, [Some(0), Some(1), Some(1)]);
    let failures = value["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{json}");
    assert_eq!((&failures[0]["count"], &failures[0]["first"]), (&2.into(), &"b".into()));
    let found = fs::read_dir(dir.join("out")).unwrap().next().unwrap().unwrap().path();
    for name in ["case.json", "report.html", "report.json", "wave.fst"] {
        assert!(found.join(name).is_file(), "{name}");
    }

    // A known failure is not counted; a list that names a different failure changes nothing.
    let list = |text: &str| dir.write("known.txt", text);
    let known = [&arguments[..], &["--known", "known.txt"]].concat();
    let alone = ["case.json", "bad.jsonl", "--known", "known.txt"];
    let signature = failures[0]["signature"].as_str().unwrap();
    list(&format!("{signature} = 2.1: of old\n"));
    let (code, out, _) = check(dir.path(), &known);
    assert_eq!((code, out.contains("(known: 2.1)")), (Some(0), true), "{out}");
    let (code, out, _) = check(dir.path(), &alone);
    assert_eq!((code, out.contains(": known deviation 2.1: of old")), (Some(0), true), "{out}");
    list("cell nothing = 2.1: of old\n");
    let (code, out, _) = check(dir.path(), &known);
    assert_eq!((code, out.contains("no failure matches line 1")), (Some(1), true), "{out}");
    assert_eq!(check(dir.path(), &alone).0, Some(1));
    list("cell nothing\n");
    let (code, _, err) = check(dir.path(), &alone);
    assert_eq!((code, err.contains("known.txt: line 1: `=` is missing")), (Some(2), true), "{err}");
    list("\ncell.seq.load_cuont HALT = 2.1: of old\n");
    let (code, _, err) = check(dir.path(), &alone);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("known.txt: line 2: no register or signal cell.seq.load_cuont"), "{err}");
    assert!(err.contains("did you mean `cell.seq.load_count`?"), "{err}");

    fs::remove_file(dir.join("batch/c/dump.jsonl")).unwrap();
    for name in ["a", "b", "c"] {
        dir.write(&format!("batch/{name}/sim.status"), "0\n");
    }
    let (code, _, err) = check(dir.path(), &arguments);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("this folder contains no waveform"), "{err}");
}

/// Cases whose simulation has not ended are counted in one line. They have no verdict, and the batch does not agree.
#[test]
fn a_batch_during_its_simulations() {
    let dir = folder();
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    let (case, good, bad) = (read("case.json"), read("good.jsonl"), read("bad.jsonl"));
    let set = |name: &str, dump: &str, status: &str| {
        dir.write(&format!("batch/{name}/case.json"), &case);
        dir.write(&format!("batch/{name}/dump.jsonl"), dump);
        dir.write(&format!("batch/{name}/sim.status"), status);
    };
    let expect = |exit: i32, unfinished: &[&str]| {
        let arguments = ["--batch", "batch", "--json", "all.json", "--junit", "all.xml"];
        let (code, out, err) = check(dir.path(), &arguments);
        assert_eq!(code, Some(exit), "{out}{err}");
        let counted: Vec<_> = out.lines().filter(|line| line.contains("finished")).collect();
        assert_eq!((counted, err.contains("batch/")), (unfinished.to_vec(), false), "{out}{err}");
        err
    };
    dir.write("batch/a/case.json", &case);
    assert!(expect(2, &["1 not finished"]).contains("so nothing was compared"));
    set("a", &good[..good.len() / 2], "");
    set("b", &good, "0\n");
    dir.write("batch/c/case.json", &case);
    expect(4, &["2 not finished"]);
    let value: serde_json::Value = serde_json::from_str(&read("all.json")).unwrap();
    assert_eq!(value["cases"][0]["verdict"], "not finished");
    assert_eq!(read("all.xml").matches("not finished").count(), 2);
    set("c", &bad, "1\n");
    expect(1, &["1 not finished"]);
    set("a", &good, "0\n");
    set("c", &good, "0\n");
    expect(0, &[]);
    // One case that was simulated by a script does not make the others unfinished.
    for name in ["a", "b"] {
        fs::remove_file(dir.join(&format!("batch/{name}/sim.status"))).unwrap();
    }
    expect(0, &[]);
}
