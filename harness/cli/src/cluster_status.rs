// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra cluster status`: progress and failures of a submitted campaign.

use std::collections::BTreeMap;

use drra_campaign::{Tally, journal};
use drra_report::{
    summary::{Summary, Timing},
    table,
};
use serde::{Deserialize, Serialize};

use super::args::StatusArgs;
use crate::command_prelude::*;

/// Name of the file that describes the submission, in the folder of the campaign.
pub(super) const FILE_NAME: &str = "cluster.json";

/// A submission.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Submitted {
    /// Version of the format.
    pub(super) version: u32,
    /// Number of shards; the folder of shard I is `shards/I`.
    pub(super) shards: u64,
}

/// Progress of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The shard has its final summary.
    Complete,
    /// The shard has cases, but no final summary.
    Incomplete,
    /// The shard has no journal.
    NotStarted,
}

impl State {
    fn of(folder: &Path) -> Result<Self, CommandError> {
        let path = folder.join("summary.json");
        match std::fs::read_to_string(&path) {
            Ok(text) => match Summary::parse(&text) {
                Ok(summary) if !summary.timing.interrupted => Ok(Self::Complete),
                Ok(_) => Ok(Self::Incomplete),
                Err(e) => Err(file(
                    &path,
                    e,
                    "delete the file; the shard writes it again when it is resumed",
                )),
            },
            Err(_) if journal::is_begun(folder) => Ok(Self::Incomplete),
            Err(_) => Ok(Self::NotStarted),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Incomplete => "incomplete",
            Self::NotStarted => "not started",
        }
    }
}

pub(super) fn run(a: &StatusArgs) -> Result<Exit, CommandError> {
    let shards = submitted(&a.folder)?.shards;
    let folder = |shard: u64| a.folder.join("shards").join(shard.to_string());
    let states: Vec<(u64, State)> = (1..=shards)
        .map(|shard| State::of(&folder(shard)).map(|state| (shard, state)))
        .collect::<Result<_, _>>()?;
    if a.unfinished {
        let unfinished = states.iter().filter(|(_, state)| *state != State::Complete);
        let numbers: Vec<String> = unfinished.map(|(shard, _)| shard.to_string()).collect();
        say!("{}", numbers.join(","))?;
        return Ok(Exit::Agreed);
    }
    let mut rows = Vec::new();
    let mut failures: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (shard, state) in states {
        let mut counts = [0; 3];
        if state != State::NotStarted {
            let (outline, tally) = Tally::read(&folder(shard))?;
            let summary = tally.figures(&outline.header, Timing::default());
            counts = [summary.cases, summary.failed, summary.cycles];
            for found in summary.failures {
                let (first, count) =
                    failures.entry(found.signature).or_insert((found.first_case, 0));
                *first = found.first_case.min(*first);
                *count += found.count;
            }
        }
        let [cases, failed, cycles] = counts.map(|number| number.to_string());
        rows.push(vec![shard.to_string(), state.text().to_owned(), cases, failed, cycles]);
    }
    let names = ["shard", "state", "cases", "failed", "cycles"];
    write!(stdout(), "{}", table(&names, rows, [0, 2, 3, 4]))?;
    for (failure, (first, count)) in &failures {
        say!("{failure}: {count} cases, first case {first}")?;
    }
    Ok(if failures.is_empty() { Exit::Agreed } else { Exit::Mismatch })
}

/// Reads the submission in a folder.
fn submitted(folder: &Path) -> Result<Submitted, CommandError> {
    let path = folder.join(FILE_NAME);
    let remedy = "give the folder that was given to drra cluster slurm with --out";
    let text = std::fs::read_to_string(&path).map_err(|e| file(&path, e, remedy))?;
    let submitted: Submitted = serde_json::from_str(&text).map_err(|e| file(&path, e, remedy))?;
    match submitted.version {
        1 => Ok(submitted),
        other => Err(file(&path, format!("unknown version {other}"), remedy)),
    }
}
