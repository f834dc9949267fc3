// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulations of the RTL: assertions, several simulations at a time, flipped bits, and signals between blocks.

use std::{ops::ControlFlow, slice, thread};

use drra_campaign::CampaignCases;
use drra_case::{Case, programs};
use drra_cosim::{GEOMETRY, OWN, SIZES};
use drra_fabric::{Layout, Location, Register};
use drra_generate::Profile;
use drra_golden::Fabric;
use drra_isa::{CellId, TileId, Unit};
use drra_lockstep::{
    AssertionFailure, CycleView, Design, Dut, EndRule, LockstepRun, Observer, RunSetup, StepError,
};

use crate::{agree::agree, regressions};

/// A simulation of a case with its inputs.
struct Run<'a> {
    dut: Box<dyn Dut>,
    player: drra_case::stimulus::StimulusPlayer<'a>,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case) -> Self {
        let dut = OWN.start(case, &Layout::new(&case.geometry)).unwrap();
        Self { dut, player: case.stimulus.player() }
    }

    fn step(&mut self) -> Result<(), AssertionFailure> {
        self.dut.drive(&self.player.next(&[]))?;
        match self.dut.step() {
            Ok(()) => Ok(()),
            Err(StepError::Violated(failure)) => Err(failure),
            Err(StepError::Ended { .. }) => panic!("a simulation has no end"),
        }
    }

    /// Changes the state of the sequencer of cell (1,2) from IDLE (0) to 3, which does not exist.
    fn break_sequencer(&mut self) {
        let location = Location { unit: broken_cell(), register: Register::SeqState };
        for bit in [0, 1] {
            assert!(self.dut.flip(location, bit));
        }
    }
}

fn broken_cell() -> Unit {
    Unit::Cell(CellId::new(1, 2).unwrap())
}

fn vec_add() -> Case {
    programs::ALL[0].case(&GEOMETRY).unwrap()
}

/// A violated assertion of the RTL is a finding with file, line and instance rather than a crash.
#[test]
fn assertions_are_findings() {
    let case = vec_add();
    let mut rtl = Run::new(&case);
    for _ in 0..5 {
        rtl.step().unwrap();
    }
    rtl.break_sequencer();
    let failure = rtl.step().unwrap_err();
    assert_eq!(failure.file, "drra_sequencer.sv", "{failure:?}");
    assert!(failure.line > 0, "{failure:?}");
    let [instance] = &failure.instances[..] else { panic!("{failure:?}") };
    assert_eq!(instance.scope, "drra_fabric.gen_row[1].gen_col[2].u_cell.u_seq");
    assert_eq!(instance.name, "StateLegal");
    assert_eq!(instance.unit, Some(broken_cell()));
}

/// Simulations that take turns in one thread are independent: an error belongs to the simulation that caused it, and
/// the simulations can be dropped in any order.
#[test]
fn simulations_share_a_thread() {
    let case = vec_add();
    let (mut first, mut second) = (Run::new(&case), Run::new(&case));
    for _ in 0..5 {
        first.step().unwrap();
        second.step().unwrap();
    }
    first.break_sequencer();
    assert!(first.step().is_err());
    second.step().unwrap();
    drop(first);
    second.step().unwrap();
    let mut third = Run::new(&case);
    drop(second);
    third.step().unwrap();
}

/// All registers in the first cycles of a case.
fn images(case: &Case) -> Vec<Vec<u64>> {
    let layout = Layout::new(&case.geometry);
    let mut rtl = Run::new(case);
    let mut images = Vec::new();
    for _ in 0..60 {
        for unit in layout.units() {
            let mut image = Vec::new();
            rtl.dut.read(unit, &mut image);
            images.push(image);
        }
        rtl.step().unwrap();
    }
    images
}

/// A model that has run other cases, or whose state was changed, behaves like a new model; cases of other sizes of the
/// fabric run in between.
#[test]
fn models_forget_their_cases() {
    let case = vec_add();
    let alone = images(&case);
    let sizes = SIZES.iter().cycle();
    for other in programs::ALL.iter().zip(sizes).filter_map(|(p, size)| p.case(size).ok()) {
        let other = Case { seed: 7, io_cells: [CellId::new(1, 1).unwrap()].into(), ..other };
        images(&other);
        let mut changed = Run::new(&other);
        let register = Register::TileSram(3);
        let location = Location { unit: TileId::new(1, 0).unwrap().into(), register };
        assert!(changed.dut.flip(location, 17));
        drop(changed);
        assert!(images(&case) == alone, "after {}", other.name);
    }
}

