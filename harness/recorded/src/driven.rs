// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a design was driven with what its case says. Words and flags count in their order for each cell,
//! blocks for each tile and cell; when they come does not count.

use std::collections::BTreeMap;

use drra_case::Case;
use drra_isa::{
    CellId, ColumnId, Geometry, TileId,
    ports::{Block, ZERO_BLOCK},
};
use drra_lockstep::{Driven, Mismatch, MismatchKind, StimulusDifference, Value};

use crate::stimulus::{Answers, selected};

/// Bits of an instruction word.
const WORD_BITS: u32 = 27;

/// Everything that a stimulus drives, with the cycles.
#[derive(Default)]
struct Drive {
    words: BTreeMap<CellId, Vec<(u64, u32, bool)>>,
    rows: BTreeMap<(TileId, usize), (u64, Block)>,
    blocks: BTreeMap<(CellId, usize), (u64, Block)>,
    end: u64,
}

impl Drive {
    fn of(case: &Case, geometry: &Geometry) -> Self {
        let mut drive = Self { end: case.stimulus.end(), ..Self::default() };
        for entry in case.stimulus.entries() {
            if let Some(word) = &entry.prog {
                for cell in selected(word, geometry) {
                    let words = drive.words.entry(cell).or_default();
                    words.push((entry.cycle, word.instr, word.imm));
                }
            }
            if let Some(init) = &entry.sram_init
                && let Some(tile) = TileId::new(init.row, init.col)
            {
                drive.rows.insert((tile, init.addr), (entry.cycle, init.data));
            }
            if let Some(init) = &entry.rf_init
                && let Some(cell) = CellId::new(init.row, init.col)
            {
                drive.blocks.insert((cell, init.block), (entry.cycle, init.data));
            }
        }
        drive
    }
}

/// The first difference between what a case says and what was driven: straps, words, blocks.
pub(crate) fn difference(case: &Case, recorded: &Case, geometry: &Geometry) -> Option<Mismatch> {
    let (ours, theirs) = (Drive::of(case, geometry), Drive::of(recorded, geometry));
    straps(case, recorded, geometry)
        .or_else(|| words(&ours, &theirs, geometry))
        .or_else(|| {
            let row = |(tile, row)| Driven::Row { tile, row };
            blocks(&ours.rows, &theirs.rows, theirs.end, row)
        })
        .or_else(|| {
            let block = |(cell, block)| Driven::Block { cell, block };
            blocks(&ours.blocks, &theirs.blocks, theirs.end, block)
        })
}

fn mismatch(cycle: u64, driven: Driven, case: Option<Value>, recorded: Option<Value>) -> Mismatch {
    Mismatch { cycle, kind: MismatchKind::Stimulus(StimulusDifference { driven, case, recorded }) }
}

fn straps(case: &Case, recorded: &Case, geometry: &Geometry) -> Option<Mismatch> {
    let strap = |case: &Case, cell: CellId| {
        let set = case.io_cells.contains(&cell);
        Some(Value::new(vec![set.into()], 1))
    };
    CellId::all(geometry)
        .map(|cell| (cell, strap(case, cell), strap(recorded, cell)))
        .find(|(_, ours, theirs)| ours != theirs)
        .map(|(cell, ours, theirs)| mismatch(0, Driven::IoCell { cell }, ours, theirs))
}

fn words(ours: &Drive, theirs: &Drive, geometry: &Geometry) -> Option<Mismatch> {
    CellId::all(geometry).find_map(|cell| {
        let of = |drive: &Drive| drive.words.get(&cell).cloned().unwrap_or_default();
        let (ours, recorded) = (of(ours), of(theirs));
        (0..ours.len().max(recorded.len())).find_map(|number| {
            let (ours, recorded) = (ours.get(number), recorded.get(number));
            let cycle = recorded.map_or(theirs.end, |(cycle, ..)| *cycle);
            let word = |w: Option<&(u64, u32, bool)>| {
                w.map(|(_, word, _)| Value::new(vec![u64::from(*word)], WORD_BITS))
            };
            let flag = |w: Option<&(u64, u32, bool)>| {
                w.map(|(.., flag)| Value::new(vec![u64::from(*flag)], 1))
            };
            if word(ours) != word(recorded) {
                let driven = Driven::Word { cell, number };
                return Some(mismatch(cycle, driven, word(ours), word(recorded)));
            }
            let driven = Driven::Flag { cell, number };
            (flag(ours) != flag(recorded))
                .then(|| mismatch(cycle, driven, flag(ours), flag(recorded)))
        })
    })
}

/// Blocks of memories that are all 0 at the start.
fn blocks<K: Copy + Ord>(
    ours: &BTreeMap<K, (u64, Block)>,
    theirs: &BTreeMap<K, (u64, Block)>,
    end: u64,
    driven: impl Fn(K) -> Driven,
) -> Option<Mismatch> {
    let mut keys: Vec<K> = ours.keys().chain(theirs.keys()).copied().collect();
    keys.sort_unstable();
    let content = |block: Option<&(u64, Block)>| block.map_or(ZERO_BLOCK, |(_, block)| *block);
    keys.into_iter().find_map(|key| {
        let (ours, theirs) = (ours.get(&key), theirs.get(&key));
        let value =
            |block: Option<&(u64, Block)>| block.map(|(_, block)| Value::new(block.to_vec(), 256));
        let cycle = theirs.map_or(end, |(cycle, _)| *cycle);
        (content(ours) != content(theirs))
            .then(|| mismatch(cycle, driven(key), value(ours), value(theirs)))
    })
}

/// The first answer that is not what the input buffers of a case have. It counts if the design has done until then
/// what the golden model does.
pub(crate) fn buffers(case: &Case, answers: &Answers) -> Option<Mismatch> {
    let given: BTreeMap<(ColumnId, u32), Block> = case
        .input_buffers
        .iter()
        .map(|(column, address, block)| ((*column, *address), *block))
        .collect();
    let differing = answers.first.iter().filter_map(|((column, address), (cycle, block))| {
        let ours = given.get(&(*column, *address)).copied();
        let value = |block: Block| Value::new(block.to_vec(), 256);
        let driven = Driven::Buffer { column: *column, address: *address };
        (ours.unwrap_or(ZERO_BLOCK) != *block)
            .then(|| mismatch(*cycle, driven, ours.map(value), Some(value(*block))))
    });
    differing.min_by_key(|mismatch| mismatch.cycle)
}
