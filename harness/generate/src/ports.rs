// SPDX-License-Identifier: MIT OR Apache-2.0
//! Activity at the ports of the fabric other than loading programs once.

use std::ops::Range;

use drra_case::{
    Case,
    stimulus::{self, StimulusEntry},
};
use drra_fabric::ports::{ProgWord, RfInit, SramInit};
use drra_isa::{Geometry, Opcode, Word, instructions::jump};
use rand::RngExt;

use crate::{
    Profile,
    constraint::{self, Situation},
    draw,
    op::Op,
    plan::CasePlan,
};

/// The situations that occur if a tile is written while programs run.
const LATE_TILE: [Situation; 2] = [Situation::TileInit, Situation::LateInit];
/// The situations that occur if a register file is written while programs run.
const LATE_FILE: [Situation; 2] = [Situation::RegisterFileInit, Situation::LateInit];

/// With the chances of the profile, adds memory writes while programs run and a second load phase, which extends
/// `cycles`.
pub(crate) fn add(plan: &mut CasePlan<'_>, profile: &Profile, case: &mut Case, cycles: &mut u64) {
    let late = plan.rng.random_bool(profile.late_init);
    let reload = plan.rng.random_bool(profile.reload);
    if !late && !reload {
        return;
    }
    let geometry = plan.geometry;
    let loaded = case.stimulus.end();
    if late {
        for _ in 0..plan.rng.random_range(1..12) {
            let data = stimulus::block(&plan.block());
            let (cycle, row, col, addr) = tile_write(plan, loaded..*cycles);
            let sram_init = Some(SramInit { row, col, addr, data, valid: true });
            if !plan.leaves_out(&LATE_TILE, col) {
                case.stimulus.add(StimulusEntry { cycle, sram_init, ..Default::default() });
            }
            let data = stimulus::block(&plan.block());
            let cycle = plan.rng.random_range(loaded..*cycles);
            let row = plan.rng.random_range(0..Geometry::ROWS);
            let col = plan.rng.random_range(0..geometry.columns);
            let block = plan.rng.random_range(0..geometry.rf_blocks());
            let rf_init = Some(RfInit { row, col, block, data });
            if !plan.leaves_out(&LATE_FILE, col) {
                case.stimulus.add(StimulusEntry { cycle, rf_init, ..Default::default() });
            }
        }
    }
    case.ports = true;
    if !reload {
        return;
    }
    // Words of one cell for several cells at once; cells that are still running ignore them. A cell whose new program
    // is shorter than the previous one can also execute what is left of the previous one, if the new program is a
    // single word or ends with an instruction of several words (chapter 2, 5.3).
    let donor = plan.any_cell();
    let words = case.program.cell(donor).unwrap_or_default();
    let at = plan.rng.random_range(0..words.len().max(1));
    let words: Vec<Word> = match plan.rng.random_range(0..20u8) {
        0..6 => words.iter().skip(at).take(1).copied().collect(),
        6..11 => words.iter().take(at + 1).copied().collect(),
        11..15 => into_older_words(plan, &words[..at.min(MAX_BEFORE)]),
        // More words than the memory has.
        15 | 16 => words.iter().copied().cycle().take(Geometry::IMEM_DEPTH + at % 4).collect(),
        _ => words.to_vec(),
    };
    let first = *cycles + plan.rng.random_range(0..8);
    let row_sel = plan.rng.random_range(1..4);
    let col_sel = plan.rng.random_range(1..=u32::MAX >> (32 - geometry.columns));
    for (k, word) in words.iter().enumerate() {
        let prog =
            Some(ProgWord { instr: word.bits as u32, imm: word.immediate, row_sel, col_sel });
        case.stimulus.add(StimulusEntry { cycle: first + k as u64, prog, ..Default::default() });
    }
    let end = first + words.len() as u64 + plan.rng.random_range(10..80);
    // A cell can begin with any of these words. If a constraint excludes what the cells may then execute, the second
    // load is omitted.
    let violated = constraint::violated(&plan.enforcer.rules, case);
    if plan.enforcer.left_out(violated) {
        case.stimulus.cut(first);
    } else {
        *cycles = end;
    }
}

/// Cycle, tile row, column and address of a write to a tile, presented in one of these cycles. If sequences access
/// tiles, most writes reach a tile in the cycle of an access, usually at the row accessed. The first of the cycles is
/// the one before the first decode of cell (0,0).
fn tile_write(plan: &mut CasePlan<'_>, cycles: Range<u64>) -> (u64, usize, usize, usize) {
    let addr = plan.rng.random_range(0..plan.geometry.sram_blocks);
    if !plan.accesses.is_empty() && plan.rng.random_bool(0.7) {
        let (tile, at, own) = draw::one_of(plan.rng, &plan.accesses);
        // A write takes a cycle to each further tile (chapter 6, 7.4).
        let distance = (tile.col() + tile.row() - 1) as u64;
        let cycle = (cycles.start + 1 + at).checked_sub(distance);
        if let Some(cycle) = cycle.filter(|cycle| cycles.contains(cycle)) {
            let addr = if plan.rng.random_bool(0.7) { own as usize } else { addr };
            return (cycle, tile.row(), tile.col(), addr);
        }
    }
    let row = plan.rng.random_range(0..plan.geometry.tile_rows) + 1;
    (plan.rng.random_range(cycles), row, plan.rng.random_range(0..plan.geometry.columns), addr)
}

/// Maximum number of words before a JUMP to words of an older program.
const MAX_BEFORE: usize = 3;

/// A short program with a JUMP beyond its end, where a cell continues with what is left of a longer program.
fn into_older_words(plan: &mut CasePlan<'_>, before: &[Word]) -> Vec<Word> {
    let mut words = before.to_vec();
    let after = plan.rng.random_range(0..3);
    let end = (words.len() + 1 + after) as u64;
    let target = plan.rng.random_range(end..end + 16);
    Op::new(Opcode::Jump, &[(jump::PC, target)]).encode(&mut words);
    for _ in 0..after {
        Op::wait(plan.rng.random_range(1..4)).encode(&mut words);
    }
    words
}
