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

/// Applies `f` to the signed lanes of width `w` of a 16-bit word; the results have width `out`.
#[inline]
pub(super) fn map1(v: u16, w: u32, out: u32, f: impl Fn(i64) -> i64) -> u32 {
    map2(v.into(), 0, w, out, 16 / w, |lane, _| f(lane))
}

/// Applies `f` to `n` pairs of signed lanes of width `w`; the results have width `out`.
#[inline]
pub(super) fn map2(a: u32, b: u32, w: u32, out: u32, n: u32, f: impl Fn(i64, i64) -> i64) -> u32 {
    // The usual width, without a loop.
    if n == 1 {
        return (f(sx(a.into(), w), sx(b.into(), w)) as u64 & ((1 << out) - 1)) as u32;
    }
    (0..n).fold(0, |r, i| {
        let lane = f(sx(u64::from(a) >> (w * i), w), sx(u64::from(b) >> (w * i), w));
        r | ((lane as u64 & ((1 << out) - 1)) as u32) << (out * i)
    })
}

pub(super) fn clamp(v: i64, width: u32) -> i64 {
    v.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

pub(super) fn neg(v: u16, w: u32) -> u16 {
    map1(v, w, w, |e| clamp(-e, w)) as u16
}

/// `absv` of section 8.
pub(super) fn absolute(v: u16, w: u32) -> u16 {
    map1(v, w, w, i64::abs) as u16
}

pub(super) fn widen(v: u16, w: u32) -> u32 {
    map1(v, w, 2 * w, |e| e)
}

pub(super) fn mul(a: u16, b: u16, w: u32) -> u32 {
    map2(a.into(), b.into(), w, 2 * w, 16 / w, |p, q| p * q)
}

pub(super) fn add(a: u32, b: u32, w: u32, sat: bool) -> u32 {
    map2(a, b, 2 * w, 2 * w, 16 / w, |p, q| if sat { clamp(p + q, 2 * w) } else { p + q })
}
