// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps that are learned from recordings of a design with names of its own. The recordings are written here from
//! the golden model: modules permuted, registers renamed, coded one-hot, packed into vectors, cut into fields,
//! inverted, late and early.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::OnceLock;

use drra_case::Case;
use drra_case::programs;
use drra_isa::CellId;
use drra_isa::Geometry;
use drra_isa::MemoryImage;
use drra_isa::ProgramImage;
use drra_lockstep::GoldenRun;
use drra_recorded::Dump;
use drra_recorded::Values;
use drra_recorded::frames;
use drra_recorded::learn::LearnError;
use drra_recorded::learn::Learned;
use drra_recorded::learn::LearnedPattern;
use drra_recorded::learn::Recording;
use drra_recorded::learn::Verdict;
use drra_recorded::learn::learn;
use drra_recorded::map::MapFile;
use drra_recorded::map::SignalMap;

use crate::support::Folder;

/// Edges in reset.
const RESET: usize = 2;
/// Programs that move all that is looked for.
const PROGRAMS: [&str; 4] = ["vec_add", "nested_loops", "dpu_chain", "row_priority"];

fn geometry() -> Geometry {
    Geometry { columns: 4, tile_rows: 1, sram_blocks: 16, ..Geometry::default() }
}

/// What is shown.
#[derive(Clone, Copy)]
struct Shown {
    ports: bool,
    /// A second signal with the same values as each program counter, in a module of its own.
    copy: bool,
}

const ALL: Shown = Shown { ports: true, copy: false };

fn digits(words: &[u64], width: u32) -> String {
    let bit = |b: u32| words.get((b / 64) as usize).is_some_and(|w| w >> (b % 64) & 1 == 1);
    (0..width).rev().map(|b| if bit(b) { '1' } else { '0' }).collect()
}

type Frame = BTreeMap<String, String>;

/// The signals of a cell in a cycle.
fn cell(run: &GoldenRun<'_>, cell: CellId, shown: Shown, frame: &mut Frame) {
    let (r, c) = (cell.row(), cell.col());
    let value = |path: &str, width| {
        let location = format!("cell[{r}][{c}].{path}").parse().unwrap();
        digits(&run.fabric.value(location).unwrap(), width)
    };
    // Rows stand the other way round, columns in an order of their own; both corners have other modules.
    let place = [2, 0, 3, 1][c];
    let kind = if c == 0 { "corner" } else { "inner" };
    let at = format!("row_{}.col[{place}].{kind}", 1 - r);
    let mut add = |name: &str, digits: String| frame.insert(format!("{at}.{name}"), digits);
    add("fetch.counter", value("seq.pc", 6));
    let state = u32::from_str_radix(&value("seq.state", 2), 2).unwrap();
    add("fetch.one_hot", digits(&[4 >> state], 3));
    let wait = value("seq.wait_count", 15);
    add("fetch.wait_high", wait[..5].to_owned());
    add("fetch.wait_low", wait[5..].to_owned());
    add("fetch.packed", format!("{}{}10", value("seq.l1_delay", 6), value("seq.init_addr", 6)));
    let iterations = value("seq.l1_iter", 6);
    add(
        "fetch.iterations_n",
        iterations.chars().map(|d| if d == '0' { '1' } else { '0' }).collect(),
    );
    for word in 0..64 {
        add(&format!("words.w{}", 63 - word), value(&format!("rf.mem[{word}]"), 16));
    }
    for (name, key) in [
        ("wr_a", "w0"),
        ("wr_b", "w1"),
        ("wr_c", "wb"),
        ("rd_a", "r0"),
        ("rd_b", "r1"),
        ("rd_c", "rb"),
    ] {
        add(&format!("{name}.address"), value(&format!("rf.agu[{key}].addr_reg"), 6));
    }
    for (name, path, width) in [("acc", "dpu.acc[0]", 16), ("mode", "dpu.mode_reg", 5)] {
        add(&format!("unit.{name}"), value(path, width));
    }
    if shown.copy {
        add("twin.counter", value("seq.pc", 6));
    }
}

