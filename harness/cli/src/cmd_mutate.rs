// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra mutate`: measures the mutation score.

use std::sync::atomic::Ordering;

use drra_campaign::{CampaignCases, process::WorkerLimits};
use drra_case::load::{ProgramInputs, read_text};
use drra_files::shell;
use drra_lockstep::RunSetup;
use drra_mutate::{
    Bug, MutateError, MutationOptions, MutationSummary, RunResult,
    record::{JournalRecord, MutantResult, MutationPlan},
    summary::{CasesToKill, MutantCounts, MutantOutcome},
    worker,
};
use drra_report::table;

use super::{
    args::{MutateArgs, MutateWorkerArgs},
    cmd_fuzz, program,
    worker::worker_count,
};
use crate::{checkout::checkout, command_prelude::*};

pub(super) fn run(a: &MutateArgs, build: &Build) -> Result<Exit, CommandError> {
    let Some(folder) = a.resume.as_ref().or(a.out.as_ref()) else {
        return Err(usage("no output folder", "give one with --out"));
    };
    if a.cases.is_some() && a.regressions == Some(None) {
        let help = "omit --cases, or give a folder with patches: --regressions DIR";
        return Err(usage("--cases: a fault is run with its own regression case only", help));
    }
    let options = MutationOptions {
        modules: a.modules.clone(),
        count: a.mutants,
        seed: a.seed,
        guarded: a.guarded,
        changed_since: a.changed_since.clone(),
        regressions: a.regressions.clone(),
        profile: a.profile.clone(),
        cases: a.cases.unwrap_or(2000),
        fabrics: a.fabric.iter().map(ToString::to_string).collect(),
        jobs: worker_count(a.jobs),
        watchdog: a.watchdog,
        memory: a.memory.unwrap_or(WorkerLimits::default().memory),
        min_score: a.min_score.unwrap_or(0.0),
    };
    let (project, _) = checkout(a.project.as_deref(), build)?;
    let stop = cmd_fuzz::interrupt();
    let note = |line: &str| note!("{line}");
    let RunResult { plan, records, summary } =
        drra_mutate::run(&project, folder, a.resume.is_some(), &options, &stop, &note)?;
    if plan.mutants.is_empty() {
        say!("no mutants to run: no operator applies to the selected lines and modules")?;
        return Ok(Exit::Agreed);
    }
    print(&summary, folder)?;
    let interrupted = stop.load(Ordering::Relaxed);
    if interrupted {
        say!("interrupted; resume with: {}", resume_command(folder, a.project.as_deref()))?;
    }
    let unexpected = unexpected_kills(&plan, &records)?;
    for text in &unexpected {
        say!("{text}")?;
    }
    let missed = plan.saved.is_some() && summary.total.killed < plan.mutants.len() as u64;
    let below = summary.score < options.min_score;
    Ok(verdict(!unexpected.is_empty(), interrupted, below || missed))
}

/// The command that resumes a run with the same checkout.
fn resume_command(folder: &Path, project: Option<&Path>) -> String {
    let project = project.map(|path| format!(" --project {}", shell::path(path)));
    format!("drra mutate --resume {}{}", shell::path(folder), project.unwrap_or_default())
}

/// The result of a run; mutants that an interrupted run did not try are not a finding.
fn verdict(unexpected: bool, interrupted: bool, too_few: bool) -> Exit {
    match (unexpected, interrupted) {
        (true, _) => Exit::Mismatch,
        (false, true) => Exit::Interrupted,
        (false, false) if too_few => Exit::Mismatch,
        (false, false) => Exit::Agreed,
    }
}

