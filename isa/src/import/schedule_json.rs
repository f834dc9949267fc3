// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedule `sync_instr.json`.

use std::collections::BTreeMap;

use crate::{
    Geometry,
    asm::{AsmError, Assembler, Assembly, SourceLine, Warning},
    codec::encode,
    description::Instruction,
    image::Word,
    json::Element,
    meaning::{HardwareMeanings, rows_of_swb},
    place::CellId,
};

/// Reads a schedule in JSON.
///
/// # Errors
/// `SYNC-E1` for JSON that does not have the form of chapter 1, 7.3, with the JSON pointer, and the
/// assembler's codes for unknown mnemonics (A03), fields (A04) and the rest.
pub fn read_sync_json(settings: &Assembler, text: &str) -> Result<Assembly, AsmError> {
    let root = Element::root(text).map_err(|e| not_json(text, &e))?;
    let assembly = Assembly {
        io_cells: settings.io_cells.clone(),
        isa: settings.isa.clone(),
        ..Assembly::default()
    };
    let hardware = HardwareMeanings::compared_with(settings.isa.isa());
    let mut reader = ScheduleReader { settings, hardware, assembly };
    let cells = root.items().ok_or_else(|| fail("SYNC-E1", &root, "expected an array of cells"))?;
    for cell in &cells {
        reader.cell(cell)?;
    }
    // The cells of a file may be in any order and may occur more than once.
    reader.assembly.lines.sort_by_key(|line| (line.cell, line.address));
    Ok(reader.assembly)
}

struct ScheduleReader<'a> {
    settings: &'a Assembler,
    hardware: HardwareMeanings,
    assembly: Assembly,
}

