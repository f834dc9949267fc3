// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reductions of failing cases, with checks that stand for a design.

use std::{cell::RefCell, time::Duration};

use drra_campaign::{
    CampaignError, CaseFailure,
    shrink::{Reduction, ReductionBounds, shrink},
};
use drra_case::{Case, Divergence, StimulusEntry};
use drra_fabric::ports::{IdleLines, ProgWord};
use drra_generate::{Profile, SHIPPED, generate};
use drra_isa::{Assembler, CellId, Geometry, MemoryImage, Revision, instructions::DpuMode};
use drra_lockstep::GoldenRun;

use crate::GEOMETRY;

/// A failure with this signature in this cycle.
fn failure(signature: &str, cycle: u64) -> CaseFailure {
    let expect = Divergence { cycle, path: signature.to_owned() };
    CaseFailure {
        signature: signature.to_owned(),
        expect,
        compare_from: 0,
        crash: None,
        note: None,
    }
}

/// A case at the ports that fails in cycle 0, before any of its eight words (six instructions) has an effect.
#[test]
fn the_size_before_is_that_of_the_whole_case() {
    let text = "CELL <0,0>\nWAIT cycle=177\nREFI l1_delay=1\nHALT\n\
                CELL <1,0>\nWAIT cycle=176\nREFI l1_delay=1\nHALT\n";
    let image = Assembler::default().assemble(text).unwrap().image;
    let mut case = Case::new("early", &Geometry::default(), image, MemoryImage::default());
    (case.ports, case.cycles) = (true, Some(400));
    let failure = failure("early", 0);
    let fails = |_: &Case| Ok(Some(failure.clone()));
    let shrunk =
        shrink(&case, &failure, &fails, ReductionBounds::default(), &|| false, &|_| true).unwrap();
    let [before, after] = [shrunk.before, shrunk.after].map(|s| (s.instructions, s.cells));
    assert_eq!((before, after), ((6, 2), (0, 0)));
}

/// Fails in the first cycle in which the DPUs of cells (0,0) and (1,0) enter mode `add` together.
fn meet(case: &Case) -> Result<Option<CaseFailure>, CampaignError> {
    let mut run = GoldenRun::new(case);
    let add = |run: &GoldenRun<'_>, row: usize| {
        let cell = CellId::new(row, 0).unwrap();
        run.fabric.dpu(cell).mode() == DpuMode::Add
    };
    let mut before = [false; 2];
    for cycle in 0..case.cycles.unwrap_or(1000) {
        let now = [add(&run, 0), add(&run, 1)];
        if now == [true; 2] && before == [false; 2] {
            return Ok(Some(failure("meet", cycle)));
        }
        before = now;
        run.step();
    }
    Ok(None)
}

/// Cell (1,0) is loaded after cell (0,0), and starts a cycle later: their WAITs differ, and neither can be
/// shortened alone.
#[test]
fn waits_that_meet_become_shorter_together() {
    let text = "CELL <0,0>\nWAIT cycle=177\nDPU mode=add\nHALT\n\
                CELL <1,0>\nWAIT cycle=176\nDPU mode=add, unused_0=5\nHALT\n";
    let image = Assembler::default().assemble(text).unwrap().image;
    let mut case = Case::new("meet", &Geometry::default(), image, MemoryImage::default());
    case.cycles = Some(400);
    let failure = meet(&case).unwrap().expect("both meet");
    let bounds = ReductionBounds { steps: 3000, time: Duration::from_secs(1000) };
    let shrunk = shrink(&case, &failure, &meet, bounds, &|| false, &|_| true).unwrap();
    assert!(shrunk.complete);
    // Only cell (0,0) waits, for the cycle that a word takes to cell (1,0).
    assert_eq!((shrunk.after.instructions, shrunk.after.cycles), (3, 8));
    // No unusual value is left in a field that has no meaning.
    let plain = Assembler::default().assemble("DPU mode=add").unwrap().image;
    let plain = plain.cell(CellId::FIRST).unwrap()[0].bits;
    for (cell, words) in shrunk.case.program.cells() {
        assert!(words.iter().any(|word| word.bits == plain), "{cell:?}: {words:?}");
    }
}

/// Without steps, the reduction only takes a case apart and puts it together again, which changes nothing.
#[test]
fn round_trip() {
    let none = ReductionBounds { steps: 0, ..ReductionBounds::default() };
    for (name, _) in SHIPPED {
        let profile = Profile::shipped(name).unwrap();
        for seed in 0..20 {
            let case = generate(&profile, seed, &GEOMETRY).case;
            let failure = failure("late", case.cycles.unwrap() - 1);
            let put_together = RefCell::new(None);
            let fails = |again: &Case| {
                put_together.replace(Some(again.clone()));
                Ok(Some(failure.clone()))
            };
            shrink(&case, &failure, &fails, none, &|| false, &|_| true).unwrap();
            let again = put_together.into_inner().unwrap();
            assert_eq!(again.stimulus, case.stimulus, "{name} {seed}");
            assert_eq!(again.cycles, case.cycles, "{name} {seed}");
        }
    }
}

