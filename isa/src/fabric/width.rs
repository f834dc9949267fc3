// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes that depend on the size of the fabric.

use crate::Geometry;

/// A size that the fabric decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Bits of a word address of a register file.
    RfAddress,
    /// Bits of a block address of a register file.
    RfBlock,
    /// Bits of the row of a tile.
    TileRow,
    /// Bits of a column number.
    Column,
    /// Bits of a block address of a tile.
    SramAddress,
    /// Columns.
    Columns,
    /// Cells.
    Cells,
    /// Words of a register file.
    RfWords,
    /// Blocks of a tile.
    SramBlocks,
    /// Stages of the load pipeline.
    LoadStages,
}

impl Parameter {
    const NAMES: [(&str, Self); 10] = [
        ("rf_address", Self::RfAddress),
        ("rf_block", Self::RfBlock),
        ("tile_row", Self::TileRow),
        ("column", Self::Column),
        ("sram_address", Self::SramAddress),
        ("columns", Self::Columns),
        ("cells", Self::Cells),
        ("rf_words", Self::RfWords),
        ("sram_blocks", Self::SramBlocks),
        ("load_stages", Self::LoadStages),
    ];

    /// Name in the description.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, p)| *p == self).map_or("", |(name, _)| name)
    }

    /// The parameter with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, p)| *p)
    }

    /// Its value for a fabric.
    pub fn value(self, g: &Geometry) -> u32 {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        match self {
            Self::RfAddress => bits_for(g.rf_words),
            Self::RfBlock => bits_for(g.rf_blocks()),
            Self::TileRow => bits_for(g.tile_rows + 1),
            Self::Column => bits_for(g.columns),
            Self::SramAddress => bits_for(g.sram_blocks),
            Self::Columns => number(g.columns),
            Self::Cells => number(g.cells()),
            Self::RfWords => number(g.rf_words),
            Self::SramBlocks => number(g.sram_blocks),
            Self::LoadStages => number(Geometry::ROWS + g.columns - 2),
        }
    }
}

/// Bits that hold the values 0 .. n-1, at least one.
pub(crate) fn bits_for(n: usize) -> u32 {
    (n.max(2) - 1).ilog2() + 1
}

/// A width in bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Width {
    /// The same for every fabric.
    Fixed(u32),
    /// Decided by the size of the fabric.
    Of(Parameter),
    /// Decided by the key of the register and the size of the fabric: name and one parameter per
    /// value of the key.
    ByKey(String, Vec<Parameter>),
}

impl Width {
    /// Bits for a fabric and the key with this index.
    pub fn bits(&self, geometry: &Geometry, key: usize) -> u32 {
        match self {
            Self::Fixed(bits) => *bits,
            Self::Of(parameter) => parameter.value(geometry),
            Self::ByKey(_, all) => all.get(key).map_or(0, |p| p.value(geometry)),
        }
    }
}
