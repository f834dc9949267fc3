// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data paths: saturated accumulators, largest products, values passed from mode to mode, patterns with rows of one
//! word, and deferred PERM.

use drra_fabric::{AguId, Register};
use drra_golden::{Fabric, units::selected};
use drra_isa::{
    CellId,
    instructions::{DpuIoChange, DpuMode},
};

use super::{Occurrences, all_occur, note, value};

/// Modes that add a product or an operand to the accumulator in each cycle.
const ACCUMULATING: [DpuMode; 3] = [DpuMode::Mac, DpuMode::MacInter, DpuMode::SumAcc];
/// Modes with a product of two operands.
const PRODUCTS: [DpuMode; 6] = [
    DpuMode::Mult,
    DpuMode::MultAdd,
    DpuMode::MultConst,
    DpuMode::Mac,
    DpuMode::Axpy,
    DpuMode::MacInter,
];
/// Modes that start from the accumulator loaded by `ld_acc` (chapter 4, 5.5 and section 6).
const TAKING: [DpuMode; 4] = [DpuMode::SumAcc, DpuMode::Mac, DpuMode::MacInter, DpuMode::MaxMinAcc];

pub(super) fn look(seen: &mut Occurrences, now: &Fabric, next: &Fabric, cell: CellId) {
    if now.dpu(cell).mode().info().lanes {
        lanes(seen, now, next, cell);
    }
    handover(seen, now, next, cell);
    let sequencer = now.sequencer(cell);
    if let Some(agu) = selected(sequencer.refi()) {
        let c = &sequencer.refi().cfg;
        if sequencer.immediate() && c.l1_iter == 0 && c.l2_iter > 0 && c.init_delay == 0 {
            note(seen, format!("rows of one word at once, {agu:?}"));
        }
    }
    if sequencer.immediate()
        && value(now, cell, Register::PermPermStage) == 0
        && value(now, cell, Register::PermPermShadow) != 0
        && now.signals().cell(cell).perm_block.is_some()
    {
        note(seen, "deferred PERM".to_owned());
    }
}

/// The value of a lane of this width as a signed number.
fn signed(bits: u64, lane: u32, width: u32) -> i64 {
    ((bits >> (lane * width)) as i64) << (64 - width) >> (64 - width)
}

/// Notes the largest products and the saturated sums of each lane (chapter 4, 5.3 and section 6).
fn lanes(seen: &mut Occurrences, now: &Fabric, next: &Fabric, cell: CellId) {
    let mode = now.dpu(cell).mode();
    let width = [16, 8, 16, 4][value(now, cell, Register::DpuBwReg) as usize];
    let io = value(now, cell, Register::DpuIoReg);
    // Launches can change the operands and clear the accumulators.
    let sequencer = now.sequencer(cell);
    let launch =
        sequencer.immediate() && (sequencer.dpu().dpu_start || now.dpu(cell).shadow().is_some());
    let plain = [DpuIoChange::NoChange, DpuIoChange::AbsOut].map(|io| u64::from(io.code()));
    if launch || !plain.contains(&io) {
        return;
    }
    let signals = now.signals();
    let vin = signals.cell(cell).vin.map(u64::from);
    let saturates = value(now, cell, Register::DpuControlReg) & 2 == 2;
    for channel in 0..2usize {
        let x = vin[2 + 2 * channel];
        let ir = [Register::DpuIr0, Register::DpuIr1][channel];
        let y = match mode {
            DpuMode::MultConst | DpuMode::Axpy | DpuMode::MacInter => value(now, cell, ir),
            _ => vin[3 + 2 * channel],
        };
        let acc = Register::DpuAcc(channel);
        let (old, new) = (value(now, cell, acc), value(next, cell, acc));
        for lane in 0..16 / width {
            let (a, b) = (signed(x, lane, width), signed(y, lane, width));
            let least = -1i64 << (width - 1);
            let has_product = channel == 0 || mode != DpuMode::MultAdd;
            if PRODUCTS.contains(&mode) && has_product && (a, b) == (least, least) {
                note(
                    seen,
                    format!("{} of the most negative, {width} bits, lane {lane}", mode.name()),
                );
            }
            if !ACCUMULATING.contains(&mode) || !saturates {
                continue;
            }
            let term = if mode == DpuMode::SumAcc { a } else { a * b };
            let sum = signed(old, lane, 2 * width) + term;
            let (least, most) = (-1i64 << (2 * width - 1), (1i64 << (2 * width - 1)) - 1);
            if !(least..=most).contains(&sum)
                && signed(new, lane, 2 * width) == sum.clamp(least, most)
            {
                let end = if sum > most { "high" } else { "low" };
                note(seen, format!("{} saturates {end}, {width} bits, lane {lane}", mode.name()));
            }
        }
    }
}

