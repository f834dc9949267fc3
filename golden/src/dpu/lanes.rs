// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arithmetic on the lanes of a word (chapter 4, 4.3 and 5.2 to 5.4).

use drra_isa::instructions::BwConfig;

use crate::bits::sx;

/// `LW`: width of the lanes for a BW value.
pub(super) fn lane_width(bw: BwConfig) -> u32 {
    match bw {
        BwConfig::Int16 | BwConfig::Fx16 => 16,
        BwConfig::Int8 => 8,
        BwConfig::Int4 => 4,
    }
}

/// `f` of a lane width, compiled separately for each of them, so that no code has loops over a variable number of lanes.
pub(super) fn for_width<T>(w: u32, f: impl Fn(u32) -> T) -> T {
    match w {
        16 => f(16),
        8 => f(8),
        _ => f(4),
    }
}

pub(super) fn clamp(v: i64, width: u32) -> i64 {
    v.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

/// The first `n` lanes of width `w` as signed numbers.
pub(super) fn split(v: u32, w: u32, n: u32) -> impl Iterator<Item = i64> {
    (0..n).map(move |k| sx(u64::from(v >> (w * k)), w))
}

/// The low `w` bits of a number in lane k.
pub(super) fn place(e: i64, k: u32, w: u32) -> u32 {
    ((e as u64 & ((1 << w) - 1)) << (w * k)) as u32
}

/// The low `w` bits of each number in a lane.
fn join(lanes: impl Iterator<Item = i64>, w: u32) -> u32 {
    lanes.zip(0..).fold(0, |all, (e, k)| all | place(e, k, w))
}

pub(super) fn neg(v: u16, w: u32) -> u16 {
    for_width(w, |w| join(split(v.into(), w, 16 / w).map(|e| clamp(-e, w)), w)) as u16
}

/// `absv` of section 8.
pub(super) fn absv(v: u16, w: u32) -> u16 {
    for_width(w, |w| join(split(v.into(), w, 16 / w).map(i64::abs), w)) as u16
}

pub(super) fn widen(v: u16, w: u32) -> u32 {
    for_width(w, |w| join(split(v.into(), w, 16 / w), 2 * w))
}

pub(super) fn mul(a: u16, b: u16, w: u32) -> u32 {
    for_width(w, |w| {
        let pairs = split(a.into(), w, 16 / w).zip(split(b.into(), w, 16 / w));
        join(pairs.map(|(p, q)| p * q), 2 * w)
    })
}

pub(super) fn add(a: u32, b: u32, w: u32, sat: bool) -> u32 {
    for_width(w, |w| {
        let sums = split(a, 2 * w, 16 / w).zip(split(b, 2 * w, 16 / w)).map(|(p, q)| p + q);
        join(sums.map(|e| if sat { clamp(e, 2 * w) } else { e }), 2 * w)
    })
}
