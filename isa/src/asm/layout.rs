// SPDX-License-Identifier: MIT OR Apache-2.0
//! Label addresses, word counts of a cell, `LOOP.link`, encoding (chapter 1, 8.3 and 8.5).

use std::collections::HashMap;

use super::{
    assembly::{Assembler, Assembly, RawValue, SourceLine, TextKind},
    error::{AsmError, Warning},
    expr::{Expr, NameScope},
    parser::{Assignment, CellCode, CodeItem, ItemBody, ParsedProgram},
    values::{FieldValues, WrittenInstruction},
};
use crate::{
    codec::encode,
    description::{Instruction, Isa},
    image::Word,
    meaning::{HardwareMeanings, rows_of_swb},
    place::CellId,
};

pub(crate) fn finish(
    settings: &Assembler,
    parsed: ParsedProgram<'_>,
) -> Result<Assembly, AsmError> {
    let given = parsed.data.register_words();
    let mut assembly = Assembly { memory: parsed.data.image, given, ..parsed.assembly };
    let set = assembly.isa.clone();
    let isa = set.isa();
    let hardware = HardwareMeanings::compared_with(isa);
    for (&cell, code) in &parsed.cells {
        let listing = settings.kind == TextKind::Listing;
        let manas = parsed.has_relations;
        let most = settings.kind.most_words();
        Emitter { isa, hardware: &hardware, listing, manas, most, code }
            .emit(cell, &mut assembly)?;
    }
    assembly.warnings.sort_by_key(|w| w.line);
    Ok(assembly)
}

struct Emitter<'a> {
    isa: &'a Isa,
    hardware: &'a HardwareMeanings,
    listing: bool,
    /// True if the text has sections that are skipped, in which the ends of loops may be given.
    manas: bool,
    /// Maximum number of words of the cell.
    most: usize,
    code: &'a CellCode<'a>,
}

