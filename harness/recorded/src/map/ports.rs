// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports of the fabric as a dump shows them.

use std::collections::BTreeMap;

use drra_isa::{CellId, Geometry, UnitKind, fabric::PortId};

use super::evaluate::Expression;

/// Input ports, named as those of `rtl/drra_fabric.sv` without `_i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputPort {
    /// There is a word on the program port.
    ProgValid,
    /// The word.
    ProgInstr,
    /// Its immediate flag.
    ProgImm,
    /// Bit r selects row r.
    ProgRowSel,
    /// Bit c selects column c.
    ProgColSel,
    /// There is a block for a tile.
    SramInitValid,
    /// Row of the tile, counted from 1.
    SramInitRow,
    /// Column of the tile.
    SramInitCol,
    /// Address of the block.
    SramInitAddr,
    /// The block.
    SramInitData,
    /// There is a block for a register file.
    RfInitValid,
    /// Row of the cell.
    RfInitRow,
    /// Column of the cell.
    RfInitCol,
    /// Number of the block.
    RfInitBlock,
    /// The block.
    RfInitData,
    /// Strap of a cell.
    IoCell,
    /// Answer of the input buffer of a column.
    IoInData,
}

impl InputPort {
    /// All of them, in the order of their names in [`Self::name`].
    pub const ALL: [Self; 17] = {
        use InputPort::*;
        [
            ProgValid,
            ProgInstr,
            ProgImm,
            ProgRowSel,
            ProgColSel,
            SramInitValid,
            SramInitRow,
            SramInitCol,
            SramInitAddr,
            SramInitData,
            RfInitValid,
            RfInitRow,
            RfInitCol,
            RfInitBlock,
            RfInitData,
            IoCell,
            IoInData,
        ]
    };

    /// Name in a map.
    pub fn name(self) -> &'static str {
        [
            "prog_valid",
            "prog_instr",
            "prog_imm",
            "prog_row_sel",
            "prog_col_sel",
            "sram_init_valid",
            "sram_init_row",
            "sram_init_col",
            "sram_init_addr",
            "sram_init_data",
            "rf_init_valid",
            "rf_init_row",
            "rf_init_col",
            "rf_init_block",
            "rf_init_data",
            "io_cell",
            "io_in_data",
        ][self as usize]
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|port| port.name() == name)
    }

    /// Kind of unit that has one each.
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

/// What of the ports a dump shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedPorts {
    /// Input ports, with an expression for each unit that has one (a single one for ports of the fabric).
    pub inputs: BTreeMap<InputPort, Vec<Expression>>,
    /// Output ports in the same way.
    pub outputs: BTreeMap<PortId, Vec<Expression>>,
    /// Ports of the map that the dump lacks: name and first path without a signal.
    pub lacking: Vec<(String, String)>,
    /// Cycles from a word to its immediate flag, by index of the cell.
    pub flag_delays: Vec<u32>,
}

impl MappedPorts {
    /// An input port of the fabric; `None` if the map or the dump does not have it.
    pub fn input(&self, port: InputPort) -> Option<&Expression> {
        self.inputs.get(&port)?.first()
    }

    /// Cycles from a word to its immediate flag at a cell.
    pub fn flag_delay(&self, cell: CellId, geometry: &Geometry) -> u32 {
        self.flag_delays.get(cell.index(geometry)).copied().unwrap_or(0)
    }
}
