// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments as typed.

mod campaign;
mod cluster;
mod export;
mod isa;
mod mutate;
mod recording;
mod replay;
mod run;
mod start;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

pub(super) use campaign::{CoverArgs, FuzzArgs, MergeArgs, ReportArgs, ShrinkBounds};
pub(super) use cluster::{ClusterArgs, ClusterCommand, SlurmArgs, StatusArgs};
pub(super) use export::{ExportArgs, FlagTime, LoadOrder};
pub(super) use isa::{AsmArgs, DisasmArgs, IsaArgs, IsaCommand};
pub(super) use mutate::{MutateArgs, MutateWorkerArgs};
pub(super) use recording::{CheckArgs, MapArgs, MapCommand};
pub(super) use replay::{ReplayArgs, ShrinkArgs, Waves};
pub(super) use run::{Format, Model, RunArgs, TraceArgs, ViewArgs};
pub(super) use start::{ProgramArgs, extras, io_cells, no_io_cell, percent, seed};

/// Runs DRRA/DiMArch programs on the golden model and the Verilated RTL in lock-step.
///
/// Without a command the bundled programs run, then a campaign of 30 s. Exit codes: 0 agreed, 1 a mismatch or another finding,
/// 2 bad input or usage, or nothing (or less than --min-compared) was compared, 3 tool failure, 4 a campaign agreed so
/// far and is not complete.
#[derive(Debug, Parser)]
#[command(name = "drra", version)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run programs in lock-step
    Run(RunArgs),
    /// Print the state changes of every cycle
    Trace(TraceArgs),
    /// Write a page that shows a program cycle by cycle
    View(ViewArgs),
    /// Compare a dump of any simulator with the golden model
    Check(CheckArgs),
    /// Run generated cases in parallel until their number or the time is reached
    Fuzz(FuzzArgs),
    /// Repeat one case and explain its mismatch
    Replay(ReplayArgs),
    /// Reduce a failing case
    Shrink(ShrinkArgs),
    /// Write the reports of a campaign again, from its stored cases
    Report(ReportArgs),
    /// Join the shards of a campaign
    Merge(MergeArgs),
    /// Run a campaign on the nodes of a cluster
    Cluster(ClusterArgs),
    /// Show the coverage of campaigns and its holes
    Cover(CoverArgs),
    /// Write stimulus, test benches and scripts for other simulators
    Export(ExportArgs),
    /// Plant systematic faults in the RTL and measure how many the harness finds
    Mutate(MutateArgs),
    #[command(hide = true)]
    MutateWorker(MutateWorkerArgs),
    #[command(hide = true, name = crate::worker::COMMAND)]
    Worker,
    /// Measure the speed of RTL, golden model and lock-step
    Bench(BenchArgs),
    /// Assemble a program
    Asm(AsmArgs),
    /// Disassemble a program image
    Disasm(DisasmArgs),
    /// Check or print a description of instructions or of a fabric
    Isa(IsaArgs),
    /// Signal maps: which signals of a simulator show which registers
    Map(MapArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the JSON to a file, besides
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with an earlier result, the JSON of this command, and warn about what is more than 10 % slower
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Rounds of interleaved measurements, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Args;

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
