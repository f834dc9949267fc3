// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this project through a signal map, as a design of somebody else: what holds for it holds for any
//! design with a map.

use std::ops::ControlFlow;

use drra_case::{Case, programs};
use drra_cosim::{
    GEOMETRY,
    bridge::{MappedError, OWN, Rtl},
};
use drra_isa::{
    TileId, Unit,
    fabric::{Layout, Location},
    ports::Block,
};
use drra_lockstep::{
    Compared, Design, EndRule, Fault, Faulty, Flip, MismatchKind, Now, Observer, Outcome, Pair,
    Setup, WhyNot, run,
};
use drra_recorded::{
    map::{CompareFrom, GoldenEntry, MapFile, RegisterEntry, Term},
    own_map,
};

fn case() -> Case {
    let program = programs::ALL.iter().find(|p| p.name() == "vec_add").unwrap();
    program.case(&GEOMETRY).unwrap()
}

fn bound(file: &MapFile) -> Rtl {
    Rtl::bind(&file.to_json()).unwrap()
}

fn entry<'a>(file: &'a mut MapFile, register: &str) -> &'a mut RegisterEntry {
    file.registers.iter_mut().find(|e| e.register == register).unwrap()
}

fn outcome(design: &dyn Design) -> Outcome {
    run(&case(), &Setup { design, cycles: None }).unwrap()
}

fn account(design: &Rtl) -> Compared {
    design.mapped().unwrap().compared()
}

/// The registers of a design in every cycle.
#[derive(Default)]
struct States(Vec<(Vec<Vec<u64>>, Vec<Block>)>);

impl Observer for States {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let dut = now.dut.unwrap();
        let image = |unit: Unit| {
            let mut image = Vec::new();
            dut.read(unit, &mut image);
            image
        };
        let rows = TileId::all(&GEOMETRY)
            .flat_map(|tile| (0..GEOMETRY.sram_blocks).map(move |row| dut.sram_block(tile, row)));
        self.0.push((now.golden.layout().units().map(image).collect(), rows.collect()));
        ControlFlow::Continue(())
    }
}

fn states(design: &dyn Design) -> States {
    let (case, mut states) = (case(), States::default());
    Pair::new(&case, design).unwrap().run(EndRule::at(60), &mut states);
    states
}

#[test]
fn the_map_reads_what_our_own_plan_reads() {
    let mapped = bound(&own_map(&GEOMETRY));
    let (ours, theirs) = (states(&OWN), states(&mapped));
    assert_eq!(ours.0.len(), 61);
    assert!(ours.0 == theirs.0, "map and plan read different values");
    let account = account(&mapped);
    assert!(account.is_whole() && account.not_compared.is_empty());
    assert_eq!(account.all().bits, Layout::new(&GEOMETRY).state_bits());
}

#[test]
fn programs_agree_through_the_map() {
    let mapped = bound(&own_map(&GEOMETRY));
    for program in programs::ALL {
        // A smaller fabric lacks cells of some.
        let Ok(case) = program.case(&GEOMETRY) else { continue };
        let setup = Setup { design: &mapped, cycles: None };
        assert_eq!(run(&case, &setup).unwrap().mismatch, None, "{}", program.name());
    }
}

#[test]
fn a_fault_is_found_under_the_name_of_the_design() {
    let mapped = bound(&own_map(&GEOMETRY));
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
        let found = outcome(&Faulty::new(&mapped, Fault::Flip(flip))).mismatch.unwrap();
        assert_eq!((found.cycle, found.differences()[0].location), (45, location), "{path}");
    }
}

/// What is no plain bits of variables is computed, and compared like everything else.
#[test]
fn computed_registers_are_compared() {
    let mut file = own_map(&GEOMETRY);
    let twice = |term: Term| Term::Not { not: Box::new(Term::Not { not: Box::new(term) }) };
    for register in ["cell[r][c].seq.pc", "cell[r][c].rf.mem[k]", "tile[R][c].sram[k]"] {
        let entry = entry(&mut file, register);
        entry.value = entry.value.take().map(twice);
    }
    let mapped = bound(&file);
    assert!(account(&mapped).is_whole());
    assert_eq!(outcome(&mapped).mismatch, None);

    for register in ["cell[r][c].seq.pc", "tile[R][c].sram[k]"] {
        let mut wrong = file.clone();
        let entry = entry(&mut wrong, register);
        entry.value = entry.value.take().map(|term| Term::Not { not: Box::new(term) });
        let found = outcome(&bound(&wrong)).mismatch.unwrap();
        let pattern = register.split_once("].").unwrap().0.split('[').next().unwrap();
        assert_eq!(found.cycle, 0, "{register}");
        assert!(found.differences()[0].location.to_string().starts_with(pattern), "{register}");
    }
}

