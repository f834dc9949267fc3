// SPDX-License-Identifier: MIT OR Apache-2.0
//! The addresses of an instruction memory at which instructions can begin.

use std::collections::BTreeSet;

use drra_isa::{Geometry, Opcode, Word};

use crate::instruction::Instruction;

const DEPTH: usize = Geometry::IMEM_DEPTH;

/// Instructions of a program that may be decoded, by address.
///
/// An instruction can begin at address 0, at an address in `begins`, after another one, at the target of a JUMP or
/// BRANCH, and where a skipped loop continues (chapter 2, section 5.1), whether or not it is ever executed. Memory
/// after the words reads as 0.
pub(super) fn listing(
    words: &[Word],
    io_cell: bool,
    begins: &BTreeSet<usize>,
) -> Vec<(usize, Instruction)> {
    let mut known = [None; DEPTH];
    let mut open: Vec<usize> = begins.iter().copied().collect();
    open.push(0);
    while let Some(at) = open.pop() {
        if at >= words.len().min(DEPTH) || known[at].is_some() {
            continue;
        }
        let instruction = at_address(words, at, io_cell);
        known[at] = Some(instruction);
        // Addresses wrap, both that of the next instruction and those of the words of an instruction.
        open.push((at + instruction.len) % DEPTH);
        open.extend(loop_begins(&instruction, at).into_iter().flatten());
        if instruction.is(Opcode::Jump) || instruction.is(Opcode::Branch) {
            open.extend(instruction.target());
        }
    }
    let all = known.into_iter().enumerate();
    all.filter_map(|(at, instruction)| Some((at, instruction?))).collect()
}

/// The instruction at an address.
pub(super) fn at_address(words: &[Word], at: usize, io_cell: bool) -> Instruction {
    let word = |k: usize| words.get((at + k) % DEPTH).map_or(0, |w| w.bits);
    let bits = std::array::from_fn(word);
    Instruction::new(bits, words[at].immediate, io_cell)
}

/// Addresses at which a LOOP can make the program continue: the beginning of its body, and the address after its end.
pub(super) fn loop_begins(instruction: &Instruction, at: usize) -> Option<[usize; 2]> {
    if !instruction.is(Opcode::Loop) {
        return None;
    }
    let end = instruction.target()?;
    Some([(at + instruction.len) % DEPTH, (end + 1) % DEPTH])
}

/// Address ranges whose instructions may be executed more than once: from the target of a backward jump, including that
/// of a loop, to the jump; all addresses if the program can continue at address 0 after the last address.
pub(super) fn repeated(listing: &[(usize, Instruction)], len: usize) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    for (at, instruction) in listing {
        if let Some([begin, behind]) = loop_begins(instruction, *at) {
            let end = (behind + DEPTH - 1) % DEPTH;
            if begin <= end {
                ranges.push((begin, end));
            }
            // Without its flag, the LOOP may take effect, and be skipped, at any later instruction.
            let from = if instruction.immediate { *at } else { len };
            if behind <= from {
                ranges.push((behind, from));
            }
        } else if let Some(target) = instruction.target()
            && target <= *at
        {
            ranges.push((target, *at));
        }
        // After an instruction that reaches the last address, the program continues at the first addresses.
        if at + instruction.len >= DEPTH {
            ranges.push((0, DEPTH));
        }
    }
    ranges
}