/// The values at all edges.
fn recorded(case: &Case, shown: Shown) -> Vec<Frame> {
    let cycles = drra_lockstep::run_golden(case, &geometry(), None).cycles;
    let mut run = GoldenRun::new(case, &geometry());
    let mut all = Vec::new();
    for cycle in 0..cycles {
        run.fabric.pack();
        let mut frame = Frame::new();
        CellId::all(&geometry()).for_each(|id| cell(&run, id, shown, &mut frame));
        let entry = case.stimulus.entries().iter().find(|e| e.cycle == cycle);
        let entry = entry.copied().unwrap_or_default();
        let (word, init) = (entry.prog.unwrap_or_default(), entry.sram_init.unwrap_or_default());
        let ports = [
            ("go", u64::from(entry.prog.is_some()), 1),
            ("word", word.instr.into(), 27),
            ("flag", word.imm.into(), 1),
            ("rows", word.row_sel.into(), 2),
            ("cols", word.col_sel.into(), 4),
            ("fill", u64::from(entry.sram_init.is_some()), 1),
            ("fill_row", init.row as u64, 1),
            ("fill_col", init.col as u64, 2),
            ("fill_at", init.addr as u64, 4),
        ];
        if shown.ports {
            frame.extend(
                ports.map(|(name, value, width)| (name.to_owned(), digits(&[value], width))),
            );
            frame.insert("fill_data".to_owned(), digits(&init.data, 256));
        }
        all.push(frame);
        run.step();
    }
    // In reset nothing is driven.
    let mut first = all[0].clone();
    first.iter_mut().filter(|(name, _)| !name.contains('.')).for_each(|(_, value)| {
        *value = "0".repeat(value.len());
    });
    let mut edges = vec![first; RESET];
    edges.extend(all);
    for (edge, frame) in edges.iter_mut().enumerate() {
        frame.insert("nreset".to_owned(), digits(&[u64::from(edge >= RESET)], 1));
    }
    // One register comes a cycle late, one a cycle early.
    let names: Vec<String> = edges[0].keys().cloned().collect();
    for name in names {
        let values: Vec<String> = edges.iter().map(|frame| frame[&name].clone()).collect();
        let from = |edge: usize| match () {
            () if name.ends_with("unit.acc") => edge.saturating_sub(1),
            () if name.ends_with("unit.mode") => (edge + 1).min(values.len() - 1),
            () => edge,
        };
        for (edge, frame) in edges.iter_mut().enumerate() {
            frame.insert(name.clone(), values[from(edge)].clone());
        }
    }
    edges
}

/// A VCD with a clock of ten units; registers change after its rising edge.
fn vcd(frames: &[Frame]) -> String {
    let mut out =
        String::from("$timescale 1ns $end\n$scope module sim $end\n$var wire 1 ck ck $end\n");
    let mut number = 0;
    for name in frames[0].keys() {
        let levels: Vec<&str> = name.split('.').collect();
        let (last, scopes) = levels.split_last().unwrap();
        scopes.iter().for_each(|s| writeln!(out, "$scope module {s} $end").unwrap());
        writeln!(out, "$var wire {} i{number} {last} $end", frames[0][name].len()).unwrap();
        scopes.iter().for_each(|_| out += "$upscope $end\n");
        number += 1;
    }
    out += "$upscope $end\n$enddefinitions $end\n";
    let mut last: Vec<&str> = vec![""; number];
    for (edge, frame) in frames.iter().enumerate() {
        writeln!(out, "#{}", 10 * edge).unwrap();
        writeln!(out, "{}ck", u8::from(edge > 0)).unwrap();
        for (n, value) in frame.values().enumerate() {
            if last[n] != value {
                writeln!(out, "b{value} i{n}").unwrap();
                last[n] = value;
            }
        }
        writeln!(out, "#{}\n0ck", 10 * edge + 5).unwrap();
    }
    writeln!(out, "#{}\n1ck", 10 * frames.len()).unwrap();
    out
}

