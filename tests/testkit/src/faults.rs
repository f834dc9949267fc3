// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests that inject faults into a design; the comparison must find each fault in its cycle.

use crate::{Fault, FaultyDesign, Flip, IdlePort, registers};
use drra_case::Case;
use drra_fabric::{Location, PortId, Register};
use drra_isa::{ColumnId, Geometry, TileId, Unit, UnitKind};
use drra_lockstep::{EndRule, GoldenRun, LockstepRun, MismatchKind, Outcome, RunSetup, run};

/// Tests for a crate: the comparison finds faults in the design of a setup.
#[macro_export]
macro_rules! fault_tests {
    ($setup:expr) => {
        $crate::fault_tests!(
            $setup,
            every_row_of_the_state_table,
            memory_faults_are_located,
            memory_faults_are_located_before_their_effects,
            ports_to_buffers_are_compared_while_they_are_idle,
            mem_q_is_compared_only_while_it_is_visible,
            values_by_location,
            a_design_takes_over_the_state
        );
    };
    ($setup:expr, $($name:ident),*) => {
        $(
            #[test]
            fn $name() {
                $crate::faults::$name(&$setup);
            }
        )*
    };
}

/// Size of the fabric that the cases are for.
fn size(setup: &RunSetup<'_>) -> Geometry {
    setup.design.sizes().map_or(Geometry::DEFAULT, |sizes| sizes[0])
}

fn vec_add(setup: &RunSetup<'_>) -> Case {
    drra_case::programs::ALL[0].case(&size(setup)).unwrap()
}

fn flipped(setup: &RunSetup<'_>, case: &Case, flip: Flip) -> Outcome {
    let faulty = FaultyDesign::new(setup.design, Fault::Flip(flip));
    run(case, &RunSetup { design: &faulty, ..*setup }).unwrap()
}

/// Checks that a flipped bit is found in its cycle, in its register, with its values.
#[track_caller]
fn found(setup: &RunSetup<'_>, case: &Case, flip: Flip) {
    let outcome = flipped(setup, case, flip);
    let what = format!("{} bit {}", flip.location, flip.bit);
    let mismatch = outcome.mismatch.unwrap_or_else(|| panic!("{what}: not found"));
    assert_eq!(mismatch.cycle, flip.cycle, "{what}");
    let MismatchKind::State(differences) = mismatch.kind else { panic!("{what}: {mismatch:?}") };
    assert_eq!(differences.len(), 1, "{what}");
    let d = &differences[0];
    assert_eq!(d.location, flip.location, "{what}");
    assert_eq!(d.golden.width(), flip.location.register.width(&size(setup)), "{what}");
    assert_eq!(d.golden.bits_that_differ(&d.dut), [flip.bit], "{what}");
}

fn home_tile() -> TileId {
    TileId::new(1, 0).unwrap()
}

/// A row of the memory of tile (1,0).
fn row(number: usize) -> Location {
    Location { unit: home_tile().into(), register: Register::TileSram(number) }
}

/// For every row of the state table, a flip of the lowest and of the highest bit of one register is found. Successive
/// rows use successive units of their kind.
pub fn every_row_of_the_state_table(setup: &RunSetup<'_>) {
    let case = vec_add(setup);
    let geometry = &size(setup);
    let fabric = GoldenRun::new(&case).fabric;
    // The first cycle in which tile (1,0) has just read a block; only then is `mem_q` visible.
    let mut run = GoldenRun::new(&case);
    while !run.fabric.mem_rvalid(home_tile()) {
        run.step();
    }
    let read = run.cycle;

    // The units of a kind share their rows; row n is flipped in unit n of its kind, modulo the number of units of that
    // kind.
    let mut rows = std::collections::BTreeSet::new();
    let mut checked = 0;
    for (i, location) in registers(fabric.layout()).into_iter().enumerate() {
        let Location { unit, register } = location;
        let named = register.key().number().is_none();
        if unit.index(geometry) != 0 || !rows.insert((register.id(), named.then(|| register.key())))
        {
            continue;
        }
        let of_kind: Vec<_> = Unit::of_kind(unit.kind(), geometry).collect();
        let (unit, cycle) = match register.id().group().compared_while() {
            Some(_) => (unit, read),
            // SRAM rows that nothing writes are compared every 64 cycles, but a flip must be found in any cycle.
            None => (of_kind[rows.len() % of_kind.len()], 33 + (i % 50) as u64),
        };
        for bit in [0, register.width(geometry) - 1] {
            found(setup, &case, Flip { cycle, location: Location { unit, register }, bit });
            checked += 1;
        }
    }
    println!("{} rows, {checked} flips", rows.len());
    assert!(rows.len() > 150, "{} rows", rows.len());
    for kind in UnitKind::ALL {
        assert!(rows.iter().any(|(register, _)| register.info().unit == kind), "{kind}");
    }
}

