// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case in the form used for the reduction: instructions instead of words, with symbolic targets.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::{
    Case,
    stimulus::{Stimulus, StimulusEntry},
};
use drra_isa::{
    CellId, DecodedInstruction, Geometry, InstructionField, Isa, MemoryImage, Opcode, ProgramImage,
    Revision, Word, decode, encode,
    instructions::{CODE_BITS, WORD_BITS, wait},
};

fn isa() -> &'static Isa {
    Revision::R4.isa()
}

/// Number of bits of an instruction word below its code.
const BELOW_CODE: u32 = WORD_BITS - CODE_BITS;

/// Maximum number of cycles of a static WAIT; the field of a WAIT contains its number of cycles minus one.
const MAX_WAIT_CYCLES: u64 = 1 << wait::CYCLE.width();

/// The first cycle after the last cycle in which a port is used.
pub(super) fn end(entries: &[StimulusEntry]) -> u64 {
    entries.iter().rev().find(|e| e.uses_a_port()).map_or(0, |e| e.cycle + 1)
}

/// One instruction of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CandidateInstruction {
    pub(super) words: Vec<Word>,
    /// The index of the instruction at the target address, if an instruction starts there.
    pub(super) target: Option<usize>,
}

impl CandidateInstruction {
    /// A static WAIT.
    pub(super) fn wait(cycles: u64, immediate: bool) -> Self {
        let mut words = [Opcode::Wait.code() << BELOW_CODE];
        wait::CYCLE.set(&mut words, cycles - 1);
        Self { words: words.map(|bits| Word { bits, immediate }).to_vec(), target: None }
    }

    /// Number of cycles of a static WAIT; `None` for any other instruction.
    pub(super) fn wait_cycles(&self) -> Option<u64> {
        let words = [self.words[0].bits];
        let is_static = opcode(words[0]) == Some(Opcode::Wait) && !wait::CYCLE_SD.is_set(&words);
        is_static.then(|| wait::CYCLE.get(&words) + 1)
    }

    /// Number of cycles of a static WAIT; 1 for any other instruction.
    pub(super) fn cycles(&self) -> u64 {
        self.wait_cycles().unwrap_or(1)
    }

    /// The fields of the instruction, if its code is known.
    pub(super) fn decoded(&self, io_cell: bool) -> Option<DecodedInstruction<'static>> {
        let bits: Vec<u64> = self.words.iter().map(|w| w.bits).collect();
        decode(isa(), &bits, io_cell).filter(|d| d.len == self.words.len())
    }

    /// The same instruction with other field values; the chunk field determines the number of words.
    pub(super) fn with(&self, decoded: &DecodedInstruction<'_>, values: &[u64]) -> Self {
        let i = decoded.instruction;
        let len = match i.chunk_field {
            Some(f) => i.words_for(values[f]) as usize,
            None => decoded.len,
        };
        let immediate = self.words[0].immediate;
        let words = encode(isa(), i, values, len);
        let words = words.into_iter().map(|bits| Word { bits, immediate }).collect();
        Self { words, target: self.target }
    }
}

/// The instruction that begins with this word. SRAM and IO share a code; the difference does not matter here.
fn opcode(word: u64) -> Option<Opcode> {
    Opcode::of(word, false)
}

/// The field for the target address in this first word of an instruction, if the instruction has one.
fn target_field(word: u64) -> Option<InstructionField> {
    opcode(word)?.target_field()
}

/// A case under reduction.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) cells: BTreeMap<CellId, Vec<CandidateInstruction>>,
    /// The inputs of a case that is given at the ports; programs and memories are then ignored.
    pub(super) entries: Option<Vec<StimulusEntry>>,
    /// Number of cycles after the last input.
    pub(super) after: u64,
    /// The rest of the case. The program and stimulus follow from the fields above.
    pub(super) rest: Case,
}

impl Candidate {
    /// The program of a cell that has one.
    pub(super) fn program(&mut self, cell: CellId) -> &mut Vec<CandidateInstruction> {
        self.cells.get_mut(&cell).expect("cell of the case")
    }

    /// Turns an instruction into a WAIT of this many cycles with the same flag.
    pub(super) fn set_wait(&mut self, cell: CellId, at: usize, cycles: u64) {
        let instruction = &mut self.program(cell)[at];
        *instruction = CandidateInstruction::wait(cycles, instruction.words[0].immediate);
    }

    /// The part of a case before cycle `cycles`.
    pub(super) fn new(case: &Case, cycles: u64) -> Self {
        let cells = case.program.cells();
        let cells = cells
            .map(|(at, words)| (at, instructions(words, case.io_cells.contains(&at))))
            .collect();
        let entries: Vec<StimulusEntry> =
            case.stimulus.entries().iter().filter(|e| e.cycle < cycles).copied().collect();
        let end = end(&entries);
        let rest = Case {
            program: ProgramImage::default(),
            stimulus: Stimulus::default(),
            origin: None,
            expect: None,
            ..case.clone()
        };
        Self { cells, after: cycles - end, entries: case.ports.then_some(entries), rest }
    }

