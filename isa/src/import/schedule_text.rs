// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schedule listing `sync_instr.txt`.

use std::collections::BTreeMap;

use crate::{
    asm::{AsmError, Assembler, Assembly, TextKind},
    image::{ProgramImage, Word},
};

/// The parts of a line around its instruction.
struct ScheduleEntry {
    pc: usize,
    fetch: u64,
    immediate: bool,
}

/// Reads a schedule listing.
///
/// # Errors
/// `SYNC-E1` malformed line, `SYNC-E2` pc is not the running word count of the cell, and the
/// assembler's codes for the listing part.
pub fn read_sync_text(settings: &Assembler, text: &str) -> Result<Assembly, AsmError> {
    // The lines become a listing for the assembler. All other text is replaced by blanks, so that line numbers and byte
    // offsets stay valid.
    let mut listing = String::new();
    let mut scheduled = BTreeMap::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let error =
            |message: &str| AsmError::of_line("SYNC-E1", text, index + 1, message.to_owned());
        let content = line.trim_end_matches(['\n', '\r']);
        let kept = if let Some(comment) = content.strip_prefix('#') {
            let cell = comment.split("CELL").nth(1);
            let cell = cell.map(|place| {
                cell_place(place)
                    .ok_or_else(|| error("a cell comment must be `# CELL <row, column>`"))
            });
            // A heading is shorter than the comment that it replaces.
            cell.transpose()?.map(|(row, col)| format!("{row}_{col}")).unwrap_or_default()
        } else if content.trim().is_empty() {
            String::new()
        } else {
            let (entry, instruction) = sync_line(content).ok_or_else(|| {
                error(
                    "expected `pc (cycle):|Sch:[n,n,n,n,n] I|NAME (..)`; a listing without a schedule \
                     has headings `row_column`",
                )
            })?;
            scheduled.insert(index + 1, entry);
            let start = content.len() - instruction.len();
            format!("{}{instruction}", " ".repeat(start))
        };
        listing.push_str(&kept);
        listing.push_str(&" ".repeat(line.len() - kept.len() - usize::from(line.ends_with('\n'))));
        listing.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }

    let settings = Assembler { kind: TextKind::Listing, ..settings.clone() };
    let assembly = settings.assemble(&listing)?;
    with_schedule(assembly, &scheduled, text)
}

/// Sets flags and fetch cycles, and checks the addresses.
fn with_schedule(
    mut assembly: Assembly,
    scheduled: &BTreeMap<usize, ScheduleEntry>,
    text: &str,
) -> Result<Assembly, AsmError> {
    let mut image = ProgramImage::default();
    for i in 0..assembly.lines.len() {
        let next = assembly.lines.get(i + 1).map(|next| (next.cell, next.address));
        let source = &mut assembly.lines[i];
        let ScheduleEntry { pc, fetch, immediate } = scheduled[&source.line];
        if pc != source.address {
            let what = format!("pc is {pc}, but the preceding words give {}", source.address);
            return Err(AsmError::of_line("SYNC-E2", text, source.line, what));
        }
        source.fetch = Some(fetch);
        let words = assembly.image.cell(source.cell).unwrap_or_default();
        let end = next.filter(|(cell, _)| *cell == source.cell).map_or(words.len(), |(_, end)| end);
        for word in &words[source.address..end] {
            image.push(source.cell, Word { bits: word.bits, immediate });
        }
    }
    assembly.image = image;
    Ok(assembly)
}

/// ` <row, column>`
fn cell_place(text: &str) -> Option<(u16, u16)> {
    let (pair, _) = text.split_once('<')?.1.split_once('>')?;
    let (row, col) = pair.split_once(',')?;
    Some((row.trim().parse().ok()?, col.trim().parse().ok()?))
}

/// `pc (cycle):|Sch:[n,n,n,n,n] flag|listing`
fn sync_line(line: &str) -> Option<(ScheduleEntry, &str)> {
    let (pc, rest) = line.split_once('(')?;
    let (fetch, rest) = rest.split_once(')')?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('|')?;
    let rest = rest.trim_start().strip_prefix("Sch")?.trim_start().strip_prefix(':')?;
    let (times, rest) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let (flag, listing) = rest.split_once('|')?;
    let (pc, fetch) = (pc.trim().parse().ok()?, fetch.trim().parse().ok()?);
    let times: Vec<_> = times.split(',').map(|t| t.trim().parse::<i64>().ok()).collect();
    if times.len() != 5 || times.contains(&None) {
        return None;
    }
    Some((ScheduleEntry { pc, fetch, immediate: flag.trim() == "I" }, listing))
}
