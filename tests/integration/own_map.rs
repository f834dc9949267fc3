// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this project through a signal map, as if it were a user's design: the results apply to any design with a
//! map.

use std::{collections::BTreeSet, ops::ControlFlow};

use drra_bridge::{MappedDesignError, RtlDesign};
use drra_case::{Case, programs};
use drra_cosim::{BUILT, GEOMETRY, OWN};
use drra_fabric::{
    Layout, Location, PortId, SignalId,
    ports::{Block, Inputs},
};
use drra_golden::Fabric;
use drra_isa::{TileId, Unit};
use drra_lockstep::{
    ComparisonCoverage, CycleView, Design, EndRule, LockstepRun, MismatchKind, Observer, Outcome,
    RunSetup, SignalDifference, UncomparedReason, hidden, run,
};
use drra_recorded::own_map;
use drra_testkit::{Fault, FaultyDesign, Flip};

fn case() -> Case {
    let program = programs::ALL.iter().find(|p| p.name() == "vec_add").unwrap();
    program.case(&GEOMETRY).unwrap()
}

fn own() -> String {
    own_map(&GEOMETRY)
}

fn bound(map: &str) -> RtlDesign {
    RtlDesign::bind(&BUILT, map).unwrap_or_else(|e| panic!("{e}"))
}

/// The expression for a register in a map.
fn value(map: &str, register: &str) -> String {
    let line = map.lines().find_map(|line| line.strip_prefix(&format!("{register} = ")));
    line.unwrap().to_owned()
}

/// A map in which the name of a register is followed by a different text.
fn with(map: &str, register: &str, rest: &str) -> String {
    let old = format!("{register} = {}\n", value(map, register));
    map.replace(&old, &format!("{register} {rest}\n"))
}

fn outcome(design: &dyn Design) -> Outcome {
    run(&case(), &RunSetup::new(design)).unwrap()
}

fn account(design: &RtlDesign) -> ComparisonCoverage {
    design.mapped().unwrap().compared()
}

/// The registers of a design in every cycle.
#[derive(Default)]
struct States(Vec<(Vec<Vec<u64>>, Vec<Block>)>);

impl Observer for States {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let dut = view.dut.unwrap();
        let image = |unit: Unit| {
            let mut image = Vec::new();
            dut.read(unit, &mut image);
            // Undefined registers can contain anything.
            for variable in view.golden.layout().variables_of(unit.kind()) {
                if hidden(view.golden, unit, variable) {
                    let words = variable.words(&image).len();
                    image[variable.slot..][..words].fill(0);
                }
            }
            image
        };
        let rows = TileId::all(&GEOMETRY)
            .flat_map(|tile| (0..GEOMETRY.sram_blocks).map(move |row| dut.sram_block(tile, row)));
        self.0.push((view.golden.layout().units().map(image).collect(), rows.collect()));
        ControlFlow::Continue(())
    }
}

fn states(design: &dyn Design) -> States {
    let (case, mut states) = (case(), States::default());
    LockstepRun::new(&case, &RunSetup::new(design)).unwrap().run(EndRule::at(60), &mut states);
    states
}

#[test]
fn the_map_reads_what_our_own_plan_reads() {
    let mapped = bound(&own());
    let (ours, theirs) = (states(&OWN), states(&mapped));
    assert_eq!(ours.0.len(), 61);
    assert!(ours.0 == theirs.0, "map and plan read different values");
    let account = account(&mapped);
    assert!(account.is_whole() && account.not_compared.is_empty());
    assert_eq!(account.all().bits, Layout::new(&GEOMETRY).state_bits());
}

/// The signals between blocks that differ from those of a fabric after reset, in every cycle, and those that are shown.
#[derive(Default)]
struct FromReset(Vec<Vec<SignalDifference>>, BTreeSet<SignalId>);

impl Observer for FromReset {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let (dut, reset) = (view.dut.unwrap(), Fabric::new(GEOMETRY, 0));
        self.0.push(dut.differing_signals(&reset.all_signals(&Inputs::default())).unwrap());
        self.1.extend(dut.shown_signals().into_iter().flatten().map(|signal| signal.id));
        ControlFlow::Continue(())
    }
}

