// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra run`: runs programs in lock-step, or on the golden model only.

use std::{collections::BTreeSet, slice, time::Instant};

use drra_campaign::{CaseRun, ReportRequest, process::WorkerPool};
use drra_case::{Case, load::LoadedCase};
use drra_files::{from_here, shell, stem};
use drra_lockstep::{DEFAULT_LIMIT, Design, EndRule, Heartbeat, RunSetup, run_golden};
use drra_report::Report;
use drra_results::{junit, known::KnownDeviations};
use drra_view::Statistics;

use super::{
    args::{self, RunArgs, StartArgs},
    chapters, checkout,
    findings::{self, FindingRules, Findings},
    program, progress, reports,
    run_checks::{CheckFindings, RunChecks},
    sizes, worker,
};
use crate::command_prelude::*;

pub(super) fn run(a: &RunArgs, build: &Build) -> Result<Exit, CommandError> {
    if a.files.len() > 1 && a.start.mem.is_some() {
        let help = "run the programs one by one, or put their data into the programs";
        return Err(usage("--mem can be used with one program only", help));
    }
    let one = a.schedule.is_some() || a.end_mem.is_some() || !a.expect.is_empty();
    let arrays = [&a.start.arrays, &a.out, &a.dump].iter().any(|arrays| !arrays.is_empty());
    if a.files.len() > 1 && (one || arrays) {
        let what = "--schedule, --expect, --in, --out, --dump and --end-mem";
        let help = "run the programs one by one";
        return Err(usage(format!("{what} can be used with one program only"), help));
    }
    let extras = args::extras(&a.start, build)?;
    let known = a.known.read()?;
    let setup = if a.golden_only { None } else { Some(build.setup(a.start.cycles)?) };
    // All files are read before anything runs; an invalid file does not prevent the others from running.
    let mut programs = Vec::new();
    for file in &a.files {
        let program = program::load_for(file, &extras, a.start.fabric, build)
            .and_then(|program| runnable(a, file, program, setup.map(|s| s.design)));
        programs.push((file.as_path(), program));
    }
    // If any program can be run, cases without a model are skipped.
    let (runs, mut skips) = (programs.iter().any(|(_, case)| case.is_ok()), 0);
    for e in programs.iter_mut().filter_map(|(_, case)| case.as_mut().err()) {
        match e {
            CommandError::NoModel { message, skipped, .. } if runs => {
                note!("skipped: {message}");
                (*skipped, skips) = (true, skips + 1);
            }
            e => note!("{}", e.text()),
        }
    }
    let refused = programs.iter().filter_map(|(_, case)| Some(case.as_ref().err()?.exit()));
    if a.chapters {
        let pool = worker::worker_pool(&worker::NEVER, a.limits.into()).with_echo();
        let mut exit = refused.max().unwrap_or(Exit::Agreed);
        for LoadedCase { case, .. } in programs.iter().filter_map(|(_, p)| p.as_ref().ok()) {
            let case = Case { cycles: length(a, case), ..case.clone() };
            exit = exit.max(chapters::ask(&case, setup.as_ref(), &pool, build)?);
        }
        return Ok(exit);
    }
    let first = programs.iter().find_map(|(_, case)| case.as_ref().ok());
    let checks = RunChecks::read(a, &extras, first, &build.default_size())?;
    let ran = run_all(a, &programs, &checks, setup.as_ref(), &known, build)?;
    print_known(&ran)?;
    if skips > 0 {
        let all = programs.len();
        say!("{skips} of {all} cases skipped: this program has no RTL model of their size")?;
    }
    if let Some(path) = &a.junit {
        save(path, &junit::programs(&ran))?;
    }
    show_statistics(a, &programs)?;
    let failed = ran.iter().any(junit::TestRun::failed);
    let found = if failed { Exit::Mismatch } else { Exit::Agreed };
    let found = verdict(ran.iter().filter(|r| !r.skipped), found, a.min_compared)?;
    Ok(refused.fold(found, Exit::max))
}

/// Collects statistics on the golden model, and prints and writes the requested statistics.
fn show_statistics(a: &RunArgs, programs: &[ProgramResult<'_>]) -> Result<(), CommandError> {
    if !a.stats && a.stats_json.is_none() {
        return Ok(());
    }
    let cases = programs.iter().filter_map(|(_, case)| case.as_ref().ok());
    let count = |of: &LoadedCase| drra_view::count(&of.case, a.start.cycles).locate(&of.lines);
    let all: Vec<_> = cases.map(count).collect();
    if a.stats {
        for statistics in &all {
            write!(stdout(), "{}", statistics.text())?;
        }
    }
    if let Some(path) = &a.stats_json {
        save(path, &Statistics::to_json(&all))?;
    }
    Ok(())
}

/// A program that was read, or the reason it cannot be run.
type ProgramResult<'a> = (&'a Path, Result<LoadedCase, CommandError>);

