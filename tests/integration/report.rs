// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports: their files agree with each other, with their schema and with what the run did; waves can
//! be read back; stored reports stay readable.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Output;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use drra_campaign::Settings;
use drra_campaign::shrink;
use drra_case::Case;
use drra_cosim::GEOMETRY;
use drra_diagnose::signature;
use drra_diagnose::signature::Failing;
use drra_generate::Profile;
use drra_golden::Layout;
use drra_lockstep::AssertionFailure;
use drra_lockstep::Design;
use drra_lockstep::Fault;
use drra_lockstep::Faulty;
use drra_lockstep::Flip;
use drra_lockstep::Instance;
use drra_lockstep::MismatchKind;
use drra_lockstep::Setup;
use drra_report::Paint;
use drra_report::Report;
use drra_report::Subject;
use drra_report::github;
use drra_report::junit;
use drra_report::waves;
use drra_report::waves::Window;

use crate::setup;

/// A faulty program port: every RACCU subtraction becomes an addition.
fn subtraction_lost(word: u32) -> u32 {
    if word >> 20 == 10 << 3 | 2 { word ^ 3 << 20 } else { word }
}

/// A campaign on an RTL that loses subtractions, run once for all tests.
pub(crate) fn failing_campaign() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // Not a folder that goes away with its owner: what is static has no end.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("night");
        let _ = fs::remove_dir_all(&folder);
        let settings = Settings {
            profile: Profile::shipped("smoke").unwrap(),
            seed: 7,
            cases: Some(60),
            folder: Some(folder.clone()),
            shrink: shrink::Bounds { time: Duration::from_secs(1000), ..shrink::Bounds::default() },
            ..Settings::default()
        };
        let faulty = Faulty::new(setup().design, Fault::Word(subtraction_lost));
        drra_campaign::run(&settings, &GEOMETRY, &faulty, &AtomicBool::new(false), &mut |_| {})
            .unwrap();
        folder
    })
}

/// Folder of the first failure of that campaign.
pub(crate) fn failure() -> PathBuf {
    let mut folders: Vec<_> = fs::read_dir(failing_campaign().join("failures"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    folders.sort();
    folders.remove(0)
}

fn drra(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drra")).args(arguments).output().unwrap()
}

fn vec_add() -> Case {
    drra_case::programs::ALL[0].case(&GEOMETRY).unwrap()
}

/// A design in which a bit of cell (0,0) flips.
fn flip(cycle: u64, register: &str, bit: u32) -> Faulty<&'static dyn Design> {
    let unit = Layout::new(&GEOMETRY).units()[0];
    let flip = Flip { cycle, unit, register: register.to_owned(), bit };
    Faulty::new(setup().design, Fault::Flip(flip))
}

/// A design in which a bit of word 33 flips when `vec_add` writes it; the word is not read afterwards.
fn flipped(case: &Case) -> Faulty<&'static dyn Design> {
    flip(case.stimulus.end() + 1 + 21, "rf.mem[33]", 2)
}

/// The report of that.
fn flipped_report(case: &Case, repeat: &str) -> Report {
    let faulty = flipped(case);
    let setup = Setup { design: &faulty, ..setup() };
    let failing = signature::check(case, &setup).unwrap().unwrap();
    let subject = Subject { case, failing: &failing, setup, repeat, reduced: None };
    drra_report::build(&subject).unwrap()
}

