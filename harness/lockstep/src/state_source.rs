// SPDX-License-Identifier: MIT OR Apache-2.0
//! What registers can be read from.

use drra_golden::Fabric;
use drra_isa::{
    TileId, Unit,
    fabric::{Layout, Location, Register},
    ports::Block,
};

use crate::value::Value;

/// Something whose registers can be read as images.
pub trait StateSource {
    /// Copies the registers of a unit, as of the current cycle, into `image`: words as [`Layout`] places
    /// them.
    fn read(&self, unit: Unit, image: &mut Vec<u64>);

    /// Puts a 1 into `image` for every bit of [`Self::read`] that is unknown or not shown; an empty image says
    /// that there is none.
    fn unknown(&self, _unit: Unit, image: &mut Vec<u64>) {
        image.clear();
    }

    /// Whether the design shows a register, or a row of a tile's memory, at all. What it does not show is not
    /// compared, and does not count among the bits compared.
    fn shows(&self, _unit: Unit, _register: Register) -> bool {
        true
    }

    /// Row of a tile's memory.
    fn sram_block(&self, tile: TileId, row: usize) -> Block;

    /// Value of a register, or of a row of a tile's memory, as of the current cycle; `None` if a fabric with
    /// this layout has no such register.
    fn value(&self, location: Location, layout: &Layout) -> Option<Value> {
        let Location { unit, register } = location;
        let geometry = layout.geometry();
        if !unit.is_in(geometry) || register.unit_kind() != unit.kind() {
            return None;
        }
        let words = match (unit, register) {
            (Unit::Tile(_), Register::TileSram(row)) if row >= geometry.sram_blocks => return None,
            (Unit::Tile(tile), Register::TileSram(row)) => self.sram_block(tile, row).to_vec(),
            _ => {
                let mut image = Vec::new();
                self.read(unit, &mut image);
                layout.value(register, &image)?
            }
        };
        Some(Value::new(words, register.width(geometry)))
    }
}

impl StateSource for Fabric {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        image.clear();
        image.extend_from_slice(self.image(unit));
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.sram(tile)[row]
    }
}