/// The periodic comparison of the memories finds the exact cycle, in whichever cycle the fault is injected.
pub fn memory_faults_are_located(setup: &RunSetup<'_>) {
    let case = vec_add(setup);
    for cycle in [0, 1, 63, 64, 65, 90, 97] {
        found(setup, &case, Flip { cycle, location: row(5), bit: 77 });
    }
}

/// A fault in a block that the program reads shows up in other registers before the memories are
/// compared as a whole; it is still reported in its own cycle.
pub fn memory_faults_are_located_before_their_effects(setup: &RunSetup<'_>) {
    let case = vec_add(setup);
    for cycle in [10, 30] {
        found(setup, &case, Flip { cycle, location: row(1), bit: 0 });
    }
}

/// Addresses, data and masks to the buffers are compared even without an access, when they are 0 (chapter 7, A4).
pub fn ports_to_buffers_are_compared_while_they_are_idle(setup: &RunSetup<'_>) {
    for port in [PortId::IoInAddr, PortId::IoOutAddr, PortId::IoOutData, PortId::IoOutMask] {
        for (from, column) in [(0, 0), (41, size(setup).columns - 1)] {
            let column = ColumnId::new(column).unwrap();
            let fault = Fault::Idle(IdlePort { from, port, column });
            let design = FaultyDesign::new(setup.design, fault);
            let outcome = run(&vec_add(setup), &RunSetup { design: &design, ..*setup }).unwrap();
            let mismatch = outcome.mismatch.unwrap_or_else(|| panic!("{port}: not found"));
            assert_eq!(mismatch.cycle, from, "{port}");
            let MismatchKind::Port(ports) = mismatch.kind else { panic!("{port}: {mismatch:?}") };
            assert_eq!(ports.len(), 1, "{port}");
            assert_eq!((ports[0].port, ports[0].column), (port, Some(column)));
            assert_eq!(ports[0].golden.bits_that_differ(&ports[0].dut), [0], "{port}");
        }
    }
}

/// A difference that the chapter masks is ignored.
pub fn mem_q_is_compared_only_while_it_is_visible(setup: &RunSetup<'_>) {
    let case = vec_add(setup);
    let location = Location { unit: home_tile().into(), register: Register::TileMemQ };
    assert_eq!(flipped(setup, &case, Flip { cycle: 10, location, bit: 3 }).mismatch, None);
}

/// Registers are read by their location, from the design as well as from the golden model.
pub fn values_by_location(setup: &RunSetup<'_>) {
    let case = vec_add(setup);
    let mut run = LockstepRun::new(&case, setup).unwrap();
    run.run(EndRule::at(40), &mut ());
    let golden = run.golden().clone();
    let layout = golden.layout().clone();
    let dut = run.dut_mut().unwrap();
    let mut set = 0;
    let shown = |l: &Location| l.register.id().group().compared_while().is_none();
    for location in registers(&layout).into_iter().filter(shown) {
        let value = golden.value(location).unwrap();
        let theirs = match (location.unit, location.register) {
            (Unit::Tile(tile), Register::TileSram(row)) => Some(dut.sram_block(tile, row).to_vec()),
            (unit, register) => {
                let mut image = Vec::new();
                dut.read(unit, &mut image);
                layout.value(register, &image)
            }
        };
        assert_eq!(theirs.as_ref(), Some(&value), "{location}");
        set += usize::from(value.iter().any(|word| *word != 0));
    }
    assert!(set > 20, "{set} registers are not 0");
}

/// Wrong words are loaded, and the fabric executes them. From the cycle after the last difference that does not count,
/// the design agrees, because its registers and the logic behind them have the state of the golden model; without this,
/// it fails earlier.
pub fn a_design_takes_over_the_state(setup: &RunSetup<'_>) {
    let design = FaultyDesign::new(setup.design, Fault::Word(|word| word ^ 0x0210_0000));
    let setup = RunSetup { design: &design, ..*setup };
    let case = vec_add(&setup);
    let last = case.stimulus.end();
    let mismatch = run(&case, &setup).unwrap().mismatch.expect("a wrong word is a difference");
    assert!(mismatch.cycle < last, "cycle {}", mismatch.cycle);
    // A word in the load pipeline reaches its cell some cycles later.
    let compare_from = last + 16;
    let outcome = run(&Case { compare_from, ..case.clone() }, &setup).unwrap();
    assert_eq!(outcome.mismatch, None);
    assert!(outcome.cycles > compare_from + 20, "cycle {}", outcome.cycles);
    // The first cycle that counts is the first one that is reported.
    let outcome = run(&Case { compare_from: mismatch.cycle + 1, ..case }, &setup).unwrap();
    assert_eq!(outcome.mismatch.map(|m| m.cycle), Some(mismatch.cycle + 1));
}
