// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptions that a person hands in.

use std::path::Path;

use drra_case::{ReadError, load::read_text};
use drra_isa::{
    DescribeError, Described, Finding, InstructionSet, Revision, describe, published_layout,
};

use super::{
    console::note,
    error::{CommandError, file},
    near,
};

/// What a person can do about the errors of an instruction set.
const CODES: &str = "the codes are explained in isa/spec/01-isa.md, 6.2";

/// What can be named.
const NAMES: &str = "name a revision (r0 to r4, v2, v3) or a description file";

/// Loads a description of instructions or of a fabric; warnings go to stderr, errors become one
/// failure that lists them.
pub(super) fn read(path: &Path) -> Result<Described, CommandError> {
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
                DescribeError::Fabric(_) => "the form is that of isa/fabric.schema.json",
            };
            Err(file(path, e, help))
        }
    }
}

/// Why a description cannot be read. One that does not exist is answered with what is near.
fn unreadable(path: &Path, e: &ReadError) -> CommandError {
    let mut help = CODES.to_owned();
    if !path.exists() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = near::beside(path);
        let known = Revision::ALL.iter().map(|r| r.name()).chain(beside.iter().map(String::as_str));
        help = near::did_you_mean(&name, known) + NAMES;
    }
    file(path, format!("ISA-E01 : {e}"), help)
}

/// The instruction set that `--isa` names: a published revision, or else a description file.
pub(super) fn choose(name: &str) -> Result<InstructionSet, CommandError> {
    if let Ok(revision) = name.parse::<Revision>() {
        return Ok(revision.into());
    }
    let path = Path::new(name);
    match read(path)? {
        Described::Instructions(isa) => Ok((*isa).into()),
        Described::Fabric(_) => Err(file(path, "this describes a fabric, no instructions", NAMES)),
    }
}

/// Like [`choose`], for a program that is run: the words of a description that is laid out like no
/// published revision are not those of the hardware.
pub(super) fn choose_runnable(name: &str) -> Result<InstructionSet, CommandError> {
    let set = choose(name)?;
    if let InstructionSet::Given(isa) = &set {
        published_layout(isa).map_err(|foreign| {
            let help = "the hardware runs words of the published revisions only; `drra asm` and \
                        `drra disasm` work with any description";
            file(Path::new(name), foreign, help)
        })?;
    }
    Ok(set)
}
