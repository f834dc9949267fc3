// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input ports of the fabric in every cycle.

use std::collections::BTreeMap;

use drra_fabric::ports::{Block, IdleLines, InputPort, Inputs, ProgWord, RfInit, SramInit};
use drra_isa::{CellId, Geometry, MemoryImage, ProgramImage, Word};

use crate::idle::PortNoise;

/// The inputs in one cycle in which a port is used, or the lines of unused ports are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StimulusEntry {
    /// Cycle number.
    pub cycle: u64,
    /// Program port.
    pub prog: Option<ProgWord>,
    /// SRAM initialisation port.
    pub sram_init: Option<SramInit>,
    /// Register file initialisation port.
    pub rf_init: Option<RfInit>,
    /// Lines of the unused ports; `None`: as determined by `idle_ports` of the case.
    pub idle: Option<IdleLines>,
}

impl StimulusEntry {
    /// True if some port is used.
    pub fn uses_a_port(&self) -> bool {
        self.prog.is_some() || self.sram_init.is_some() || self.rf_init.is_some()
    }

    /// The values of the load ports; lines of unused ports that the entry does not give are 0.
    pub fn ports(&self) -> impl Iterator<Item = (InputPort, Block)> + use<> {
        let idle = self.idle.unwrap_or_default();
        let prog = self.prog.unwrap_or(idle.prog);
        let sram = self.sram_init.unwrap_or(idle.sram_init);
        let rf = self.rf_init.unwrap_or(idle.rf_init);
        let small = |value: usize| [value as u64, 0, 0, 0];
        let bit = |value: bool| small(usize::from(value));
        let values: [Block; 15] = [
            bit(self.prog.is_some()),
            small(prog.instr as usize),
            bit(prog.imm),
            small(prog.row_sel.into()),
            small(prog.col_sel as usize),
            bit(self.sram_init.is_some()),
            small(sram.row),
            small(sram.col),
            small(sram.addr),
            sram.data,
            bit(self.rf_init.is_some()),
            small(rf.row),
            small(rf.col),
            small(rf.block),
            rf.data,
        ];
        InputPort::groups().flatten().zip(values)
    }

    /// Takes the values of the ports that a later entry for the same cycle uses, and the lines of the unused ports if
    /// the later entry gives them.
    fn update(&mut self, later: &Self) {
        self.prog = later.prog.or(self.prog);
        self.sram_init = later.sram_init.or(self.sram_init);
        self.rf_init = later.rf_init.or(self.rf_init);
        self.idle = later.idle.or(self.idle);
    }
}

/// The inputs of a whole run: in cycles without an entry, all ports are unused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    /// Entries in ascending order of cycles, one per cycle.
    cycles: Vec<StimulusEntry>,
}

impl Stimulus {
    /// A stimulus from entries in any order; of two entries for one cycle, the later one determines the ports that it
    /// uses.
    pub fn new(mut entries: Vec<StimulusEntry>) -> Self {
        entries.sort_by_key(|e| e.cycle);
        entries.dedup_by(|entry, last| {
            let same = last.cycle == entry.cycle;
            if same {
                last.update(entry);
            }
            same
        });
        Self { cycles: entries }
    }

    /// Adds an entry, which replaces the existing entry of its cycle for the ports that it uses.
    ///
    /// # Complexity
    /// Linear in the number of entries of later cycles.
    pub fn add(&mut self, entry: StimulusEntry) {
        let at = self.cycles.partition_point(|e| e.cycle < entry.cycle);
        match self.cycles.get_mut(at) {
            Some(same) if same.cycle == entry.cycle => same.update(&entry),
            _ => self.cycles.insert(at, entry),
        }
    }

    /// Removes the entries of `cycle` and of later cycles.
    pub fn cut(&mut self, cycle: u64) {
        self.cycles.truncate(self.cycles.partition_point(|e| e.cycle < cycle));
    }

