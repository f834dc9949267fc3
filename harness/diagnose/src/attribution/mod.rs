// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which instruction is responsible for what: every configuration is followed from the cycle in
//! which its instruction is decoded, through stages, shadow registers and the NoC, to the unit that
//! it sets up.
//!
//! The tags mirror the registers of the golden model; what moves them is read from the model, never
//! from the RTL. Chapters 2 to 7 say where each message and configuration goes.

mod owner;

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use drra_case::Case;
use drra_golden::Fabric;
use drra_golden::SideRegisters;
use drra_golden::Signals;
use drra_golden::units::Sequencer;
use drra_isa::Geometry;
use drra_isa::Revision;
use drra_isa::instruction_text;

/// Codes of the instructions (chapter 2, 6.1).
mod code {
    pub(super) const HALT: u32 = 0;
    pub(super) const REFI: u32 = 1;
    pub(super) const DPU: u32 = 4;
    pub(super) const SWB: u32 = 5;
    pub(super) const JUMP: u32 = 6;
    pub(super) const LOOP: u32 = 8;
    pub(super) const BW: u32 = 9;
    pub(super) const RACCU: u32 = 10;
    pub(super) const BRANCH: u32 = 11;
    pub(super) const ROUTE: u32 = 12;
    pub(super) const SRAM_IO: u32 = 13;
    pub(super) const PERM: u32 = 14;
}

/// Names of the six AGUs, in the order of their indices.
pub const AGUS: [&str; 6] = ["w0", "w1", "wb", "r0", "r1", "rb"];
/// Names of the sides of a tile, in the order of their indices.
pub const SIDES: [&str; 4] = ["N", "S", "E", "W"];

/// An instruction that a sequencer decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Cell that decoded it.
    pub cell: (usize, usize),
    /// Cycle of the decode; for a WAIT its first one.
    pub cycle: u64,
    /// Address of the first word.
    pub address: u8,
    /// The word at that address and the two behind it.
    pub words: [u32; 3],
    /// Its immediate flag.
    pub immediate: bool,
    /// Cycle in which the immediate flag, its own or that of a later instruction, hands it to its
    /// unit; the decode cycle for instructions that wait for no flag. `None`: not yet.
    pub released: Cell<Option<u64>>,
    /// The cell reads code 13 as IO.
    io_cell: bool,
}

impl Decoded {
    /// Assembly text.
    pub fn text(&self) -> String {
        instruction_text(Revision::R4.isa(), &self.words.map(u64::from), self.io_cell)
    }

    /// Mode, of a DPU instruction.
    pub fn dpu_mode(&self) -> Option<u32> {
        self.is(code::DPU).then(|| self.bits(18, 5) as u32)
    }

    /// Name of the instruction.
    pub fn mnemonic(&self) -> String {
        self.text().split([' ', '(']).next().unwrap_or_default().to_owned()
    }

    fn code(&self) -> u32 {
        self.words[0] >> 23
    }

    fn is(&self, code: u32) -> bool {
        self.code() == code
    }

    /// Bits of the first word.
    fn bits(&self, lsb: u32, width: u32) -> usize {
        (self.words[0] >> lsb & ((1 << width) - 1)) as usize
    }

    /// Goes to the I/O unit instead of the NoC.
    fn is_io(&self) -> bool {
        self.is(code::SRAM_IO) && self.io_cell
    }

    /// Input of the cell whose selection it sets, of an SWB.
    pub fn input(&self) -> Option<usize> {
        self.is(code::SWB).then(|| self.bits(12, 3))
    }

    /// AGU that it configures, of a REFI (chapter 3, section 5).
    pub fn agu(&self) -> Option<usize> {
        // The flag is in the third word.
        let dimarch = self.bits(19, 2) == 2 && self.words[2] >> 1 & 1 == 1;
        match (self.is(code::REFI).then(|| self.bits(21, 2))?, dimarch) {
            (0, false) => Some(0),
            (1, false) => Some(1),
            (0, true) => Some(2),
            (2, false) => Some(3),
            (3, false) => Some(4),
            (2, true) => Some(5),
            _ => None,
        }
    }

