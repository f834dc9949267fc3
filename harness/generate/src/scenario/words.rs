// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transfers of words, through DPUs or directly from one register file to another.

use drra_fabric::AguId;
use drra_isa::{
    CellId, Opcode, Operand,
    instructions::{BwConfig, DpuMode, bw, dpu},
};
use rand::RngExt;

use super::{change, pattern::AddressPattern};
use crate::{
    draw,
    op::Op,
    plan::{CasePlan, LaneSource},
    transfer::TransferKind,
};

/// AGUs of write ports 0 and 1.
pub(super) const WRITES: [AguId; 2] = [AguId::W0, AguId::W1];
/// AGUs of read ports 0 and 1.
pub(super) const READS: [AguId; 2] = [AguId::R0, AguId::R1];

/// Maximum number of attempts to draw a mode that constraints leave unchanged.
const TRIES: usize = 8;

/// Number of cycles from an operand on an input to its result on the output (chapter 4, section 7); 1, the shortest
/// latency, for a mode that has none.
fn latency(mode: DpuMode) -> u64 {
    mode.info().latency.unwrap_or(1).into()
}

/// Draws a mode, and an output that shows its result: either output if both do, and `None` for a mode without output
/// (idle, the unnamed modes that act like it, loads).
pub(super) fn draw_mode(plan: &mut CasePlan<'_>) -> (DpuMode, Option<usize>) {
    let mut draw = || DpuMode::from_bits(plan.rng.random_range(0..DpuMode::ALL.len() as u64));
    let mut mode = draw();
    for _ in 0..TRIES {
        if plan.enforcer.keeps(&Op::dpu(mode, &[]), dpu::MODE) {
            break;
        }
        mode = draw();
    }
    let port = match mode.info().outputs {
        [false, false] => None,
        [true, false] => Some(0),
        [false, true] => Some(1),
        [true, true] => Some(plan.rng.random_range(0..2u64) as usize),
    };
    (mode, port)
}

/// One to three different cells, the first near the source and each other one near the one before it.
fn stages(plan: &mut CasePlan<'_>, source: CellId) -> Vec<CellId> {
    let count = draw::one_of(plan.rng, &[1, 1, 1, 2, 2, 3]);
    let mut cells = Vec::new();
    let mut at = source;
    for _ in 0..count {
        at = plan.near(at);
        if !cells.contains(&at) {
            cells.push(at);
        }
    }
    cells
}

/// Words from a register file through DPUs into a register file.
pub(super) fn stream(plan: &mut CasePlan<'_>) -> bool {
    let source = plan.any_cell();
    let cells = stages(plan, source);
    let sink = plan.near(cells[cells.len() - 1]);
    let write = plan.rng.random_range(0..2usize);
    let pattern = AddressPattern::draw(plan, 24);

    // First cycle in which all participants are free.
    let mut free = plan.first(source).max(plan.first(sink));
    for agu in READS {
        free = free.max(plan.cells[source].agu_free(agu));
    }
    free = free.max(plan.cells[sink].agu_free(WRITES[write])).max(plan.cells[sink].input[write]);
    for &cell in &cells {
        free = free.max(plan.first(cell)).max(plan.cells[cell].dpu);
        free = (2..6).fold(free, |f, v| f.max(plan.cells[cell].input[v]));
    }
    let mut start = free + 9 + plan.pause();
    let end = start + pattern.span();

    let reads = READS.map(|_| pattern.words(plan));
    for (agu, fields) in READS.into_iter().zip(&reads) {
        if !plan.refi(source, agu, start, fields) {
            return false;
        }
    }
    let mut feed = [0, 1].map(|port| LaneSource::read(source, port));
    for (k, &cell) in cells.iter().enumerate() {
        let Some((mode, port, next)) = stage(plan, cell, feed, start, free, &pattern) else {
            return false;
        };
        if k == 0 {
            telling_operands(plan, source, mode);
        }
        start = next;
        // The next stage combines the result with itself or with the second word stream, which is still present if no
        // delay was inserted.
        let result = LaneSource::dpu(cell, port.unwrap_or(0));
        feed = [result, if plan.rng.random_bool(0.5) { feed[1] } else { result }];
        if port.is_none() {
            return true;
        }
    }
    let w = pattern.words(plan);
    let since = start.saturating_sub(20).max(free);
    if !plan.connect(sink, write as u64, feed[0], since, start.saturating_sub(2))
        || !plan.refi(sink, WRITES[write], start, &w)
    {
        return false;
    }
    let last = start + pattern.span();
    if pattern.l1_iter + pattern.l2_iter > 1 {
        plan.expect(TransferKind::WriteBack { cell: sink, port: write }, start, last);
    }
    for agu in READS {
        plan.cells[source].keep_agu(agu, end + 2);
    }
    plan.cells[sink].keep_agu(WRITES[write], last + 2);
    plan.cells[sink].input[write] = last + 2;
    let input = write as u64;
    change::settings(plan, sink, input..input + 1, start..last);
    true
}

