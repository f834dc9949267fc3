// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one file per command or group of commands, and all exit codes in one place.
//!
//! The commands do not depend on a design: they receive the build that they belong to as a [`Build`], so they are not
//! recompiled when the RTL changes.
//!
//! In a run, [`drra_case::load`] turns a file into a case, and [`drra_lockstep::run`] drives golden model and design
//! with it. A [`drra_lockstep::Mismatch`] is data rather than an error; [`drra_diagnose::explain`] runs the case again
//! to find its cause.

mod args;
mod arrays;
mod bench;
mod build;
mod chapters;
mod checkout;
mod cmd_asm;
mod cmd_bench;
mod cmd_bisect;
mod cmd_check;
mod cmd_cluster;
mod cmd_cover;
mod cmd_demo;
mod cmd_distil;
mod cmd_export;
mod cmd_fuzz;
mod cmd_install;
mod cmd_isa;
mod cmd_lint;
mod cmd_map;
mod cmd_merge;
mod cmd_mutate;
mod cmd_night;
mod cmd_replay;
mod cmd_report;
mod cmd_run;
mod cmd_trace;
mod cmd_view;
mod command_prelude;
mod console;
mod error;
mod export_sources;
mod failure_log;
mod findings;
mod help;
mod npy;
mod program;
mod progress;
mod reports;
mod repository;
mod run_checks;
mod shard;
mod signals;
mod sizes;
mod suggest;
mod time;
mod waveform;
mod worker;

use std::{env, ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches};
use schemars::{JsonSchema, generate::SchemaSettings};

pub use build::{Build, DesignResult};

use args::{Args, Command};
use command_prelude::*;

/// The JSON schemas of files and of command output: file names in the project, and contents.
pub fn schemas() -> [(&'static str, String); 12] {
    use drra_lint::ProgramFindings;
    use drra_report::Report;
    use drra_results::{batch::Batch, history::History, summary::Summary};
    use drra_view::Statistics;
    fn of<T: JsonSchema>(settings: SchemaSettings) -> String {
        let schema = settings.into_generator().into_root_schema_for::<T>();
        serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
    }
    let (draft07, latest) = (SchemaSettings::draft07, SchemaSettings::default);
    [
        ("harness/lockstep/trace.schema.json", drra_lockstep::trace::schema()),
        ("harness/case/case.schema.json", drra_case::schema()),
        ("harness/profiles/profile.schema.json", drra_generate::schema()),
        ("harness/campaign/summary.schema.json", of::<Summary>(draft07())),
        ("harness/mutate/summary.schema.json", of::<drra_mutate::MutationSummary>(draft07())),
        ("harness/report/report.schema.json", of::<Report>(latest())),
        ("harness/results/batch.schema.json", of::<Batch>(latest())),
        ("harness/results/history.schema.json", of::<History>(draft07())),
        ("harness/lint/findings.schema.json", of::<Vec<ProgramFindings>>(latest())),
        ("harness/view/statistics.schema.json", of::<Vec<Statistics>>(latest())),
        ("harness/cli/bench.schema.json", of::<bench::Measurement>(latest())),
        ("harness/cli/cover.schema.json", of::<cmd_cover::CoverageReport>(latest())),
    ]
}

/// Runs the command given by the arguments of the process.
pub fn main(build: &Build) -> ExitCode {
    signals::report_large_files();
    let result = run(env::args_os().collect(), build);
    build.warn_of_unknown_state();
    ExitCode::from(result.unwrap_or_else(|error| error.print()).code())
}

/// Runs the command given by the name of this program and the arguments after it.
fn run(words: Vec<OsString>, build: &Build) -> Result<Exit, CommandError> {
    // File names appear in messages, reports and CI logs, where a line feed could start a workflow command.
    let bad = |word: &&OsString| word.to_string_lossy().contains(char::is_control);
    if let Some(bad) = words.iter().skip(1).find(bad) {
        let what = format!("the argument {bad:?} contains a control character");
        return Err(usage(what, "remove it; if the argument is a file name, rename the file"));
    }
    let revision = build.revision.map_or_else(String::new, |revision| format!(" ({revision})"));
    let version = env!("CARGO_PKG_VERSION").to_owned() + &revision;
    let matches =
        help::with_help(Args::command(), "drra").version(version).try_get_matches_from(words);
    match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => command(args, build),
        Err(text) => {
            let _ = text.print(); // fails if the output cannot be written
            Ok(if text.use_stderr() { Exit::BadInput } else { Exit::Agreed })
        }
    }
}

fn command(args: Args, build: &Build) -> Result<Exit, CommandError> {
    let setup = || build.setup(None);
    match args.command {
        None => cmd_demo::run(&setup()?, build),
        Some(Command::Run(a)) => cmd_run::run(&a, build),
        Some(Command::Trace(a)) => cmd_trace::run(&a, build),
        Some(Command::Lint(a)) => cmd_lint::run(&a, build),
        Some(Command::View(a)) => cmd_view::run(&a, build),
        Some(Command::Check(a)) => cmd_check::run(&a, build),
        Some(Command::Asm(a)) => cmd_asm::assemble(&a, build),
        Some(Command::Disasm(a)) => cmd_asm::disassemble(&a, build),
        Some(Command::Isa(a)) => cmd_isa::run(&a),
        Some(Command::Map(a)) => cmd_map::run(&a, build),
        Some(Command::Report(a)) if !a.history.is_empty() => cmd_report::history(&a, build),
        Some(Command::Night(a)) => cmd_night::run(&a, &|words| run(words, build), build),
        Some(Command::Cluster(a)) => cmd_cluster::run(&a, build),
        Some(Command::Export(a)) => cmd_export::run(&a, build),
        Some(Command::Distil(a)) => cmd_distil::run(&a, build),
        Some(Command::Cover(a)) => cmd_cover::run(&a, build),
        Some(Command::Bisect(a)) => cmd_bisect::run(&a, build),
        Some(Command::Mutate(a)) => cmd_mutate::run(&a, build),
        Some(Command::Version { json }) => cmd_install::version(json, build),
        Some(Command::Completions { shell }) => cmd_install::completions(shell, build),
        Some(Command::Man { folder }) => cmd_install::man(&folder),
        Some(Command::Fuzz(a)) => cmd_fuzz::run(&a, &setup()?, build),
        Some(Command::Replay(a)) => cmd_replay::replay(&a, &setup()?, build),
        Some(Command::Shrink(a)) => cmd_replay::shrink(&a, &setup()?, build),
        Some(Command::Report(a)) => cmd_report::run(&a, &setup()?, build),
        Some(Command::Merge(a)) => cmd_merge::run(&a, setup()?.design),
        Some(Command::Bench(a)) => cmd_bench::run(&a, setup()?.design, build),
        Some(Command::MutateWorker(a)) => cmd_mutate::work(&a, &build.quiet_setup(None)?, build),
        Some(Command::Worker) => worker::run(&build.quiet_setup(None)?),
    }
}
