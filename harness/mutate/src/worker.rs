// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worker processes of `drra mutate`: each runs mutants of its model until a case kills them.
//!
//! Each line of standard input is a [`MutantTask`]. Standard output gets a [`WorkerLine`] when a case of a campaign
//! begins, when a difference is seen, and for the result. The parent process supervises the worker, because a mutant
//! can crash the model or hang.

use std::{
    collections::HashMap,
    io::{BufRead, Write},
    path::Path,
};

use drra_campaign::{CampaignCases, shrink};
use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::RunSetup;
use serde::{Deserialize, Serialize};

use crate::{MutateError, error::tool, schemata};

/// A mutant to be killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutantTask {
    /// Position of the mutant in the list from which the model was written, from 1 on; 0 means the original.
    pub slot: usize,
    /// The cases to run.
    pub work: TaskCases,
}

/// The cases of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskCases {
    /// The cases of the campaign from `first` up to but not including `end`, until one kills the mutant.
    Campaign { first: u64, end: u64 },
    /// The case of a file.
    File(String),
}

/// A line of output of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkerLine {
    /// A case begins.
    Begins(u64),
    /// A case differs; the result follows when the signature of the failure is known.
    Differs { case: u64, cycle: u64 },
    /// Result: a case differs; `path` is the first register or port that differs, or the violated assertion.
    Killed { case: u64, cycle: u64, path: Option<String>, signature: String },
    /// Result: no case differs.
    Survived,
}

/// Number of cases that are kept, so that they are not generated again for every mutant.
const KEPT: u64 = 4000;

/// Runs the tasks on standard input. `new_cases` makes the cases of the campaign, and `read` reads the file of a case.
///
/// # Errors
/// If a task cannot be read, a case cannot be read or run, or standard output is closed.
pub fn serve<E: From<MutateError>>(
    new_cases: &dyn Fn() -> CampaignCases,
    directed: bool,
    setup: &RunSetup<'_>,
    read: &dyn Fn(&Path) -> Result<Case, E>,
) -> Result<(), E> {
    let mut kept: HashMap<u64, Case> = HashMap::new();
    // Created on first use, because the creation runs cases on the golden model.
    let mut cases = None;
    let mut of_campaign = |number: u64| {
        if let Some(case) = kept.get(&number) {
            return case.clone();
        }
        let cases = cases.get_or_insert_with(new_cases);
        let case: Case = if directed { cases.case(number) } else { cases.undirected(number) };
        if number < KEPT {
            kept.insert(number, case.clone());
        }
        case
    };
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(tool)?;
        let task: MutantTask = serde_json::from_str(&line).map_err(tool)?;
        choose(task.slot);
        setup.design.renew();
        let differs = match &task.work {
            TaskCases::File(path) => differs(&read(Path::new(path))?, 0, setup)?,
            TaskCases::Campaign { first, end } => {
                let mut differ = false;
                for number in *first..*end {
                    say(&WorkerLine::Begins(number))?;
                    differ = differs(&of_campaign(number), number, setup)?;
                    if differ {
                        break;
                    }
                }
                differ
            }
        };
        if !differs {
            say(&WorkerLine::Survived)?;
        }
    }
    Ok(())
}

/// Selects the mutant for the models that are created from now on.
fn choose(slot: usize) {
    // SAFETY: `set_var` asks that no other thread uses the environment meanwhile. A worker starts no other thread, and
    // [`serve`] calls this before a task, while no simulator evaluates a model.
    unsafe { std::env::set_var(schemata::VARIABLE, slot.to_string()) };
}

fn say(line: &WorkerLine) -> Result<(), MutateError> {
    let mut out = std::io::stdout().lock();
    let line = serde_json::to_string(line).map_err(tool)?;
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(tool)
}

/// Runs a case and reports a difference; returns true if there is one.
fn differs(case: &Case, number: u64, setup: &RunSetup<'_>) -> Result<bool, MutateError> {
    let mut outcome = drra_lockstep::run(case, setup).map_err(tool)?;
    let Some(mismatch) = outcome.mismatch.clone() else { return Ok(false) };
    say(&WorkerLine::Differs { case: number, cycle: mismatch.cycle })?;
    let path = Some(shrink::expect(&mismatch).path);
    let failing = signature::failing(case, setup, &mut outcome).map_err(tool)?;
    let signature = failing.map(|f| f.signature).unwrap_or_default();
    say(&WorkerLine::Killed { case: number, cycle: mismatch.cycle, path, signature })?;
    Ok(true)
}
