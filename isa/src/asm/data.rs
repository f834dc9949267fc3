// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data section: placement of words in tiles and register files (chapter 1, 8.4).

use std::collections::{BTreeSet, HashMap};

use super::{AsmError, SourceSpan};
use crate::{geometry::Geometry, image::MemoryImage};

/// A tile (`true`, row from 0, column) or a register file (`false`, row, column).
type Memory = (bool, usize, usize);

#[derive(Default)]
pub(crate) struct DataSection {
    pub(crate) image: MemoryImage,
    written: BTreeSet<(Memory, usize)>,
    /// Next free word of each memory for variables.
    next: HashMap<Memory, usize>,
    /// Start row (scratchpad) or start word (register file) of each variable.
    variables: HashMap<String, i64>,
}

impl DataSection {
    pub(crate) fn variable(&self, name: &str) -> Option<i64> {
        self.variables.get(&name.to_ascii_lowercase()).copied()
    }

    /// Words at a row (scratchpad) or a word address (register file).
    #[expect(clippy::too_many_arguments, reason = "one call per statement form, all parts needed")]
    pub(crate) fn place(
        &mut self,
        geometry: &Geometry,
        sram: bool,
        (row, col): (usize, usize),
        address: i64,
        words: &[u16],
        hex_rows: bool,
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        let limit = if sram { geometry.sram_blocks } else { geometry.rf_words };
        let Some(address) = usize::try_from(address).ok().filter(|a| *a < limit) else {
            return place.fail("A16", format!("address {address} is outside 0..{}", limit - 1));
        };
        if hex_rows && !sram && address % Geometry::BLOCK_WORDS != 0 {
            return place.fail("A16", "a hex row starts at a multiple of 16 words");
        }
        let start = if sram { address * Geometry::BLOCK_WORDS } else { address };
        self.write(geometry, (sram, row, col), start, words, place)
    }

    pub(crate) fn variable_data(
        &mut self,
        geometry: &Geometry,
        name: &str,
        sram: bool,
        (row, col): (usize, usize),
        words: &[u16],
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        let key = name.to_ascii_lowercase();
        if self.variables.contains_key(&key) {
            return place.fail("A20", format!("variable ${name} is defined twice"));
        }
        if sram && !words.len().is_multiple_of(Geometry::BLOCK_WORDS) {
            return place
                .fail("A16", "the size of a scratchpad variable is a multiple of 16 words");
        }
        let memory = (sram, row, col);
        let start = self.next.get(&memory).copied().unwrap_or(0);
        self.write(geometry, memory, start, words, place)?;
        self.next.insert(memory, start + words.len());
        let value = if sram { start / Geometry::BLOCK_WORDS } else { start };
        self.variables.insert(key, value as i64);
        Ok(())
    }

    fn write(
        &mut self,
        geometry: &Geometry,
        memory: Memory,
        start: usize,
        words: &[u16],
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        let (sram, row, col) = memory;
        let depth =
            if sram { geometry.sram_blocks * Geometry::BLOCK_WORDS } else { geometry.rf_words };
        if start + words.len() > depth {
            return place.fail("A16", "the data run beyond the end of the memory");
        }
        let memories = if sram { &mut self.image.sram } else { &mut self.image.rf };
        let blocks = memories.entry((row, col)).or_default();
        for (i, &word) in words.iter().enumerate() {
            let at = start + i;
            if !self.written.insert((memory, at)) {
                return place.fail("A16", format!("word {at} of this memory is initialised twice"));
            }
            blocks.entry(at / Geometry::BLOCK_WORDS).or_default()[at % Geometry::BLOCK_WORDS] =
                word;
        }
        Ok(())
    }
}
