// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of the patterns.

use std::collections::BTreeMap;

use super::{
    join::{self, Piece},
    near::NearMiss,
    patterns::{Outcome, Pattern},
    prints::Registers,
    solve::Solver,
    terms::Terms,
    write::{changes, pattern_path},
};
use crate::map::Golden;

/// Forms that are named of those that agree as well.
const OTHERS: usize = 3;
/// Different changes from which on an agreement is no accident.
pub const SURE: usize = 8;

/// A pattern of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedPattern {
    /// Its path, with letters for indices.
    pub register: String,
    /// Its registers, and how many of them change in some recording.
    pub registers: usize,
    /// Registers that change in some recording.
    pub changing: usize,
    /// How often they change, all together.
    pub changes: u64,
    /// Different changes of them: of registers that change to equal values at the same time one counts. The fewer,
    /// the more accidents.
    pub different: usize,
    /// What was found.
    pub verdict: Verdict,
}

impl LearnedPattern {
    /// True if something is found that may agree by accident.
    pub fn is_weak(&self) -> bool {
        let found = matches!(self.verdict, Verdict::Found { .. } | Verdict::Conditional { .. });
        found && self.different < SURE
    }
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
        /// A signal that agrees in most cycles, and where it first does not.
        near: Option<NearMiss>,
    },
    /// A signal that agrees while a register of the golden model has or has not a value.
    Conditional {
        /// The form of its path.
        path: String,
        /// The condition in words.
        condition: String,
        /// Other conditions that explain as much, some of them.
        others: Vec<String>,
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
    /// Of both those with fewer than [`SURE`] different changes.
    pub weak: usize,
    /// With one that agrees while a condition holds.
    pub conditional: usize,
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
            totals.weak += usize::from(pattern.is_weak());
            match &pattern.verdict {
                Verdict::Found { other_count: 0, .. } => totals.found += 1,
                Verdict::Found { .. } => totals.ambiguous += 1,
                Verdict::Conditional { .. } => totals.conditional += 1,
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
    (solver, registers): (&Solver<'_>, &Registers),
    near: &BTreeMap<usize, NearMiss>,
    terms: &mut Terms<'_>,
) -> Vec<LearnedPattern> {
    let verdict = |(n, (pattern, outcome)): (usize, (&Pattern, &Outcome))| LearnedPattern {
        register: pattern_path(pattern),
        registers: pattern.instances.len(),
        changing: join::changes(solver, &pattern.instances),
        changes: changes(&pattern.instances, terms.registers),
        different: registers.different_changes(&pattern.instances),
        verdict: verdict(pattern, outcome, near.get(&n), terms),
    };
    patterns.iter().zip(outcomes).enumerate().map(verdict).collect()
}

fn verdict(
    pattern: &Pattern,
    outcome: &Outcome,
    near: Option<&NearMiss>,
    terms: &mut Terms<'_>,
) -> Verdict {
    match outcome {
        Outcome::Quiet => Verdict::Quiet,
        Outcome::Missing(nearest) => {
            Verdict::Missing { nearest: nearest.clone(), near: near.cloned() }
        }
        Outcome::Conditional { best, condition, others } => Verdict::Conditional {
            path: best.form.clone(),
            condition: in_words(condition),
            others: others.iter().take(OTHERS).map(in_words).collect(),
        },
        Outcome::Signal { best, others } => match terms.solution(best, &pattern.instances) {
            None => {
                let nearest = vec![(best.form.clone(), best.agreed, best.changing)];
                Verdict::Missing { nearest, near: None }
            }
            Some(_) => Verdict::Found {
                paths: vec![best.form.clone()],
                constant_bits: 0,
                exceptions: best.exceptions.len(),
                others: others.iter().take(OTHERS).cloned().collect(),
                other_count: others.len(),
            },
        },
        Outcome::Memory(port) => Verdict::Found {
            paths: port.forms(),
            constant_bits: 0,
            exceptions: 0,
            others: port.others.iter().take(OTHERS).cloned().collect(),
            other_count: port.others.len(),
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

fn in_words(condition: &Golden) -> String {
    let not = if condition.equals { "" } else { "not " };
    format!("{} is {not}{}", condition.register, condition.value)
}