impl ScheduleReader<'_> {
    fn cell(&mut self, cell: &Element<'_>) -> Result<(), AsmError> {
        let members = members(cell, "a cell")?;
        let coordinate = |key: &str| {
            let number = members.get(key).and_then(Element::integer);
            number.and_then(|v| usize::try_from(v).ok()).ok_or_else(|| {
                let message = format!("member `{key}` must be a row or column number");
                fail("SYNC-E1", cell, &message)
            })
        };
        let (row, col) = (coordinate("row")?, coordinate("col")?);
        let id = CellId::new(row, col).filter(|id| id.is_in(&self.settings.geometry));
        let id = id.ok_or_else(|| {
            fail("A12", cell, &format!("cell <{row},{col}> is outside the fabric"))
        })?;
        let list = members.get("instr_list");
        // For an idle cell, compilers write `null` instead of a list.
        if list.is_some_and(Element::is_null) {
            return Ok(());
        }
        let items = list.and_then(Element::items).ok_or_else(|| {
            fail("SYNC-E1", cell, "member `instr_list` must be an array, or null for an idle cell")
        })?;
        items.iter().try_for_each(|at| self.instruction(id, at))
    }

    fn instruction(&mut self, cell: CellId, at: &Element<'_>) -> Result<(), AsmError> {
        let isa = self.settings.isa.isa();
        let members = members(at, "an instruction")?;
        let name = members
            .get("name")
            .and_then(Element::string)
            .ok_or_else(|| fail("SYNC-E1", at, "member `name` must be a mnemonic"))?;
        let instruction = isa
            .by_name(&name)
            .ok_or_else(|| fail("A03", at, &self.settings.isa.no_mnemonic(&name)))?;
        let io_cell = self.settings.io_cells.contains(&cell);
        if !isa.available(instruction, io_cell) {
            return Err(fail("A21", at, &format!("{name} does not exist in this kind of cell")));
        }
        let immediate = match members.get("immediate").and_then(Element::integer) {
            Some(flag @ (0 | 1)) => flag == 1,
            _ => return Err(fail("SYNC-E1", at, "member `immediate` must be 0 or 1")),
        };
        let (values, written) = self.values(instruction, members.get("segment_values"))?;
        let len = instruction
            .chunk_field
            .map_or(instruction.max_chunk, |chunk| instruction.words_for(values[chunk]))
            as usize;
        let image = &mut self.assembly.image;
        let address = image.cell(cell).map_or(0, <[Word]>::len);
        if address + len > Geometry::PROGRAM_WORDS {
            let (row, col, most) = (cell.row(), cell.col(), Geometry::PROGRAM_WORDS);
            let message = format!(
                "cell <{row},{col}> has more than {most} words, the most that can be executed"
            );
            return Err(fail("A13", at, &message));
        }
        for bits in encode(isa, instruction, &values, len) {
            image.push(cell, Word { bits, immediate });
        }
        let line = at.line();
        let fetch = fetch_cycle(&members);
        self.assembly.lines.push(SourceLine { cell, address, line, label: String::new(), fetch });
        let emitted = instruction.fields_in(isa, len);
        for message in self.hardware.surprises(instruction, &values[..emitted], io_cell) {
            self.assembly.warnings.push(warning("W07", at, &message));
        }
        if let Some(message) = rows_of_swb(instruction, &values, cell.row(), |field| written[field])
        {
            self.assembly.warnings.push(warning("W10", at, &message));
        }
        Ok(())
    }

    /// Raw values of all fields; for each field, whether it is written.
    fn values(
        &mut self,
        instruction: &Instruction,
        segments: Option<&Element<'_>>,
    ) -> Result<(Vec<u64>, Vec<bool>), AsmError> {
        let mut values: Vec<u64> = instruction.fields.iter().map(|f| f.default).collect();
        let mut written = vec![false; values.len()];
        let Some(segments) = segments.filter(|s| !s.is_null()) else {
            return Ok((values, written));
        };
        let object = members(segments, "the values of the fields")?;
        // Keys that begin with a dot are hints for schedulers.
        for (key, place) in object.iter().filter(|(key, _)| !key.starts_with('.')) {
            let index = instruction
                .field_index(key)
                .ok_or_else(|| fail("A04", place, &instruction.no_field(key)))?;
            let number =
                place.integer().ok_or_else(|| fail("SYNC-E1", place, "expected a raw number"))?;
            let field = &instruction.fields[index];
            let low = if field.signed { -(1i128 << (field.width - 1)) } else { 0 };
            if !(low..1i128 << field.width).contains(&number) {
                let message = format!("{key} = {number} is truncated to {} bits", field.width);
                self.assembly.warnings.push(warning("W05", place, &message));
            }
            values[index] = (number & ((1i128 << field.width) - 1)) as u64;
            written[index] = true;
        }
        Ok((values, written))
    }
}

/// The fetch cycle: `start` or, if it is absent, the time of phase 0.
fn fetch_cycle(members: &BTreeMap<String, Element<'_>>) -> Option<u64> {
    let start = members.get("start").and_then(Element::integer);
    let phase_0 = |stamp: Element<'_>| {
        let pair = stamp.items()?;
        (pair.first()?.integer()? == 0).then(|| pair.get(1)?.integer()).flatten()
    };
    let stamps = || members.get("timestamps")?.items()?.into_iter().find_map(phase_0);
    u64::try_from(start.or_else(stamps)?).ok()
}

fn members<'t>(at: &Element<'t>, what: &str) -> Result<BTreeMap<String, Element<'t>>, AsmError> {
    at.members().ok_or_else(|| fail("SYNC-E1", at, &format!("{what} must be an object")))
}

fn fail(code: &'static str, at: &Element<'_>, message: &str) -> AsmError {
    AsmError { code, line: at.line(), span: at.span(), message: placed(at, message) }
}

fn warning(code: &'static str, at: &Element<'_>, message: &str) -> Warning {
    Warning { code, line: at.line(), message: placed(at, message) }
}

/// A message that begins with the location of the element as a JSON pointer.
fn placed(at: &Element<'_>, message: &str) -> String {
    let pointer = if at.pointer.is_empty() { "/" } else { &at.pointer };
    format!("at `{pointer}`: {message}")
}

fn not_json(text: &str, e: &serde_json::Error) -> AsmError {
    let line = e.line().max(1);
    AsmError::of_line("SYNC-E1", text, line, format!("at `/`: not JSON: {e}"))
}
