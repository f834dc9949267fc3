// SPDX-License-Identifier: MIT OR Apache-2.0
//! Program files in every form, and their memory images.

use std::{collections::BTreeSet, path::Path};

use drra_isa::{
    AsmError, Assembly, Blocks, CellId, Geometry, ImageError, Importer, InstructionSet,
    MemoryImage, TextFormat, Unit,
};

use super::text::read;
use crate::{CaseError, TextError};

/// Words of a row.
const BLOCK: usize = Geometry::BLOCK_WORDS;

/// Inputs other than the program file.
#[derive(Clone, Debug, Default)]
pub struct ProgramInputs<'a> {
    /// Memory image, or VHDL test bench with memory contents.
    pub mem: Option<&'a Path>,
    /// Initial values of words, which replace those of the program and of `mem`.
    pub words: Vec<InitialWord>,
    /// Instruction set of a program. If absent, it is inferred for texts written by a compiler; other texts are assumed
    /// to be of the newest revision. A program that is run must use the codes and fields of a published revision.
    pub isa: Option<InstructionSet>,
    /// I/O cells.
    pub io_cells: BTreeSet<CellId>,
}

/// The initial value of some bits of a word of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialWord {
    /// The cell whose register file has the word, or the tile.
    pub unit: Unit,
    /// Number of the word in the memory; a row of a tile has 16 words.
    pub number: usize,
    /// The bits to set.
    pub mask: u16,
    /// The value of these bits; the others are 0.
    pub value: u16,
}

/// A program file that has been read.
#[derive(Debug, Default)]
pub struct LoadedProgram {
    /// Words, memory contents, I/O cells, and the source lines of the instructions. An image has no source lines.
    pub assembly: Assembly,
    /// Warnings, each with file and line.
    pub warnings: Vec<String>,
    /// Decisions made while reading, each with its file.
    pub notes: Vec<String>,
}

/// TextFormat of a program or case, detected from its contents or its file extension.
///
/// # Errors
/// If neither the contents nor the extension identifies the form.
pub fn form_of(path: &Path, text: &str) -> Result<TextFormat, CaseError> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    match (TextFormat::of(text), ending) {
        (None | Some(TextFormat::Source), "json") => Ok(TextFormat::Case),
        (Some(form), _) => Ok(form),
        (None, "sasm") => Ok(TextFormat::Source),
        (None, "bin") => Ok(TextFormat::Image),
        (None, _) => Err(CaseError::UnknownKind { file: path.to_owned() }),
    }
}

/// Makes a program from a text of this form and from the given memory image, if there is one.
///
/// # Errors
/// The first error in one of the files, with its location, or a form that is not the form of a program.
pub fn program(
    path: &Path,
    text: String,
    form: TextFormat,
    extras: &ProgramInputs<'_>,
    geometry: &Geometry,
) -> Result<LoadedProgram, CaseError> {
    let mut program = match form {
        TextFormat::Memory | TextFormat::TestBench | TextFormat::Case => {
            return Err(CaseError::NoProgram { file: path.to_owned(), form });
        }
        TextFormat::Image => image(path, text, extras, geometry)?,
        _ => imported(path, text, form, extras, geometry)?,
    };
    if let Some(mem) = extras.mem {
        let more = read_memory(mem, geometry)?;
        let rows = more.rf.iter().flat_map(|(cell, blocks)| blocks.keys().map(|b| (*cell, *b)));
        let words = rows.flat_map(|(cell, b)| (0..BLOCK).map(move |k| (cell, BLOCK * b + k)));
        program.assembly.given.extend(words);
        join(&mut program.assembly.memory, more, mem)?;
    }
    let Assembly { memory, given, .. } = &mut program.assembly;
    for &word in &extras.words {
        let blocks = match word.unit {
            Unit::Cell(cell) => {
                given.insert((cell, word.number));
                memory.rf.entry(cell).or_default()
            }
            Unit::Tile(tile) => memory.sram.entry(tile).or_default(),
            Unit::Column(_) | Unit::Fabric => continue,
        };
        let old = &mut blocks.entry(word.number / BLOCK).or_default()[word.number % BLOCK];
        *old = *old & !word.mask | word.value;
    }
    Ok(program)
}

