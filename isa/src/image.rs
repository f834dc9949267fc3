// SPDX-License-Identifier: MIT OR Apache-2.0
//! Program images (`instruction.bin`) and memory images (chapter 1, 7.4 and 7.5).

use std::{collections::BTreeMap, fmt::Write};

use crate::geometry::Geometry;

/// One stored instruction word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The word, as many bits as the instruction set says (27 in the published revisions).
    pub bits: u64,
    /// Its immediate flag.
    pub immediate: bool,
}

/// A 256-bit block as 16 words, word 0 first.
pub type BlockWords = [u16; 16];

/// Instruction words of the cells of a program, in row-major order of the cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramImage {
    cells: BTreeMap<(usize, usize), Vec<Word>>,
}

impl ProgramImage {
    /// Words of a cell, if it has any.
    pub fn cell(&self, row: usize, col: usize) -> Option<&[Word]> {
        self.cells.get(&(row, col)).map(Vec::as_slice)
    }

    /// Appends a word to a cell.
    pub fn push(&mut self, row: usize, col: usize, word: Word) {
        self.cells.entry((row, col)).or_default().push(word);
    }

    /// Replaces the words of a cell; an empty list removes it.
    pub fn set(&mut self, row: usize, col: usize, words: Vec<Word>) {
        if words.is_empty() {
            self.cells.remove(&(row, col));
        } else {
            self.cells.insert((row, col), words);
        }
    }

    /// Cells that have words: `((row, col), words)` in row-major order.
    pub fn cells(&self) -> impl Iterator<Item = ((usize, usize), &[Word])> {
        self.cells.iter().map(|(&rc, words)| (rc, words.as_slice()))
    }

    /// Number of words of all cells.
    pub fn word_count(&self) -> usize {
        self.cells.values().map(Vec::len).sum()
    }

    /// The image as text, byte exact as published loaders expect it.
    pub fn to_text(&self, word_bits: u32) -> String {
        let mut out = String::new();
        for ((row, col), words) in self.cells() {
            writeln!(out, "CELL {row} {col}").expect("writing to a string");
            for word in words {
                writeln!(
                    out,
                    "{} {:0width$b}",
                    u8::from(word.immediate),
                    word.bits,
                    width = word_bits as usize
                )
                .expect("writing to a string");
            }
            out.push('\n');
        }
        out
    }
}

/// Initial contents of scratchpad tiles and register files. Tile rows count from 0, blocks of a
/// register file from 0. Only blocks with an initialised word are present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryImage {
    /// `(tile row, column)` to block address to contents.
    pub sram: BTreeMap<(usize, usize), BTreeMap<usize, BlockWords>>,
    /// `(cell row, column)` to block number to contents.
    pub rf: BTreeMap<(usize, usize), BTreeMap<usize, BlockWords>>,
}

impl MemoryImage {
    /// True without any block.
    pub fn is_empty(&self) -> bool {
        self.sram.is_empty() && self.rf.is_empty()
    }

    /// Adds a block of a tile or of a register file; the message about an address that the memory
    /// does not have or that is there already.
    pub(crate) fn insert(
        &mut self,
        is_sram: bool,
        place: (usize, usize),
        address: usize,
        block: BlockWords,
        geometry: &Geometry,
    ) -> Option<String> {
        let (memories, limit) = match is_sram {
            true => (&mut self.sram, geometry.sram_blocks),
            false => (&mut self.rf, geometry.rf_blocks()),
        };
        if address >= limit {
            return Some(format!("address {address} is outside 0..{}", limit - 1));
        }
        let earlier = memories.entry(place).or_default().insert(address, block);
        earlier.map(|_| format!("address {address} is given twice"))
    }

    /// The image as text: all tiles, then all register files, row-major.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (name, memories) in [("SRAM", &self.sram), ("RF", &self.rf)] {
            for ((row, col), blocks) in memories {
                writeln!(out, "{name} {row} {col}").expect("writing to a string");
                for (address, block) in blocks {
                    let hex: String = block.iter().rev().map(|w| format!("{w:04x}")).collect();
                    writeln!(out, "{address} {hex}").expect("writing to a string");
                }
                out.push('\n');
            }
        }
        out
    }
}

/// Why an image could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ImageError {
    /// `BIN-E1` .. `BIN-E3` or `MEM-E1` .. `MEM-E3`.
    pub code: &'static str,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// Reads a program image whose words have `word_bits` bits, at most 64.
