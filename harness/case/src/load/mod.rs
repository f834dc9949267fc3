// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads files as cases: programs in every form of [`TextFormat`] that has instructions, and case files.

mod program;
mod text;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use drra_isa::{Assembly, CellId, Geometry, RawValue, SourceLine, TextFormat};

use crate::{Case, CaseError, ElementWarning};

pub use program::{InitialWord, LoadedProgram, ProgramInputs, form_of, program, read_memory};
pub use text::{read, read_text};

/// A loaded file: the case, with the warnings and notes from reading it.
#[derive(Debug)]
pub struct LoadedCase {
    /// The case or program, ready to run.
    pub case: Case,
    /// Warnings, each with file and line.
    pub warnings: Vec<String>,
    /// Decisions made while reading, each with its file.
    pub notes: Vec<String>,
    /// Origin of each instruction in the text, as in [`drra_isa::Assembly`]; empty for an image and for a case.
    pub lines: Vec<SourceLine>,
    /// Values of signed fields that the text gives as raw patterns.
    pub raw_values: Vec<RawValue>,
    /// The address of each label of the text, as in [`drra_isa::Assembly`].
    pub labels: BTreeMap<(CellId, String), usize>,
    /// Register-file words that the text initialises; `None` if the file gives whole rows.
    pub given: Option<BTreeSet<(CellId, usize)>>,
    /// The text of a program that people write, whose comments can concern other tools.
    pub text: Option<String>,
    /// Form of the file.
    pub form: TextFormat,
}

/// Reads a program for a fabric of this size, or a case, which specifies its own size. The form is detected from the
/// contents or the file extension.
///
/// # Errors
/// The problem with one of the files, with its location.
pub fn load(
    path: &Path,
    extras: &ProgramInputs<'_>,
    geometry: &Geometry,
) -> Result<LoadedCase, CaseError> {
    if path.is_dir() {
        return Err(CaseError::UnknownKind { file: path.to_owned() });
    }
    let text = read(path)?;
    let form = form_of(path, &text)?;
    load_as(path, text, form, extras, geometry)
}

/// Like [`load`], for a text that has already been read and is assumed to have this form.
///
/// # Errors
/// As for [`load`].
pub fn load_as(
    path: &Path,
    text: String,
    form: TextFormat,
    extras: &ProgramInputs<'_>,
    geometry: &Geometry,
) -> Result<LoadedCase, CaseError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut loaded = if form == TextFormat::Case {
        of_case(path, &text, extras)?
    } else {
        let source = matches!(form, TextFormat::Source | TextFormat::Manas);
        let kept = source.then(|| text.clone());
        let LoadedProgram { assembly, warnings, notes } =
            program(path, text, form, extras, geometry)?;
        let mut case = Case::new(&name, geometry, assembly.image, assembly.memory);
        case.io_cells = assembly.io_cells;
        let given = source.then_some(assembly.given);
        let Assembly { lines, raw_values, labels, .. } = assembly;
        LoadedCase { case, warnings, notes, lines, raw_values, labels, given, text: kept, form }
    };
    if loaded.case.name.is_empty() {
        loaded.case.name = name;
    }
    loaded.case.io_cells.extend(&extras.io_cells);
    Ok(loaded)
}

fn of_case(path: &Path, text: &str, extras: &ProgramInputs<'_>) -> Result<LoadedCase, CaseError> {
    if extras.mem.is_some() || !extras.words.is_empty() {
        return Err(CaseError::MemoryOfCase { file: path.to_owned() });
    }
    if extras.isa.is_some() {
        return Err(CaseError::InstructionsOfCase { file: path.to_owned() });
    }
    let (case, warnings) = crate::parse_with_warnings(text)
        .map_err(|error| CaseError::Element { file: path.to_owned(), error })?;
    let of_file = |w: ElementWarning| format!("{}: {w}", path.display());
    Ok(LoadedCase {
        case,
        warnings: warnings.into_iter().map(of_file).collect(),
        notes: Vec::new(),
        lines: Vec::new(),
        raw_values: Vec::new(),
        labels: BTreeMap::new(),
        given: None,
        text: None,
        form: TextFormat::Case,
    })
}
