// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of a design with names of its own: written here from the golden model, with faults in it, and
//! compared through a map. Everything that is not an agreement must be told.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::ops::Deref;
use std::sync::OnceLock;

use drra_case::Case;
use drra_case::programs;
use drra_case::stimulus::Stimulus;
use drra_diagnose::signature;
use drra_isa::Geometry;
use drra_isa::Unit;
use drra_isa::fabric::Location;
use drra_isa::fabric::RegisterId;
use drra_lockstep::Design;
use drra_lockstep::EndRule;
use drra_lockstep::Ended;
use drra_lockstep::Fault;
use drra_lockstep::Faulty;
use drra_lockstep::Flip;
use drra_lockstep::GoldenDesign;
use drra_lockstep::Mismatch;
use drra_lockstep::MismatchKind;
use drra_lockstep::Now;
use drra_lockstep::Observer;
use drra_lockstep::Pair;
use drra_lockstep::WhyNot;
use drra_recorded::Check;
use drra_recorded::CheckError;
use drra_recorded::Dump;
use drra_recorded::map::MapFile;
use drra_report::Paint;
use drra_report::Report;
use drra_report::Subject;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

/// Edges in reset.
const RESET: u64 = 2;
/// Cycles that the late register is late.
const LATE: u64 = 3;

fn geometry() -> Geometry {
    Geometry { columns: 2, tile_rows: 1, sram_blocks: 16, ..Geometry::default() }
}

fn vec_add() -> Case {
    programs::ALL[0].case(&geometry()).unwrap()
}

fn cycles(case: &Case) -> u64 {
    drra_lockstep::run_golden(case, &geometry(), None).cycles
}

fn locations() -> Vec<Location> {
    let geometry = geometry();
    let of = |unit: Unit| {
        let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
        ids.flat_map(move |id| id.all(&geometry)).map(move |register| Location { unit, register })
    };
    Unit::all(&geometry).flat_map(of).collect()
}

/// Name of a register in the recording: nothing of the canonical path but letters and numbers.
fn name(location: Location) -> String {
    let path = location.to_string();
    let word: String =
        path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("their_{word}")
}

fn digits(words: &[u64], width: u32) -> String {
    (0..width)
        .rev()
        .map(|b| if words[(b / 64) as usize] >> (b % 64) & 1 == 1 { '1' } else { '0' })
        .collect()
}

/// The values of every cycle, by name.
#[derive(Default)]
struct Cycles(Vec<BTreeMap<String, String>>);

impl Observer for Cycles {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let (dut, layout) = (now.dut.unwrap(), now.golden.layout());
        let mut frame = BTreeMap::new();
        for unit in layout.units() {
            let mut image = Vec::new();
            dut.read(unit, &mut image);
            for field in
                layout.variables_of(unit.kind()).flat_map(|v| v.fields.iter().map(move |f| (v, f)))
            {
                let (variable, field) = field;
                let location = Location { unit, register: field.register };
                let words = field.value(variable.words(&image));
                frame.insert(name(location), digits(&words, field.width));
            }
            let Unit::Tile(tile) = unit else { continue };
            for row in 0..layout.geometry().sram_blocks {
                let location = Location { unit, register: RegisterId::TileSram.at(row) };
                frame.insert(name(location), digits(&dut.sram_block(tile, row), 256));
            }
        }
        self.0.push(frame);
        ControlFlow::Continue(())
    }
}

/// A recording of a design, to be changed before it is written.
#[derive(Clone)]
struct Recording {
    frames: Vec<BTreeMap<String, String>>,
}