    /// Mode and distance, of a PERM.
    pub fn permutation(&self) -> Option<(u8, u16)> {
        self.is(code::PERM).then(|| (self.bits(20, 3) as u8, self.bits(2, 16) as u16))
    }

    /// Is a message to the NoC.
    pub fn is_message(&self) -> bool {
        self.sends() && !self.is_io()
    }

    /// Is a message to the NoC or to the I/O unit.
    fn sends(&self) -> bool {
        self.is(code::ROUTE) || self.is(code::SRAM_IO)
    }

    /// The read (0) or write (1) generator that an SRAM or IO sets up.
    fn generator(&self) -> usize {
        self.bits(22, 1)
    }

    fn release(&self, cycle: u64) {
        if self.released.get().is_none() {
            self.released.set(Some(cycle));
        }
    }
}

/// The instruction that something is due to, if there is one.
pub type Tag = Option<Rc<Decoded>>;

fn only(tag: &Tag, wanted: impl Fn(&Decoded) -> bool) -> Tag {
    tag.clone().filter(|d| wanted(d))
}

fn release(tag: &Tag, cycle: u64) {
    if let Some(d) = tag {
        d.release(cycle);
    }
}

/// What writes a register file, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Writer {
    /// Initialisation port of the fabric.
    Init,
    /// Block write, AGU wb.
    Wb,
    /// Write port 0.
    W0,
    /// Write port 1.
    W1,
    /// PERM.
    Perm,
}

/// A write into a register file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RfWrite {
    /// Cycle whose edge writes.
    pub cycle: u64,
    /// Cell r*cols+c.
    pub cell: usize,
    /// First word.
    pub first: usize,
    /// Bit k: word `first`+k is written.
    pub words: u16,
    /// Through which port.
    pub writer: Writer,
    /// Instruction that set up the port.
    pub by: Tag,
}

/// A write into the memory of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowWrite {
    /// Cycle whose edge writes.
    pub cycle: u64,
    /// Tile (R-1)*cols+c.
    pub tile: usize,
    /// Row.
    pub row: usize,
    /// By the initialisation port of the fabric.
    pub init: bool,
    /// Instruction that set up the write generator.
    pub by: Tag,
}

#[derive(Clone, Debug, Default)]
struct CellTags {
    /// Latest decoded instruction.
    current: Tag,
    /// Instruction decoded in the cycle before: what its stage registers hold.
    stage: Tag,
    bw: Tag,
    swb_iss: Tag,
    swb_cfg: [Tag; 6],
    rf_shadow: [Tag; 6],
    agu: [Tag; 6],
    dpu_shadow: Tag,
    dpu: Tag,
    noc_shadow: Tag,
    perm_shadow: Tag,
    sh_raccu: Tag,
    sh_loop: Tag,
    slots: [Tag; 4],
    /// What happened in the last cycle.
    last: LastCycle,
}

/// Tags of a cell before the last edge, and what moved in that cycle.
#[derive(Clone, Debug, Default)]
struct LastCycle {
    decoded: Tag,
    stage: Tag,
    rf_shadow: [Tag; 6],
    dpu_shadow: Tag,
    dpu: Tag,
    dpu_launched: bool,
    noc_shadow: Tag,
    perm_shadow: Tag,
    swb_iss: Tag,
    swb_cfg: [Tag; 6],
    /// ROUTE, SRAM or IO that left.
    left: Tag,
    /// PERM, RACCU and LOOP that executed.
    perm: Tag,
    raccu: Tag,
    looped: Tag,
    /// Loop slot whose end the program counter was at.
    loop_end: Tag,
    emitted: [Option<u8>; 6],
}

#[derive(Clone, Debug, Default)]
struct ColumnTags {
    io_msg: Tag,
    io_msg_before: Tag,
    io: [Tag; 2],
    from_buffer: bool,
}