/// The program of the first cell in all cells, with another flag of its last word.
fn in_all_cells(case: &Case) -> Case {
    let mut words = case.program.cells().next().unwrap().1.to_vec();
    words.last_mut().unwrap().immediate ^= true;
    let mut program = ProgramImage::default();
    for cell in CellId::all(&geometry()) {
        words.iter().for_each(|word| program.push(cell.row(), cell.col(), *word));
    }
    // The port of the register files is not shown.
    let memory = MemoryImage { sram: case.memory.sram.clone(), ..MemoryImage::default() };
    Case::new(&case.name, program, &memory)
}

fn recordings(shown: Shown, programs: &[&str]) -> (Vec<Folder>, Vec<Recording>) {
    let of = |name: &&str| {
        let program = programs::ALL.iter().find(|p| p.path.contains(*name)).unwrap();
        let case = in_all_cells(&program.case(&geometry()).unwrap());
        let folder = Folder::new();
        let dump = folder.write(vcd(&recorded(&case, shown)));
        (folder, Recording { case, dump: Dump::open(&dump).unwrap() })
    };
    programs.iter().map(of).unzip()
}

/// What is learned from everything.
fn learned() -> &'static (Vec<Recording>, Learned) {
    // The files stay for as long as the dumps are read.
    static FOLDERS: OnceLock<Vec<Folder>> = OnceLock::new();
    static LEARNED: OnceLock<(Vec<Recording>, Learned)> = OnceLock::new();
    LEARNED.get_or_init(|| {
        let (folders, recordings) = recordings(ALL, &PROGRAMS);
        FOLDERS.get_or_init(|| folders);
        let learned = learn(&recordings, None, &geometry()).unwrap();
        (recordings, learned)
    })
}

#[track_caller]
fn pattern<'a>(learned: &'a Learned, register: &str) -> &'a LearnedPattern {
    learned.patterns.iter().find(|p| p.register == register).expect("a pattern of this name")
}

/// The value of the entry of a register, as JSON with all prefixes written out.
#[track_caller]
fn value(map: &MapFile, register: &str) -> String {
    let entry = map.registers.iter().find(|e| e.register == register);
    let entry = entry.unwrap_or_else(|| panic!("no entry {register}"));
    let mut text = serde_json::to_string(entry.value.as_ref().unwrap()).unwrap();
    for (name, prefix) in &map.prefixes {
        text = text.replace(&format!("{{{name}}}"), &prefix.alternatives()[0]);
    }
    text.replace('"', "")
}

#[test]
fn clock_reset_and_ports() {
    let map = &learned().1.map;
    assert_eq!(map.clock.signal, "sim.ck");
    assert_eq!(map.reset.as_ref().unwrap().signal, "sim.nreset");
    let ports: Vec<String> =
        map.ports.iter().map(|(port, term)| format!("{} {term:?}", port.name())).collect();
    for (port, signal) in [
        ("prog_valid", "go"),
        ("prog_instr", "word"),
        ("prog_imm", "flag"),
        ("prog_row_sel", "rows"),
        ("prog_col_sel", "cols"),
    ] {
        assert!(ports.contains(&format!("{port} Text(\"sim.{signal}\")")), "{port}: {ports:?}");
    }
    let starts: Vec<u64> = learned().1.cycles.iter().map(|(start, _)| *start).collect();
    assert_eq!(starts, [RESET as u64; PROGRAMS.len()]);
}

#[test]
fn every_form_is_found() {
    let map = &learned().1.map;
    for (register, parts) in [
        ("cell[r][c].seq.pc", &["row_{1-r}", "col[{table", ".fetch.counter"][..]),
        ("cell[r][c].seq.state", &["translate:", "one_hot", "3'd4:2'd0", "3'd2:2'd1", "3'd1:2'd2"]),
        ("cell[r][c].seq.init_addr", &["slice:", "packed", "msb:7", "lsb:2"]),
        ("cell[r][c].seq.l1_iter", &["not:", "iterations_n"]),
        ("cell[r][c].rf.mem[k]", &["words.w{63-k}"]),
    ] {
        let value = value(map, register);
        assert!(parts.iter().all(|part| value.contains(part)), "{register}: {value}");
    }
    let offset =
        |register: &str| map.registers.iter().find(|e| e.register == register).map(|e| e.offset);
    assert_eq!(offset("cell[r][c].dpu.mode_reg"), Some(-1));
    assert_eq!(offset("cell[r][c].seq.pc"), Some(0));
}

