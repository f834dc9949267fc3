// SPDX-License-Identifier: MIT OR Apache-2.0
//! Non-linear unit (chapter 4, section 9).

use drra_fabric::DpuOperation as Op;

use super::{control::FB, lanes::clamp};

const SLOPE: [i64; 23] = [
    0x200, 0x1EF, 0x1D1, 0x1A8, 0x17D, 0x149, 0x119, 0xEE, 0xC1, 0xA1, 0x7F, 0x66, 0x54, 0x40,
    0x36, 0x27, 0x22, 0x19, 0x15, 0xD, 0xE, 0xC, 0x9,
];
const OFFSET: [i64; 33] = [
    0x400, 0x404, 0x413, 0x432, 0x45D, 0x49E, 0x4E6, 0x531, 0x58B, 0x5D3, 0x628, 0x66D, 0x6A3,
    0x6E4, 0x707, 0x73F, 0x753, 0x779, 0x78B, 0x7B1, 0x7AC, 0x7B6, 0x7C6, 0x7FA, 0x7FC, 0x7FD,
    0x7FD, 0x7FE, 0x7FE, 0x7FF, 0x7FF, 0x7FF, 0x7FF,
];

/// `pwl` of section 8: the logistic function, the hyperbolic tangent (`Tanh`), or the divisor of the exponential
/// (`Exp`), which is the logistic function of the negated argument; Q4.11 in and out.
pub fn pwl(x: i16, op: Op) -> i64 {
    let x = i64::from(x);
    let minus = x < 0 || x == 0 && op == Op::Exp;
    let a = if minus { clamp(-x, 16) } else { x };
    let u = match op {
        Op::Tanh if a >= 0x4000 => 0x7fff,
        Op::Tanh => 2 * a,
        _ => a,
    };
    let k = (u >> 9) as usize;
    let slope = SLOPE.get(k).copied().unwrap_or(0);
    let offset = OFFSET.get(k).copied().unwrap_or(0x800);
    let (slope, offset, multiplicand) = match op {
        Op::Tanh => {
            let twice = 2 * offset - 0x800;
            (4 * slope, if minus { -twice } else { twice }, x)
        }
        Op::Exp => (slope, if minus { offset } else { 0x800 - offset }, clamp(-x, 16)),
        _ => (slope, if minus { 0x800 - offset } else { offset }, x),
    };
    ((multiplicand * slope) >> FB) + offset
}
