// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the program of a checkout with another design.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use drra_host::foreign;
use serde_json::Value;

use crate::{MutateError, error::tool};

/// Package and name of the program of this project.
pub const PROGRAM: [&str; 2] = ["drra-cosim", "drra"];
/// The variables that select a design and its sizes.
const DESIGN: [&str; 7] = [
    "DRRA_RTL",
    "DRRA_MUTATED_RTL",
    "DRRA_FABRICS",
    "DRRA_COLS",
    "DRRA_TILE_ROWS",
    "DRRA_RF_DEPTH",
    "DRRA_SRAM_DEPTH",
];
/// The list of the design's files that the build script writes into its output folder.
const FILES: &str = "design.txt";

/// A program that was built.
#[derive(Debug)]
pub struct BuiltProgram {
    pub program: PathBuf,
    /// All files of the design, as Verilator names them; empty if the checkout is too old to list them.
    pub files: Vec<PathBuf>,
}

/// Builds a program of a project into a target folder, with the given settings in place of the caller's design and
/// sizes. Returns the messages of cargo if the build fails.
///
/// # Errors
/// If cargo does not start.
pub fn build(
    project: &Path,
    target: &Path,
    design: &[(&str, &OsStr)],
    [package, name]: [&str; 2],
) -> Result<Result<BuiltProgram, String>, MutateError> {
    let mut command = foreign::cargo();
    DESIGN.iter().for_each(|name| _ = command.env_remove(name));
    command.args(["build", "--release", "--package", package, "--bin", name]);
    command.args(["--message-format", "json-render-diagnostics"]).current_dir(project);
    command.env("CARGO_TARGET_DIR", target).envs(design.iter().copied());
    let output = command.output().map_err(|e| tool(format!("cargo: {e}")))?;
    if !output.status.success() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let mut built = BuiltProgram { program: target.join("release").join(name), files: Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    for message in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let Some(program) = message["executable"].as_str()
            && message["target"]["name"] == name
        {
            built.program = program.into();
        } else if let Some(folder) = message["out_dir"].as_str()
            && let Ok(list) = fs::read_to_string(Path::new(folder).join(FILES))
        {
            built.files = list.lines().map(PathBuf::from).collect();
        }
    }
    Ok(Ok(built))
}
