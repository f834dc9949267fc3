// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints on the program of one cell.

use std::collections::BTreeSet;

use drra_isa::{
    Geometry, InstructionField, Opcode, Word,
    instructions::{BwConfig, DpuMode, bw, dpu, route, swb},
};

use super::{
    Situation, agu,
    finding::{ConstraintViolation, Remedy},
    image::listing,
    rules::ResolvedConstraints,
};
use crate::instruction::Instruction;

/// The properties of a cell that determine the effect of its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellContext<'a> {
    pub(super) geometry: &'a Geometry,
    pub(super) col: usize,
    pub(super) io_cell: bool,
}

/// The first violation of a constraint in a program. Instructions can also begin at the addresses in `begins`.
pub(super) fn find(
    rules: &ResolvedConstraints,
    site: CellContext<'_>,
    words: &[Word],
    begins: &BTreeSet<usize>,
) -> Option<ConstraintViolation> {
    if let Some(finding) = find_flag(rules, words) {
        return Some(finding);
    }
    let program = listing(words, site.io_cell, begins);
    let single = program.iter().find_map(|(at, instruction)| {
        let by_words = rules.violated(instruction).map(|k| (k, Remedy::Escape));
        let (constraint, remedy) = by_words.or_else(|| columns(rules, site, instruction))?;
        Some(ConstraintViolation { constraint, at: *at, remedy })
    });
    single
        .or_else(|| find_mode_change(rules, &program))
        .or_else(|| find_jump_at_end(rules, &program))
        .or_else(|| find_sram_without_path(rules, &program))
        .or_else(|| find_unloaded(rules, &program, words))
        .or_else(|| find_scaled_lanes(rules, &program))
        .or_else(|| agu::find(rules, &program, words.len()))
}

/// A word whose flag is excluded.
fn find_flag(rules: &ResolvedConstraints, words: &[Word]) -> Option<ConstraintViolation> {
    let found = |(at, word): (usize, &Word)| {
        let constraint = rules.flag(word.immediate)?;
        Some(ConstraintViolation { constraint, at, remedy: Remedy::Flag })
    };
    words.iter().enumerate().find_map(found)
}

/// An SWB with a source, or a ROUTE with a path, in a column that must not be used.
fn columns(
    rules: &ResolvedConstraints,
    site: CellContext<'_>,
    i: &Instruction,
) -> Option<(usize, Remedy)> {
    let constraint = rules.columns()?;
    match i.opcode? {
        Opcode::Swb => {
            let source = swb_source(site, i)?;
            let forbidden = rules.forbids_column(source).is_some();
            forbidden.then_some((constraint, Remedy::Set(swb::HB_INDEX, 2)))
        }
        Opcode::Route => {
            let free = |c: &usize| rules.forbids_column(*c).is_none();
            let room = path(site, i).skip(1).take_while(free).count();
            let longer = path(site, i).count() > room + 1;
            longer.then_some((constraint, Remedy::Set(route::HORIZONTAL_HOPS, room as u64)))
        }
        _ => None,
    }
}

/// Column of the source of an SWB, if it connects an input to a column of the fabric.
fn swb_source(site: CellContext<'_>, i: &Instruction) -> Option<usize> {
    let distance = i.value(swb::HB_INDEX) as usize;
    let connects = i.value(swb::UNUSED0) == 1 && distance < 5;
    let source = (site.col + distance).checked_sub(2).filter(|_| connects)?;
    (source < site.geometry.columns).then_some(source)
}

/// Columns that a ROUTE passes, starting with its own.
pub(super) fn path(site: CellContext<'_>, i: &Instruction) -> impl Iterator<Item = usize> {
    let (col, east) = (site.col, i.value(route::HORIZONTAL_DIR) == 1);
    let columns = site.geometry.columns;
    (0..=i.value(route::HORIZONTAL_HOPS) as usize)
        .map_while(move |k| if east { Some(col + k) } else { col.checked_sub(k) })
        .take_while(move |c| *c < columns)
}

