// SPDX-License-Identifier: MIT OR Apache-2.0
//! Program files as commands read them.

use std::path::Path;

use drra_case::{
    Case,
    load::{Extras, Loaded, load},
};
use drra_isa::Geometry;

use super::{
    args,
    build::Build,
    console::note,
    error::{CommandError, usage},
};

/// Reads a program for the usual fabric, or a case, in any form; warnings and decisions go to standard error.
pub(super) fn read(path: &Path, extras: &Extras<'_>, build: &Build) -> Result<Case, CommandError> {
    read_for(path, extras, None, build)
}

/// As [`read`], for programs of a fabric of this size; a case may have another one.
pub(super) fn read_for_programs(
    path: &Path,
    extras: &Extras<'_>,
    size: &Geometry,
) -> Result<Case, CommandError> {
    let Loaded { case, warnings, notes } = load(path, extras, size)?;
    tell(&warnings, &notes);
    Ok(case)
}

/// As [`read`], for a fabric of the given size alone.
pub(super) fn read_for(
    path: &Path,
    extras: &Extras<'_>,
    fabric: Option<Geometry>,
    build: &Build,
) -> Result<Case, CommandError> {
    let size = fabric.unwrap_or(build.usual());
    let case = read_for_programs(path, extras, &size)?;
    if fabric.is_some() && case.geometry != size {
        let what = format!("{}: the case is for a fabric {}", path.display(), case.geometry);
        return Err(usage(what, "leave --fabric out"));
    }
    match extras.io_cells.iter().find(|cell| !cell.is_in(&case.geometry)) {
        Some(cell) => {
            Err(args::no_io_cell(&format!("{},{}", cell.row(), cell.col()), &case.geometry))
        }
        None => Ok(case),
    }
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
