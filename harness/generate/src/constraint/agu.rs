// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generators of a register file that may be active when another REFI comes.
//!
//! Cycles are counted in straight code only: between two REFIs without a JUMP, BRANCH or LOOP
//! between them, neither of which can be executed twice.

use drra_isa::{
    Opcode,
    instructions::{RefiPortNo, refi, wait},
};

use super::{
    Situation,
    finding::{Finding, Remedy},
    image::repeated,
    rules::Rules,
};
use crate::instruction::Instruction;

/// Cycles that are added to each level of a pattern: more than the extra cycles of chapter 3, 6.4.
const MARGIN: u64 = 4;

/// A REFI of a program.
struct Refi {
    /// Position in the listing.
    index: usize,
    port: u64,
    block: bool,
}

/// The first REFI that comes while what it must not meet may be active.
pub(super) fn find(rules: &Rules, program: &[(usize, Instruction)], len: usize) -> Option<Finding> {
    let relaunch = rules.excludes(Situation::AguRelaunch);
    let overlap = rules.excludes(Situation::BlockPortsOverlap);
    if relaunch.is_none() && overlap.is_none() {
        return None;
    }
    let again = repeated(program, len);
    let repeats = |at: usize| again.iter().any(|(from, to)| (*from..=*to).contains(&at));
    let refis: Vec<Refi> = program
        .iter()
        .enumerate()
        .filter(|(_, (_, i))| i.is(Opcode::Refi))
        .map(|(index, (_, i))| Refi {
            index,
            port: i.value(refi::PORT_NO),
            block: i.present(refi::DIMARCH) == 1,
        })
        .collect();
    for (k, later) in refis.iter().enumerate() {
        let at = program[later.index].0;
        let replace = |constraint| Some(Finding { constraint, at, remedy: Remedy::Replace });
        if let Some(constraint) = relaunch
            && repeats(at)
        {
            return replace(constraint);
        }
        for (j, earlier) in refis[..k].iter().enumerate() {
            let meets = if earlier.port == later.port && earlier.block == later.block {
                relaunch
            } else if earlier.block && later.block && earlier.port != later.port {
                overlap
            } else {
                None
            };
            let Some(constraint) = meets else { continue };
            let from = program[earlier.index].0;
            let ends = ends_before(program, earlier, later) && meets_none(program, &refis[..=j]);
            if repeats(from) || repeats(at) || !ends {
                return replace(constraint);
            }
        }
    }
    None
}

/// True if no earlier REFI of its address generator is active when the last of these is decoded: one that takes over a
/// count of the one before it may be active for much longer than its own pattern (chapter 3, section 6).
fn meets_none(program: &[(usize, Instruction)], refis: &[Refi]) -> bool {
    let Some((last, before)) = refis.split_last() else { return true };
    let same = |refi: &&Refi| (refi.port, refi.block) == (last.port, last.block);
    before.iter().filter(same).all(|refi| ends_before(program, refi, last))
        && before
            .iter()
            .rposition(|refi| same(&refi))
            .is_none_or(|at| meets_none(program, &refis[..=at]))
}

/// True if the earlier one is surely at its end when the later one is decoded.
fn ends_before(program: &[(usize, Instruction)], earlier: &Refi, later: &Refi) -> bool {
    let (_, first) = &program[earlier.index];
    let Some(busy) = most_busy(first) else { return false };
    let between = &program[earlier.index..later.index];
    let mut behind = program[earlier.index].0;
    let mut launched = None;
    let mut elapsed = 0;
    for (at, i) in between {
        if *at != behind || i.target().is_some() {
            return false;
        }
        behind = at + i.len;
        if i.immediate {
            launched.get_or_insert(elapsed + 1);
        }
        elapsed += cycles(i);
    }
    behind == program[later.index].0 && launched.is_some_and(|from| from + busy <= elapsed)
}

/// Least cycles between the decode of an instruction and of the one after it.
fn cycles(i: &Instruction) -> u64 {
    let fixed = i.is(Opcode::Wait) && i.value(wait::CYCLE_SD) == 0;
    if fixed { i.value(wait::CYCLE) + 1 } else { 1 }
}

/// Most cycles from the launch of a REFI to its end; `None` if an operand is dynamic.
fn most_busy(i: &Instruction) -> Option<u64> {
    use refi::*;
    let dynamic = [L1_ITER_SD, INIT_DELAY_SD, L1_DELAY_SD, L2_ITER_SD, L2_DELAY_SD];
    if dynamic.iter().any(|flag| i.present(*flag) == 1) {
        return None;
    }
    // Blocks on write port 1 or read port 1 start nothing (chapter 3, section 2).
    let starts = i.value(PORT_NO) == u64::from(RefiPortNo::W0.code())
        || i.value(PORT_NO) == u64::from(RefiPortNo::R0.code());
    if i.present(DIMARCH) == 1 && !starts {
        return Some(0);
    }
    let l1_delay = i.present(L1_DELAY_EXT) << L1_DELAY.width() | i.present(L1_DELAY);
    let l2_iter = i.present(L2_ITER_EXT) << L2_ITER.width() | i.present(L2_ITER);
    let row = (i.value(L1_ITER) + 1) * (l1_delay + 1) + i.present(L2_DELAY) + MARGIN;
    Some(i.value(INIT_DELAY) + (l2_iter + 1) * row + MARGIN)
}
