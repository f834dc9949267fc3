// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments as typed.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::Parser;
use clap::Subcommand;
use clap::ValueEnum;
use drra_case::load::Extras;
use drra_isa::Geometry;

use super::description;
use super::error::CommandError;
use super::error::usage;
use super::time::Time;
use crate::GEOMETRY;

/// Runs DRRA/DiMArch programs on the golden model and the Verilated RTL in lock-step.
///
/// Without a command the bundled programs run, then a campaign of 30 s. Exit codes: 0 agreed, 1 mismatch found, 2 bad input
/// or usage, 3 tool failure.
#[derive(Debug, Parser)]
#[command(name = "drra", version)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run one program in lock-step
    Run(RunArgs),
    /// Print the state changes of every cycle
    Trace(TraceArgs),
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
    /// Show the coverage of campaigns and its holes
    Cover(CoverArgs),
    /// Write stimulus, test benches and scripts for other simulators
    Export(ExportArgs),
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

/// A program and what it starts with.
#[derive(Debug, ClapArgs)]
pub(super) struct ProgramArgs {
    /// Program: assembly (.sasm), image (.bin) or case (.json)
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) start: StartArgs,
}

/// What a program starts with.
#[derive(Debug, ClapArgs)]
pub(super) struct StartArgs {
    /// Memory image
    #[arg(long, value_name = "FILE")]
    pub(super) mem: Option<PathBuf>,
    /// Instruction set of a program: a revision until an .ISA line (r0 to r4, v2, v3), or a
    /// description file with the codes and fields of one
    #[arg(long, value_name = "REV|FILE")]
    pub(super) isa: Option<String>,
    /// Run so many cycles instead of until the fabric is quiet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(super) cycles: Option<u64>,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(super) io_cells: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct RunArgs {
    /// Programs: assembly (.sasm), image (.bin) or case (.json)
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) start: StartArgs,
    /// Run the golden model alone
    #[arg(long)]
    pub(super) golden_only: bool,
    /// Write a JUnit report with a test case for each program
    #[arg(long, value_name = "FILE", conflicts_with = "golden_only")]
    pub(super) junit: Option<PathBuf>,
    /// Write page, data and waves of a mismatch into this folder; of several programs each gets a
    /// folder of its own in it
    #[arg(long, value_name = "DIR", conflicts_with = "golden_only")]
    pub(super) report: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CheckArgs {
    /// Dump (VCD, FST, GHW, or the lines of `drra trace`), after the case if there is one. Without a case the
    /// stimulus is taken from the dump
    #[arg(value_name = "[CASE] DUMP", num_args = 1..=2, required_unless_present = "batch", conflicts_with = "batch")]
    pub(super) files: Vec<PathBuf>,
    /// Signal map of the dump
    #[arg(long, value_name = "MAP")]
    pub(super) map: PathBuf,
    /// Compare so many cycles instead of all of the dump
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(super) cycles: Option<u64>,
    /// Check all cases of a folder: each is a folder with case.json and one dump
    #[arg(long, value_name = "DIR")]
    pub(super) batch: Option<PathBuf>,
    /// Dumps of a batch that are checked at the same time; all cores if not given
    #[arg(long, value_name = "N", requires = "batch", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) jobs: Option<u32>,
    /// Write the results of a batch as JSON
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub(super) json: Option<PathBuf>,
    /// Write a JUnit report with a test case for each dump
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Write page, data and waves of a mismatch into this folder; of a batch each distinct failure gets a
    /// folder of its own in it
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
}

/// Which waves are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Waves {
    /// Registers of both sides around the mismatch
    Window,
    /// Registers of both sides in the whole run
    Full,
    /// All signals of the RTL in the whole run, as Verilator writes them
    Rtl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Model {
    /// The golden model
    Golden,
    /// The Verilated RTL
    Rtl,
}

/// How changes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object per line
    Jsonl,
}

