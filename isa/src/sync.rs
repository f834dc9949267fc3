// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiler schedules `sync_instr.txt` and `sync_instr.json` (chapter 1, 7.2 and 7.3).

use serde_json::Value;

use crate::asm::AsmError;
use crate::asm::Assembler;
use crate::asm::Assembly;
use crate::asm::Mode;
use crate::asm::Warning;
use crate::codec::encode;
use crate::geometry::Geometry;
use crate::image::ProgramImage;
use crate::image::Word;
use crate::json::At;
use crate::json::integer;
use crate::meaning::Hardware;

/// Why a schedule could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {code} {message}")]
pub struct SyncError {
    /// `SYNC-E1`, `SYNC-E2` or an assembler code.
    pub code: &'static str,
    /// `line N` or a JSON pointer.
    pub place: String,
    /// What is wrong and what was expected.
    pub message: String,
}

/// Reads a schedule listing.
///
/// # Errors
/// `SYNC-E1` malformed line, `SYNC-E2` pc is not the running word count of the cell, and the
/// assembler's codes for the listing part.
pub fn read_sync_text(settings: &Assembler, text: &str) -> Result<Assembly, SyncError> {
    // The lines become a listing for the assembler, line by line, so that its line numbers hold.
    let mut listing = String::new();
    let mut immediates = Vec::new();
    let mut claimed = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let error = |message: &str| SyncError {
            code: "SYNC-E1",
            place: format!("line {}", index + 1),
            message: message.to_owned(),
        };
        if let Some(comment) = line.strip_prefix('#') {
            if let Some(cell) = comment.split("CELL").nth(1) {
                let inner = cell.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
                let pair = inner.and_then(|(pair, _)| pair.split_once(','));
                let (row, col) = pair
                    .and_then(|(r, c)| {
                        Some((r.trim().parse::<u32>().ok()?, c.trim().parse::<u32>().ok()?))
                    })
                    .ok_or_else(|| error("a cell comment is written `# CELL <row, column>`"))?;
                listing.push_str(&format!("CELL <{row},{col}>"));
            }
        } else if !line.trim().is_empty() {
            let (pc, immediate, instruction) = sync_line(line)
                .ok_or_else(|| error("`pc (cycle):|Sch:[n,n,n,n,n] I|NAME (..)` is expected"))?;
            immediates.push(immediate);
            claimed.push((index + 1, pc));
            listing.push_str(instruction);
        }
        listing.push('\n');
    }

    let settings = Assembler { mode: Mode::Listing, ..settings.clone() };
    let mut assembly = settings.assemble(&listing).map_err(from_assembler)?;
    // Set the flags and check the addresses; both lists follow the text, the lines of the assembly
    // follow the cells.
    let mut image = ProgramImage::default();
    for (i, source) in assembly.lines.iter().enumerate() {
        let order = claimed
            .iter()
            .position(|(line, _)| *line == source.line)
            .expect("one line per instruction");
        let (line, pc) = claimed[order];
        if pc != source.address {
            return Err(SyncError {
                code: "SYNC-E2",
                place: format!("line {line}"),
                message: format!("pc {pc} is written, the words before it give {}", source.address),
            });
        }
        let words = assembly.image.cell(source.cell.0, source.cell.1).unwrap_or_default();
        let end = match assembly.lines.get(i + 1) {
            Some(next) if next.cell == source.cell => next.address,
            _ => words.len(),
        };
        for word in &words[source.address..end] {
            image.push(
                source.cell.0,
                source.cell.1,
                Word { bits: word.bits, immediate: immediates[order] },
            );
        }
    }
    assembly.image = image;
    Ok(assembly)
}

fn from_assembler(e: AsmError) -> SyncError {
    SyncError { code: e.code, place: format!("line {}", e.line), message: e.message }
}

/// `pc (cycle):|Sch:[n,n,n,n,n] flag|listing`
fn sync_line(line: &str) -> Option<(usize, bool, &str)> {
    let number = |s: &str| s.trim().parse::<usize>().ok();
    let (pc, rest) = line.split_once('(')?;
    let (cycle, rest) = rest.split_once(')')?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('|')?;
    let rest = rest.trim_start().strip_prefix("Sch")?.trim_start().strip_prefix(':')?;
    let (times, rest) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let (flag, listing) = rest.split_once('|')?;
    number(cycle)?;
    let times: Vec<_> = times.split(',').map(|t| t.trim().parse::<i64>().ok()).collect();
    if times.len() != 5 || times.contains(&None) {
        return None;
    }
    Some((number(pc)?, flag.trim() == "I", listing))
}

