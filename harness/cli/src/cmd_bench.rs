// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bench`: the speed tables.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use drra_case::output;
use drra_lockstep::Design;
use tabled::{
    builder::Builder,
    settings::{Alignment, Modify, object::Columns},
};

use super::{
    Exit,
    args::BenchArgs,
    build::Build,
    console::{note, stdout},
    error::{CommandError, file, tool},
};
use crate::bench::{self, CampaignSpeed, Change, LIMIT, Measurement, Speed};

pub(super) fn run(a: &BenchArgs, design: &dyn Design, build: &Build) -> Result<Exit, CommandError> {
    // Read first: what cannot be compared is not measured.
    let earlier = a.against.as_deref().map(|path| read(path, build)).transpose()?;
    let measured =
        bench::measure(design.sizes().unwrap_or(build.sizes), design, a.rounds).map_err(tool)?;
    let text = serde_json::to_string(&measured).map_err(tool)? + "\n";
    if a.json {
        write!(stdout(), "{text}")?;
    } else {
        writeln!(stdout(), "{}", workloads(&measured.workloads))?;
        writeln!(stdout(), "{}", campaign(&measured.campaign))?;
        let rounds = a.rounds;
        writeln!(
            stdout(),
            "medians of {rounds} interleaved rounds; kHz: thousands of cycles per second"
        )?;
    }
    if let (Some(path), Some(earlier)) = (&a.against, &earlier) {
        let changes = measured.against(earlier);
        if !a.json {
            writeln!(stdout(), "{}", compared(&changes))?;
        }
        for change in changes.iter().filter(|change| change.is_slower()) {
            let percent = -100.0 * change.gain();
            note!("warning: {} is {percent:.0} % lower than in {}", change.name, path.display());
        }
    }
    if let Some(path) = &a.out {
        let written = output::write_whole(path, text.as_bytes());
        let unwritten =
            |e| file(path, format!("cannot be written: {e}"), "check folder and rights");
        written.map_err(unwritten)?;
    }
    Ok(Exit::Agreed)
}

fn read(path: &Path, build: &Build) -> Result<Measurement, CommandError> {
    let unread = |e: io::Error| file(path, format!("cannot be read: {e}"), "check the name");
    let text = fs::read_to_string(path).map_err(unread)?;
    let earlier = Measurement::parse(&text).map_err(|e| unusable(path, e))?;
    earlier.fits(&build.usual()).map_err(|e| unusable(path, e))?;
    Ok(earlier)
}

fn unusable(path: &Path, e: bench::AgainstError) -> CommandError {
    file(path, e.to_string(), "measure again with `drra bench --out FILE`")
}

fn workloads(speeds: &[Speed]) -> String {
    let mut table = Builder::default();
    table.push_record([
        "workload",
        "bare RTL\nkHz",
        "golden\nkHz",
        "lock-step\nkHz",
        "lock-step\n/ bare",
        "golden\n/ bare",
        "coverage\non / off",
    ]);
    for s in speeds {
        table.push_record([
            s.name.clone(),
            format!("{:.1}", s.bare / 1e3),
            format!("{:.1}", s.golden / 1e3),
            format!("{:.1}", s.lockstep / 1e3),
            format!("{:.2}", s.lockstep_over_bare),
            format!("{:.2}", s.golden_over_bare),
            format!("{:.2}", s.coverage_over_lockstep),
        ]);
    }
    numbers(table)
}

fn campaign(speed: &CampaignSpeed) -> String {
    let mut table = Builder::default();
    table.push_record(["profile".to_owned(), speed.profile.clone()]);
    table.push_record(["cases/s on one core".to_owned(), format!("{:.1}", speed.cases_per_second)]);
    for of in &speed.fabrics {
        let name = format!("cases/s on {}", of.fabric);
        table.push_record([name, format!("{:.1}", of.cases_per_second)]);
    }
    table.push_record([
        "cases/s as the profile has them".to_owned(),
        format!("{:.1}", speed.weighted),
    ]);
    for share in &speed.shares {
        let name = format!("share of {}", share.stage);
        table.push_record([name, format!("{:.1} %", 100.0 * share.share)]);
    }
    numbers(table)
}

fn compared(changes: &[Change]) -> String {
    let mut table = Builder::default();
    table.push_record(["", "before", "now", "change"]);
    for change in changes {
        let digits = if change.before < 100.0 { 2 } else { 0 };
        table.push_record([
            change.name.clone(),
            format!("{:.digits$}", change.before),
            format!("{:.digits$}", change.now),
            format!(
                "{:+.0} %{}",
                100.0 * change.gain(),
                if change.is_slower() { " !" } else { "" }
            ),
        ]);
    }
    format!("{}\n! lower by more than {:.0} %", numbers(table), 100.0 * LIMIT)
}

/// A table with numbers behind its first column.
fn numbers(table: Builder) -> String {
    let mut table = drra_report::fit(table.build());
    table.with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    table.to_string()
}
