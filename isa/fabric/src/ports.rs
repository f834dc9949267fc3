// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input ports of a fabric during one cycle: program words on their way into the cells, blocks that initialise
//! memories, answers of the external buffers. The ports are sampled at the edge that ends the cycle.

use drra_isa::{Geometry, UnitKind, identities};

identities! {
    array
    /// Input ports of a fabric, with the names of the ports of `rtl/drra_fabric.sv` without `_i`.
    InputPort {
        ProgValid = "prog_valid",
        ProgInstr = "prog_instr",
        ProgImm = "prog_imm",
        /// Bit r selects row r.
        ProgRowSel = "prog_row_sel",
        /// Bit c selects column c.
        ProgColSel = "prog_col_sel",
        SramInitValid = "sram_init_valid",
        /// Row of the tile, numbered from 1.
        SramInitRow = "sram_init_row",
        SramInitCol = "sram_init_col",
        SramInitAddr = "sram_init_addr",
        SramInitData = "sram_init_data",
        RfInitValid = "rf_init_valid",
        RfInitRow = "rf_init_row",
        RfInitCol = "rf_init_col",
        /// Number of the block.
        RfInitBlock = "rf_init_block",
        RfInitData = "rf_init_data",
        /// Strap of a cell.
        IoCell = "io_cell",
        /// Answer of the input buffer of a column.
        IoInData = "io_in_data",
    }
}

impl InputPort {
    /// The groups of ports that load something; the first port of each is the valid bit.
    pub fn groups() -> impl Iterator<Item = [Self; 5]> {
        let (groups, _) = Self::ALL.as_chunks();
        groups.iter().copied()
    }

    /// The kind of unit; each unit of this kind has one such port.
    pub fn unit(self) -> UnitKind {
        match self {
            Self::IoCell => UnitKind::Cell,
            Self::IoInData => UnitKind::Column,
            _ => UnitKind::Fabric,
        }
    }

    /// Width in bits.
    pub fn width(self, g: &Geometry) -> u32 {
        let bits = |values: usize| values.next_power_of_two().trailing_zeros();
        match self {
            Self::ProgValid | Self::ProgImm | Self::SramInitValid | Self::RfInitValid => 1,
            Self::RfInitRow | Self::IoCell => 1,
            Self::ProgInstr => 27,
            Self::ProgRowSel => Geometry::ROWS as u32,
            Self::ProgColSel => g.columns as u32,
            Self::SramInitRow => bits(g.tile_rows + 1),
            Self::SramInitCol | Self::RfInitCol => bits(g.columns),
            Self::SramInitAddr => bits(g.sram_blocks),
            Self::RfInitBlock => bits(g.rf_blocks()),
            Self::SramInitData | Self::RfInitData | Self::IoInData => 256,
        }
    }
}

/// A block of 16 words; word k is in bits 16k+15 to 16k, counted from bit 0 of element 0.
pub type Block = [u64; 4];

/// A block of zeros.
pub const ZERO_BLOCK: Block = [0; 4];

/// A word on the program port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgWord {
    /// The word, 27 bits.
    pub instr: u32,
    /// Its immediate flag.
    pub imm: bool,
    /// Bit r selects row r.
    pub row_sel: u8,
    /// Bit c selects column c.
    pub col_sel: u32,
}

/// A block on the initialisation port of the tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SramInit {
    /// Tile row, counted from 1; nothing is written if the fabric does not have the row.
    pub row: usize,
    /// Tile column.
    pub col: usize,
    /// Block address.
    pub addr: usize,
    /// Contents.
    pub data: Block,
    /// Set by the fabric while the block is passed on; the value from the caller is not used.
    pub valid: bool,
}

/// A block on the initialisation port of the register files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RfInit {
    /// Cell row.
    pub row: usize,
    /// Cell column.
    pub col: usize,
    /// Block number.
    pub block: usize,
    /// Contents.
    pub data: Block,
}

/// The lines of the input ports that are not used in a cycle. Their values have no meaning, but the lines of the
/// program port and of the tiles' initialisation port are still passed on (chapter 5, 5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleLines {
    /// Lines of the program port.
    pub prog: ProgWord,
    /// Lines of the initialisation port of the tiles.
    pub sram_init: SramInit,
    /// Lines of the initialisation port of the register files.
    pub rf_init: RfInit,
}

/// The input ports during one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs<'a> {
    /// Program port; `None` if `prog_valid` is 0.
    pub prog: Option<ProgWord>,
    /// SRAM initialisation port.
    pub sram_init: Option<SramInit>,
    /// Register file initialisation port.
    pub rf_init: Option<RfInit>,
    /// The lines of those ports above that are `None`; all lines are 0 if this field is `None`.
    pub idle: Option<IdleLines>,
    /// Answers of the input buffers, one per column; missing answers are 0.
    pub io_in_data: &'a [Block],
}
