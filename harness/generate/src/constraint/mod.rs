// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints: what the cases of a profile never contain.
//!
//! Constraints apply to everything that a case brings into the fabric. Instructions are checked wherever one can begin:
//! at address 0, after another instruction, and at targets of jumps and loops. Whatever is excluded is changed as
//! little as possible and always in the same way:
//!
//! 1. an instruction that is excluded regardless of its fields becomes an instruction without effect (a WAIT of one
//!    cycle if possible), or else a HALT;
//! 2. a field that meets a condition gets one of the remaining values, chosen by the bits of the instruction; if
//!    there are several conditions, one is chosen in the same way;
//! 3. where that is impossible, each word becomes an instruction as in 1.
//!
//! Without constraints, nothing is checked.

mod agu;
mod check;
mod deviation;
mod error;
mod fabric;
mod file;
mod finding;
mod image;
mod program;
mod repair;
mod rules;
mod values;
mod word_rule;

use std::collections::BTreeMap;

use drra_isa::{CellId, Geometry, InstructionField, ProgramImage, Word};

pub use error::{ConstraintError, ConstraintFault};
pub use file::{Constraint, FieldCondition, FieldValue, Situation};

pub(crate) use check::violated;
pub(crate) use deviation::{avoid, numbers};
pub(crate) use rules::ResolvedConstraints;

use crate::op::Op;

/// The constraints applied to one case, with the number of changes by each.
#[derive(Debug)]
pub(crate) struct Enforcer {
    pub(crate) rules: ResolvedConstraints,
    pub(crate) replaced: Vec<u64>,
}

impl Enforcer {
    pub(crate) fn new(rules: ResolvedConstraints) -> Self {
        let replaced = vec![0; rules.count];
        Self { rules, replaced }
    }

    /// Records a change if a constraint causes it; returns true in that case.
    pub(crate) fn left_out(&mut self, constraint: Option<usize>) -> bool {
        if let Some(k) = constraint {
            self.replaced[k] += 1;
        }
        constraint.is_some()
    }

    /// True if a situation is excluded; if so, this is recorded.
    pub(crate) fn excludes(&mut self, situation: Situation) -> bool {
        let constraint = self.rules.excludes(situation);
        self.left_out(constraint)
    }

    /// True if an instruction need not change.
    pub(crate) fn allows(&self, op: &Op, io_cell: bool) -> bool {
        self.rules.is_empty() || self.rules.permits(&op.instruction(io_cell))
    }

    /// True if an instruction is permitted, or if the instruction that it is made from is not permitted either.
    pub(crate) fn tolerates(&self, op: &Op, of: &Op, io_cell: bool) -> bool {
        self.allows(op, io_cell) || !self.allows(of, io_cell)
    }

    /// True if a field of an instruction keeps its value when the instruction is changed to be permitted; its other
    /// fields may change.
    pub(crate) fn keeps(&self, op: &Op, field: InstructionField) -> bool {
        let settled = || repair::settle(&self.rules, op.instruction(false), |_| ());
        self.rules.is_empty() || settled().is_some_and(|i| i.value(field) == op.value(field))
    }

    /// An instruction of a plan, changed to be permitted.
    pub(crate) fn permitted(&mut self, op: Op, io_cell: bool) -> Op {
        if self.rules.is_empty() {
            return op;
        }
        let replaced = &mut self.replaced;
        let instruction = op.instruction(io_cell);
        match repair::settle(&self.rules, instruction, |k| replaced[k] += 1) {
            Some(settled) if settled == instruction => op,
            Some(settled) => op.with(&settled),
            None => {
                let filler = self.rules.filler(op.immediate);
                Op::raw(filler.words[0] as u32, filler.immediate).named(filler.opcode)
            }
        }
    }

    /// Changes programs to obey the constraints.
    pub(crate) fn repair(
        &mut self,
        geometry: &Geometry,
        program: ProgramImage,
        io_cell: impl Fn(CellId) -> bool,
    ) -> ProgramImage {
        if self.rules.is_empty() {
            return program;
        }
        let programs: BTreeMap<CellId, (bool, Vec<Word>)> =
            program.cells().map(|(cell, words)| (cell, (io_cell(cell), words.to_vec()))).collect();
        let mut image = ProgramImage::default();
        for (cell, words) in repair::repair(&self.rules, geometry, programs, &mut self.replaced) {
            image.set(cell, words);
        }
        image
    }
}