#[derive(Debug, ClapArgs)]
pub(super) struct TraceArgs {
    #[command(flatten)]
    pub(super) program: ProgramArgs,
    /// Which side is traced
    #[arg(long, value_enum, default_value = "golden")]
    pub(super) model: Model,
    /// How changes are printed
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(super) format: Format,
    /// First cycle that is printed
    #[arg(long, value_name = "CYCLE")]
    pub(super) from: Option<u64>,
    /// Last cycle that is printed
    #[arg(long, value_name = "CYCLE")]
    pub(super) to: Option<u64>,
    /// Print only paths that match; `*` is any text, `?` any character
    #[arg(long, value_name = "PATH-GLOB")]
    pub(super) only: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct FuzzArgs {
    /// Profile of the generator: a name or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(super) profile: String,
    /// Seed of the campaign
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Cases of the whole campaign
    #[arg(long, value_name = "N")]
    pub(super) cases: Option<u64>,
    /// Start no case after so long (30s, 5m, 2h); without --cases 30s
    #[arg(long, value_name = "TIME")]
    pub(super) time: Option<Time>,
    /// Workers; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) jobs: Option<u32>,
    /// Run the I-th of N parts of the campaign
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<String>,
    /// Folder for the journal, the failures and the summary
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Continue the campaign of a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "profile", "seed", "cases", "shard"])]
    pub(super) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(super) shrink: ShrinkBounds,
}

/// When a reduction ends.
#[derive(Debug, ClapArgs)]
pub(super) struct ShrinkBounds {
    /// Runs of a reduced case at most
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(super) shrink_steps: u64,
    /// Time for a reduction at most
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pub(super) shrink_time: Time,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReplayArgs {
    /// Case (.json) or program
    pub(super) case: Option<PathBuf>,
    /// Profile of a campaign whose case is made again
    #[arg(long, value_name = "NAME|FILE", default_value = "default")]
    pub(super) profile: String,
    /// Seed of that campaign
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of the case in that campaign
    #[arg(long, value_name = "N")]
    pub(super) number: Option<u64>,
    /// Write the case here
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Write page, data and waves of the mismatch into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) report: Option<PathBuf>,
    /// Record waves
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, default_missing_value = "window")]
    pub(super) waves: Option<Waves>,
    /// Cycles before the mismatch in its waves
    #[arg(long, value_name = "N", default_value_t = 64, requires = "waves", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(super) waves_before: u64,
    /// Cycles after the mismatch in its waves
    #[arg(long, value_name = "N", default_value_t = 32, requires = "waves", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(super) waves_after: u64,
    /// Write the waves here; beside the case, with the ending .fst or .rtl.fst, if not given
    #[arg(long, value_name = "FILE", requires = "waves")]
    pub(super) waves_out: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReportArgs {
    /// Folder of a campaign, or of one failure
    pub(super) folder: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ShrinkArgs {
    /// Failing case (.json) or program
    pub(super) case: PathBuf,
    /// Write the reduced case here; NAME.small.json beside the case if not given
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) bounds: ShrinkBounds,
}

#[derive(Debug, ClapArgs)]
pub(super) struct MergeArgs {
    /// Folders of the shards
    #[arg(required = true)]
    pub(super) folders: Vec<PathBuf>,
    /// Folder of the joined campaign
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(super) struct CoverArgs {
    /// Folders of campaigns with the same settings
    #[arg(required = true)]
    pub(super) folders: Vec<PathBuf>,
    /// Print JSON with all holes
    #[arg(long)]
    pub(super) json: bool,
    /// Holes named in each group
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) holes: u32,
}

/// In which order cells are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LoadOrder {
    /// Row by row
    RowMajor,
    /// By the distance r+c of the cells, nearest first
    Diagonal,
}

/// When the immediate flag of a word is on its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FlagTime {
    /// With its word
    Word,
    /// When its word arrives at cell (r,c), r+c cycles later
    Delayed,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ExportArgs {
    /// Program: assembly (.sasm), image (.bin) or case (.json)
    #[arg(required_unless_present = "campaign", conflicts_with = "campaign")]
    pub(super) file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) start: StartArgs,
    /// Export all cases of a campaign, or all cases and programs of a folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["mem", "isa", "cycles", "io_cells"])]
    pub(super) campaign: Option<PathBuf>,
    /// Folder to write; it must not exist or be empty
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Cycles without inputs between reset and the first block
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(super) idle_cycles: u64,
    /// Order in which cells are loaded
    #[arg(long, value_enum, default_value = "row-major")]
    pub(super) order: LoadOrder,
    /// When the immediate flag of a word is on its port
    #[arg(long, value_enum, default_value = "word")]
    pub(super) flag: FlagTime,
    /// Export so many cases of the campaign at most
    #[arg(long, value_name = "N", requires = "campaign")]
    pub(super) cases: Option<usize>,
    /// Workers; all cores if not given
    #[arg(long, value_name = "N", requires = "campaign", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) jobs: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct BenchArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
    /// Rounds of interleaved measurements, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) rounds: u32,
}

