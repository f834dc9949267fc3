// SPDX-License-Identifier: MIT OR Apache-2.0
//! Settings of the units of a cell: DPU, switchbox, loops, address arithmetic.

use drra_isa::{
    Opcode, Wanted,
    instructions::{
        BwConfig, DpuControl, DpuIoChange, DpuMode, RaccuMode, bw, dpu, loop_, raccu, swb,
    },
};
use rand::RngExt;

use super::product::{Classes, Product, Rule, at};

/// Mode, control, change of operands or outputs, operand width.
pub(crate) const DPU_CONFIGURATION: Product = Product {
    name: "DPU configuration",
    sizes: &[
        DpuMode::ALL.len(),
        DpuControl::ALL.len(),
        DpuIoChange::ALL.len(),
        BwConfig::ALL.len(),
    ],
    rule: Rule::Decode(Opcode::Dpu, |d| {
        let width = usize::from(d.width.code());
        Some(at([d.index(dpu::MODE), d.index(dpu::CONTROL), d.index(dpu::IO_CHANGE), width]))
    }),
    label: |k| {
        let (mode, control) = (DpuMode::ALL[k[0]], DpuControl::ALL[k[1]]);
        format!("{mode}, {control}, {}, {}", DpuIoChange::ALL[k[2]], BwConfig::ALL[k[3]])
    },
    recipe: |k, rng| {
        vec![
            Wanted::new(Opcode::Bw, &[(bw::CONFIG, k[3] as u64)]),
            Wanted::new(
                Opcode::Dpu,
                &[
                    (dpu::MODE, k[0] as u64),
                    (dpu::CONTROL, k[1] as u64),
                    (dpu::IO_CHANGE, k[2] as u64),
                    (dpu::ACC_CLEAR, rng.random_range(0..256)),
                ],
            ),
        ]
    },
};

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

/// Numbers of iterations.
const ITERATIONS: Classes = Classes { limits: &[1, 2], top: 9 };

/// Loop slots of a cell.
const SLOTS: usize = 4;

/// Slot, active loops in other slots, iterations.
pub(crate) const LOOPS: Product = Product {
    name: "loops",
    sizes: &[SLOTS, SLOTS, 3],
    rule: Rule::Decode(Opcode::Loop, |d| {
        let slot = d.get(loop_::LOOPID);
        let iterations = ITERATIONS.of(d.get(loop_::ITER));
        Some(at([slot as usize, d.other_loops(slot), iterations]))
    }),
    label: |k| {
        let iter = ["skipped", "once", "several times"][k[2]];
        format!("slot {}, {} others active, {iter}", k[0], k[1])
    },
    recipe: |k, rng| {
        // Slots that end where no program gets by itself stay active.
        let slot = |slot: usize, iter| {
            let fields = [(loop_::LOOPID, slot as u64), (loop_::ENDPC, 63), (loop_::ITER, iter)];
            Wanted::new(Opcode::Loop, &fields)
        };
        let others = (0..SLOTS).filter(|s| *s != k[0]).take(k[1]);
        let mut all: Vec<Wanted> = others.map(|s| slot(s, 3)).collect();
        all.push(slot(k[0], ITERATIONS.draw(k[2], rng)));
        all
    },
};

/// Mode, kinds of both operands.
pub(crate) const RACCU: Product = Product {
    name: "RACCU",
    sizes: &[RaccuMode::ALL.len(), 2, 2],
    rule: Rule::Decode(Opcode::Raccu, |d| {
        let kinds = [raccu::OPERAND1_SD, raccu::OPERAND2_SD].map(|field| d.index(field));
        Some(at([d.index(raccu::MODE), kinds[0], kinds[1]]))
    }),
    label: |k| {
        let kind = ["literal", "register"];
        format!("mode {}, {} and {}", k[0], kind[k[1]], kind[k[2]])
    },
    recipe: |k, rng| {
        let fields = [
            (raccu::MODE, k[0] as u64),
            (raccu::OPERAND1_SD, k[1] as u64),
            (raccu::OPERAND2_SD, k[2] as u64),
            (raccu::OPERAND1, rng.random_range(0..128)),
            (raccu::OPERAND2, rng.random_range(0..128)),
        ];
        vec![Wanted::new(Opcode::Raccu, &fields)]
    },
};
