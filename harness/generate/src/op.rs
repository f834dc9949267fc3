// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions under construction: field values by name, encoded when the program is complete.

use std::sync::OnceLock;

use drra_isa::Instruction;
use drra_isa::Isa;
use drra_isa::Revision;
use drra_isa::Word;
use drra_isa::encode;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// An instruction of a generated program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Op {
    /// Index of the instruction in the description; `None`: a raw word.
    pub(crate) instruction: Option<usize>,
    /// Raw value of every field, or the raw word.
    pub(crate) values: Vec<u64>,
    /// Immediate flag of its words.
    pub(crate) immediate: bool,
}

fn isa() -> &'static Isa {
    Revision::R4.isa()
}

/// Instructions by name, in the order of the description.
fn index_of(name: &str) -> usize {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let names = NAMES.get_or_init(|| isa().instructions.iter().map(|i| i.name.clone()).collect());
    names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no instruction {name}"))
}

impl Op {
    /// An instruction with its flag set; fields that are not named have their defaults, and the
    /// number of words is the smallest that holds the others.
    pub(crate) fn new(name: &str, fields: &[(&str, u64)]) -> Self {
        let index = index_of(name);
        let instruction = &isa().instructions[index];
        let values = instruction.fields.iter().map(|f| f.default).collect();
        let mut op = Self { instruction: Some(index), values, immediate: true };
        for &(field, value) in fields {
            op.set(field, value);
        }
        op.fit();
        // Fields that were named are there even at their defaults.
        if let Some(chunk_field) = instruction.chunk_field {
            let named = fields.iter().filter_map(|(name, _)| instruction.field_index(name));
            let last = named.map(|k| instruction.chunks_of(isa(), &instruction.fields[k]).1).max();
            let least = u64::from(last.unwrap_or(0));
            op.values[chunk_field] = op.values[chunk_field].max(least);
        }
        op
    }

    /// A WAIT of so many cycles in all.
    pub(crate) fn wait(cycles: u64) -> Self {
        Self::new("WAIT", &[("cycle", (cycles - 1).min(0x7fff))])
    }

    /// A word of any bits.
    pub(crate) fn raw(bits: u64, immediate: bool) -> Self {
        Self { instruction: None, values: vec![bits], immediate }
    }

    /// An instruction of any kind with any field values.
    pub(crate) fn random(rng: &mut ChaCha8Rng) -> Self {
        let index = rng.random_range(0..isa().instructions.len());
        let instruction = &isa().instructions[index];
        let values = instruction.fields.iter().map(|f| rng.random_range(0..1u64 << f.width));
        let mut op = Self { instruction: Some(index), values: values.collect(), immediate: true };
        op.immediate = rng.random_bool(0.8);
        op
    }

    /// The same operation without its immediate flag.
    pub(crate) fn deferred(mut self) -> Self {
        self.immediate = false;
        self
    }

    /// The description of the instruction.
    pub(crate) fn description(&self) -> Option<&'static Instruction> {
        self.instruction.map(|i| &isa().instructions[i])
    }

    /// True for an instruction of that name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.description().is_some_and(|i| i.name == name)
    }

    /// Sets a field to the low bits of a value.
    pub(crate) fn set(&mut self, field: &str, value: u64) {
        let instruction = self.description().expect("raw words have no fields");
        let i = instruction.field_index(field).unwrap_or_else(|| panic!("no field {field}"));
        self.values[i] = value & ((1 << instruction.fields[i].width) - 1);
    }

    /// Raw value of a field.
    pub(crate) fn value(&self, field: &str) -> u64 {
        let instruction = self.description().expect("raw words have no fields");
        self.values[instruction.field_index(field).expect("field of the instruction")]
    }

    /// Sets the chunk field to the smallest count that holds all fields that are not at their
    /// default; any of the fields of a second word counts a REFI from one word to two, because a
    /// one-word REFI has a step of 1.
    pub(crate) fn fit(&mut self) {
        let Some(instruction) = self.description() else { return };
        let Some(chunk_field) = instruction.chunk_field else { return };
        let last = instruction
            .fields
            .iter()
            .zip(&self.values)
            .enumerate()
            .filter(|(i, (f, v))| *i != chunk_field && **v != f.default)
            .map(|(_, (f, _))| instruction.chunks_of(isa(), f).1)
            .max();
        self.values[chunk_field] = u64::from(last.unwrap_or(0));
    }

    /// Number of words.
    pub(crate) fn len(&self) -> usize {
        match self.description() {
            None => 1,
            Some(i) => match i.chunk_field {
                Some(f) => i.words_for(self.values[f]) as usize,
                None => i.max_chunk as usize,
            },
        }
    }

    /// Appends the words.
    pub(crate) fn encode(&self, words: &mut Vec<Word>) {
        let immediate = self.immediate;
        match self.description() {
            None => words.push(Word { bits: self.values[0], immediate }),
            Some(i) => {
                let bits = encode(isa(), i, &self.values, self.len());
                words.extend(bits.into_iter().map(|bits| Word { bits, immediate }));
            }
        }
    }
}
