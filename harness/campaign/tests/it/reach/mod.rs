// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coverage of generated cases on the golden model: each situation in which faults can hide occurs within the first few
//! hundred cases of the default profile.

mod control;
mod data;
mod starts;

use std::{collections::BTreeMap, sync::LazyLock};

use drra_case::Case;
use drra_fabric::{Location, Register};
use drra_generate::{Profile, generate};
use drra_golden::Fabric;
use drra_isa::CellId;
use drra_lockstep::GoldenRun;

use crate::GEOMETRY;

/// Number of cases within which every situation occurs.
const CASES: u64 = 400;

/// The number of occurrences of each situation.
type Occurrences = BTreeMap<String, u64>;

/// Value of a register of at most 64 bits.
fn value(fabric: &Fabric, cell: CellId, register: Register) -> u64 {
    fabric.value(Location { unit: cell.into(), register }).unwrap()[0]
}

/// Runs a case on the golden model and, for each cell with a program, calls `look` with the state before and after each
/// cycle that follows the first program word.
fn watch(case: &Case, look: &mut dyn FnMut(&Fabric, &Fabric, CellId)) {
    let cells: Vec<CellId> = case.program.cells().map(|(cell, _)| cell).collect();
    let mut run = GoldenRun::new(case);
    run.fabric.pack();
    let first = case.stimulus.first_program_cycle().unwrap_or(0);
    while run.cycle < case.cycles.unwrap() {
        let before = (run.cycle > first).then(|| run.fabric.clone());
        run.step();
        run.fabric.pack();
        if let Some(before) = before {
            for cell in &cells {
                look(&before, &run.fabric, *cell);
            }
        }
    }
}

/// The situations that occur in the first cases.
static SEEN: LazyLock<Occurrences> = LazyLock::new(|| {
    let profile = Profile::shipped("default").unwrap();
    let halves = std::thread::scope(|scope| {
        let half = |odd: u64| {
            let profile = &profile;
            scope.spawn(move || {
                let mut seen = Occurrences::new();
                for seed in (0..CASES).filter(|seed| seed % 2 == odd) {
                    let case = generate(profile, seed, &GEOMETRY).case;
                    watch(&case, &mut |now, next, cell| {
                        let io_cell = case.io_cells.contains(&cell);
                        control::look(&mut seen, now, next, cell, io_cell);
                        data::look(&mut seen, now, next, cell);
                    });
                }
                seen
            })
        };
        [half(0), half(1)].map(|half| half.join().unwrap())
    });
    let mut all = Occurrences::new();
    for (what, count) in halves.into_iter().flatten() {
        *all.entry(what).or_default() += count;
    }
    all
});

fn note(seen: &mut Occurrences, what: String) {
    *seen.entry(what).or_default() += 1;
}

/// Checks that every situation in a list occurred.
#[track_caller]
fn all_occur(wanted: &[String]) {
    let missing: Vec<&String> = wanted.iter().filter(|what| !SEEN.contains_key(*what)).collect();
    let rare: Vec<_> = wanted.iter().filter_map(|what| Some((SEEN.get(what)?, what))).collect();
    println!("{rare:?}");
    assert!(missing.is_empty(), "not within {CASES} cases: {missing:?}");
}