#[derive(Clone, Debug, Default)]
struct TileTags {
    sides: [SideRegisters; 4],
    path: [Tag; 4],
    fwd: [Tag; 4],
    take: [Tag; 4],
    take_before: [Tag; 4],
    /// Messages that arrived in the last cycle.
    rx: [Tag; 4],
    /// ROUTE that set the crossbar.
    xbar: Tag,
    /// SRAM that set up the read and the write generator.
    generators: [Tag; 2],
    /// The write generator accessed a row in the last cycle.
    wrote: bool,
}

impl CellTags {
    /// What the instruction of the cycle before has put into the stage registers is launched, or
    /// waits.
    fn launches(&mut self, seq: &Sequencer, emitted: [Option<u8>; 6], cycle: u64) {
        let immediate = seq.immediate();
        let stage = self.stage.clone();
        self.last = LastCycle {
            decoded: None,
            stage: stage.clone(),
            rf_shadow: self.rf_shadow.clone(),
            dpu_shadow: self.dpu_shadow.clone(),
            dpu: self.dpu.clone(),
            noc_shadow: self.noc_shadow.clone(),
            perm_shadow: self.perm_shadow.clone(),
            swb_iss: self.swb_iss.clone(),
            swb_cfg: self.swb_cfg.clone(),
            emitted,
            ..LastCycle::default()
        };
        let hit = seq.issued_refi().and_then(|r| r.selects());
        for k in 0..6 {
            let arriving = stage.clone().filter(|_| hit == Some(k));
            if immediate {
                if let Some(d) = arriving.or(self.rf_shadow[k].take()) {
                    d.release(cycle);
                    self.agu[k] = Some(d);
                }
            } else if arriving.is_some() {
                self.rf_shadow[k] = arriving;
            }
        }
        let issued = stage.clone().filter(|_| seq.issued_dpu().is_some());
        let message = only(&stage, Decoded::sends);
        let perm = only(&stage, |d| d.is(code::PERM));
        if !immediate {
            self.dpu_shadow = issued.or(self.dpu_shadow.take());
            self.noc_shadow = message.or(self.noc_shadow.take());
            self.perm_shadow = perm.or(self.perm_shadow.take());
            return;
        }
        if let Some(d) = issued.or(self.dpu_shadow.take()) {
            d.release(cycle);
            self.dpu = Some(d);
            self.last.dpu_launched = true;
        }
        self.last.left = message.or(self.noc_shadow.take());
        release(&self.last.left, cycle);
        self.last.perm = perm.or(self.perm_shadow.take());
        release(&self.last.perm, cycle);
        if let Some(d) = &self.swb_iss {
            d.release(cycle);
            if let Some(entry) = self.swb_cfg.get_mut(d.bits(12, 3)) {
                *entry = Some(Rc::clone(d));
            }
        }
    }

    /// The instruction at the program counter.
    fn decodes(&mut self, decoded: Tag, seq: &Sequencer, cycle: u64) {
        self.stage = decoded.clone();
        self.last.decoded = decoded.clone();
        if decoded.is_some() {
            self.current = decoded.clone();
        }
        let (mut raccu, mut looped) = (None, None);
        if let Some(d) = &decoded {
            match d.code() {
                code::DPU | code::ROUTE | code::SRAM_IO | code::PERM | code::REFI => {}
                code::SWB if d.bits(22, 1) == 1 => self.swb_iss = decoded.clone(),
                code::RACCU if d.bits(20, 3) != 0 => raccu = decoded.clone(),
                code::LOOP => looped = decoded.clone(),
                code => {
                    if code == code::BW {
                        self.bw = decoded.clone();
                    }
                    d.release(cycle);
                }
            }
        }
        // RACCU and LOOP are executed in the cycle of the flag itself.
        if seq.imem_imm_word() >> seq.pc() & 1 == 1 {
            self.last.raccu = raccu.or(self.sh_raccu.take());
            self.last.looped = looped.or(self.sh_loop.take());
            release(&self.last.raccu, cycle);
            release(&self.last.looped, cycle);
        } else {
            self.sh_raccu = raccu.or(self.sh_raccu.take());
            self.sh_loop = looped.or(self.sh_loop.take());
        }
        let at_end = |d: &Rc<Decoded>| d.bits(14, 6) == usize::from(seq.pc());
        self.last.loop_end = (0..4)
            .rev()
            .filter(|&k| seq.active_loops() >> k & 1 == 1)
            .find_map(|k| self.slots[k].clone().filter(at_end));
        if let Some(d) = &self.last.looped {
            self.slots[d.bits(20, 2)] = Some(Rc::clone(d));
        }
    }
}

