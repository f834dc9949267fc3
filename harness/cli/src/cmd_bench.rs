// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bench`: tables of speeds.

use drra_case::load::read_text;
use drra_lockstep::Design;
use drra_report::table;

use super::args::BenchArgs;
use crate::bench::{self, CampaignSpeed, LIMIT, Measurement, SpeedChange, WorkloadSpeeds};
use crate::command_prelude::*;

pub(super) fn run(a: &BenchArgs, design: &dyn Design, build: &Build) -> Result<Exit, CommandError> {
    // The earlier result is read first, so that a bad file is reported before the measurement.
    let earlier = a.against.as_deref().map(|path| read(path, build)).transpose()?;
    let measured = bench::measure(design.sizes().unwrap_or(build.sizes), design, a.rounds)?;
    let text = serde_json::to_string(&measured).map_err(tool)? + "\n";
    if a.json {
        write!(stdout(), "{text}")?;
    } else {
        write!(stdout(), "{}", workloads(&measured.workloads))?;
        write!(stdout(), "{}", campaign(&measured.campaign))?;
        let rounds = a.rounds;
        say!("medians of {rounds} interleaved rounds; kHz: thousands of cycles per second")?;
    }
    if let (Some(path), Some(earlier)) = (&a.against, &earlier) {
        let changes = measured.against(earlier);
        if !a.json {
            say!("{}", compared(&changes))?;
        }
        for change in changes.iter().filter(|change| change.is_slower()) {
            let percent = -100.0 * change.gain();
            note!("warning: {} is {percent:.0} % lower than in {}", change.name, path.display());
        }
    }
    if let Some(path) = &a.out {
        save(path, &text)?;
    }
    Ok(Exit::Agreed)
}

fn read(path: &Path, build: &Build) -> Result<Measurement, CommandError> {
    let text = read_text(path).map_err(|e| file(path, e, "check the file name"))?;
    Measurement::parse(&text, &build.default_size())
        .map_err(|e| file(path, e, "measure again with `drra bench --out FILE`"))
}

fn workloads(speeds: &[WorkloadSpeeds]) -> String {
    let row = |s: &WorkloadSpeeds| {
        let speeds = [s.bare, s.golden, s.lockstep].map(|speed| format!("{:.1}", speed / 1e3));
        let ratios = [s.lockstep_over_bare, s.golden_over_bare, s.coverage_over_lockstep];
        let ratios = ratios.map(|ratio| format!("{ratio:.2}"));
        [s.name.clone()].into_iter().chain(speeds).chain(ratios).collect()
    };
    let names = [
        "workload",
        "bare RTL\nkHz",
        "golden\nkHz",
        "lock-step\nkHz",
        "lock-step\n/ bare",
        "golden\n/ bare",
        "coverage\non / off",
    ];
    table(&names, speeds.iter().map(row), 1..names.len())
}

fn campaign(speed: &CampaignSpeed) -> String {
    let number = |name: &str, value: f64| vec![name.to_owned(), format!("{value:.1}")];
    let mut rows = vec![number("cases/s on one core", speed.cases_per_second)];
    for of in &speed.fabrics {
        rows.push(number(&format!("cases/s on {}", of.fabric), of.cases_per_second));
    }
    rows.push(number("cases/s weighted as in the profile", speed.weighted));
    for share in &speed.shares {
        let name = format!("share of {}", share.stage);
        rows.push(vec![name, format!("{:.1} %", 100.0 * share.share)]);
    }
    table(&["profile", &speed.profile], rows, [1])
}

fn compared(changes: &[SpeedChange]) -> String {
    let row = |change: &SpeedChange| {
        let digits = if change.before < 100.0 { 2 } else { 0 };
        let slower = if change.is_slower() { " !" } else { "" };
        vec![
            change.name.clone(),
            format!("{:.digits$}", change.before),
            format!("{:.digits$}", change.now),
            format!("{:+.0} %{slower}", 100.0 * change.gain()),
        ]
    };
    let table = table(&["", "before", "now", "change"], changes.iter().map(row), 1..4);
    format!("{table}! lower by more than {:.0} %", 100.0 * LIMIT)
}
