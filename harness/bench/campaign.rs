// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated cases per second, and where their time goes.

use std::time::Duration;
use std::time::Instant;

use drra_generate::Profile;
use drra_generate::generate;
use drra_isa::Geometry;
use drra_lockstep::Design;
use drra_lockstep::Pair;
use serde::Deserialize;
use serde::Serialize;

use super::BenchError;
use super::median;
use super::workloads;

/// Profile of the cases.
const PROFILE: &str = "default";
/// Cases of a round: those of the first seeds.
const CASES: u64 = 60;

/// What takes the time of a case, in the order of [`Times`].
const STAGES: [&str; 6] =
    ["generation", "making models", "RTL", "golden model", "comparison", "coverage"];

/// Seconds of each stage, all cases of a round together.
pub(super) type Times = [f64; STAGES.len()];

/// Speed of generated cases on one core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CampaignSpeed {
    /// Profile of the cases.
    pub profile: String,
    /// Cases of one round.
    pub cases: u64,
    /// Median of the cases per second.
    pub cases_per_second: f64,
    /// Where the time goes; together 1.
    pub shares: Vec<Share>,
}

/// Share of a stage in the time of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Name of the stage.
    pub stage: String,
    /// Part of the time, 0 to 1.
    pub share: f64,
}

/// Runs the cases once.
pub(super) fn round(geometry: &Geometry, design: &dyn Design) -> Result<Times, BenchError> {
    let profile = Profile::shipped(PROFILE).expect("a profile of this name is shipped");
    let mut sum = [0.0; STAGES.len()];
    for seed in 0..CASES {
        let start = Instant::now();
        let case = generate(&profile, seed, geometry).case;
        let generated = start.elapsed();
        let start = Instant::now();
        drop(Pair::new(&case, geometry, design)?);
        let made = start.elapsed();
        let [rtl, golden, lockstep, covered] = workloads::round(&case, geometry, design)?;
        let comparison = (lockstep - rtl - golden).max(0.0);
        let coverage = (covered - lockstep).max(0.0);
        let [generated, made] = [generated, made].map(|time: Duration| time.as_secs_f64());
        let times = [generated, made, rtl, golden, comparison, coverage];
        sum.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
    }
    Ok(sum)
}

/// Medians of the rounds.
pub(super) fn speed(rounds: &[Times]) -> CampaignSpeed {
    let whole = |times: &Times| times.iter().sum::<f64>();
    let shares: Vec<f64> = (0..STAGES.len())
        .map(|stage| median(rounds.iter().map(|t| t[stage] / whole(t)).collect()))
        .collect();
    let sum: f64 = shares.iter().sum();
    CampaignSpeed {
        profile: PROFILE.to_owned(),
        cases: CASES,
        cases_per_second: median(rounds.iter().map(|t| CASES as f64 / whole(t)).collect()),
        shares: STAGES
            .iter()
            .zip(shares)
            .map(|(stage, share)| Share { stage: (*stage).to_owned(), share: share / sum })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rounds of which one is twice as slow, but for one stage: 60 cases in 6 and in 11 seconds.
    #[test]
    fn medians_of_shares_add_up() {
        let speed = speed(&[[1.0; 6], [2.0, 2.0, 2.0, 2.0, 2.0, 1.0], [1.0; 6]]);
        assert_eq!(speed.cases_per_second, 10.0);
        let sum: f64 = speed.shares.iter().map(|s| s.share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert_eq!(speed.shares[2].stage, "RTL");
        assert!((speed.shares[2].share - 1.0 / 6.0).abs() < 1e-9, "{:?}", speed.shares[2]);
    }
}
