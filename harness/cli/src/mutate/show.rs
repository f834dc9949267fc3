// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the results of a run of mutants.

use std::{
    fs,
    io::{Write, stdout},
    path::Path,
};

use drra_mutate::{
    Summary,
    record::{Found, Plan, Record},
    summary::Counts,
};
use tabled::{
    builder::Builder,
    settings::{Alignment, Modify, object::Columns},
};

use crate::error::{CommandError, file, tool};

/// Saved cases that find their fault elsewhere than they say, or not at all.
pub(super) fn elsewhere(plan: &Plan, records: &[Record]) -> Result<Vec<String>, CommandError> {
    let mut all = Vec::new();
    let cases = plan.saved.iter().flatten();
    for (case, mutant) in cases.zip(&plan.mutants) {
        let path = Path::new(case);
        let text = fs::read_to_string(path).map_err(|e| file(path, e, "restore the case"))?;
        let stored: serde_json::Value = serde_json::from_str(&text).map_err(tool)?;
        let expected = &stored["expect"];
        let found = records.iter().find_map(|r| match &r.found {
            Found::Killed(k) if r.mutant == mutant.number => Some(k),
            _ => None,
        });
        let found = found.map(|k| serde_json::json!({"cycle": k.cycle, "path": k.path}));
        if found.as_ref() != Some(expected) {
            let found = found.map_or("nothing".to_owned(), |f| f.to_string());
            all.push(format!("{case}: expects {expected}, found {found}"));
        }
    }
    Ok(all)
}

/// Prints the scores.
pub(super) fn print(summary: &Summary, folder: &Path) -> Result<(), CommandError> {
    for (name, rows) in [("block", &summary.blocks), ("operator", &summary.operators)] {
        let mut table = Builder::default();
        // Names of all blocks fit into 80 columns beside these.
        table.push_record([name, "all", "killed", "active", "never", "judged", "equal", "%"]);
        let total = Counts { name: "all".to_owned(), ..summary.total.clone() };
        for c in rows.iter().chain([&total]) {
            let counts = [c.all(), c.killed, c.activated, c.never, c.judged, c.equivalent];
            let counts = counts.map(|n| n.to_string());
            let score = format!("{:.1}", c.score());
            table.push_record([c.name.clone()].into_iter().chain(counts).chain([score]));
        }
        let mut table = drra_report::fit(table.build());
        for column in 1..8 {
            table.with(Modify::new(Columns::one(column)).with(Alignment::right()));
        }
        writeln!(stdout(), "{table}")?;
    }
    for c in &summary.cases_to_kill {
        writeln!(
            stdout(),
            "fabric {}: {} killed; cases needed: median {}, 95 % {}, 99 % {}, most {}",
            c.fabric,
            c.killed,
            c.median,
            c.p95,
            c.p99,
            c.max
        )?;
    }
    if let Some(d) = &summary.direction {
        writeln!(
            stdout(),
            "{} late mutants, {} seeds: cases needed with direction: median {}, 95 % {}; without: median {}, 95 % {}",
            d.mutants,
            d.seeds,
            d.median[0],
            d.p95[0],
            d.median[1],
            d.p95[1]
        )?;
    }
    writeln!(
        stdout(),
        "score {:.2} %: {} of {} mutants killed, {} more are proved to be equal; results in {}",
        summary.score,
        summary.total.killed,
        summary.total.all() - summary.total.equivalent,
        summary.total.equivalent,
        folder.join("index.html").display()
    )?;
    Ok(())
}
