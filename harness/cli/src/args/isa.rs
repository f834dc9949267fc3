// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments of the commands about instructions: `drra asm`, `disasm`, `isa`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, ClapArgs)]
pub(crate) struct AsmArgs {
    /// Program: assembly, image, case, compiler listing or schedule; or a VHDL test bench, whose memory
    /// contents --mem-output takes
    pub(crate) file: PathBuf,
    /// Write the program image here instead of printing it
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the memory image here
    #[arg(long, value_name = "FILE")]
    pub(crate) mem_output: Option<PathBuf>,
    /// Instruction set of the text: a revision until an .ISA line (r0 to r4, v2, v3), or a
    /// description file [default: decided from a text that a compiler wrote, else r4]
    #[arg(long, value_name = "REV|FILE")]
    pub(crate) isa: Option<String>,
    /// Read the file as a compiler listing: headings r_c, values too wide are cut with a warning
    #[arg(long)]
    pub(crate) listing: bool,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(crate) io_cells: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DisasmArgs {
    /// Program image, or a program in another form
    pub(crate) file: PathBuf,
    /// Instruction set to write: a revision (r0 to r4, v2, v3) or a description file
    #[arg(long, value_name = "REV|FILE", default_value = "r4")]
    pub(crate) isa: String,
    /// Print cell headings r_c as compiler listings have them
    #[arg(long)]
    pub(crate) listing: bool,
    /// Make cell R,C an I/O cell (may be repeated)
    #[arg(long = "io-cell", value_name = "R,C")]
    pub(crate) io_cells: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct IsaArgs {
    #[command(subcommand)]
    pub(crate) command: IsaCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IsaCommand {
    /// Check a description file
    Check {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
    },
    /// Print a description as Markdown tables
    Doc {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
    },
    /// Print the Rust source of a description: identities, fields, named values
    Rs {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
    },
    /// Print the SystemVerilog package of a description
    Sv {
        /// Description file, or a published revision of the instruction set (r0 to r4, v2, v3)
        file: PathBuf,
        /// Name of the package [default: drra_isa_pkg for instructions, drra_state_pkg for a fabric]
        #[arg(long)]
        package: Option<String>,
    },
}
