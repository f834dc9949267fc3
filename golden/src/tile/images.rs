// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of a tile as words (chapter 6).

use drra_isa::fabric::{
    fields::array,
    images::{TileSegs, TileSidePath},
};

use super::Tile;
use crate::bits::packed;

impl Tile {
    /// Directions of the segments to the west and south: `seg_w, seg_s`, 2 bits each.
    pub(crate) fn segments_word(&self) -> u64 {
        TileSegs { seg_w: self.seg_w, seg_s: self.seg_s }.pack()
    }

    /// `{active, hsel, vsel}`, `fwd`, `agu` of a side.
    pub(crate) fn side_words(&self, x: usize) -> [u64; 3] {
        let s = &self.sides[x];
        let path = TileSidePath { active: s.active, hsel: s.hsel, vsel: s.vsel }.pack();
        [path, s.fwd.0, s.take.0]
    }

    /// `xsel[MEM] .. xsel[N]`.
    pub(crate) fn xsel_word(&self) -> u64 {
        packed(self.xsel.map(u64::from), array::XSEL) as u64
    }
}
