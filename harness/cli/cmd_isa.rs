// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra isa check|doc|rs|sv`.

use std::io::Write;
use std::io::stdout;
use std::path::Path;

use drra_case::diagnostic::Failure;
use drra_case::diagnostic::file;
use drra_case::diagnostic::plain;
use drra_case::load::read;
use drra_isa::Isa;
use drra_isa::load as load_isa;

use super::Exit;
use super::args::IsaArgs;
use super::args::IsaCommand;

pub(super) fn run(a: &IsaArgs) -> Result<Exit, Failure> {
    match &a.command {
        IsaCommand::Check { file } => {
            let isa = description(file)?;
            writeln!(
                stdout(),
                "{}: {} {}, {} instructions, words of {} bits: no errors",
                file.display(),
                isa.platform,
                isa.revision,
                isa.instructions.len(),
                isa.word_bits
            )?;
        }
        IsaCommand::Doc { file } => {
            write!(stdout(), "{}", drra_isa::markdown(&description(file)?))?
        }
        IsaCommand::Rs { file } => write!(stdout(), "{}", drra_isa::rust(&description(file)?))?,
        IsaCommand::Sv { file, package } => {
            let good = package.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && package.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !good {
                return Err(plain(format!("--package {package}: no identifier"), ""));
            }
            write!(stdout(), "{}", drra_isa::systemverilog(&description(file)?, package))?;
        }
    }
    Ok(Exit::Agreed)
}

/// Loads a description; warnings go to stderr, errors become one failure that lists them.
fn description(path: &Path) -> Result<Isa, Failure> {
    let report = load_isa(&read(path)?);
    for warning in report.findings.iter().filter(|f| !f.is_error()) {
        eprintln!("warning: {}: {warning}", path.display());
    }
    let errors: Vec<String> = report.errors().map(ToString::to_string).collect();
    report.isa.ok_or_else(|| {
        file(path, errors.join("\n"), "the codes are explained in isa/spec/01-isa.md, 6.2")
    })
}
