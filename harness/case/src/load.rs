// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files to cases: `.sasm`, `.bin` with an optional memory image, `.json`, compiler schedules.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

use drra_isa::Assembler;
use drra_isa::Assembly;
use drra_isa::Geometry;
use drra_isa::ImageError;
use drra_isa::InstructionSet;
use drra_isa::MemoryImage;
use drra_isa::Mode;
use drra_isa::ProgramImage;
use drra_isa::instructions::WORD_BITS;

use crate::Case;
use crate::CaseError;
use crate::ElementWarning;
use crate::ReadError;
use crate::TextError;

/// Largest file that is read, in MiB.
const MAX_MIB: u64 = 256;

/// The same in bytes.
const MAX_BYTES: u64 = MAX_MIB << 20;

/// What a person gives besides the program file.
#[derive(Clone, Debug, Default)]
pub struct Extras<'a> {
    /// Memory image.
    pub mem: Option<&'a Path>,
    /// Instruction set of a program; the newest revision if not given. Its codes and fields are
    /// those of a published revision.
    pub isa: Option<InstructionSet>,
    /// I/O cells.
    pub io_cells: BTreeSet<(usize, usize)>,
}

/// A loaded file: the case and what the assembler warned about.
#[derive(Debug)]
pub struct Loaded {
    /// What the file says, ready to run.
    pub case: Case,
    /// Warnings, each with file and line.
    pub warnings: Vec<String>,
}

/// Reads a program or a case.
///
/// # Errors
/// What is wrong with one of the files, with the place in it.
pub fn load(path: &Path, extras: &Extras<'_>, geometry: &Geometry) -> Result<Loaded, CaseError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut loaded = match extension {
        "sasm" => {
            let isa = extras.isa.clone().unwrap_or_default();
            let assembly = assemble(path, isa, Mode::Source, &extras.io_cells, geometry)?;
            let mut memory = assembly.memory.clone();
            if let Some(mem) = extras.mem {
                join(&mut memory, read_memory(mem, geometry)?, mem)?;
            }
            let warnings = warnings(path, &assembly);
            let mut case = Case::new(&name, assembly.image, &memory);
            case.io_cells = assembly.io_cells;
            Loaded { case, warnings }
        }
        "bin" => {
            // Every published revision has words of the same width.
            let program = read_program(path, geometry, WORD_BITS)?;
            let memory = match extras.mem {
                Some(mem) => read_memory(mem, geometry)?,
                None => MemoryImage::default(),
            };
            Loaded { case: Case::new(&name, program, &memory), warnings: Vec::new() }
        }
        "json" if extras.mem.is_some() => {
            return Err(CaseError::MemoryOfCase { file: path.to_owned() });
        }
        "json" if extras.isa.is_some() => {
            return Err(CaseError::InstructionsOfCase { file: path.to_owned() });
        }
        "json" => {
            let text = read(path)?;
            let (mut case, warnings) = crate::parse_with_warnings(&text, geometry)
                .map_err(|error| CaseError::Element { file: path.to_owned(), error })?;
            if case.name.is_empty() {
                case.name = name;
            }
            let of_file = |w: ElementWarning| format!("{}: {w}", path.display());
            Loaded { case, warnings: warnings.into_iter().map(of_file).collect() }
        }
        _ => return Err(CaseError::UnknownKind { file: path.to_owned() }),
    };
    loaded.case.io_cells.extend(&extras.io_cells);
    Ok(loaded)
}

/// Reads a text file.
///
/// # Errors
/// If the file does not exist, is larger than 256 MiB, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, CaseError> {
    read_text(path).map_err(|error| CaseError::Read { file: path.to_owned(), error })
}

/// Reads a text file, for a caller that names the file itself.
///
/// # Errors
/// If the file does not exist, is larger than 256 MiB, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    if metadata.len() > MAX_BYTES {
        return Err(ReadError::TooLarge(MAX_MIB));
    }
    String::from_utf8(fs::read(path)?).map_err(|e| ReadError::NotText(e.utf8_error().valid_up_to()))
}

/// Assembles a file.
///
/// # Errors
/// An unreadable file, or the first error of the text at its place.
pub fn assemble(
    path: &Path,
    isa: InstructionSet,
    mode: Mode,
    io_cells: &BTreeSet<(usize, usize)>,
    geometry: &Geometry,
) -> Result<Assembly, CaseError> {
    let text = read(path)?;
    let assembler = Assembler { isa, geometry: *geometry, mode, io_cells: io_cells.clone() };
    assembler.assemble(&text).map_err(|e| {
        let file = path.to_owned();
        let (line, span, code, message) = (e.line, e.span, e.code, e.message);
        CaseError::Text(Box::new(TextError { file, text, line, span, code, message }))
    })
}

/// The warnings of an assembly as lines of text.
pub fn warnings(path: &Path, assembly: &Assembly) -> Vec<String> {
    assembly
        .warnings
        .iter()
        .map(|w| format!("{}:{}: {} {}", path.display(), w.line, w.code, w.message))
        .collect()
}

/// Reads a program image with words of `word_bits` bits.
///
/// # Errors
/// An unreadable file, or the first malformed line at its place.
pub fn read_program(
    path: &Path,
    geometry: &Geometry,
    word_bits: u32,
) -> Result<ProgramImage, CaseError> {
    let text = read(path)?;
    drra_isa::read_program(&text, geometry, word_bits).map_err(|e| in_image(path, text, e))
}

/// Reads a memory image.
///
/// # Errors
/// An unreadable file, or the first malformed line at its place.
pub fn read_memory(path: &Path, geometry: &Geometry) -> Result<MemoryImage, CaseError> {
    let text = read(path)?;
    drra_isa::read_memory(&text, geometry).map_err(|e| in_image(path, text, e))
}

/// The error of a line of an image.
fn in_image(path: &Path, text: String, e: ImageError) -> CaseError {
    let (file, span) = (path.to_owned(), line_span(&text, e.line));
    let (line, code, message) = (e.line, e.code, e.message);
    CaseError::Text(Box::new(TextError { file, text, line, span, code, message }))
}

/// Bytes of a line counted from 1, without its line feed.
fn line_span(text: &str, line: usize) -> Range<usize> {
    let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let len = text[start..].lines().next().unwrap_or_default().len();
    start..start + len
}

/// Adds an image to the data of a program; a block must not come from both.
fn join(memory: &mut MemoryImage, more: MemoryImage, path: &Path) -> Result<(), CaseError> {
    for (name, into, from) in
        [("SRAM", &mut memory.sram, more.sram), ("RF", &mut memory.rf, more.rf)]
    {
        for ((row, col), blocks) in from {
            for (block, words) in blocks {
                if into.entry((row, col)).or_default().insert(block, words).is_some() {
                    let (file, memory) = (path.to_owned(), name);
                    return Err(CaseError::BlockTwice { file, memory, row, col, block });
                }
            }
        }
    }
    Ok(())
}