#[test]
fn signals_of_the_map_are_those_of_our_own_plan() {
    let signals = "signal dpu_in[k] = ({cell}.vin_i)[16*k+47:16*k+32]\n\
                   signal rdata[n] = ~~{cell}.lane_o[16*n+15:16*n]\nsignal wdata[k] = {cell}.nothing\n";
    let found = |design: &dyn Design| {
        let (case, mut found) = (case(), FromReset::default());
        LockstepRun::new(&case, &RunSetup::new(design)).unwrap().run(EndRule::at(60), &mut found);
        found
    };
    let (ours, theirs) = (found(&OWN), found(&bound(&(own() + signals))));
    let shown = BTreeSet::from([SignalId::Rdata, SignalId::DpuIn]);
    let of_shown = |all: &Vec<SignalDifference>| {
        all.iter().filter(|d| shown.contains(&d.signal.id)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(theirs.0, ours.0.iter().map(of_shown).collect::<Vec<_>>());
    assert!(theirs.0.iter().any(|all| !all.is_empty()));
    assert_eq!((theirs.1, ours.1), (shown, BTreeSet::new()));
}

#[test]
fn programs_agree_through_the_map() {
    let mapped = bound(&own());
    for program in programs::ALL {
        // Some programs use cells that a smaller fabric lacks.
        let Ok(case) = program.case(&GEOMETRY) else { continue };
        let setup = RunSetup::new(&mapped);
        assert_eq!(run(&case, &setup).unwrap().mismatch, None, "{}", program.name());
    }
}

#[test]
fn a_fault_is_found_under_the_name_of_the_design() {
    let mapped = bound(&own());
    for (path, name) in [
        ("cell[1][0].seq.pc", "drra_fabric.gen_row[1].gen_col[0].u_cell.u_seq.core_q[27:22]"),
        ("cell[0][1].rf.mem[7]", "drra_fabric.gen_row[0].gen_col[1].u_cell.u_rf.mem_q[127:112]"),
        (
            "tile[1][0].sram[3]",
            "drra_fabric.gen_tile_row[1].gen_tile_col[0].u_tile.u_mem.sram_q[3]",
        ),
    ] {
        let location: Location = path.parse().unwrap();
        assert_eq!(mapped.mapped().unwrap().name_of(location).as_deref(), Some(name));
        let flip = Flip { cycle: 45, location, bit: 1 };
        let found = outcome(&FaultyDesign::new(&mapped, Fault::Flip(flip))).mismatch.unwrap();
        assert_eq!((found.cycle, found.differences()[0].location), (45, location), "{path}");
    }
}

/// Registers whose values are not just bits of variables are computed, and compared like the others.
#[test]
fn computed_registers_are_compared() {
    let mut map = own();
    for register in ["cell[r][c].seq.pc", "cell[r][c].rf.mem[k]", "tile[R][c].sram[k]"] {
        map = with(&map, register, &format!("= ~~{}", value(&map, register)));
    }
    let mapped = bound(&map);
    assert!(account(&mapped).is_whole());
    assert_eq!(outcome(&mapped).mismatch, None);

    for register in ["cell[r][c].seq.pc", "tile[R][c].sram[k]"] {
        let wrong = with(&map, register, &format!("= ~{}", value(&map, register)));
        let found = outcome(&bound(&wrong)).mismatch.unwrap();
        let pattern = register.split_once("].").unwrap().0.split('[').next().unwrap();
        assert_eq!(found.cycle, 0, "{register}");
        assert!(found.differences()[0].location.to_string().starts_with(pattern), "{register}");
    }
}

/// A code without a translation in the map is a finding.
#[test]
fn a_value_without_a_translation_is_unknown() {
    let state = "cell[r][c].seq.state";
    let bits = value(&own(), state);
    let wide = format!("= translate((1'b0, {bits}), 3'd0: 2'd0, 3'd1: 2'd1)");
    // RUN (2) is left out; this is a finding as soon as a cell runs.
    let found = outcome(&bound(&with(&own(), state, &wide))).mismatch.unwrap();
    let MismatchKind::Unknown(differences) = found.kind else { panic!("{:?}", found.kind) };
    assert_eq!(differences[0].location.register.to_string(), "seq.state");
    assert_eq!((differences[0].golden.low(), differences[0].dut.to_string()), (2, "0xx".into()));
}

/// The output ports that differ in any cycle.
#[derive(Default)]
struct DifferingPorts(BTreeSet<PortId>);

impl Observer for DifferingPorts {
    fn on_sample(&mut self, view: &CycleView<'_>) -> ControlFlow<()> {
        let differing = view.dut.unwrap().differing_ports(view.golden);
        self.0.extend(differing.iter().map(|difference| difference.port));
        ControlFlow::Continue(())
    }
}

/// An output that the map excludes is not compared: here, a cell is not idle although it should be.
#[test]
fn excluded_outputs_are_not_compared() {
    let flip = Flip { cycle: 60, location: "cell[1][7].seq.state".parse().unwrap(), bit: 0 };
    let found = |map: &str| {
        let (case, design, mut found) = (case(), bound(map), DifferingPorts::default());
        let faulty = FaultyDesign::new(&design, Fault::Flip(flip));
        LockstepRun::new(&case, &RunSetup::new(&faulty)).unwrap().run(EndRule::at(70), &mut found);
        found.0
    };
    assert_eq!(found(&own()), [PortId::CellIdle].into());
    let map = own() + "output cell_idle excluded: none\n";
    assert_eq!(account(&bound(&map)).ports, account(&bound(&own())).ports - 1);
    assert_eq!(found(&map), BTreeSet::new());
}

/// A map that swaps two registers is found.
#[test]
fn a_wrong_map_is_found() {
    let [pc, pend] = ["cell[r][c].seq.pc", "cell[r][c].seq.pend_pc"];
    let swapped = with(&own(), pc, &format!("= {}", value(&own(), pend)));
    let swapped = with(&swapped, pend, &format!("= {}", value(&own(), pc)));
    let found = outcome(&bound(&swapped)).mismatch.unwrap();
    let registers: Vec<_> =
        found.differences().iter().map(|d| d.location.register.to_string()).collect();
    assert!(registers.iter().all(|r| ["seq.pc", "seq.pend_pc"].contains(&&**r)), "{registers:?}");
}

#[test]
fn what_is_not_compared_is_counted() {
    let all = account(&bound(&own()));
    let map = with(&own(), "cell[r][c].seq.pc", "excluded: for a test");
    let map = with(&map, "cell[r][c].seq.wait_count", "= {cell}.u_seq.wait_q");
    let pend = "cell[r][c].seq.pend_pc";
    let map = map.replace(&format!("{pend} = {}\n", value(&map, pend)), "");
    let mapped = bound(&map);
    let cells = GEOMETRY.cells() as u64;
    let account = account(&mapped);
    let counts: Vec<_> = account
        .not_compared
        .iter()
        .map(|n| (n.registers[0].to_string(), n.count.registers, n.count.bits, &n.why))
        .collect();
    assert!(
        matches!(
            &counts[..],
            [(a, _, _, UncomparedReason::Lacking { path, .. }), (b, _, _, UncomparedReason::Excluded { reason }), (c, _, _, UncomparedReason::Unmapped)]
                if [&**a, &**b, &**c] == ["seq.wait_count", "seq.pc", "seq.pend_pc"]
                    && path.ends_with("u_seq.wait_q") && reason == "for a test"
        ),
        "{counts:?}"
    );
    let bits: Vec<_> = counts.iter().map(|c| (c.1, c.2)).collect();
    assert_eq!(bits, [(cells, 15 * cells), (cells, 6 * cells), (cells, 6 * cells)]);
    assert_eq!(account.all(), all.all());
    assert_eq!(account.compared().bits, all.all().bits - 27 * cells);
    assert_eq!(outcome(&mapped).state_bits, all.all().bits - 27 * cells);
    // A fault in a register next to those that are not compared is found.
    let at = |path: &str| Flip { cycle: 45, location: path.parse().unwrap(), bit: 0 };
    let beside = Fault::Flip(at("cell[0][0].seq.load_count"));
    assert_eq!(outcome(&FaultyDesign::new(&mapped, beside)).mismatch.unwrap().cycle, 45);
}

/// In each cycle, a stage of the load pipeline contains the contents of the previous stage in the previous cycle.
#[test]
fn a_register_can_be_early() {
    let outcome = |offset: i32, stage: usize| {
        let mut map = own();
        // Below these two bits are 27 bits of the word, two bits of the row, and one bit for each column.
        for (field, above) in [("imm", 29), ("valid", 30)] {
            let index = above + GEOMETRY.columns;
            let bit = format!("{{fabric}}.ld_pipe_q[{stage}][{index}]");
            map += &format!("ld_pipe[1].{field} = {bit} offset {offset}\n");
        }
        outcome(&bound(&map)).mismatch
    };
    assert_eq!(outcome(-1, 0), None);
    assert_eq!(outcome(0, 1), None);
    for offset in [0, -2] {
        let found = outcome(offset, 0).unwrap();
        assert!(
            found.differences()[0].location.to_string().starts_with("ld_pipe[1]."),
            "{found:?}"
        );
    }
}

/// Rows of memories are compared while their conditions are met. The number of the row can also be part of a constant.
#[test]
fn rows_can_have_conditions() {
    let row = "{tile}.u_mem.sram_q[k]";
    let outcome = |condition: &str| {
        let value = format!("= 8'd{{k}} == 8'd3 ? ~{row} : {row} {condition}");
        let mapped = bound(&with(&own(), "tile[R][c].sram[k]", &value));
        let account = account(&mapped);
        let rows = (GEOMETRY.tiles() * GEOMETRY.sram_blocks) as u64;
        (outcome(&mapped).mismatch, account.conditional.registers == rows)
    };
    let (always, conditional) = outcome("");
    let always = always.unwrap();
    assert!(!conditional);
    let found: Vec<_> = always.differences().iter().map(|d| d.location.to_string()).collect();
    assert!(found.iter().all(|path| path.ends_with(".sram[3]")), "{found:?}");
    assert_eq!((found.len(), always.cycle), (GEOMETRY.tiles(), 0));

    assert_eq!(outcome("while 1'b0"), (None, true));
    let (late, conditional) = outcome("from 20");
    assert_eq!((late.map(|m| m.cycle), conditional), (Some(20), true));
    // No sequencer has the state 3.
    assert_eq!(outcome("while golden cell[0][0].seq.state == 3"), (None, true));
}

/// A row for which the map has no value is a finding rather than a zero.
#[test]
fn a_row_without_a_value_is_unknown() {
    let none = "= translate(~({tile}.u_mem.sram_q[k][0:0] & 1'b0), 1'b0: 256'd0)";
    let found = outcome(&bound(&with(&own(), "tile[R][c].sram[k]", none))).mismatch.unwrap();
    let MismatchKind::Unknown(differences) = found.kind else { panic!("{:?}", found.kind) };
    assert_eq!(differences.len(), GEOMETRY.tiles() * GEOMETRY.sram_blocks);
}

#[test]
fn maps_that_do_not_fit_are_refused() {
    let refused = |register: &str, rest: &str| {
        RtlDesign::bind(&BUILT, &with(&own(), register, rest)).expect_err("it does not fit")
    };
    let pc = "cell[r][c].seq.pc";
    let late = refused(pc, &format!("= {} offset 1", value(&own(), pc)));
    assert!(matches!(late, MappedDesignError::Late { .. }), "{late}");
    let row = refused("tile[R][c].sram[k]", "= {tile}.u_mem.sram_q[k] offset -1");
    assert!(matches!(row, MappedDesignError::Row { .. }), "{row}");
    let text = refused(pc, "= {cell}.u_seq.core_q").to_string();
    assert!(text.contains("the expression has 36 bits, expected 6"), "{text}");
    let syntax = RtlDesign::bind(&BUILT, "{").unwrap_err();
    assert!(matches!(syntax, MappedDesignError::Map(_)), "{syntax}");
}
