// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `drra` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    drra_cosim::cli::main()
}
