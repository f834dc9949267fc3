// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults put into the RTL side: the comparison, the report and the exit code see them.

use drra_cosim::Case;
use drra_cosim::GEOMETRY;
use drra_cosim::golden_run::GoldenRun;
use drra_cosim::lockstep;
use drra_cosim::lockstep::MismatchKind;
use drra_cosim::lockstep::Options;
use drra_cosim::lockstep::Poke;
use drra_cosim::report;
use drra_cosim::report::Paint;
use drra_cosim::report::Report;
use drra_cosim::report::Subject;
use drra_cosim::signature;
use drra_golden::Owner;

fn vec_add() -> Case {
    drra_cosim::programs::ALL[0].case().unwrap()
}

fn poked(case: &Case, poke: Poke) -> (Poke, lockstep::Outcome) {
    let options = Options { poke: Some(poke.clone()), ..Options::default() };
    (poke, lockstep::run(case, &GEOMETRY, &options).unwrap())
}

/// Checks that a flipped bit is found in its cycle, under its path, with its values.
#[track_caller]
fn found(case: &Case, poke: Poke) {
    let (poke, outcome) = poked(case, poke);
    let what = format!("{:?} {} bit {}", poke.unit, poke.register, poke.bit);
    let mismatch = outcome.mismatch.unwrap_or_else(|| panic!("{what}: not found"));
    assert_eq!(mismatch.cycle, poke.cycle, "{what}");
    let MismatchKind::State(differences) = mismatch.kind else { panic!("{what}: {mismatch:?}") };
    assert_eq!(differences.len(), 1, "{what}");
    let d = &differences[0];
    assert_eq!((d.unit, &d.register), (poke.unit, &poke.register), "{what}");
    for (i, (golden, rtl)) in d.golden.iter().zip(&d.rtl).enumerate() {
        let flipped = if i as u32 == poke.bit / 64 { 1 << (poke.bit % 64) } else { 0 };
        assert_eq!(golden ^ rtl, flipped, "{what}");
    }
}

/// One register of every row of the state table, the rows of all units in turn, lowest and highest
/// bit.
#[test]
fn every_row_of_the_state_table() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let registers = lockstep::registers(&fabric);
    // The cycle in which tile (1,0) has just read a block, the only time `mem_q` is visible.
    let mut run = GoldenRun::new(&case, &GEOMETRY);
    while !run.fabric.mem_rvalid(0) {
        run.step();
    }
    let read = run.cycle;

    // Rows differ by their path without the numbers of the elements. The units of a kind share
    // their rows; row n is poked in unit n of its kind, counted around.
    let units = fabric.layout().units();
    let mut rows = std::collections::BTreeSet::new();
    let mut checked = 0;
    for (i, (unit, register, width)) in registers.iter().enumerate() {
        let row: String = register.chars().filter(|c| !c.is_ascii_digit()).collect();
        if unit.index != 0 || !rows.insert((unit.owner, row)) {
            continue;
        }
        let of_kind: Vec<_> = units.iter().filter(|u| u.owner == unit.owner).collect();
        let (unit, cycle) = match register.as_str() {
            "mem_q" => (*unit, read),
            // SRAM rows that nothing writes are compared every 64 cycles: any cycle must be found.
            _ => (*of_kind[rows.len() % of_kind.len()], 33 + (i % 50) as u64),
        };
        for bit in [0, width - 1] {
            found(&case, Poke { cycle, unit, register: register.clone(), bit });
            checked += 1;
        }
    }
    println!("{} rows, {checked} pokes", rows.len());
    assert!(rows.len() > 150, "{} rows", rows.len());
    let per_kind = |o| rows.iter().filter(|(owner, _)| *owner == o).count();
    for owner in [Owner::Cell, Owner::Column, Owner::Tile, Owner::Fabric] {
        assert!(per_kind(owner) > 0, "{owner:?}");
    }
}

/// The periodic comparison of the memories gives the exact cycle, whatever the cycle.
#[test]
fn memory_faults_are_located() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let unit = *fabric.layout().units().iter().find(|u| u.owner == Owner::Tile).unwrap();
    for cycle in [0, 1, 63, 64, 65, 90, 97] {
        found(&case, Poke { cycle, unit, register: "sram[5]".into(), bit: 77 });
    }
}