/// The cycle in which the DPU of the only cell with a program enters mode `add`, and the number of cycles since the
/// start of the cell; `None` unless a LOOP, a JUMP and a BRANCH lead to the instruction for the DPU.
fn leads_to_add(case: &Case) -> Option<(u64, u64)> {
    let (cell, words) = case.program.cells().next()?;
    let lines = drra_isa::disassemble(Revision::R4.isa(), words, false);
    let add = lines.iter().find(|line| line.text.starts_with("DPU (mode=add,"))?.address;
    for (name, field) in [("LOOP", "endpc"), ("JUMP", "pc"), ("BRANCH", "false_pc")] {
        let field = format!("{field}={add}");
        lines.iter().find(|line| {
            let mut words = line.text.split([' ', ',', '(', ')']);
            words.next() == Some(name) && words.any(|word| word == field)
        })?;
    }
    let (mut run, mut start) = (GoldenRun::new(case), None);
    for cycle in 0..case.cycles? {
        run.step();
        if run.fabric.sequencer(cell).running() {
            start = start.or(Some(cycle));
        }
        if run.fabric.dpu(cell).mode() == DpuMode::Add {
            return Some((cycle, cycle - start?));
        }
    }
    None
}

/// Instructions that are removed or joined change neither the cycles of the others nor the instructions to which others
/// lead, although their addresses change.
#[test]
fn targets_and_cycles_stay() {
    let text = "CELL <0,0>\nWAIT cycle=9\nREFI l1_delay=1\nWAIT cycle=4\nDPU mode=mult\n\
                WAIT cycle=7\nDPU mode=add\nWAIT cycle=2\nLOOP endpc=6, iter=2\nJUMP pc=6\n\
                BRANCH false_pc=6\nHALT\n";
    let image = Assembler::default().assemble(text).unwrap().image;
    let mut case = Case::new("leads", &Geometry::default(), image, MemoryImage::default());
    case.cycles = Some(400);
    let (cycle, after) = leads_to_add(&case).unwrap();
    let fails = |case: &Case| {
        let found = leads_to_add(case).filter(|(_, found)| *found == after);
        Ok(found.map(|(cycle, _)| failure("leads", cycle)))
    };
    let bounds = ReductionBounds { steps: 3000, time: Duration::from_secs(1000) };
    let failure = failure("leads", cycle);
    let shrunk = shrink(&case, &failure, &fails, bounds, &|| false, &|_| true).unwrap();
    let words = shrunk.case.program.cell(CellId::FIRST).unwrap();
    let lines = drra_isa::disassemble(Revision::R4.isa(), words, false);
    // A WAIT of 10 + 1 + 5 + 1 + 8 cycles comes before the instruction for the DPU.
    assert_eq!(lines[0].text, "WAIT (cycle_sd=s, cycle=24)");
    let names: Vec<_> = lines.iter().filter_map(|line| line.text.split(' ').next()).collect();
    assert_eq!(names, ["WAIT", "DPU", "LOOP", "JUMP", "BRANCH"]);
}

