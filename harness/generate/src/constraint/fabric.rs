// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constraints on the programs of several cells together.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{
    CellId, Geometry, Opcode, Word,
    instructions::{route, sram},
};

use super::{
    Situation,
    finding::{ConstraintViolation, Remedy},
    image::listing,
    program::{CellContext, path},
    rules::ResolvedConstraints,
};
use crate::instruction::Instruction;

/// Messages of each cell, by address.
type CellMessages<'a> = BTreeMap<CellId, (CellContext<'a>, Vec<(usize, Instruction)>)>;

/// Situations that involve several cells.
pub(super) const SITUATIONS: [Situation; 3] =
    [Situation::MessagesMeet, Situation::SramWithoutPath, Situation::TileReadAndWrite];

/// The first message that is excluded because of other messages, with its cell.
pub(super) fn find<'a>(
    rules: &ResolvedConstraints,
    geometry: &Geometry,
    programs: impl Iterator<Item = (CellId, bool, &'a [Word])>,
) -> Option<(CellId, ConstraintViolation)> {
    rules.any_of(&SITUATIONS)?;
    let mut messages = CellMessages::new();
    for (cell, io_cell, words) in programs {
        let site = CellContext { geometry, col: cell.col(), io_cell };
        let mut list = listing(words, io_cell, &BTreeSet::new());
        list.retain(|(_, i)| [Opcode::Route, Opcode::Sram, Opcode::Io].iter().any(|o| i.is(*o)));
        if !list.is_empty() {
            messages.insert(cell, (site, list));
        }
    }
    let meet = rules.any_of(&[Situation::MessagesMeet, Situation::SramWithoutPath]);
    meet.and_then(|k| find_meeting(k, &messages)).or_else(|| {
        let k = rules.excludes(Situation::TileReadAndWrite)?;
        find_read_and_write(k, &messages)
    })
}

/// The first message that reaches a column that belongs to another cell. Each column belongs to the first cell whose
/// messages enter there, and each remaining column to the first cell with a path that reaches it.
fn find_meeting(
    constraint: usize,
    messages: &CellMessages<'_>,
) -> Option<(CellId, ConstraintViolation)> {
    let mut owners: BTreeMap<usize, CellId> = BTreeMap::new();
    for (cell, (_, list)) in messages {
        if *owners.entry(cell.col()).or_insert(*cell) != *cell {
            let (at, _) = list[0];
            return Some((*cell, ConstraintViolation { constraint, at, remedy: Remedy::Replace }));
        }
    }
    for (cell, (site, list)) in messages {
        for (at, i) in list.iter().filter(|(_, i)| i.is(Opcode::Route)) {
            for (hops, column) in path(*site, i).enumerate().skip(1) {
                if *owners.entry(column).or_insert(*cell) != *cell {
                    let remedy = Remedy::Set(route::HORIZONTAL_HOPS, hops as u64 - 1);
                    return Some((*cell, ConstraintViolation { constraint, at: *at, remedy }));
                }
            }
        }
    }
    None
}

/// If SRAMs of several cells can share a tile, all of them get the direction of the first one. For SRAMs of a single
/// cell, the module `agu` counts cycles instead.
fn find_read_and_write(
    constraint: usize,
    messages: &CellMessages<'_>,
) -> Option<(CellId, ConstraintViolation)> {
    // An SRAM can follow any path that is open where it enters or passes, so columns joined by some path belong
    // together.
    let mut group: BTreeMap<usize, usize> = BTreeMap::new();
    let of = |group: &BTreeMap<usize, usize>, column: usize| *group.get(&column).unwrap_or(&column);
    for (site, list) in messages.values() {
        for (_, i) in list.iter().filter(|(_, i)| i.is(Opcode::Route)) {
            for column in path(*site, i) {
                let (from, to) = (of(&group, column), of(&group, site.col));
                group.entry(column).or_insert(column);
                group.entry(site.col).or_insert(site.col);
                for g in group.values_mut().filter(|g| **g == from) {
                    *g = to;
                }
            }
        }
    }
    let has_sram = |list: &[(usize, Instruction)]| list.iter().any(|(_, i)| i.is(Opcode::Sram));
    let mut cells: BTreeMap<usize, usize> = BTreeMap::new();
    for (site, _) in messages.values().filter(|(_, list)| has_sram(list)) {
        *cells.entry(of(&group, site.col)).or_default() += 1;
    }
    let mut direction: BTreeMap<usize, u64> = BTreeMap::new();
    for (cell, (site, list)) in messages {
        let group = of(&group, site.col);
        let shared = cells.get(&group).is_some_and(|cells| *cells > 1);
        for (at, i) in list.iter().filter(|(_, i)| shared && i.is(Opcode::Sram)) {
            let rw = i.value(sram::RW);
            let first = *direction.entry(group).or_insert(rw);
            if first != rw {
                let remedy = Remedy::Set(sram::RW, first);
                return Some((*cell, ConstraintViolation { constraint, at: *at, remedy }));
            }
        }
    }
    None
}
