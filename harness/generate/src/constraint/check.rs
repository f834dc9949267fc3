// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks whether a whole case obeys the constraints of its profile, based on its inputs.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::{Case, stimulus::StimulusEntry};
use drra_isa::{CellId, ColumnId, Geometry, Word};

use super::{
    Situation, fabric,
    image::{listing, loop_begins},
    program::{self, CellContext},
    rules::ResolvedConstraints,
};

/// Situations that depend on what a cell did before its program began.
const HISTORY: [Situation; 8] = [
    Situation::DpuModeChange,
    Situation::AguRelaunch,
    Situation::BlockPortsOverlap,
    Situation::MessagesMeet,
    Situation::TileReadAndWrite,
    Situation::SramWithoutPath,
    Situation::UnloadedMemory,
    Situation::ScaledLanes,
];

/// The first constraint that a case violates.
pub(crate) fn violated(rules: &ResolvedConstraints, case: &Case) -> Option<usize> {
    if rules.is_empty() {
        return None;
    }
    let entries = case.stimulus.entries();
    inputs(rules, case, entries).or_else(|| {
        let loads = loads(entries, &case.geometry);
        let used: BTreeSet<CellId> = loads.iter().flat_map(|load| load.keys().copied()).collect();
        let most = rules.most_cells.filter(|(most, _)| used.len() > *most).map(|(_, k)| k);
        most.or_else(|| used.iter().find_map(|cell| rules.forbids_cell(*cell)))
            .or_else(|| first_load(rules, case, loads.first()?))
            .or_else(|| second_loads(rules, case, &loads))
    })
}

/// The first constraint that straps, buffers or memory contents violate.
fn inputs(rules: &ResolvedConstraints, case: &Case, entries: &[StimulusEntry]) -> Option<usize> {
    let program = entries.iter().find(|e| e.prog.is_some()).map(|e| e.cycle);
    let late = |e: &StimulusEntry| program.is_some_and(|first| e.cycle >= first);
    let of_entry = |e: &StimulusEntry| {
        let tile = e.sram_init.and_then(|init| {
            rules.excludes(Situation::TileInit).or_else(|| rules.forbids_column(init.col))
        });
        let file = e.rf_init.and_then(|init| {
            rules.excludes(Situation::RegisterFileInit).or_else(|| rules.forbids_column(init.col))
        });
        let any = e.sram_init.is_some() || e.rf_init.is_some();
        tile.or(file).or_else(|| rules.excludes(Situation::LateInit).filter(|_| any && late(e)))
    };
    let of_strap =
        |cell: &CellId| rules.excludes(Situation::IoCells).or_else(|| rules.forbids_cell(*cell));
    let of_buffer = |column: ColumnId| {
        rules.excludes(Situation::InputBuffers).or_else(|| rules.forbids_column(column.col()))
    };
    case.io_cells
        .iter()
        .find_map(of_strap)
        .or_else(|| case.input_buffers.iter().find_map(|(col, _, _)| of_buffer(*col)))
        .or_else(|| entries.iter().find_map(of_entry))
}

/// Words for each cell, by load: a cycle without a program word ends a load.
fn loads(entries: &[StimulusEntry], geometry: &Geometry) -> Vec<BTreeMap<CellId, Vec<Word>>> {
    let mut loads: Vec<BTreeMap<CellId, Vec<Word>>> = Vec::new();
    let mut next = None;
    for entry in entries {
        let Some(prog) = entry.prog else { continue };
        if next != Some(entry.cycle) {
            loads.push(BTreeMap::new());
        }
        next = Some(entry.cycle + 1);
        let load = loads.last_mut().expect("pushed above");
        let selected = CellId::all(geometry)
            .filter(|c| prog.row_sel >> c.row() & 1 == 1 && prog.col_sel >> c.col() & 1 == 1);
        for cell in selected {
            let word = Word { bits: prog.instr.into(), immediate: prog.imm };
            load.entry(cell).or_default().push(word);
        }
    }
    loads
}

/// The first constraint that the programs of the first load violate.
fn first_load(
    rules: &ResolvedConstraints,
    case: &Case,
    load: &BTreeMap<CellId, Vec<Word>>,
) -> Option<usize> {
    let images: BTreeMap<CellId, Vec<Word>> =
        load.iter().map(|(cell, words)| (*cell, image(&[], words))).collect();
    let views =
        images.iter().map(|(cell, words)| (*cell, case.io_cells.contains(cell), &words[..]));
    let in_cell = |(cell, io_cell, words): (CellId, bool, &[Word])| {
        let site = CellContext { geometry: &case.geometry, col: cell.col(), io_cell };
        program::find(rules, site, words, &BTreeSet::new()).map(|f| f.constraint)
    };
    views
        .clone()
        .find_map(in_cell)
        .or_else(|| fabric::find(rules, &case.geometry, views).map(|(_, f)| f.constraint))
}

/// The first constraint that later loads violate. A cell that is still running can miss the first words of a load, and
/// writes the other words over its first program. After a third load, nothing is known, so a violation is assumed.
fn second_loads(
    rules: &ResolvedConstraints,
    case: &Case,
    loads: &[BTreeMap<CellId, Vec<Word>>],
) -> Option<usize> {
    let [first, second, rest @ ..] = loads else { return None };
    let history = rules.excludes(Situation::Reload).or_else(|| rules.any_of(&HISTORY));
    if history.is_some() {
        return history;
    }
    if !rest.is_empty() {
        return Some(0);
    }
    for (cell, words) in second {
        let io_cell = case.io_cells.contains(cell);
        let site = CellContext { geometry: &case.geometry, col: cell.col(), io_cell };
        let old = first.get(cell).map(|words| image(&[], words)).unwrap_or_default();
        // Loops of the old program may still be active and jump.
        let begins: BTreeSet<usize> = listing(&old, io_cell, &BTreeSet::new())
            .iter()
            .filter_map(|(at, i)| loop_begins(i, *at))
            .flatten()
            .collect();
        let starts = if old.is_empty() { 1 } else { words.len() };
        for start in 0..starts {
            let words = image(&old, &words[start..]);
            if let Some(finding) = program::find(rules, site, &words, &begins) {
                return Some(finding.constraint);
            }
        }
    }
    None
}

/// An instruction memory after a load (chapter 2, section 4): excess words all go to the last address.
fn image(old: &[Word], words: &[Word]) -> Vec<Word> {
    let mut image = old.to_vec();
    for (k, word) in words.iter().enumerate() {
        let at = k.min(Geometry::IMEM_DEPTH - 1);
        match image.get_mut(at) {
            Some(place) => *place = *word,
            None => image.push(*word),
        }
    }
    image
}