    /// The candidate as a case that can be run.
    pub(super) fn case(&self) -> Case {
        let mut case = self.rest.clone();
        match &self.entries {
            Some(entries) => {
                case.memory = MemoryImage::default();
                case.stimulus = Stimulus::new(entries.clone());
            }
            None => {
                for (&cell, instructions) in &self.cells {
                    case.program.set(cell, words(instructions));
                }
                case.stimulus = Stimulus::load(&case.program, &case.memory);
            }
        }
        case.ports = self.entries.is_some();
        case.cycles = Some(case.stimulus.end() + self.after);
        case
    }

    /// Number of instructions, or number of words for a case at the ports.
    pub(super) fn instructions(&self) -> usize {
        match &self.entries {
            None => self.cells.values().map(Vec::len).sum(),
            Some(entries) => entries.iter().filter(|e| e.prog.is_some()).count(),
        }
    }

    /// Number of instructions in the program of each cell that has one. For a case at the ports, the program follows
    /// from the words.
    pub(super) fn programs(&self) -> Vec<usize> {
        let Some(entries) = &self.entries else {
            return self.cells.values().map(Vec::len).filter(|n| *n > 0).collect();
        };
        let program = Stimulus::new(entries.clone()).program(&self.rest.geometry);
        let io_cells = &self.rest.io_cells;
        let cells = program.cells();
        cells.map(|(at, words)| instructions(words, io_cells.contains(&at)).len()).collect()
    }

    /// The case at the ports as programs and memories, with the same length.
    pub(super) fn as_programs(&self) -> Self {
        let cycles = self.case().cycles.unwrap_or(0);
        let mut plain = Self { entries: None, after: 0, ..self.clone() };
        plain.after = cycles.saturating_sub(plain.case().cycles.unwrap_or(0));
        plain
    }

    /// Removes program words from a case at the ports; later inputs move up.
    pub(super) fn drop_words(&mut self, first: usize, count: usize) {
        let Some(entries) = &mut self.entries else { return };
        let words: Vec<u64> =
            entries.iter().filter(|e| e.prog.is_some()).map(|e| e.cycle).collect();
        let gone = &words[first..(first + count).min(words.len())];
        let (Some(&from), Some(&to)) = (gone.first(), gone.last()) else { return };
        let gone: BTreeSet<u64> = gone.iter().copied().collect();
        for e in entries.iter_mut().filter(|e| gone.contains(&e.cycle)) {
            e.prog = None;
        }
        entries.retain(|e| e.uses_a_port() || e.idle.is_some());
        // Entries after the words move up; other inputs in the same cycles remain.
        for e in entries.iter_mut().filter(|e| e.cycle > to) {
            e.cycle -= (gone.len() as u64).min(e.cycle - from);
        }
        let merged = Stimulus::new(std::mem::take(entries));
        *entries = merged.entries().to_vec();
    }

    /// Merges consecutive WAITs with the same flag.
    pub(super) fn merge_waits(&mut self) {
        for program in self.cells.values_mut() {
            let mut k = 0;
            while k + 1 < program.len() {
                let targeted =
                    program.iter().any(|i| i.target == Some(k) || i.target == Some(k + 1));
                let both = program[k].wait_cycles().zip(program[k + 1].wait_cycles());
                let flags = program[k].words[0].immediate == program[k + 1].words[0].immediate;
                match both {
                    Some((a, b)) if flags && !targeted && a + b <= MAX_WAIT_CYCLES => {
                        program[k] =
                            CandidateInstruction::wait(a + b, program[k].words[0].immediate);
                        remove(program, k + 1);
                    }
                    _ => k += 1,
                }
            }
        }
    }
}

/// Removes an instruction; targets that pointed to it then point to the next instruction.
pub(super) fn remove(program: &mut Vec<CandidateInstruction>, at: usize) {
    program.remove(at);
    for i in program {
        if let Some(target) = &mut i.target
            && *target > at
        {
            *target -= 1;
        }
    }
}

fn instructions(words: &[Word], io_cell: bool) -> Vec<CandidateInstruction> {
    let mut starts = Vec::new();
    let mut list = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest: Vec<u64> = words[at..].iter().map(|w| w.bits).collect();
        let len = decode(isa(), &rest, io_cell).map_or(1, |d| d.len).min(rest.len());
        starts.push(at);
        list.push(CandidateInstruction { words: words[at..at + len].to_vec(), target: None });
        at += len;
    }
    starts.push(at);
    for i in &mut list {
        let word = i.words[0].bits;
        i.target = target_field(word)
            .and_then(|field| starts.iter().position(|s| *s as u64 == field.get(&[word])));
    }
    list
}

fn words(instructions: &[CandidateInstruction]) -> Vec<Word> {
    let mut address = 0;
    let mut starts = Vec::new();
    for i in instructions {
        starts.push(address);
        address += i.words.len() as u64;
    }
    starts.push(address);
    let mut all = Vec::new();
    for i in instructions {
        let mut own = i.words.clone();
        if let (Some(target), Some(field)) = (i.target, target_field(own[0].bits))
            && let Some(start) = starts.get(target)
        {
            let mut first = [own[0].bits];
            field.set(&mut first, *start);
            own[0].bits = first[0];
        }
        all.extend(own);
    }
    all.truncate(Geometry::IMEM_DEPTH);
    all
}
