// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bench`: the speed table.

use std::io::Write;

use drra_lockstep::Design;
use serde_json::json;
use tabled::builder::Builder;
use tabled::settings::Alignment;
use tabled::settings::Modify;
use tabled::settings::object::Columns;

use super::Exit;
use super::args::BenchArgs;
use super::console::stdout;
use super::error::CommandError;
use super::error::tool;
use crate::GEOMETRY;
use crate::bench;

pub(super) fn run(a: &BenchArgs, design: &dyn Design) -> Result<Exit, CommandError> {
    let speeds = bench::measure(&GEOMETRY, design, a.rounds).map_err(tool)?;
    if a.json {
        let workloads: Vec<_> = speeds
            .iter()
            .map(|s| {
                json!({
                    "name": s.name,
                    "bare_cps": s.bare,
                    "golden_cps": s.golden,
                    "lockstep_cps": s.lockstep,
                    "lockstep_over_bare": s.lockstep_over_bare,
                    "golden_over_bare": s.golden_over_bare,
                    "coverage_over_lockstep": s.coverage_over_lockstep,
                })
            })
            .collect();
        writeln!(stdout(), "{}", json!({"version": 1, "workloads": workloads}))?;
        return Ok(Exit::Agreed);
    }
    let mut table = Builder::default();
    table.push_record([
        "workload",
        "cycles",
        "bare RTL c/s",
        "golden c/s",
        "lock-step c/s",
        "lock-step / bare",
        "golden / bare",
        "with coverage / without",
    ]);
    for s in &speeds {
        table.push_record([
            s.name.to_owned(),
            s.cycles.to_string(),
            format!("{:.0}", s.bare),
            format!("{:.0}", s.golden),
            format!("{:.0}", s.lockstep),
            format!("{:.2}", s.lockstep_over_bare),
            format!("{:.2}", s.golden_over_bare),
            format!("{:.2}", s.coverage_over_lockstep),
        ]);
    }
    let mut table = drra_report::fit(table.build());
    table.with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    writeln!(stdout(), "{table}")?;
    writeln!(stdout(), "medians of {} interleaved rounds", a.rounds)?;
    Ok(Exit::Agreed)
}
