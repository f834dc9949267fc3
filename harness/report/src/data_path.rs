// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a value came from: from the register back through ports, switchbox, DPU, blocks and the
//! NoC to the words that were there at the start, in the golden model (chapters 3 to 7).
//!
//! Both sides agree in every cycle before the mismatch, so that what is found holds for both.

use drra_diagnose::attribution::AGUS;
use drra_diagnose::attribution::Decoded;
use drra_diagnose::attribution::SIDES;
use drra_diagnose::attribution::Tag;
use drra_diagnose::attribution::Writer;
use drra_diagnose::attribution::index;
use drra_diagnose::attribution::key;
use drra_diagnose::explain::is_dpu_data;
use drra_golden::Block;
use drra_golden::Layout;
use drra_golden::Owner;
use drra_golden::Unit;
use drra_golden::units::permute;
use drra_lockstep::Difference;

use super::LinkKind;
use super::PathStep;
use super::recording::Recording;
use super::registers::Registers;
use super::registers::dpu_mode;

/// Steps at most.
const STEPS: usize = 80;
/// Depth at most.
const DEPTH: usize = 24;

const N: usize = 0;
const S: usize = 1;
const E: usize = 2;
const W: usize = 3;
const MEM: usize = 4;

/// The way, with the connections that it took.
#[derive(Default)]
pub(super) struct DataPath {
    pub(super) steps: Vec<PathStep>,
    /// Unit that gives, unit that takes, kind.
    pub(super) links: Vec<(Unit, Unit, LinkKind)>,
}

/// An instruction in a few words.
fn brief(d: &Decoded) -> String {
    let (row, col) = d.cell;
    format!("cell ({row},{col}) @{} {}", d.address, d.mnemonic())
}

/// The way of a value that differs.
pub(super) fn trace(recording: &Recording<'_>, first: &Difference) -> DataPath {
    let mut tracer = Tracer { r: recording, path: DataPath::default() };
    let cycle = recording.mismatch;
    let unit = first.unit;
    let i = unit.index;
    let name = first.register.as_str();
    // The first word of a block that differs.
    let word = (0..16)
        .find(|k| {
            let at = |v: &[u64]| v.get(k / 4).map_or(0, |q| q >> (16 * (k % 4)) & 0xffff);
            at(&first.golden) != at(&first.rtl)
        })
        .unwrap_or(0);
    match unit.owner {
        Owner::Cell if name.starts_with("rf.mem") => {
            tracer.word(0, i, index(name).unwrap_or(0), cycle);
        }
        Owner::Cell if is_dpu_data(name) => {
            if let Some(before) = cycle.checked_sub(1) {
                let channel = usize::from(name.ends_with("[1]") || name == "dpu.ir1");
                tracer.operands(0, i, channel, before);
            }
        }
        Owner::Tile if name.starts_with("xout") => {
            let k = key(name).and_then(|k| SIDES.iter().position(|s| *s == k)).unwrap_or(MEM);
            tracer.crossbar(0, i, k, word, cycle);
        }
        Owner::Tile if name.starts_with("mem_q") => {
            if let Some(read) = cycle.checked_sub(1) {
                tracer.memory_read(0, i, word, read);
            }
        }
        Owner::Tile if name.starts_with("sram") => {
            tracer.row(0, i, index(name).unwrap_or(0), word, cycle);
        }
        Owner::Column if name == "io_wdata" && cycle > 0 => tracer.up(0, i, word, cycle - 1),
        Owner::Column if name == "blk_in_row1" && cycle > 0 => {
            tracer.down(0, i, word, cycle - 1);
        }
        Owner::Column if name == "io_rdata" && cycle > 0 => tracer.buffer(0, i, cycle),
        _ => tracer.configuration(cycle),
    }
    tracer.path
}

struct Tracer<'a> {
    r: &'a Recording<'a>,
    path: DataPath,
}

