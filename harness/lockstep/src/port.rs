// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparison of the output ports (chapter 5, 5.5; chapter 7, A4). They are functions of registers that agree;
//! here the functions are compared, in every cycle: addresses, data and masks of the I/O ports are 0 in a
//! column without an access.

use std::fmt;

use drra_golden::{BufferWrite, Fabric};
use drra_isa::{CellId, ColumnId, Geometry, Unit, fabric::PortId, ports::ZERO_BLOCK};

use crate::value::Value;

/// Status outputs of the current cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
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
}

/// An output port that differs between the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortDifference {
    /// The port.
    pub port: PortId,
    /// Its column, for ports that each column has.
    pub column: Option<ColumnId>,
    /// Value of the golden model.
    pub golden: Value,
    /// Value of the design.
    pub dut: Value,
}

impl PortDifference {
    /// The unit that drives what differs: the column, the first cell that is not idle on one side alone, else
    /// the fabric.
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

/// Ports that differ in the current cycle; of a design there are the status outputs, the request to the input
/// buffer of a column, and the write to its output buffer. `all_zero`: every address, data and mask of the
/// design is 0 in this cycle.
#[inline]
pub(crate) fn differing_ports(
    golden: &Fabric,
    theirs: Outputs,
    all_zero: bool,
    io_in_addr: impl Fn(ColumnId) -> u32,
    io_out: impl Fn(ColumnId) -> BufferWrite,
) -> Vec<PortDifference> {
    let mut found = Found { golden, all: Vec::new() };
    let ours = golden.status();
    found.compare(PortId::CellIdle, None, &[ours.cell_idle], &[theirs.cell_idle]);
    found.compare(PortId::AllIdle, None, &[ours.all_idle.into()], &[theirs.all_idle.into()]);
    found.compare(PortId::AguBusy, None, &[ours.agu_busy.into()], &[theirs.agu_busy.into()]);

    let reads = golden.buffer_reads().fold(0, |m, read| m | 1 << read.column.col());
    let writes = golden.buffer_writes().fold(0, |m, write| m | 1 << write.column.col());
    let still = all_zero && reads == 0 && writes == 0;
    if !still {
        found.compare_reads(io_in_addr);
    }
    found.compare_enables(PortId::IoInEn, reads, theirs.io_in_en);
    if !still {
        found.compare_writes(io_out);
    }
    found.compare_enables(PortId::IoOutEn, writes, theirs.io_out_en);
    found.all
}

struct Found<'a> {
    golden: &'a Fabric,
    all: Vec<PortDifference>,
}

impl Found<'_> {
    #[inline]
    fn compare(&mut self, port: PortId, column: Option<ColumnId>, ours: &[u64], theirs: &[u64]) {
        if ours != theirs {
            let width = port.info().width.bits(self.golden.geometry(), 0);
            let value = |words: &[u64]| Value::new(words.to_vec(), width);
            let (golden, dut) = (value(ours), value(theirs));
            self.all.push(PortDifference { port, column, golden, dut });
        }
    }

    /// Compares the addresses to the input buffers of all columns.
    fn compare_reads(&mut self, theirs: impl Fn(ColumnId) -> u32) {
        let golden = self.golden;
        let mut reads = golden.buffer_reads().peekable();
        for column in ColumnId::all(golden.geometry()) {
            let ours = reads.next_if(|read| read.column == column).map_or(0, |read| read.addr);
            let theirs = theirs(column);
            self.compare(PortId::IoInAddr, Some(column), &[ours.into()], &[theirs.into()]);
        }
    }

    /// Compares addresses, data and masks to the output buffers of all columns.
    fn compare_writes(&mut self, theirs: impl Fn(ColumnId) -> BufferWrite) {
        let golden = self.golden;
        let mut writes = golden.buffer_writes().peekable();
        for column in ColumnId::all(golden.geometry()) {
            let none = || BufferWrite { column, addr: 0, data: ZERO_BLOCK, mask: 0 };
            let ours = writes.next_if(|write| write.column == column).unwrap_or_else(none);
            let (theirs, at) = (theirs(column), Some(column));
            self.compare(PortId::IoOutAddr, at, &[ours.addr.into()], &[theirs.addr.into()]);
            self.compare(PortId::IoOutData, at, &ours.data, &theirs.data);
            self.compare(PortId::IoOutMask, at, &[ours.mask.into()], &[theirs.mask.into()]);
        }
    }

    /// Compares a port of one bit in each column; bit c of the masks is column c.
    fn compare_enables(&mut self, port: PortId, ours: u32, theirs: u32) {
        if ours != theirs {
            for column in ColumnId::all(self.golden.geometry()) {
                let bit = |mask: u32| u64::from(mask >> column.col() & 1);
                self.compare(port, Some(column), &[bit(ours)], &[bit(theirs)]);
            }
        }
    }
}
