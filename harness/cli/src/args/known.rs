// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of known deviations, for the commands that can fail.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args as ClapArgs;
use drra_diagnose::signature;
use drra_report::known::Known;

use crate::{
    error::{CommandError, file},
    suggest,
};

#[derive(Debug, ClapArgs)]
pub(crate) struct KnownArgs {
    /// Known deviations, one per line: FAILURE = TICKET [since=DATE] [owner=NAME]: REASON; a failure that matches is
    /// reported as known and does not affect the exit code
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
}

impl KnownArgs {
    /// Reads the list; it is empty without the option.
    pub(crate) fn read(&self) -> Result<Known, CommandError> {
        let Some(path) = &self.known else { return Ok(Known::default()) };
        let text = fs::read_to_string(path).map_err(|e| file(path, e, "give a readable file"))?;
        Known::parse(&text).map_err(|e| {
            let fields = ["since", "owner"];
            let similar = |name| suggest::did_you_mean(name, signature::places().chain(fields));
            let similar = e.name.as_deref().map_or_else(String::new, similar);
            let remedy =
                "write one deviation per line, such as: cell AGU = 3.7: write masks are ignored";
            file(path, e, similar + remedy)
        })
    }

    /// The path of the list.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.known.as_deref()
    }
}