/// Rejects a program with nothing to compare, or without a model of its size. The case that shows a register without a
/// reset is empty and has 0 cycles: it compares the state after reset.
fn runnable(
    a: &RunArgs,
    file: &Path,
    program: LoadedCase,
    design: Option<&dyn Design>,
) -> Result<LoadedCase, CommandError> {
    let case = &program.case;
    if let Some(design) = design {
        sizes::check(&file.display().to_string(), case, design)?;
    }
    if a.start.cycles == Some(0) {
        let message = format!("{}: a run of 0 cycles compares nothing", file.display());
        return Err(usage(message, "give --cycles 1 or more"));
    }
    if case.stimulus.entries().is_empty() && length(a, case).is_none() {
        let message = format!("{}: the program is empty, so nothing is compared", file.display());
        return Err(usage(
            message,
            "give a program with instructions, or --cycles N to run an idle fabric",
        ));
    }
    Ok(program)
}

/// The length of a run in cycles, if it is given.
fn length(a: &RunArgs, case: &Case) -> Option<u64> {
    a.start.cycles.or(case.cycles)
}

/// A note about a program that did not end.
fn unfinished(unfinished: bool) -> &'static str {
    if unfinished { " (still running at the end; use --cycles N for a longer run)" } else { "" }
}

/// Runs all programs: in lock-step or, without a setup, on the golden model only.
fn run_all(
    a: &RunArgs,
    programs: &[ProgramResult<'_>],
    checks: &RunChecks<'_>,
    setup: Option<&RunSetup<'_>>,
    known: &KnownDeviations,
    build: &Build,
) -> Result<Vec<junit::TestRun>, CommandError> {
    let pool = worker::worker_pool(&worker::NEVER, a.limits.into()).with_echo();
    let mut ran = Vec::new();
    for ((file, program), folder) in programs.iter().zip(report_folders(a)) {
        let start = Instant::now();
        let name = from_here(file).to_string();
        let program = match program {
            Ok(program) => program,
            Err(e) => {
                let (refused, skipped) = (Some(e.to_string()), e.exit() == Exit::Agreed);
                ran.push(junit::TestRun { name, refused, skipped, ..Default::default() });
                continue;
            }
        };
        let case = &program.case;
        let (cycles, report, found) = match setup {
            Some(setup) => {
                let (cycles, report) =
                    compare(a, (setup, &pool), file, case, folder.as_deref(), build)?;
                let found = if report.is_none() { findings_of(a, file, program)? } else { None };
                (cycles, report, found)
            }
            None => {
                let (cycles, found) = alone(a, file, program)?;
                (cycles, None, found)
            }
        };
        // If the two sides differ, the correct behaviour of the program is unknown.
        let mut unexpected =
            if report.is_none() { check(a, checks, program, cycles)? } else { Vec::new() };
        let (denied, warnings) =
            found.map(|found| (found.denied, found.others)).unwrap_or_default();
        for line in &denied {
            say!("{line}")?;
        }
        warnings.iter().for_each(|line| note!("{line}"));
        unexpected.extend(denied);
        let compared = setup.map(|setup| setup.compared(slice::from_ref(&case.geometry)));
        ran.push(junit::TestRun {
            name,
            time: start.elapsed(),
            cycles,
            seed: case.seed,
            known: known.of_report(report.as_ref()),
            report,
            compared: compared.map(|compared| compared.in_cycles(cycles)),
            unexpected,
            warnings,
            ..Default::default()
        });
    }
    if let Some(setup) = setup {
        // A design without a map shows its whole state, and the lines printed above give the number of bits.
        if setup.design.mapped().is_some() {
            print_comparison_coverage(setup, &build.default_size())?;
        }
        let reports: Vec<_> = ran.iter().filter_map(junit::TestRun::new_report).collect();
        annotate_ci("drra run", &reports)?;
    }
    Ok(ran)
}

/// Runs a program on the golden model and prints the result. Returns the length of the run, and the findings.
fn alone(
    a: &RunArgs,
    file: &Path,
    program: &LoadedCase,
) -> Result<(u64, Option<Findings>), CommandError> {
    let case = &program.case;
    let run = || match findings_of(a, file, program)? {
        Some(found) => Ok((found.run, Some(found))),
        None => Ok((run_golden(case, a.start.cycles), None)),
    };
    let heartbeat = Heartbeat::of_this_thread();
    let cycle = || heartbeat.cycle();
    let ran: Result<_, CommandError> =
        progress::with_cycle_progress(&case.name, length(a, case), &cycle, run);
    let (result, found) = ran?;
    say!(
        "{}: {} cycles, {} instructions on the golden model{}",
        case.name,
        result.cycles,
        result.instructions,
        unfinished(result.unfinished)
    )?;
    Ok((result.cycles, found))
}

/// Performs the further checks of a program and prints their results; returns the failures.
fn check(
    a: &RunArgs,
    checks: &RunChecks<'_>,
    program: &LoadedCase,
    cycles: u64,
) -> Result<Vec<String>, CommandError> {
    let case = &program.case;
    let CheckFindings { passed, mut failed } = checks.check(program)?;
    if EndRule::new(case, a.start.cycles).is_cut(cycles) {
        failed.push(format!(
            "does not end: not idle {DEFAULT_LIMIT} cycles after the last input; if that is intended, set the length \
             with --cycles N"
        ));
    }
    for line in passed.iter().chain(&failed) {
        say!("{}: {line}", case.name)?;
    }
    Ok(failed)
}

/// The findings of a program. Where only golden model and RTL are compared, a program is not judged, and only losses are
/// shown. A case is never judged, and has findings only if some are denied.
fn findings_of(
    a: &RunArgs,
    file: &Path,
    program: &LoadedCase,
) -> Result<Option<Findings>, CommandError> {
    let is_program = findings::is_program(program);
    if !is_program && a.findings.deny.is_empty() {
        return Ok(None);
    }
    let judged = is_program && (a.golden_only || !a.expect.is_empty() || a.schedule.is_some());
    let rules =
        FindingRules { args: &a.findings, hints: false, deny_lost: judged, lost_only: !judged };
    findings::examine(file, program, a.start.cycles, rules).map(Some)
}

/// The folder for the report of each program: the given folder or, for several programs, a subfolder named after the
/// file, with a number if that name is taken.
fn report_folders(a: &RunArgs) -> Vec<Option<PathBuf>> {
    let Some(out) = &a.report else { return vec![None; a.files.len()] };
    if a.files.len() == 1 {
        return vec![Some(out.clone())];
    }
    let mut taken = BTreeSet::new();
    let folder = |file: &PathBuf| {
        let stem = stem(file);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut names = std::iter::once(stem.clone()).chain(numbered);
        names.find(|name| taken.insert(name.clone())).map(|name| out.join(name))
    };
    a.files.iter().map(folder).collect()
}

/// Runs a program in lock-step and prints the result; the report of a mismatch is written to the folder.
fn compare(
    a: &RunArgs,
    (setup, pool): (&RunSetup<'_>, &WorkerPool<'_>),
    file: &Path,
    case: &Case,
    folder: Option<&Path>,
    build: &Build,
) -> Result<(u64, Option<Report>), CommandError> {
    let request = ReportRequest {
        repeat: repeat_command(a, file),
        checkout: checkout::same_version(build).is_some(),
        waves: folder.is_some(),
        ..ReportRequest::default()
    };
    let run = CaseRun { cycles: a.start.cycles, report: Some(&request), ..CaseRun::of(case) };
    let heading = |_: &Report| format!("{}: ", case.name);
    let result = reports::run_and_show(&run, folder, pool, setup, &heading)?;
    if result.report.is_none() {
        say!(
            "{}: golden model and RTL agree in {} cycles, {} instructions, {} state bits per cycle{}{}",
            case.name,
            result.cycles,
            result.instructions,
            result.state_bits,
            unfinished(result.unfinished),
            program::not_counted(case, result.cycles)?
        )?;
        no_report(folder)?;
    }
    Ok((result.cycles, result.report.map(|report| *report)))
}

/// The command that repeats the run.
fn repeat_command(a: &RunArgs, file: &Path) -> String {
    let expected = a.expect.iter().map(|path| format!(" --expect {}", shell::path(path)));
    let options = options(&a.start, &[("schedule", &a.schedule)]);
    format!("drra run {}{options}{}", shell::path(file), expected.collect::<String>())
}

/// The options with which a program starts, and those that name files, as in a command line.
pub(super) fn options(start: &StartArgs, files: &[(&'static str, &Option<PathBuf>)]) -> String {
    let path = |path: &Option<PathBuf>| path.as_deref().map(shell::path);
    let options = [
        ("mem", path(&start.mem)),
        ("isa", start.isa.as_deref().map(shell::word)),
        ("cycles", start.cycles.map(|cycles| cycles.to_string())),
        ("fabric", start.fabric.map(|size| size.to_string())),
    ];
    let files = files.iter().map(|(name, file)| (*name, path(file)));
    let options = options.into_iter().chain(files);
    let options = options.filter_map(|(name, value)| Some((name, value?)));
    let cells = start.io_cells.iter().map(|cell| ("io-cell", shell::word(cell)));
    let arrays = start.arrays.iter().map(|array| ("in", shell::word(array)));
    options.chain(cells).chain(arrays).map(|(name, value)| format!(" --{name} {value}")).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::report_folders;
    use crate::args::{Args, Command};

    #[track_caller]
    fn check(files: &[&str], expected: &[&str]) {
        let words = ["drra", "run", "--report", "out"].iter().chain(files);
        let Some(Command::Run(a)) = Args::parse_from(words).command else { panic!("no `run`") };
        let folders: Vec<String> =
            report_folders(&a).iter().map(|f| f.as_ref().unwrap().display().to_string()).collect();
        assert_eq!(folders, expected);
    }

    #[test]
    fn reports_have_folders_of_their_own() {
        check(&["a/case.json"], &["out"]);
        check(&["a.sasm", "b.bin"], &["out/a", "out/b"]);
        check(
            &["a/case.json", "case-2.json", "b/case.json", "c/case.json"],
            &["out/case", "out/case-2", "out/case-3", "out/case-4"],
        );
        check(
            &["...sasm", "a/..sasm", "a/.sasm", "....sasm", ".a.sasm"],
            &["out/program", "out/program-2", "out/sasm", "out/program-3", "out/a"],
        );
    }
}
