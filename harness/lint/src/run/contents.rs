// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of register files and rows of tiles that are read although nothing wrote them, and words with two writers.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use drra_diagnose::attribution::Cause;
use drra_fabric::{AguId, CellInput, Lane, Register};
use drra_golden::Fabric;
use drra_isa::{CellId, Geometry, Unit};

use super::{Now, RunWatch, finding, input_name};
use crate::Kind;

/// What has been written so far.
pub(super) struct Contents<'a> {
    /// The register-file words that the text initialises; without them, all words of an initialised row are.
    given: Option<&'a BTreeSet<(CellId, usize)>>,
    /// Per cell and word.
    words: Vec<Vec<bool>>,
    /// Per tile and row.
    rows: Vec<Vec<bool>>,
    /// The latest pattern of each read port.
    patterns: BTreeMap<(CellId, AguId), ReadPattern>,
    /// The latest address of each pattern, by unit and port.
    addresses: BTreeMap<(Unit, &'static str), usize>,
}

/// The words that a pattern has read.
struct ReadPattern {
    by: Cause,
    words: u64,
    /// Words that no input took, and the first of them with its cycle and the input at which it arrived.
    untaken_words: u64,
    untaken: Option<(u64, usize, Option<String>)>,
}

impl ReadPattern {
    fn is_of(&self, by: &Cause) -> bool {
        match (&self.by, by) {
            (Some(old), Some(new)) => Rc::ptr_eq(old, new),
            _ => false,
        }
    }
}

impl<'a> Contents<'a> {
    pub(super) fn new(geometry: &Geometry, given: Option<&'a BTreeSet<(CellId, usize)>>) -> Self {
        Self {
            given,
            words: vec![vec![false; geometry.rf_words]; geometry.cells()],
            rows: vec![vec![false; geometry.sram_blocks]; geometry.tiles()],
            patterns: BTreeMap::new(),
            addresses: BTreeMap::new(),
        }
    }

    /// The writes of the initialisation ports at the edge that ends a cycle.
    pub(super) fn initialise(&mut self, init: Option<(CellId, usize)>, after: &Fabric) {
        let geometry = after.geometry();
        if let Some((cell, block)) = init {
            let words = (0..Geometry::BLOCK_WORDS).map(|k| Geometry::BLOCK_WORDS * block + k);
            for word in words.filter(|w| self.given.is_none_or(|given| given.contains(&(cell, *w))))
            {
                self.words[cell.index(geometry)][word] = true;
            }
        }
        for (tile, row) in after.written_rows() {
            let by_port = after.tile_activity(tile).init.map(usize::from) == Some(row);
            self.rows[tile.index(geometry)][row] |= by_port;
        }
    }

    /// True if a row of a tile has been written.
    pub(super) fn has_row(&self, tile: usize, row: usize) -> bool {
        self.rows[tile][row]
    }

    pub(super) fn write_row(&mut self, tile: usize, row: usize) {
        self.rows[tile][row] = true;
    }
}