/// Runs as a worker of `drra mutate`, in the build with the mutants.
pub(super) fn work(
    a: &MutateWorkerArgs,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<Exit, CommandError> {
    let profile = cmd_fuzz::profile(&a.profile, Some(build.default_size()), build)?;
    let cases = || CampaignCases::new(profile.clone(), a.seed);
    let read = |path: &Path| program::read(path, &ProgramInputs::default(), build);
    worker::serve(&cases, !a.undirected, setup, &read)?;
    Ok(Exit::Agreed)
}

impl From<MutateError> for CommandError {
    fn from(e: MutateError) -> Self {
        match e {
            MutateError::Usage { message, remedy } => usage(message, remedy),
            MutateError::File { path, reason, remedy } => file(&path, reason, remedy),
            MutateError::Tool(reason) => tool(reason),
        }
    }
}

/// Describes the regression cases that find their fault in an unexpected cycle or register, or not at all, and the
/// witnesses that do not show their bug.
fn unexpected_kills(
    plan: &MutationPlan,
    records: &[JournalRecord],
) -> Result<Vec<String>, CommandError> {
    let mut all = Vec::new();
    for (mutant, bug) in plan.mutants.iter().filter_map(|m| Some((m, m.bug.as_ref()?))) {
        let of_bug = records.iter().filter(|r| r.mutant == mutant.number);
        let shows = of_bug.rev().find_map(|r| match &r.found {
            MutantResult::Witness { found } => Some(found.is_some()),
            _ => None,
        });
        if let (Some(false), Some(witness)) = (shows, &bug.witness) {
            all.push(format!(
                "{}: the witness {witness} agrees, so it does not show the bug",
                bug.patch
            ));
        }
    }
    let cases = plan.saved.iter().flatten();
    for (case, mutant) in cases.zip(&plan.mutants) {
        let path = Path::new(case);
        let text =
            read_text(path).map_err(|e| file(path, e, "restore the file from the repository"))?;
        let stored: serde_json::Value = serde_json::from_str(&text).map_err(tool)?;
        let expected = &stored["expect"];
        let found = records.iter().find_map(|r| match &r.found {
            MutantResult::Killed(k) if r.mutant == mutant.number => Some(k),
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
fn print(summary: &MutationSummary, folder: &Path) -> Result<(), CommandError> {
    if summary.bugs().next().is_some() {
        let row = |(bug, outcome): (&Bug, &MutantOutcome)| {
            let place = [&bug.block, &bug.instruction].map(String::clone);
            [bug.name()].into_iter().chain(place).chain([outcome.needed()]).collect()
        };
        let names = ["bug", "block", "instruction", "cases"];
        write!(stdout(), "{}", table(&names, summary.bugs().map(row), 3..4))?;
    }
    for (name, rows) in [("block", &summary.blocks), (summary.group(), &summary.operators)] {
        let total = MutantCounts { name: "all".to_owned(), ..summary.total.clone() };
        let row = |c: &MutantCounts| {
            let counts = [c.all(), c.killed, c.activated, c.never, c.equivalent, c.waived];
            let counts = counts.map(|n| n.to_string());
            let score = format!("{:.1}", c.score());
            [c.name.clone()].into_iter().chain(counts).chain([score]).collect()
        };
        let rows = rows.iter().chain([&total]).map(row);
        // Short names, so that the table fits into 80 columns.
        let names = [name, "all", "killed", "active", "never", "proved", "waived", "%"];
        write!(stdout(), "{}", table(&names, rows, 1..names.len()))?;
    }
    for CasesToKill { fabric, killed, median, p95, p99, max } in &summary.cases_to_kill {
        let cases = format!("median {median}, 95 % {p95}, 99 % {p99}, maximum {max}");
        say!("fabric {fabric}: {killed} killed; cases until then: {cases}")?;
    }
    let (undecided, score) = (summary.undecided, summary.score);
    if undecided > 0 {
        say!("undecided: {undecided} survivors, because their proofs timed out or could not run")?;
    }
    if let Some(headline) = summary.headline() {
        say!("{headline}")?;
    }
    let MutantCounts { killed, equivalent, waived, .. } = &summary.total;
    let (counted, page) = (summary.total.counted(), folder.join("index.html"));
    say!(
        "score {score:.2} %: {killed} of {counted} mutants killed; not counted: {equivalent} proved equivalent, {waived} \
         waived; results in {}",
        page.display()
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Exit, Path, resume_command, verdict};

    #[test]
    fn a_run_is_resumed_with_the_same_checkout() {
        let [folder, project] = ["my run", "/a b"].map(Path::new);
        assert_eq!(resume_command(folder, None), "drra mutate --resume 'my run'");
        let both = "drra mutate --resume 'my run' --project '/a b'";
        assert_eq!(resume_command(folder, Some(project)), both);
    }

    #[test]
    fn an_interrupted_run_has_no_score() {
        assert_eq!(
            [verdict(false, true, true), verdict(false, true, false)],
            [Exit::Interrupted; 2]
        );
        assert_eq!([verdict(true, true, false), verdict(false, false, true)], [Exit::Mismatch; 2]);
        assert_eq!(verdict(false, false, false), Exit::Agreed);
    }
}