/// The report names register, values, owner and the way to repeat the run.
#[test]
fn report_of_a_fault() {
    let case = vec_add();
    // Word 32 of cell (0,0) is written in cycle 19 behind the first decode, by w0, which the first
    // instruction sets up (chapter 3, 9.1); its flag releases it in the cycle after its decode.
    let first_decode = case.stimulus.end() + 1;
    let cycle = first_decode + 20;
    let faulty = flip(cycle, "rf.mem[32]", 3);
    let setup = Setup { design: &faulty, ..setup() };
    let failing = signature::check(&case, &setup).unwrap().unwrap();
    let subject =
        Subject { case: &case, failing: &failing, setup, repeat: "drra run x.sasm", reduced: None };
    let report = drra_report::build(&subject).unwrap();
    let owner = report.owner.as_ref().unwrap();
    assert_eq!(
        (owner.cell, owner.address, owner.decoded, owner.released),
        ([0, 0], 0, first_decode, Some(first_decode + 1)),
        "{owner:?}"
    );
    // The word is the sum of word 0 and word 16, which came from rows 0 and 1 of tile (1,0).
    let way: Vec<&str> = report.path.iter().map(|s| s.text.as_str()).collect();
    for step in [
        "word 32 is written by write port w0",
        "w0 listens to DPU out 0 of cell (0,0)",
        "DPU out 0, mode add",
        "DPU in 0 listens to r0 of cell (0,0)",
        "read port r0 reads word 0",
        "word 0 is written by a block write (wb)",
        "read port r1 reads word 16",
        "xout[S] follows the memory",
        "the memory reads row 0",
        "row 0 is written by the initialisation port",
        "the memory reads row 1",
    ] {
        assert!(way.contains(&step), "{step}\n{way:#?}");
    }
    // Nothing reads the word afterwards: the difference stays where it is.
    assert!(report.spread.iter().all(|s| s.units == [("cell[0][0]".to_owned(), 1)]));
    let text = report.text(Paint::Plain);
    for part in [
        &format!("MISMATCH in cycle {cycle}: cell[0][0].rf.mem[32] differs"),
        "0x0010 (16)             0000 0000 0001 0000",
        "0x0018 (24)             0000 0000 0001 1000",
        ".... .... .... ^...",
        "cell[0][0].rf.mem[32] goes from 0x0000 (0) to 0x0010 (16)",
        "isa/spec/03-register-file.md, 4.2",
        "REFI",
        &format!("decoded in cycle {first_decode}, released by its own flag"),
        "repeat: drra run x.sasm",
        "rf.mem[32] = 0x0018",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    // Colours change nothing else.
    let coloured = report.text(Paint::Ansi);
    assert_ne!(coloured, text);
    assert_eq!(without_colours(&coloured), text);
    assert_eq!(Report::parse(&report.to_json()).unwrap(), report);
}

/// Text without its ANSI escapes.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        out += before;
        rest = escape.split_once('m').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// Every file of a failure is there, small, and says the same.
#[test]
fn files_of_a_failure() {
    let folder = failure();
    let mut size = 0;
    for name in [
        "case.json",
        "case.full.json",
        "program.sasm",
        "report.txt",
        "report.json",
        "report.html",
        "wave.fst",
        "wave.gtkw",
        "wave.sucl",
    ] {
        size += fs::metadata(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}")).len();
    }
    assert!(size <= 2 << 20, "{size} bytes");

    let json = fs::read_to_string(folder.join("report.json")).unwrap();
    let schema = include_str!("../../harness/report/report.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let value = serde_json::from_str(&json).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());

    // The fault changes the word on its way into the program memory, so that this is what differs.
    let report = Report::parse(&json).unwrap();
    assert!(
        report.place().contains("ld_pipe") || report.place().contains("imem"),
        "{}",
        report.place()
    );
    assert!(report.verdict.chapter.ends_with(".md") && !report.spread.is_empty());
    let text = fs::read_to_string(folder.join("report.txt")).unwrap();
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    for part in [&report.place(), &report.signature, &report.verdict.chapter] {
        assert!(text.contains(part.as_str()) && page.contains(part.as_str()), "{part}");
    }
    // Nothing is fetched: links lead to the files beside the page and to the index.
    for address in ["http:", "https:", "//cdn", "@import", "url(http"] {
        assert!(!page.contains(address), "{address}");
    }
    for link in page.split("href=\"").skip(1).map(|l| l.split('"').next().unwrap()) {
        let local = link.starts_with('#') || link == "data:,";
        assert!(local || folder.join(link).exists(), "{link}");
    }
    let index = fs::read_to_string(failing_campaign().join("index.html")).unwrap();
    for link in index.split("href=\"").skip(1).map(|l| l.split('"').next().unwrap()) {
        let local = link.starts_with('#') || link == "data:,";
        assert!(local || failing_campaign().join(link).exists(), "{link}");
    }
}

/// The reports of a mismatch in cycle 0, of an output port and of an assertion have all their parts.
#[test]
fn reports_of_other_kinds() {
    let case = vec_add();
    let faulty = flip(0, "seq.pc", 0);
    let at_reset = Setup { design: &faulty, ..setup() };
    let failing = signature::check(&case, &at_reset).unwrap().unwrap();
    let write = |failing: &Failing, setup: Setup<'_>| {
        let subject = Subject { case: &case, failing, setup, repeat: "again", reduced: None };
        let report = drra_report::build(&subject).unwrap();
        let text = report.text(Paint::Plain);
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
        (report.page(None, &[]), text, report)
    };
    let (page, text, report) = write(&failing, at_reset);
    assert_eq!((report.mismatch.cycle, report.owner.as_ref()), (0, None));
    assert!(text.contains("no instruction was decoded for this unit"), "{text}");
    assert!(text.contains("the registers differ right after reset"), "{text}");
    assert!(page.contains("No instruction was decoded"));

    let mut port = failing.clone();
    port.mismatch.cycle = 40;
    let (golden, rtl) = ("false".to_owned(), "true".to_owned());
    port.mismatch.kind = MismatchKind::Output { port: "all_idle".into(), golden, rtl };
    let (page, text, report) = write(&port, setup());
    assert_eq!(report.verdict.section, "5.5");
    assert!(text.contains("output port all_idle differs") && page.contains("all_idle"), "{text}");

    let mut assertion = failing;
    assertion.mismatch.cycle = case.stimulus.end() + 5;
    assertion.mismatch.kind = MismatchKind::Assertion(AssertionFailure {
        place: "drra_sequencer.sv:7".into(),
        instances: vec![Instance {
            unit: Some(Layout::new(&GEOMETRY).units()[0]),
            scope: "drra_fabric.gen_row[0].gen_col[0].u_cell.u_seq".into(),
            name: "Legal".into(),
        }],
    });
    let (page, text, report) = write(&assertion, setup());
    assert_eq!(report.verdict.block, "sequencer");
    assert_eq!(report.owner.unwrap().cell, [0, 0]);
    assert!(text.contains("assertion at drra_sequencer.sv:7 is violated"), "{text}");
    assert!(page.contains("Legal"));
}

/// Text from a case cannot become part of the page.
#[test]
fn pages_escape_what_they_show() {
    let mut case = vec_add();
    case.name = "</script><script>alert(1)</script>&\"'".into();
    let page = flipped_report(&case, "<b>&").page(None, &[]);
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(page.contains("&lt;b&gt;&amp;"));
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
}

/// `block_hops`: the way of a word that went over three hops into a memory and back.
#[test]
fn way_of_a_value_over_the_noc() {
    let program =
        drra_case::programs::ALL.iter().find(|p| p.path.ends_with("block_hops.sasm")).unwrap();
    if GEOMETRY.tile_rows < 2 || GEOMETRY.columns < 3 {
        println!("skipped: the path needs two rows and three columns of tiles");
        return;
    }
    let case = program.case(&GEOMETRY).unwrap();
    // The read REFI is decoded in cycle 15; its block is there 12 cycles later (chapter 6, 10.2).
    let cycle = case.stimulus.end() + 1 + 27;
    let faulty = flip(cycle, "rf.mem[48]", 0);
    let setup = Setup { design: &faulty, ..setup() };
    let failing = signature::check(&case, &setup).unwrap().unwrap();
    let subject = Subject { case: &case, failing: &failing, setup, repeat: "again", reduced: None };
    let report = drra_report::build(&subject).unwrap();
    let way: Vec<(&str, &str)> =
        report.path.iter().map(|s| (s.unit.as_str(), s.text.as_str())).collect();
    let expected = [
        ("cell[0][0]", "word 48 is written by a block write (wb)"),
        ("tile[1][0]", "xout[S] follows N"),
        ("tile[2][0]", "xout[S] follows E"),
        ("tile[2][1]", "xout[W] follows E"),
        ("tile[2][2]", "xout[W] follows the memory"),
        ("tile[2][2]", "the memory reads row 5"),
        ("tile[2][2]", "row 5 is written from xout[MEM]"),
        ("tile[2][2]", "xout[MEM] follows W"),
        ("tile[2][1]", "xout[E] follows W"),
        ("tile[2][0]", "xout[E] follows S"),
        ("tile[1][0]", "xout[N] follows S"),
        ("cell[0][0]", "a block read (rb) reads block 1"),
        ("cell[0][0]", "word 16 is written by the initialisation port"),
    ];
    assert_eq!(way, expected);
    for (from, to) in [("tile[2][2]", "tile[2][1]"), ("tile[2][1]", "tile[2][2]")] {
        let link = report.links.iter().find(|l| l.from == from && l.to == to).unwrap();
        assert!(link.data_path, "{link:?}");
    }
}

/// Waves read back by an independent reader: window, values, differences.
#[test]
fn waves_read_back() {
    let case = vec_add();
    let faulty = flipped(&case);
    let setup = Setup { design: &faulty, ..setup() };
    let failing = signature::check(&case, &setup).unwrap().unwrap();
    let mismatch = failing.mismatch.cycle;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let recorded = waves::record(&case, &setup, Window::around(mismatch), &path).unwrap();
    assert_eq!((recorded.from, recorded.to), (mismatch.saturating_sub(64), mismatch + 32));
    assert_eq!(recorded.mismatch, Some(mismatch));
    assert_eq!(recorded.differing, [("cell_0_0.rf.mem_33".to_owned(), 16)]);

    let mut waves = wellen::simple::read(&path).unwrap();
    assert_eq!(waves.time_table().first(), Some(&recorded.from));
    assert_eq!(waves.time_table().last(), Some(&(recorded.to + 1)));
    let mut at = |path: &str, cycle: u64| -> String {
        let names: Vec<&str> = path.split('.').collect();
        let (name, scopes) = names.split_last().unwrap();
        let hierarchy = waves.hierarchy();
        let var = hierarchy.lookup_var(scopes, *name).unwrap_or_else(|| panic!("no {path}"));
        let signal = hierarchy[var].signal_ref();
        waves.load_signals(&[signal]);
        let time = waves.time_table().iter().rposition(|t| *t <= cycle).unwrap() as u32;
        let signal = waves.get_signal(signal).unwrap();
        let offset = signal.get_offset(time).unwrap();
        signal.get_value_at(&offset, 0).to_bit_string().unwrap()
    };
    // A[1] + B[1] = 1 + 17 = 18.
    let (word, other) = ("0000000000010010", "0000000000010110");
    let zero = "0".repeat(16);
    for (path, before, then) in [
        ("golden.cell_0_0.rf.mem_33", zero.as_str(), word),
        ("rtl.cell_0_0.rf.mem_33", zero.as_str(), other),
        ("diff.cell_0_0.rf.mem_33", "0", "1"),
        ("diff.any", "0", "1"),
    ] {
        assert_eq!(at(path, mismatch - 1), before, "{path}");
        assert_eq!(at(path, mismatch), then, "{path}");
        assert_eq!(at(path, recorded.to), then, "{path}");
    }
    // Word 32 was written a cycle before; the sequencer is at its WAIT or behind it on both sides.
    assert_eq!(at("golden.cell_0_0.rf.mem_32", mismatch), "0000000000010000");
    for register in ["seq.pc", "seq.state", "rf.agu_w0.addr_reg", "dpu.acc_0"] {
        for cycle in recorded.from..=recorded.to {
            let both = ["golden", "rtl"].map(|s| at(&format!("{s}.cell_0_0.{register}"), cycle));
            assert_eq!(both[0], both[1], "{register} in cycle {cycle}");
        }
    }

    // The files for the viewers name signals that are there, and the cycle.
    let names = |text: &str| -> Vec<String> {
        let signal =
            |l: &str| l.starts_with("golden.") || l.starts_with("rtl.") || l.starts_with("diff.");
        text.lines()
            .map(|l| l.trim_start_matches("variable_add "))
            .map(|l| l.rsplit_once("} ").map_or(l, |(_, path)| path))
            .filter(|l| signal(l))
            .map(|l| l.split('[').next().unwrap().to_owned())
            .collect()
    };
    for text in [recorded.gtkwave("w.fst"), recorded.surfer()] {
        let opened = names(&text);
        assert!(opened.contains(&"rtl.cell_0_0.rf.mem_33".to_owned()), "{text}");
        for path in opened {
            at(&path, mismatch);
        }
        assert!(text.contains(&mismatch.to_string()), "{text}");
    }
}

/// Waves of a whole run, with the rows of the memories that are written.
#[test]
fn waves_of_a_whole_run() {
    let case = vec_add();
    let outcome = drra_lockstep::run(&case, &setup()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let recorded = waves::record(&case, &setup(), Window::Full, &path).unwrap();
    assert_eq!((recorded.from, recorded.to + 1), (0, outcome.cycles));
    assert_eq!((recorded.mismatch, recorded.differing.len()), (None, 0));
    let waves = wellen::simple::read(&path).unwrap();
    for side in ["golden", "rtl"] {
        // Its data are four rows.
        let row = |n: usize| {
            waves.hierarchy().lookup_var(&[side, "tile_1_0"], &format!("sram_{n}")).is_some()
        };
        assert!((0..4).all(row) && !row(4), "{side}");
    }
    // The same run gives the same file.
    let again = dir.path().join("again.fst");
    waves::record(&case, &setup(), Window::Full, &again).unwrap();
    assert_eq!(fs::read(path).unwrap(), fs::read(again).unwrap());
}

/// All signals of the RTL, in a build that can write them; any other one says which can.
#[test]
fn waves_of_the_rtl() {
    let dir = tempfile::tempdir().unwrap();
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm");
    let out = dir.path().join("w.rtl.fst");
    let result = drra(&["replay", case, "--waves", "rtl", "--waves-out", out.to_str().unwrap()]);
    if !setup().design.writes_waves() {
        assert_eq!(result.status.code(), Some(2));
        let text = String::from_utf8(result.stderr).unwrap();
        assert!(text.contains("rtl-trace"), "{text}");
        assert!(!out.exists());
        return;
    }
    assert_eq!(result.status.code(), Some(0));
    let waves = wellen::simple::read(&out).unwrap();
    let mut names = waves.hierarchy().all_vars();
    let full = |v: wellen::VarRef| waves.hierarchy()[v].full_name(waves.hierarchy());
    assert!(names.any(|v| full(v).ends_with("u_seq.pc_q") || full(v).contains("u_seq.core_q")));
}

/// A case that does not fail any more keeps its report; the page is written again.
#[test]
fn reports_of_old_runs_stay_readable() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("night");
    copy_tree(failing_campaign(), &copy);
    let before = fs::read_to_string(copy.join("index.html")).unwrap();
    // The program itself has no fault: the stored cases agree.
    let name = failure().file_name().unwrap().to_owned();
    let page = copy.join("failures").join(&name).join("report.html");
    let old = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    let result = drra(&["report", copy.to_str().unwrap()]);
    let text = String::from_utf8(result.stdout).unwrap();
    assert_eq!(result.status.code(), Some(1), "{text}");
    assert!(text.contains("does not fail with this build"), "{text}");
    assert_eq!(fs::read_to_string(&page).unwrap(), old);
    let after = fs::read_to_string(copy.join("index.html")).unwrap();
    assert!(!before.contains("does not fail with this build"));
    assert!(after.contains("does not fail with this build"));

    // A folder of one failure alone.
    let one = copy.join("failures").join(&name);
    let result = drra(&["report", one.to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(0));

    // Another version is refused, with its number and a remedy, and nothing is changed.
    let path = one.join("report.json");
    let json = fs::read_to_string(&path).unwrap().replacen("\"version\": 1", "\"version\": 99", 1);
    fs::write(&path, &json).unwrap();
    let result = drra(&["report", copy.to_str().unwrap()]);
    let text = String::from_utf8(result.stderr).unwrap();
    assert_eq!(result.status.code(), Some(2), "{text}");
    assert!(text.contains("version 99 is unknown") && text.contains("report.json"), "{text}");
    assert_eq!(fs::read_to_string(&path).unwrap(), json);

    let result = drra(&["report", dir.path().to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(2));
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_tree(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// JUnit: a test case for each distinct failure with its seed; for each program with its result.
#[test]
fn junit_reports() {
    let text = fs::read_to_string(failing_campaign().join("junit.xml")).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suite = &read.test_suites[0];
    let count = fs::read_dir(failing_campaign().join("failures")).unwrap().count();
    assert_eq!((suite.tests, suite.failures), (count, count));
    for case in &suite.test_cases {
        let seed = case.properties.iter().find(|p| p.name.as_str() == "seed").unwrap();
        assert!(seed.value.as_str().parse::<u64>().unwrap() > 0);
    }

    let report = flipped_report(&vec_add(), "again");
    let ran = |name: &str, report: Option<Report>| junit::Ran {
        name: name.into(),
        cycles: 99,
        seed: 5,
        report,
    };
    let text = junit::programs(&[ran("good", None), ran("bad", Some(report))]);
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.failures), (2, 1));
    assert!(text.contains("rf.mem[33]"), "{text}");

    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("junit.xml");
    let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let files = [format!("{programs}/pending.sasm"), format!("{programs}/nested_loops.sasm")];
    let result = drra(&["run", &files[0], &files[1], "--junit", out.to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(0));
    let read =
        quick_junit::Report::deserialize_from_str(&fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!((read.test_suites[0].tests, read.test_suites[0].failures), (2, 0));
}

/// Annotations are one line each; the job summary is a table.
#[test]
fn github_annotations() {
    let report = flipped_report(&vec_add(), "again");
    let line = github::annotation(&report);
    assert!(
        line.starts_with("::error file=rtl/drra_register_file.sv,title=cell.rf.mem REFI::"),
        "{line}"
    );
    assert!(line.contains("cell[0][0].rf.mem[33]") && !line.contains('\n'), "{line}");

    let dir = tempfile::tempdir().unwrap();
    let summary = dir.path().join("summary.md");
    let result = Command::new(env!("CARGO_BIN_EXE_drra"))
        .args(["run", concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm")])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    assert_eq!(result.status.code(), Some(0));
    assert!(!String::from_utf8(result.stdout).unwrap().contains("::error"));
    assert_eq!(fs::read_to_string(summary).unwrap(), "### drra run\n\nNo mismatch.\n\n");
}