/// The reduction of a case made of the programs in `text`. It fails in the first cycle for which `fails` returns true;
/// this function may note earlier cycles in its list.
fn reduce(
    text: &str,
    change: impl FnOnce(&mut Case),
    fails: impl Fn(&GoldenRun<'_>, &mut Vec<u64>) -> bool,
) -> Reduction {
    let image = Assembler::default().assemble(text).unwrap().image;
    let mut case = Case::new("case", &Geometry::default(), image, MemoryImage::default());
    case.cycles = Some(400);
    change(&mut case);
    let check = |case: &Case| {
        let (mut run, mut before) = (GoldenRun::new(case), Vec::new());
        while run.cycle < case.cycles.unwrap() {
            run.step();
            if fails(&run, &mut before) {
                return Ok(Some(failure("found", run.cycle - 1)));
            }
        }
        Ok(None)
    };
    let failure = check(&case).unwrap().expect("the case fails");
    let bounds = ReductionBounds { steps: 3000, time: Duration::from_secs(1000) };
    let shrunk = shrink(&case, &failure, &check, bounds, &|| false, &|_| true).unwrap();
    assert!(shrunk.complete);
    shrunk
}

fn mode(run: &GoldenRun<'_>, row: usize, col: usize) -> DpuMode {
    run.fabric.dpu(CellId::new(row, col).unwrap()).mode()
}

/// A program for six cells at once, presented while programs run, becomes the instruction that matters, in one cell.
#[test]
fn words_at_the_ports_become_programs() {
    let second = "CELL <0,0>\nWAIT cycle=3\nREFI l1_delay=1\nDPU mode=add\nHALT\n";
    let second = Assembler::default().assemble(second).unwrap().image;
    let present = |case: &mut Case| {
        case.ports = true;
        for (k, word) in second.cell(CellId::FIRST).unwrap().iter().enumerate() {
            let (instr, imm) = (word.bits as u32, word.immediate);
            let prog = Some(ProgWord { instr, imm, row_sel: 3, col_sel: 7 });
            let cycle = 100 + k as u64;
            case.stimulus.add(StimulusEntry { cycle, prog, ..StimulusEntry::default() });
        }
    };
    let first = "CELL <0,0>\nWAIT cycle=177\nDPU mode=mult\nHALT\nCELL <1,1>\nWAIT cycle=9\nHALT\n";
    let add = |run: &GoldenRun<'_>, _: &mut Vec<u64>| mode(run, 1, 2) == DpuMode::Add;
    let shrunk = reduce(first, present, add);
    assert!(!shrunk.case.ports);
    assert_eq!((shrunk.after.instructions, shrunk.after.cells), (1, 1));
}

/// The failure shows when the second word of cell (1,0) has arrived, before the last words are presented.
#[test]
fn a_failure_during_loading_keeps_two_words() {
    let text = "CELL <0,0>\nWAIT cycle=177\nDPU mode=mult\nHALT\nCELL <1,0>\nDPU mode=mult\nDPU mode=add\n\
                WAIT cycle=2\nHALT\nCELL <1,1>\nWAIT cycle=9\nDPU mode=mult\nHALT\n";
    let add = Assembler::default().assemble("CELL <0,0>\nDPU mode=add\n").unwrap().image;
    let add = add.cell(CellId::FIRST).unwrap()[0].bits;
    let cell = CellId::new(1, 0).unwrap();
    let arrived =
        |run: &GoldenRun<'_>, _: &mut Vec<u64>| run.fabric.sequencer(cell).imem(1) == add as u32;
    let shrunk = reduce(text, |_| (), arrived);
    assert_eq!((shrunk.after.instructions, shrunk.after.cells), (2, 1));
}

/// The number of cycles between two modes stays, but not the two WAITs and the RACCU that make it up.
#[test]
fn waits_of_a_program_are_joined() {
    let text = "CELL <0,0>\nRACCU mode=add, operand1=4, operand2=5, result=2\nDPU mode=mult\n\
                WAIT cycle_sd=d, cycle=2\nDPU mode=subt\nWAIT cycle=7\nDPU mode=add\nHALT\n";
    let order = |run: &GoldenRun<'_>, before: &mut Vec<u64>| {
        let wanted = [DpuMode::Mult, DpuMode::Subt, DpuMode::Add];
        if wanted.get(before.len()) == Some(&mode(run, 0, 0)) {
            before.push(run.cycle);
        }
        // A WAIT of 10 + 1 + 8 cycles between the DPU instructions.
        before.len() == 3 && before[2] - before[0] == 20
    };
    let shrunk = reduce(text, |_| (), order);
    assert_eq!(shrunk.after.instructions, 4);
}

/// DPU (0,0) adds 5 to the words that it reads, and leads to DPU (0,1), which adds nothing; its output is 42.
#[test]
fn a_chain_of_sources_becomes_contents_of_a_register_file() {
    let text = "CELL <0,0>\nSWB src_block=rf, hb_index=2, v_index=2\nSWB src_block=rf, hb_index=2, v_index=3\n\
                DPU mode=mult\nREFI port_no=r0, l1_iter=20, init_delay=9\nWAIT cycle=50\n\
                CELL <0,1>\nSWB src_block=dpu, hb_index=1, v_index=2\nDPU mode=add_const\nWAIT cycle=50\n";
    let words = |case: &mut Case| {
        let blocks = [(0, std::array::from_fn(|k| k as u16))].into();
        case.memory.rf.insert(CellId::FIRST, blocks);
        case.stimulus = drra_case::Stimulus::load(&case.program, &case.memory);
    };
    // The square of 7, which no word of the register file contains.
    let square = |run: &GoldenRun<'_>, _: &mut Vec<u64>| {
        run.fabric.lanes_of(CellId::new(0, 1).unwrap())[2] == 49
    };
    let shrunk = reduce(text, words, square);
    // A REFI replaces the first cell's DPU and connections.
    assert_eq!((shrunk.after.instructions, shrunk.after.cells), (3, 2));
}

/// A case that fails only with its lines of unused ports: no candidate without them runs for longer than the case.
#[test]
fn lines_of_unused_ports_that_matter_stay() {
    let image = Assembler::default().assemble("CELL <0,0>\nWAIT cycle=9\nHALT\n").unwrap().image;
    let mut case = Case::new("lines", &Geometry::default(), image, MemoryImage::default());
    (case.ports, case.cycles) = (true, Some(40));
    let idle = Some(IdleLines::default());
    case.stimulus.add(StimulusEntry { cycle: 20, idle, ..StimulusEntry::default() });
    let has_lines = |case: &Case| case.stimulus.entries().iter().any(|e| e.idle.is_some());
    let check = |case: &Case| {
        assert!(case.cycles.unwrap() <= 40, "{:?}", case.cycles);
        Ok(has_lines(case).then(|| failure("lines", 30)))
    };
    let bounds = ReductionBounds { steps: 1000, time: Duration::from_secs(1000) };
    let shrunk =
        shrink(&case, &failure("lines", 30), &check, bounds, &|| false, &|_| true).unwrap();
    assert!(shrunk.complete && shrunk.case.ports && has_lines(&shrunk.case));
}
