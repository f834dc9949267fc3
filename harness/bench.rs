// SPDX-License-Identifier: MIT OR Apache-2.0
//! Speed of bare RTL, golden model and lock-step: one process, one core, interleaved rounds,
//! medians. Ratios are what counts; absolute numbers differ between machines.

use std::time::Duration;
use std::time::Instant;

use drra_isa::Geometry;

use crate::bridge::Dut;
use crate::case::Case;
use crate::environment::Environment;
use crate::golden_run::EndRule;
use crate::golden_run::GoldenRun;
use crate::lockstep;
use crate::programs;
use crate::stimulus::PortCycle;
use crate::stimulus::Stimulus;

/// Medians of one workload, in cycles per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// `idle`, `vec_add` or `dense`.
    pub name: &'static str,
    /// Cycles of one round.
    pub cycles: u64,
    /// RTL clocked with the same inputs, nothing compared.
    pub bare: f64,
    /// Golden model alone.
    pub golden: f64,
    /// Both in lock-step, everything compared.
    pub lockstep: f64,
}

/// Cycles of the `idle` workload, and least cycles of the others.
const CYCLES: u64 = 20_000;

/// Measures all workloads that fit into the fabric of this build.
///
/// # Errors
/// If the two sides disagree.
pub fn measure(geometry: &Geometry, rounds: u32) -> Result<Vec<Speed>, String> {
    let mut cases = vec![("idle", Case { cycles: Some(CYCLES), ..Case::default() })];
    for name in ["vec_add", "dense"] {
        let program = programs::ALL.iter().find(|p| p.name() == name).expect("bundled program");
        if let Ok(case) = program.case() {
            cases.push((name, repeated(&case, geometry)));
        }
    }
    let mut times = vec![[Vec::new(), Vec::new(), Vec::new()]; cases.len()];
    for _ in 0..rounds {
        for ((_, case), [bare, golden, both]) in cases.iter().zip(&mut times) {
            bare.push(bare_rtl(case, geometry)?);
            golden.push(golden_alone(case, geometry));
            both.push(lockstep::measure(case, geometry)?);
        }
    }
    Ok(cases
        .iter()
        .zip(times)
        .map(|((name, case), times)| {
            let cycles = case.cycles.expect("set above");
            let [bare, golden, lockstep] = times.map(|t| cycles as f64 / median(t).as_secs_f64());
            Speed { name, cycles, bare, golden, lockstep }
        })
        .collect())
}

/// A case that is loaded again whenever it has ended, until enough cycles have passed.
fn repeated(case: &Case, geometry: &Geometry) -> Case {
    let mut run = GoldenRun::new(case, geometry);
    let mut end = EndRule::new(case, None);
    while !end.ends(run.cycle, || run.quiet()) {
        run.step();
    }
    let period = run.cycle;
    let repeats = CYCLES.div_ceil(period);
    let entries = (0..repeats)
        .flat_map(|i| {
            let later = |e: &PortCycle| PortCycle { cycle: e.cycle + i * period, ..*e };
            case.stimulus.entries().iter().map(later).collect::<Vec<_>>()
        })
        .collect();
    Case { stimulus: Stimulus::new(entries), cycles: Some(repeats * period), ..case.clone() }
}

fn bare_rtl(case: &Case, geometry: &Geometry) -> Result<Duration, String> {
    let failed = |f: crate::bridge::AssertionFailure| format!("assertion at {}", f.place);
    let mut dut = Dut::new(case.seed, case.straps(geometry)).map_err(failed)?;
    let environment = Environment::new(geometry.cols, &case.input_buffers);
    let mut player = case.stimulus.player();
    let start = Instant::now();
    for _ in 0..case.cycles.unwrap_or(0) {
        dut.step(&player.next(environment.answers())).map_err(failed)?;
    }
    Ok(start.elapsed())
}

fn golden_alone(case: &Case, geometry: &Geometry) -> Duration {
    let mut run = GoldenRun::new(case, geometry);
    let start = Instant::now();
    for _ in 0..case.cycles.unwrap_or(0) {
        run.step();
    }
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
