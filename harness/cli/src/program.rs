// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads programs and cases.

use drra_case::{
    Case,
    load::{LoadedCase, ProgramInputs, load},
};
use drra_isa::Geometry;
use drra_lockstep::RunSetup;

use super::{args, sizes};
use crate::command_prelude::*;

/// Reads a program for the default fabric, or a case, in any form; prints warnings and notes.
pub(super) fn read(
    path: &Path,
    extras: &ProgramInputs<'_>,
    build: &Build,
) -> Result<Case, CommandError> {
    read_for(path, extras, None, build)
}

/// Like [`read`], but for programs of this fabric size; a case may have another size.
pub(super) fn read_for_programs(
    path: &Path,
    extras: &ProgramInputs<'_>,
    size: &Geometry,
) -> Result<Case, CommandError> {
    let LoadedCase { case, warnings, notes, .. } = load(path, extras, size)?;
    print_notes(&warnings, &notes);
    Ok(case)
}

/// Like [`read`], but only for this fabric size, if one is given.
pub(super) fn read_for(
    path: &Path,
    extras: &ProgramInputs<'_>,
    fabric: Option<Geometry>,
    build: &Build,
) -> Result<Case, CommandError> {
    Ok(load_for(path, extras, fabric, build)?.case)
}

/// Like [`read_for`], with what is known about the text.
pub(super) fn load_for(
    path: &Path,
    extras: &ProgramInputs<'_>,
    fabric: Option<Geometry>,
    build: &Build,
) -> Result<LoadedCase, CommandError> {
    let size = fabric.unwrap_or(build.default_size());
    let loaded = load(path, extras, &size)?;
    print_notes(&loaded.warnings, &loaded.notes);
    let case = &loaded.case;
    if fabric.is_some() && case.geometry != size {
        let what = format!("{}: the case is for fabric {}", path.display(), case.geometry);
        return Err(usage(what, format!("give a case for {size}, or omit --fabric")));
    }
    match extras.io_cells.iter().find(|cell| !cell.is_in(&case.geometry)) {
        Some(cell) => {
            Err(args::no_io_cell(&format!("{},{}", cell.row(), cell.col()), &case.geometry))
        }
        None => Ok(loaded),
    }
}

/// Like [`read`], but for a case to run on a design, for which a model of its size is needed.
pub(super) fn read_to_run(
    path: &Path,
    setup: &RunSetup<'_>,
    build: &Build,
) -> Result<Case, CommandError> {
    let case = read(path, &ProgramInputs::default(), build)?;
    sizes::check(&path.display().to_string(), &case, setup.design)?;
    Ok(case)
}

/// The differences of an agreeing case that do not count, as an addition to its verdict. It is an error if none counts.
pub(super) fn not_counted(case: &Case, cycles: u64) -> Result<String, CommandError> {
    match case.compare_from {
        0 => Ok(String::new()),
        from if from <= cycles => Ok(format!(" (differences before cycle {from} do not count)")),
        from => Err(usage(
            format!(
                "{}: nothing counts: it ends in cycle {cycles}, before cycle {from} (compare_from)",
                case.name
            ),
            "give a smaller compare_from in the case file, or --compare-from",
        )),
    }
}

/// Prints warnings and notes about a file.
pub(super) fn print_notes(warnings: &[String], notes: &[String]) {
    notes.iter().for_each(|note| note!("note: {note}"));
    warnings.iter().for_each(|warning| note!("warning: {warning}"));
}
