// SPDX-License-Identifier: MIT OR Apache-2.0
//! Differences in a memory that a single pass notices late.

use drra_case::programs;
use drra_diagnose::signature;
use drra_lockstep::{RunSetup, find, run};
use drra_testkit::{Fault, FaultyDesign, Flip};

use crate::{GEOMETRY, setup};

/// A flipped bit in a row that nothing reads is noticed when the memories are compared as a whole (cycle 64 and the
/// end), and one in a row that is read when it has an effect. The search in a second run and the diagnosis find its
/// cycle.
#[test]
fn a_difference_that_is_noticed_late_becomes_exact() {
    let case = programs::ALL[0].case(&GEOMETRY).unwrap();
    for (cycle, row) in [(3, 5), (63, 5), (65, 5), (10, 1), (30, 1)] {
        let location = format!("tile[1][0].sram[{row}]").parse().unwrap();
        let faulty =
            FaultyDesign::new(setup().design, Fault::Flip(Flip { cycle, location, bit: 0 }));
        let with_fault = RunSetup { design: &faulty, ..setup() };
        let mut outcome = find(&case, &with_fault, &mut ()).unwrap();
        assert!(outcome.mismatch.as_ref().is_some_and(|m| m.cycle > cycle), "{outcome:?}");
        let failing = signature::failing(&case, &with_fault, &mut outcome).unwrap().unwrap();
        assert_eq!(failing.mismatch.cycle, cycle);
        assert_eq!(failing.mismatch.differences()[0].location, location);
        assert_eq!(outcome, run(&case, &with_fault).unwrap());
    }
}
