// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of known deviations, for the commands that can fail.

use std::{fs, path::PathBuf};

use clap::Args as ClapArgs;
use drra_report::known::Known;

use crate::error::{CommandError, file};

#[derive(Debug, ClapArgs)]
pub(crate) struct KnownArgs {
    /// Known deviations, one per line: FAILURE = TICKET: REASON; a failure that matches is reported as known and does not
    /// affect the exit code
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
}

impl KnownArgs {
    /// The list; empty without the option.
    pub(crate) fn read(&self) -> Result<Known, CommandError> {
        let Some(path) = &self.known else { return Ok(Known::default()) };
        let remedy =
            "write one deviation per line, such as: cell AGU = 3.7: write masks are ignored";
        let text =
            fs::read_to_string(path).map_err(|e| file(path, e, "give a file that can be read"))?;
        Known::parse(&text).map_err(|e| file(path, e, remedy))
    }
}
