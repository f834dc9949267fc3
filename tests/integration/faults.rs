// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults put into the RTL side: the comparison, the report and the exit code see them.

use drra_cosim::Case;
use drra_cosim::GEOMETRY;
use drra_cosim::explain;
use drra_cosim::golden_run::GoldenRun;
use drra_cosim::lockstep;
use drra_cosim::lockstep::MismatchKind;
use drra_cosim::lockstep::Options;
use drra_cosim::lockstep::Poke;
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
    // Word 32 of cell (0,0) is written in cycle 19 behind the first decode, by the first REFI.
    let first_decode = case.stimulus.end() + 1;
    let cycle = first_decode + 20;
    let poke = Poke { cycle, unit, register: "rf.mem[32]".into(), bit: 3 };
    let options = Options { poke: Some(poke), ..Options::default() };
    let mismatch = lockstep::run(&case, &GEOMETRY, &options).unwrap().mismatch.unwrap();
    let explanation = explain::explain(&case, &GEOMETRY, &options, &mismatch).unwrap();
    let owner = explanation.owner.clone().unwrap();
    assert_eq!(
        (owner.cell, owner.address, owner.cycle),
        ((0, 0), 16, first_decode + 9),
        "{owner:?}"
    );
    assert_eq!(explanation.golden_events.len(), 16);
    let text = explain::report(&GEOMETRY, &mismatch, &explanation, "drra run x.sasm");
    for part in [
        &format!("MISMATCH in cycle {cycle}"),
        "cell[0][0].rf.mem[32]",
        "0x0010 (16)",
        "0x0018 (24)",
        "............^...",
        "isa/spec/03-register-file.md, 4.2",
        "REFI",
        "repeat:  drra run x.sasm",
        "rf.mem[32] = 0x0018",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
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
        rtl.poke(&Poke { cycle: 5, unit: units[GEOMETRY.cols + 2], register, bit });
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
        let unit = fabric.layout().units()[GEOMETRY.cols + 2];
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
