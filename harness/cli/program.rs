// SPDX-License-Identifier: MIT OR Apache-2.0
//! Program files as commands read them.

use std::path::Path;

use drra_case::Case;
use drra_case::load::Extras;
use drra_case::load::Loaded;
use drra_case::load::load;

use super::console::note;
use super::error::CommandError;
use crate::GEOMETRY;

/// Reads a program or a case in any form; warnings and decisions go to standard error.
pub(super) fn read(path: &Path, extras: &Extras<'_>) -> Result<Case, CommandError> {
    let Loaded { case, warnings, notes } = load(path, extras, &GEOMETRY)?;
    tell(&warnings, &notes);
    Ok(case)
}

/// Prints what was noticed and decided while reading.
pub(super) fn tell(warnings: &[String], notes: &[String]) {
    for note in notes {
        note!("note: {note}");
    }
    for warning in warnings {
        note!("warning: {warning}");
    }
}
