// SPDX-License-Identifier: MIT OR Apache-2.0
//! `vec_add` with a bit flip, for tests of its reports and waves.

use drra_case::{Case, programs};
use drra_fabric::Location;
use drra_testkit::{Fault, FaultyDesign, Flip};

use crate::{GEOMETRY, setup};

pub(crate) fn vec_add() -> Case {
    programs::ALL[0].case(&GEOMETRY).unwrap()
}

/// A register of cell (0,0).
pub(crate) fn location(register: &str) -> Location {
    format!("cell[0][0].{register}").parse().unwrap()
}

/// A design in which a bit of cell (0,0) flips.
pub(crate) fn flip(cycle: u64, register: &str, bit: u32) -> FaultyDesign<'static> {
    let flip = Flip { cycle, location: location(register), bit };
    FaultyDesign::new(setup().design, Fault::Flip(flip))
}

/// A design in which a bit of word 33 flips when `vec_add` writes it; the word is not read afterwards.
pub(crate) fn flipped(case: &Case) -> FaultyDesign<'static> {
    flip(case.stimulus.end() + 1 + 21, "rf.mem[33]", 2)
}
