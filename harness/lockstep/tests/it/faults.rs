// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults put into the design: the comparison sees them, in their cycle.

use drra_case::Case;
use drra_golden::Owner;
use drra_lockstep::Fault;
use drra_lockstep::Faulty;
use drra_lockstep::Flip;
use drra_lockstep::GoldenRun;
use drra_lockstep::MismatchKind;
use drra_lockstep::Outcome;
use drra_lockstep::Setup;
use drra_lockstep::registers;
use drra_lockstep::run;

use crate::setup;

fn vec_add() -> Case {
    drra_case::programs::ALL[0].case(setup().geometry).unwrap()
}

fn flipped(case: &Case, flip: Flip) -> (Flip, Outcome) {
    let setup = setup();
    let faulty = Faulty::new(setup.design, Fault::Flip(flip.clone()));
    (flip, run(case, &Setup { design: &faulty, ..setup }).unwrap())
}

/// Checks that a flipped bit is found in its cycle, under its path, with its values.
#[track_caller]
fn found(case: &Case, flip: Flip) {
    let (flip, outcome) = flipped(case, flip);
    let what = format!("{:?} {} bit {}", flip.unit, flip.register, flip.bit);
    let mismatch = outcome.mismatch.unwrap_or_else(|| panic!("{what}: not found"));
    assert_eq!(mismatch.cycle, flip.cycle, "{what}");
    let MismatchKind::State(differences) = mismatch.kind else { panic!("{what}: {mismatch:?}") };
    assert_eq!(differences.len(), 1, "{what}");
    let d = &differences[0];
    assert_eq!((d.unit, &d.register), (flip.unit, &flip.register), "{what}");
    for (i, (golden, rtl)) in d.golden.iter().zip(&d.rtl).enumerate() {
        let flipped = if i as u32 == flip.bit / 64 { 1 << (flip.bit % 64) } else { 0 };
        assert_eq!(golden ^ rtl, flipped, "{what}");
    }
}

/// One register of every row of the state table, the rows of all units in turn, lowest and highest
/// bit.
#[test]
fn every_row_of_the_state_table() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, setup().geometry).fabric;
    let registers = registers(fabric.layout());
    // The cycle in which tile (1,0) has just read a block, the only time `mem_q` is visible.
    let mut run = GoldenRun::new(&case, setup().geometry);
    while !run.fabric.mem_rvalid(0) {
        run.step();
    }
    let read = run.cycle;

    // Rows differ by their path without the numbers of the elements. The units of a kind share
    // their rows; row n is flipped in unit n of its kind, counted around.
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
            found(&case, Flip { cycle, unit, register: register.clone(), bit });
            checked += 1;
        }
    }
    println!("{} rows, {checked} flips", rows.len());
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
    let fabric = GoldenRun::new(&case, setup().geometry).fabric;
    let unit = *fabric.layout().units().iter().find(|u| u.owner == Owner::Tile).unwrap();
    for cycle in [0, 1, 63, 64, 65, 90, 97] {
        found(&case, Flip { cycle, unit, register: "sram[5]".into(), bit: 77 });
    }
}

/// A fault in a block that the program reads shows up in other registers before the memories are
/// compared as a whole; it is still reported in its own cycle.
#[test]
fn memory_faults_are_located_before_their_effects() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, setup().geometry).fabric;
    let unit = *fabric.layout().units().iter().find(|u| u.owner == Owner::Tile).unwrap();
    for cycle in [10, 30] {
        found(&case, Flip { cycle, unit, register: "sram[1]".into(), bit: 0 });
    }
}

/// A difference that is masked by the chapter is no difference.
#[test]
fn mem_q_is_compared_only_while_it_is_visible() {
    let case = vec_add();
    let fabric = GoldenRun::new(&case, setup().geometry).fabric;
    let unit = *fabric.layout().units().iter().find(|u| u.owner == Owner::Tile).unwrap();
    let flip = Flip { cycle: 10, unit, register: "mem_q".into(), bit: 3 };
    assert_eq!(flipped(&case, flip).1.mismatch, None);
}
