// SPDX-License-Identifier: MIT OR Apache-2.0
//! Program images (`instruction.bin`) and memory images (chapter 1, 7.4 and 7.5).

use std::{
    collections::BTreeMap,
    fmt::{Display, Write},
    ops::Range,
};

use crate::{
    Geometry,
    place::{CellId, TileId},
};

/// One stored instruction word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The word, with as many bits as the instruction set defines (27 in the published revisions).
    pub bits: u64,
    /// Its immediate flag.
    pub immediate: bool,
}

/// A 256-bit block as 16 words, word 0 first.
pub type BlockWords = [u16; 16];

/// Instruction words of the cells of a program, in row-major order of the cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramImage {
    cells: BTreeMap<CellId, Vec<Word>>,
}

impl ProgramImage {
    /// Words of a cell, if it has any.
    pub fn cell(&self, cell: CellId) -> Option<&[Word]> {
        self.cells.get(&cell).map(Vec::as_slice)
    }

    /// Appends a word to a cell.
    pub fn push(&mut self, cell: CellId, word: Word) {
        self.cells.entry(cell).or_default().push(word);
    }

    /// Replaces the words of a cell; an empty list removes it.
    pub fn set(&mut self, cell: CellId, words: Vec<Word>) {
        if words.is_empty() {
            self.cells.remove(&cell);
        } else {
            self.cells.insert(cell, words);
        }
    }

    /// Cells that have words, with their words, in row-major order.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, &[Word])> {
        self.cells.iter().map(|(cell, words)| (*cell, words.as_slice()))
    }

    /// Number of words of all cells.
    pub fn word_count(&self) -> usize {
        self.cells.values().map(Vec::len).sum()
    }

    /// The image as text, byte for byte as published loaders expect it.
    pub fn to_text(&self, word_bits: u32) -> String {
        let mut out = String::new();
        for (cell, words) in self.cells() {
            writeln!(out, "CELL {} {}", cell.row(), cell.col()).expect("writing to a string");
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

/// Contents of a memory: blocks by address.
pub type Blocks = BTreeMap<usize, BlockWords>;

/// A memory with initial contents: the memory of a tile or the register file of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Memory {
    Sram(TileId),
    Rf(CellId),
}

impl Memory {
    /// Number of blocks of the memory.
    pub(crate) fn depth(self, geometry: &Geometry) -> usize {
        match self {
            Self::Sram(_) => geometry.sram_blocks,
            Self::Rf(_) => geometry.rf_blocks(),
        }
    }
}

/// Initial contents of scratchpad tiles and register files. Only blocks with an initialised word are present.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryImage {
    /// Contents of tiles by block address.
    pub sram: BTreeMap<TileId, Blocks>,
    /// Contents of register files by block number, from 0.
    pub rf: BTreeMap<CellId, Blocks>,
}

impl MemoryImage {
    /// True if there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.sram.is_empty() && self.rf.is_empty()
    }

    /// Contents of a memory.
    pub(crate) fn blocks(&mut self, memory: Memory) -> &mut Blocks {
        match memory {
            Memory::Sram(tile) => self.sram.entry(tile).or_default(),
            Memory::Rf(cell) => self.rf.entry(cell).or_default(),
        }
    }

    /// Adds a block. On failure, returns the message about an address that does not exist in the memory or has been
    /// given before.
    pub(crate) fn insert(
        &mut self,
        memory: Memory,
        address: impl TryInto<usize> + Copy + Display,
        block: BlockWords,
        geometry: &Geometry,
    ) -> Option<String> {
        let limit = memory.depth(geometry);
        let Some(inside) = address.try_into().ok().filter(|a| *a < limit) else {
            return Some(format!("address {address} is outside 0..{}", limit - 1));
        };
        let earlier = self.blocks(memory).insert(inside, block);
        earlier.map(|_| format!("address {address} is given twice"))
    }

    /// The image as text: all tiles, then all register files, row-major.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let tiles = self.sram.iter().map(|(t, blocks)| ("SRAM", t.image_row(), t.col(), blocks));
        let files = self.rf.iter().map(|(c, blocks)| ("RF", c.row(), c.col(), blocks));
        for (name, row, col, blocks) in tiles.chain(files) {
            writeln!(out, "{name} {row} {col}").expect("writing to a string");
            for (address, block) in blocks {
                let hex: String = block.iter().rev().map(|w| format!("{w:04x}")).collect();
                writeln!(out, "{address} {hex}").expect("writing to a string");
            }
            out.push('\n');
        }
        out
    }
}

/// A reason why an image could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ImageError {
    /// `BIN-E1` .. `BIN-E3`, `MEM-E1` .. `MEM-E3` or `VHD-E1`.
    pub code: &'static str,
    /// Line, counted from 1.
    pub line: usize,
    /// The bytes of the text that the error is about.
    pub span: Range<usize>,
    /// The problem, and the expected value.
    pub message: String,
}

impl ImageError {
    /// An error about a whole line; lines are numbered from 1.
    fn of_line(code: &'static str, text: &str, line: usize, message: String) -> Self {
        Self { code, line, span: line_span(text, line), message }
    }
}

