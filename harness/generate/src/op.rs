// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions under construction, encoded when the program is complete.

use std::sync::LazyLock;

use drra_case::InstructionTemplate;
use drra_isa::{
    InstructionField, Opcode, Word,
    instructions::{CODE_BITS, DpuMode, WORD_BITS, dpu, wait},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{draw, instruction::Instruction};

/// Number of cycles of the longest WAIT.
pub(crate) const LONGEST_WAIT: u64 = 1 << wait::CYCLE.width();

/// An instruction of a generated program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Op {
    /// The instruction; `None`: a raw word.
    pub(crate) opcode: Option<Opcode>,
    /// The words; as many as the longest instruction has, so that fields in unused words have values, too.
    words: [u32; Opcode::MAX_WORDS],
    /// Immediate flag of its words.
    pub(crate) immediate: bool,
}

/// Each instruction of [`Opcode::ALL`], with its flag set and all fields at their defaults.
static DEFAULTS: LazyLock<Vec<Op>> = LazyLock::new(|| {
    let of = |opcode: &Opcode| {
        let mut op = Op::blank(*opcode);
        for placed in opcode.fields() {
            op.set(placed.place, placed.field.default);
        }
        op
    };
    Opcode::ALL.iter().map(of).collect()
});

impl Op {
    /// An instruction with its flag set; unnamed fields have their defaults, and the number of words is the smallest
    /// that contains all named fields.
    pub(crate) fn new(opcode: Opcode, fields: &[(InstructionField, u64)]) -> Self {
        let mut op = DEFAULTS[opcode.index()].clone();
        for &(field, value) in fields {
            op.set(field, value);
        }
        op.fit();
        // Words with a named field are emitted even if the field has its default.
        if let Some(chunk_field) = opcode.chunk_field() {
            let least = fields.iter().map(|(f, _)| f.word()).max().unwrap_or(0) as u64;
            op.set(chunk_field, op.value(chunk_field).max(least));
        }
        op
    }

    /// The instruction of a template; fields that the template does not set have their defaults.
    pub(crate) fn of_template(template: &InstructionTemplate) -> Self {
        let mut op = Self::new(template.opcode, &template.fields);
        // If the template sets the chunk field, it determines the number of words.
        let chunk_field = template.opcode.chunk_field();
        if let Some(&(field, value)) = template.fields.iter().find(|(f, _)| Some(*f) == chunk_field)
        {
            op.set(field, value);
        }
        op.immediate = template.immediate;
        // A word whose code is not that of an instruction is treated as a raw word.
        if [false, true].iter().all(|io_cell| Opcode::of(op.words[0], *io_cell).is_none()) {
            op.opcode = None;
        }
        op
    }

    /// An instruction whose fields are all 0.
    fn blank(opcode: Opcode) -> Self {
        let mut words = [0; Opcode::MAX_WORDS];
        words[0] = (opcode.code() << (WORD_BITS - CODE_BITS)) as u32;
        Self { opcode: Some(opcode), words, immediate: true }
    }

    /// A DPU instruction with a mode and these fields.
    pub(crate) fn dpu(mode: DpuMode, fields: &[(InstructionField, u64)]) -> Self {
        let mut op = Self::new(Opcode::Dpu, fields);
        op.set(dpu::MODE, mode.code().into());
        op
    }

    /// A WAIT of this many cycles in total, at most `LONGEST_WAIT`.
    pub(crate) fn wait(cycles: u64) -> Self {
        Self::new(Opcode::Wait, &[(wait::CYCLE, cycles - 1)])
    }

    /// A raw word with these bits.
    pub(crate) fn raw(bits: u32, immediate: bool) -> Self {
        Self { opcode: None, words: [bits, 0, 0], immediate }
    }

    /// An instruction of any kind with any field values.
    pub(crate) fn random(rng: &mut ChaCha8Rng) -> Self {
        let opcode = draw::one_of(rng, Opcode::ALL);
        let mut op = Self::blank(opcode);
        for placed in opcode.fields() {
            op.set(placed.place, rng.random_range(0..1u64 << placed.field.width));
        }
        op.immediate = rng.random_bool(0.8);
        op
    }

    /// The same operation without its immediate flag.
    pub(crate) fn deferred(mut self) -> Self {
        self.immediate = false;
        self
    }

    /// True for an instruction of that kind.
    pub(crate) fn is(&self, opcode: Opcode) -> bool {
        self.opcode == Some(opcode)
    }

    /// Sets a field of the instruction to the low bits of a value.
    pub(crate) fn set(&mut self, field: InstructionField, value: u64) {
        field.set(&mut self.words, value);
    }

    /// Raw value of a field of the instruction.
    pub(crate) fn value(&self, field: InstructionField) -> u64 {
        field.get(&self.words)
    }

    /// Sets the chunk field to the smallest count that covers all fields that are not at their default. A REFI of one
    /// word has the default step, 1.
    pub(crate) fn fit(&mut self) {
        let Some(opcode) = self.opcode else { return };
        let Some(chunk_field) = opcode.chunk_field() else { return };
        let used = opcode.fields().iter().filter(|placed| {
            placed.place != chunk_field && self.value(placed.place) != placed.field.default
        });
        let last = used.map(|placed| placed.place.word()).max().unwrap_or(0);
        self.set(chunk_field, last as u64);
    }

    /// The instruction as a cell decodes it.
    pub(crate) fn instruction(&self, io_cell: bool) -> Instruction {
        let words = self.words.map(u64::from);
        let opcode = match self.opcode {
            // The cell decides whether the code is SRAM or IO, whichever of these the `Op` was created as.
            Some(Opcode::Sram | Opcode::Io) | None => Opcode::of(words[0], io_cell),
            known => known,
        };
        let len = opcode.map_or(1, |o| o.words(words[0]));
        Instruction { opcode, words, len, immediate: self.immediate }
    }

    /// The same operation with the words and the flag of an instruction.
    pub(crate) fn with(mut self, instruction: &Instruction) -> Self {
        self.words = instruction.words.map(|word| word as u32);
        self.immediate = instruction.immediate;
        self
    }

    /// The same operation, labelled as this instruction.
    pub(crate) fn named(mut self, opcode: Option<Opcode>) -> Self {
        self.opcode = opcode;
        self
    }

    /// Number of words.
    pub(crate) fn len(&self) -> usize {
        self.opcode.map_or(1, |opcode| opcode.words(self.words[0]))
    }

    /// Appends the words.
    pub(crate) fn encode(&self, words: &mut Vec<Word>) {
        let immediate = self.immediate;
        let mine = &self.words[..self.len()];
        words.extend(mine.iter().map(|&bits| Word { bits: bits.into(), immediate }));
    }
}
