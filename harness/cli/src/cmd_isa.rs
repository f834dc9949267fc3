// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra isa check|doc|rs|sv`, and the descriptions that other commands are given with `--isa`.

use drra_case::{ReadError, load::read_text};
use drra_codegen::{AnyDescription, DescribeError, describe};
use drra_isa::{Finding, InstructionSet, Revision, published_layout};

use super::{args::IsaCommand, suggest};
use crate::command_prelude::*;

/// Remedy for errors in an instruction set.
const CODES: &str = "the codes are explained in isa/spec/01-isa.md, 6.2";

/// Remedy for an unknown description.
const NAMES: &str = "give a revision (r0 to r4, v2, v3) or a description file";

pub(super) fn run(command: &IsaCommand) -> Result<Exit, CommandError> {
    match command {
        IsaCommand::Check { file } => {
            say!("{}: {}: no errors", file.display(), read(file)?)?;
        }
        IsaCommand::Doc { file } => write!(stdout(), "{}", read(file)?.markdown())?,
        IsaCommand::Rs { file } => write!(stdout(), "{}", read(file)?.rust())?,
        IsaCommand::Sv { file, package } => {
            let good = |name: &str| {
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            if let Some(name) = package.as_deref().filter(|name| !good(name)) {
                return Err(usage(
                    format!("--package {name}: not a SystemVerilog identifier"),
                    "use letters, digits and underscores, and do not begin with a digit",
                ));
            }
            let text = read(file)?.systemverilog(package.as_deref());
            write!(stdout(), "{text}")?;
        }
    }
    Ok(Exit::Agreed)
}

/// Loads a description of instructions or of a fabric. Prints warnings; the returned error lists all problems.
pub(super) fn read(path: &Path) -> Result<AnyDescription, CommandError> {
    let warn = |warning: &Finding| note!("warning: {}: {warning}", path.display());
    let name = path.to_string_lossy();
    let text = match name.parse::<Revision>() {
        Ok(revision) => revision.source().to_owned(),
        Err(()) => read_text(path).map_err(|e| unreadable(path, &e))?,
    };
    match describe(&text) {
        Ok(loaded) => {
            loaded.warnings.iter().for_each(warn);
            Ok(loaded.description)
        }
        Err(e) => {
            e.warnings().for_each(warn);
            let help = match &e {
                DescribeError::Instructions(_) => CODES,
                DescribeError::Fabric(_) => "the format is defined by isa/fabric.schema.json",
            };
            Err(file(path, e, help))
        }
    }
}

/// The error for a description that cannot be read. If the file does not exist, a similar name is suggested; a name
/// like `r9` is not the name of a file.
fn unreadable(path: &Path, e: &ReadError) -> CommandError {
    if path.exists() {
        return file(path, format!("ISA-E01 : {e}"), CODES);
    }
    let name = path.to_string_lossy();
    if name.chars().all(|c| c.is_ascii_alphanumeric()) {
        let help = "r0 to r4 (also v2, v3) are built in; a description file needs its path";
        return file(path, "ISA-E01 : no such revision", help);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let siblings = suggest::siblings(path);
    let similar = suggest::did_you_mean(&name, siblings.iter().map(String::as_str));
    file(path, format!("ISA-E01 : {e}"), similar + NAMES)
}

/// The instruction set given by `--isa`: a published revision or a description file.
pub(super) fn choose(name: &str) -> Result<InstructionSet, CommandError> {
    if let Ok(revision) = name.parse::<Revision>() {
        return Ok(revision.into());
    }
    let path = Path::new(name);
    match read(path)? {
        AnyDescription::Instructions(isa) => Ok((*isa).into()),
        AnyDescription::Fabric(_) => {
            Err(file(path, "this describes a fabric, not instructions", NAMES))
        }
    }
}

/// Like [`choose`], but for a program to run: the hardware has the word layout of the published revisions.
pub(super) fn choose_runnable(name: &str) -> Result<InstructionSet, CommandError> {
    let set = choose(name)?;
    if let InstructionSet::Given(isa) = &set {
        published_layout(isa).map_err(|foreign| {
            let help = "the hardware runs only words of the published revisions; `drra asm` and \
                        `drra disasm` accept any description";
            file(Path::new(name), foreign, help)
        })?;
    }
    Ok(set)
}
