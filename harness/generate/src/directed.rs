// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places directed sequences into a plan: into cells without instructions if possible, otherwise after existing
//! instructions.

use drra_case::{DirectedCell, DirectedSequence, Steps};
use drra_isa::{CellId, Opcode};
use rand::RngExt;

use crate::{
    constraint::Situation,
    op::Op,
    plan::{CasePlan, SETTLES, TailOp},
};

/// Maximum number of instructions per cell in a sequence without given cycles; further instructions are left out.
const ROOM: usize = 36;

/// Places a directed sequence into a plan; returns false, without changes, if there is no room for it.
pub(crate) fn place(plan: &mut CasePlan<'_>, sequence: &DirectedSequence) -> bool {
    for fresh in [true, false] {
        if let Some(cells) = choose(plan, sequence, fresh) {
            put(plan, sequence, &cells, fresh);
            return true;
        }
    }
    false
}

/// True if a cell has an instruction of that kind.
fn has(cell: &DirectedCell, opcode: Opcode) -> bool {
    cell.templates().any(|w| w.opcode == opcode)
}

/// Cells of the fabric for the cells of a directed sequence: if `fresh`, only cells without instructions; otherwise,
/// only cells with a program that has room.
fn choose(
    plan: &mut CasePlan<'_>,
    sequence: &DirectedSequence,
    fresh: bool,
) -> Option<Vec<CellId>> {
    let columns = plan.geometry.columns;
    let [west, east] = sequence.margin;
    let count = columns.checked_sub(west + east).filter(|n| *n > 0)?;
    let first = plan.rng.random_range(0..count);
    let row = plan.rng.random_range(0..2);
    let mut bases = (0..count).map(|k| west + (first + k) % count);
    bases.find_map(|base| {
        [row, 1 - row].into_iter().find_map(|any| {
            let cells: Option<Vec<CellId>> = sequence
                .cells
                .iter()
                .map(|cell| {
                    let column = base.checked_add_signed(cell.column).filter(|c| *c < columns)?;
                    let place = CellId::new(cell.row.unwrap_or(any), column)?;
                    fits(plan, place, cell, fresh).then_some(place)
                })
                .collect();
            let cells = cells?;
            let new = cells.iter().filter(|c| !plan.active.contains(c)).count();
            let most = plan.enforcer.rules.most(plan.geometry.cells());
            (plan.active.len() + new <= most).then_some(cells)
        })
    })
}

/// True if a cell of a directed sequence can be placed in a cell of the fabric.
fn fits(plan: &CasePlan<'_>, place: CellId, cell: &DirectedCell, fresh: bool) -> bool {
    let rules = &plan.enforcer.rules;
    if rules.forbids_cell(place).is_some() {
        return false;
    }
    let io = has(cell, Opcode::Io);
    if io && rules.excludes(Situation::IoCells).is_some() {
        return false;
    }
    let there = &plan.cells[place];
    if fresh {
        return there.timed.is_empty() && there.tail.is_empty();
    }
    let strapped = plan.io_cells.contains(&place);
    let strap = if io { strapped } else { !strapped || !has(cell, Opcode::Sram) };
    strap && plan.active.contains(&place) && there.tail.is_empty() && plan.has_room(place)
}

/// Places the cells of a directed sequence in cells of the fabric.
fn put(plan: &mut CasePlan<'_>, sequence: &DirectedSequence, cells: &[CellId], fresh: bool) {
    let mut start = cells.iter().map(|c| plan.first(*c)).max().unwrap_or(0);
    if fresh {
        start += plan.rng.random_range(0..4);
    } else {
        start = start.max(plan.end + 2);
    }
    for (&place, cell) in cells.iter().zip(&sequence.cells) {
        if fresh {
            occupy(plan, place, has(cell, Opcode::Io), has(cell, Opcode::Sram));
        }
        set_words(plan, place, &cell.words);
        match &cell.steps {
            Steps::Sequence(steps) => {
                let tail = steps.iter().map(|step| TailOp {
                    op: Op::of_template(&step.template),
                    target: step.target,
                });
                plan.cells[place].tail = tail.take(ROOM).collect();
            }
            Steps::Timed(steps) => {
                for (cycle, template) in steps {
                    plan.place(place, start + cycle, Op::of_template(template));
                }
            }
        }
        plan.lasts(start + cell.span() + SETTLES);
    }
}

/// Adds a cell to those with a program, and sets the strap that its instructions need.
fn occupy(plan: &mut CasePlan<'_>, place: CellId, io: bool, sram: bool) {
    if io {
        plan.io_cells.insert(place);
    } else if sram {
        plan.io_cells.remove(&place);
    }
    let Err(at) = plan.active.binary_search(&place) else { return };
    plan.active.insert(at, place);
    plan.fill_register_file(place);
}

/// Sets words of a register file before the programs start.
fn set_words(plan: &mut CasePlan<'_>, place: CellId, words: &[(usize, u16)]) {
    let excluded = plan.enforcer.excludes(Situation::RegisterFileInit) && plan.lead == 0;
    if words.is_empty() || excluded {
        return;
    }
    let blocks = plan.memory.rf.entry(place).or_default();
    for (word, value) in words {
        let block = word / 16 % plan.geometry.rf_blocks();
        blocks.entry(block).or_insert([0; 16])[word % 16] = *value;
    }
}
