// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes, and the kinds of instructions by their effect in a cell: REFIs by their AGU, transfers by their direction,
//! WAITs by their length, BRANCHes by their outcome.

use drra_case::{InstructionTemplate, Step};
use drra_fabric::AguId;
use drra_isa::{
    InstructionField, Opcode,
    instructions::{
        BwConfig, CODE_BITS, DpuMode, RefiPortNo, branch, bw, dpu, io, jump, loop_, raccu, refi,
        route, sram, wait,
    },
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::cross::Dimension;

/// An instruction address beyond the words of a program; the word there is 0, which is a HALT.
pub(crate) const NOWHERE: u64 = 63;

/// A decode, with the state of the cell in the cycle of the decode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decode {
    /// The instruction.
    pub(crate) opcode: Opcode,
    /// Words of the decoded instruction; anything after the last word is not part of the instruction.
    pub(crate) words: [u32; Opcode::MAX_WORDS],
    /// Number of words of the instruction.
    pub(crate) len: usize,
    /// Immediate flag of the first word.
    pub(crate) immediate: bool,
    /// Operand width of the cell's DPU.
    pub(crate) width: BwConfig,
    /// Bit k: loop slot k of the cell is active.
    pub(crate) active_loops: u8,
}

impl Decode {
    /// Raw value of a field in a word that the instruction has.
    pub(crate) fn get(&self, field: InstructionField) -> u64 {
        field.get(&self.words)
    }

    /// Number of active loops in slots other than this one.
    pub(crate) fn other_loops(&self, slot: u64) -> usize {
        (self.active_loops & !(1 << slot)).count_ones() as usize
    }
}

/// An instruction and its variant; none for a word that is not an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InstructionKind(Option<Opcode>, u8);

/// Number of kinds of an instruction.
const fn variants(opcode: Opcode) -> usize {
    match opcode {
        Opcode::Refi => AguId::ALL.len() + 1,
        Opcode::Wait => 3,
        Opcode::Branch | Opcode::Route | Opcode::Sram | Opcode::Io => 2,
        _ => 1,
    }
}

/// First kind of each instruction, in the order of [`Opcode::ALL`], then the kind of words that are not instructions.
const FIRST: [u8; Opcode::ALL.len() + 1] = {
    let mut first = [0; Opcode::ALL.len() + 1];
    let mut k = 0;
    while k < Opcode::ALL.len() {
        first[k + 1] = first[k] + variants(Opcode::ALL[k]) as u8;
        k += 1;
    }
    first
};

impl InstructionKind {
    /// A word that is not an instruction.
    pub(crate) const NONE: Self = Self(None, 0);
    /// A BRANCH that is taken.
    pub(crate) const BRANCH_TAKEN: Self = Self(Some(Opcode::Branch), 0);
    /// A BRANCH that is not taken.
    pub(crate) const BRANCH_ON: Self = Self(Some(Opcode::Branch), 1);

    /// The kind of an instruction of `len` words; a BRANCH is assumed to be taken.
    pub(crate) fn new(opcode: Opcode, words: &[u32; Opcode::MAX_WORDS], len: usize) -> Self {
        let flag = |field: InstructionField| usize::from(field.is_set(words));
        let variant = match opcode {
            Opcode::Refi => {
                let dimarch = len > refi::DIMARCH.word() && refi::DIMARCH.is_set(words);
                let port = RefiPortNo::from_bits(refi::PORT_NO.get(words));
                let agu = AguId::ALL.iter().position(|agu| agu.refi_port() == (port, dimarch));
                agu.unwrap_or(AguId::ALL.len())
            }
            Opcode::Wait if wait::CYCLE_SD.is_set(words) => 2,
            Opcode::Wait => usize::from(wait::CYCLE.get(words) > 0),
            Opcode::Route => flag(route::DIRECTION),
            Opcode::Sram => flag(sram::RW),
            Opcode::Io => flag(io::RW),
            _ => 0,
        };
        Self(Some(opcode), variant as u8)
    }

    /// The instruction, and the index among its kinds; `None` for a word that is not an instruction.
    pub(crate) fn opcode(self) -> Option<(Opcode, usize)> {
        Some((self.0?, usize::from(self.1)))
    }