/// A code that the map does not have is a finding.
#[test]
fn a_value_without_a_translation_is_unknown() {
    let mut file = own_map(&GEOMETRY);
    let state = entry(&mut file, "cell[r][c].seq.state");
    let Some(Term::Slice(slice)) = state.value.clone() else { panic!("bits of a variable") };
    let codes = r#"{"3'd0": "2'd0", "3'd1": "2'd1"}"#;
    let wide = serde_json::json!({
        "translate": {"concat": ["1'b0", Term::Slice(slice)]},
        "values": serde_json::from_str::<serde_json::Value>(codes).unwrap()
    });
    state.value = Some(serde_json::from_value(wide).unwrap());
    // RUN, 2, is left out: a finding as soon as a cell runs.
    let found = outcome(&bound(&file)).mismatch.unwrap();
    let MismatchKind::Unknown(differences) = found.kind else { panic!("{:?}", found.kind) };
    assert_eq!(differences[0].location.register.to_string(), "seq.state");
    assert_eq!((differences[0].golden.low(), differences[0].dut.to_string()), (2, "0xx".into()));
}

/// Swapped registers are found, whatever the path to them.
#[test]
fn a_wrong_map_is_found() {
    let mut file = own_map(&GEOMETRY);
    let pc = entry(&mut file, "cell[r][c].seq.pc").value.take();
    let other = entry(&mut file, "cell[r][c].seq.pend_pc");
    let pend = std::mem::replace(&mut other.value, pc);
    entry(&mut file, "cell[r][c].seq.pc").value = pend;
    let found = outcome(&bound(&file)).mismatch.unwrap();
    let registers: Vec<_> =
        found.differences().iter().map(|d| d.location.register.to_string()).collect();
    assert!(registers.iter().all(|r| ["seq.pc", "seq.pend_pc"].contains(&&**r)), "{registers:?}");
}

#[test]
fn what_is_not_compared_is_counted() {
    let all = account(&bound(&own_map(&GEOMETRY)));
    let mut file = own_map(&GEOMETRY);
    let excluded = entry(&mut file, "cell[r][c].seq.pc");
    (excluded.value, excluded.exclude) = (None, Some("for a test".into()));
    let lacking = entry(&mut file, "cell[r][c].seq.wait_count");
    lacking.value = Some(Term::Text("{cell}.u_seq.wait_q".into()));
    file.registers.retain(|e| e.register != "cell[r][c].seq.pend_pc");
    let mapped = bound(&file);
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
            [(a, _, _, WhyNot::Lacking { path, .. }), (b, _, _, WhyNot::Excluded { reason }), (c, _, _, WhyNot::Unmapped)]
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
    // A fault in what is not compared is not found, one beside it is.
    let at = |path: &str| Flip { cycle: 45, location: path.parse().unwrap(), bit: 0 };
    let beside = Fault::Flip(at("cell[0][0].seq.load_count"));
    assert_eq!(outcome(&Faulty::new(&mapped, beside)).mismatch.unwrap().cycle, 45);
}