impl RunWatch<'_> {
    /// The reads of a cell; only words that an input takes count.
    pub(super) fn reads(&mut self, now: &Now<'_>, cell: CellId, taken: &BTreeSet<(CellId, Lane)>) {
        let own = now.signals.cell(cell);
        for (agu, lane) in [(AguId::R0, Lane::Rf0), (AguId::R1, Lane::Rf1)] {
            let Some(word) = own.emitted(agu).map(usize::from) else { continue };
            let by = self.lost.running(cell, agu);
            let is_taken = taken.contains(&(cell, lane));
            if is_taken && !self.contents.words[cell.index(&self.geometry)][word] {
                self.unwritten(now.cycle, (cell, agu), word..word + 1, &by);
            }
            let pattern = (cell, agu);
            if self.contents.patterns.get(&pattern).is_none_or(|old| !old.is_of(&by)) {
                self.pattern_ends(pattern);
                let pattern_of = ReadPattern { by, untaken: None, words: 0, untaken_words: 0 };
                self.contents.patterns.insert(pattern, pattern_of);
            }
            if let Some(now_read) = self.contents.patterns.get_mut(&pattern) {
                now_read.words += 1;
                if !is_taken {
                    now_read.untaken_words += 1;
                    let used = now_read.untaken.get_or_insert((now.cycle, word, None));
                    if used.2.is_none() {
                        used.2 = idle_input(now, (cell, lane), &self.geometry);
                    }
                }
            }
        }
        for agu in [AguId::W0, AguId::W1, AguId::R0, AguId::R1] {
            let Some(word) = own.emitted(agu).map(usize::from) else { continue };
            let place = (cell, agu.name(), Register::RfMem(word));
            let by = self.lost.running(cell, agu);
            self.address(place, (word, self.geometry.rf_words), now.cycle, &by);
        }
        if let Some(block) = own.emitted(AguId::Rb) {
            let words = Geometry::BLOCK_WORDS * usize::from(block);
            let words = words..words + Geometry::BLOCK_WORDS;
            if !self.contents.words[cell.index(&self.geometry)][words.clone()].contains(&true) {
                let by = self.attribution.agu(cell, AguId::Rb).clone();
                self.unwritten(now.cycle, (cell, AguId::Rb), words, &by);
            }
        }
    }

    /// The end of the pattern of a read port: words that no input takes.
    fn pattern_ends(&mut self, (cell, agu): (CellId, AguId)) {
        let Some(pattern) = self.contents.patterns.remove(&(cell, agu)) else { return };
        let Some((cycle, word, at)) = pattern.untaken else { return };
        let place = (cell, agu.name(), Register::RfMem(word));
        let (kind, text) = match pattern.untaken_words == pattern.words {
            true => {
                let why = at.unwrap_or_else(|| "no input is connected".to_owned());
                let text =
                    format!("no word of the pattern is used, the first being word {word}: {why}");
                (Kind::PatternUntaken, text)
            }
            false => (Kind::WordUntaken, format!("word {word} is read, but no input takes it")),
        };
        let mut finding = finding(kind, place, cycle, &pattern.by, text);
        if kind == Kind::WordUntaken {
            finding.count = pattern.untaken_words;
        }
        self.findings.add(finding);
    }

    /// The end of the run, and of all patterns.
    pub(super) fn patterns_end(&mut self) {
        for pattern in self.contents.patterns.keys().copied().collect::<Vec<_>>() {
            self.pattern_ends(pattern);
        }
    }

    /// An address of a pattern in a memory of this depth: a pattern passes the end if its address jumps by most of the
    /// depth.
    pub(super) fn address(
        &mut self,
        place: (impl Into<Unit>, &'static str, Register),
        (address, depth): (usize, usize),
        cycle: u64,
        by: &Cause,
    ) {
        let (unit, port, register) = (place.0.into(), place.1, place.2);
        let before = self.contents.addresses.insert((unit, port), address);
        if let Some(before) = before.filter(|before| before.abs_diff(address) > depth * 3 / 4) {
            let text = format!("address {address} follows {before}: the pattern passes the end");
            self.add(Kind::AddressWraps, (unit, port, register), cycle, by, text);
        }
    }

    /// A pattern starts, whose first address follows none.
    pub(super) fn pattern_starts(&mut self, unit: impl Into<Unit>, port: &'static str) {
        self.contents.addresses.remove(&(unit.into(), port));
    }

    fn unwritten(
        &mut self,
        cycle: u64,
        (cell, agu): (CellId, AguId),
        words: std::ops::Range<usize>,
        by: &Cause,
    ) {
        let text = match words.len() {
            1 => format!("word {} is read, but nothing wrote it before", words.start),
            _ => format!(
                "words {} to {} are read, but nothing wrote them before",
                words.start,
                words.end - 1
            ),
        };
        let place = (cell, agu.name(), Register::RfMem(words.start));
        self.add(Kind::ReadUnwritten, place, cycle, by, text);
    }

    /// The writes to the register file of a cell, except those of the initialisation port.
    pub(super) fn writes(&mut self, now: &Now<'_>, cell: CellId) {
        let (own, index) = (now.signals.cell(cell), cell.index(&self.geometry));
        let block = |b: usize, kept: u16| {
            let words = (0..Geometry::BLOCK_WORDS).filter(move |k| kept >> k & 1 == 0);
            words.map(|k| Geometry::BLOCK_WORDS * b + k).collect::<BTreeSet<_>>()
        };
        let emitted = |agu: AguId| own.emitted(agu).map(usize::from);
        let written = [
            emitted(AguId::Wb)
                .map(|b| ("the block write", Some(AguId::Wb), block(b, own.blk_wmask))),
            emitted(AguId::W0).map(|word| ("w0", Some(AguId::W0), [word].into())),
            emitted(AguId::W1).map(|word| ("w1", Some(AguId::W1), [word].into())),
            own.perm_block.map(|b| ("PERM", None, block(b.into(), 0))),
        ];
        let written: Vec<_> = written.into_iter().flatten().collect();
        for (k, (first, _, words)) in written.iter().enumerate() {
            for (second, agu, others) in &written[k + 1..] {
                if let Some(word) = words.intersection(others).next() {
                    let by = agu.and_then(|agu| self.attribution.agu(cell, agu).clone());
                    let text = format!(
                        "word {word} is written by {first} and by {second}, which is dropped"
                    );
                    self.add(
                        Kind::TwoWriters,
                        (cell, second, Register::RfMem(*word)),
                        now.cycle,
                        &by,
                        text,
                    );
                }
            }
        }
        for (.., words) in written {
            words.into_iter().for_each(|word| self.contents.words[index][word] = true);
        }
    }
}

/// An input that is connected to a lane and does not use its word.
fn idle_input(now: &Now<'_>, lane: (CellId, Lane), geometry: &Geometry) -> Option<String> {
    CellId::all(geometry).find_map(|cell| {
        let sources = now.signals.cell(cell).sources;
        let input = sources.iter().position(|source| *source == Some(lane))?;
        let (name, mode) = (input_name(input), now.fabric.dpu(cell).mode().name());
        Some(match input.checked_sub(CellInput::Dpu0.index()) {
            Some(_) => format!("the DPU of {cell} ({mode}) does not use {name}"),
            None => format!("{name} of {cell} does not store it"),
        })
    })
}