impl Tracer<'_> {
    /// Adds a step; false if there have been enough.
    fn step(
        &mut self,
        depth: usize,
        cycle: u64,
        unit: Unit,
        text: String,
        value: Option<String>,
        by: &Tag,
    ) -> bool {
        if self.path.steps.len() >= STEPS || depth > DEPTH {
            return false;
        }
        self.path.steps.push(PathStep {
            depth,
            cycle,
            unit: self.r.layout.unit_name(unit),
            text,
            value,
            by: by.as_deref().map(brief),
        });
        true
    }

    fn golden(&self, cycle: u64) -> Option<Registers<'_>> {
        self.r.golden(cycle)
    }

    fn cell(&self, index: usize) -> Unit {
        Unit { owner: Owner::Cell, index }
    }

    fn column(&self, index: usize) -> Unit {
        Unit { owner: Owner::Column, index }
    }

    fn tile(&self, index: usize) -> Unit {
        Unit { owner: Owner::Tile, index }
    }

    /// A word of a register file in a cycle.
    fn word(&mut self, depth: usize, cell: usize, word: usize, cycle: u64) {
        let unit = self.cell(cell);
        let Some(now) = self.golden(cycle) else { return };
        let value = Some(Layout::hex(&[now.low(unit, &format!("rf.mem[{word}]"))], 16));
        let Some(write) = self.r.attribution.rf_write(cell, word, cycle).cloned() else {
            let text = format!("word {word} keeps what it had at the start");
            self.step(depth, cycle, unit, text, value, &None);
            return;
        };
        let how = match write.writer {
            Writer::Init => "the initialisation port".to_owned(),
            Writer::Wb => "a block write (wb)".to_owned(),
            Writer::W0 => "write port w0".to_owned(),
            Writer::W1 => "write port w1".to_owned(),
            Writer::Perm => "PERM".to_owned(),
        };
        let text = format!("word {word} is written by {how}");
        if !self.step(depth, write.cycle, unit, text, value, &write.by) {
            return;
        }
        match write.writer {
            Writer::Init => {}
            Writer::W0 => self.input(depth + 1, cell, 0, write.cycle),
            Writer::W1 => self.input(depth + 1, cell, 1, write.cycle),
            Writer::Wb => self.block_in(depth + 1, cell, word % 16, write.cycle),
            Writer::Perm => {
                let from = write.by.as_ref().and_then(|d| {
                    // The old words are their own numbers, so that the new ones tell their origin.
                    let numbers = std::array::from_fn(|i| i as u16 + 1);
                    let (mode, distance) = d.permutation()?;
                    let new = permute(&numbers, mode, distance)?;
                    usize::from(new[word % 16]).checked_sub(1)
                });
                if let Some(k) = from {
                    self.word(depth + 1, cell, word / 16 * 16 + k, write.cycle);
                }
            }
        }
    }

    /// An input of a cell in a cycle.
    fn input(&mut self, depth: usize, cell: usize, v: usize, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        let name = ["w0", "w1", "DPU in 0", "DPU in 1", "DPU in 2", "DPU in 3"][v];
        let value = Some(Layout::hex(&[signals.cells[cell].vin[v].into()], 16));
        let unit = self.cell(cell);
        let Some((source, lane)) = signals.cells[cell].sources[v] else {
            let text = format!("{name} listens to nothing and reads 0");
            self.step(depth, cycle, unit, text, value, &None);
            return;
        };
        let cols = self.r.geometry.columns;
        let lane_name = ["r0", "r1", "DPU out 0", "DPU out 1"][lane];
        let text =
            format!("{name} listens to {lane_name} of cell ({},{})", source / cols, source % cols);
        let by = self.selection(cell, v, cycle);
        if !self.step(depth, cycle, unit, text, value, &by) {
            return;
        }
        if source != cell {
            self.path.links.push((self.cell(source), unit, LinkKind::Switchbox));
        }
        self.lane(depth + 1, source, lane, cycle);
    }

    /// The SWB that made a selection which is in force in a cycle: the latest one decoded for the
    /// input by then.
    fn selection(&self, cell: usize, v: usize, cycle: u64) -> Tag {
        // What is released in a cycle selects from the next one on.
        self.latest(cell, cycle.saturating_sub(1), |d| d.input() == Some(v))
    }

    /// A lane of a cell in a cycle.
    fn lane(&mut self, depth: usize, cell: usize, lane: usize, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        let unit = self.cell(cell);
        let value = Some(Layout::hex(&[signals.cells[cell].lanes[lane].into()], 16));
        if lane < 2 {
            let k = AGUS[3 + lane];
            match signals.cells[cell].emitted[3 + lane] {
                Some(a) => {
                    let by = self.launch(cell, 3 + lane, cycle);
                    let text = format!("read port {k} reads word {a}");
                    if self.step(depth, cycle, unit, text, value, &by) {
                        self.word(depth + 1, cell, a.into(), cycle);
                    }
                }
                None => {
                    let text = format!("read port {k} emits no address and reads 0");
                    self.step(depth, cycle, unit, text, value, &None);
                }
            }
            return;
        }
        let Some(now) = self.golden(cycle) else { return };
        let mode = now.low(unit, "dpu.mode_reg");
        let channel = lane - 2;
        let text = format!("DPU out {channel}, mode {}", dpu_mode(mode));
        let by = self.dpu_instruction(cell, cycle);
        if self.step(depth, cycle, unit, text, value, &by)
            && let Some(earlier) = cycle.checked_sub(latency(mode))
        {
            self.operands(depth + 1, cell, channel, earlier);
        }
    }

    /// The latest instruction of a cell that had reached its unit by a cycle.
    fn latest(&self, cell: usize, cycle: u64, wanted: impl Fn(&Decoded) -> bool) -> Tag {
        let cols = self.r.geometry.columns;
        let at = (cell / cols, cell % cols);
        self.r
            .attribution
            .log()
            .rev()
            .find(|d| d.cell == at && wanted(d) && d.released.get().is_some_and(|c| c <= cycle))
            .cloned()
    }

    /// The REFI of an AGU in force in a cycle.
    fn launch(&self, cell: usize, k: usize, cycle: u64) -> Tag {
        self.latest(cell, cycle, |d| d.agu() == Some(k))
    }

    fn dpu_instruction(&self, cell: usize, cycle: u64) -> Tag {
        self.latest(cell, cycle.saturating_sub(1), |d| d.dpu_mode().is_some())
    }

    /// The operands of a channel of a DPU in a cycle (chapter 4, section 6).
    fn operands(&mut self, depth: usize, cell: usize, channel: usize, cycle: u64) {
        let unit = self.cell(cell);
        let Some(now) = self.golden(cycle) else { return };
        let mode = now.low(unit, "dpu.mode_reg");
        let constants: Vec<(String, String)> = match mode {
            3 | 9 | 12 | 30 => now.matching(unit, &format!("dpu.ir{channel}")),
            14 => now.matching(unit, "dpu.ir0"),
            26 => now.matching(unit, "dpu.sm_reg"),
            22 | 28 | 29 => now.matching(unit, "dpu.const_reg"),
            _ => Vec::new(),
        };
        let sums = matches!(mode, 2 | 10 | 13 | 25 | 30);
        let accumulator =
            if sums { now.matching(unit, &format!("dpu.acc[{channel}]")) } else { Vec::new() };
        for k in inputs(mode, channel) {
            self.input(depth, cell, 2 + k, cycle);
        }
        for (name, value) in accumulator {
            let text = format!("{name} adds what was summed up before");
            self.step(depth, cycle, unit, text, Some(value), &None);
        }
        for (name, value) in constants {
            let text = format!("{name} is an operand");
            self.step(depth, cycle, unit, text, Some(value), &None);
        }
    }

    /// A word of the block that a cell gets in a cycle.
    fn block_in(&mut self, depth: usize, cell: usize, word: usize, cycle: u64) {
        let (row, col) = (cell / self.r.geometry.columns, cell % self.r.geometry.columns);
        self.path.links.push((self.column(col), self.cell(cell), LinkKind::Noc));
        match (row, cycle.checked_sub(1)) {
            (0, _) => self.down(depth, col, word, cycle),
            (_, Some(before)) => {
                let unit = self.column(col);
                let text = "blk_in_row1 hands the block to row 1 a cycle later".to_owned();
                if self.step(depth, cycle, unit, text, None, &None) {
                    self.down(depth + 1, col, word, before);
                }
            }
            _ => {}
        }
    }

    /// A word of the block that a column hands down in a cycle.
    fn down(&mut self, depth: usize, col: usize, word: usize, cycle: u64) {
        if self.r.signals(cycle).is_some_and(|s| s.columns[col].from_buffer) {
            self.buffer(depth, col, cycle);
        } else {
            self.path.links.push((self.tile(col), self.column(col), LinkKind::Noc));
            self.crossbar(depth, col, S, word, cycle);
        }
    }

    /// A word of the block that a column hands up in a cycle.
    fn up(&mut self, depth: usize, col: usize, word: usize, cycle: u64) {
        let Some(signals) = self.r.signals(cycle) else { return };
        let cells = [col, self.r.geometry.columns + col];
        let reading = cells.into_iter().find(|&i| signals.cells[i].blk_rdata.is_some());
        match reading.and_then(|i| Some((i, signals.cells[i].emitted[5]?))) {
            Some((cell, block)) => {
                let by = self.launch(cell, 5, cycle);
                let text = format!("a block read (rb) reads block {block}");
                let unit = self.cell(cell);
                self.path.links.push((unit, self.column(col), LinkKind::Noc));
                if self.step(depth, cycle, unit, text, None, &by) {
                    self.word(depth + 1, cell, 16 * usize::from(block) + word, cycle);
                }
            }
            None if signals.columns[col].from_buffer => self.buffer(depth, col, cycle),
            None => {
                let text = "no register file reads a block: 0".to_owned();
                self.step(depth, cycle, self.column(col), text, None, &None);
            }
        }
    }

    /// A block from the input buffer that is in `io_rdata` in a cycle.
    fn buffer(&mut self, depth: usize, col: usize, cycle: u64) {
        let unit = self.column(col);
        let Some(asked) = cycle.checked_sub(2) else { return };
        let Some(then) = self.golden(asked) else { return };
        let address = then.low(unit, "io_rd.addr");
        let by = self.r.attribution.io_generator(col, 0).clone();
        let text = format!("input buffer, block {address:#x}");
        self.step(depth, asked, unit, text, None, &by);
    }

    /// A word of a crossbar output in a cycle.
    fn crossbar(&mut self, depth: usize, tile: usize, k: usize, word: usize, cycle: u64) {
        let unit = self.tile(tile);
        let name = SIDES.get(k).copied().unwrap_or("MEM");
        let path = format!("xout[{name}]");
        let (Some(now), Some(earlier)) = (self.golden(cycle), cycle.checked_sub(1)) else { return };
        let value = Some(word_of(&now.block(unit, &path), word));
        let Some(before) = self.golden(earlier) else { return };
        let source = before.low(unit, &format!("xsel[{name}]")) as usize;
        let from = match source {
            MEM => "the memory",
            N..=W => SIDES[source],
            _ => "nothing",
        };
        let by = self.route(tile, cycle);
        let text = format!("{path} follows {from}");
        if !self.step(depth, cycle, unit, text, value, &by) {
            return;
        }
        let cols = self.r.geometry.columns;
        let (neighbour, side) = match source {
            N => (tile + cols, S),
            S if tile < cols => {
                self.path.links.push((self.column(tile), unit, LinkKind::Noc));
                return self.up(depth + 1, tile, word, earlier);
            }
            S => (tile - cols, N),
            E => (tile + 1, W),
            W => (tile.wrapping_sub(1), E),
            MEM => {
                if let Some(read) = earlier.checked_sub(1) {
                    self.memory_read(depth + 1, tile, word, read);
                }
                return;
            }
            _ => return,
        };
        let outside = match source {
            E => tile % cols + 1 == cols,
            W => tile.is_multiple_of(cols),
            _ => neighbour >= self.r.geometry.tiles(),
        };
        if outside {
            let text = "beyond the edge of the array: 0".to_owned();
            self.step(depth + 1, earlier, unit, text, None, &None);
            return;
        }
        self.path.links.push((self.tile(neighbour), unit, LinkKind::Noc));
        self.crossbar(depth + 1, neighbour, side, word, earlier);
    }

    /// The ROUTE that set the crossbar of a tile, as of the mismatch.
    fn route(&self, tile: usize, cycle: u64) -> Tag {
        let set = self.r.attribution.crossbar(tile);
        set.clone().filter(|d| d.released.get().is_some_and(|c| c < cycle))
    }

    /// A word that a memory reads in a cycle.
    fn memory_read(&mut self, depth: usize, tile: usize, word: usize, cycle: u64) {
        let unit = self.tile(tile);
        let Some(then) = self.golden(cycle) else { return };
        if then.low(unit, "rd.en") == 0 {
            let text = "the memory is not read: 0".to_owned();
            self.step(depth, cycle, unit, text, None, &None);
            return;
        }
        let row = then.low(unit, "rd.addr") as usize;
        let by = self.r.attribution.generator(tile, 0).clone();
        if self.step(depth, cycle, unit, format!("the memory reads row {row}"), None, &by) {
            // A row that is written in the same cycle passes through.
            self.row(depth + 1, tile, row, word, cycle + 1);
        }
    }

    /// A word of a memory row in a cycle.
    fn row(&mut self, depth: usize, tile: usize, row: usize, word: usize, cycle: u64) {
        let unit = self.tile(tile);
        let Some(write) = self.r.attribution.row_write(tile, row, cycle).cloned() else {
            let text = format!("row {row} keeps what it had at the start");
            self.step(depth, cycle, unit, text, None, &None);
            return;
        };
        if write.init {
            let text = format!("row {row} is written by the initialisation port");
            self.step(depth, write.cycle, unit, text, None, &None);
            return;
        }
        let text = format!("row {row} is written from xout[MEM]");
        if self.step(depth, write.cycle, unit, text, None, &write.by) {
            self.crossbar(depth + 1, tile, MEM, word, write.cycle);
        }
    }

    /// Tiles that a ROUTE or SRAM reaches by a cycle: tile, side, cycle; one a cycle, from the home
    /// tile on.
    fn hops(&self, message: &Decoded, until: u64) -> Vec<(usize, usize, u64)> {
        let cols = self.r.geometry.columns;
        let mut hops: Vec<(usize, usize, u64)> = Vec::new();
        let Some(sent) = message.released.get().filter(|_| message.is_message()) else {
            return hops;
        };
        for cycle in sent..until {
            let Some(signals) = self.r.signals(cycle) else { break };
            let arrives = |tile: usize, side: usize| {
                signals.tiles.get(tile).is_some_and(|t| t.rx[side] != 0).then_some((tile, side))
            };
            let next = match hops.last() {
                None => arrives(message.cell.1, S),
                Some(&(tile, ..)) => {
                    let (east, west) = (tile % cols + 1 < cols, !tile.is_multiple_of(cols));
                    [
                        arrives(tile + cols, S),
                        tile.checked_sub(cols).and_then(|south| arrives(south, N)),
                        east.then(|| arrives(tile + 1, W)).flatten(),
                        west.then(|| arrives(tile - 1, E)).flatten(),
                    ]
                    .into_iter()
                    .flatten()
                    .next()
                }
            };
            match next {
                Some((tile, side)) => hops.push((tile, side, cycle)),
                None => break,
            }
        }
        hops
    }

    /// The way of a configuration: from the register back to the program memory.
    fn configuration(&mut self, cycle: u64) {
        let Some(owner) = self.r.explanation.owner.clone() else { return };
        let cols = self.r.geometry.columns;
        let (row, col) = owner.cell;
        let cell = row * cols + col;
        let unit = self.cell(cell);
        let tag: Tag = Some(owner.clone().into());
        let mut depth = 0;
        let (at, text) = match owner.released.get() {
            Some(released) if released > owner.cycle => {
                let how = if owner.immediate { "its own flag" } else { "the flag of a later word" };
                let what = if owner.is_message() { "sends the message" } else { "takes it over" };
                (released, format!("the cell {what}, released by {how}"))
            }
            None => (cycle, "it still waits for a flag".to_owned()),
            _ => (owner.cycle, "it takes effect in the cycle of its decode".to_owned()),
        };
        let hops = self.hops(&owner, cycle);
        for (tile, side, at) in hops.into_iter().rev() {
            let text = format!("the message arrives at side {}", SIDES[side]);
            self.step(depth, at, self.tile(tile), text, None, &tag);
            depth += 1;
        }
        let mut add = |tracer: &mut Self, cycle: u64, text: String, value: Option<String>| {
            tracer.step(depth, cycle, unit, text, value, &tag);
            depth += 1;
        };
        add(self, at, text, None);
        let text = format!("decoded at address {}: {}", owner.address, owner.text());
        add(self, owner.cycle, text, None);
        // Dynamic fields come from the RACCU.
        if owner.text().contains("_sd=d") {
            let values = self.golden(owner.cycle).map(|r| {
                let registers = r.matching(unit, "seq.raccu_reg");
                let nonzero: Vec<String> = registers
                    .iter()
                    .enumerate()
                    .filter(|(_, (_, v))| !v.starts_with("0x00"))
                    .map(|(n, (_, v))| format!("R{n} = {v}"))
                    .collect();
                if nonzero.is_empty() { "all registers 0".to_owned() } else { nonzero.join(", ") }
            });
            let text = "dynamic fields are RACCU registers".to_owned();
            add(self, owner.cycle, text, values);
        }
    }
}

/// Inputs that a channel uses in a mode (chapter 4, section 6).
fn inputs(mode: u64, channel: usize) -> Vec<usize> {
    let own = 2 * channel;
    match mode {
        1 | 4 | 5 | 7 | 10 | 12 | 17 | 18 => vec![own, own + 1],
        2 | 3 | 9 | 11 | 23 | 27 | 30 => vec![own],
        8 if channel == 0 => vec![0, 1, 2],
        13 | 14 | 22 | 25 => vec![0],
        16 => vec![0, 1],
        24 if channel == 0 => vec![0, 1],
        19..=21 | 26 | 28 | 29 if channel == 0 => vec![0],
        _ => Vec::new(),
    }
}

/// Cycles between operands and output (chapter 4, section 7).
fn latency(mode: u64) -> u64 {
    match mode {
        21 | 24 | 26 => 4,
        _ => 1,
    }
}

fn word_of(block: &Block, word: usize) -> String {
    Layout::hex(&[block[word / 4] >> (16 * (word % 4)) & 0xffff], 16)
}