    /// The inputs that load memories and programs. Memory blocks are loaded from cycle 0 on, one per cycle (tiles
    /// row-major, addresses ascending; register file blocks likewise, at the same time on their own port). All program
    /// words follow back to back, with cells in row-major order.
    pub fn load(program: &ProgramImage, memory: &MemoryImage) -> Self {
        let tiles: usize = memory.sram.values().map(BTreeMap::len).sum();
        let files: usize = memory.rf.values().map(BTreeMap::len).sum();
        let words: usize = program.cells().map(|(_, words)| words.len()).sum();
        // Entry k is for cycle k.
        let mut entries: Vec<StimulusEntry> = Vec::with_capacity(tiles.max(files) + words);
        let next = |entries: &[StimulusEntry]| entries.len() as u64;
        for (tile, blocks) in &memory.sram {
            let (row, col) = (tile.row(), tile.col());
            for (&addr, words) in blocks {
                let init = SramInit { row, col, addr, data: block(words), valid: true };
                let cycle = next(&entries);
                entries.push(StimulusEntry { cycle, sram_init: Some(init), ..Default::default() });
            }
        }
        let blocks =
            memory.rf.iter().flat_map(|(cell, blocks)| blocks.iter().map(move |b| (cell, b)));
        for (k, (cell, (&number, words))) in blocks.enumerate() {
            let (row, col) = (cell.row(), cell.col());
            let rf_init = Some(RfInit { row, col, block: number, data: block(words) });
            match entries.get_mut(k) {
                Some(entry) => entry.rf_init = rf_init,
                None => {
                    let cycle = next(&entries);
                    entries.push(StimulusEntry { cycle, rf_init, ..Default::default() });
                }
            }
        }
        for (cell, words) in program.cells() {
            for word in words {
                let prog = ProgWord {
                    instr: word.bits as u32,
                    imm: word.immediate,
                    row_sel: 1 << cell.row(),
                    col_sel: 1 << cell.col(),
                };
                let cycle = next(&entries);
                entries.push(StimulusEntry { cycle, prog: Some(prog), ..Default::default() });
            }
        }
        Self { cycles: entries }
    }

    /// The cycles in which a port is used or the lines of unused ports are given, in ascending order.
    pub fn entries(&self) -> &[StimulusEntry] {
        &self.cycles
    }

    /// First cycle after the last one in which a port is used.
    pub fn end(&self) -> u64 {
        self.cycles.iter().rev().find(|e| e.uses_a_port()).map_or(0, |e| e.cycle + 1)
    }

    /// [`Stimulus::end`] plus the time that a program word takes to reach the farthest cell: cell (r,c) gets a word r+c
    /// cycles after cell (0,0) (chapter 5, section 5.2). In this cycle, every cell has all words of the stimulus.
    pub fn load_end(&self, geometry: &Geometry) -> u64 {
        self.end() + (Geometry::ROWS - 1 + geometry.columns - 1) as u64
    }

    /// The words that the program port delivers to each cell, in order.
    pub fn program(&self, geometry: &Geometry) -> ProgramImage {
        let mut program = ProgramImage::default();
        for prog in self.cycles.iter().filter_map(|e| e.prog) {
            let selected = CellId::all(geometry)
                .filter(|c| prog.row_sel >> c.row() & 1 == 1 && prog.col_sel >> c.col() & 1 == 1);
            for cell in selected {
                program.push(cell, Word { bits: prog.instr.into(), immediate: prog.imm });
            }
        }
        program
    }

    /// Cycle in which the first program word is on the program port.
    pub fn first_program_cycle(&self) -> Option<u64> {
        self.cycles.iter().find(|e| e.prog.is_some()).map(|e| e.cycle)
    }

    /// A reader that returns the inputs cycle by cycle from cycle 0; lines without an entry are 0.
    pub fn player(&self) -> StimulusPlayer<'_> {
        StimulusPlayer { rest: &self.cycles, cycle: 0, noise: None }
    }
}

/// Returns the inputs of successive cycles.
#[derive(Clone, Debug)]
pub struct StimulusPlayer<'a> {
    rest: &'a [StimulusEntry],
    cycle: u64,
    /// Lines of unused ports.
    noise: Option<PortNoise>,
}

impl StimulusPlayer<'_> {
    /// The same reader, with random bits on unused lines where no entry gives their values.
    pub(crate) fn with(self, noise: Option<PortNoise>) -> Self {
        Self { noise, ..self }
    }

    /// The same reader, which continues with this cycle; it must not have passed the cycle.
    pub fn at(self, cycle: u64) -> Self {
        let before = self.rest.partition_point(|entry| entry.cycle < cycle);
        Self { rest: &self.rest[before..], cycle, ..self }
    }

    /// Inputs of the next cycle, with these answers of the input buffers.
    pub fn next<'b>(&mut self, io_in_data: &'b [Block]) -> Inputs<'b> {
        let mut inputs = Inputs { io_in_data, ..Inputs::default() };
        if let Some((entry, rest)) = self.rest.split_first()
            && entry.cycle == self.cycle
        {
            self.rest = rest;
            inputs.prog = entry.prog;
            inputs.sram_init = entry.sram_init;
            inputs.rf_init = entry.rf_init;
            inputs.idle = entry.idle;
        }
        if let (None, Some(noise)) = (inputs.idle, &self.noise) {
            inputs.idle = noise.lines(self.cycle);
        }
        self.cycle += 1;
        inputs
    }
}

/// 16 words as a block.
pub fn block(words: &[u16; 16]) -> Block {
    std::array::from_fn(|i| (0..4).fold(0, |q, j| q | u64::from(words[4 * i + j]) << (16 * j)))
}

/// A block as 16 words.
pub fn words(block: &Block) -> [u16; 16] {
    std::array::from_fn(|k| (block[k / 4] >> (16 * (k % 4))) as u16)
}
