// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generators of a register file or a tile that may be active when another REFI or SRAM arrives.
//!
//! Cycles are counted in straight-line code only: between two instructions that are executed at most once, with no
//! JUMP, BRANCH or LOOP between them.

use drra_isa::{
    Opcode,
    instructions::{RefiPortNo, refi, sram, wait},
};

use super::{
    Situation,
    finding::{ConstraintViolation, Remedy},
    image::repeated,
    rules::ResolvedConstraints,
};
use crate::instruction::Instruction;

/// Cycles added to a pattern: more than the extra cycles of chapter 3, 6.4, and chapter 6, 7.1.
const MARGIN: u64 = 4;

/// A REFI or SRAM of a program.
struct Launch {
    /// Position in the listing.
    index: usize,
    /// The generator that it configures.
    generator: AddressGenerator,
}

/// An address generator, or the generators for one direction in all tiles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AddressGenerator {
    Words(u64),
    Blocks(u64),
    Tile(u64),
}

/// The first REFI or SRAM that arrives while a generator that it must not meet may be active.
pub(super) fn find(
    rules: &ResolvedConstraints,
    program: &[(usize, Instruction)],
    len: usize,
) -> Option<ConstraintViolation> {
    let relaunch = rules.excludes(Situation::AguRelaunch);
    let overlap = rules.excludes(Situation::BlockPortsOverlap);
    let in_tile = rules.excludes(Situation::TileReadAndWrite);
    relaunch.or(overlap).or(in_tile)?;
    let again = repeated(program, len);
    let repeats = |at: usize| again.iter().any(|(from, to)| (*from..=*to).contains(&at));
    let generator = |i: &Instruction| match i.opcode? {
        Opcode::Refi if i.present(refi::DIMARCH) == 1 => {
            Some(AddressGenerator::Blocks(i.value(refi::PORT_NO)))
        }
        Opcode::Refi => Some(AddressGenerator::Words(i.value(refi::PORT_NO))),
        Opcode::Sram => Some(AddressGenerator::Tile(i.value(sram::RW))),
        _ => None,
    };
    let numbered = program.iter().enumerate();
    let launches: Vec<Launch> = numbered
        .filter_map(|(index, (_, i))| Some(Launch { index, generator: generator(i)? }))
        .collect();
    for (k, later) in launches.iter().enumerate() {
        let at = program[later.index].0;
        let replace =
            |constraint| Some(ConstraintViolation { constraint, at, remedy: Remedy::Replace });
        if let Some(constraint) = relaunch
            && !matches!(later.generator, AddressGenerator::Tile(_))
            && repeats(at)
        {
            return replace(constraint);
        }
        for (j, earlier) in launches[..k].iter().enumerate() {
            let meets = match (earlier.generator, later.generator) {
                (AddressGenerator::Tile(first), AddressGenerator::Tile(second))
                    if first != second =>
                {
                    in_tile
                }
                (AddressGenerator::Tile(_), _) | (_, AddressGenerator::Tile(_)) => None,
                (first, second) if first == second => relaunch,
                (AddressGenerator::Blocks(_), AddressGenerator::Blocks(_)) => overlap,
                _ => None,
            };
            let Some(constraint) = meets else { continue };
            let from = program[earlier.index].0;
            let ends = ends_before(program, earlier, later) && meets_none(program, &launches[..=j]);
            if repeats(from) || repeats(at) || !ends {
                return replace(constraint);
            }
        }
    }
    None
}

/// True if the patterns for the address generator of the last of these instructions never overlap: each has certainly
/// ended when the next instruction for that generator is decoded. Otherwise, a pattern could continue with the counters
/// of the previous one and last much longer than its own fields say (chapter 3, section 6).
fn meets_none(program: &[(usize, Instruction)], launches: &[Launch]) -> bool {
    let Some((last, before)) = launches.split_last() else { return true };
    let same = |launch: &&Launch| launch.generator == last.generator;
    before.iter().filter(same).all(|launch| ends_before(program, launch, last))
        && before
            .iter()
            .rposition(|launch| same(&launch))
            .is_none_or(|at| meets_none(program, &launches[..=at]))
}

/// True if the pattern of `earlier` has certainly ended when `later` is decoded.
fn ends_before(program: &[(usize, Instruction)], earlier: &Launch, later: &Launch) -> bool {
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

/// Minimum number of cycles between the decodes of an instruction and the next one.
fn cycles(i: &Instruction) -> u64 {
    let fixed = i.is(Opcode::Wait) && i.value(wait::CYCLE_SD) == 0;
    if fixed { i.value(wait::CYCLE) + 1 } else { 1 }
}

/// Maximum number of cycles from the launch of a pattern to its end, including the hops of an SRAM, because a later
/// SRAM with fewer hops arrives sooner; `None` if one of its counts or delays is dynamic.
fn most_busy(i: &Instruction) -> Option<u64> {
    if i.is(Opcode::Sram) {
        use sram::*;
        let dynamic = [INIT_DELAY_SD, L1_ITER_SD, L1_DELAY_SD, L2_ITER_SD, L2_DELAY_SD];
        let row = i.value(L1_ITER) * (i.value(L1_DELAY) + 1) + 1 + i.value(L2_DELAY);
        let first = i.value(HOPS) + i.value(INIT_DELAY);
        let known = dynamic.iter().all(|flag| i.value(*flag) == 0);
        return known.then(|| first + (i.value(L2_ITER) + 1) * row + MARGIN);
    }
    use refi::*;
    let dynamic = [L1_ITER_SD, INIT_DELAY_SD, L1_DELAY_SD, L2_ITER_SD, L2_DELAY_SD];
    if dynamic.iter().any(|flag| i.present(*flag) == 1) {
        return None;
    }
    // A REFI for blocks on write port 1 or read port 1 starts nothing (chapter 3, section 3).
    let starts = i.value(PORT_NO) == u64::from(RefiPortNo::W0.code())
        || i.value(PORT_NO) == u64::from(RefiPortNo::R0.code());
    if i.present(DIMARCH) == 1 && !starts {
        return Some(0);
    }
    let l1_delay = i.present(L1_DELAY_EXT) << L1_DELAY.width() | i.present(L1_DELAY);
    let l2_iter = i.present(L2_ITER_EXT) << L2_ITER.width() | i.present(L2_ITER);
    let row = i.value(L1_ITER) * (l1_delay + 1) + 1 + i.present(L2_DELAY);
    Some(i.value(INIT_DELAY) + (l2_iter + 1) * row + MARGIN)
}
