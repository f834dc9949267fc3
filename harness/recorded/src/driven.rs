// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks whether a design was driven with the values of its case. For each cell, words and flags are compared in their
//! order; for each tile and each register file, blocks are compared by their numbers. The cycles in which they arrive
//! do not matter.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use drra_case::{Case, stimulus::StimulusEntry};
use drra_fabric::ports::{Block, ZERO_BLOCK};
use drra_isa::{CellId, ColumnId, Geometry, TileId, Unit};
use drra_lockstep::{DrivenInput, Mismatch, MismatchKind, StimulusDifference, Value};

use crate::stimulus::{BufferAnswers, selected};

/// Kinds below this number are straps (0) and words (1); this kind and the next are the memories of tiles and of cells.
/// Differences are searched for in the order of the kinds.
const MEMORIES: u8 = 2;

/// The kind, the unit, the number, and whether this is a flag, so that each flag follows its word.
type DrivenKey = (u8, Unit, usize, bool);
/// Everything that a stimulus drives, with its cycle and value.
type DrivenValues = BTreeMap<DrivenKey, (DrivenInput, u64, Value)>;

fn drive(case: &Case, geometry: &Geometry) -> DrivenValues {
    let strap = |cell: CellId| {
        let strap = Value::new([case.io_cells.contains(&cell).into()], 1);
        ((0, Unit::Cell(cell), 0, false), (DrivenInput::IoCell { cell }, 0, strap))
    };
    let mut drive: DrivenValues = CellId::all(geometry).map(strap).collect();
    let mut words = BTreeMap::new();
    for entry in case.stimulus.entries() {
        drive.extend(inputs(entry, &mut words, geometry));
    }
    drive
}

/// What one entry drives; `words` is the number of words that each cell has received.
fn inputs(
    entry: &StimulusEntry,
    words: &mut BTreeMap<CellId, usize>,
    geometry: &Geometry,
) -> Vec<(DrivenKey, (DrivenInput, u64, Value))> {
    let (mut drive, cycle) = (Vec::new(), entry.cycle);
    for (word, cell) in entry.prog.iter().flat_map(|w| selected(w, geometry).map(move |c| (w, c))) {
        let next = words.entry(cell).or_default();
        let (unit, number) = (Unit::Cell(cell), *next);
        *next += 1;
        let instr = Value::new([word.instr.into()], 27);
        let imm = Value::new([word.imm.into()], 1);
        drive.push(((1, unit, number, false), (DrivenInput::Word { cell, number }, cycle, instr)));
        drive.push(((1, unit, number, true), (DrivenInput::Flag { cell, number }, cycle, imm)));
    }
    let block = |block: Block| Value::new(block, 256);
    if let Some(init) = &entry.sram_init
        && let Some(tile) = TileId::new(init.row, init.col)
    {
        let driven = DrivenInput::Row { tile, row: init.addr };
        let key = (MEMORIES, Unit::Tile(tile), init.addr, false);
        drive.push((key, (driven, cycle, block(init.data))));
    }
    if let Some(init) = &entry.rf_init
        && let Some(cell) = CellId::new(init.row, init.col)
    {
        let driven = DrivenInput::Block { cell, block: init.block };
        let key = (MEMORIES + 1, Unit::Cell(cell), init.block, false);
        drive.push((key, (driven, cycle, block(init.data))));
    }
    drive
}

/// The load ports that an entry uses: for words, tiles and register files. Blocks for other columns are ignored.
fn used(entry: &StimulusEntry, geometry: &Geometry) -> [bool; 3] {
    let in_fabric = |column: usize| column < geometry.columns;
    [
        entry.prog.is_some(),
        entry.sram_init.is_some_and(|init| in_fabric(init.col)),
        entry.rf_init.is_some_and(|init| in_fabric(init.col)),
    ]
}

fn is_zero(value: &Value) -> bool {
    value.words().iter().all(|word| *word == 0)
}

/// The inputs of a case, with which inputs are compared as they arrive.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedInputs {
    geometry: Geometry,
    /// The values of each input in their order; memories can be loaded several times.
    values: BTreeMap<DrivenKey, Vec<Value>>,
    /// The inputs still to come, with their number.
    missing: BTreeMap<DrivenKey, usize>,
    /// The number of times that each load port is still to be used, also for no cell or tile.
    uses: [usize; 3],
    words: BTreeMap<CellId, usize>,
}