/// A DPU instruction whose mode differs from the first one's.
fn find_mode_change(
    rules: &ResolvedConstraints,
    program: &[(usize, Instruction)],
) -> Option<ConstraintViolation> {
    let constraint = rules.excludes(Situation::DpuModeChange)?;
    let mut dpus = program.iter().filter(|(_, i)| i.is(Opcode::Dpu));
    let mode = dpus.next()?.1.value(dpu::MODE);
    let (at, _) = dpus.find(|(_, i)| i.value(dpu::MODE) != mode)?;
    Some(ConstraintViolation { constraint, at: *at, remedy: Remedy::Set(dpu::MODE, mode) })
}

/// A JUMP or BRANCH at the end of a loop.
fn find_jump_at_end(
    rules: &ResolvedConstraints,
    program: &[(usize, Instruction)],
) -> Option<ConstraintViolation> {
    let constraint = rules.excludes(Situation::JumpAtLoopEnd)?;
    let loops = program.iter().filter(|(_, i)| i.is(Opcode::Loop));
    let ends: BTreeSet<usize> = loops.filter_map(|(_, i)| i.target()).collect();
    let jumps = |i: &Instruction| i.is(Opcode::Jump) || i.is(Opcode::Branch);
    let (at, _) = program.iter().find(|(at, i)| jumps(i) && ends.contains(at))?;
    Some(ConstraintViolation { constraint, at: *at, remedy: Remedy::Replace })
}

/// An SRAM without an immediate ROUTE before it in straight-line code.
fn find_sram_without_path(
    rules: &ResolvedConstraints,
    program: &[(usize, Instruction)],
) -> Option<ConstraintViolation> {
    let constraint = rules.excludes(Situation::SramWithoutPath)?;
    let mut behind = 0;
    let (mut straight, mut path) = (true, false);
    for (at, i) in program {
        // An instruction inside another one can only be reached by a jump.
        straight &= *at >= behind;
        behind = at + i.len;
        if i.is(Opcode::Sram) && !path {
            return Some(ConstraintViolation { constraint, at: *at, remedy: Remedy::Replace });
        }
        straight &= i.target().is_none();
        path |= straight && i.is(Opcode::Route) && i.immediate;
    }
    None
}

/// An instruction that can pass over the HALT at the end of a program, or that is at the end instead of a HALT.
fn find_unloaded(
    rules: &ResolvedConstraints,
    program: &[(usize, Instruction)],
    words: &[Word],
) -> Option<ConstraintViolation> {
    let constraint = rules.excludes(Situation::UnloadedMemory)?;
    let last = words.len().checked_sub(1)?;
    let finding = |at, remedy| Some(ConstraintViolation { constraint, at, remedy });
    if Opcode::of(words[last].bits, false) != Some(Opcode::Halt) {
        return finding(last, Remedy::Halt);
    }
    // The last word of the memory is never counted (chapter 2, section 4).
    if words.len() > Geometry::PROGRAM_WORDS {
        return finding(0, Remedy::Replace);
    }
    program.iter().find_map(|(at, i)| {
        // A skipped loop continues after its end.
        let most = if i.is(Opcode::Loop) { last.saturating_sub(1) } else { last };
        let field = i.opcode.and_then(Opcode::target_field);
        match field.filter(|field| i.value(*field) as usize > most) {
            Some(field) => finding(*at, Remedy::Set(field, most as u64)),
            None if *at < last && at + i.len > last => finding(*at, Remedy::Replace),
            None => None,
        }
    })
}

/// A BW that selects 8- or 4-bit lanes, in a program with a DPU instruction that scales.
fn find_scaled_lanes(
    rules: &ResolvedConstraints,
    program: &[(usize, Instruction)],
) -> Option<ConstraintViolation> {
    let constraint = rules.excludes(Situation::ScaledLanes)?;
    let of = |i: &Instruction, opcode, field: InstructionField, codes: [u8; 2]| {
        i.is(opcode) && codes.iter().any(|code| i.value(field) == u64::from(*code))
    };
    let scales = [DpuMode::ScaleDw, DpuMode::ScaleUp].map(DpuMode::code);
    let lanes = [BwConfig::Int8, BwConfig::Int4].map(BwConfig::code);
    program.iter().find(|(_, i)| of(i, Opcode::Dpu, dpu::MODE, scales))?;
    let (at, _) = program.iter().find(|(_, i)| of(i, Opcode::Bw, bw::CONFIG, lanes))?;
    let remedy = Remedy::Set(bw::CONFIG, BwConfig::Int16.code().into());
    Some(ConstraintViolation { constraint, at: *at, remedy })
}