fn image(
    path: &Path,
    text: String,
    extras: &ProgramInputs<'_>,
    geometry: &Geometry,
) -> Result<LoadedProgram, CaseError> {
    // Words have the same width in every published revision.
    let isa = extras.isa.clone().unwrap_or_default();
    let image = drra_isa::read_program(&text, geometry, isa.isa().word_bits)
        .map_err(|e| in_image(path, text, e))?;
    let io_cells = extras.io_cells.clone();
    let assembly = Assembly { image, io_cells, isa, ..Assembly::default() };
    Ok(LoadedProgram { assembly, warnings: Vec::new(), notes: Vec::new() })
}

fn imported(
    path: &Path,
    text: String,
    form: TextFormat,
    extras: &ProgramInputs<'_>,
    geometry: &Geometry,
) -> Result<LoadedProgram, CaseError> {
    let (isa, io_cells) = (extras.isa.clone(), extras.io_cells.clone());
    let importer = Importer { isa, geometry: *geometry, io_cells };
    let import = importer.import(&text, form).map_err(|e| in_text(path, text, e))?;
    let notes = import
        .choice
        .iter()
        .map(|choice| format!("{}: {form}, {choice}; --isa overrides", path.display()));
    let notes = notes.collect();
    let warning =
        |w: &drra_isa::Warning| format!("{}:{}: {} {}", path.display(), w.line, w.code, w.message);
    let warnings = import.assembly.warnings.iter().map(warning).collect();
    Ok(LoadedProgram { assembly: import.assembly, warnings, notes })
}

/// Reads a memory image, or the memory contents of a VHDL test bench.
///
/// # Errors
/// If the file is unreadable or has a malformed line; the first such line is reported with its location.
pub fn read_memory(path: &Path, geometry: &Geometry) -> Result<MemoryImage, CaseError> {
    let text = read(path)?;
    let image = match TextFormat::of(&text) {
        Some(TextFormat::TestBench) => drra_isa::read_test_bench(&text, geometry),
        _ => drra_isa::read_memory(&text, geometry),
    };
    image.map_err(|e| in_image(path, text, e))
}

fn in_image(path: &Path, text: String, e: ImageError) -> CaseError {
    let ImageError { code, line, span, message } = e;
    in_text(path, text, AsmError { code, line, span, message })
}

fn in_text(path: &Path, text: String, e: AsmError) -> CaseError {
    let AsmError { code, line, span, message } = e;
    CaseError::Text(Box::new(TextError { file: path.to_owned(), text, line, span, code, message }))
}

/// Adds an image to the data of a program; a block must not come from both.
fn join(memory: &mut MemoryImage, more: MemoryImage, path: &Path) -> Result<(), CaseError> {
    let twice = |memory, row, col| {
        let file = path.to_owned();
        move |block| CaseError::BlockTwice { file, memory, row, col, block }
    };
    for (tile, blocks) in more.sram {
        let error = twice("SRAM", tile.image_row(), tile.col());
        extend(memory.sram.entry(tile).or_default(), blocks).map_err(error)?;
    }
    for (cell, blocks) in more.rf {
        let error = twice("RF", cell.row(), cell.col());
        extend(memory.rf.entry(cell).or_default(), blocks).map_err(error)?;
    }
    Ok(())
}

/// Adds blocks. If a block already exists, returns the first such block as an error.
fn extend(into: &mut Blocks, more: Blocks) -> Result<(), usize> {
    more.into_iter().try_for_each(|(block, words)| match into.insert(block, words) {
        Some(_) => Err(block),
        None => Ok(()),
    })
}
