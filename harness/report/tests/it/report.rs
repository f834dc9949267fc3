// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports describe the run correctly.

use drra_case::{Case, programs};
use drra_fabric::{PortId, RuleId};
use drra_isa::{CellId, Geometry, Unit};
use drra_lockstep::{
    AssertionFailure, AssertionInstance, Mismatch, MismatchKind, Outcome, PortDifference, RunSetup,
    Stop, Value, find,
};
use drra_report::{Colouring, Report, data::RuleInputValue, html::document::UNLINKED};

use crate::{
    GEOMETRY,
    planted::{flip, flipped, vec_add},
    report_of, report_of_outcome, setup,
};

/// The report of a bit that flips in `vec_add`.
fn flipped_report(case: &Case, repeat: &str) -> Report {
    report_of(case, &flipped(case), repeat)
}

fn cell() -> CellId {
    CellId::new(0, 0).unwrap()
}

/// The report contains the register, its values, the responsible instruction, and the command that repeats the run.
#[test]
fn report_of_a_fault() {
    let case = vec_add();
    // Word 32 of cell (0,0) is written in cycle 19 after the first decode, by w0, which the first
    // instruction sets up (chapter 3, 9.1); its flag releases it in the cycle after its decode.
    let first_decode = case.stimulus.end() + 1;
    let cycle = first_decode + 20;
    let faulty = flip(cycle, "rf.mem[32]", 3);
    let report = report_of(&case, &faulty, "drra run x.sasm");
    let responsible = report.responsible.as_ref().unwrap();
    assert_eq!(
        (responsible.cell, responsible.address, responsible.decoded, responsible.released),
        (cell(), 0, first_decode, Some(first_decode + 1)),
        "{responsible:?}"
    );
    // The word is the sum of word 0 and word 16, which came from rows 0 and 1 of tile (1,0).
    let way: Vec<String> = report.path.iter().map(|s| s.step.text()).collect();
    for step in [
        "word 32 is written by write port w0",
        "w0 is connected to DPU out 0 of cell (0,0)",
        "DPU out 0, mode add",
        "DPU in 0 is connected to r0 of cell (0,0)",
        "read port r0 reads word 0",
        "word 0 is written by a block write (wb)",
        "read port r1 reads word 16",
        "xout[S] follows the memory",
        "the memory reads row 0",
        "row 0 is written by the initialisation port",
        "the memory reads row 1",
    ] {
        assert!(way.iter().any(|s| s == step), "{step}\n{way:#?}");
    }
    // Nothing reads the word afterwards, so the difference does not spread.
    assert!(report.spread.iter().all(|s| s.units == [(Unit::Cell(cell()), 1)]));
    let text = report.text(Colouring::Plain);
    for part in [
        &format!("MISMATCH in cycle {cycle}: cell[0][0].rf.mem[32] differs"),
        "0x0010 (16)              0000 0000 0001 0000",
        "0x0018 (24)              0000 0000 0001 1000",
        ".... .... .... ^...",
        "cell[0][0].rf.mem[32] goes from 0x0000 (0) to 0x0010 (16)",
        "isa/spec/03-register-file.md, 4.2",
        "REFI",
        &format!("decoded in cycle {first_decode}, released by its"),
        "repeat: drra run x.sasm",
        "chapters: see harness/guide/trust.md#which-side-is-right",
        "rf.mem[32] = 0x0018",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    // Colours do not change the text.
    let coloured = report.text(Colouring::Ansi);
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

/// A violated assertion of the sequencer of a cell.
fn violated() -> AssertionFailure {
    AssertionFailure {
        stop: Stop::Assertion,
        file: "drra_sequencer.sv".into(),
        line: 7,
        instances: vec![AssertionInstance {
            unit: Some(cell().into()),
            scope: "drra_fabric.gen_row[0].gen_col[0].u_cell.u_seq".into(),
            name: "Legal".into(),
            message: None,
        }],
    }
}

/// The reports of a mismatch in cycle 0, of an output port and of an assertion are complete.
#[test]
fn reports_of_other_kinds() {
    let case = vec_add();
    let faulty = flip(0, "seq.pc", 0);
    let at_reset = RunSetup { design: &faulty, ..setup() };
    let mut outcome = find(&case, &at_reset, &mut ()).unwrap();
    let write = |outcome: &Outcome, setup: RunSetup<'_>| {
        let report = report_of_outcome(&case, setup, outcome.clone(), "again");
        let text = report.text(Colouring::Plain);
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
        (report.page(None, UNLINKED), text, report)
    };
    let (page, text, report) = write(&outcome, at_reset);
    assert_eq!((report.mismatch.cycle, report.responsible.as_ref()), (0, None));
    assert!(text.contains("none: no instruction configured or changed it"), "{text}");
    assert!(text.contains("the registers differ right after reset"), "{text}");
    assert!(page.contains("None: no instruction configured or changed it"));

    let kind = MismatchKind::Port(vec![PortDifference {
        port: PortId::AllIdle,
        column: None,
        golden: Value::new(vec![0], 1),
        dut: Value::new(vec![1], 1),
    }]);
    outcome.mismatch = Some(Mismatch { cycle: 40, kind });
    let (page, text, report) = write(&outcome, setup());
    assert_eq!(report.rule.rule, RuleId::Status);
    assert_eq!(report.expected(), "all_idle = 0");
    assert!(text.contains("output port all_idle differs") && page.contains("all_idle"), "{text}");

    let mut failure = violated();
    let cycle = case.stimulus.end() + 5;
    let write = |failure: AssertionFailure| {
        let mismatch = Some(Mismatch { cycle, kind: MismatchKind::Assertion(failure) });
        write(&Outcome { mismatch, ..outcome.clone() }, setup())
    };
    let (page, text, report) = write(failure.clone());
    assert_eq!(report.rule.block(), "sequencer");
    assert_eq!(report.responsible.unwrap().cell, cell());
    assert!(text.contains("assertion at drra_sequencer.sv:7 is violated"), "{text}");
    assert!(page.contains("Legal") && page.contains("is violated. Boxes are tiles"), "{page}");

    // If a module is part of two blocks, the instance determines the block.
    let mut shared = failure.clone();
    shared.file = "drra_issue.sv".into();
    shared.instances[0].scope = "drra_fabric.gen_row[0].gen_col[0].u_cell.u_perm".into();
    assert_eq!(write(shared).2.rule.block(), "PERM issue");

    // Other ways to stop a design, and the text of an assertion without a name.
    let mut of = |stop: Stop, name: &str, message: Option<&str>| {
        failure.stop = stop;
        failure.instances[0].name = name.into();
        failure.instances[0].message = message.map(Into::into);
        write(failure.clone())
    };
    let (page, text, report) = of(Stop::Assertion, "", Some("state 3"));
    let instance = "drra_fabric.gen_row[0].gen_col[0].u_cell.u_seq: state 3";
    assert!(text.contains(instance) && page.contains(instance), "{text}");
    assert_eq!(Report::parse(&report.to_json()).unwrap(), report);
    let (_, text, report) = of(Stop::Finish, "", None);
    assert!(text.contains("$finish at drra_sequencer.sv:7 ends the simulation"), "{text}");
    assert_eq!(report.expected(), "the simulation continues");
    let (_, text, report) = of(Stop::Aborted { message: "did not converge".into() }, "", None);
    assert!(text.contains("the simulation aborts"), "{text}");
    assert!(report.observed().contains("did not converge"), "{text}");
    assert_eq!(Report::parse(&report.to_json()).unwrap(), report);

    // An event that ends the process of a design has no line in its sources.
    for (stop, words) in [
        (
            Stop::Crash { cause: "SIGABRT".into(), printed: Some("why".into()) },
            ["the model crashes", "the model crashes: SIGABRT; its last output: why"],
        ),
        (
            Stop::OutOfMemory,
            [
                "the model uses too much memory",
                "the model uses more memory than a worker is allowed",
            ],
        ),
        (Stop::Hang, ["the model hangs", "the model does not finish a clock cycle"]),
        (Stop::ExcessiveOutput, ["the model prints excessive output"; 2]),
    ] {
        let (page, text, report) = write(stop.into());
        assert!(words.iter().all(|words| text.contains(words)), "{text}");
        assert!(page.contains(words[1]), "{}", words[1]);
        assert_eq!(Report::parse(&report.to_json()).unwrap(), report);
    }
}

/// Registers that are all 0 are one input with one name: that of the AGU that differs, or the name of all its registers.
#[test]
fn registers_that_are_all_zero_have_one_name() {
    let case = vec_add();
    let names = |report: Report| {
        let name = |input: &RuleInputValue| match input {
            RuleInputValue::AllZero { name, .. } => name.clone(),
            _ => None,
        };
        report.rule.inputs.iter().filter_map(name).collect::<Vec<_>>()
    };
    // Nothing is loaded or configured yet.
    let one = report_of(&case, &flip(2, "rf.agu[r0].state", 0), "again");
    let kind = MismatchKind::Port(vec![PortDifference {
        port: PortId::AllIdle,
        column: None,
        golden: Value::new(vec![1], 1),
        dut: Value::new(vec![0], 1),
    }]);
    let outcome = find(&case, &setup(), &mut ()).unwrap();
    let mismatch = Some(Mismatch { cycle: 2, kind });
    let all = report_of_outcome(&case, setup(), Outcome { mismatch, ..outcome }, "again");
    assert_eq!(names(one), ["rf.agu[r0]"]);
    assert_eq!(names(all), ["ld_pipe.valid"]);
}

/// Text from a case cannot become markup of the page.
#[test]
fn pages_escape_what_they_show() {
    let mut case = vec_add();
    case.name = "</script><script>alert(1)</script>&\"'".into();
    let page = flipped_report(&case, "<b>&").page(None, UNLINKED);
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(page.contains("&lt;b&gt;&amp;"));
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
}

/// `block_hops`: the provenance of a word that was moved over three hops into a memory and back.
#[test]
fn way_of_a_value_over_the_noc() {
    let program = programs::ALL.iter().find(|p| p.path.ends_with("block_hops.sasm")).unwrap();
    let case = program.case(&GEOMETRY).unwrap();
    // The REFI of the block write is decoded in cycle 15; the register file contains the block 12 cycles later (chapter
    // 6, 10.2).
    let cycle = case.stimulus.end() + 1 + 27;
    let faulty = flip(cycle, "rf.mem[48]", 0);
    let report = report_of(&case, &faulty, "again");
    let way: Vec<(String, String)> =
        report.path.iter().map(|s| (s.unit.to_string(), s.step.text())).collect();
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
    assert_eq!(way, expected.map(|(unit, text)| (unit.to_owned(), text.to_owned())));
    for (from, to) in [("tile[2][2]", "tile[2][1]"), ("tile[2][1]", "tile[2][2]")] {
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        let link = report.links.iter().find(|l| (l.from, l.to) == (from, to)).unwrap();
        assert!(link.data_path, "{link:?}");
    }
}

/// A fabric of three columns and three rows of tiles has the cells (0,0) to (1,2) and the tiles (1,0) to (3,2), and no
/// others; a report has this size, and its picture contains exactly these units.
#[test]
fn reports_have_the_size_of_their_case() {
    let size: Geometry = "3x3".parse().unwrap();
    let program = programs::ALL.iter().find(|p| p.name() == "block_hops").unwrap();
    let case = program.case(&size).unwrap();
    // As in `way_of_a_value_over_the_noc`: the path takes the same time on any fabric.
    let report = report_of(&case, &flip(case.stimulus.end() + 28, "rf.mem[48]", 0), "again");
    assert_eq!((report.fabric.columns, report.fabric.tile_rows), (3, 3));
    assert!(report.path.iter().any(|step| step.unit.to_string() == "tile[2][2]"));
    let page = report.page(None, UNLINKED);
    assert!(page.contains("fabric of 3 columns and 3 tile rows"));
    for (name, rows) in [("cell", 0..2), ("tile", 1..4)] {
        for (row, col) in rows.flat_map(|row| (0..4).map(move |col| (row, col))) {
            let drawn = page.contains(&format!(">{name} ({row},{col})<"));
            assert_eq!(drawn, col < 3, "{name} ({row},{col})");
        }
    }
    assert!(!page.contains(">tile (4,0)<"));
}

/// Text from a damaged stored report cannot start a line of its own.
#[test]
fn damaged_text_stays_on_its_line() {
    let (signature, repeat) = ("::error::a".to_owned(), "b\n::error::c\x1b[2J".to_owned());
    let mut damaged = Report { signature, repeat, ..flipped_report(&vec_add(), "again") };
    damaged.set_chapters(true);
    let text = Report::parse(&damaged.to_json()).unwrap().text(Colouring::Plain);
    let last = "repeat: b␊::error::c␛[2J\nchapters: b␊::error::c␛[2J --chapters\n";
    assert!(text.ends_with(last), "{text}");
}

/// Of the situations that cases have in common, only those that separate failing from agreeing cases are reported.
#[test]
fn situations_that_separate() {
    let mut report = flipped_report(&vec_add(), "again");
    // Three of three by chance: the probability is 0.008, and thousands of situations are examined.
    for (what, failing, agreeing, expected) in [
        ("most", [60, 64], [3, 512], true),
        ("chance", [3, 3], [100, 512], false),
        ("usual", [64, 64], [400, 512], false),
        ("rare", [3, 3], [0, 512], true),
    ] {
        let what = what.to_owned();
        report.common = vec![drra_report::data::CommonSituation { what, failing, agreeing }];
        assert_eq!(report.text(Colouring::Plain).contains("in common"), expected, "{report:?}");
    }
}
