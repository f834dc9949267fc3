// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files to cases: `.sasm`, `.bin` with an optional memory image, `.json`, compiler schedules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use drra_isa::Assembler;
use drra_isa::Assembly;
use drra_isa::Geometry;
use drra_isa::MemoryImage;
use drra_isa::Mode;
use drra_isa::Revision;

use crate::Case;
use crate::diagnostic::Failure;
use crate::diagnostic::file;
use crate::diagnostic::line_span;
use crate::diagnostic::located;

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// What a person gives besides the program file.
#[derive(Clone, Debug, Default)]
pub struct Extras<'a> {
    /// Memory image.
    pub mem: Option<&'a Path>,
    /// I/O cells.
    pub io_cells: BTreeSet<(usize, usize)>,
}

/// A loaded file: the case and what the assembler warned about.
#[derive(Debug)]
pub struct Loaded {
    /// The case.
    pub case: Case,
    /// Warnings, each with file and line.
    pub warnings: Vec<String>,
}

/// Reads a program or a case.
///
/// # Errors
/// An input failure with file, place and remedy.
pub fn load(path: &Path, extras: &Extras<'_>, geometry: &Geometry) -> Result<Loaded, Failure> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut loaded = match extension {
        "sasm" => {
            let assembly =
                assemble(path, Revision::default(), Mode::Source, &extras.io_cells, geometry)?;
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
            let text = read(path)?;
            let program = drra_isa::read_program(&text, geometry).map_err(|e| {
                located(path, &text, e.line, line_span(&text, e.line), e.code, &e.message)
            })?;
            let memory = match extras.mem {
                Some(mem) => read_memory(mem, geometry)?,
                None => MemoryImage::default(),
            };
            Loaded { case: Case::new(&name, program, &memory), warnings: Vec::new() }
        }
        "json" => {
            if extras.mem.is_some() {
                return Err(file(path, "a case brings its own memory contents", "leave --mem out"));
            }
            let text = read(path)?;
            let mut case = crate::parse(&text, geometry)
                .map_err(|e| file(path, format!("at `{}`: {}", e.path, e.message), ""))?;
            if case.name.is_empty() {
                case.name = name;
            }
            Loaded { case, warnings: Vec::new() }
        }
        _ => {
            return Err(file(
                path,
                "unknown kind of file",
                "programs are `.sasm` (assembly), `.bin` (image) or `.json` (case)",
            ));
        }
    };
    loaded.case.io_cells.extend(&extras.io_cells);
    Ok(loaded)
}

/// Reads a text file.
///
/// # Errors
/// If the file does not exist, is too large, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, Failure> {
    let problem = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => file(path, "there is no such file", "check the path"),
        _ => file(path, format!("cannot be read: {e}"), ""),
    };
    let metadata = fs::metadata(path).map_err(problem)?;
    if metadata.is_dir() {
        return Err(file(path, "this is a folder", "name a file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(file(path, format!("the file is larger than {} MiB", MAX_BYTES >> 20), ""));
    }
    let bytes = fs::read(path).map_err(problem)?;
    String::from_utf8(bytes).map_err(|e| {
        file(path, format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to()), "")
    })
}

/// Assembles a file.
///
/// # Errors
/// An unreadable file, or the first error of the text at its place.
pub fn assemble(
    path: &Path,
    revision: Revision,
    mode: Mode,
    io_cells: &BTreeSet<(usize, usize)>,
    geometry: &Geometry,
) -> Result<Assembly, Failure> {
    let text = read(path)?;
    let assembler = Assembler { revision, geometry: *geometry, mode, io_cells: io_cells.clone() };
    assembler
        .assemble(&text)
        .map_err(|e| located(path, &text, e.line, e.span.clone(), e.code, &e.message))
}

/// The warnings of an assembly as lines of text.
pub fn warnings(path: &Path, assembly: &Assembly) -> Vec<String> {
    assembly
        .warnings
        .iter()
        .map(|w| format!("{}:{}: {} {}", path.display(), w.line, w.code, w.message))
        .collect()
}

/// Reads a memory image.
///
/// # Errors
/// An unreadable file, or the first malformed line at its place.
pub fn read_memory(path: &Path, geometry: &Geometry) -> Result<MemoryImage, Failure> {
    let text = read(path)?;
    drra_isa::read_memory(&text, geometry)
        .map_err(|e| located(path, &text, e.line, line_span(&text, e.line), e.code, &e.message))
}

/// Adds an image to the data of a program; a block must not come from both.
fn join(memory: &mut MemoryImage, more: MemoryImage, path: &Path) -> Result<(), Failure> {
    for (name, into, from) in
        [("SRAM", &mut memory.sram, more.sram), ("RF", &mut memory.rf, more.rf)]
    {
        for ((row, col), blocks) in from {
            for (address, block) in blocks {
                if into.entry((row, col)).or_default().insert(address, block).is_some() {
                    let what =
                        format!("{name} {row} {col} block {address} is in the program as well");
                    return Err(file(path, what, "initialise a block in one place"));
                }
            }
        }
    }
    Ok(())
}
