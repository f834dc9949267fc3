// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reduces a failing case: instructions become WAITs of the same length, so that the others keep
//! their cycles; cells are emptied, memories cut, fields set to their defaults. A step counts only
//! if the case still fails with the same signature.

mod candidate;
mod passes;
mod waits;
mod work;

use drra_case::Case;

use crate::{CampaignError, exam::Found};
use candidate::Candidate;
use work::Work;

pub use crate::exam::expect;
pub use work::{Bounds, Check};

/// Size of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Cells with a program.
    pub cells: usize,
    /// Instructions of all programs.
    pub instructions: usize,
    /// Cycles of the run.
    pub cycles: u64,
}

/// A reduced case.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The case, with its first divergence.
    pub case: Case,
    /// How the reduced case fails.
    pub failing: Found,
    /// Size before the reduction.
    pub before: Size,
    /// Size after the reduction.
    pub after: Size,
    /// Runs that were done.
    pub steps: u64,
    /// The reduction ended because there was nothing left to take away, not because of a bound.
    pub complete: bool,
}

/// Reduces a case that fails as `failing` says. `check` runs a case, `interrupted` is asked before each step, and
/// `permitted` about each smaller case.
///
/// # Errors
/// If a case cannot be run.
pub fn shrink(
    case: &Case,
    failing: &Found,
    check: &Check<'_>,
    bounds: Bounds,
    interrupted: &dyn Fn() -> bool,
    permitted: &dyn Fn(&Case) -> bool,
) -> Result<Shrunk, CampaignError> {
    let cycles = failing.expect.cycle + 1;
    let best = Candidate::new(case, cycles);
    let before = size(case, &best);
    let mut work = Work::new(check, best, failing.clone(), bounds, interrupted, permitted);
    loop {
        let size = work.measure();
        work.all_passes()?;
        if work.stopped || work.measure() == size {
            break;
        }
    }
    let mut reduced = work.best.case();
    match check(&reduced)? {
        Some(found) if found.signature == failing.signature && permitted(&reduced) => {
            work.failing = found
        }
        // Taken apart, the case does not fail any more or is not permitted, and no step was accepted: it stays whole.
        _ => {
            reduced = case.clone();
            work.best = Candidate::new(case, case.cycles.unwrap_or(cycles));
            work.failing = failing.clone();
        }
    }
    let mut case = reduced;
    case.expect = Some(work.failing.expect.clone());
    Ok(Shrunk {
        after: size(&case, &work.best),
        case,
        failing: work.failing,
        before,
        steps: work.steps,
        complete: !work.stopped,
    })
}

fn size(case: &Case, candidate: &Candidate) -> Size {
    Size {
        cells: candidate.used_cells(),
        instructions: candidate.instructions(),
        cycles: case.cycles.unwrap_or(0),
    }
}