impl Recording {
    fn of(case: &Case, design: &dyn Design, cycles: u64) -> Self {
        let geometry = geometry();
        let mut pair = Pair::new(case, &geometry, design).unwrap();
        let mut seen = Cycles::default();
        pair.run(EndRule::at(cycles), &mut seen);
        let mut frames = vec![seen.0[0].clone(); RESET as usize];
        frames.extend(seen.0);
        for (edge, frame) in frames.iter_mut().enumerate() {
            let entries = case.stimulus.entries();
            let cycle = (edge as u64).checked_sub(RESET);
            let entry =
                entries.iter().find(|e| Some(e.cycle) == cycle).copied().unwrap_or_default();
            let word = entry.prog.unwrap_or_default();
            let init = entry.sram_init.unwrap_or_default();
            for (port, value, width) in [
                ("rst_n", u64::from(cycle.is_some()), 1),
                ("ld", entry.prog.is_some().into(), 1),
                ("instr", word.instr.into(), 27),
                ("imm", word.imm.into(), 1),
                ("rows", word.row_sel.into(), 2),
                ("cols", word.col_sel.into(), 2),
                ("en", entry.sram_init.is_some().into(), 1),
                ("row", init.row as u64, 1),
                ("col", init.col as u64, 1),
                ("addr", init.addr as u64, 4),
            ] {
                frame.insert(port.to_owned(), digits(&[value], width));
            }
            frame.insert("data".to_owned(), digits(&init.data, 256));
            let block = entry.rf_init.unwrap_or_default();
            for (port, value, width) in [
                ("rf_en", u64::from(entry.rf_init.is_some()), 1),
                ("rf_row", block.row as u64, 1),
                ("rf_col", block.col as u64, 1),
                ("rf_block", block.block as u64, 2),
            ] {
                frame.insert(port.to_owned(), digits(&[value], width));
            }
            frame.insert("rf_data".to_owned(), digits(&block.data, 256));
        }
        Self { frames }
    }

    /// Value of a register in a cycle.
    fn value(&mut self, location: &str, cycle: u64) -> &mut String {
        let name = name(location.parse().unwrap());
        self.frames[(cycle + RESET) as usize].get_mut(&name).unwrap()
    }

    /// A signal comes so many cycles later.
    fn delay(&mut self, name: &str, cycles: u64) {
        for edge in (cycles as usize..self.frames.len()).rev() {
            let before = self.frames[edge - cycles as usize][name].clone();
            self.frames[edge].insert(name.to_owned(), before);
        }
    }

    fn text(&self) -> String {
        let mut out = String::from(
            "$timescale 1ns $end\n$scope module bench $end\n$var wire 1 clk clk $end\n",
        );
        let names: Vec<&String> = self.frames[0].keys().collect();
        for (i, name) in names.iter().enumerate() {
            let width = self.frames[0][*name].len();
            writeln!(out, "$var wire {width} i{i} {name} $end").unwrap();
        }
        out += "$upscope $end\n$enddefinitions $end\n";
        let mut last: BTreeMap<&str, &str> = BTreeMap::new();
        for (edge, frame) in self.frames.iter().enumerate() {
            writeln!(out, "#{}\n0clk", 10 * edge).unwrap();
            for (i, name) in names.iter().enumerate() {
                if last.insert(name, &frame[*name]) != Some(&frame[*name]) {
                    writeln!(out, "b{} i{i}", frame[*name]).unwrap();
                }
            }
            writeln!(out, "#{}\n1clk", 10 * edge + 5).unwrap();
        }
        out
    }
}

/// The map of such recordings: every register under its own name.
fn map() -> Value {
    let entry = |location: Location| json!({ "register": location.to_string(), "value": format!("bench.{}", name(location)) });
    let registers: Vec<Value> = locations().into_iter().map(entry).collect();
    json!({
        "version": 1,
        "clock": { "signal": "bench.clk", "edge": "rising" },
        "reset": { "signal": "bench.rst_n", "active": "low" },
        "ports": {
            "prog_valid": "bench.ld", "prog_instr": "bench.instr", "prog_imm": "bench.imm",
            "prog_row_sel": "bench.rows", "prog_col_sel": "bench.cols",
            "sram_init_valid": "bench.en", "sram_init_row": "bench.row", "sram_init_col": "bench.col",
            "sram_init_addr": "bench.addr", "sram_init_data": "bench.data",
            "rf_init_valid": "bench.rf_en", "rf_init_row": "bench.rf_row", "rf_init_col": "bench.rf_col",
            "rf_init_block": "bench.rf_block", "rf_init_data": "bench.rf_data",
        },
        "registers": registers,
    })
}

/// The entry of a register in a map.
fn entry<'m>(map: &'m mut Value, register: &str) -> &'m mut Value {
    let entries = map["registers"].as_array_mut().unwrap();
    entries.iter_mut().find(|e| e["register"] == register).unwrap()
}

/// A comparison with the folder of its dump, which must stay while it is read.
struct Prepared {
    check: Check,
    _folder: TempDir,
}

impl Deref for Prepared {
    type Target = Check;

    fn deref(&self) -> &Check {
        &self.check
    }
}