impl ExpectedInputs {
    pub(crate) fn new(case: &Case, geometry: &Geometry) -> Self {
        let (mut values, mut words) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::new());
        let mut uses = [0; 3];
        for entry in case.stimulus.entries() {
            uses.iter_mut()
                .zip(used(entry, geometry))
                .for_each(|(n, used)| *n += usize::from(used));
            for (key, (_, _, value)) in inputs(entry, &mut words, geometry) {
                values.entry(key).or_default().push(value);
            }
        }
        let missing = values.iter().map(|(key, all)| (*key, all.len())).collect();
        Self { geometry: *geometry, values, missing, uses, words: BTreeMap::new() }
    }

    /// Receives the next inputs. Returns false if the case does not have them.
    pub(crate) fn take(&mut self, entry: &StimulusEntry) -> bool {
        let mut same = true;
        let used = used(entry, &self.geometry);
        self.uses.iter_mut().zip(used).for_each(|(n, used)| *n = n.saturating_sub(used.into()));
        for (key, (_, _, value)) in inputs(entry, &mut self.words, &self.geometry) {
            let expected = self.values.get(&key).map_or(&[][..], Vec::as_slice);
            same &= expected.contains(&value)
                || key.0 >= MEMORIES && expected.is_empty() && is_zero(&value);
            if let Entry::Occupied(mut missing) = self.missing.entry(key) {
                *missing.get_mut() -= 1;
                if *missing.get() == 0 {
                    missing.remove();
                }
            }
        }
        same
    }

    /// True if all inputs of the case have arrived.
    pub(crate) fn are_complete(&self) -> bool {
        self.missing.is_empty() && self.uses == [0; 3]
    }
}

/// The first difference between the case and what was driven: straps, then words, then blocks. Unless `whole`, more
/// inputs may follow, and of the flags only those of words up to cycle `flags` have arrived.
pub(crate) fn difference(
    case: &Case,
    recorded: &Case,
    geometry: &Geometry,
    whole: bool,
    flags: Option<u64>,
) -> Option<Mismatch> {
    let expected = ExpectedInputs::new(case, geometry).values;
    let (ours, theirs) = (drive(case, geometry), drive(recorded, geometry));
    let keys: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    keys.into_iter().find_map(|key| {
        let (ours, theirs) = (ours.get(key), theirs.get(key));
        let value = |of: Option<&(_, _, Value)>| of.map(|(_, _, value)| value.clone());
        // Memories are 0 where nothing is loaded.
        let content = |of| value(of).filter(|value| key.0 < MEMORIES || !is_zero(value));
        // An input that is still to come, or follows the one before it.
        let may_follow = || {
            theirs.is_none_or(|(driven, cycle, value)| {
                let is_late = matches!(driven, DrivenInput::Flag { .. })
                    && flags.is_none_or(|flags| *cycle > flags);
                is_late || expected.get(key).is_some_and(|values| values.contains(value))
            })
        };
        let differs = content(ours) != content(theirs) && (whole || !may_follow());
        let (driven, cycle, _) = theirs.or(ours).filter(|_| differs)?;
        let cycle = if theirs.is_some() { *cycle } else { recorded.stimulus.end() };
        Some(mismatch(cycle, *driven, value(ours), value(theirs)))
    })
}

fn mismatch(
    cycle: u64,
    driven: DrivenInput,
    case: Option<Value>,
    recorded: Option<Value>,
) -> Mismatch {
    Mismatch { cycle, kind: MismatchKind::Stimulus(StimulusDifference { driven, case, recorded }) }
}

/// The first answer that differs from the input buffers of a case. The answer is relevant only if the design has
/// matched the golden model until then.
pub(crate) fn buffers(case: &Case, answers: &BufferAnswers) -> Option<Mismatch> {
    let given: BTreeMap<(ColumnId, u32), Block> = case
        .input_buffers
        .iter()
        .map(|(column, address, block)| ((*column, *address), *block))
        .collect();
    let differing = answers.first.iter().filter_map(|((column, address), (cycle, block))| {
        let ours = given.get(&(*column, *address)).copied();
        let value = |block: Block| Value::new(block, 256);
        let driven = DrivenInput::Buffer { column: *column, address: *address };
        (ours.unwrap_or(ZERO_BLOCK) != *block)
            .then(|| mismatch(*cycle, driven, ours.map(value), Some(value(*block))))
    });
    differing.min_by_key(|mismatch| mismatch.cycle)
}