    /// An instruction of this kind, or a word that is not an instruction. An instruction that jumps has a HALT as its
    /// target.
    pub(crate) fn template(self, rng: &mut ChaCha8Rng) -> InstructionTemplate {
        let Some((opcode, variant)) = self.opcode() else {
            // A HALT with a different code.
            let none = |code: &u64| Opcode::new(*code, false).is_none();
            let codes: Vec<u64> = (0..1 << CODE_BITS).filter(none).collect();
            let code = codes[rng.random_range(0..codes.len())];
            return InstructionTemplate::new(Opcode::Halt, &[(InstructionTemplate::CODE, code)]);
        };
        let variant = variant as u64;
        let fields: Vec<(InstructionField, u64)> = match opcode {
            Opcode::Refi => match AguId::ALL.get(variant as usize) {
                Some(agu) => return refi_for(*agu),
                None => vec![(refi::PORT_NO, 1), (refi::DIMARCH, 1)],
            },
            Opcode::Wait if variant == 2 => vec![(wait::CYCLE_SD, 1)],
            Opcode::Wait => vec![(wait::CYCLE, variant * 3)],
            Opcode::Jump => vec![(jump::PC, NOWHERE)],
            // Without a compare, the status is *less*, for which every BRANCH is taken.
            Opcode::Branch => vec![(branch::MODE, 3 * variant), (branch::FALSE_PC, NOWHERE)],
            Opcode::Loop => vec![
                (loop_::LOOPID, rng.random_range(0..4)),
                (loop_::ENDPC, NOWHERE),
                (loop_::ITER, rng.random_range(1..4)),
            ],
            Opcode::Dpu => vec![(dpu::MODE, rng.random_range(0..DpuMode::ALL.len() as u64))],
            Opcode::Bw => vec![(bw::CONFIG, rng.random_range(0..BwConfig::ALL.len() as u64))],
            Opcode::Raccu => vec![(raccu::MODE, 1), (raccu::OPERAND1, rng.random_range(0..128))],
            Opcode::Route => {
                vec![(route::DIRECTION, variant), (route::VERTICAL_HOPS, rng.random_range(0..2))]
            }
            Opcode::Sram => vec![(sram::RW, variant), (sram::INIT_ADDR, rng.random_range(0..64))],
            Opcode::Io => vec![(io::RW, variant), (io::INIT_ADDR, rng.random_range(0..64))],
            Opcode::Halt | Opcode::Swb | Opcode::Perm => Vec::new(),
        };
        InstructionTemplate::new(opcode, &fields)
    }

    /// The instruction that must precede one of this kind by some cycles: a compare of equal operands, so that a
    /// BRANCH is not taken.
    pub(crate) fn prelude(self) -> Option<InstructionTemplate> {
        (self == Self::BRANCH_ON).then(|| InstructionTemplate::dpu(DpuMode::MaxMin))
    }
}

impl Dimension for InstructionKind {
    fn count() -> usize {
        usize::from(FIRST[Opcode::ALL.len()]) + 1
    }

    fn index(self) -> usize {
        usize::from(FIRST[self.0.map_or(Opcode::ALL.len(), Opcode::index)] + self.1)
    }

    fn of(index: usize) -> Self {
        let mut kinds = Opcode::ALL.iter().zip(FIRST).rev();
        let last = kinds.find(|(_, first)| usize::from(*first) <= index);
        match last.filter(|_| index + 1 < Self::count()) {
            Some((opcode, first)) => Self(Some(*opcode), index as u8 - first),
            None => Self::NONE,
        }
    }

    fn label(self) -> String {
        let Some((opcode, variant)) = self.opcode() else { return "no instruction".to_owned() };
        let of = |names: &[&str]| names[variant].to_owned();
        let text = match opcode {
            Opcode::Refi => AguId::ALL.get(variant).map_or("nothing".to_owned(), |a| a.to_string()),
            Opcode::Wait => of(&["1 cycle", "longer", "dynamic"]),
            Opcode::Branch => of(&["taken", "not taken"]),
            Opcode::Route | Opcode::Sram | Opcode::Io => of(&["read", "write"]),
            _ => return opcode.to_string(),
        };
        format!("{opcode} {text}")
    }
}

/// Cycles from a prelude to its effect.
pub(crate) const PRELUDE: u64 = 5;

/// The first steps of a sequence: the prelude that these kinds need, and its waiting time.
pub(crate) fn preludes(kinds: &[InstructionKind]) -> Vec<Step> {
    let Some(prelude) = kinds.iter().find_map(|kind| kind.prelude()) else { return Vec::new() };
    vec![prelude.into(), InstructionTemplate::new(Opcode::Wait, &[(wait::CYCLE, PRELUDE)]).into()]
}

/// A REFI for an AGU.
pub(crate) fn refi_for(agu: AguId) -> InstructionTemplate {
    let (port, dimarch) = agu.refi_port();
    let port = u64::from(port.code());
    InstructionTemplate::new(
        Opcode::Refi,
        &[(refi::PORT_NO, port), (refi::DIMARCH, dimarch.into())],
    )
}