/// A stage of the load pipeline holds in each cycle what the stage before it held in the cycle before.
#[test]
fn a_register_can_be_early() {
    let outcome = |offset: i32, stage: usize| {
        let mut file = own_map(&GEOMETRY);
        // Below them are 27 bits of the word, two of the row, and one for each column.
        for (field, above) in [("imm", 29), ("valid", 30)] {
            let index = above + GEOMETRY.columns;
            let value = format!(r#"{{"bit": "{{fabric}}.ld_pipe_q[{stage}]", "index": {index}}}"#);
            let mut second = entry(&mut file, &format!("ld_pipe[k].{field}")).clone();
            second.register = format!("ld_pipe[1].{field}");
            second.offset = offset;
            second.value = Some(serde_json::from_str(&value).unwrap());
            file.registers.push(second);
        }
        outcome(&bound(&file)).mismatch
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

/// Rows of memories are compared while their conditions hold; arithmetic stands for the number of the row in
/// constants, too.
#[test]
fn rows_can_have_conditions() {
    let wrong = r#"{"if": {"equal": ["8'd{k}", "8'd3"]}, "then": {"not": "{tile}.u_mem.sram_q[{k}]"}, "else": "{tile}.u_mem.sram_q[{k}]"}"#;
    let outcome = |change: &dyn Fn(&mut RegisterEntry)| {
        let mut file = own_map(&GEOMETRY);
        let rows = entry(&mut file, "tile[R][c].sram[k]");
        rows.value = Some(serde_json::from_str(wrong).unwrap());
        change(rows);
        let mapped = bound(&file);
        let account = account(&mapped);
        let rows = (GEOMETRY.tiles() * GEOMETRY.sram_blocks) as u64;
        (outcome(&mapped).mismatch, account.conditional.registers == rows)
    };
    let (always, conditional) = outcome(&|_| {});
    let always = always.unwrap();
    assert!(!conditional);
    let found: Vec<_> = always.differences().iter().map(|d| d.location.to_string()).collect();
    assert!(found.iter().all(|path| path.ends_with(".sram[3]")), "{found:?}");
    assert_eq!((found.len(), always.cycle), (GEOMETRY.tiles(), 0));

    let never = |rows: &mut RegisterEntry| rows.condition = Some(Term::Text("1'b0".into()));
    assert_eq!(outcome(&never), (None, true));
    let (late, conditional) = outcome(&|rows| rows.from = Some(CompareFrom::Cycle(20)));
    assert_eq!((late.map(|m| m.cycle), conditional), (Some(20), true));
    let running = |rows: &mut RegisterEntry| {
        let register = "cell[0][0].seq.state".to_owned();
        rows.while_register = Some(GoldenEntry { register, equals: Some(3), not: None });
    };
    // No sequencer has the state 3.
    assert_eq!(outcome(&running), (None, true));
}

/// A row for which the map has no value is a finding, not a zero.
#[test]
fn a_row_without_a_value_is_unknown() {
    let mut file = own_map(&GEOMETRY);
    let low = r#"{"slice": "{tile}.u_mem.sram_q[{k}]", "msb": 0, "lsb": 0}"#;
    let none = format!(
        r#"{{"translate": {{"not": {{"and": [{low}, "1'b0"]}}}}, "values": {{"1'b0": "256'd0"}}}}"#
    );
    let row = entry(&mut file, "tile[R][c].sram[k]");
    row.value = Some(serde_json::from_str(&none).unwrap());
    let found = outcome(&bound(&file)).mismatch.unwrap();
    let MismatchKind::Unknown(differences) = found.kind else { panic!("{:?}", found.kind) };
    assert_eq!(differences.len(), GEOMETRY.tiles() * GEOMETRY.sram_blocks);
}

#[test]
fn maps_that_do_not_fit_are_refused() {
    let refused = |change: &dyn Fn(&mut MapFile)| {
        let mut file = own_map(&GEOMETRY);
        change(&mut file);
        Rtl::bind(&file.to_json()).unwrap_err()
    };
    let late = refused(&|file| entry(file, "cell[r][c].seq.pc").offset = 1);
    assert!(matches!(late, MappedError::Late(_)), "{late}");
    let row = refused(&|file| entry(file, "tile[R][c].sram[k]").offset = -1);
    assert!(matches!(row, MappedError::Row(_)), "{row}");
    let narrow = refused(&|file| {
        entry(file, "cell[r][c].seq.pc").value = Some(Term::Text("{cell}.u_seq.core_q".into()));
    });
    let text = narrow.to_string();
    assert!(text.contains("6 bits are needed, the expression has 36"), "{text}");
    let syntax = Rtl::bind("{").unwrap_err();
    assert!(matches!(syntax, MappedError::File { .. }), "{syntax}");
}
