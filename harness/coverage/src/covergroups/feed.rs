// SPDX-License-Identifier: MIT OR Apache-2.0
//! Directed sequences that stream words of the register file of a cell through its DPU.

use drra_case::{DirectedCell, DirectedSequence, InstructionTemplate};
use drra_fabric::{AguId, CellInput, Lane};
use drra_isa::{
    Opcode, Operand,
    instructions::{BwConfig, DpuMode, dpu, refi, swb},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::decode::refi_for;

/// Maximum number of pairs in a stream; the second words are stored after the first words.
pub(super) const STREAM: usize = 16;

/// Inputs of the DPU.
const INPUTS: [CellInput; 4] = [CellInput::Dpu0, CellInput::Dpu1, CellInput::Dpu2, CellInput::Dpu3];

/// An SWB that connects an input to a lane of the cell `column` columns to the east, optionally in the other row.
pub(super) fn connect(
    input: CellInput,
    lane: Lane,
    column: isize,
    other_row: bool,
) -> InstructionTemplate {
    let lane = lane.index() as u64;
    InstructionTemplate::new(
        Opcode::Swb,
        &[
            (swb::SRC_BLOCK, lane >> 1),
            (swb::SRC_PORT, lane & 1),
            (swb::HB_INDEX, (column + 2) as u64),
            (swb::SEND_TO_OTHER_ROW, other_row.into()),
            (swb::V_INDEX, input.index() as u64),
        ],
    )
}

/// Like [`connect`], for a lane of the input's own cell.
fn own(input: CellInput, lane: Lane) -> InstructionTemplate {
    connect(input, lane, 0, false)
}

/// A REFI for `count` words or blocks, starting at a given one after a delay.
pub(super) fn read(agu: AguId, first: usize, count: usize, delay: u64) -> InstructionTemplate {
    let fields = [
        (refi::INIT_ADDR, first as u64),
        (refi::L1_ITER, count as u64 - 1),
        (refi::INIT_DELAY, delay),
    ];
    refi_for(agu).with(&fields)
}

/// A mode that works on a stream of pairs on lanes of a given width: inputs 0 and 2 get the first words of the pairs,
/// and inputs 1 and 3 the second words. If `second` is a constant register, the register and inputs 1 and 3 get the
/// second word of the first pair; if `second` is input 2, that input gets the second words.
pub(super) fn feed(
    mode: InstructionTemplate,
    width: BwConfig,
    second: Option<Operand>,
    pairs: &[[u16; 2]],
) -> DirectedSequence {
    let count = pairs.len().clamp(1, STREAM);
    let first_words = pairs.iter().enumerate().map(|(k, pair)| (k, pair[0]));
    let second_words = pairs.iter().enumerate().map(|(k, pair)| (STREAM + k, pair[1]));
    let words = first_words.chain(second_words).collect();
    let width = (0, InstructionTemplate::bw(width));
    let steps: Vec<(u64, InstructionTemplate)> = match second {
        Some(Operand::Ir0 | Operand::Ir1) => constant(mode, count).collect(),
        _ => {
            let of = |k: usize| match (k, second) {
                (2, Some(Operand::In2)) => Lane::Rf1,
                (0 | 2, _) => Lane::Rf0,
                _ => Lane::Rf1,
            };
            let connections = (0..4).map(|k| (1 + k as u64, own(INPUTS[k], of(k))));
            // Both streams begin in cycle 9, two cycles after the mode takes effect.
            let rest = [
                (5, mode),
                (6, read(AguId::R0, 0, count, 2)),
                (7, read(AguId::R1, STREAM, count, 1)),
            ];
            connections.chain(rest).collect()
        }
    };
    let cell = DirectedCell::timed([width].into_iter().chain(steps)).with_words(words);
    DirectedSequence::of([cell])
}

/// A constant from the first word of read port 1, then a stream from read port 0.
fn constant(
    mode: InstructionTemplate,
    count: usize,
) -> impl Iterator<Item = (u64, InstructionTemplate)> {
    let again = [(refi::L1_STEP, 0), (refi::L1_STEP_SIGN, 0)];
    let value = read(AguId::R1, STREAM, 40, 0).with(&again);
    [
        (1, own(CellInput::Dpu0, Lane::Rf1)),
        (2, own(CellInput::Dpu2, Lane::Rf1)),
        (3, value),
        (4, InstructionTemplate::dpu(DpuMode::LdIr)),
        (5, own(CellInput::Dpu1, Lane::Rf1)),
        (6, own(CellInput::Dpu3, Lane::Rf1)),
        // The DPU is idle in between, so that `io_change` of the mode does not affect the constant.
        (7, InstructionTemplate::dpu(DpuMode::Idle).with(&[(dpu::IO_CHANGE, 0)])),
        (8, mode),
        (9, own(CellInput::Dpu0, Lane::Rf0)),
        (10, own(CellInput::Dpu2, Lane::Rf0)),
        (11, read(AguId::R0, 0, count, 1)),
    ]
    .into_iter()
}

/// Two modes in succession, so that the second one starts in the state left by the first. Meanwhile, words stream
/// through all inputs, with different words in the two channels. Usually both constants are loaded first.
pub(super) fn hand_over(
    width: InstructionTemplate,
    from: InstructionTemplate,
    to: InstructionTemplate,
    rng: &mut ChaCha8Rng,
) -> DirectedSequence {
    let lanes = [Lane::Rf0, Lane::Rf1];
    let first = rng.random_range(0..2);
    let second = rng.random_range(0..2);
    let of = [lanes[first], lanes[second], lanes[1 - first], lanes[1 - second]];
    let words: Vec<(usize, u16)> = (0..2 * STREAM).map(|k| (k, word(rng))).collect();
    // Both streams begin in cycle 7.
    let connections = (0..4).map(|k| (1 + k as u64, own(INPUTS[k], of[k])));
    let mut steps: Vec<(u64, InstructionTemplate)> = connections.collect();
    steps.push((0, width));
    steps.push((5, read(AguId::R0, 0, STREAM, 1)));
    steps.push((6, read(AguId::R1, STREAM, STREAM, 0)));
    if rng.random_bool(0.75) {
        steps.push((7, InstructionTemplate::dpu(DpuMode::LdIr)));
    }
    let change = 9 + rng.random_range(0..4);
    let [from, to] = [from, to].map(|mode| mode.with(&[(dpu::ACC_CLEAR, constant_of_mode(rng))]));
    steps.push((change, from));
    steps.push((change + rng.random_range(1..8), to));
    DirectedSequence::of([DirectedCell::timed(steps).with_words(words)])
}

/// A value of `acc_clear`, the factor of a mode or the number of operands of an accumulation: 0, a small one, or any.
pub(super) fn constant_of_mode(rng: &mut ChaCha8Rng) -> u64 {
    match rng.random_range(0..3) {
        0 => 0,
        1 => rng.random_range(1..8),
        _ => rng.random_range(0..256),
    }
}

/// A word at a bound, a small word, or any word.
fn word(rng: &mut ChaCha8Rng) -> u16 {
    match rng.random_range(0..4) {
        0 => [0x7fff, 0x8000, 0, 0xffff][rng.random_range(0..4usize)],
        1 => rng.random_range(-20..20i16) as u16,
        _ => rng.random(),
    }
}
