// SPDX-License-Identifier: MIT OR Apache-2.0
//! PERM (chapter 7, part B).

use drra_isa::{
    fabric::fields::perm_op,
    instructions::{PermMode, perm},
};

/// The registers `perm_stage` and `perm_shadow` (B2): `{valid, mode, block, distance}`, all 0 for
/// none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IssuedPerm(pub(crate) u32);

/// Fields of a PERM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perm {
    /// Raw pattern of the mode, 3 bits; two of them are reserved.
    pub mode: u8,
    /// Number of the block, before it is taken modulo the blocks that exist.
    pub block: u8,
    /// Number of word positions.
    pub distance: u16,
}

impl IssuedPerm {
    /// What the word of a PERM leaves in the stage.
    pub(crate) fn decoded(word: u32) -> Self {
        let op = perm_op::VALID.put(1)
            | perm_op::MODE.put(perm::MODE.get(&[word]))
            | perm_op::BLOCK.put(perm::BLOCK.get(&[word]))
            | perm_op::DISTANCE.put(perm::DISTANCE.get(&[word]));
        Self(op as u32)
    }

    /// Its fields, if there is a PERM.
    #[inline]
    pub(crate) fn fields(self) -> Option<Perm> {
        if self == Self::default() {
            return None;
        }
        let op = self.0.into();
        Some(Perm {
            mode: perm_op::MODE.get(op) as u8,
            block: perm_op::BLOCK.get(op) as u8,
            distance: perm_op::DISTANCE.get(op) as u16,
        })
    }
}

/// Words of a block after PERM, or `None` for the reserved modes 6 and 7, which write nothing.
pub fn permute(old: &[u16; 16], mode: u8, distance: u16) -> Option<[u16; 16]> {
    let mode = PermMode::from_code(mode.into())?;
    let shift = i32::from(distance.min(16));
    let turn = i32::from(distance % 16);
    // Index of the old word that moves to place i; left means towards the higher index.
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