/// Reads a program image whose words have `word_bits` bits, at most 64.
///
/// # Errors
/// `BIN-E1` malformed line, `BIN-E2` cell outside the fabric, `BIN-E3` more than 63 words in a
/// cell.
pub fn read_program(
    text: &str,
    geometry: &Geometry,
    word_bits: u32,
) -> Result<ProgramImage, ImageError> {
    let is_bits = |s: &str| s.bytes().all(|b| b == b'0' || b == b'1');
    if let Some((line, _)) = lines(text).find(|(_, word)| word.len() == 32 && is_bits(word)) {
        let message = "words of 32 bits without a flag belong to DRRA-2, another architecture; assemble the program for \
                       DRRA"
            .to_owned();
        return Err(ImageError::of_line("BIN-E1", text, line, message));
    }
    let mut image = ProgramImage::default();
    let mut cell = CellId::FIRST;
    for (line, content) in lines(text) {
        let error = |code, message| Err(ImageError::of_line(code, text, line, message));
        let items: Vec<&str> = content.split([' ', '\t']).filter(|s| !s.is_empty()).collect();
        if items[0].eq_ignore_ascii_case("CELL") {
            let Some(found) = heading(&items) else {
                return error("BIN-E1", format!("`{content}` should be `CELL row column`"));
            };
            match cell_at(found, geometry) {
                Ok(found) => cell = found,
                Err(message) => return error("BIN-E2", message),
            }
            continue;
        }
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
            let what = format!("the word has {} bits, expected {word_bits}", word.len());
            return error("BIN-E1", what);
        }
        if image.cell(cell).is_some_and(|w| w.len() == Geometry::PROGRAM_WORDS) {
            let (row, col, most) = (cell.row(), cell.col(), Geometry::PROGRAM_WORDS);
            let what = format!(
                "cell {row} {col} has more than {most} words, the most that can be executed"
            );
            return error("BIN-E3", what);
        }
        let bits = u64::from_str_radix(word, 2).expect("binary digits, at most 64");
        image.push(cell, Word { bits, immediate: flag == "1" });
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
    let mut current: Option<Memory> = None;
    for (line, content) in lines(text) {
        let error = |code, message| Err(ImageError::of_line(code, text, line, message));
        let items: Vec<&str> = content.split([' ', '\t']).filter(|s| !s.is_empty()).collect();
        let is_sram = items[0].eq_ignore_ascii_case("SRAM");
        if is_sram || items[0].eq_ignore_ascii_case("RF") {
            let Some(place) = heading(&items) else {
                let what = format!("`{}` should be `{} row column`", clip(content), items[0]);
                return error("MEM-E1", what);
            };
            let memory = match is_sram {
                true => tile_at(place, geometry).map(Memory::Sram),
                false => cell_at(place, geometry).map(Memory::Rf),
            };
            match memory {
                Ok(memory) => current = Some(memory),
                Err(message) => return error("MEM-E2", message),
            }
            continue;
        }
        let Some(memory) = current else {
            let what = "expected a heading `SRAM row column` or `RF row column` first";
            return error("MEM-E1", what.to_owned());
        };
        let [address, hex] = items[..] else {
            let what = format!("`{}` should be an address and 64 hex digits", clip(content));
            return error("MEM-E1", what);
        };
        let Some(block) = parse_block(hex) else {
            let what = "expected 64 hex digits";
            return error("MEM-E1", format!("the block has {} characters, {what}", hex.len()));
        };
        let Ok(address) = address.parse::<usize>() else {
            return error("MEM-E1", format!("`{}` should be a decimal address", clip(address)));
        };
        if let Some(message) = image.insert(memory, address, block, geometry) {
            return error("MEM-E3", message);
        }
    }
    Ok(image)
}

/// The cell with this row and column, or the message that it is outside the fabric.
pub(crate) fn cell_at((row, col): (usize, usize), geometry: &Geometry) -> Result<CellId, String> {
    let (rows, columns) = (Geometry::ROWS, geometry.columns);
    CellId::new(row, col).filter(|cell| cell.is_in(geometry)).ok_or_else(|| {
        format!("cell {row} {col} is outside the fabric of {rows} x {columns} cells")
    })
}

/// The tile with this row (counted from 0) and column, or the message that it is outside the fabric.
pub(crate) fn tile_at((row, col): (usize, usize), geometry: &Geometry) -> Result<TileId, String> {
    let (rows, columns) = (geometry.tile_rows, geometry.columns);
    TileId::from_image_row(row, col).filter(|tile| tile.is_in(geometry)).ok_or_else(|| {
        format!("tile {row} {col} is outside the fabric of {rows} x {columns} tiles")
    })
}

/// Lines that are neither empty nor comments, numbered from 1, without surrounding white space.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(|raw| raw.trim_matches([' ', '\t', '\r']));
    (1..).zip(lines).filter(|(_, content)| !content.is_empty() && !content.starts_with('#'))
}

/// Bytes of the line with this number, without its line end; lines are numbered from 1.
pub(crate) fn line_span(text: &str, line: usize) -> Range<usize> {
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

/// The start of a text, for an error message.
fn clip(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