fn prepared(text: &str, map: &Value, case: Option<&Case>) -> Result<Prepared, CheckError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.vcd");
    std::fs::write(&path, text).unwrap();
    let file = MapFile::parse(&map.to_string()).unwrap();
    let check = Check::new(Dump::open(&path).unwrap(), &file, case, "wave.vcd", &geometry())?;
    Ok(Prepared { check, _folder: folder })
}

/// What is found in a recording.
fn found(text: &str, map: &Value, case: Option<&Case>) -> Option<Mismatch> {
    prepared(text, map, case).unwrap().run(None).unwrap().mismatch
}

/// The recording of `vec_add` without a fault.
fn recorded(case: &Case) -> Recording {
    static MADE: OnceLock<Recording> = OnceLock::new();
    MADE.get_or_init(|| Recording::of(case, &GoldenDesign, cycles(case))).clone()
}

fn flipped(case: &Case, location: &str, cycle: u64, bit: u32) -> Recording {
    let flip = Flip { cycle, location: location.parse().unwrap(), bit };
    Recording::of(case, &Faulty::new(&GoldenDesign, Fault::Flip(flip)), cycles(case))
}

/// The mismatch of a recording with its signature and report.
fn report(check: &Check) -> (String, Report) {
    let outcome = check.run(None).unwrap();
    let setup = check.setup();
    let failing = signature::failing(&check.case, &setup, &outcome).unwrap().unwrap();
    let subject =
        Subject { case: &check.case, failing: &failing, setup, repeat: "again", reduced: None };
    (failing.signature.clone(), drra_report::build(&subject).unwrap())
}

/// The stimulus comes from the recording; all registers agree, under other names, one late, one with other codes.
#[test]
fn equal_designs_agree() {
    let case = vec_add();
    let (mut recording, mut map) = (recorded(&case), map());
    let late: Location = "cell[0][0].seq.pc".parse().unwrap();
    recording.delay(&name(late), LATE);
    entry(&mut map, "cell[0][0].seq.pc")["offset"] = json!(LATE);
    let coded: Location = "cell[0][0].seq.state".parse().unwrap();
    for frame in &mut recording.frames {
        let one_hot = match frame[&name(coded)].as_str() {
            "00" => "0001",
            "01" => "0010",
            "10" => "0100",
            other => panic!("{other}"),
        };
        frame.insert(name(coded), one_hot.to_owned());
    }
    let value = json!({
        "translate": format!("bench.{}", name(coded)),
        "values": { "4'b0001": "2'd0", "4'b0010": "2'd1", "4'b0100": "2'd2" },
    });
    entry(&mut map, "cell[0][0].seq.state")["value"] = value;
    for given in [None, Some(&case)] {
        let check = prepared(&recording.text(), &map, given).unwrap();
        let outcome = check.run(None).unwrap();
        assert_eq!(outcome.mismatch, None);
        // The cycles of the case from 0 on, without those that the late register needs.
        assert_eq!(outcome.cycles, cycles(&case) + 1 - LATE);
        assert_eq!(check.case.stimulus, case.stimulus);
        assert_eq!(check.case.program, case.program);
        let account = check.setup().design.account().unwrap();
        assert_eq!(account.total_compared().registers, locations().len() as u64);
        assert!(!account.is_partial());
        assert_eq!(account.cycles, outcome.cycles);
    }
    // Without the offset the late register differs where the golden model leaves its reset value.
    entry(&mut map, "cell[0][0].seq.pc")["offset"] = json!(0);
    let mismatch = found(&recording.text(), &map, None).unwrap();
    assert_eq!(mismatch.differences()[0].location, late);
}

