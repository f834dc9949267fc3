// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundled programs end in the state that their comments promise: lines `# END path = value ...`.

use drra_case::programs;
use drra_case::programs::Bundled;
use drra_cosim::GEOMETRY;
use drra_isa::CellId;
use drra_isa::Geometry;
use drra_lockstep::EndState;
use drra_lockstep::GoldenRun;
use drra_lockstep::run_golden;

/// Programs without a promise: the result of one is published, the other one only keeps all cells busy.
const UNPROMISED: [&str; 2] = ["vec_add", "dense"];

fn check(program: &Bundled) {
    let case = match program.case(&GEOMETRY) {
        Ok(case) => case,
        Err(e) if e.code == "A12" => {
            println!("skipped: {} needs the default fabric ({})", program.name(), e.message);
            return;
        }
        Err(e) => panic!("{}: {e}", program.path),
    };
    if !program.text.contains("# END ") {
        assert!(UNPROMISED.contains(&program.name()), "{} promises nothing", program.name());
        return;
    }
    let promised = match EndState::read(program.text, &GEOMETRY) {
        Ok(promised) => promised,
        Err(e) if GEOMETRY != Geometry::default() => {
            println!("skipped: {} needs the default fabric ({e})", program.name());
            return;
        }
        Err(e) => panic!("{}: {e}", program.path),
    };
    let result = run_golden(&case, &GEOMETRY, None);
    assert!(!result.unfinished, "{} does not end", program.name());
    let mut run = GoldenRun::new(&case, &GEOMETRY);
    for _ in 0..result.cycles {
        run.step();
    }
    let unexpected = promised.check(&mut run);
    assert!(unexpected.is_empty(), "{}: {unexpected:?}", program.path);
}

#[test]
fn end_states() {
    for program in programs::ALL {
        check(program);
    }
}

/// The published result: words 32..47 of cell (0,0) are 16, 18, .. 46.
#[test]
fn vec_add_adds() {
    let case = programs::ALL[0].case(&GEOMETRY).unwrap();
    let result = run_golden(&case, &GEOMETRY, None);
    let mut run = GoldenRun::new(&case, &GEOMETRY);
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
    for program in programs::ALL {
        let Ok(case) = program.case(&GEOMETRY) else { continue };
        let outcome = crate::agree::agree(&case, program.name());
        assert!(!outcome.unfinished, "{}", program.name());
    }
}
