// SPDX-License-Identifier: MIT OR Apache-2.0
//! PERM (chapter 7, part B).

use drra_fabric::images::PermOp;
use drra_isa::instructions::{PermMode, perm};

/// The value that the word of a PERM gives to `perm_stage` (B2).
pub(crate) fn decoded(word: u32) -> PermOp {
    let word = [word];
    PermOp {
        valid: true,
        mode: perm::MODE.get(&word) as u8,
        block: perm::BLOCK.get(&word) as u8,
        distance: perm::DISTANCE.get(&word) as u16,
    }
}

/// `perm_words` of A4 (B1): words of a block after PERM, or `None` for the reserved modes 6 and 7, which write nothing.
pub fn permute(old: &[u16; 16], mode: u8, distance: u16) -> Option<[u16; 16]> {
    let mode = PermMode::from_code(mode.into())?;
    let shift = i32::from(distance.min(16));
    let turn = i32::from(distance % 16);
    // Index of the old word that moves to position i; left means towards the higher index.
    let source = |i: usize| {
        let i = i as i32;
        match mode {
            PermMode::ShlZero | PermMode::ShlSame => i - shift,
            PermMode::ShrZero | PermMode::ShrSame => i + shift,
            PermMode::RotL => (i - turn).rem_euclid(16),
            PermMode::RotR => (i + turn).rem_euclid(16),
        }
    };
    let pick = |i: usize| match (source(i), mode) {
        (j @ 0..=15, _) => old[j as usize],
        (_, PermMode::ShlZero | PermMode::ShrZero) => 0,
        (j, _) => old[j.clamp(0, 15) as usize],
    };
    Some(std::array::from_fn(pick))
}
