// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worker of `drra mutate`: runs mutants of the model that it is built with, until a case kills them.
//!
//! One line of standard input is one task: the place of a mutant in its model, then either the first case
//! of the campaign and the one after the last, or the file of a case. Standard output tells each case that
//! begins, a difference as soon as it is seen, and the result ([`Line`]). The parent process watches it: a
//! mutant may crash the model, or run for ever.

use std::{
    collections::HashMap,
    io::{BufRead, Write},
    path::Path,
};

use drra_campaign::{Cases, Settings, shrink};
use drra_case::{Case, load::Extras};
use drra_diagnose::signature;
use drra_lockstep::Setup;
use drra_mutate::{
    schemata,
    worker::{Line, Task, Work},
};

use super::verdict;
use crate::{
    Exit,
    args::MutateWorkerArgs,
    build::Build,
    cmd_fuzz,
    error::{CommandError, tool},
    program,
};

/// Cases that are kept instead of being made again for every mutant.
const KEPT: u64 = 4000;

pub(crate) fn run(
    a: &MutateWorkerArgs,
    setup: &Setup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let profile = cmd_fuzz::profile(&a.profile, Some(build.usual()), build)?;
    let settings = Settings { profile, seed: a.seed, ..Settings::default() };
    let directed = !a.undirected;
    let mut worker = Worker { settings, directed, cases: None, kept: HashMap::new(), setup, build };
    for line in std::io::stdin().lock().lines() {
        let task: Task = serde_json::from_str(&line?).map_err(tool)?;
        choose(task.slot);
        setup.design.renew();
        worker.task(&task)?;
    }
    Ok(Exit::Agreed)
}

/// Chooses the mutant of the models that are made from now on.
fn choose(slot: usize) {
    // SAFETY: the process has no other thread.
    unsafe { std::env::set_var(schemata::VARIABLE, slot.to_string()) };
}

fn say(line: &Line) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(line).map_err(tool)?)?;
    out.flush()?;
    Ok(())
}

struct Worker<'a> {
    settings: Settings,
    /// Cases are directed at empty bins.
    directed: bool,
    /// Made when it is asked for first: its first cases run on the golden model.
    cases: Option<Cases>,
    kept: HashMap<u64, Case>,
    setup: &'a Setup<'a>,
    build: &'a Build,
}

impl Worker<'_> {
    fn task(&mut self, task: &Task) -> Result<(), CommandError> {
        match &task.work {
            Work::File(path) => {
                let case = program::read(Path::new(path), &Extras::default(), self.build)?;
                say(&Line::Begins(0))?;
                let differs = differs(&case, 0, self.setup)?;
                if differs { Ok(()) } else { say(&Line::Survived) }
            }
            Work::Verdicts { first, end } => {
                for number in *first..*end {
                    say(&Line::Begins(number))?;
                    let case = self.case(number);
                    let outcome = drra_lockstep::run(&case, self.setup).map_err(tool)?;
                    let said = verdict::verdict(&case, number, self.setup, &outcome)?;
                    said.map_or(Ok(()), |verdict| say(&Line::Said(verdict)))?;
                }
                say(&Line::Survived)
            }
            Work::Campaign { first, end } => {
                for number in *first..*end {
                    say(&Line::Begins(number))?;
                    if differs(&self.case(number), number, self.setup)? {
                        return Ok(());
                    }
                }
                say(&Line::Survived)
            }
        }
    }

    fn case(&mut self, number: u64) -> Case {
        if let Some(case) = self.kept.get(&number) {
            return case.clone();
        }
        let settings = &self.settings;
        let cases = self.cases.get_or_insert_with(|| Cases::new(settings.clone()));
        let case = if self.directed { cases.case(number) } else { cases.undirected(number) };
        if number < KEPT {
            self.kept.insert(number, case.clone());
        }
        case
    }
}

/// Runs a case; tells where it differs, if it does.
fn differs(case: &Case, number: u64, setup: &Setup<'_>) -> Result<bool, CommandError> {
    let mut outcome = drra_lockstep::run(case, setup).map_err(tool)?;
    let Some(mismatch) = outcome.mismatch.clone() else { return Ok(false) };
    say(&Line::Differs { case: number, cycle: mismatch.cycle })?;
    let path = Some(shrink::expect(&mismatch).path);
    let failing = signature::failing(case, setup, &mut outcome).map_err(tool)?;
    let signature = failing.map(|f| f.signature).unwrap_or_default();
    say(&Line::Killed { case: number, cycle: mismatch.cycle, path, signature })?;
    Ok(true)
}
