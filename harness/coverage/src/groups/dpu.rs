// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations of the DPU, and saturation of its results.

use drra_isa::Opcode;
use drra_isa::Saturation;
use drra_isa::Wanted;
use drra_isa::instructions::BwConfig;
use drra_isa::instructions::DpuControl;
use drra_isa::instructions::DpuIoChange;
use drra_isa::instructions::DpuMode;
use drra_isa::instructions::bw;
use drra_isa::instructions::dpu;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::product::Product;
use super::product::Rule;
use super::product::at;
use crate::group::Bins;
use crate::observed::Observed;
use crate::observed::Source;

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

/// Numbers of lanes with which a mode that works on lanes saturates.
const LANES: [&str; 3] = ["one lane", "two lanes", "four lanes"];

/// Position in [`LANES`].
fn lanes(width: BwConfig) -> usize {
    match width {
        BwConfig::Int16 | BwConfig::Fx16 => 0,
        BwConfig::Int8 => 1,
        BwConfig::Int4 => 2,
    }
}

/// Saturation: modes whose lanes saturate, each with each number of lanes; then modes whose 16-bit
/// word saturates. It takes certain operands, so that cases cannot be directed at it.
pub(crate) struct Saturated {
    /// First bin of each mode that can saturate, with what saturates.
    modes: Vec<(DpuMode, Saturation, usize)>,
}

impl Saturated {
    /// The group, from the table of modes.
    pub(crate) fn new() -> Self {
        let mut modes = Vec::new();
        let mut first = 0;
        for (kind, bins) in [(Saturation::Lane, LANES.len()), (Saturation::Word, 1)] {
            for &mode in DpuMode::ALL.iter().filter(|m| m.info().saturation() == kind) {
                modes.push((mode, kind, first));
                first += bins;
            }
        }
        Self { modes }
    }
}

impl Bins for Saturated {
    fn name(&self) -> String {
        "DPU saturation".to_owned()
    }

    fn labels(&self) -> Vec<String> {
        let of = |(mode, kind, _): &(DpuMode, Saturation, usize)| match kind {
            Saturation::None => Vec::new(),
            Saturation::Lane => LANES.map(|l| format!("{mode} saturates, {l}")).to_vec(),
            Saturation::Word => vec![format!("{mode} saturates")],
        };
        self.modes.iter().flat_map(of).collect()
    }

    fn source(&self) -> Source {
        Source::Saturation
    }

    fn hit(&self, seen: &Observed<'_>, note: &mut dyn FnMut(usize)) {
        let Observed::Saturation(mode, width) = seen else { return };
        match self.modes.iter().find(|(m, ..)| m == mode) {
            Some((_, Saturation::Lane, first)) => note(first + lanes(*width)),
            Some((_, Saturation::Word, first)) => note(*first),
            Some((_, Saturation::None, _)) | None => {}
        }
    }

    fn is_directed(&self) -> bool {
        false
    }

    fn recipe(&self, _bin: usize, _rng: &mut ChaCha8Rng) -> Vec<Wanted> {
        Vec::new()
    }
}
