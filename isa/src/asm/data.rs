// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data section: placement of words in tiles and register files (chapter 1, 8.4).

use std::collections::{BTreeSet, HashMap};

use super::error::{AsmError, SourceSpan};
use crate::{
    Geometry,
    image::{Memory, MemoryImage},
    place::CellId,
};

#[derive(Default)]
pub(crate) struct DataSection {
    geometry: Geometry,
    pub(crate) image: MemoryImage,
    written: BTreeSet<(Memory, usize)>,
    /// Word of each memory at which its next variable starts.
    next: HashMap<Memory, usize>,
    /// Start row (scratchpad) or start word (register file) of each variable.
    variables: HashMap<String, i64>,
}

impl DataSection {
    pub(crate) fn new(geometry: Geometry) -> Self {
        Self { geometry, ..Self::default() }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<i64> {
        self.variables.get(&name.to_ascii_lowercase()).copied()
    }

    /// Adds words at a row (scratchpad) or a word address (register file); `rows` is true if the text has them as hex
    /// rows.
    pub(crate) fn place(
        &mut self,
        memory: Memory,
        address: i64,
        (words, rows): (&[u16], bool),
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        // Scratchpads are addressed by rows, register files by words.
        let (unit, depth) = (row_words(memory), memory.depth(&self.geometry));
        let limit = depth * Geometry::BLOCK_WORDS / unit;
        let Some(address) = usize::try_from(address).ok().filter(|a| *a < limit) else {
            return place.fail("A16", format!("address {address} is outside 0..{}", limit - 1));
        };
        if rows && address * unit % Geometry::BLOCK_WORDS != 0 {
            return place.fail("A16", "a hex row must start at a multiple of 16 words");
        }
        self.write(memory, address * unit, words, place)
    }

    pub(crate) fn variable_data(
        &mut self,
        name: &str,
        memory: Memory,
        words: &[u16],
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        let key = name.to_ascii_lowercase();
        if self.variables.contains_key(&key) {
            return place.fail("A20", format!("variable ${name} is defined twice"));
        }
        let unit = row_words(memory);
        if !words.len().is_multiple_of(unit) {
            let message = "the size of a scratchpad variable must be a multiple of 16 words";
            return place.fail("A16", message);
        }
        let start = self.next.get(&memory).copied().unwrap_or(0);
        self.write(memory, start, words, place)?;
        self.next.insert(memory, start + words.len());
        self.variables.insert(key, (start / unit) as i64);
        Ok(())
    }

    /// The words of register files that were given.
    pub(crate) fn register_words(&self) -> BTreeSet<(CellId, usize)> {
        let words = self.written.iter().filter_map(|(memory, word)| match memory {
            Memory::Rf(cell) => Some((*cell, *word)),
            Memory::Sram(_) => None,
        });
        words.collect()
    }

    fn write(
        &mut self,
        memory: Memory,
        start: usize,
        words: &[u16],
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        if start + words.len() > memory.depth(&self.geometry) * Geometry::BLOCK_WORDS {
            return place.fail("A16", "the data extend beyond the end of the memory");
        }
        let blocks = self.image.blocks(memory);
        for (at, &word) in (start..).zip(words) {
            if !self.written.insert((memory, at)) {
                return place.fail("A16", format!("word {at} of this memory is initialised twice"));
            }
            let block = blocks.entry(at / Geometry::BLOCK_WORDS).or_default();
            block[at % Geometry::BLOCK_WORDS] = word;
        }
        Ok(())
    }
}

/// Number of words at each address of a memory: those of a row in a scratchpad, one in a register file.
fn row_words(memory: Memory) -> usize {
    match memory {
        Memory::Sram(_) => Geometry::BLOCK_WORDS,
        Memory::Rf(_) => 1,
    }
}
