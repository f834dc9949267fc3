// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra isa check|doc|rs|sv`.

use std::io::Write;

use super::{
    Exit,
    args::{IsaArgs, IsaCommand},
    console::stdout,
    description,
    error::{CommandError, usage},
};

pub(super) fn run(a: &IsaArgs) -> Result<Exit, CommandError> {
    match &a.command {
        IsaCommand::Check { file } => {
            writeln!(stdout(), "{}: {}: no errors", file.display(), description::read(file)?)?;
        }
        IsaCommand::Doc { file } => write!(stdout(), "{}", description::read(file)?.markdown())?,
        IsaCommand::Rs { file } => write!(stdout(), "{}", description::read(file)?.rust())?,
        IsaCommand::Sv { file, package } => {
            let good = |name: &str| {
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            if let Some(name) = package.as_deref().filter(|name| !good(name)) {
                return Err(usage(format!("--package {name}: no identifier"), ""));
            }
            let text = description::read(file)?.systemverilog(package.as_deref());
            write!(stdout(), "{text}")?;
        }
    }
    Ok(Exit::Agreed)
}
