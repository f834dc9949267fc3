// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations of constraints in a program, and how their instructions are changed.

use drra_isa::InstructionField;

/// A violation of a constraint in a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstraintViolation {
    pub(super) constraint: usize,
    /// Address of the instruction that must change.
    pub(super) at: usize,
    pub(super) remedy: Remedy,
}

/// The change to an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Remedy {
    /// The instruction is changed so that the rule no longer excludes it.
    Escape,
    /// The flag of the instruction word is inverted.
    Flag,
    /// It becomes a HALT.
    Halt,
    /// A field gets a value.
    Set(InstructionField, u64),
    /// It is replaced.
    Replace,
}