/// A planted fault is found in its cycle, and reported with the names of the design.
#[test]
fn faults_are_found() {
    let case = vec_add();
    let cycle = case.stimulus.end() + 12;
    for (location, bit) in [
        ("cell[0][0].rf.mem[33]", 2),
        ("cell[1][1].seq.pc", 0),
        ("tile[1][0].sram[3]", 200),
        ("ld_pipe[1].instr", 26),
    ] {
        let text = flipped(&case, location, cycle, bit).text();
        let mismatch = found(&text, &map(), Some(&case)).unwrap();
        assert_eq!(mismatch.cycle, cycle, "{location}");
        let MismatchKind::State(differences) = mismatch.kind else { panic!("{:?}", mismatch.kind) };
        assert_eq!(differences[0].location.to_string(), location);
        assert_eq!(differences[0].golden.bits_that_differ(&differences[0].dut), [bit]);
    }
    let text = flipped(&case, "cell[0][0].rf.mem[33]", cycle, 2).text();
    let check = prepared(&text, &map(), None).unwrap();
    let (signature, report) = report(&check);
    assert!(signature.starts_with("cell.rf.mem "), "{signature}");
    let text = report.text(Paint::Plain);
    for part in ["bench.their_cell_0__0__rf_mem_33_", "not recorded", "drra export"] {
        assert!(text.replace("\n", " ").contains(part), "{part} is missing: {text}");
    }
    let edge = format!(
        "just before edge {} of bench.clk, at time {} of the dump",
        cycle + RESET,
        10 * (cycle + RESET) + 5
    );
    assert_eq!(report.mismatch.moment.as_deref(), Some(edge.as_str()));
    assert_eq!(Report::parse(&report.to_json()).unwrap(), report);
    assert!(report.page(None, &[]).contains("bench.their_cell_0__0__rf_mem_33_"));
}

/// Unknown bits that are compared are a finding of their own; known ones that differ come first.
#[test]
fn unknown_bits_are_found() {
    let case = vec_add();
    let mut recording = recorded(&case);
    recording.value("cell[0][1].seq.pc", 40).replace_range(0..1, "x");
    let check = prepared(&recording.text(), &map(), None).unwrap();
    let (signature, unknown) = report(&check);
    assert_eq!((signature.as_str(), unknown.mismatch.cycle), ("unknown cell.seq.pc", 40));
    assert!(unknown.text(Paint::Plain).contains("cell[0][1].seq.pc is unknown"));
    *recording.value("cell[1][1].seq.pc", 40) = "111111".to_owned();
    let mismatch = found(&recording.text(), &map(), None).unwrap();
    assert_eq!(mismatch.cycle, 40);
    let MismatchKind::State(differences) = mismatch.kind else { panic!("{:?}", mismatch.kind) };
    let paths: Vec<String> = differences.iter().map(|d| d.location.to_string()).collect();
    assert_eq!(paths, ["cell[1][1].seq.pc", "cell[0][1].seq.pc"]);
}

/// A recording that ends before its case does never agrees.
#[test]
fn an_early_end_is_found() {
    let case = vec_add();
    let all = cycles(&case);
    let last = case.stimulus.end() + 5;
    let text = Recording::of(&case, &GoldenDesign, last).text();
    for given in [None, Some(&case)] {
        let check = prepared(&text, &map(), given).unwrap();
        let outcome = check.run(None).unwrap();
        let Some(Mismatch { cycle, kind: MismatchKind::Ended(ended) }) = outcome.mismatch else {
            panic!("{:?}", outcome.mismatch)
        };
        assert_eq!((cycle, ended.goes_on_to, ended.cut.as_deref()), (last, all, None));
        assert!(!ended.running.is_empty());
        assert_eq!(report(&check).0, "recording ended");
        // As far as was asked for it agrees, further it does not.
        assert_eq!(check.run(Some(last)).unwrap().mismatch, None);
        let further = check.run(Some(last + 3)).unwrap().mismatch.unwrap();
        let ended = Ended { goes_on_to: last + 3, running: ended.running, cut: None };
        assert_eq!(further, Mismatch { cycle: last, kind: MismatchKind::Ended(ended) });
    }
    // A file that ends in the middle of a value.
    let text = recorded(&case).text();
    let cut = &text[..text.len() - 3];
    let Some(Mismatch { kind: MismatchKind::Ended(ended), .. }) = found(cut, &map(), None) else {
        panic!("a cut file agrees")
    };
    assert!(ended.cut.is_some());
}

