// SPDX-License-Identifier: MIT OR Apache-2.0
//! Extremes of every lane of the DPU: products of the most negative numbers, and accumulators that saturate (chapter 4,
//! 4.3 and 5.3).

use drra_isa::{
    CellId, InstructionField, Opcode,
    instructions::{BwConfig, DpuMode, bw, dpu, refi},
};
use rand::RngExt;

use super::words::{READS, WRITES, chain};
use crate::{
    draw,
    op::Op,
    plan::{CasePlan, LaneSource},
};

/// Saturating modes that work on lanes; some are drawn twice as often, above all those that accumulate or take a third
/// operand.
const MODES: [DpuMode; 17] = [
    DpuMode::Mac,
    DpuMode::Mac,
    DpuMode::MacInter,
    DpuMode::MacInter,
    DpuMode::SumAcc,
    DpuMode::SumAcc,
    DpuMode::Mult,
    DpuMode::MultAdd,
    DpuMode::MultAdd,
    DpuMode::MultConst,
    DpuMode::MultConst,
    DpuMode::Axpy,
    DpuMode::Axpy,
    DpuMode::Add,
    DpuMode::AddConst,
    DpuMode::Subt,
    DpuMode::SubtAbs,
];

/// Modes that are drawn to follow a load of the accumulators, whose values their outputs can show (chapter 4, 5.5 and
/// section 6).
const TAKING: [DpuMode; 6] = [
    DpuMode::SumAcc,
    DpuMode::Mac,
    DpuMode::MacInter,
    DpuMode::MultAdd,
    DpuMode::MaxMinAcc,
    DpuMode::Relu,
];

/// Values of `control`; saturating integers are drawn most often.
const CONTROLS: [u64; 8] = [2, 2, 2, 2, 2, 3, 0, 1];

/// A word whose lanes of `width` bits contain the largest number where their bit of `largest` is 1, and otherwise the
/// smallest.
fn word(width: u32, largest: u16) -> u16 {
    let smallest = 1u16 << (width - 1);
    (0..16 / width).fold(0, |word, lane| {
        let extreme = if largest >> lane & 1 == 1 { smallest - 1 } else { smallest };
        word | extreme << (width * lane)
    })
}

/// Two streams of extreme words through modes that work on lanes; usually the register file stores both outputs in
/// every cycle, including cycles in which a mode has no result yet.
pub(super) fn extremes(plan: &mut CasePlan<'_>) -> bool {
    let cell = plan.any_cell();
    let mut widths = vec![
        (BwConfig::Int8, 8),
        (BwConfig::Int8, 8),
        (BwConfig::Int4, 4),
        (BwConfig::Int4, 4),
        (BwConfig::Int16, 16),
        (BwConfig::Fx16, 16),
    ];
    let config = |config: BwConfig| Op::new(Opcode::Bw, &[(bw::CONFIG, config.code().into())]);
    widths.retain(|(width, _)| plan.enforcer.keeps(&config(*width), bw::CONFIG));
    // Without a BW, the width is the reset value.
    let (config, width) = match widths[..] {
        [] => (config(BwConfig::Int16), 16),
        _ => {
            let (code, width) = draw::one_of(plan.rng, &widths);
            (config(code), width)
        }
    };
    let ports = [READS, WRITES].concat();
    let state = &plan.cells[cell];
    let free = ports.iter().fold(state.dpu.max(plan.first(cell)), |f, &p| f.max(state.agu_free(p)));
    let free = state.input.iter().fold(free, |f, input| f.max(*input));
    let start = free + 16 + plan.pause();
    let blocks = plan.geometry.rf_blocks();
    let block = plan.rng.random_range(0..blocks);
    // Several passes through a block: sums of small lanes need many terms to saturate.
    let rows = plan.rng.random_range(1..4u64);
    fill(plan, cell, [block, (block + 1) % blocks], width);
    let through = |block: usize| {
        [
            (refi::INIT_ADDR, 16 * (block % blocks) as u64),
            (refi::L1_ITER, 15),
            (refi::L1_STEP, 1),
            (refi::L2_ITER, rows),
        ]
    };
    for (k, port) in READS.into_iter().enumerate() {
        if !plan.refi(cell, port, start, &through(block + k)) {
            return false;
        }
    }
    for input in 2..6 {
        // The operands are swapped in the second channel, so that one channel cannot be mistaken for the other.
        let from = LaneSource::read(cell, (input + input / 4) as usize % 2);
        if !plan.connect(cell, input, from, free, start - 2) {
            return false;
        }
    }
    if plan.place_within(cell, free, start - 3, config).is_none() {
        return false;
    }
    // The first words become the constants of all modes; the next ones occasionally become the accumulators.
    let mut loads = vec![(Op::dpu(DpuMode::LdIr, &[]), 1)];
    let mut first = operation(plan, &MODES);
    let load = Op::dpu(DpuMode::LdAcc, &[]);
    if plan.rng.random_bool(0.3) && plan.enforcer.keeps(&load, dpu::MODE) {
        loads.push((load, plan.rng.random_range(1..3)));
        first = operation(plan, &TAKING);
    }
    if chain(plan, cell, free, start, &loads, first.clone()).is_none() {
        return false;
    }
    // Results are written to blocks from which no operands are read.
    let into = [through(block + 2), through(block + 3)];
    if blocks >= 4 && plan.rng.random_bool(0.7) && !store(plan, cell, free, start, &into) {
        return false;
    }
    // One mode for each pass through the block, but two passes for a sum: sixteen 4-bit numbers do not saturate it.
    let is_sum = |op: &Op| op.value(dpu::MODE) == u64::from(DpuMode::SumAcc.code());
    let mut goes_on = is_sum(&first);
    for row in 1..=rows {
        let next = operation(plan, &MODES);
        if std::mem::replace(&mut goes_on, false) {
            continue;
        }
        goes_on = is_sum(&next);
        plan.cells[cell].timed.entry(start + 16 * row - 2).or_insert(next);
    }
    let end = start + 16 * (rows + 1) + 2;
    let state = &mut plan.cells[cell];
    state.dpu = end;
    ports.into_iter().for_each(|port| state.keep_agu(port, end));
    state.input.fill(end);
    plan.lasts(end + 2);
    true
}

