// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reduces a failing case: words at the ports become programs; instructions become WAITs of the same length, so that
//! the other instructions keep their cycles; cells and memories are emptied, sources of values become contents of
//! memories, and fields are set to their defaults. A step is kept only if the case is smaller and still fails with the
//! same signature.

mod candidate;
mod delays;
mod passes;
mod presets;
mod shrinker;
mod vary;

use std::{collections::BTreeSet, time::Instant};

use drra_case::Case;
use drra_isa::CellId;

use crate::{CampaignError, case_run::CaseFailure};
use candidate::Candidate;
use shrinker::Shrinker;

pub use crate::case_run::expect;
pub use shrinker::{CandidateCheck, ReductionBounds};
pub use vary::{VariationBounds, vary};

/// Size of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseSize {
    /// Number of cells with a program.
    pub cells: usize,
    /// Number of instructions in all programs.
    pub instructions: usize,
    /// Number of cycles of the run.
    pub cycles: u64,
}

/// A reduced case.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The case, with its first mismatch.
    pub case: Case,
    /// The failure of the reduced case.
    pub failing: CaseFailure,
    /// Size before the reduction.
    pub before: CaseSize,
    /// Size after the reduction.
    pub after: CaseSize,
    /// Number of candidates that were tried, including those that are not permitted.
    pub steps: u64,
    /// The cells and addresses of the instructions that had set up the path of the value that differs; empty if unknown.
    pub carriers: BTreeSet<(CellId, u8)>,
    /// True if the reduction ended because no single step succeeds any more, rather than by a limit or an interruption.
    pub complete: bool,
}

/// Reduces a case that fails as described by `failing`. `check` runs the candidates that are `permitted`; the reduction
/// stops once `interrupted` returns true.
///
/// # Errors
/// If a case cannot be run.
pub fn shrink(
    case: &Case,
    failing: &CaseFailure,
    check: &CandidateCheck<'_>,
    bounds: ReductionBounds,
    interrupted: &dyn Fn() -> bool,
    permitted: &dyn Fn(&Case) -> bool,
) -> Result<Reduction, CampaignError> {
    let cycles = failing.expect.cycle + 1;
    let best = Candidate::new(case, cycles);
    let before = size(case, &Candidate::new(case, u64::MAX));
    let mut shrinker = Shrinker {
        check,
        best,
        failing: failing.clone(),
        steps: 0,
        bounds,
        start: Instant::now(),
        interrupted,
        permitted,
        stopped: false,
        accepted: 0,
        tried: BTreeSet::new(),
    };
    loop {
        let accepted = shrinker.accepted;
        shrinker.all_passes()?;
        if shrinker.stopped || shrinker.accepted == accepted {
            break;
        }
    }
    let mut reduced = shrinker.best.case();
    match check(&reduced)? {
        Some(found) if found.signature == failing.signature && permitted(&reduced) => {
            shrinker.failing = found
        }
        // After conversion to a candidate, the case does not fail or is not permitted, and no step was accepted: keep
        // the original.
        _ => {
            reduced = case.clone();
            shrinker.best = Candidate::new(case, case.cycles.unwrap_or(cycles));
            shrinker.failing = failing.clone();
        }
    }
    let mut case = reduced;
    case.expect = Some(shrinker.failing.expect.clone());
    case.compare_from = shrinker.failing.compare_from;
    Ok(Reduction {
        after: size(&case, &shrinker.best),
        case,
        failing: shrinker.failing,
        before,
        steps: shrinker.steps,
        carriers: BTreeSet::new(),
        complete: !shrinker.stopped,
    })
}

fn size(case: &Case, candidate: &Candidate) -> CaseSize {
    let programs = candidate.programs();
    CaseSize {
        cells: programs.len(),
        instructions: programs.iter().sum(),
        cycles: case.cycles.unwrap_or(0),
    }
}
