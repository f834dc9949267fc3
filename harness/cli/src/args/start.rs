// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments that many commands share: programs and their initial state, limits of the design, and known deviations.

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use clap::Args as ClapArgs;
use drra_campaign::process::WorkerLimits;
use drra_case::load::{ProgramInputs, read_text};
use drra_diagnose::signature;
use drra_isa::{CellId, Geometry};
use drra_results::known::KnownDeviations;

use crate::{
    arrays::initial_words,
    build::Build,
    cmd_isa,
    error::{CommandError, file, usage},
    suggest,
};

/// Help text of a program argument.
pub(super) const FORMS: &str = "Program: assembly, Manas source, image, case, compiler listing or schedule \
                                (sync_instr.json, sync_instr.txt); detected from the content";

/// A program and its initial state.
#[derive(Debug, ClapArgs)]
pub(crate) struct ProgramArgs {
    #[arg(help = FORMS)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartArgs,
}

/// The initial state of a program, and how to read and run it.
#[derive(Debug, ClapArgs)]
pub(crate) struct StartArgs {
    /// Initial memory contents: a memory image or a VHDL test bench
    #[arg(long, value_name = "FILE")]
    pub(crate) mem: Option<PathBuf>,
    /// Initial memory contents from an array (.npy, CSV, JSON), such as x.npy=cell[0][0].rf.mem[0],stride=2 (may be
    /// repeated); overrides the contents that the program and --mem give
    #[arg(long = "in", value_name = "FILE=PLACE")]
    pub(crate) arrays: Vec<String>,
    /// Instruction set of the program unless an .ISA line sets it: a revision (r0 to r4, v2, v3), or a description file
    /// with the same word layout [default: detected for compiler output, otherwise r4]
    #[arg(long, value_name = "REV|FILE")]
    pub(crate) isa: Option<String>,
    /// Fabric size of the program, such as 2x1 or 2x2-rf32-sram16 [default: the size of the case, or the first size
    /// that this build supports]
    #[arg(long, value_name = "SIZE")]
    pub(crate) fabric: Option<Geometry>,
    /// Run for N cycles [default: the length of the case or, without one, until the fabric is idle]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) cycles: Option<u64>,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(crate) io_cells: Vec<String>,
}

/// Limits of the design under test.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct DesignLimits {
    /// Report a hang if one clock cycle takes more CPU time of the worker than TIME, or ten times as much elapsed time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = crate::time::positive)]
    watchdog: Duration,
    /// Report a failure if the design uses more memory than SIZE (500M, 2G) [default: 3/4 of this machine's memory,
    /// divided by the number of its cores, but at least 1G]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,
}

impl From<DesignLimits> for WorkerLimits {
    fn from(limits: DesignLimits) -> Self {
        let memory = limits.memory.unwrap_or(Self::default().memory);
        Self { watchdog: limits.watchdog, memory }
    }
}

/// Parses an amount of memory, such as `500M`, and returns it in bytes; 1M is 1024 x 1024 bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, &'static str> {
    let (number, unit) = match text.as_bytes().last() {
        Some(b'M') => (text.strip_suffix('M'), 20),
        _ => (text.strip_suffix('G'), 30),
    };
    let number = number.and_then(|number| number.parse().ok()).filter(|n| (1..1 << 20).contains(n));
    number
        .map(|number: u64| number << unit)
        .ok_or("give megabytes or gigabytes, such as 500M or 2G")
}

/// The options for reading a program: reads the instruction set, and checks the I/O cells.
pub(crate) fn extras<'a>(
    start: &'a StartArgs,
    build: &Build,
) -> Result<ProgramInputs<'a>, CommandError> {
    let size = start.fabric.unwrap_or(build.default_size());
    Ok(ProgramInputs {
        mem: start.mem.as_deref(),
        words: initial_words(&start.arrays, &size)?,
        isa: start.isa.as_deref().map(cmd_isa::choose_runnable).transpose()?,
        io_cells: io_cells(&start.io_cells, &size)?,
    })
}

/// Reads `R,C` pairs.
pub(crate) fn io_cells(
    texts: &[String],
    geometry: &Geometry,
) -> Result<BTreeSet<CellId>, CommandError> {
    texts
        .iter()
        .map(|text| {
            let pair = text
                .split_once(',')
                .and_then(|(r, c)| CellId::new(r.trim().parse().ok()?, c.trim().parse().ok()?));
            pair.filter(|cell| cell.is_in(geometry)).ok_or_else(|| no_io_cell(text, geometry))
        })
        .collect()
}

/// Rejects a combination of `--from` and `--to` that leaves no cycles.
pub(crate) fn check_cycles(from: Option<u64>, to: Option<u64>) -> Result<(), CommandError> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => {
            let what = format!("--from {from} --to {to}: the first cycle is after the last one");
            Err(usage(what, "give a --from that is not larger than --to"))
        }
        _ => Ok(()),
    }
}

/// Reads the seed of a campaign.
pub(crate) fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "give an integer below 2^64, such as 1 or 20261125")
}

/// Reads a number from 0 to 100.
pub(crate) fn percent(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or("give a number from 0 to 100")
}

/// The error for an I/O cell that the fabric does not have.
pub(crate) fn no_io_cell(text: &str, geometry: &Geometry) -> CommandError {
    let what = format!("--io-cell {text}: this fabric has no such cell");
    let last = geometry.columns - 1;
    usage(what, format!("give ROW,COLUMN with rows 0 to 1 and columns 0 to {last}"))
}

#[derive(Debug, ClapArgs)]
pub(crate) struct KnownArgs {
    /// Known deviations, one per line: FAILURE = TICKET [since=DATE] [owner=NAME] [provenance=ORIGIN]: REASON; a
    /// failure that matches is reported as known and does not affect the exit code
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Option<PathBuf>,
}

impl KnownArgs {
    /// Reads the list; it is empty without the option.
    pub(crate) fn read(&self) -> Result<KnownDeviations, CommandError> {
        let Some(path) = &self.known else { return Ok(KnownDeviations::default()) };
        let text = read_text(path).map_err(|e| file(path, e, "give a readable file"))?;
        KnownDeviations::parse(&text).map_err(|e| {
            let fields = ["since", "owner", "provenance"];
            let similar = suggest::did_you_mean(&e.name, signature::places().chain(fields));
            let remedy =
                "write one deviation per line, such as: cell AGU = 3.7: write masks are ignored";
            file(path, e, similar + remedy)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn amounts_of_memory() {
        assert_eq!([bytes("500M"), bytes("2G")], [Ok(500 << 20), Ok(2 << 30)]);
        for wrong in ["", "G", "0G", "2", "2K", "-1G", "9999999999G", "1.5G"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