/// For a shift or a non-linear function, replaces words of the register file of a cell with operands at the limits of
/// the mode: shifts by about as many bits as a word or an accumulator has, or words in any piece of the function
/// (chapter 4, section 9).
fn telling_operands(plan: &mut CasePlan<'_>, cell: CellId, mode: DpuMode) {
    let piece = match mode {
        DpuMode::ShiftL | DpuMode::ShiftR => 0,
        DpuMode::Tanhyp => 256,
        DpuMode::Sigm | DpuMode::Expon => 512,
        _ => return,
    };
    let (Some(blocks), rng) = (plan.memory.rf.get_mut(&cell), &mut *plan.rng) else { return };
    for word in blocks.values_mut().flatten() {
        let telling = match piece {
            0 => draw::one_of(rng, &[0xffff, 0, 1, 15, 16, 17, 31, 32, 33]),
            _ => rng.random_range(0..PIECES) * piece + rng.random_range(0..piece),
        };
        *word = match piece {
            _ if rng.random_bool(0.5) => telling,
            0 => *word,
            _ => telling.wrapping_neg(),
        };
    }
}

/// Number of pieces of each non-linear function; the last piece is everything beyond the table.
const PIECES: u16 = 34;

/// Adds one DPU to a stream; it gets its operands from `start` on. Returns its mode, the output with its result, if there
/// is one, and the cycle of the first result; `None` if there was no room for its instructions.
fn stage(
    plan: &mut CasePlan<'_>,
    cell: CellId,
    feed: [LaneSource; 2],
    start: u64,
    free: u64,
    pattern: &AddressPattern,
) -> Option<(DpuMode, Option<usize>, u64)> {
    let (mode, port) = draw_mode(plan);
    let since = start.saturating_sub(20).max(free);
    // Usually different words in the two channels, so that they cannot be confused.
    let crossed = u64::from(plan.rng.random_bool(0.6));
    for input in 2..6u64 {
        let from = feed[((input + input / 4 * crossed) % 2) as usize];
        if !plan.connect(cell, input, from, since, start.saturating_sub(2)) {
            return None;
        }
    }
    // Some modes pack or unpack lanes; with a single lane they only copy.
    let packs = matches!(mode, DpuMode::ScaleDw | DpuMode::ScaleUp);
    if plan.rng.random_bool(if packs { 0.9 } else { 0.7 }) {
        let widths = [BwConfig::Int8, BwConfig::Int4, BwConfig::Int16, BwConfig::Fx16];
        let width = draw::one_of(plan.rng, &widths[..if packs { 2 } else { 4 }]);
        let bw = Op::new(Opcode::Bw, &[(bw::CONFIG, width.code().into())]);
        plan.place_within(cell, since, start.saturating_sub(2), bw);
    }
    let op = operation(plan, mode);
    let count = op.value(dpu::ACC_CLEAR);
    let loads = loads(plan, cell, mode);
    let first = chain(plan, cell, since, start, &loads, op)?;
    let delay = latency(mode);
    let mut last = start + delay + pattern.span();
    if let Some(port) = port
        && pattern.l1_iter + pattern.l2_iter > 1
        && last > first + delay
    {
        let kind = TransferKind::DpuResult { cell, port };
        plan.expect(kind, first + delay, last);
    }
    for input in 2..6 {
        plan.cells[cell].input[input] = last + 2;
    }
    change::settings(plan, cell, change::OF_DPU, first..last);
    // In most cases that are not very short, an accumulation ends when it has counted to its constant.
    if mode.info().counts && plan.spread > 16 && plan.rng.random_bool(0.6) {
        last = last.max(first + count);
        plan.lasts(last + 2);
    }
    plan.cells[cell].dpu = last + 2;
    Some((mode, port, first + delay))
}

