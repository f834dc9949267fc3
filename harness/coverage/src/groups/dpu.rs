// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations of the DPU.

use drra_isa::{
    Opcode, Wanted,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode, bw, dpu},
};
use rand::RngExt;

use super::product::{Product, Rule, at};

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