/// The configuration that the sides of a tile offer to its read (0) or write (1) generator (chapter
/// 6, 6.5).
fn offered(sides: &[Tag; 4], generator: usize) -> Tag {
    [1, 3, 2, 0].into_iter().find_map(|x: usize| only(&sides[x], |d| d.generator() == generator))
}

impl TileTags {
    /// The ROUTE of the last cycle that set the crossbar (chapter 6, 6.5).
    fn route(&self) -> Tag {
        [1, 0, 2, 3].into_iter().find_map(|x: usize| only(&self.rx[x], |d| d.is(code::ROUTE)))
    }
}

/// Follows all instructions of a run. Call [`Self::before`] and [`Self::after`] around every step
/// of the golden model.
#[derive(Clone, Debug)]
pub struct Attribution {
    cols: usize,
    io_cells: Vec<bool>,
    cells: Vec<CellTags>,
    columns: Vec<ColumnTags>,
    tiles: Vec<TileTags>,
    /// Cycles whose decodes and writes are kept.
    kept: u64,
    log: VecDeque<Rc<Decoded>>,
    rf_writes: VecDeque<RfWrite>,
    row_writes: VecDeque<RowWrite>,
}

impl Attribution {
    /// Nothing is decoded yet. Decodes and writes of the last `kept` cycles can be asked for.
    pub fn new(case: &Case, geometry: &Geometry, kept: u64) -> Self {
        let io_cell =
            |i: usize| case.io_cells.contains(&(i / geometry.columns, i % geometry.columns));
        Self {
            cols: geometry.columns,
            io_cells: (0..geometry.cells()).map(io_cell).collect(),
            cells: vec![CellTags::default(); geometry.cells()],
            columns: vec![ColumnTags::default(); geometry.columns],
            tiles: vec![TileTags::default(); geometry.tiles()],
            kept,
            log: VecDeque::new(),
            rf_writes: VecDeque::new(),
            row_writes: VecDeque::new(),
        }
    }

    /// The decoded instructions that are kept, in the order of their cycles, cells row-major.
    pub fn log(&self) -> impl DoubleEndedIterator<Item = &Rc<Decoded>> {
        self.log.iter()
    }

    /// The latest kept write into a word of a register file before `cycle`.
    pub fn rf_write(&self, cell: usize, word: usize, cycle: u64) -> Option<&RfWrite> {
        let of_word = |w: &&RfWrite| {
            w.cell == cell
                && w.cycle < cycle
                && (w.first..w.first + 16).contains(&word)
                && w.words >> (word - w.first) & 1 == 1
        };
        // Of several writers in one cycle the strongest comes first in the list.
        let latest = self.rf_writes.iter().rev().find(of_word)?.cycle;
        self.rf_writes.iter().filter(of_word).find(|w| w.cycle == latest)
    }

    /// The latest kept write into a row of a tile's memory before `cycle`.
    pub fn row_write(&self, tile: usize, row: usize, cycle: u64) -> Option<&RowWrite> {
        self.row_writes.iter().rev().find(|w| w.tile == tile && w.row == row && w.cycle < cycle)
    }

    /// Instruction that had set an input selection of a cell, as of the last cycle.
    pub fn input(&self, cell: usize, v: usize) -> &Tag {
        &self.cells[cell].last.swb_cfg[v]
    }