#[derive(Debug, ClapArgs)]
pub(super) struct AsmArgs {
    /// Assembly text (.sasm), compiler listing (--listing) or schedule (.txt, .json)
    pub(super) file: PathBuf,
    /// Write the program image here instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write the memory image here
    #[arg(long, value_name = "FILE")]
    pub(super) mem_output: Option<PathBuf>,
    /// Instruction set of the text: a revision until an .ISA line (r0 to r4, v2, v3), or a
    /// description file
    #[arg(long, value_name = "REV|FILE", default_value = "r4")]
    pub(super) isa: String,
    /// Read a compiler listing: headings r_c, values too wide are cut with a warning
    #[arg(long)]
    pub(super) listing: bool,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(super) io_cells: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct DisasmArgs {
    /// Program image
    pub(super) file: PathBuf,
    /// Instruction set of the words: a revision (r0 to r4, v2, v3) or a description file
    #[arg(long, value_name = "REV|FILE", default_value = "r4")]
    pub(super) isa: String,
    /// Print cell headings r_c as compiler listings have them
    #[arg(long)]
    pub(super) listing: bool,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(super) io_cells: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct MapArgs {
    #[command(subcommand)]
    pub(super) command: MapCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum MapCommand {
    /// Tell line by line what a map finds in a dump
    Check {
        /// Signal map (JSON)
        map: PathBuf,
        /// Dump: VCD, FST, GHW, or the lines of `drra trace --format jsonl`
        dump: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Propose a map for dumps of cases, by comparing change sequences with the golden model
    ///
    /// Give as many cases as dumps: first all cases, then their dumps in the same order, all of one format.
    /// Signals that change at the same times to the same values as a register are taken for it. More and more
    /// varied cases make fewer accidents. A proposal claims no agreement.
    Learn {
        /// Cases or programs, then their dumps
        #[arg(required = true, num_args = 2.., value_name = "CASE... DUMP")]
        files: Vec<PathBuf>,
        /// Map whose clock, reset, ports and entries are kept
        #[arg(long, value_name = "MAP")]
        map: Option<PathBuf>,
        /// Write the map to this file
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print the map of the RTL that belongs to this project, for the size of this build
    Rtl,
}

#[derive(Debug, ClapArgs)]
pub(super) struct IsaArgs {
    #[command(subcommand)]
    pub(super) command: IsaCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum IsaCommand {
    /// Check a description file
    Check {
        /// Description
        file: PathBuf,
    },
    /// Print a description as Markdown tables
    Doc {
        /// Description
        file: PathBuf,
    },
    /// Print the Rust source of a description: identities, fields, named values
    Rs {
        /// Description
        file: PathBuf,
    },
    /// Print the SystemVerilog package of a description
    Sv {
        /// Description
        file: PathBuf,
        /// Name of the package [default: drra_isa_pkg for instructions, drra_state_pkg for a fabric]
        #[arg(long)]
        package: Option<String>,
    },
}

/// What a program starts with, read and checked.
pub(super) fn extras(start: &StartArgs) -> Result<Extras<'_>, CommandError> {
    Ok(Extras {
        mem: start.mem.as_deref(),
        isa: start.isa.as_deref().map(description::choose_runnable).transpose()?,
        io_cells: io_cells(&start.io_cells)?,
    })
}

/// Reads `R,C` pairs.
pub(super) fn io_cells(texts: &[String]) -> Result<BTreeSet<(usize, usize)>, CommandError> {
    texts
        .iter()
        .map(|text| {
            let pair = text.split_once(',').and_then(|(r, c)| {
                Some((r.trim().parse::<usize>().ok()?, c.trim().parse::<usize>().ok()?))
            });
            pair.filter(|(r, c)| *r < Geometry::ROWS && *c < GEOMETRY.columns).ok_or_else(|| {
                let what = format!("--io-cell {text}: no cell of this fabric");
                let help = format!(
                    "write ROW,COLUMN with rows 0..1 and columns 0..{}",
                    GEOMETRY.columns - 1
                );
                usage(what, help)
            })
        })
        .collect()
}
