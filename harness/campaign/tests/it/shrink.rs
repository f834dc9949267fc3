// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reductions of failing cases, with checks that stand for a design.

use std::{cell::RefCell, time::Duration};

use drra_campaign::{
    CampaignError, CaseFailure,
    shrink::{ReductionBounds, shrink},
};
use drra_case::{Case, Divergence};
use drra_generate::{Profile, SHIPPED, generate};
use drra_isa::{Assembler, CellId, Geometry, MemoryImage, Revision, instructions::DpuMode};
use drra_lockstep::GoldenRun;

use crate::GEOMETRY;

/// A failure with this signature in this cycle.
fn failure(signature: &str, cycle: u64) -> CaseFailure {
    let expect = Divergence { cycle, path: signature.to_owned() };
    CaseFailure { signature: signature.to_owned(), expect, crash: None, note: None }
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
    assert!(shrunk.after.cycles < 20, "{} cycles are left", shrunk.after.cycles);
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
