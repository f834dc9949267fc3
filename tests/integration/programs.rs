// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundled programs end in the state given in their comments, in lines `# END path = value ...`.

use drra_case::{
    Case,
    programs::{self, BundledProgram},
};
use drra_cosim::{GEOMETRY, SIZES};
use drra_isa::{CellId, Geometry};
use drra_lockstep::{EndState, GoldenRun, run_golden};

/// The two programs without such lines: `vec_add` has a published result, and `dense` only keeps all cells busy.
const WITHOUT_END_STATE: [&str; 2] = ["vec_add", "dense"];

/// The program on a fabric of a size, if the program fits.
fn fitted(program: &BundledProgram, size: &Geometry) -> Option<Case> {
    match program.case(size) {
        Ok(case) => Some(case),
        // The fabric lacks a cell, or an address of a memory.
        Err(e) if *size != Geometry::default() && ["A12", "A16"].contains(&e.code) => {
            println!("skipped: {} does not fit on {size} ({})", program.name(), e.message);
            None
        }
        Err(e) => panic!("{}: {e}", program.path),
    }
}

fn check(program: &BundledProgram, size: &Geometry) {
    let Some(case) = fitted(program, size) else { return };
    if !program.text.contains("# END ") {
        assert!(WITHOUT_END_STATE.contains(&program.name()), "{} promises nothing", program.name());
        return;
    }
    let promised = match EndState::read(program.text, size) {
        Ok(promised) => promised,
        Err(e) if *size != Geometry::default() => {
            println!("skipped: {} expects more than {size} has ({e})", program.name());
            return;
        }
        Err(e) => panic!("{}: {e}", program.path),
    };
    let result = run_golden(&case, None);
    assert!(!result.unfinished, "{} does not end", program.name());
    let mut run = GoldenRun::new(&case);
    for _ in 0..result.cycles {
        run.step();
    }
    let unexpected = promised.check(&mut run);
    assert!(unexpected.is_empty(), "{}: {unexpected:?}", program.path);
}

#[test]
fn end_states() {
    for size in SIZES {
        programs::ALL.iter().for_each(|program| check(program, size));
    }
}

/// The published result: words 32..47 of cell (0,0) are 16, 18, ..., 46.
#[test]
fn vec_add_adds() {
    let case = programs::ALL[0].case(&GEOMETRY).unwrap();
    let result = run_golden(&case, None);
    let mut run = GoldenRun::new(&case);
    for _ in 0..result.cycles {
        run.step();
    }
    let words: Vec<u16> =
        (32..48).map(|w| run.fabric.register_file(CellId::new(0, 0).unwrap()).word(w)).collect();
    let expected: Vec<u16> = (0..16).map(|i| 16 + 2 * i).collect();
    assert_eq!(words, expected);
}

#[test]
#[cfg(feature = "rtl")]
fn all_agree_in_lockstep() {
    for size in SIZES {
        let fitting: Vec<Case> = programs::ALL.iter().filter_map(|p| fitted(p, size)).collect();
        assert!(fitting.len() > programs::ALL.len() / 2, "{size}: {} programs", fitting.len());
        for case in fitting {
            let outcome = crate::agree::agree(&case, &format!("{} on {size}", case.name));
            assert!(!outcome.unfinished, "{} on {size}", case.name);
        }
    }
}