/// Notes modes that start with a value left by the previous mode.
fn handover(seen: &mut Occurrences, now: &Fabric, next: &Fabric, cell: CellId) {
    let (from, to) = (now.dpu(cell).mode(), next.dpu(cell).mode());
    if from == to {
        return;
    }
    let full = |of: fn(usize) -> Register, channel| value(next, cell, of(channel)) != 0;
    match from {
        DpuMode::LdAcc if TAKING.contains(&to) => {
            for channel in (0..2usize).filter(|c| full(Register::DpuAcc, *c)) {
                note(seen, format!("{} takes accumulator {channel}", to.name()));
            }
        }
        // The output of the first cycle is 0 unless the status determines otherwise (chapter 4, section 6).
        DpuMode::LdAcc if to == DpuMode::Relu => {
            for channel in (0..2usize).filter(|c| full(Register::DpuAcc, *c)) {
                let greater = value(next, cell, Register::DpuStatus(channel)) == 1;
                note(seen, format!("relu finds accumulator {channel}, greater: {greater}"));
            }
        }
        DpuMode::AccSoftmax
            if to == DpuMode::DivSoftmax && value(next, cell, Register::DpuSmReg) != 0 =>
        {
            note(seen, "div_softmax takes the sum".to_owned());
        }
        _ => {}
    }
}

#[test]
fn accumulators_of_small_lanes_saturate() {
    let mut wanted = Vec::new();
    for (width, lanes) in [(8, 2), (4, 4)] {
        for lane in 0..lanes {
            for mode in ["mac", "mac_inter"] {
                for end in ["high", "low"] {
                    wanted.push(format!("{mode} saturates {end}, {width} bits, lane {lane}"));
                }
            }
        }
    }
    // A sum of sixteen 8-bit numbers does not saturate 16 bits.
    wanted.extend((0..4).map(|lane| format!("sum_acc saturates low, 4 bits, lane {lane}")));
    all_occur(&wanted);
}

#[test]
fn products_of_the_most_negative_numbers() {
    let mut wanted = Vec::new();
    for mode in ["mult", "mult_add", "mult_const", "mac", "axpy", "mac_inter"] {
        for (width, lanes) in [(16, 1), (8, 2), (4, 4)] {
            wanted.extend(
                (0..lanes)
                    .map(|lane| format!("{mode} of the most negative, {width} bits, lane {lane}")),
            );
        }
    }
    all_occur(&wanted);
}

#[test]
fn modes_take_over_values() {
    let mut wanted = vec!["div_softmax takes the sum".to_owned()];
    for mode in TAKING {
        wanted.extend((0..2).map(|channel| format!("{} takes accumulator {channel}", mode.name())));
    }
    wanted
        .extend((0..2).map(|channel| format!("relu finds accumulator {channel}, greater: false")));
    all_occur(&wanted);
}

#[test]
fn patterns_with_one_word_in_a_row_and_no_delay() {
    let rows = AguId::ALL.iter().map(|agu| format!("rows of one word at once, {agu:?}"));
    all_occur(&rows.collect::<Vec<_>>());
}

#[test]
fn perm_waits_for_a_flag() {
    all_occur(&["deferred PERM".to_owned()]);
}
