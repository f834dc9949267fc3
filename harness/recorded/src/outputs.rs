// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output ports of a recorded design, as far as the map has them.

use drra_golden::Fabric;
use drra_isa::ColumnId;
use drra_lockstep::{PortDifference, Value, port_words};

use crate::{Bits, plan::Plan};

/// The ports that differ.
pub(crate) fn differing_ports(plan: &Plan, shown: &[Bits], golden: &Fabric) -> Vec<PortDifference> {
    let mut found = Vec::new();
    for (place, bits) in plan.ports.iter().zip(shown) {
        let column = place.column.and_then(ColumnId::new);
        let dut = Value::from(bits);
        let golden = Value::new(port_words(golden, place.port, column).to_vec(), dut.width());
        if golden != dut {
            found.push(PortDifference { port: place.port, column, golden, dut });
        }
    }
    found
}

impl From<&Bits> for Value {
    fn from(bits: &Bits) -> Self {
        Self::with_unknown(bits.words().to_vec(), bits.unknown_words().to_vec(), bits.width())
    }
}
