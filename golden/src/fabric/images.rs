// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of the fabric as words (chapter 5, section 7).

use drra_isa::{
    Unit, UnitKind,
    fabric::{Layout, Location, Register},
};

use super::Fabric;

/// The registers of all units, those of a kind one after the other.
#[derive(Clone, Debug)]
pub(super) struct Images {
    of: [Vec<u64>; UnitKind::ALL.len()],
    /// Words of a unit, by kind.
    words: [usize; UnitKind::ALL.len()],
}

impl Images {
    pub(super) fn new(layout: &Layout) -> Self {
        let units = |kind: UnitKind| layout.units().filter(|unit| unit.kind() == kind).count();
        let words = UnitKind::ALL.map(|kind| layout.words(kind));
        let of = UnitKind::ALL.map(|kind| vec![0; units(kind) * words[kind as usize]]);
        Self { of, words }
    }

    /// That of the unit of a kind with this index.
    #[inline]
    fn unit(&self, kind: UnitKind, index: usize) -> &[u64] {
        let words = self.words[kind as usize];
        &self.of[kind as usize][index * words..][..words]
    }

    /// Those of all units of a kind.
    #[inline]
    fn units(&mut self, kind: UnitKind) -> impl Iterator<Item = &mut [u64]> {
        self.of[kind as usize].chunks_exact_mut(self.words[kind as usize])
    }
}

impl Fabric {
    /// Registers of all units of a kind as of the last [`Self::pack`], one unit after the other in the order of
    /// [`Unit::all`], each in the layout of [`Self::layout`].
    ///
    /// # Panics
    /// If the fabric has made a step since then; likewise all that ask for a unit.
    #[inline]
    pub fn images(&self, kind: UnitKind) -> &[u64] {
        assert!(self.packed, "the images are out of date: call pack");
        &self.images.of[kind as usize]
    }

    /// Registers of a unit as of the last [`Self::pack`], in the layout of [`Self::layout`].
    ///
    /// # Panics
    /// As [`Self::images`], or if the fabric has no such unit; likewise all that ask for a cell, a column or a
    /// tile.
    #[inline]
    pub fn image(&self, unit: Unit) -> &[u64] {
        assert!(self.packed, "the images are out of date: call pack");
        let index = match unit {
            Unit::Cell(cell) => cell.index(&self.geometry),
            Unit::Column(column) => column.col(),
            Unit::Tile(tile) => tile.index(&self.geometry),
            Unit::Fabric => 0,
        };
        self.images.unit(unit.kind(), index)
    }

    /// Value of a register, as of the last [`Self::pack`], or of a row of a tile's memory, low word
    /// first; `None` if the fabric has no such register.
    ///
    /// # Panics
    /// As [`Self::image`].
    pub fn value(&self, location: Location) -> Option<Vec<u64>> {
        let Location { unit, register } = location;
        if !unit.is_in(&self.geometry) || register.unit_kind() != unit.kind() {
            return None;
        }
        match (unit, register) {
            (Unit::Tile(tile), Register::TileSram(row)) => Some(self.sram(tile).get(row)?.to_vec()),
            _ => self.layout.value(register, self.image(unit)),
        }
    }

    /// Brings [`Self::image`] up to date. Separate from [`Self::step`], so that a run that looks at
    /// no register pays nothing for it.
    pub fn pack(&mut self) {
        if std::mem::replace(&mut self.packed, true) {
            return;
        }
        let (slots, images) = (self.layout.slots(), &mut self.images);
        for (cell, image) in self.cells.iter_mut().zip(images.units(UnitKind::Cell)) {
            cell.pack(slots, image);
        }
        for (column, image) in self.columns.iter_mut().zip(images.units(UnitKind::Column)) {
            if column.rest.take_stale() {
                column.block.pack(slots, image);
            }
        }
        for (tile, image) in self.tiles.iter_mut().zip(images.units(UnitKind::Tile)) {
            if tile.rest.take_stale() {
                tile.block.pack(&self.geometry, slots, image);
            }
        }
        let columns = self.geometry.columns as u32;
        let pipe = images.units(UnitKind::Fabric).flatten();
        pipe.zip(&self.ld_pipe).for_each(|(word, stage)| *word = stage.pack(columns));
    }
}

#[cfg(test)]
mod tests {
    use drra_isa::Geometry;

    use super::*;

    /// A group whose words `pack` never writes keeps what was there before.
    #[test]
    fn every_group_is_packed() {
        let mut fabric = Fabric::unpacked(Geometry::default(), 0);
        let old = 0x5a5a_5a5a_5a5a_5a5a;
        fabric.images.of.iter_mut().flatten().for_each(|word| *word = old);
        fabric.pack();
        for variable in fabric.layout.variables() {
            let unit = Unit::from_index(variable.unit, 0, &fabric.geometry).unwrap();
            let words = variable.words(fabric.image(unit));
            assert!(!words.contains(&old), "pack does not write {}", variable.group);
        }
    }
}