    /// Instruction that set up an AGU of a cell.
    pub fn agu(&self, cell: usize, k: usize) -> &Tag {
        &self.cells[cell].agu[k]
    }

    /// DPU instruction that was in force in the last cycle.
    pub fn dpu(&self, cell: usize) -> Tag {
        let c = &self.cells[cell];
        c.last.dpu.clone().or_else(|| c.dpu.clone())
    }

    /// Message that a cell sent, or would send, in the last cycle.
    pub fn message(&self, cell: usize) -> Tag {
        let last = &self.cells[cell].last;
        let staged = || only(&last.stage, Decoded::sends);
        last.left.clone().or_else(staged).or_else(|| last.noc_shadow.clone())
    }

    /// ROUTE that set the crossbar of a tile.
    pub fn crossbar(&self, tile: usize) -> &Tag {
        &self.tiles[tile].xbar
    }

    /// SRAM that set up the read (0) or write (1) generator of a tile.
    pub fn generator(&self, tile: usize, k: usize) -> &Tag {
        &self.tiles[tile].generators[k]
    }

    /// IO that set up the read (0) or write (1) generator of a column.
    pub fn io_generator(&self, col: usize, k: usize) -> &Tag {
        &self.columns[col].io[k]
    }

    /// Some side offered a configuration to a generator of a tile in the last cycle.
    pub fn offers(&self, tile: usize) -> bool {
        self.tiles[tile].take_before.iter().any(Option::is_some)
    }

    /// The registers are those of `cycle`, the step is still to come. `init` is the cell and block
    /// of the register file initialisation port.
    pub fn before(
        &mut self,
        fabric: &Fabric,
        signals: &Signals,
        cycle: u64,
        init: Option<(usize, usize)>,
    ) {
        let from = (cycle + 1).saturating_sub(self.kept);
        while self.log.front().is_some_and(|d| d.cycle < from) {
            self.log.pop_front();
        }
        while self.rf_writes.front().is_some_and(|w| w.cycle < from) {
            self.rf_writes.pop_front();
        }
        while self.row_writes.front().is_some_and(|w| w.cycle < from) {
            self.row_writes.pop_front();
        }
        for i in 0..self.cells.len() {
            let decoded = self.decode(i, fabric, cycle);
            self.cells[i].launches(fabric.sequencer(i), signals.cells[i].emitted, cycle);
            self.cells[i].decodes(decoded, fabric.sequencer(i), cycle);
            self.register_file(i, signals, cycle, init);
        }
        for col in 0..self.columns.len() {
            let io = [col, self.cols + col]
                .into_iter()
                .find_map(|i| only(&self.cells[i].last.left, Decoded::is_io));
            let column = &mut self.columns[col];
            let message = std::mem::replace(&mut column.io_msg, io);
            if let Some(d) = &message {
                column.io[d.generator()] = message.clone();
            }
            column.io_msg_before = message;
            column.from_buffer = signals.columns[col].from_buffer;
        }
        for tile in 0..self.tiles.len() {
            self.receive(tile, signals);
        }
    }

    fn decode(&mut self, i: usize, fabric: &Fabric, cycle: u64) -> Tag {
        let seq = fabric.sequencer(i);
        if !seq.running() || seq.wait_count() != 0 {
            return None;
        }
        let pc = usize::from(seq.pc());
        let decoded = Rc::new(Decoded {
            cell: (i / self.cols, i % self.cols),
            cycle,
            address: seq.pc(),
            words: std::array::from_fn(|k| seq.imem()[(pc + k) % 64]),
            immediate: seq.imem_imm_word() >> pc & 1 == 1,
            released: Cell::new(None),
            io_cell: self.io_cells[i],
        });
        if self.kept > 0 {
            self.log.push_back(Rc::clone(&decoded));
        }
        Some(decoded)
    }

