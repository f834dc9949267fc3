// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lock-step loop, and the designs that need no simulator.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    ops::ControlFlow,
};

use drra_case::{Case, programs};
use drra_fabric::{Location, PortId, Register, RegisterId, ports::Inputs};
use drra_golden::Fabric;
use drra_isa::{CellId, ColumnId, Geometry, Unit, UnitKind};
use drra_lockstep::{
    AssertionFailure, AssertionInstance, ComparisonCoverage, CycleView, Design, EndRule,
    GoldenDesign, GoldenRun, KnownStop, LockstepRun, Mismatch, MismatchKind, Observer, RunSetup,
    SignalLocation, StatusOutputs, StepError, Stop, run,
};
use drra_testkit::{Fault, FaultyDesign, Flip, HiddenRegisters};

use crate::{GEOMETRY, setup};

fn vec_add() -> Case {
    programs::ALL[0].case(&GEOMETRY).unwrap()
}

/// Counts the calls of each method.
#[derive(Default)]
struct CallCounts {
    looks: u64,
    before: u64,
    after: u64,
    last: u64,
    without_design: u64,
    go_on: bool,
}

impl Observer for CallCounts {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        assert_eq!(view.cycle, self.looks);
        self.looks += 1;
        self.last += u64::from(view.last);
        self.without_design += u64::from(view.dut.is_none());
        ControlFlow::Continue(())
    }

    fn pre_edge(&mut self, _golden: &Fabric, cycle: u64) {
        assert_eq!(cycle, self.before);
        self.before += 1;
    }

    fn post_edge(&mut self, _golden: &Fabric, cycle: u64) {
        assert_eq!(cycle, self.after);
        self.after += 1;
    }

    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        if self.go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// All bundled programs agree, and run as long as on the golden model alone.
#[test]
fn all_programs_agree() {
    for program in programs::ALL {
        let case = program.case(&GEOMETRY).unwrap();
        let outcome = run(&case, &setup()).unwrap();
        assert_eq!(outcome.mismatch, None, "{}", program.name());
        let alone = drra_lockstep::run_golden(&case, None);
        assert_eq!(outcome.cycles, alone.cycles, "{}", program.name());
        assert_eq!(outcome.instructions, alone.instructions, "{}", program.name());
    }
}

/// The last cycle is sampled, and no edge follows it.
#[test]
fn observers_see_every_cycle_once() {
    let case = vec_add();
    let mut run = LockstepRun::new(&case, &RunSetup::new(&GoldenDesign)).unwrap();
    let mut count = CallCounts::default();
    run.run(EndRule::at(50), &mut count);
    assert_eq!((count.looks, count.before, count.after, count.last), (51, 50, 50, 1));
    assert_eq!((count.without_design, run.cycle()), (0, 50));
}

/// Each call of an observer: its kind, the cycle, and the state of the golden model.
#[derive(Debug, Default, PartialEq)]
struct Calls(Vec<(u8, u64, u64)>);

impl Calls {
    fn add(&mut self, kind: u8, cycle: u64, golden: &Fabric) -> ControlFlow<()> {
        let mut state = DefaultHasher::new();
        golden.layout().units().for_each(|unit| golden.image(unit).hash(&mut state));
        self.0.push((kind, cycle, state.finish()));
        ControlFlow::Continue(())
    }
}

impl Observer for Calls {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let same = view.dut.is_none_or(|dut| dut.agrees(view.golden));
        self.add(u8::from(same), view.cycle, view.golden)
    }

    fn pre_edge(&mut self, golden: &Fabric, cycle: u64) {
        let _ = self.add(2, cycle, golden);
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        let _ = self.add(3, cycle, golden);
    }

    fn stopped(&mut self, cycle: u64, _why: &StepError) -> ControlFlow<()> {
        self.0.push((4, cycle, 0));
        ControlFlow::Continue(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}

/// Cell (0,2) reads four blocks from the buffer of its column, all of which are the same.
fn reading() -> Case {
    let text = r#"{
      "version": 1, "name": "reads", "isa": "r4", "seed": 1,
      "fabric": {"columns": 8, "tile_rows": 2, "rf_words": 64, "sram_blocks": 128},
      "io_cells": [[0, 2]],
      "cells": [{"row": 0, "col": 2, "text": "IO (rw=r, init_addr=5, l1_iter=3, l1_step=1)\nHALT ()\n"}]
    }"#;
    let blocks = (5..9).map(|address| (ColumnId::new(2).unwrap(), address, [7; 4]));
    Case { input_buffers: blocks.collect(), ..drra_case::parse(text).unwrap() }
}