impl<'a> Emitter<'a> {
    fn instruction(&self, index: usize) -> &'a Instruction {
        &self.isa.instructions[index]
    }

    fn emit(&self, cell: CellId, assembly: &mut Assembly) -> Result<(), AsmError> {
        let items = &self.code.items;
        let mut lens: Vec<usize> = items.iter().map(|i| self.shortest(i)).collect();
        let mut known = self.labels_and_links(&lens);
        // Lengths only grow, at most to `max_chunk`, so this loop ends.
        let values = loop {
            let (labels, links) = &known;
            let values = items.iter().zip(links).map(|(i, link)| self.values(i, labels, *link));
            let values: Vec<_> = values.collect();
            for (len, values) in lens.iter_mut().zip(&values) {
                if let Some(Ok(values)) = values {
                    *len = values.len.max(*len);
                }
            }
            // The values depend on the lengths only through these.
            let now = self.labels_and_links(&lens);
            if now == known {
                break values;
            }
            known = now;
        };
        let total: usize = lens.iter().sum();
        if total > self.most {
            let mut end = 0;
            let over = items.iter().zip(&lens).find(|(_, len)| {
                end += **len;
                end > self.most
            });
            let (over, _) = over.expect("all items together are too long");
            let (row, col, most) = (cell.row(), cell.col(), self.most);
            let message =
                format!("cell <{row},{col}> has {total} words, but at most {most} can be executed");
            return over.place.fail("A13", message);
        }

        let (labels, _) = known;
        assembly.labels.extend(labels.iter().map(|(l, &at)| ((cell, l.to_string()), at as usize)));
        let mut address = 0;
        for (i, (item, values)) in items.iter().zip(values).enumerate() {
            let line = item.place.line;
            let label = self.labels_of(i);
            assembly.lines.push(SourceLine { cell, address, line, label, fetch: None });
            let words = match &item.body {
                ItemBody::Raw(words) => self.raw_words(item, words, &labels)?,
                ItemBody::Instruction(index, assigns) => {
                    let mut values = values.expect("an instruction has values")?;
                    let instruction = self.instruction(*index);
                    if let Some(chunk) = instruction.chunk_field {
                        values.raw[chunk] = lens[i] as u64 - 1;
                    }
                    assembly.raw_values.extend(values.patterns.iter().map(|&(field, written)| {
                        let meaning = instruction.fields[field].number(values.raw[field]);
                        let field = instruction.fields[field].name.clone();
                        RawValue { cell, address, field, written, meaning }
                    }));
                    let io_cell = assembly.io_cells.contains(&cell);
                    let noticed = self.noticed(
                        instruction,
                        assigns,
                        &values.raw,
                        lens[i],
                        (cell.row(), io_cell),
                    );
                    for (code, message) in values.warnings.into_iter().chain(noticed) {
                        assembly.warnings.push(Warning { code, line, message });
                    }
                    encode(self.isa, instruction, &values.raw, lens[i])
                }
            };
            address += words.len();
            for bits in words {
                assembly.image.push(cell, Word { bits, immediate: item.immediate });
            }
        }
        if let Some(last) = items.last()
            && let Some(what) = self.end(last, assembly.image.cell(cell).unwrap_or_default())
        {
            let message = format!("the last instruction of the cell is {what}");
            assembly.warnings.push(Warning { code: "W03", line: last.place.line, message });
        }
        Ok(())
    }

    /// Warnings about the field values of an instruction in a cell of this row and kind.
    fn noticed(
        &self,
        instruction: &Instruction,
        assigns: &[Assignment<'_>],
        raw: &[u64],
        len: usize,
        (row, io_cell): (usize, bool),
    ) -> Vec<(&'static str, String)> {
        let emitted = instruction.fields_in(self.isa, len);
        let written = |field| assigns.iter().any(|a| a.field == field);
        let surprises = self.hardware.surprises(instruction, &raw[..emitted], io_cell);
        let mut noticed: Vec<_> = surprises.into_iter().map(|m| ("W07", m)).collect();
        noticed.extend(self.missing_end(instruction, written).map(|m| ("W09", m)));
        noticed.extend(rows_of_swb(instruction, raw, row, written).map(|m| ("W10", m)));
        noticed
    }

    /// The warning about a loop whose end is given only in the skipped sections.
    fn missing_end(
        &self,
        instruction: &Instruction,
        is_written: impl Fn(usize) -> bool,
    ) -> Option<String> {
        let end = instruction.field_index("endpc")?;
        (self.manas && !is_written(end)).then(|| {
            format!(
                "{} has no endpc and is encoded with endpc={}: its end is in .RELATION, which is not \
                 read; put a label on the last instruction of the body and write endpc=LABEL",
                instruction.name, instruction.fields[end].default
            )
        })
    }

    fn shortest(&self, item: &CodeItem) -> usize {
        match &item.body {
            ItemBody::Raw(words) => words.len(),
            ItemBody::Instruction(index, _) => match self.instruction(*index).chunk_field {
                Some(_) => 1,
                None => self.instruction(*index).max_chunk as usize,
            },
        }
    }

    /// The labels of an item, separated by commas.
    fn labels_of(&self, item: usize) -> String {
        let labels = self.code.labels.iter().filter(|(_, at)| **at == item);
        let mut names: Vec<&str> = labels.map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.join(", ")
    }

    /// The addresses of the labels, and the `link` of each item.
    fn labels_and_links(&self, lens: &[usize]) -> (HashMap<&'a str, i64>, Vec<u64>) {
        // The last address is the one after the last item.
        let mut addresses = vec![0; lens.len() + 1];
        for (i, len) in lens.iter().enumerate() {
            addresses[i + 1] = addresses[i] + *len as i64;
        }
        let labels = self.code.labels.iter().map(|(name, &item)| (*name, addresses[item]));
        let labels = labels.collect();
        let links = self.links(&addresses, &labels);
        (labels, links)
    }

    /// `link` of every LOOP: bit j is 1 if an earlier LOOP, of another slot j, ends at the same address, which is not
    /// before this LOOP (8.5).
    fn links(&self, addresses: &[i64], labels: &HashMap<&str, i64>) -> Vec<u64> {
        let mut earlier: Vec<(u64, i64)> = Vec::new();
        let mut links = vec![0; self.code.items.len()];
        for (i, item) in self.code.items.iter().enumerate() {
            let ItemBody::Instruction(index, assigns) = &item.body else { continue };
            let instruction = self.instruction(*index);
            let Some(slot) = instruction.field_index("loopid") else { continue };
            let Some(end) = instruction.field_index("endpc") else { continue };
            let Some(_) = instruction.field_index("link") else { continue };
            let value = |field: usize| {
                let Some(assign) = assigns.iter().find(|a| a.field == field) else {
                    return Some(instruction.fields[field].default as i64);
                };
                let field = Some(&instruction.fields[field]);
                assign.value.eval(&NameScope { field, labels: Some(labels) }).ok()
            };
            let (Some(slot), Some(end)) = (value(slot), value(end)) else { continue };
            let Ok(slot) = u64::try_from(slot) else { continue };
            if slot >= 4 {
                continue;
            }
            for &(other, other_end) in &earlier {
                if other != slot && other_end == end && addresses[i] <= end {
                    links[i] |= 1 << other;
                }
            }
            earlier.push((slot, end));
        }
        links
    }

    /// The field values of an item; `None` for raw words.
    fn values(
        &self,
        item: &CodeItem<'_>,
        labels: &HashMap<&str, i64>,
        link: u64,
    ) -> Option<Result<FieldValues, AsmError>> {
        let ItemBody::Instruction(index, assigns) = &item.body else { return None };
        let (isa, instruction) = (self.isa, self.instruction(*index));
        let written = WrittenInstruction { isa, instruction, listing: self.listing, assigns };
        Some(written.values(labels, link))
    }

    fn raw_words(
        &self,
        item: &CodeItem<'_>,
        words: &[Expr<'_>],
        labels: &HashMap<&str, i64>,
    ) -> Result<Vec<u64>, AsmError> {
        let bits = self.isa.word_bits;
        words
            .iter()
            .map(|w| {
                let value = w.eval(&NameScope { field: None, labels: Some(labels) })?;
                // A word of 64 bits can represent the pattern of any number.
                if bits == 64 || u64::try_from(value).is_ok_and(|v| v >> bits == 0) {
                    Ok(value as u64)
                } else {
                    item.place.fail("A07", format!("{value} is not a word of {bits} bits"))
                }
            })
            .collect()
    }

    /// The problem with the last instruction of a program; `None` for a HALT, or for a JUMP that is the whole program.
    fn end(&self, last: &CodeItem<'_>, words: &[Word]) -> Option<&'static str> {
        let name = match &last.body {
            ItemBody::Instruction(index, _) => Some(&self.instruction(*index).name),
            ItemBody::Raw(_) => words.last().and_then(|w| {
                let code = (w.bits >> (self.isa.word_bits - self.isa.code_bits)) as u32;
                self.isa.by_code(code, false).map(|i| &i.name)
            }),
        };
        match name {
            Some(name) if name.eq_ignore_ascii_case("HALT") => None,
            Some(name) if name.eq_ignore_ascii_case("JUMP") => {
                (words.len() > 1).then_some("a JUMP: the program ends there; write a HALT after it")
            }
            _ => Some("not HALT"),
        }
    }
}