    fn register_file(
        &mut self,
        i: usize,
        signals: &Signals,
        cycle: u64,
        init: Option<(usize, usize)>,
    ) {
        let s = &signals.cells[i];
        let c = &self.cells[i];
        let mut write = |first: usize, words: u16, writer: Writer, by: &Tag| {
            let by = by.clone();
            if self.kept > 0 {
                self.rf_writes.push_back(RfWrite { cycle, cell: i, first, words, writer, by });
            }
        };
        if let Some((_, block)) = init.filter(|(cell, _)| *cell == i) {
            write(16 * block, u16::MAX, Writer::Init, &None);
        }
        if let Some(b) = s.emitted[2] {
            write(16 * usize::from(b), !s.blk_wmask, Writer::Wb, &c.agu[2]);
        }
        if let Some(a) = s.emitted[0] {
            write(a.into(), 1, Writer::W0, &c.agu[0]);
        }
        if let Some(a) = s.emitted[1] {
            write(a.into(), 1, Writer::W1, &c.agu[1]);
        }
        if let Some(b) = s.perm_block {
            write(16 * usize::from(b), u16::MAX, Writer::Perm, &c.last.perm);
        }
    }

    /// Instructions whose messages arrive at the sides of a tile in this cycle.
    fn receive(&mut self, tile: usize, signals: &Signals) {
        let cols = self.cols;
        let leaving = |from: Option<usize>, vertical: bool| {
            let t = &self.tiles[from?];
            // The order of chapter 6, 6.5.
            let side = [3, 2, 1, 0]
                .into_iter()
                .find(|&x: &usize| if vertical { t.sides[x].vsel } else { t.sides[x].hsel })?;
            t.fwd[side].clone()
        };
        let home = || {
            [tile, cols + tile]
                .into_iter()
                .find_map(|i| only(&self.cells[i].last.left, |d| !d.is_io()))
        };
        let (count, col) = (self.tiles.len(), tile % cols);
        let mut rx = [
            leaving((tile + cols < count).then_some(tile + cols), true),
            if tile < cols { home() } else { leaving(Some(tile - cols), true) },
            leaving((col + 1 < cols).then_some(tile + 1), false),
            leaving((col > 0).then(|| tile - 1), false),
        ];
        for (tag, bits) in rx.iter_mut().zip(signals.tiles[tile].rx) {
            if bits == 0 {
                *tag = None;
            }
        }
        self.tiles[tile].rx = rx;
    }

    /// The step is over: the registers are those of the next cycle.
    pub fn after(&mut self, fabric: &Fabric, cycle: u64) {
        for (i, t) in self.tiles.iter_mut().enumerate() {
            let activity = fabric.tile_activity(i);
            for k in 0..2 {
                if activity.taken[k] {
                    t.generators[k] = offered(&t.take, k);
                }
            }
            t.wrote = activity.write.is_some();
            if let Some(row) = fabric.written_row(i).filter(|_| self.kept > 0) {
                let init = activity.init == Some(row as u8);
                let by = t.generators[1].clone().filter(|_| !init);
                self.row_writes.push_back(RowWrite { cycle, tile: i, row, init, by });
            }
            if let Some(route) = t.route() {
                t.xbar = Some(route);
            }
            t.take_before = std::mem::take(&mut t.take);
            for x in 0..4 {
                let now = fabric.side(i, x);
                if let Some(route) = only(&t.rx[x], |d| d.is(code::ROUTE)) {
                    t.path[x] = Some(route);
                }
                t.fwd[x] = t.rx[x].clone().filter(|_| now.fwd != 0);
                t.take[x] = t.rx[x].clone().filter(|_| now.agu != 0);
                t.sides[x] = now;
            }
        }
    }
}

/// What stands in the first brackets of a path.
pub fn key(path: &str) -> Option<&str> {
    path.split_once('[')?.1.split(']').next()
}

/// The number in the first brackets of a path.
pub fn index(path: &str) -> Option<usize> {
    key(path)?.parse().ok()
}
