// SPDX-License-Identifier: MIT OR Apache-2.0
//! Activity at the ports of the fabric other than loading programs once.

use drra_case::{
    Case,
    stimulus::{self, StimulusEntry},
};
use drra_fabric::ports::{ProgWord, RfInit, SramInit};
use drra_isa::{Geometry, Word};
use rand::RngExt;

use crate::{
    Profile,
    constraint::{self, Situation},
    plan::CasePlan,
};

/// The situations that occur if a tile is written while programs run.
const LATE_TILE: [Situation; 2] = [Situation::TileInit, Situation::LateInit];
/// The situations that occur if a register file is written while programs run.
const LATE_FILE: [Situation; 2] = [Situation::RegisterFileInit, Situation::LateInit];

/// Adds memory writes while programs run, and a second load phase.
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
            let cycle = plan.rng.random_range(loaded..*cycles);
            let data = stimulus::block(&plan.block());
            let row = plan.rng.random_range(0..geometry.tile_rows) + 1;
            let col = plan.rng.random_range(0..geometry.columns);
            let addr = plan.rng.random_range(0..geometry.sram_blocks);
            let sram_init = Some(SramInit { row, col, addr, data, valid: true });
            if !plan.leaves_out(&LATE_TILE, col) {
                case.stimulus.add(StimulusEntry { cycle, sram_init, ..Default::default() });
            }
            let cycle = plan.rng.random_range(loaded..*cycles);
            let data = stimulus::block(&plan.block());
            let row = plan.rng.random_range(0..Geometry::ROWS);
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
    let mut words = case.program.cell(donor).unwrap_or_default();
    if !words.is_empty() {
        let at = plan.rng.random_range(0..words.len());
        words = match plan.rng.random_range(0..10u8) {
            0..4 => &words[at..=at],
            4..7 => &words[..=at],
            _ => words,
        };
    }
    let words: Vec<Word> = words.to_vec();
    let first = *cycles + plan.rng.random_range(0..8);
    let row_sel = plan.rng.random_range(1..4);
    let col_sel = plan.rng.random_range(1..1u32 << geometry.columns);
    for (k, word) in words.iter().enumerate() {
        let prog =
            Some(ProgWord { instr: word.bits as u32, imm: word.immediate, row_sel, col_sel });
        case.stimulus.add(StimulusEntry { cycle: first + k as u64, prog, ..Default::default() });
    }
    let end = first + words.len() as u64 + plan.rng.random_range(10..80);
    // A cell can begin with any of these words. If a constraint excludes what the cells may then execute, the second
    // load is omitted.
    let violated = constraint::violated(&plan.keeper.rules, case);
    if plan.keeper.left_out(violated) {
        case.stimulus.cut(first);
    } else {
        *cycles = end;
    }
}