/// What the map says is what the golden model does, in every cycle of every recording.
#[test]
fn the_proposal_agrees() {
    let (recordings, learned) = learned();
    let mut compared = 0;
    let text = learned.map.to_json();
    let read = MapFile::parse(&text).unwrap();
    for recording in recordings {
        let map = SignalMap::resolve(&read, recording.dump.names(), &geometry()).unwrap();
        let mut wanted = Vec::new();
        map.registers.iter().for_each(|r| r.value.signals(&mut wanted));
        let mut run = GoldenRun::new(&recording.case, &geometry());
        let mut values = Values::default();
        frames(&recording.dump, map.clock, &wanted, &mut |frame| {
            values.apply(&frame);
            if frame.edge < RESET as u64 {
                return std::ops::ControlFlow::Continue(());
            }
            run.fabric.pack();
            for register in map.registers.iter().filter(|r| r.offset == 0) {
                let golden = run.fabric.value(register.location).unwrap();
                let shown = register.value.value(&values).unwrap();
                assert_eq!(shown.words(), golden, "{} at {}", register.location, run.cycle);
                compared += 1;
            }
            run.step();
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    }
    assert!(compared > 50_000, "{compared}");
}

#[test]
fn what_is_not_there_is_told() {
    let learned = &learned().1;
    let missing = pattern(learned, "cell[r][c].seq.load_count");
    assert!(matches!(missing.verdict, Verdict::Missing { .. }), "{missing:?}");
    let quiet = pattern(learned, "cell[r][c].perm.perm_stage");
    assert_eq!(quiet.verdict, Verdict::Quiet);
}

#[test]
fn two_forms_that_agree_are_told() {
    let (_folders, recordings) = recordings(Shown { copy: true, ..ALL }, &PROGRAMS[..2]);
    let learned = learn(&recordings, None, &geometry()).unwrap();
    let verdict = &pattern(&learned, "cell[r][c].seq.pc").verdict;
    let Verdict::Found { paths, others, other_count, .. } = verdict else { panic!("{verdict:?}") };
    assert!(paths[0].ends_with("fetch.counter"), "{paths:?}");
    assert_eq!((*other_count, others.len()), (1, 1));
    assert!(others[0].ends_with("twin.counter"), "{others:?}");
}

#[test]
fn without_ports_the_registers_tell_cycle_0() {
    let (_folders, recordings) = recordings(Shown { ports: false, ..ALL }, &PROGRAMS);
    let learned = learn(&recordings, None, &geometry()).unwrap();
    let starts: Vec<u64> = learned.cycles.iter().map(|(start, _)| *start).collect();
    assert_eq!(starts, [RESET as u64; PROGRAMS.len()]);
    assert!(value(&learned.map, "cell[r][c].seq.pc").contains("fetch.counter"));
}

#[test]
fn entries_that_are_given_stay() {
    let given = r#"{"version": 1, "clock": {"signal": "sim.ck", "edge": "rising"},
        "registers": [{"register": "cell[r][c].seq.pc", "exclude": "not now"}]}"#;
    let given = MapFile::parse(given).unwrap();
    let (_folders, recordings) = recordings(ALL, &PROGRAMS[..1]);
    let learned = learn(&recordings, Some(&given), &geometry()).unwrap();
    assert_eq!(learned.map.registers[0], given.registers[0]);
    assert!(learned.patterns.iter().all(|p| p.register != "cell[r][c].seq.pc"));
}

#[test]
fn another_case_than_was_run() {
    let (_folders, mut recordings) =
        recordings(Shown { ports: false, copy: false }, &PROGRAMS[..1]);
    recordings[0].case = Case::default();
    let error = learn(&recordings, None, &geometry()).unwrap_err();
    assert!(matches!(error, LearnError::NoAlignment), "{error}");
    assert!(matches!(learn(&[], None, &geometry()), Err(LearnError::Nothing)));
}
