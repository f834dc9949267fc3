// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of bare RTL, golden model and lock-step on three long workloads.

use std::time::{Duration, Instant};

use drra_case::{
    Buffers, Case, programs,
    stimulus::{Stimulus, StimulusEntry},
};
use drra_coverage::Collector;
use drra_isa::Geometry;
use drra_lockstep::{
    Comparator, Design, EndRule, GoldenRun, LockstepRun, Observer, RunSetup, StepError, run_golden,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command_prelude::*;

/// Medians of one workload; speeds are in cycles per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Speed")]
pub(crate) struct WorkloadSpeeds {
    /// `idle`, `vec_add` or `dense`.
    pub(crate) name: String,
    /// Number of cycles per round.
    pub(crate) cycles: u64,
    /// RTL with the same inputs, without comparison.
    #[serde(rename = "bare_cps")]
    pub(crate) bare: f64,
    /// Golden model only.
    #[serde(rename = "golden_cps")]
    pub(crate) golden: f64,
    /// Both sides in lock-step, with full comparison.
    #[serde(rename = "lockstep_cps")]
    pub(crate) lockstep: f64,
    /// Median of `lockstep / bare` over the rounds.
    pub(crate) lockstep_over_bare: f64,
    /// Median of `golden / bare` over the rounds.
    pub(crate) golden_over_bare: f64,
    /// Median of `lockstep with coverage / lockstep` over the rounds.
    pub(crate) coverage_over_lockstep: f64,
}

/// Number of cycles that each of the runs takes in turn.
const TURN: u64 = 512;

/// Number of cycles of the `idle` workload, and minimum for the other workloads.
const CYCLES: u64 = 20_000;

/// The workloads that fit into a fabric.
pub(super) fn cases(geometry: &Geometry) -> Vec<(&'static str, Case)> {
    let mut cases =
        vec![("idle", Case { geometry: *geometry, cycles: Some(CYCLES), ..Case::default() })];
    for name in ["vec_add", "dense"] {
        let program = programs::ALL.iter().find(|p| p.name() == name).expect("bundled program");
        if let Ok(case) = program.case(geometry) {
            cases.push((name, repeated(&case)));
        }
    }
    cases
}

/// Medians of the rounds of a workload.
pub(super) fn speed(name: &str, case: &Case, rounds: &[[f64; 4]]) -> WorkloadSpeeds {
    let cycles = case.cycles.unwrap_or(0);
    let of = |f: fn(&[f64; 4]) -> f64| median(rounds.iter().map(f).collect());
    WorkloadSpeeds {
        name: name.to_owned(),
        cycles,
        bare: cycles as f64 / of(|t| t[0]),
        golden: cycles as f64 / of(|t| t[1]),
        lockstep: cycles as f64 / of(|t| t[2]),
        lockstep_over_bare: of(|t| t[0] / t[2]),
        golden_over_bare: of(|t| t[0] / t[1]),
        coverage_over_lockstep: of(|t| t[2] / t[3]),
    }
}

/// Seconds for one case on bare RTL, golden model, lock-step, and lock-step with coverage, without the time to make the
/// models.
pub(super) fn round(case: &Case, design: &dyn Design) -> Result<[f64; 4], CommandError> {
    let mut golden = GoldenRun::new(case);
    let mut dut = design.start(case, golden.fabric.layout()).map_err(tool)?;
    let buffers = Buffers::new(case);
    let mut player = case.player();
    let mut run = LockstepRun::new(case, &RunSetup::new(design)).map_err(tool)?;
    let mut covered = LockstepRun::new(case, &RunSetup::new(design)).map_err(tool)?;
    let mut collector = Collector::new();
    collector.start(case);

    let cycles = case.cycles.unwrap_or(0);
    let mut times = [Duration::ZERO; 4];
    let mut done = 0;
    while done < cycles {
        let until = cycles.min(done + TURN);
        let start = Instant::now();
        for _ in done..until {
            dut.drive(&player.next(buffers.answers())).map_err(StepError::from).map_err(tool)?;
            dut.step().map_err(tool)?;
        }
        let bare = Instant::now();
        for _ in done..until {
            golden.step();
        }
        let alone = Instant::now();
        compared(&mut run, until, &mut ())?;
        let both = Instant::now();
        compared(&mut covered, until, &mut collector)?;
        times[0] += bare - start;
        times[1] += alone - bare;
        times[2] += both - alone;
        times[3] += both.elapsed();
        done = until;
    }
    Ok(times.map(|t| t.as_secs_f64()))
}

/// Runs in lock-step until `cycle`, with full comparison.
fn compared(
    run: &mut LockstepRun<'_>,
    cycle: u64,
    observer: &mut dyn Observer,
) -> Result<(), CommandError> {
    let mut both = (Comparator::default(), observer);
    run.run(EndRule::at(cycle), &mut both);
    match both.0.mismatch {
        None => Ok(()),
        Some(m) => Err(tool(format!("the two sides disagree in cycle {}", m.cycle))),
    }
}

/// The case with its stimulus repeated until the minimum number of cycles has passed.
fn repeated(case: &Case) -> Case {
    let period = run_golden(case, None).cycles;
    let repeats = CYCLES.div_ceil(period);
    let entries = (0..repeats)
        .flat_map(|i| {
            let later = |e: &StimulusEntry| StimulusEntry { cycle: e.cycle + i * period, ..*e };
            case.stimulus.entries().iter().map(later).collect::<Vec<_>>()
        })
        .collect();
    Case { stimulus: Stimulus::new(entries), cycles: Some(repeats * period), ..case.clone() }
}

/// The median.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