/// Stores both outputs of the DPU from `start` on, with these fields of the REFIs. Returns false if there was no room.
fn store(
    plan: &mut CasePlan<'_>,
    cell: CellId,
    free: u64,
    start: u64,
    into: &[[(InstructionField, u64); 4]; 2],
) -> bool {
    WRITES.into_iter().zip(into).zip(0..).all(|((port, fields), k)| {
        let output = LaneSource::dpu(cell, k as usize);
        plan.connect(cell, k, output, free, start - 2) && plan.refi(cell, port, start, fields)
    })
}

/// A DPU instruction with one of these modes, and without a count that clears the accumulators.
fn operation(plan: &mut CasePlan<'_>, modes: &[DpuMode]) -> Op {
    let left = |mode: &DpuMode| plan.enforcer.keeps(&Op::dpu(*mode, &[]), dpu::MODE);
    let left: Vec<DpuMode> = modes.iter().copied().filter(left).collect();
    let rng = &mut *plan.rng;
    let mode = draw::one_of(rng, if left.is_empty() { modes } else { &left });
    let control = draw::one_of(rng, &CONTROLS);
    let change = draw::one_of(rng, &[0, 0, 0, 1, 2, 3]);
    Op::dpu(mode, &[(dpu::CONTROL, control), (dpu::ACC_CLEAR, 0), (dpu::IO_CHANGE, change)])
}

/// Fills two blocks of a register file with one extreme word each, except for their first words and a few others.
fn fill(plan: &mut CasePlan<'_>, cell: CellId, blocks: [usize; 2], width: u32) {
    let rng = &mut *plan.rng;
    // Both words contain the most negative numbers, one of them contains the largest numbers, or the lanes are mixed.
    let kinds = match rng.random_range(0..8u8) {
        0..4 => [0, 0],
        4 => [0, u16::MAX],
        5 => [u16::MAX, 0],
        _ => [rng.random(), rng.random()],
    };
    for (block, largest) in blocks.into_iter().zip(kinds) {
        let mut words = std::array::from_fn(|_| {
            word(width, if rng.random_bool(0.05) { rng.random() } else { largest })
        });
        words[0] = word(width, [0, 0, u16::MAX, rng.random()][rng.random_range(0..4usize)]);
        plan.memory.rf.entry(cell).or_default().insert(block, words);
    }
}
