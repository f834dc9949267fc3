// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes that depend on the size of the fabric.

use serde::Deserialize;

use drra_isa::{Geometry, identities};

identities! {
    array
    /// A size that depends on the fabric.
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    Parameter {
        /// Bits of a word address of a register file.
        RfAddress = "rf_address",
        /// Bits of a block address of a register file.
        RfBlock = "rf_block",
        /// Bits of a tile row number.
        TileRow = "tile_row",
        /// Bits of a column number.
        Column = "column",
        /// Bits of a block address of a tile.
        SramAddress = "sram_address",
        /// Columns.
        Columns = "columns",
        /// Cells.
        Cells = "cells",
        /// Words of a register file.
        RfWords = "rf_words",
        /// Blocks of a tile.
        SramBlocks = "sram_blocks",
        /// Stages of the load pipeline.
        LoadStages = "load_stages",
    }
}

impl Parameter {
    /// The value of the parameter for a fabric.
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

/// Number of bits that can represent the values 0 .. n-1, at least one.
pub fn bits_for(n: usize) -> u32 {
    (n.max(2) - 1).ilog2() + 1
}

/// A width in bits. In the description, a width is a number or a name; if the name is not itself the name of a
/// parameter, the loader finds the parameters that it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "StoredWidth")]
pub enum Width {
    /// The same for every fabric.
    Fixed(u32),
    /// Determined by the size of the fabric.
    Of(Parameter),
    /// Depends on the key of the register and the size of the fabric: name, and one parameter per value of the key.
    ByKey(String, Vec<Parameter>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number of bits, or the name of a parameter")]
enum StoredWidth {
    Number(u32),
    Name(String),
}

impl From<StoredWidth> for Width {
    fn from(written: StoredWidth) -> Self {
        match written {
            StoredWidth::Number(bits) => Self::Fixed(bits),
            StoredWidth::Name(name) => match Parameter::from_name(&name) {
                Some(parameter) => Self::Of(parameter),
                None => Self::ByKey(name, Vec::new()),
            },
        }
    }
}

/// No bits, for a width that is not written.
impl Default for Width {
    fn default() -> Self {
        Self::Fixed(0)
    }
}

impl Width {
    /// Number of bits, or the name of the parameter or width that determines it.
    pub fn text(&self) -> String {
        match self {
            Self::Fixed(bits) => bits.to_string(),
            Self::Of(parameter) => parameter.name().to_owned(),
            Self::ByKey(name, _) => name.clone(),
        }
    }

    /// Bits, if they are the same for every fabric; otherwise 0.
    pub fn fixed(&self) -> u32 {
        if let Self::Fixed(bits) = self { *bits } else { 0 }
    }

    /// Bits for a fabric and the key with this index.
    pub fn bits(&self, geometry: &Geometry, key: usize) -> u32 {
        match self {
            Self::Fixed(bits) => *bits,
            Self::Of(parameter) => parameter.value(geometry),
            Self::ByKey(_, all) => all.get(key).map_or(0, |p| p.value(geometry)),
        }
    }
}