/// A bit that the RTL does not have cannot be flipped.
#[test]
fn only_bits_of_the_table_flip() {
    let case = vec_add();
    let mut rtl = Run::new(&case);
    for (path, bit, there) in [
        ("cell[0][0].seq.state", 1, true),
        ("cell[0][0].seq.state", 2, false),
        ("cell[0][31].seq.state", 0, GEOMETRY.columns > 31),
        ("tile[1][0].sram[1]", 255, true),
        ("tile[1][0].sram[1]", 256, false),
        ("tile[7][0].sram[1]", 0, GEOMETRY.tile_rows > 6),
    ] {
        let location: Location = path.parse().unwrap();
        assert_eq!(rtl.dut.flip(location, bit), there, "{path} bit {bit}");
    }
    let register = Register::TileSram(1);
    assert!(!rtl.dut.flip(Location { unit: broken_cell(), register }, 0), "a cell has no memory");
}

/// The comparison covers every bit of every register of every unit; the data read from a memory are compared only while
/// they are valid (chapter 5, 7.3), and they are not valid after reset.
#[test]
fn every_bit_that_differs_is_seen() {
    for size in SIZES {
        let golden = Fabric::new(*size, 0);
        let case = Case { geometry: *size, ..Case::default() };
        let mut rtl = Run::new(&case);
        assert!(rtl.dut.agrees(&golden), "{size}");
        let of_memory = |location: &Location| matches!(location.register, Register::TileSram(_));
        for location in golden.layout().locations().filter(|location| !of_memory(location)) {
            let hidden = location.register == Register::TileMemQ;
            for bit in 0..location.register.width(size) {
                assert!(rtl.dut.flip(location, bit));
                assert_eq!(rtl.dut.agrees(&golden), hidden, "{size}: {location} bit {bit}");
                assert!(rtl.dut.flip(location, bit));
            }
        }
        assert!(rtl.dut.agrees(&golden), "{size}");
    }
}

/// Checks that no signal between the blocks differs.
struct Signals<'a>(&'a str);

impl Observer for Signals<'_> {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let dut = view.dut.expect("a design");
        let differing = dut.differing_signals(&view.golden.all_signals(&view.inputs)).unwrap();
        assert_eq!(differing, [], "{} in cycle {}", self.0, view.cycle);
        ControlFlow::Continue(())
    }
}

/// If both sides agree on all registers, they also agree on the signals between the blocks in every cycle; a signal
/// that differs is a finding.
#[test]
fn signals_between_blocks_agree() {
    let saved = regressions::saved();
    let of_size = &|size| {
        for case in programs::ALL.iter().filter_map(|p| p.case(size).ok()) {
            let mut run = LockstepRun::new(&case, &RunSetup::new(&OWN)).unwrap();
            run.run(EndRule::new(&case, None), &mut Signals(&format!("{} on {size}", case.name)));
            assert!(run.cycle() > case.stimulus.end(), "{} on {size}", case.name);
        }
        // Cases that exercise more modes, messages and conflicts than the programs do.
        for (name, value) in &saved {
            let Some(case) = regressions::fitted(value, size) else { continue };
            let mut run = LockstepRun::new(&case, &RunSetup::new(&OWN)).unwrap();
            run.run(EndRule::at(250), &mut Signals(&format!("{name} on {size}")));
        }
    };
    thread::scope(|scope| SIZES.iter().for_each(|size| drop(scope.spawn(move || of_size(size)))));
}

/// No state of our own RTL is missing from the description, whatever runs.
#[test]
fn our_own_rtl_has_no_unknown_state() {
    for size in SIZES {
        let profile = Profile::shipped("default").unwrap().on(slice::from_ref(size)).unwrap();
        let cases = CampaignCases::new(profile, 50);
        let generated = (0..8).map(|number| cases.case(number));
        let saved = regressions::saved();
        let saved = saved.values().filter_map(|value| regressions::fitted(value, size));
        let bundled = programs::ALL.iter().filter_map(|program| program.case(size).ok());
        for case in generated.chain(saved).chain(bundled) {
            agree(&case, &format!("{} on {size}", case.name));
        }
    }
    assert_eq!(OWN.take_unknown_state(), [""; 0]);
}