/// The instructions that load the registers that a mode starts with, each with its number of operands. Modes with a
/// constant read it from the internal registers. An accumulator or the denominator of a softmax is loaded only in some
/// cases, for the mode that follows immediately.
fn loads(plan: &mut CasePlan<'_>, cell: CellId, mode: DpuMode) -> Vec<(Op, u64)> {
    let uses = |operand| mode.info().operands.iter().any(|o| o.contains(operand));
    let mut modes = Vec::new();
    if uses(Operand::Ir0) {
        modes.push((DpuMode::LdIr, 1));
    }
    if uses(Operand::SmReg) && plan.rng.random_bool(0.7) {
        modes.push((DpuMode::AccSoftmax, plan.rng.random_range(2..6)));
    }
    // The output of a loaded accumulator by relu depends on the last compare, which here compares the idle inputs with
    // 0 (chapter 4, section 6).
    let shows = mode == DpuMode::Relu;
    if mode != DpuMode::AccSoftmax && (shows || uses(Operand::Acc)) && plan.rng.random_bool(0.4) {
        if shows {
            modes.push((mode, 0));
        }
        modes.push((DpuMode::LdAcc, plan.rng.random_range(1..3)));
    }
    let load = |(mode, operands): (DpuMode, u64)| (Op::dpu(mode, &[(dpu::CONTROL, 2)]), operands);
    let io_cell = plan.io_cells.contains(&cell);
    modes.into_iter().map(load).filter(|(op, _)| plan.enforcer.allows(op, io_cell)).collect()
}

/// Places a DPU instruction after those in `loads`, each of which takes the given number of the operands that arrive
/// from `start` on. Returns the cycle of the first operand of the last instruction. That instruction is placed alone if
/// there is no room for the others; `None` means that there is no room at all.
pub(super) fn chain(
    plan: &mut CasePlan<'_>,
    cell: CellId,
    since: u64,
    start: u64,
    loads: &[(Op, u64)],
    op: Op,
) -> Option<u64> {
    // An instruction decoded in cycle t works on the operands from t+2 on (chapter 4, 4.2).
    let mut first = start;
    let mut exact = Vec::new();
    for (k, (_, operands)) in loads.iter().enumerate() {
        first += operands;
        let next = loads.get(k + 1).map_or(&op, |(load, _)| load);
        exact.push((first - 2, next.clone()));
    }
    let timed = &plan.cells[cell].timed;
    if exact.iter().any(|(cycle, _)| timed.contains_key(cycle)) {
        exact.clear();
        first = start;
    }
    match exact.first() {
        None => plan.place_within(cell, since, start - 2, op)?,
        Some((next, _)) => {
            plan.place_within(cell, since, (start - 2).min(next - 1), loads[0].0.clone())?
        }
    };
    plan.cells[cell].timed.extend(exact);
    Some(first)
}

/// A DPU instruction with any constant, `control` and `io_change`.
pub(super) fn operation(plan: &mut CasePlan<'_>, mode: DpuMode) -> Op {
    let constant = match plan.rng.random_range(0..6u8) {
        0 | 1 => 0,
        2 | 3 => plan.rng.random_range(1..8),
        4 => plan.rng.random_range(0..256u64),
        _ => draw::one_of(plan.rng, &[128, 254, 255, 255]),
    };
    let control = plan.rng.random_range(0..4);
    let change = draw::one_of(plan.rng, &[0, 0, 1, 2, 3]);
    let fields = [(dpu::CONTROL, control), (dpu::ACC_CLEAR, constant), (dpu::IO_CHANGE, change)];
    let mut op = Op::dpu(mode, &fields);
    if !plan.enforcer.keeps(&op, dpu::MODE) {
        op.set(dpu::ACC_CLEAR, 0);
    }
    op
}

/// Words directly from one register file to another, without a register in between.
pub(super) fn copy(plan: &mut CasePlan<'_>) -> bool {
    let source = plan.any_cell();
    let sink = plan.near(source);
    let read = plan.rng.random_range(0..2usize);
    let write = plan.rng.random_range(0..2usize);
    let pattern = AddressPattern::draw(plan, 32);
    let free = plan.cells[source]
        .agu_free(READS[read])
        .max(plan.cells[sink].agu_free(WRITES[write]))
        .max(plan.cells[sink].input[write])
        .max(plan.first(source))
        .max(plan.first(sink));
    let start = free + 5 + plan.pause();
    let (r, w) = (pattern.words(plan), pattern.words(plan));
    let end = start + pattern.span();
    if !plan.connect(sink, write as u64, LaneSource::read(source, read), free, start - 2)
        || !plan.refi(source, READS[read], start, &r)
        || !plan.refi(sink, WRITES[write], start, &w)
    {
        return false;
    }
    if pattern.l1_iter + pattern.l2_iter > 1 {
        plan.expect(TransferKind::WriteBack { cell: sink, port: write }, start, end);
    }
    plan.cells[source].keep_agu(READS[read], end + 2);
    plan.cells[sink].keep_agu(WRITES[write], end + 2);
    plan.cells[sink].input[write] = end + 2;
    let input = write as u64;
    change::settings(plan, sink, input..input + 1, start..end);
    true
}
