// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison of the output ports (chapter 5, 5.5; chapter 7, A4). The ports are functions of the registers; comparing
//! the ports checks these functions even where all registers agree. Addresses, data and masks of the I/O ports are 0 in
//! a column without an access.

use std::fmt;

use drra_fabric::{
    PortId,
    ports::{Block, ZERO_BLOCK},
};
use drra_golden::{BufferWrite, Fabric};
use drra_isa::{CellId, ColumnId, Geometry, Unit};

use crate::value::Value;

/// Status outputs of the current cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatusOutputs {
    /// Bit r*columns+c: the sequencer of cell (r,c) is in IDLE.
    pub cell_idle: u64,
    /// All cells are idle and no program word is in flight.
    pub all_idle: bool,
    /// Some address generator is active.
    pub agu_busy: bool,
    /// Bit c: a request to the input buffer of column c.
    pub io_in_en: u32,
    /// Bit c: a write to the output buffer of column c.
    pub io_out_en: u32,
    /// True only if all addresses, data and masks for the buffers are 0. A design that returns true saves the
    /// comparison of each of these ports.
    pub still: bool,
}

/// The output ports of a design, as of the current cycle.
pub trait Ports {
    /// Status outputs.
    fn outputs(&self) -> StatusOutputs;

    /// The address at the input buffer of a column, with or without a request.
    fn io_in_addr(&self, column: ColumnId) -> u32;

    /// The ports to the output buffer of a column, with or without a write.
    fn io_out(&self, column: ColumnId) -> BufferWrite;
}

/// An output port that differs between the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortDifference {
    /// The port.
    pub port: PortId,
    /// The column of the port, for ports that every column has.
    pub column: Option<ColumnId>,
    /// Value of the golden model.
    pub golden: Value,
    /// Value of the design.
    pub dut: Value,
}

impl PortDifference {
    /// The unit that drives the port: the column, or the first cell that is idle on one side only, or else the fabric.
    pub fn unit(&self, geometry: &Geometry) -> Unit {
        let cell = || {
            let lowest = *self.golden.bits_that_differ(&self.dut).last()?;
            CellId::from_index(lowest as usize, geometry)
        };
        match (self.column, self.port) {
            (Some(column), _) => column.into(),
            (None, PortId::CellIdle) => cell().map_or(Unit::Fabric, Unit::Cell),
            (None, _) => Unit::Fabric,
        }
    }
}

/// `agu_busy`, `io_in_addr[3]`
impl fmt::Display for PortDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            None => write!(f, "{}", self.port),
            Some(column) => write!(f, "{}[{}]", self.port, column.col()),
        }
    }
}

/// The output ports in the order in which they are compared: first the ports of the fabric, then the ports of the
/// columns, group by group.
const OF_FABRIC: [PortId; 3] = [PortId::CellIdle, PortId::AllIdle, PortId::AguBusy];
const OF_COLUMNS: [&[PortId]; 4] = [
    &[PortId::IoInAddr],
    &[PortId::IoInEn],
    &[PortId::IoOutAddr, PortId::IoOutData, PortId::IoOutMask],
    &[PortId::IoOutEn],
];

/// Ports that differ in the current cycle.
#[inline]
pub fn differing_ports(golden: &Fabric, dut: &dyn Ports) -> Vec<PortDifference> {
    let ours = golden.outputs();
    if ours.still && ours == dut.outputs() {
        return Vec::new();
    }
    let geometry = golden.geometry();
    let of_columns = OF_COLUMNS.into_iter().flat_map(|group| {
        ColumnId::all(geometry).flat_map(|c| group.iter().map(move |port| (*port, Some(c))))
    });
    let differing = |(port, column): (PortId, Option<ColumnId>)| {
        let words = [port_words(golden, port, column), port_words(dut, port, column)];
        (words[0] != words[1]).then(|| {
            let width = port.info().width.bits(geometry, 0);
            let [golden, dut] = words.map(|words| Value::new(words, width));
            PortDifference { port, column, golden, dut }
        })
    };
    let of_fabric = OF_FABRIC.into_iter().map(|port| (port, None));
    of_fabric.chain(of_columns).filter_map(differing).collect()
}

/// The value of an output port, of one column if every column has the port: 64-bit words, low word first.
pub fn port_words(ports: &dyn Ports, port: PortId, column: Option<ColumnId>) -> Block {
    let outputs = ports.outputs();
    let enable = |mask: u32| column.map_or(0, |c| u64::from(mask >> c.col() & 1));
    let write = || column.map(|c| ports.io_out(c));
    let word = match port {
        PortId::CellIdle => outputs.cell_idle,
        PortId::AllIdle => outputs.all_idle.into(),
        PortId::AguBusy => outputs.agu_busy.into(),
        PortId::IoInEn => enable(outputs.io_in_en),
        PortId::IoInAddr => column.map_or(0, |c| ports.io_in_addr(c).into()),
        PortId::IoOutEn => enable(outputs.io_out_en),
        PortId::IoOutAddr => write().map_or(0, |write| write.addr.into()),
        PortId::IoOutMask => write().map_or(0, |write| write.mask.into()),
        PortId::IoOutData => return write().map_or(ZERO_BLOCK, |write| write.data),
    };
    [word, 0, 0, 0]
}

/// Addresses, data and masks are 0 in a column without an access (chapter 7, A4).
impl Ports for Fabric {
    fn outputs(&self) -> StatusOutputs {
        let status = self.status();
        let io_in_en = self.buffer_reads().fold(0, |m, read| m | 1 << read.column.col());
        let io_out_en = self.buffer_writes().fold(0, |m, write| m | 1 << write.column.col());
        StatusOutputs {
            cell_idle: status.cell_idle,
            all_idle: status.all_idle,
            agu_busy: status.agu_busy,
            io_in_en,
            io_out_en,
            still: io_in_en == 0 && io_out_en == 0,
        }
    }

    fn io_in_addr(&self, column: ColumnId) -> u32 {
        self.buffer_reads().find(|read| read.column == column).map_or(0, |read| read.addr)
    }

    fn io_out(&self, column: ColumnId) -> BufferWrite {
        let write = self.buffer_writes().find(|write| write.column == column);
        write.unwrap_or(BufferWrite { column, addr: 0, data: ZERO_BLOCK, mask: 0 })
    }
}
