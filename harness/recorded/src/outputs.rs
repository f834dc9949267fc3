// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output ports of a recorded design, as far as the map has them.

use drra_golden::Fabric;
use drra_isa::{ColumnId, fabric::PortId, ports::ZERO_BLOCK};
use drra_lockstep::{PortDifference, Value};

use crate::{Bits, plan::Plan};

/// The ports that differ.
pub(crate) fn differing_ports(plan: &Plan, shown: &[Bits], golden: &Fabric) -> Vec<PortDifference> {
    let mut found = Vec::new();
    for (place, bits) in plan.ports.iter().zip(shown) {
        let column = place.column.and_then(ColumnId::new);
        let dut = Value::from(bits);
        let golden = Value::new(value(golden, place.port, column), dut.width());
        if golden != dut {
            found.push(PortDifference { port: place.port, column, golden, dut });
        }
    }
    found
}

/// Value of a port of the golden model: addresses, data and masks are 0 in a column without an access (chapter 7,
/// A4).
fn value(golden: &Fabric, port: PortId, column: Option<ColumnId>) -> Vec<u64> {
    let status = golden.status();
    let read = || golden.buffer_reads().find(|read| Some(read.column) == column);
    let write = || golden.buffer_writes().find(|write| Some(write.column) == column);
    match port {
        PortId::CellIdle => vec![status.cell_idle],
        PortId::AllIdle => vec![status.all_idle.into()],
        PortId::AguBusy => vec![status.agu_busy.into()],
        PortId::IoInEn => vec![read().is_some().into()],
        PortId::IoInAddr => vec![read().map_or(0, |read| read.addr.into())],
        PortId::IoOutEn => vec![write().is_some().into()],
        PortId::IoOutAddr => vec![write().map_or(0, |write| write.addr.into())],
        PortId::IoOutData => write().map_or(ZERO_BLOCK, |write| write.data).to_vec(),
        PortId::IoOutMask => vec![write().map_or(0, |write| write.mask.into())],
    }
}

impl From<&Bits> for Value {
    fn from(bits: &Bits) -> Self {
        Self::with_unknown(bits.words().to_vec(), bits.unknown_words().to_vec(), bits.width())
    }
}