/// With the golden model on a thread of its own, observers see the same, also if the run is interrupted, if the design
/// stops, and if it takes over the state of the golden model, in the end in the cycle of its first access to a buffer.
#[test]
fn a_second_thread_changes_nothing() {
    let (_, stops) = assertion(20);
    let differs = FaultyDesign::new(&GoldenDesign, Fault::Word(|word| word ^ 0x0210_0000));
    let silent = Fault::Outputs(|outputs| StatusOutputs { io_in_en: 0, ..outputs });
    let never_reads = FaultyDesign::new(&GoldenDesign, silent);
    let access = {
        let case = reading();
        let mut golden = GoldenRun::new(&case);
        while golden.fabric.buffer_reads().next().is_none() {
            golden.step();
        }
        golden.cycle
    };
    let mut calls = 0;
    for case in [vec_add(), programs::ALL.last().unwrap().case(&GEOMETRY).unwrap(), reading()] {
        let case = Case { compare_from: access + 1, ..case };
        for design in [&GoldenDesign as &dyn Design, &stops, &differs, &never_reads] {
            let [one, two] = [false, true].map(|two_threads| {
                let setup = RunSetup { two_threads, ..RunSetup::new(design) };
                let mut run = LockstepRun::new(&case, &setup).unwrap();
                let mut calls = Calls::default();
                run.run(EndRule::at(access - 1), &mut calls);
                run.run(EndRule::at(300), &mut calls);
                calls
            });
            assert_eq!(one, two, "{}", case.name);
            calls += one.0.len();
        }
    }
    assert!(calls > 5_000, "{calls} calls");
}

fn assertion(cycle: u64) -> (AssertionFailure, FaultyDesign<'static>) {
    let (scope, name) = ("top.u_x".into(), "Legal".into());
    let instance = AssertionInstance { unit: None, scope, name, message: None };
    let (stop, file) = (Stop::Assertion, "x.sv".into());
    let failure = AssertionFailure { stop, file, line: 7, instances: vec![instance] };
    let fault = Fault::Assertion(KnownStop { cycle: Some(cycle), failure: failure.clone() });
    let faulty = FaultyDesign::new(&GoldenDesign, fault);
    (failure, faulty)
}

/// A violated assertion ends the run or only the design, depending on the observer; it is a mismatch in the cycle that
/// ends with the violating edge.
#[test]
fn assertions_end_the_design() {
    let case = vec_add();
    let (failure, faulty) = assertion(20);
    for (go_on, looks, without_design) in [(false, 21, 0), (true, 51, 30)] {
        let mut run = LockstepRun::new(&case, &RunSetup::new(&faulty)).unwrap();
        let mut count = CallCounts { go_on, ..CallCounts::default() };
        run.run(EndRule::at(50), &mut count);
        assert_eq!((count.looks, count.without_design), (looks, without_design));
    }
    let outcome = run(&case, &RunSetup { design: &faulty, ..setup() }).unwrap();
    let kind = MismatchKind::Assertion(failure);
    assert_eq!(outcome.mismatch, Some(Mismatch { cycle: 20, kind }));
    assert_eq!(outcome.cycles, 20);
}

/// Words changed at the program port have effects; the first is in the load pipeline.
#[test]
fn words_are_lost_at_the_port() {
    let case = vec_add();
    let faulty = FaultyDesign::new(&GoldenDesign, Fault::Word(|word| word ^ 1));
    let outcome = run(&case, &RunSetup { design: &faulty, ..setup() }).unwrap();
    let mismatch = outcome.mismatch.unwrap();
    assert_eq!(Some(mismatch.cycle), case.stimulus.first_program_cycle().map(|c| c + 1));
    let MismatchKind::State(differences) = mismatch.kind else { panic!("{:?}", mismatch.kind) };
    assert_eq!(differences[0].golden.bits_that_differ(&differences[0].dut), [0]);
}

/// The signals of an identical design agree. The signals of a cycle depend on the inputs of that cycle: a word
/// changed at the program port is seen at the load port of cell (0,0) while all registers still agree.
#[test]
fn signals_follow_the_inputs_of_their_cycle() {
    /// The first cycle in which signals differ, and these signals.
    struct FirstDifference(Option<(u64, Vec<String>)>);
    impl Observer for FirstDifference {
        fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
            let dut = view.dut.unwrap();
            let differing = dut.differing_signals(&view.golden.all_signals(&view.inputs)).unwrap();
            if differing.is_empty() {
                return ControlFlow::Continue(());
            }
            assert!(dut.agrees(view.golden));
            self.0 = Some((view.cycle, differing.iter().map(|d| d.signal.to_string()).collect()));
            ControlFlow::Break(())
        }
    }
    let case = vec_add();
    let faulty = FaultyDesign::new(&GoldenDesign, Fault::Word(|word| word ^ 1));
    let load = case.stimulus.first_program_cycle().unwrap();
    let expected = Some((load, vec!["cell[0][0].load_instr".to_owned()]));
    for (design, expected) in [(&GoldenDesign as &dyn Design, None), (&faulty, expected)] {
        let mut run = LockstepRun::new(&case, &RunSetup::new(design)).unwrap();
        let mut seen = FirstDifference(None);
        run.run(EndRule::new(&case, None), &mut seen);
        assert_eq!(seen.0, expected);
    }
}

