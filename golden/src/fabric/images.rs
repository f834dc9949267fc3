// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of the fabric as words (chapter 5, section 7).

use drra_isa::{
    Unit, UnitKind,
    fabric::{
        GroupId, Layout, Location, Parameter, RegisterId,
        images::{LdPipe, TileInit},
    },
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

    /// Those of all cells.
    #[inline]
    fn of_cells(&mut self) -> impl Iterator<Item = &mut [u64]> {
        let cells = UnitKind::Cell as usize;
        self.of[cells].chunks_exact_mut(self.words[cells])
    }

    #[inline]
    fn unit_mut(&mut self, kind: UnitKind, index: usize) -> &mut [u64] {
        let words = self.words[kind as usize];
        &mut self.of[kind as usize][index * words..][..words]
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
        assert!(!self.stale, "the images are out of date: call pack");
        &self.images.of[kind as usize]
    }

    /// Registers of a unit as of the last [`Self::pack`], in the layout of [`Self::layout`].
    ///
    /// # Panics
    /// As [`Self::images`], or if the fabric has no such unit; likewise all that ask for a cell, a column or a
    /// tile.
    #[inline]
    pub fn image(&self, unit: Unit) -> &[u64] {
        assert!(!self.stale, "the images are out of date: call pack");
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
        match (unit, register.id()) {
            (Unit::Tile(tile), RegisterId::TileSram) => {
                Some(self.sram(tile).get(register.number()?)?.to_vec())
            }
            _ => self.layout.value(register, self.image(unit)),
        }
    }

    /// Brings [`Self::image`] up to date. Separate from [`Self::step`], so that a run that looks at
    /// no register pays nothing for it.
    pub fn pack(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let images = self.images.of_cells();
        for (cell, image) in self.cells.iter_mut().zip(images) {
            cell.pack(image);
        }
        for c in 0..self.columns.len() {
            if std::mem::take(&mut self.stale_columns[c]) {
                self.pack_column(c);
            }
        }
        for i in 0..self.tiles.len() {
            if std::mem::take(&mut self.stale_tiles[i]) {
                self.pack_tile(i);
            }
        }
        if std::mem::take(&mut self.stale_pipe) {
            self.pack_pipe();
        }
    }

    /// Makes the next [`Self::pack`] write every register.
    #[cfg(test)]
    pub(crate) fn mark_all_stale(&mut self) {
        self.cells.iter_mut().for_each(crate::cell::Cell::mark_all_stale);
        self.stale_columns.fill(true);
        self.stale_tiles.fill(true);
        self.stale_pipe = true;
        self.stale = true;
    }

    fn pack_pipe(&mut self) {
        let cols = self.geometry.columns as u32;
        for (stage, image) in self.ld_pipe.iter().zip(self.images.unit_mut(UnitKind::Fabric, 0)) {
            let lines = &stage.lines;
            let word = LdPipe {
                valid: stage.valid,
                imm: lines.imm,
                instr: lines.instr & 0x7ff_ffff,
                row_sel: lines.row_sel & 3,
                col_sel: (u64::from(lines.col_sel) & ((1 << cols) - 1)) as u32,
            };
            *image = word.pack(cols);
        }
    }

    fn pack_column(&mut self, c: usize) {
        let slots = self.layout.slots();
        let slot = |group| slots.of(group);
        let (column, image) = (&self.columns[c], self.images.unit_mut(UnitKind::Column, c));
        let (block, mask) = column.row1();
        image[slot(GroupId::ColumnBlkInRow1)..][..4].copy_from_slice(block);
        image[slot(GroupId::ColumnBlkInMaskRow1)] = u64::from(*mask);
        image[slot(GroupId::ColumnIoMsg)..][..2].copy_from_slice(&column.io_msg_words());
        image[slot(GroupId::ColumnIoFlow)] = column.flow_word();
        image[slot(GroupId::ColumnIoRdata)..][..4].copy_from_slice(column.rdata());
        image[slot(GroupId::ColumnIoWdata)..][..4].copy_from_slice(column.wdata());
        for (k, agu) in [&column.io_rd, &column.io_wr].into_iter().enumerate() {
            image[slot(GroupId::ColumnIoGeneratorSt) + k] = agu.io_state_word();
            image[slot(GroupId::ColumnIoGeneratorCfg) + k] = agu.io_cfg_word();
        }
    }

    fn pack_tile(&mut self, i: usize) {
        let slots = self.layout.slots();
        let slot = |group| slots.of(group);
        let (tile, image) = (&self.tiles[i], self.images.unit_mut(UnitKind::Tile, i));
        image[slot(GroupId::TileSegs)] = tile.segments_word();
        image[slot(GroupId::TileMemRvalid)] = tile.mem_rvalid.into();
        image[slot(GroupId::TileMemQ)..][..4].copy_from_slice(tile.mem_q());
        for x in 0..4 {
            let [path, fwd, take] = tile.side_words(x);
            image[slot(GroupId::TileSidePath) + x] = path;
            image[slot(GroupId::TileSideFwd) + x] = fwd;
            image[slot(GroupId::TileSideAgu) + x] = take;
        }
        image[slot(GroupId::TileXsel)] = tile.xsel_word();
        for (k, block) in tile.xout.iter().enumerate() {
            image[slot(GroupId::TileXout) + 4 * k..][..4].copy_from_slice(block);
        }
        for (k, agu) in [&tile.rd, &tile.wr].into_iter().enumerate() {
            image[slot(GroupId::TileGeneratorSt) + k] = agu.sram_state_word();
            image[slot(GroupId::TileGeneratorCfg) + k] = agu.sram_cfg_word();
        }
        let init = &tile.init;
        let g = &self.geometry;
        let seen = TileInit {
            en: init.valid,
            row: init.row as u32,
            col: init.col as u32,
            addr: init.addr as u32,
        };
        let [row, col, addr] = [Parameter::TileRow, Parameter::Column, Parameter::SramAddress];
        image[slot(GroupId::TileInit)] = seen.pack(row.value(g), col.value(g), addr.value(g));
        image[slot(GroupId::TileInitData)..][..4].copy_from_slice(&init.data);
    }
}

#[cfg(test)]
mod tests {
    use drra_isa::Geometry;

    use super::*;

    /// A group whose words `pack` never writes keeps what was there before.
    #[test]
    fn every_group_is_packed() {
        let mut fabric = Fabric::new(Geometry::default(), 0);
        let old = 0x5a5a_5a5a_5a5a_5a5a;
        fabric.images.of.iter_mut().flatten().for_each(|word| *word = old);
        fabric.mark_all_stale();
        fabric.pack();
        for variable in fabric.layout.variables() {
            let unit = Unit::from_index(variable.unit, 0, &fabric.geometry).unwrap();
            let words = variable.words(fabric.image(unit));
            assert!(!words.contains(&old), "pack does not write {}", variable.group);
        }
    }
}