/// A fault in a block that the program reads shows up in other registers before the memories are
/// compared as a whole; it is still reported in its own cycle.
#[test]
fn memory_faults_are_located_before_their_effects() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let unit = *fabric.layout().units().iter().find(|u| u.owner == Owner::Tile).unwrap();
    for cycle in [10, 30] {
        found(&case, Poke { cycle, unit, register: "sram[1]".into(), bit: 0 });
    }
}

/// A difference that is masked by the chapter is no difference.
#[test]
fn mem_q_is_compared_only_while_it_is_visible() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let unit = *fabric.layout().units().iter().find(|u| u.owner == Owner::Tile).unwrap();
    let poke = Poke { cycle: 10, unit, register: "mem_q".into(), bit: 3 };
    assert_eq!(poked(&case, poke).1.mismatch, None);
}

/// The report names register, values, owner and the way to repeat the run.
#[test]
fn report_of_a_fault() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let unit = fabric.layout().units()[0];
    // Word 32 of cell (0,0) is written in cycle 19 behind the first decode, by w0, which the first
    // instruction sets up (chapter 3, 9.1); its flag releases it in the cycle after its decode.
    let first_decode = case.stimulus.end() + 1;
    let cycle = first_decode + 20;
    let poke = Poke { cycle, unit, register: "rf.mem[32]".into(), bit: 3 };
    let options = Options { poke: Some(poke), ..Options::default() };
    let failing = signature::check(&case, &GEOMETRY, &options).unwrap().unwrap();
    let subject = Subject {
        case: &case,
        failing: &failing,
        options: &options,
        repeat: "drra run x.sasm",
        reduced: None,
    };
    let report = report::build(&subject, &GEOMETRY).unwrap();
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

/// A violated assertion of the RTL is a finding with cycle and instance, not a crash.
#[test]
fn assertions_are_findings() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let mut rtl = lockstep::RtlRun::new(&case, &GEOMETRY, &fabric).unwrap().unwrap();
    for _ in 0..5 {
        rtl.step().unwrap();
    }
    // State 3 of a sequencer does not exist; cell (1,2) is in IDLE (0).
    let units = fabric.layout().units();
    for bit in [0, 1] {
        let register = "seq.state".to_owned();
        rtl.poke(&Poke { cycle: 5, unit: units[GEOMETRY.columns + 2], register, bit });
    }
    let failure = rtl.step().unwrap_err();
    assert!(failure.place.starts_with("drra_sequencer.sv:"), "{failure:?}");
    let scope = "drra_fabric.gen_row[1].gen_col[2].u_cell.u_seq".to_owned();
    assert_eq!(failure.instances, [(scope, "StateLegal".to_owned())]);
}

/// Simulations that take turns in one thread keep to themselves: an error belongs to the one that
/// made it, and they may go in any order.
#[test]
fn simulations_share_a_thread() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, &GEOMETRY).fabric;
    let start = || lockstep::RtlRun::new(&case, &GEOMETRY, &fabric).unwrap().unwrap();
    let (mut first, mut second) = (start(), start());
    for _ in 0..5 {
        first.step().unwrap();
        second.step().unwrap();
    }
    for bit in [0, 1] {
        let unit = fabric.layout().units()[GEOMETRY.columns + 2];
        let register = "seq.state".to_owned();
        first.poke(&Poke { cycle: 5, unit, register, bit });
    }
    assert!(first.step().is_err());
    second.step().unwrap();
    drop(first);
    second.step().unwrap();
    let mut third = start();
    drop(second);
    third.step().unwrap();
}

/// Where both sides agree on all registers they agree on the signals between the blocks, too, in
/// every cycle: a signal that differs is a finding.
#[test]
fn signals_between_blocks_agree() {
    for program in drra_cosim::programs::ALL {
        let Ok(case) = program.case() else { continue };
        let mut golden = GoldenRun::new(&case, &GEOMETRY);
        let mut rtl = lockstep::RtlRun::new(&case, &GEOMETRY, &golden.fabric).unwrap().unwrap();
        let map = rtl.signals(&GEOMETRY).unwrap();
        for cycle in 0..400 {
            let differing = map.differences(&golden.fabric.signals());
            assert_eq!(differing, [], "{} in cycle {cycle}", program.name());
            golden.step();
            rtl.step().unwrap();
        }
    }
}
