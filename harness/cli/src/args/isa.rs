// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the instruction set commands: `drra asm`, `disasm`, `isa`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
pub(crate) struct AsmArgs {
    /// Program: assembly, Manas source, image, case, compiler listing or schedule; or memory contents for --mem-out: a
    /// memory image or a VHDL test bench
    pub(crate) file: PathBuf,
    /// Write the program image to FILE instead of printing it
    #[arg(short, long = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the memory image to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) mem_out: Option<PathBuf>,
    /// Instruction set of the program unless an .ISA line sets it: a revision (r0 to r4, v2, v3) or a description file
    /// [default: detected for compiler output, otherwise r4]
    #[arg(long, value_name = "REV|FILE")]
    pub(crate) isa: Option<String>,
    /// Read the file as a compiler listing: headings are r_c, and values that are too wide are truncated with a warning
    #[arg(long)]
    pub(crate) listing: bool,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(crate) io_cells: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DisasmArgs {
    /// Program image, or a program in any other form
    pub(crate) file: PathBuf,
    /// Instruction set of the output: a revision (r0 to r4, v2, v3) or a description file
    #[arg(long, value_name = "REV|FILE", default_value = "r4")]
    pub(crate) isa: String,
    /// Print cell headings as r_c, as in compiler listings
    #[arg(long)]
    pub(crate) listing: bool,
    /// Print a case in JSON, with the memory contents and I/O cells of the program, that `drra run` reads
    #[arg(long, conflicts_with_all = ["listing", "isa"])]
    pub(crate) json: bool,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(crate) io_cells: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IsaCommand {
    /// Check an instruction set or fabric description
    Check {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
    },
    /// Print a description as Markdown tables
    Doc {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
    },
    /// Print the Rust code generated from a description: identifiers, fields and named values
    Rs {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
    },
    /// Print the SystemVerilog package generated from a description
    Sv {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
        /// Name of the package [default: drra_isa_pkg for instructions, drra_state_pkg for a fabric]
        #[arg(long)]
        package: Option<String>,
    },
}
