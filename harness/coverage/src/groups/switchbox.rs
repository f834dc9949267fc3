// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections of the switchbox.

use drra_isa::{Opcode, Wanted, instructions::swb};

use super::product::{Product, Rule, at};

/// Source lane, input, column of the source, row of the source. What disconnects, or names an
/// input or column that does not exist, hits no bin.
pub(crate) const SWITCHBOX: Product = Product {
    name: "switchbox",
    sizes: &[4, 6, 5, 2],
    rule: Rule::Decode(Opcode::Swb, |d| {
        let source = 2 * d.index(swb::SRC_BLOCK) + d.index(swb::SRC_PORT);
        let (input, column) = (d.index(swb::V_INDEX), d.index(swb::HB_INDEX));
        let index = at([source, input, column, d.index(swb::SEND_TO_OTHER_ROW)]);
        (input < 6 && column < 5).then_some(index)
    }),
    label: |k| {
        let source = ["rf 0", "rf 1", "dpu 0", "dpu 1"][k[0]];
        let row = ["own row", "other row"][k[3]];
        format!("{source} to input {}, {:+} columns, {row}", k[1], k[2] as i32 - 2)
    },
    recipe: |k, _| {
        let fields = [
            (swb::SRC_BLOCK, k[0] as u64 >> 1),
            (swb::SRC_PORT, k[0] as u64 & 1),
            (swb::V_INDEX, k[1] as u64),
            (swb::HB_INDEX, k[2] as u64),
            (swb::SEND_TO_OTHER_ROW, k[3] as u64),
        ];
        vec![Wanted::new(Opcode::Swb, &fields)]
    },
};
