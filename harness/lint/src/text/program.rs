// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instructions of a cell, and the orders in which they can be executed (chapter 2, section 5).

use std::collections::BTreeMap;

use drra_case::Case;
use drra_isa::{CellId, Field, Opcode, Revision, Word, decode, instructions::RefiPortNo};

/// An instruction in the program of a cell.
#[derive(PartialEq)]
pub(super) struct Instruction {
    /// Address of its first word.
    pub(super) address: usize,
    /// Number of words.
    words: usize,
    /// `None` for a code without an instruction.
    pub(super) opcode: Option<Opcode>,
    /// Its immediate flag.
    pub(super) immediate: bool,
    /// Its fields with their raw values; those of absent words have their defaults.
    fields: Vec<(&'static Field, u64)>,
}

impl Instruction {
    pub(super) fn is(&self, opcode: Opcode) -> bool {
        self.opcode == Some(opcode)
    }

    fn field(&self, name: &str) -> Option<(&'static Field, u64)> {
        self.fields.iter().copied().find(|(field, _)| field.name == name)
    }

    /// Raw value of a field; 0 if there is no such field.
    pub(super) fn value(&self, name: &str) -> u64 {
        self.field(name).map_or(0, |(_, value)| value)
    }

    /// `field=value`, as in a text.
    pub(super) fn shown(&self, name: &str) -> String {
        let text = self.field(name).map(|(field, value)| match field.value_name(value) {
            Some(text) => text.to_owned(),
            None => field.number(value).to_string(),
        });
        format!("{name}={}", text.unwrap_or_default())
    }

    /// The dynamic operands: name of the field, and number of the register (chapter 1, 4.1).
    pub(super) fn dynamic_operands(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let is_dynamic = |field: &Field| field.selector.is_some_and(|s| self.fields[s].1 == 1);
        let dynamic = self.fields.iter().filter(move |(field, _)| is_dynamic(field));
        dynamic.map(|(field, value)| (field.name.as_str(), *value as usize & 15))
    }

    /// The register of the RACCU that an instruction sets: the result of a RACCU, and R(15-k) for the slot k of a LOOP
    /// (chapter 2, section 8).
    pub(super) fn register(&self) -> Option<usize> {
        match self.opcode? {
            Opcode::Raccu if self.value("mode") != 0 => Some(self.value("result") as usize),
            Opcode::Loop => Some(15 - self.value("loopid") as usize),
            _ => None,
        }
    }

    /// The place where an instruction with flag 0 is pending (chapter 2, section 7), if it waits for a flag at all.
    pub(super) fn pending(&self) -> Option<&'static str> {
        let port = RefiPortNo::from_bits(self.value("port_no"));
        match self.opcode? {
            Opcode::Refi if self.value("dimarch") == 0 => Some(port.name()),
            Opcode::Refi if port == RefiPortNo::W0 => Some("wb"),
            Opcode::Refi if port == RefiPortNo::R0 => Some("rb"),
            Opcode::Dpu => Some("dpu"),
            Opcode::Swb if self.value("unused0") == 1 => Some("swb"),
            Opcode::Route | Opcode::Sram | Opcode::Io => Some("noc"),
            Opcode::Perm => Some("perm"),
            Opcode::Raccu => self.register().map(|_| "raccu"),
            Opcode::Loop => Some("loop"),
            _ => None,
        }
    }

    /// The addresses of the first and the last instruction in the body of a LOOP.
    pub(super) fn body(&self) -> (usize, usize) {
        (self.address + self.words, self.value("endpc") as usize)
    }

    /// `MNEMONIC at address 6`
    pub(super) fn place(&self) -> String {
        format!("{} at address {}", self.opcode.map_or("word", Opcode::name), self.address)
    }
}

/// A property of instructions.
type Test<'a> = &'a dyn Fn(&Instruction) -> bool;

/// The program of a cell, which has at least one word.
pub(super) struct CellProgram<'a> {
    pub(super) case: &'a Case,
    pub(super) cell: CellId,
    /// The instructions by address.
    pub(super) instructions: BTreeMap<usize, Instruction>,
    /// Number of words.
    pub(super) words: usize,
}

impl<'a> CellProgram<'a> {
    pub(super) fn new(case: &'a Case, cell: CellId, program: &[Word]) -> Self {
        let io_cell = case.io_cells.contains(&cell);
        let bits: Vec<u64> = program.iter().map(|w| w.bits).collect();
        let (mut instructions, mut address) = (BTreeMap::new(), 0);
        while let Some(first) = program.get(address) {
            let decoded = decode(Revision::default().isa(), &bits[address..], io_cell);
            let (words, fields) = decoded.map_or((1, Vec::new()), |d| {
                (d.len, d.instruction.fields.iter().zip(d.values).collect())
            });
            let (opcode, immediate) = (Opcode::of(first.bits, io_cell), first.immediate);
            instructions.insert(address, Instruction { address, words, opcode, immediate, fields });
            address += words;
        }
        Self { case, cell, instructions, words: bits.len() }
    }

    /// The instructions that can follow an instruction; none if the program ends there. Each loop can iterate at the end
    /// of its body; one with a dynamic count can skip its body, which ends loops around it with the same end (`link`).
    pub(super) fn following(&self, i: &Instruction) -> Vec<&Instruction> {
        let (mut addresses, mut end) = (vec![i.address + i.words], i.address);
        match i.opcode {
            _ if self.ends(i) => return Vec::new(),
            Some(Opcode::Jump) => addresses = vec![i.value("pc") as usize],
            Some(Opcode::Branch) => addresses.push(i.value("false_pc") as usize),
            Some(Opcode::Loop) if i.value("iter_sd") == 1 || i.value("iter") == 0 => {
                end = i.body().1;
                addresses.push(end + 1);
            }
            _ => {}
        }
        addresses.extend(self.loops().map(Instruction::body).filter(|b| b.1 == end).map(|b| b.0));
        addresses.iter().filter_map(|address| self.instructions.get(address)).collect()
    }

    /// True if the program ends with an instruction.
    pub(super) fn ends(&self, i: &Instruction) -> bool {
        i.is(Opcode::Halt) || self.words > 1 && i.address + 1 == self.words
    }

    /// The LOOPs in the order of their addresses.
    pub(super) fn loops(&self) -> impl Iterator<Item = &Instruction> {
        self.instructions.values().filter(|i| i.is(Opcode::Loop))
    }

    /// The instructions that can be executed after an instruction, or from the start on, up to and including the next
    /// one that `stops`.
    pub(super) fn reached(&self, from: Option<&Instruction>, stops: Test<'_>) -> Vec<&Instruction> {
        let mut reached = BTreeMap::new();
        let mut open = from.map_or_else(|| vec![&self.instructions[&0]], |i| self.following(i));
        while let Some(i) = open.pop() {
            if reached.insert(i.address, i).is_none() && !stops(i) {
                open.extend(self.following(i));
            }
        }
        reached.into_values().collect()
    }

    /// The instructions of a kind, each of which can be the last one of this kind before an instruction.
    pub(super) fn last_before(&self, i: &Instruction, is: Test<'_>) -> Vec<&Instruction> {
        let of_kind = self.instructions.values().filter(|from| is(from));
        of_kind.filter(|from| self.reached(Some(from), is).contains(&i)).collect()
    }
}
