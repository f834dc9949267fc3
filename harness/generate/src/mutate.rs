// SPDX-License-Identifier: MIT OR Apache-2.0
//! Second and third layer of a case: small changes to its programs, and instructions of any kind.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::op::Op;

/// Changes one instruction of a program, or the order of two.
pub(crate) fn mutate(ops: &mut Vec<Op>, rng: &mut ChaCha8Rng) {
    if ops.is_empty() {
        return;
    }
    let at = rng.random_range(0..ops.len());
    match rng.random_range(0..8u8) {
        // A delay off by one.
        0 | 1 => {
            for field in ["cycle", "init_delay", "l1_delay", "l2_delay"] {
                let has = ops[at].description().is_some_and(|i| i.field_index(field).is_some());
                if has && rng.random_bool(0.7) {
                    let value = ops[at].value(field);
                    let up = rng.random_bool(0.5);
                    ops[at].set(field, if up { value + 1 } else { value.saturating_sub(1) });
                    break;
                }
            }
        }
        // A field at an extreme, or anything.
        2..5 => {
            let Some(instruction) = ops[at].description() else { return };
            if instruction.fields.is_empty() {
                return;
            }
            let k = rng.random_range(0..instruction.fields.len());
            let field = &instruction.fields[k];
            let top = (1u64 << field.width) - 1;
            ops[at].values[k] = match rng.random_range(0..6u8) {
                0 => 0,
                1 => 1 & top,
                2 => top,
                3 => top - 1,
                4 => 1 << (field.width - 1),
                _ => rng.random_range(0..=top),
            };
        }
        5 => ops[at].immediate = !ops[at].immediate,
        6 if at + 1 < ops.len() => ops.swap(at, at + 1),
        6 => {}
        // One instruction less, or one of any kind in its place.
        _ => {
            if rng.random_bool(0.5) {
                ops.remove(at);
            } else {
                ops[at] = Op::random(rng);
            }
        }
    }
}

/// An instruction of any kind for a gap, mostly one that takes a single cycle and stays in line.
pub(crate) fn noise(rng: &mut ChaCha8Rng, raw: f64) -> Op {
    if rng.random_bool(raw) {
        let immediate = rng.random_bool(0.7);
        return Op::raw(rng.random_range(0..1 << 27), immediate);
    }
    loop {
        let op = Op::random(rng);
        let flow = ["HALT", "JUMP", "WAIT", "LOOP", "BRANCH"].iter().any(|n| op.is(n));
        if !flow || rng.random_bool(0.02) {
            return op;
        }
    }
}
