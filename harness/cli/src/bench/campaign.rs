// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated cases per second, and the time of each stage.

use std::time::{Duration, Instant};

use drra_generate::{Profile, generate};
use drra_isa::Geometry;
use drra_lockstep::{Design, LockstepRun, RunSetup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::workloads::{self, median};
use crate::command_prelude::*;

/// Profile of the cases.
const PROFILE: &str = "default";
/// Number of cases per round; their seeds start at 0.
const CASES: u64 = 60;

/// Stages of a case, in the order of [`StageTimes`]. The fifth stage is the additional time that a lock-step run takes
/// beyond both models: packing the registers of the golden model, comparing, and playing the stimulus.
const STAGES: [&str; 6] =
    ["generation", "making models", "RTL", "golden model", "comparison and stimulus", "coverage"];

/// Seconds of each stage, for all cases of a round.
pub(super) type StageTimes = [f64; STAGES.len()];

/// Speed of generated cases on one core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CampaignSpeed {
    /// Profile of the cases.
    pub(crate) profile: String,
    /// Number of cases per round.
    pub(crate) cases: u64,
    /// Median of the cases per second on the first fabric size.
    pub(crate) cases_per_second: f64,
    /// Shares of the stages on the first fabric size; their sum is 1.
    pub(crate) shares: Vec<StageShare>,
    /// Speed on each fabric size of the program.
    #[serde(default)]
    pub(crate) fabrics: Vec<FabricSpeed>,
    /// Cases per second of a campaign, from the medians of all sizes, weighted as in the profile.
    #[serde(default)]
    pub(crate) weighted: f64,
}

/// Speed of generated cases on a fabric size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FabricSpeed {
    /// Fabric size, such as `8x2`.
    pub(crate) fabric: String,
    /// Median of the cases per second.
    pub(crate) cases_per_second: f64,
}

/// A stage's share of the time of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Share")]
pub(crate) struct StageShare {
    /// Name of the stage.
    pub(crate) stage: String,
    /// Fraction of the time, from 0 to 1.
    pub(crate) share: f64,
}

/// Runs the cases once on a fabric of this size, and adds up the times of each stage.
pub(super) fn round(geometry: &Geometry, design: &dyn Design) -> Result<StageTimes, CommandError> {
    let profile = Profile::shipped(PROFILE).expect("a profile with this name is bundled");
    let mut sum = [0.0; STAGES.len()];
    for seed in 0..CASES {
        let start = Instant::now();
        let case = generate(&profile, seed, geometry).case;
        let generated = start.elapsed();
        let start = Instant::now();
        drop(LockstepRun::new(&case, &RunSetup::new(design)).map_err(tool)?);
        let made = start.elapsed();
        let [rtl, golden, lockstep, covered] = workloads::round(&case, design)?;
        let comparison = (lockstep - rtl - golden).max(0.0);
        let coverage = (covered - lockstep).max(0.0);
        let [generated, made] = [generated, made].map(|time: Duration| time.as_secs_f64());
        let times = [generated, made, rtl, golden, comparison, coverage];
        sum.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
    }
    Ok(sum)
}

/// Seconds of all stages.
fn whole(times: &StageTimes) -> f64 {
    times.iter().sum()
}

/// Median of the cases per second over the rounds.
fn per_second(rounds: &[StageTimes]) -> f64 {
    median(rounds.iter().map(|t| CASES as f64 / whole(t)).collect())
}

/// Medians of the rounds; the cases per second and the shares of the stages are those of the first size.
pub(super) fn speed(rounds: &[(Geometry, Vec<StageTimes>)]) -> CampaignSpeed {
    let speeds: Vec<(Geometry, f64)> =
        rounds.iter().map(|(size, rounds)| (*size, per_second(rounds))).collect();
    let usual = rounds.first().map(|(_, rounds)| &rounds[..]).unwrap_or_default();
    let share = |stage: usize| median(usual.iter().map(|t| t[stage] / whole(t)).collect());
    let shares: Vec<f64> = (0..STAGES.len()).map(share).collect();
    let sum: f64 = shares.iter().sum();
    let shares = STAGES.into_iter().zip(shares);
    let fabrics = speeds.iter();
    CampaignSpeed {
        profile: PROFILE.to_owned(),
        cases: CASES,
        cases_per_second: per_second(usual),
        shares: shares
            .map(|(stage, share)| StageShare { stage: stage.into(), share: share / sum })
            .collect(),
        fabrics: fabrics
            .map(|(size, speed)| FabricSpeed { fabric: size.to_string(), cases_per_second: *speed })
            .collect(),
        weighted: weighted(&speeds),
    }
}

/// Cases per second of a campaign, with the sizes weighted as in the profile.
fn weighted(speeds: &[(Geometry, f64)]) -> f64 {
    let sizes: Vec<Geometry> = speeds.iter().map(|(size, _)| *size).collect();
    let profile = Profile::shipped(PROFILE).expect("a profile with this name is bundled");
    let Ok(profile) = profile.on(&sizes) else { return 0.0 };
    let seconds = speeds.iter().map(|(size, speed)| profile.fabrics.share(size) / speed);
    1.0 / seconds.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rounds, one of which is twice as slow except in one stage: 60 cases take 6, 11 and 6 seconds.
    #[test]
    fn medians_of_shares_add_up() {
        let rounds = vec![[1.0; 6], [2.0, 2.0, 2.0, 2.0, 2.0, 1.0], [1.0; 6]];
        let small = "2x1".parse().unwrap();
        let speed = speed(&[(Geometry::default(), rounds), (small, vec![[0.1; 6]; 3])]);
        assert_eq!(speed.cases_per_second, 10.0);
        let fabrics = speed.fabrics.iter().map(|f| (f.fabric.as_str(), f.cases_per_second.round()));
        assert_eq!(fabrics.collect::<Vec<_>>(), [("8x2", 10.0), ("2x1", 100.0)]);
        assert!((10.0..100.0).contains(&speed.weighted), "{}", speed.weighted);
        let sum: f64 = speed.shares.iter().map(|s| s.share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert_eq!(speed.shares[2].stage, "RTL");
        assert!((speed.shares[2].share - 1.0 / 6.0).abs() < 1e-9, "{:?}", speed.shares[2]);
    }
}
