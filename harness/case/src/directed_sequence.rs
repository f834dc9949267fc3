// SPDX-License-Identifier: MIT OR Apache-2.0
//! A few instructions in one or more cells that create a particular situation.

use drra_isa::{
    InstructionField, Opcode,
    instructions::{BwConfig, CODE_BITS, DpuMode, WORD_BITS, bw, dpu},
};

/// Instructions of one or more cells, and the required contents of their register files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectedSequence {
    /// The cells, each at a different position.
    pub cells: Vec<DirectedCell>,
    /// Numbers of columns that the fabric must have to the west and to the east of the column of the sequence.
    pub margin: [usize; 2],
}

/// One cell of a directed sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectedCell {
    /// Row; `None` means any row.
    pub row: Option<usize>,
    /// Column, relative to the column of the directed sequence.
    pub column: isize,
    /// The instructions of the cell.
    pub steps: Steps,
    /// Words of its register file before the first instruction: number and value.
    pub words: Vec<(usize, u16)>,
}

/// Instructions of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Instructions one after the other, without gaps.
    Sequence(Vec<Step>),
    /// Instructions with the cycles of their decodes, in ascending order, counted from the same cycle in all cells of
    /// the sequence.
    Timed(Vec<(u64, InstructionTemplate)>),
}

/// An instruction of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The instruction.
    pub template: InstructionTemplate,
    /// Index of the step whose address goes into [`Opcode::target_field`]; an index equal to the number of steps stands
    /// for the address after the sequence.
    pub target: Option<usize>,
}

impl From<InstructionTemplate> for Step {
    fn from(template: InstructionTemplate) -> Self {
        Self { template, target: None }
    }
}

impl Default for Steps {
    fn default() -> Self {
        Self::Sequence(Vec::new())
    }
}

impl DirectedSequence {
    /// Instructions of one cell, one after the other.
    pub fn in_order(steps: impl IntoIterator<Item = impl Into<Step>>) -> Self {
        let steps = Steps::Sequence(steps.into_iter().map(Into::into).collect());
        Self::of([DirectedCell { steps, ..DirectedCell::default() }])
    }

    /// Instructions of one cell with the cycles of their decodes.
    pub fn timed(steps: impl IntoIterator<Item = (u64, InstructionTemplate)>) -> Self {
        Self::of([DirectedCell::timed(steps)])
    }

    /// A sequence of these cells.
    pub fn of(cells: impl IntoIterator<Item = DirectedCell>) -> Self {
        Self { cells: cells.into_iter().collect(), margin: [0; 2] }
    }

    /// The same sequence, for fabrics with at least these numbers of columns to its west and to its east.
    pub fn within(self, margin: [usize; 2]) -> Self {
        Self { margin, ..self }
    }

    /// All instructions, cell by cell.
    pub fn templates(&self) -> impl Iterator<Item = &InstructionTemplate> {
        self.cells.iter().flat_map(DirectedCell::templates)
    }
}

impl DirectedCell {
    /// Instructions with the cycles of their decodes, in any order.
    pub fn timed(steps: impl IntoIterator<Item = (u64, InstructionTemplate)>) -> Self {
        let mut steps: Vec<(u64, InstructionTemplate)> = steps.into_iter().collect();
        steps.sort_by_key(|(cycle, _)| *cycle);
        Self { steps: Steps::Timed(steps), ..Self::default() }
    }

    /// The same cell at a given position.
    pub fn at(self, row: Option<usize>, column: isize) -> Self {
        Self { row, column, ..self }
    }

    /// The same cell with words in its register file.
    pub fn with_words(self, words: Vec<(usize, u16)>) -> Self {
        Self { words, ..self }
    }

    /// The instructions of the cell.
    pub fn templates(&self) -> impl Iterator<Item = &InstructionTemplate> {
        let (sequence, timed): (&[Step], &[(u64, InstructionTemplate)]) = match &self.steps {
            Steps::Sequence(steps) => (steps, &[]),
            Steps::Timed(steps) => (&[], steps),
        };
        sequence.iter().map(|s| &s.template).chain(timed.iter().map(|(_, w)| w))
    }

    /// Cycle of the last decode if the steps are timed; otherwise their number.
    pub fn span(&self) -> u64 {
        match &self.steps {
            Steps::Sequence(steps) => steps.len() as u64,
            Steps::Timed(steps) => steps.last().map_or(0, |(cycle, _)| *cycle),
        }
    }
}

/// An instruction with values of some of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionTemplate {
    /// The instruction.
    pub opcode: Opcode,
    /// The fields to set, with their raw values; the others have their defaults.
    pub fields: Vec<(InstructionField, u64)>,
    /// Immediate flag of its words.
    pub immediate: bool,
}

impl InstructionTemplate {
    /// The code in the first word. A HALT with this field set is a word with an arbitrary code, which need not belong
    /// to an instruction.
    pub const CODE: InstructionField = InstructionField::new(0, WORD_BITS - CODE_BITS, CODE_BITS);

    /// An instruction with its immediate flag set.
    pub fn new(opcode: Opcode, fields: &[(InstructionField, u64)]) -> Self {
        Self { opcode, fields: fields.to_vec(), immediate: true }
    }

    /// The same instruction with more fields.
    pub fn with(mut self, fields: &[(InstructionField, u64)]) -> Self {
        self.fields.extend_from_slice(fields);
        self
    }

    /// The same instruction with its immediate flag cleared: it waits for an instruction whose flag is set.
    pub fn deferred(mut self) -> Self {
        self.immediate = false;
        self
    }

    /// A BW for a lane width.
    pub fn bw(width: BwConfig) -> Self {
        Self::new(Opcode::Bw, &[(bw::CONFIG, width.code().into())])
    }

    /// A DPU instruction for a mode.
    pub fn dpu(mode: DpuMode) -> Self {
        Self::new(Opcode::Dpu, &[(dpu::MODE, mode.code().into())])
    }
}
