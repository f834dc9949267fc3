// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra isa check|doc|rs|sv`.

use std::io::Write;
use std::io::stdout;
use std::path::Path;

use drra_case::load::read;
use drra_isa::DescribeError;
use drra_isa::Described;
use drra_isa::Finding;
use drra_isa::describe;

use super::Exit;
use super::args::IsaArgs;
use super::args::IsaCommand;
use super::error::CommandError;
use super::error::file;
use super::error::usage;

pub(super) fn run(a: &IsaArgs) -> Result<Exit, CommandError> {
    match &a.command {
        IsaCommand::Check { file } => {
            writeln!(stdout(), "{}: {}: no errors", file.display(), description(file)?)?;
        }
        IsaCommand::Doc { file } => write!(stdout(), "{}", description(file)?.markdown())?,
        IsaCommand::Rs { file } => write!(stdout(), "{}", description(file)?.rust())?,
        IsaCommand::Sv { file, package } => {
            let good = |name: &str| {
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            if let Some(name) = package.as_deref().filter(|name| !good(name)) {
                return Err(usage(format!("--package {name}: no identifier"), ""));
            }
            let text = description(file)?.systemverilog(package.as_deref());
            write!(stdout(), "{text}")?;
        }
    }
    Ok(Exit::Agreed)
}

/// Loads a description of instructions or of a fabric; warnings go to stderr, errors become one
/// failure that lists them.
fn description(path: &Path) -> Result<Described, CommandError> {
    let warn = |warning: &Finding| eprintln!("warning: {}: {warning}", path.display());
    match describe(&read(path)?) {
        Ok(loaded) => {
            loaded.warnings.iter().for_each(warn);
            Ok(loaded.description)
        }
        Err(e) => {
            e.warnings().for_each(warn);
            let help = match &e {
                DescribeError::Instructions(_) => {
                    "the codes are explained in isa/spec/01-isa.md, 6.2"
                }
                DescribeError::Fabric(_) => "the form is that of isa/fabric.schema.json",
            };
            Err(file(path, e.to_string(), help))
        }
    }
}
