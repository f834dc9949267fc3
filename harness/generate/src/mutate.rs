// SPDX-License-Identifier: MIT OR Apache-2.0
//! Second and third layers of a case: small changes to its programs, and arbitrary instructions.

use drra_isa::{
    InstructionField, Opcode,
    instructions::{WORD_BITS, io, refi, sram, wait},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{draw, op::Op};

/// Fields that contain delays; fields that are changed most often come first.
fn delays(opcode: Opcode) -> &'static [InstructionField] {
    match opcode {
        Opcode::Wait => &[wait::CYCLE],
        Opcode::Refi => &[refi::INIT_DELAY, refi::L1_DELAY, refi::L2_DELAY],
        Opcode::Sram => &[sram::INIT_DELAY, sram::L1_DELAY, sram::L2_DELAY],
        Opcode::Io => &[io::INIT_DELAY, io::L1_DELAY],
        Opcode::Halt
        | Opcode::Dpu
        | Opcode::Swb
        | Opcode::Jump
        | Opcode::Loop
        | Opcode::Bw
        | Opcode::Raccu
        | Opcode::Branch
        | Opcode::Route
        | Opcode::Perm => &[],
    }
}

/// Changes, replaces or removes one instruction of a program, or exchanges two adjacent ones.
pub(crate) fn mutate(ops: &mut Vec<Op>, rng: &mut ChaCha8Rng) {
    if ops.is_empty() {
        return;
    }
    let at = rng.random_range(0..ops.len());
    match rng.random_range(0..8u8) {
        0 | 1 => change_delay(&mut ops[at], rng),
        2..5 => change_field(&mut ops[at], rng),
        5 => ops[at].immediate = !ops[at].immediate,
        6 if at + 1 < ops.len() => ops.swap(at, at + 1),
        6 => {}
        // Removes the instruction, or replaces it with an arbitrary one.
        _ => {
            if rng.random_bool(0.5) {
                ops.remove(at);
            } else {
                ops[at] = Op::random(rng);
            }
        }
    }
}

/// Makes a delay longer or shorter by one cycle.
fn change_delay(op: &mut Op, rng: &mut ChaCha8Rng) {
    for &field in op.opcode.map_or(&[][..], delays) {
        if rng.random_bool(0.7) {
            let value = op.value(field);
            let up = rng.random_bool(0.5);
            op.set(field, if up { value + 1 } else { value.saturating_sub(1) });
            break;
        }
    }
}

/// Sets a field to an extreme or to any value.
fn change_field(op: &mut Op, rng: &mut ChaCha8Rng) {
    let fields = op.opcode.map_or(&[][..], Opcode::fields);
    if fields.is_empty() {
        return;
    }
    let place = draw::one_of(rng, fields).place;
    let top = (1u64 << place.width()) - 1;
    let value = match rng.random_range(0..6u8) {
        0 => 0,
        1 => 1 & top,
        2 => top,
        3 => top - 1,
        4 => 1 << (place.width() - 1),
        _ => rng.random_range(0..=top),
    };
    op.set(place, value);
}

/// An arbitrary instruction for a gap, usually one that takes a single cycle and does not jump.
pub(crate) fn noise(rng: &mut ChaCha8Rng, raw: f64) -> Op {
    if rng.random_bool(raw) {
        let immediate = rng.random_bool(0.7);
        return Op::raw(rng.random_range(0..1u64 << WORD_BITS) as u32, immediate);
    }
    loop {
        let op = Op::random(rng);
        let flow = [Opcode::Halt, Opcode::Jump, Opcode::Wait, Opcode::Loop, Opcode::Branch];
        if !flow.iter().any(|o| op.is(*o)) || rng.random_bool(0.02) {
            return op;
        }
    }
}