/// Reads a schedule in JSON.
///
/// # Errors
/// `SYNC-E1` for JSON that does not have the form of chapter 1, 7.3, with the JSON pointer, and the
/// assembler's codes for unknown mnemonics (A03), fields (A04) and the rest.
pub fn read_sync_json(settings: &Assembler, text: &str) -> Result<Assembly, SyncError> {
    let json: Value = serde_json::from_str(text).map_err(|e| SyncError {
        code: "SYNC-E1",
        place: "/".into(),
        message: format!("not JSON: {e}"),
    })?;
    let mut assembly = Assembly {
        image: ProgramImage::default(),
        memory: Default::default(),
        io_cells: settings.io_cells.clone(),
        isa: settings.isa.clone(),
        warnings: Vec::new(),
        lines: Vec::new(),
    };
    let hardware = Hardware::seen_from(settings.isa.isa());
    let root = At::root(&json);
    if !json.is_array() {
        return Err(fail("SYNC-E1", &root, "an array of cells is expected"));
    }
    for cell in root.items() {
        let coordinate = |key: &str| {
            cell.member(key)
                .and_then(|m| integer(m.value))
                .and_then(|v| usize::try_from(v).ok())
                .ok_or_else(|| {
                    fail(
                        "SYNC-E1",
                        &cell,
                        &format!("member `{key}` must be a row or column number"),
                    )
                })
        };
        let (row, col) = (coordinate("row")?, coordinate("col")?);
        if row >= Geometry::ROWS || col >= settings.geometry.columns {
            return Err(fail("A12", &cell, &format!("cell <{row},{col}> is outside the fabric")));
        }
        let list = cell
            .member("instr_list")
            .filter(|l| l.value.is_array())
            .ok_or_else(|| fail("SYNC-E1", &cell, "member `instr_list` must be an array"))?;
        for at in list.items() {
            instruction(settings, &hardware, &mut assembly, (row, col), &at)?;
        }
    }
    Ok(assembly)
}

fn instruction(
    settings: &Assembler,
    hardware: &Hardware,
    assembly: &mut Assembly,
    (row, col): (usize, usize),
    at: &At<'_>,
) -> Result<(), SyncError> {
    let isa = settings.isa.isa();
    let name = at
        .member("name")
        .and_then(|m| m.value.as_str())
        .ok_or_else(|| fail("SYNC-E1", at, "member `name` must be a mnemonic"))?;
    let instruction = isa.by_name(name).ok_or_else(|| {
        fail("A03", at, &format!("unknown mnemonic `{name}` in {}", settings.isa))
    })?;
    let io_cell = settings.io_cells.contains(&(row, col));
    if !isa.available(instruction, io_cell) {
        return Err(fail("A21", at, &format!("{name} does not exist in this kind of cell")));
    }
    let immediate = match at.member("immediate").and_then(|m| integer(m.value)) {
        Some(flag @ (0 | 1)) => flag == 1,
        _ => return Err(fail("SYNC-E1", at, "member `immediate` must be 0 or 1")),
    };
    let mut values: Vec<u64> = instruction.fields.iter().map(|f| f.default).collect();
    if let Some(segments) = at.member("segment_values")
        && !segments.value.is_null()
    {
        let object = segments
            .object()
            .ok_or_else(|| fail("SYNC-E1", &segments, "an object of field values is expected"))?;
        for (key, value) in object {
            if key.starts_with('.') {
                continue;
            }
            let place = segments.member(key).expect("key of this object");
            let index = instruction
                .field_index(key)
                .ok_or_else(|| fail("A04", &place, &format!("{name} has no field `{key}`")))?;
            let number = integer(value)
                .ok_or_else(|| fail("SYNC-E1", &place, "a raw number is expected"))?;
            let field = &instruction.fields[index];
            let low = if field.signed { -(1i128 << (field.width - 1)) } else { 0 };
            if !(low..1i128 << field.width).contains(&number) {
                let message = format!("{key} = {number} is cut to {} bits", field.width);
                assembly.warnings.push(Warning { code: "W05", line: 0, message });
            }
            values[index] = (number & ((1i128 << field.width) - 1)) as u64;
        }
    }
    let len = instruction
        .chunk_field
        .map_or(instruction.max_chunk, |chunk| instruction.words_for(values[chunk]));
    let address = assembly.image.cell(row, col).map_or(0, <[Word]>::len);
    if address + len as usize > Geometry::IMEM_DEPTH {
        return Err(fail(
            "A13",
            at,
            &format!("cell <{row},{col}> has more than {} words", Geometry::IMEM_DEPTH),
        ));
    }
    let emitted = instruction.fields_in(isa, len as usize);
    for message in hardware.surprises(instruction, &values[..emitted], io_cell) {
        assembly.warnings.push(Warning { code: "W07", line: 0, message });
    }
    for bits in encode(isa, instruction, &values, len as usize) {
        assembly.image.push(row, col, Word { bits, immediate });
    }
    Ok(())
}

fn fail(code: &'static str, at: &At<'_>, message: &str) -> SyncError {
    let place = if at.pointer.is_empty() { "/".to_owned() } else { at.pointer.clone() };
    SyncError { code, place, message: message.to_owned() }
}
