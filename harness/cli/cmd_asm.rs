// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra asm` and `drra disasm`.

use std::fmt::Write as _;
use std::io::Write;

use drra_case::load;
use drra_case::output::write_whole;
use drra_isa::Assembler;
use drra_isa::InstructionSet;
use drra_isa::Mode;
use drra_isa::disassemble as disassemble_words;
use drra_isa::read_sync_json;
use drra_isa::read_sync_text;

use super::Exit;
use super::args;
use super::args::AsmArgs;
use super::args::DisasmArgs;
use super::console::note;
use super::console::stdout;
use super::description;
use super::error::CommandError;
use super::error::file;
use crate::GEOMETRY;

pub(super) fn assemble(a: &AsmArgs) -> Result<Exit, CommandError> {
    let io_cells = args::io_cells(&a.io_cells)?;
    let isa = description::choose(&a.isa)?;
    let extension = a.file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let assembly = match (extension, a.listing) {
        ("json" | "txt", false) => {
            let text = load::read(&a.file)?;
            let settings = Assembler { isa, geometry: GEOMETRY, io_cells, ..Default::default() };
            let result = match extension {
                "json" => read_sync_json(&settings, &text),
                _ => read_sync_text(&settings, &text),
            };
            result.map_err(|e| file(&a.file, e, ""))?
        }
        (_, listing) => {
            let mode = if listing { Mode::Listing } else { Mode::Source };
            load::assemble(&a.file, isa, mode, &io_cells, &GEOMETRY)?
        }
    };
    for warning in load::warnings(&a.file, &assembly) {
        note!("warning: {warning}");
    }
    let image = assembly.image.to_text(assembly.isa.isa().word_bits);
    let memory = assembly.memory.to_text();
    let save = |path: &std::path::Path, text: &str| {
        write_whole(path, text.as_bytes())
            .map_err(|e| file(path, format!("cannot be written: {e}"), "check folder and rights"))
    };
    if let Some(path) = &a.mem_output {
        save(path, &memory)?;
    }
    match &a.output {
        Some(path) => save(path, &image)?,
        None => write!(stdout(), "{image}")?,
    }
    if a.mem_output.is_none() && !assembly.memory.is_empty() {
        note!("note: the data section is written with --mem-output FILE");
    }
    Ok(Exit::Agreed)
}

pub(super) fn disassemble(a: &DisasmArgs) -> Result<Exit, CommandError> {
    let io_cells = args::io_cells(&a.io_cells)?;
    let set = description::choose(&a.isa)?;
    let image = load::read_program(&a.file, &GEOMETRY, set.isa().word_bits)?;
    let mut out = String::new();
    if !a.listing {
        if let InstructionSet::Given(_) = set {
            writeln!(out, "# to be read with --isa {}", a.isa).expect("writing to a string");
        }
        if let Some(name) = set.directive_name() {
            writeln!(out, ".ISA {name}").expect("writing to a string");
        }
        for (row, col) in &io_cells {
            writeln!(out, ".IOCELL <{row},{col}>").expect("writing to a string");
        }
    }
    for ((row, col), words) in image.cells() {
        let heading =
            if a.listing { format!("{row}_{col}") } else { format!("\nCELL <{row},{col}>") };
        writeln!(out, "{heading}").expect("writing to a string");
        for line in disassemble_words(set.isa(), words, io_cells.contains(&(row, col))) {
            writeln!(out, "{}", line.text).expect("writing to a string");
        }
        if a.listing {
            out.push('\n');
        }
    }
    write!(stdout(), "{out}")?;
    Ok(Exit::Agreed)
}