/// A case that is not what was driven is told as such, with the place and both values.
#[test]
fn another_stimulus_is_found() {
    let case = vec_add();
    let text = recorded(&case).text();
    let changed = |change: fn(&mut drra_case::stimulus::PortCycle)| {
        let mut entries = case.stimulus.entries().to_vec();
        entries.iter_mut().for_each(change);
        Case { stimulus: Stimulus::new(entries), ..case.clone() }
    };
    let word = changed(|e| e.prog.iter_mut().for_each(|w| w.instr ^= 1));
    let flag = changed(|e| e.prog.iter_mut().for_each(|w| w.imm = !w.imm));
    let block = changed(|e| e.sram_init.iter_mut().for_each(|b| b.data[2] ^= 4));
    let strap = Case { io_cells: [(1, 1)].into(), ..case.clone() };
    let mut with_straps = map();
    with_straps["ports"]["io_cell"] = json!("1'b0");
    for (given, map, signature) in [
        (word, &map(), "stimulus word"),
        (flag, &map(), "stimulus flag"),
        (block, &map(), "stimulus row"),
        (strap, &with_straps, "stimulus io_cell"),
    ] {
        let check = prepared(&text, map, Some(&given)).unwrap();
        let (found, report) = report(&check);
        assert_eq!(found, signature);
        assert!(report.text(Paint::Plain).contains("was driven otherwise"));
    }
    // Order and gaps do not count.
    let later = changed(|e| e.cycle = 3 * e.cycle + 7);
    assert_eq!(found(&text, &map(), Some(&later)), None);
}

/// What is not compared is counted with its reason.
#[test]
fn the_account_tells_what_is_missing() {
    let case = vec_add();
    let text = recorded(&case).text();
    let mut map = map();
    entry(&mut map, "cell[0][0].seq.pc")["value"] = json!("bench.their_cell_0__0__seq_pd");
    let excluded = entry(&mut map, "cell[0][1].seq.pc");
    *excluded = json!({ "register": "cell[0][1].seq.pc", "exclude": "it has none" });
    entry(&mut map, "cell[1][0].seq.pc")["from"] = json!(1_000_000);
    map["registers"].as_array_mut().unwrap().retain(|e| e["register"] != "cell[1][1].seq.pc");
    let check = prepared(&text, &map, None).unwrap();
    assert_eq!(check.run(None).unwrap().mismatch, None);
    let account = check.setup().design.account().unwrap();
    assert_eq!(account.total_compared().registers + 4, locations().len() as u64);
    assert_eq!(account.total().bits - account.total_compared().bits, 24);
    let whys: Vec<&WhyNot> = account.not_compared.iter().map(|n| &n.why).collect();
    let [
        WhyNot::Never,
        WhyNot::Lacking { path, nearest },
        WhyNot::Excluded { reason },
        WhyNot::Unmapped,
    ] = whys[..]
    else {
        panic!("{whys:?}")
    };
    assert_eq!((path.as_str(), reason.as_str()), ("bench.their_cell_0__0__seq_pd", "it has none"));
    assert!(!nearest.is_empty());
}

/// What cannot be compared is refused, never agreed.
#[test]
fn what_cannot_be_compared_is_refused() {
    let case = vec_add();
    let text = recorded(&case).text();
    let refused = |change: fn(&mut Value), text: &str| {
        let mut map = map();
        change(&mut map);
        match prepared(text, &map, None) {
            Err(e) => e.to_string(),
            Ok(check) => check.run(None).unwrap_err().to_string(),
        }
    };
    // A clock that does not move, a reset that is never released, ports that are not whole.
    let stuck = refused(|map| map["clock"]["signal"] = json!("bench.rst_n"), &text);
    assert!(stuck.contains("cycle 0 is not in the dump") || stuck.contains("no clock"), "{stuck}");
    let partly = refused(|map| _ = map["ports"].as_object_mut().unwrap().remove("prog_imm"), &text);
    assert!(partly.contains("not `prog_imm`"), "{partly}");
    let none = refused(|map| map["ports"] = json!({}), &text);
    assert!(none.contains("a case must say what was driven"), "{none}");
    let nothing = refused(
        |map| {
            map["registers"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|e| e["from"] = json!(1_000_000))
        },
        &text,
    );
    assert!(nothing.contains("nothing was compared"), "{nothing}");
    let mut unknown = recorded(&case);
    unknown.frames[9].insert("ld".to_owned(), "x".to_owned());
    let unknown = refused(|_| (), &unknown.text());
    assert!(unknown.contains("port `prog_valid` is 0xx in cycle 7"), "{unknown}");
}

/// Without ports a case is aligned by cycle 0 of the map.
#[test]
fn a_case_without_ports() {
    let case = vec_add();
    let mut map = map();
    map["ports"] = json!({});
    let text = recorded(&case).text();
    assert_eq!(found(&text, &map, Some(&case)), None);
    map["cycle_0"] = json!({ "skip": 1 });
    let mismatch = found(&text, &map, Some(&case)).unwrap();
    assert!(matches!(mismatch.kind, MismatchKind::State(_)));
}