/// State that a design does not show is neither compared nor counted.
#[test]
fn hidden_registers_are_not_compared() {
    let case = vec_add();
    let unit = Unit::Cell(CellId::new(0, 0).unwrap());
    let bits = run(&case, &setup()).unwrap().state_bits;
    for (register, found) in [(Register::SeqPc, false), (Register::SeqWaitCount, true)] {
        let location = Location { unit, register };
        let flip = Flip { cycle: 30, location, bit: 0 };
        let compared = Box::new(ComparisonCoverage::whole(&[GEOMETRY]));
        let hidden = Fault::Hidden(HiddenRegisters { register: RegisterId::SeqPc, compared });
        let faulty = FaultyDesign::new(&GoldenDesign, Fault::Flip(flip));
        let design = FaultyDesign::new(&faulty, hidden);
        let outcome = run(&case, &RunSetup { design: &design, ..setup() }).unwrap();
        assert_eq!(outcome.mismatch.is_some(), found, "{register}");
        // A program counter has six bits (chapter 2, section 3).
        assert_eq!(outcome.state_bits, bits - 6 * GEOMETRY.cells() as u64);
    }
}

/// 100 of 100 compared bits are more than 900 of 1000.
#[test]
fn comparison_coverage_is_ordered_by_its_percentage() {
    let of = |bits: u32, compared: u32| {
        let mut coverage = ComparisonCoverage::nothing();
        coverage.count(UnitKind::Cell, compared, true);
        coverage.count(UnitKind::Cell, bits - compared, false);
        coverage
    };
    let (small, large) = (of(100, 100), of(1000, 900));
    assert!(small.by_percent(&large).is_gt() && large.by_percent(&large).is_eq());
}

/// Ports are compared from cycle 0 on; all ports that differ are reported, in the order of the comparison: `agu_busy`
/// is inverted, and column 2 always requests a block.
#[test]
fn ports_that_differ_are_told() {
    let wrong =
        Fault::Outputs(|o| StatusOutputs { io_in_en: o.io_in_en | 4, agu_busy: !o.agu_busy, ..o });
    let faulty = FaultyDesign::new(&GoldenDesign, wrong);
    let outcome = run(&vec_add(), &RunSetup { design: &faulty, ..setup() }).unwrap();
    let mismatch = outcome.mismatch.unwrap();
    assert_eq!(mismatch.cycle, 0);
    let MismatchKind::Port(ports) = mismatch.kind else { panic!("{:?}", mismatch.kind) };
    let told: Vec<_> = ports
        .iter()
        .map(|p| (p.port, p.column.map(ColumnId::col), p.golden.to_string(), p.dut.to_string()))
        .collect();
    let expected = [(PortId::AguBusy, None), (PortId::IoInEn, Some(2))];
    assert_eq!(told, expected.map(|(port, column)| (port, column, "0x0".into(), "0x1".into())));
}

/// Every signal occurs once, with the name and the width of chapter 5, 7.4. In reset, the value of a signal follows
/// from the reset values of registers, or the signal has no value.
#[test]
fn signals_have_names_and_values() {
    let geometry = Geometry { columns: 2, tile_rows: 2, ..Geometry::default() };
    let all = SignalLocation::all(&geometry);
    let names: Vec<String> = all.iter().map(SignalLocation::to_string).collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    let units = drra_isa::Unit::all(&geometry).filter(|unit| *unit != drra_isa::Unit::Fabric);
    for unit in units {
        assert!(all.iter().any(|signal| signal.unit == unit), "{unit}");
    }
    for (name, width) in [
        ("cell[0][1].dpu_out[1]", 16),
        ("cell[1][0].cell_noc", 67),
        ("cell[1][1].blk_read", 257),
        ("cell[0][0].blk_write", 272),
        ("col[1].col_noc", 63),
        ("tile[2][1].msg_in[S]", 63),
    ] {
        let found: Vec<_> = names.iter().zip(&all).filter(|(n, _)| *n == name).collect();
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(found[0].1.width(), width, "{name}");
    }
    assert!(!names.contains(&"tile[1][0].msg_in[S]".to_owned()));
    // In reset, cells are idle, and nothing is connected, sent, read or written, except that slots clear their
    // iterators. Segment S of a home tile is requested in every cycle, a divisor is not 0, and a tile always receives
    // its position.
    let signals = Fabric::new(geometry, 0).all_signals(&Inputs::default());
    for signal in all.iter().filter(|s| s.id.name() != "req_s" && s.id.name() != "swb_sel") {
        let value = signal.value(&signals);
        let quiet =
            ["idle", "dpu_divisor", "iter_we", "row_in", "col_in"].contains(&signal.id.name());
        let zero = value.is_none_or(|v| v.words().iter().all(|word| *word == 0));
        assert!(zero || quiet, "{signal}");
    }
}
