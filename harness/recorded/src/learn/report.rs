// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of the patterns.

use super::join;
use super::join::Piece;
use super::patterns::Outcome;
use super::patterns::Pattern;
use super::solve::Solver;
use super::terms::Terms;
use super::write::changes;
use super::write::pattern_path;

/// Forms that are named of those that agree as well.
const OTHERS: usize = 3;

/// A pattern of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedPattern {
    /// Its path, with letters for indices.
    pub register: String,
    /// Its registers, and how many of them change in some recording.
    pub registers: usize,
    /// Registers that change in some recording.
    pub changing: usize,
    /// How often they change, all together: the fewer, the more accidents.
    pub changes: u64,
    /// What was found.
    pub verdict: Verdict,
}

/// What was found for a pattern. `#` stands for numbers in paths, `*` for levels without alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Signals that agree with every register that changes.
    Found {
        /// The form of their path; of several signals side by side each.
        paths: Vec<String>,
        /// Bits that never change and are written as constants.
        constant_bits: usize,
        /// Registers that are shown elsewhere than the others.
        exceptions: usize,
        /// Other forms that agree as well, some of them.
        others: Vec<String>,
        /// Number of other forms that agree as well.
        other_count: usize,
    },
    /// Nothing agrees with all: what agrees with most, with how many of how many.
    Missing {
        /// The form of the path, registers that agree, registers that change.
        nearest: Vec<(String, usize, usize)>,
    },
    /// No register changes in any recording: it cannot be learned.
    Quiet,
}

/// Numbers of patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// With exactly one form of path.
    pub found: usize,
    /// With several forms of path that agree.
    pub ambiguous: usize,
    /// Without one.
    pub missing: usize,
    /// That never change.
    pub quiet: usize,
}

impl Totals {
    /// Counts patterns.
    pub fn of(patterns: &[LearnedPattern]) -> Self {
        let mut totals = Self::default();
        for pattern in patterns {
            match &pattern.verdict {
                Verdict::Found { other_count: 0, .. } => totals.found += 1,
                Verdict::Found { .. } => totals.ambiguous += 1,
                Verdict::Missing { .. } => totals.missing += 1,
                Verdict::Quiet => totals.quiet += 1,
            }
        }
        totals
    }
}

pub(super) fn of(
    patterns: &[Pattern],
    outcomes: &[Outcome],
    solver: &Solver<'_>,
    terms: &mut Terms<'_>,
) -> Vec<LearnedPattern> {
    let verdict = |(pattern, outcome): (&Pattern, &Outcome)| LearnedPattern {
        register: pattern_path(pattern),
        registers: pattern.instances.len(),
        changing: join::changes(solver, &pattern.instances),
        changes: changes(&pattern.instances, terms.registers),
        verdict: verdict(pattern, outcome, terms),
    };
    patterns.iter().zip(outcomes).map(verdict).collect()
}

fn verdict(pattern: &Pattern, outcome: &Outcome, terms: &mut Terms<'_>) -> Verdict {
    match outcome {
        Outcome::Quiet => Verdict::Quiet,
        Outcome::Missing(nearest) => Verdict::Missing { nearest: nearest.clone() },
        Outcome::Signal { best, others } => match terms.solution(best, &pattern.instances) {
            None => {
                Verdict::Missing { nearest: vec![(best.form.clone(), best.agreed, best.changing)] }
            }
            Some(_) => Verdict::Found {
                paths: vec![best.form.clone()],
                constant_bits: 0,
                exceptions: best.exceptions.len(),
                others: others.iter().take(OTHERS).cloned().collect(),
                other_count: others.len(),
            },
        },
        Outcome::Joined(pieces) => {
            let path = |piece: &Piece| match piece {
                Piece::Signal(solution) => Some(solution.form.clone()),
                Piece::Constant(_) => None,
            };
            let bits = |piece: &Piece| match piece {
                Piece::Constant(bits) => bits.len(),
                Piece::Signal(_) => 0,
            };
            Verdict::Found {
                paths: pieces.iter().filter_map(path).collect(),
                constant_bits: pieces.iter().map(bits).sum(),
                exceptions: 0,
                others: Vec::new(),
                other_count: 0,
            }
        }
    }
}
