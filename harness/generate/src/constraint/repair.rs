// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes programs until no constraint excludes anything in them.
//!
//! The instruction at an address can be changed a few times. If it is still excluded or cannot be changed, fillers
//! replace its words: instructions without effect or, if all of those are excluded, HALTs. A replaced word changes again
//! only if the program must end with a HALT there, so the repair terminates.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{
    CellId, Geometry, Opcode, Word,
    instructions::{CODE_BITS, WORD_BITS},
};

use super::{
    fabric,
    finding::{ConstraintViolation, Remedy},
    image::at_address,
    program::{self, CellContext},
    rules::ResolvedConstraints,
};
use crate::instruction::Instruction;

/// Maximum number of changes to the instruction at one address before it is replaced.
const CHANGES: u8 = 6;

/// A program under repair.
struct ProgramRepair {
    words: Vec<Word>,
    io_cell: bool,
    /// For each word, whether it has been replaced.
    fixed: Vec<bool>,
    /// Number of changes by address.
    changes: Vec<u8>,
}

impl ProgramRepair {
    fn new(words: Vec<Word>, io_cell: bool) -> Self {
        let len = words.len();
        Self { words, io_cell, fixed: vec![false; len], changes: vec![0; len] }
    }

    fn find(
        &self,
        rules: &ResolvedConstraints,
        geometry: &Geometry,
        col: usize,
    ) -> Option<ConstraintViolation> {
        let site = CellContext { geometry, col, io_cell: self.io_cell };
        program::find(rules, site, &self.words, &BTreeSet::new())
    }

    /// Changes the instruction of a finding.
    fn change(&mut self, rules: &ResolvedConstraints, finding: ConstraintViolation) {
        let at = finding.at;
        if let Remedy::Flag = finding.remedy {
            self.words[at].immediate = !self.words[at].immediate;
            return;
        }
        if let Remedy::Halt = finding.remedy {
            // This word may have been replaced before, so a flag that is excluded for a HALT is changed, too.
            let word = &mut self.words[at];
            word.bits = Opcode::Halt.code() << (WORD_BITS - CODE_BITS);
            if !rules.permits(&Instruction::new([word.bits, 0, 0], word.immediate, false)) {
                word.immediate = !word.immediate;
            }
            return;
        }
        let mut i = at_address(&self.words, at, self.io_cell);
        // The instruction may wrap, and it may share words with one that was replaced.
        let free = std::array::from_fn(|k| {
            at + k < self.words.len() && !self.fixed[at + k] && at + k < Geometry::IMEM_DEPTH
        });
        self.changes[at] += 1;
        let changed = self.changes[at] <= CHANGES
            && match finding.remedy {
                Remedy::Flag | Remedy::Halt | Remedy::Replace => false,
                Remedy::Escape => escape(rules, &mut i, free, at as u64),
                Remedy::Set(field, value) => {
                    let can = free[field.word()];
                    field.set(&mut i.words, value);
                    can
                }
            };
        if changed {
            for (k, _) in free.iter().enumerate().filter(|(_, free)| **free) {
                self.words[at + k].bits = i.words[k];
            }
            for k in 0..i.len {
                if free.get(k) == Some(&true) {
                    self.words[at + k].immediate = i.immediate;
                }
            }
        } else {
            self.replace(rules, at, at_address(&self.words, at, self.io_cell).len);
        }
    }

    /// Overwrites the words of an instruction with instructions without effect.
    fn replace(&mut self, rules: &ResolvedConstraints, at: usize, len: usize) {
        for k in at..(at + len).min(self.words.len()) {
            if !self.fixed[k] {
                let filler = rules.filler(self.words[k].immediate);
                self.words[k] = Word { bits: filler.words[0], immediate: filler.immediate };
                self.fixed[k] = true;
            }
        }
    }
}

/// Changes an instruction so that the first rule that excludes it no longer does.
fn escape(
    rules: &ResolvedConstraints,
    i: &mut Instruction,
    free: [bool; Opcode::MAX_WORDS],
    salt: u64,
) -> bool {
    let flags = rules.flags_left();
    rules.word_rule(i).is_some_and(|rule| rule.escape(i, free, flags, salt))
}

/// Changes a single instruction until its words are permitted. `None` if that is impossible. `count` is called with
/// the constraint of each change.
pub(crate) fn settle(
    rules: &ResolvedConstraints,
    mut i: Instruction,
    mut count: impl FnMut(usize),
) -> Option<Instruction> {
    for round in 0..u64::from(CHANGES) {
        let Some(constraint) = rules.violated(&i) else { return Some(i) };
        count(constraint);
        let flag = rules.flag(i.immediate).is_some();
        if flag {
            i.immediate = !i.immediate;
        } else if !escape(rules, &mut i, [true; Opcode::MAX_WORDS], round) {
            return None;
        }
    }
    rules.permits(&i).then_some(i)
}

/// Changes programs until no constraint excludes anything in them; each cell is given with its strap. Counts the
/// changes by constraint.
pub(super) fn repair(
    rules: &ResolvedConstraints,
    geometry: &Geometry,
    programs: BTreeMap<CellId, (bool, Vec<Word>)>,
    replaced: &mut [u64],
) -> BTreeMap<CellId, Vec<Word>> {
    let mut programs: BTreeMap<CellId, ProgramRepair> = programs
        .into_iter()
        .map(|(cell, (io_cell, words))| (cell, ProgramRepair::new(words, io_cell)))
        .collect();
    let mut open: Vec<CellId> = programs.keys().copied().collect();
    loop {
        for cell in open.drain(..) {
            let program = programs.get_mut(&cell).expect("cell with a program");
            while let Some(finding) = program.find(rules, geometry, cell.col()) {
                replaced[finding.constraint] += 1;
                program.change(rules, finding);
            }
        }
        let views = programs.iter().map(|(cell, p)| (*cell, p.io_cell, &p.words[..]));
        let Some((cell, finding)) = fabric::find(rules, geometry, views) else { break };
        replaced[finding.constraint] += 1;
        programs.get_mut(&cell).expect("cell with a program").change(rules, finding);
        open.push(cell);
    }
    programs.into_iter().map(|(cell, program)| (cell, program.words)).collect()
}