///
/// # Errors
/// `BIN-E1` malformed line, `BIN-E2` cell outside the fabric, `BIN-E3` more than 64 words in a
/// cell.
pub fn read_program(
    text: &str,
    geometry: &Geometry,
    word_bits: u32,
) -> Result<ProgramImage, ImageError> {
    let mut image = ProgramImage::default();
    let mut cell = (0, 0);
    for (line, content) in lines(text) {
        let error = |code, message: String| Err(ImageError { code, line, message });
        let items: Vec<&str> = content.split([' ', '\t']).filter(|s| !s.is_empty()).collect();
        if items[0].eq_ignore_ascii_case("CELL") {
            let Some(found) = heading(&items) else {
                return error("BIN-E1", format!("`{content}` should be `CELL row column`"));
            };
            if let Some(message) = outside("cell", found, Geometry::ROWS, geometry) {
                return error("BIN-E2", message);
            }
            cell = found;
            continue;
        }
        let is_bits = |s: &str| s.bytes().all(|b| b == b'0' || b == b'1');
        let malformed = |text: &str, what: String| {
            error("BIN-E1", format!("`{}` should be {what}", clip(text)))
        };
        let [flag, word] = items[..] else {
            return malformed(content, format!("a flag (0 or 1) and a word of {word_bits} bits"));
        };
        if !is_bits(flag) || flag.len() != 1 {
            return malformed(flag, "the immediate flag, 0 or 1".to_owned());
        }
        if !is_bits(word) {
            return malformed(word, format!("{word_bits} binary digits"));
        }
        if word.len() != word_bits as usize {
            let what = format!("the word has {} bits, {word_bits} are expected", word.len());
            return error("BIN-E1", what);
        }
        let (row, col) = cell;
        if image.cell(row, col).is_some_and(|w| w.len() == Geometry::IMEM_DEPTH) {
            let most = Geometry::IMEM_DEPTH;
            return error("BIN-E3", format!("cell {row} {col} has more than {most} words"));
        }
        let bits = u64::from_str_radix(word, 2).expect("binary digits, at most 64");
        image.push(row, col, Word { bits, immediate: flag == "1" });
    }
    Ok(image)
}

/// Reads a memory image.
///
/// # Errors
/// `MEM-E1` malformed line, `MEM-E2` tile or cell outside the fabric, `MEM-E3` address outside the
/// memory or given twice.
pub fn read_memory(text: &str, geometry: &Geometry) -> Result<MemoryImage, ImageError> {
    let mut image = MemoryImage::default();
    let mut current: Option<(bool, (usize, usize))> = None;
    for (line, content) in lines(text) {
        let error = |code, message: String| Err(ImageError { code, line, message });
        let items: Vec<&str> = content.split([' ', '\t']).filter(|s| !s.is_empty()).collect();
        let is_sram = items[0].eq_ignore_ascii_case("SRAM");
        if is_sram || items[0].eq_ignore_ascii_case("RF") {
            let Some(place) = heading(&items) else {
                let what = format!("`{}` should be `{} row column`", clip(content), items[0]);
                return error("MEM-E1", what);
            };
            let (kind, rows) =
                if is_sram { ("tile", geometry.tile_rows) } else { ("cell", Geometry::ROWS) };
            if let Some(message) = outside(kind, place, rows, geometry) {
                return error("MEM-E2", message);
            }
            current = Some((is_sram, place));
            continue;
        }
        let Some((is_sram, place)) = current else {
            let what = "a heading `SRAM row column` or `RF row column` is expected first";
            return error("MEM-E1", what.to_owned());
        };
        let [address, hex] = items[..] else {
            let what = format!("`{}` should be an address and 64 hex digits", clip(content));
            return error("MEM-E1", what);
        };
        let Some(block) = parse_block(hex) else {
            let what = "64 hex digits are expected";
            return error("MEM-E1", format!("the block has {} characters, {what}", hex.len()));
        };
        let Ok(address) = address.parse() else {
            return error("MEM-E1", format!("`{}` should be a decimal address", clip(address)));
        };
        if let Some(message) = image.insert(is_sram, place, address, block, geometry) {
            return error("MEM-E3", message);
        }
    }
    Ok(image)
}

/// The message about a cell or tile that the fabric does not have.
pub(crate) fn outside(
    kind: &str,
    (row, col): (usize, usize),
    rows: usize,
    geometry: &Geometry,
) -> Option<String> {
    let columns = geometry.columns;
    (row >= rows || col >= columns)
        .then(|| format!("{kind} {row} {col} is outside the fabric of {rows} x {columns} {kind}s"))
}

/// Lines with a content, counted from 1, without the white space around it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(|raw| raw.trim_matches([' ', '\t', '\r']));
    (1..).zip(lines).filter(|(_, content)| !content.is_empty() && !content.starts_with('#'))
}

/// Bytes of a line counted from 1, without its line end.
pub fn line_span(text: &str, line: usize) -> std::ops::Range<usize> {
    let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let len = text[start..].lines().next().unwrap_or_default().len();
    start..start + len
}

/// 64 hex digits, most significant first, as a block.
pub(crate) fn parse_block(hex: &str) -> Option<BlockWords> {
    if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut block = BlockWords::default();
    for (i, word) in block.iter_mut().enumerate() {
        let start = 60 - 4 * i;
        *word = u16::from_str_radix(&hex[start..start + 4], 16).ok()?;
    }
    Some(block)
}

fn heading(items: &[&str]) -> Option<(usize, usize)> {
    let number = |s: &str| s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse().ok()).flatten();
    match items {
        [_, row, col] => Some((number(row)?, number(col)?)),
        _ => None,
    }
}

/// The start of a text for an error message.
fn clip(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
