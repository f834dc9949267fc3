// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program starts with, and how long its design may take.

use std::{collections::BTreeSet, path::PathBuf};

use clap::Args as ClapArgs;
use drra_campaign::process::Limits;
use drra_case::load::Extras;
use drra_isa::{CellId, Geometry};

use crate::{
    build::Build,
    description,
    error::{CommandError, usage},
    time::Time,
};

/// What a program can be.
pub(super) const FORMS: &str = "Program: assembly, Manas source, image, case, compiler listing, or schedule \
                                (sync_instr.json, sync_instr.txt); its content tells";

/// A program and what it starts with.
#[derive(Debug, ClapArgs)]
pub(crate) struct ProgramArgs {
    #[arg(help = FORMS)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartArgs,
}

/// What a program starts with.
#[derive(Debug, ClapArgs)]
pub(crate) struct StartArgs {
    /// Memory image, or VHDL test bench with memory contents
    #[arg(long, value_name = "FILE")]
    pub(crate) mem: Option<PathBuf>,
    /// Instruction set of a program: a revision until an .ISA line (r0 to r4, v2, v3), or a
    /// description file with the codes and fields of one [default: decided from a text that a compiler
    /// wrote, else r4]
    #[arg(long, value_name = "REV|FILE")]
    pub(crate) isa: Option<String>,
    /// Size of the fabric that a program is for, such as 2x1 or 2x2-rf32-sram16 [default: the usual one of
    /// this build; a case names its own]
    #[arg(long, value_name = "SIZE")]
    pub(crate) fabric: Option<Geometry>,
    /// Run so many cycles instead of until the fabric is quiet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=drra_case::MAX_CYCLES))]
    pub(crate) cycles: Option<u64>,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(crate) io_cells: Vec<String>,
}

/// What a design may take.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub(crate) struct Bounds {
    /// A design that takes longer for a clock cycle hangs
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = Time::more_than_nothing)]
    watchdog: Time,
    /// A design that takes more memory fails (500M, 2G) [default: three quarters of this machine's, divided by its
    /// cores, but 1G at least]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory: Option<u64>,
}

impl From<Bounds> for Limits {
    fn from(bounds: Bounds) -> Self {
        let memory = bounds.memory.unwrap_or(Self::default().memory);
        Self { watchdog: bounds.watchdog.into(), memory }
    }
}

/// Reads an amount of memory in bytes, of which 1M is 1024 times 1024.
fn bytes(text: &str) -> Result<u64, &'static str> {
    let (number, unit) = match text.as_bytes().last() {
        Some(b'M') => (text.strip_suffix('M'), 20),
        _ => (text.strip_suffix('G'), 30),
    };
    let number = number.and_then(|number| number.parse().ok()).filter(|n| (1..1 << 20).contains(n));
    number.map(|number: u64| number << unit).ok_or("write megabytes or gigabytes, such as 500M, 2G")
}

/// What a program starts with, read and checked.
pub(crate) fn extras<'a>(start: &'a StartArgs, build: &Build) -> Result<Extras<'a>, CommandError> {
    Ok(Extras {
        mem: start.mem.as_deref(),
        isa: start.isa.as_deref().map(description::choose_runnable).transpose()?,
        io_cells: io_cells(&start.io_cells, &start.fabric.unwrap_or(build.usual()))?,
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

/// Reads the seed of a campaign.
pub(crate) fn seed(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "write a whole number below 2^64, such as 1 or 20261125")
}

/// Reads a number from 0 to 100.
pub(crate) fn percent(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or("write a number from 0 to 100")
}

/// The refusal of a strap for a cell that the fabric does not have.
pub(crate) fn no_io_cell(text: &str, geometry: &Geometry) -> CommandError {
    let what = format!("--io-cell {text}: no cell of this fabric");
    let last = geometry.columns - 1;
    usage(what, format!("write ROW,COLUMN with rows 0..1 and columns 0..{last}"))
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
