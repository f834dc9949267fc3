// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra asm` and `drra disasm`.

use std::fmt::Write as _;

use drra_case::{
    Case,
    load::{self, LoadedCase, LoadedProgram, ProgramInputs},
};
use drra_isa::{Assembly, InstructionSet, TextFormat, disassemble as disassemble_words};

use super::{
    args::{self, AsmArgs, DisasmArgs},
    cmd_isa, program,
};
use crate::command_prelude::*;

pub(super) fn assemble(a: &AsmArgs, build: &Build) -> Result<Exit, CommandError> {
    let form = a.listing.then_some(TextFormat::Listing);
    let isa = a.isa.as_deref().map(cmd_isa::choose).transpose()?;
    let assembly = read(&a.file, form, |_| isa.clone(), &a.io_cells, build)?;
    let image = assembly.image.to_text(assembly.isa.isa().word_bits);
    let memory = assembly.memory.to_text();
    if let Some(path) = &a.mem_out {
        save(path, &memory)?;
    }
    match &a.output {
        Some(path) => save(path, &image)?,
        None => write!(stdout(), "{image}")?,
    }
    if a.mem_out.is_none() && !assembly.memory.is_empty() {
        note!("note: the memory contents were not written; add --mem-out FILE to write them");
    }
    Ok(Exit::Agreed)
}

/// Reads a program in any form, or memory contents, which contain no instructions. `isa` returns the instruction set
/// for a form, or `None` for the default.
fn read(
    path: &Path,
    form: Option<TextFormat>,
    isa: impl Fn(TextFormat) -> Option<InstructionSet>,
    io_cells: &[String],
    build: &Build,
) -> Result<Assembly, CommandError> {
    let text = load::read(path)?;
    let form = form.map_or_else(|| load::form_of(path, &text), Ok)?;
    let size = build.default_size();
    let extras = ProgramInputs {
        isa: isa(form),
        io_cells: args::io_cells(io_cells, &size)?,
        ..Default::default()
    };
    let LoadedProgram { assembly, warnings, notes } = match form {
        TextFormat::Case => {
            let LoadedCase { case, warnings, notes, .. } =
                load::load_as(path, text, form, &extras, &size)?;
            let Case { program: image, memory, io_cells, .. } = case;
            let assembly = Assembly { image, memory, io_cells, ..Assembly::default() };
            LoadedProgram { assembly, warnings, notes }
        }
        TextFormat::Memory | TextFormat::TestBench => {
            let memory = load::read_memory(path, &size)?;
            LoadedProgram {
                assembly: Assembly { memory, ..Assembly::default() },
                ..LoadedProgram::default()
            }
        }
        _ => load::program(path, text, form, &extras, &size)?,
    };
    program::print_notes(&warnings, &notes);
    Ok(assembly)
}

pub(super) fn disassemble(a: &DisasmArgs, build: &Build) -> Result<Exit, CommandError> {
    if a.json {
        let io_cells = args::io_cells(&a.io_cells, &build.default_size())?;
        let inputs = ProgramInputs { io_cells, ..ProgramInputs::default() };
        let case = program::read_for(&a.file, &inputs, None, build)?;
        write!(stdout(), "{}", drra_case::to_json(&case))?;
        return Ok(Exit::Agreed);
    }
    let set = cmd_isa::choose(&a.isa)?;
    // A published revision determines how words are decoded, but not how a text is parsed.
    let needed = |form| form == TextFormat::Image || matches!(set, InstructionSet::Given(_));
    let isa = |form| needed(form).then(|| set.clone());
    let Assembly { image, io_cells, .. } = read(&a.file, None, isa, &a.io_cells, build)?;
    let mut out = String::new();
    if !a.listing {
        if let InstructionSet::Given(_) = set {
            writeln!(out, "# read this with --isa {}", a.isa).expect("writing to a string");
        }
        if let Some(name) = set.directive_name() {
            writeln!(out, ".ISA {name}").expect("writing to a string");
        }
        for cell in &io_cells {
            let (row, col) = (cell.row(), cell.col());
            writeln!(out, ".IOCELL <{row},{col}>").expect("writing to a string");
        }
    }
    for (cell, words) in image.cells() {
        let (row, col) = (cell.row(), cell.col());
        let heading =
            if a.listing { format!("{row}_{col}") } else { format!("\nCELL <{row},{col}>") };
        writeln!(out, "{heading}").expect("writing to a string");
        for line in disassemble_words(set.isa(), words, io_cells.contains(&cell)) {
            writeln!(out, "{}", line.text).expect("writing to a string");
        }
        if a.listing {
            out.push('\n');
        }
    }
    write!(stdout(), "{out}")?;
    Ok(Exit::Agreed)
}
