// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports of the fabric as a waveform shows them.

use std::collections::BTreeMap;

use drra_isa::{Geometry, UnitKind, fabric::PortId};

use super::evaluate::Expression;

/// Input ports, with the names of the ports of `rtl/drra_fabric.sv` without `_i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputPort {
    ProgValid,
    ProgInstr,
    ProgImm,
    /// Bit r selects row r.
    ProgRowSel,
    /// Bit c selects column c.
    ProgColSel,
    SramInitValid,
    /// Row of the tile, numbered from 1.
    SramInitRow,
    SramInitCol,
    SramInitAddr,
    SramInitData,
    RfInitValid,
    RfInitRow,
    RfInitCol,
    /// Number of the block.
    RfInitBlock,
    RfInitData,
    /// Strap of a cell.
    IoCell,
    /// Answer of the input buffer of a column.
    IoInData,
}

/// All input ports, with their names in a map.
const NAMES: [(InputPort, &str); 17] = {
    use InputPort as P;
    [
        (P::ProgValid, "prog_valid"),
        (P::ProgInstr, "prog_instr"),
        (P::ProgImm, "prog_imm"),
        (P::ProgRowSel, "prog_row_sel"),
        (P::ProgColSel, "prog_col_sel"),
        (P::SramInitValid, "sram_init_valid"),
        (P::SramInitRow, "sram_init_row"),
        (P::SramInitCol, "sram_init_col"),
        (P::SramInitAddr, "sram_init_addr"),
        (P::SramInitData, "sram_init_data"),
        (P::RfInitValid, "rf_init_valid"),
        (P::RfInitRow, "rf_init_row"),
        (P::RfInitCol, "rf_init_col"),
        (P::RfInitBlock, "rf_init_block"),
        (P::RfInitData, "rf_init_data"),
        (P::IoCell, "io_cell"),
        (P::IoInData, "io_in_data"),
    ]
};

impl InputPort {
    /// The groups of ports that load something; the first port of each is the valid bit.
    pub(crate) fn groups() -> impl Iterator<Item = [Self; 5]> {
        let (groups, _) = NAMES.as_chunks();
        groups.iter().take(3).map(|group| group.map(|(port, _)| port))
    }

    /// Name in a map.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The port with a name.
    ///
    /// # Errors
    /// If there is no such port; the error lists the names.
    pub(super) fn from_name(name: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(_, known)| *known == name);
        found.map(|(port, _)| *port).ok_or_else(|| NAMES.map(|(_, known)| known).join(", "))
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

/// The ports that a waveform shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedPorts {
    /// Input ports, with an expression for each unit that has such a port (a single expression for ports of the fabric
    /// as a whole).
    pub inputs: BTreeMap<InputPort, Vec<Expression>>,
    /// Output ports in the same way.
    pub outputs: BTreeMap<PortId, Vec<Expression>>,
    /// Ports of the map, and signals between blocks, that are missing from the waveform: name and path without signal.
    pub lacking: Vec<(String, String)>,
    /// Cycles from a word to its immediate flag, by index of the cell.
    pub flag_delays: Vec<u32>,
}

impl MappedPorts {
    /// An input port of the fabric; `None` if the map or the waveform does not have it.
    pub fn input(&self, port: InputPort) -> Option<&Expression> {
        self.inputs.get(&port)?.first()
    }
}
