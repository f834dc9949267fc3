// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed on one core: medians of rounds. Within a round, bare RTL, golden model and lock-step alternate every few
//! milliseconds, so that other load slows all of them equally. Ratios are comparable between machines; absolute numbers
//! are not.

mod against;
mod campaign;
mod workloads;

use drra_isa::{Geometry, SizeNumbers};
use drra_lockstep::Design;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use against::{LIMIT, SpeedChange};
pub(crate) use campaign::CampaignSpeed;
pub(crate) use workloads::WorkloadSpeeds;

use crate::command_prelude::*;

/// Version of the format of a [`Measurement`].
const VERSION: u32 = 1;

/// A measurement, as `drra bench --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Speeds that `drra bench` measured")]
pub(crate) struct Measurement {
    /// Version of the format.
    #[schemars(extend("const" = VERSION))]
    pub(crate) version: u32,
    /// Fabric size of the workloads.
    #[serde(with = "SizeNumbers")]
    #[schemars(with = "SizeNumbers")]
    pub(crate) fabric: Geometry,
    /// Name of the processor; empty if unknown.
    pub(crate) processor: String,
    /// The workloads that fit into the fabric.
    pub(crate) workloads: Vec<WorkloadSpeeds>,
    /// Generated cases.
    pub(crate) campaign: CampaignSpeed,
}

/// Measures the workloads that fit into the first of these fabric sizes, and generated cases on each size.
///
/// # Errors
/// If the two sides disagree, or the design cannot be run.
pub(crate) fn measure(
    sizes: &[Geometry],
    design: &dyn Design,
    rounds: u32,
) -> Result<Measurement, CommandError> {
    let default = sizes.first().copied().unwrap_or_default();
    let cases = workloads::cases(&default);
    let mut rounds_of = vec![Vec::new(); cases.len()];
    let mut campaigns: Vec<_> = sizes.iter().map(|size| (*size, Vec::new())).collect();
    for _ in 0..rounds {
        for ((_, case), done) in cases.iter().zip(&mut rounds_of) {
            done.push(workloads::round(case, design)?);
        }
        for (size, done) in &mut campaigns {
            done.push(campaign::round(size, design)?);
        }
    }
    let speeds = cases.iter().zip(&rounds_of);
    Ok(Measurement {
        version: VERSION,
        fabric: default,
        processor: processor(),
        workloads: speeds.map(|((name, case), done)| workloads::speed(name, case, done)).collect(),
        campaign: campaign::speed(&campaigns),
    })
}

/// Name of the first processor, on Linux.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(String::new, |(_, name)| name.trim().to_owned())
}
