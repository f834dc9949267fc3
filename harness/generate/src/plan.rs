// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case under construction: instructions with the cycles in which they are to be decoded, and the cycles until which
//! resources are in use.
//!
//! Times are cycles counted from the first decode of cell (0,0); cell (r,c) starts r+c cycles later
//! (chapter 5, 5.2).

use std::{
    collections::{BTreeMap, BTreeSet},
    marker::PhantomData,
    ops::{Index, IndexMut},
};

use drra_fabric::{AguId, Lane};
use drra_isa::{
    CellId, ColumnId, Geometry, InstructionField, MemoryImage, Opcode, TileId, Unit,
    instructions::{refi, sram, swb},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    constraint::{Enforcer, Situation},
    draw,
    op::Op,
    profile::DataWeights,
    transfer::{Transfer, TransferKind},
};

/// Longest delay that a REFI can have.
pub(crate) const MAX_DELAY: u64 = 63;

/// Number of cycles that a sequence is given to take effect after the decode of its last instruction.
pub(crate) const SETTLES: u64 = 24;

/// An operation after the timed part of a program.
#[derive(Clone, Debug)]
pub(crate) struct TailOp {
    pub(crate) op: Op,
    /// Index in the tail of the operation whose address goes into [`Opcode::target_field`]; an index beyond the tail
    /// stands for the address after it.
    pub(crate) target: Option<usize>,
}

impl From<Op> for TailOp {
    fn from(op: Op) -> Self {
        Self { op, target: None }
    }
}

/// The source of a switchbox input: a lane of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneSource {
    cell: CellId,
    lane: Lane,
}

impl LaneSource {
    /// A read port of a register file.
    pub(crate) fn read(cell: CellId, port: usize) -> Self {
        Self { cell, lane: [Lane::Rf0, Lane::Rf1][port] }
    }

    /// An output of a DPU.
    pub(crate) fn dpu(cell: CellId, output: usize) -> Self {
        Self { cell, lane: [Lane::Dpu0, Lane::Dpu1][output] }
    }
}

/// One cell of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellPlan {
    /// Operations by decode cycle.
    pub(crate) timed: BTreeMap<u64, Op>,
    /// Operations after the timed ones, in their order.
    pub(crate) tail: Vec<TailOp>,
    /// First cycle in which each AGU is free.
    agu: [u64; AguId::ALL.len()],
    /// First cycle in which each input of the switchbox is free.
    pub(crate) input: [u64; 6],
    /// First cycle in which the DPU is free.
    pub(crate) dpu: u64,
}

impl CellPlan {
    /// First cycle in which an AGU is free.
    pub(crate) fn agu_free(&self, agu: AguId) -> u64 {
        self.agu[agu.index()]
    }

    /// Reserves an AGU; `until` is the first cycle in which it is free again.
    pub(crate) fn keep_agu(&mut self, agu: AguId, until: u64) {
        self.agu[agu.index()] = until;
    }
}

/// A value for each cell, column or tile of a fabric.
#[derive(Debug)]
pub(crate) struct UnitMap<K, T> {
    geometry: Geometry,
    pub(crate) all: Vec<T>,
    of: PhantomData<K>,
}

impl<K, T: Clone + Default> UnitMap<K, T> {
    pub(crate) fn new(geometry: &Geometry, units: impl Iterator<Item = K>) -> Self {
        let all = units.map(|_| T::default()).collect();
        Self { geometry: *geometry, all, of: PhantomData }
    }
}

impl<K: Into<Unit>, T> Index<K> for UnitMap<K, T> {
    type Output = T;

    fn index(&self, unit: K) -> &T {
        &self.all[unit.into().index(&self.geometry)]
    }
}

impl<K: Into<Unit>, T> IndexMut<K> for UnitMap<K, T> {
    fn index_mut(&mut self, unit: K) -> &mut T {
        &mut self.all[unit.into().index(&self.geometry)]
    }
}

/// A case under construction.
#[derive(Debug)]
pub(crate) struct CasePlan<'a> {
    pub(crate) rng: &'a mut ChaCha8Rng,
    /// A second source of random numbers, for rare choices: draws from it do not change those from `rng`.
    pub(crate) rare: ChaCha8Rng,
    /// Number of cycles at the beginning of each program in which its data are loaded.
    pub(crate) lead: u64,
    pub(crate) enforcer: Enforcer,
    pub(crate) geometry: Geometry,
    pub(crate) data: DataWeights,
    /// Cells with a program.
    pub(crate) active: Vec<CellId>,
    pub(crate) cells: UnitMap<CellId, CellPlan>,
    pub(crate) io_cells: BTreeSet<CellId>,
    pub(crate) memory: MemoryImage,
    pub(crate) buffers: BTreeMap<(ColumnId, u32), [u16; 16]>,
    /// First cycle in which each tile is free for another path.
    pub(crate) tile: UnitMap<TileId, u64>,
    /// First cycle in which the block lines and the I/O unit of each column are free.
    pub(crate) column: UnitMap<ColumnId, u64>,
    pub(crate) expected: Vec<Transfer>,
    /// Accesses to rows of tiles by sequences: tile, cycle, row.
    pub(crate) accesses: Vec<(TileId, u64, u64)>,
    /// Chance that an operation waits for the flag of the next one.
    pub(crate) deferred: f64,
    /// Number of cycles by which a pause between sequences may exceed a usual one.
    pub(crate) spread: u64,
    /// First cycle after all planned activity.
    pub(crate) end: u64,
}

impl CasePlan<'_> {
    /// Calls `work` with separate random numbers, so that its draws do not change anything that follows.
    pub(crate) fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut own = ChaCha8Rng::seed_from_u64(self.rng.random());
        std::mem::swap(self.rng, &mut own);
        let done = work(self);
        std::mem::swap(self.rng, &mut own);
        done
    }

    /// First decode cycle of a cell after its data are loaded.
    pub(crate) fn first(&self, cell: CellId) -> u64 {
        (cell.row() + cell.col()) as u64 + self.lead
    }

    /// First cycle in which the block lines of all columns and the paths through all tiles are free.
    pub(crate) fn all_free(&self) -> u64 {
        self.tile.all.iter().chain(&self.column.all).copied().max().unwrap_or(0)
    }

    /// Makes the case last at least until a cycle.
    pub(crate) fn lasts(&mut self, until: u64) {
        self.end = self.end.max(until);
    }

    /// Reserves all tiles and columns until a message decoded in cycle `last` has had its effect everywhere.
    pub(crate) fn settle(&mut self, last: u64) {
        for free in self.tile.all.iter_mut().chain(&mut self.column.all) {
            *free = (*free).max(last + SETTLES);
        }
    }

    /// Places an operation in the first free cycle from `earliest` on; returns that cycle.
    pub(crate) fn place(&mut self, cell: CellId, earliest: u64, op: Op) -> u64 {
        let mut cycle = earliest.max(self.first(cell));
        while self.cells[cell].timed.contains_key(&cycle) {
            cycle += 1;
        }
        self.cells[cell].timed.insert(cycle, op);
        cycle
    }

    /// Places an operation in a free cycle of `from ..= to`, usually a late one; `None` if there is no such cycle.
    pub(crate) fn place_within(&mut self, cell: CellId, from: u64, to: u64, op: Op) -> Option<u64> {
        let from = from.max(self.first(cell));
        if to < from {
            return None;
        }
        let slack = self.rng.random_range(0..=(to - from).min(12));
        let free = |c: &u64| !self.cells[cell].timed.contains_key(c);
        let cycle =
            (from..=to - slack).rev().find(free).or_else(|| (to - slack..=to).find(free))?;
        self.cells[cell].timed.insert(cycle, op);
        Some(cycle)
    }

    /// Configures an AGU so that it emits its first address in cycle `start`. Returns false, without changes, if there
    /// is no cycle left for the REFI.
    pub(crate) fn refi(
        &mut self,
        cell: CellId,
        agu: AguId,
        start: u64,
        fields: &[(InstructionField, u64)],
    ) -> bool {
        let from = start.saturating_sub(1 + MAX_DELAY).max(self.cells[cell].agu_free(agu));
        let (port, dimarch) = agu.refi_port();
        let mut op = Op::new(Opcode::Refi, fields);
        op.set(refi::PORT_NO, port.code().into());
        op.set(refi::DIMARCH, dimarch.into());
        op.fit();
        // A delay of 0 may be excluded while longer ones are not.
        let least = u64::from(!self.may_start_at_once(cell, &op));
        let latest = start.saturating_sub(1 + least);
        let earliest = if self.starts_at_once(cell, &op, latest) { latest } else { from };
        // Occasionally, the delay is about as long as the field allows.
        let soonest = (from + 1).min(latest);
        let early = self.rare.random_bool(0.03);
        let early = early.then(|| self.place_within(cell, from, soonest, op.clone())).flatten();
        let cycle = early.or_else(|| self.place_within(cell, earliest, latest, op));
        let Some(cycle) = cycle else { return false };
        // If the flag of the REFI is cleared, the next instruction, which has its flag set, launches the REFI.
        let timed = &self.cells[cell].timed;
        let flagged = |at: u64| timed.get(&at).is_none_or(|o| o.immediate);
        let waits = cycle + 1 + least < start
            && flagged(cycle + 1)
            && flagged(cycle.wrapping_sub(1))
            && self.rng.random_bool(self.deferred);
        let op = self.cells[cell].timed.get_mut(&cycle).expect("placed above");
        op.immediate = !waits;
        op.set(refi::INIT_DELAY, start - 1 - cycle - u64::from(waits));
        true
    }

    /// Reserves a block AGU; `until` is the first cycle in which it is free again. If the AGUs of the two directions
    /// must not be active together, the other one is reserved for six cycles longer, so that the first one has
    /// certainly ended by then.
    pub(crate) fn keep_blocks(&mut self, cell: CellId, agu: AguId, until: u64) {
        if self.enforcer.rules.excludes(Situation::BlockPortsOverlap).is_some() {
            for agu in [AguId::Wb, AguId::Rb] {
                self.cells[cell].keep_agu(agu, until + 6);
            }
        }
        self.cells[cell].keep_agu(agu, until);
    }

    /// Like [`Self::refi`], but only if the AGU is free before `start`; then also reserves the AGU until a cycle.
    pub(crate) fn refi_if_free(
        &mut self,
        cell: CellId,
        agu: AguId,
        start: u64,
        fields: &[(InstructionField, u64)],
        until: u64,
    ) {
        if self.cells[cell].agu_free(agu) < start && self.refi(cell, agu, start, fields) {
            self.cells[cell].keep_agu(agu, until);
        }
    }

    /// True if a REFI should come just before its first address, without an initial delay: occasionally, and often if
    /// the rows of its pattern have one word each.
    fn starts_at_once(&mut self, cell: CellId, op: &Op, cycle: u64) -> bool {
        let rows = op.value(refi::L1_ITER) == 0 && op.value(refi::L2_ITER) > 0;
        self.rng.random_bool(if rows { 0.5 } else { 0.05 })
            && cycle >= self.first(cell).max(1)
            && !self.cells[cell].timed.contains_key(&cycle)
            && self.may_start_at_once(cell, op)
    }

    /// True if a REFI is permitted without an initial delay whenever it is permitted with one.
    fn may_start_at_once(&self, cell: CellId, op: &Op) -> bool {
        let delay = |cycles| {
            let mut op = op.clone();
            op.set(refi::INIT_DELAY, cycles);
            op
        };
        self.enforcer.tolerates(&delay(0), &delay(1), self.io_cells.contains(&cell))
    }

    /// A cell with room in its program, near the given cell: within two columns, in any row; the given cell itself if
    /// there is none.
    pub(crate) fn near(&mut self, cell: CellId) -> CellId {
        let distance = |c: CellId| c.col().abs_diff(cell.col());
        let near = self.active.iter().copied().filter(|c| distance(*c) <= 2 && self.has_room(*c));
        let near: Vec<CellId> = near.collect();
        if near.is_empty() { cell } else { draw::one_of(self.rng, &near) }
    }

    /// Any cell with room in its program; any cell if no program has room.
    pub(crate) fn any_cell(&mut self) -> CellId {
        let roomy: Vec<CellId> =
            self.active.iter().copied().filter(|c| self.has_room(*c)).collect();
        let cells = if roomy.is_empty() { &self.active } else { &roomy };
        draw::one_of(self.rng, cells)
    }

    /// The cell that sends messages in place of a cell: the first one with a program in the same column if messages of
    /// several cells must not meet, otherwise the cell itself.
    pub(crate) fn sender(&self, cell: CellId) -> CellId {
        let sends = |c: &&CellId| c.column() == cell.column();
        let first = self.active.iter().find(sends).filter(|_| self.enforcer.rules.keeps_columns());
        first.copied().unwrap_or(cell)
    }

    /// True while the program of a cell has room for another sequence.
    pub(crate) fn has_room(&self, cell: CellId) -> bool {
        self.words(cell) < if self.lead == 0 { 36 } else { 28 }
    }

    /// Estimated number of words in the program of a cell.
    pub(crate) fn words(&self, cell: CellId) -> usize {
        let cell = &self.cells[cell];
        let timed: usize = cell.timed.values().map(Op::len).sum();
        let tail: usize = cell.tail.iter().map(|t| t.op.len()).sum();
        // About every third operation is followed by a gap, which takes a word.
        timed + cell.timed.len() / 3 + tail
    }

    /// Connects input `input` of `cell` to a lane by an instruction decoded in a cycle of `from ..= to`; the connection
    /// is in force two cycles later. Returns false if there is no free cycle.
    pub(crate) fn connect(
        &mut self,
        cell: CellId,
        input: u64,
        source: LaneSource,
        from: u64,
        to: u64,
    ) -> bool {
        let lane = source.lane.index() as u64;
        let fields = [
            (swb::SRC_BLOCK, lane >> 1),
            (swb::SRC_PORT, lane & 1),
            // For a source that is too far away, the field gets the low bits of the distance.
            (swb::HB_INDEX, (source.cell.col() + 2).wrapping_sub(cell.col()) as u64),
            (swb::SEND_TO_OTHER_ROW, u64::from(cell.row() != source.cell.row())),
            (swb::SRC_ROW, source.cell.row() as u64),
            (swb::V_INDEX, input),
        ];
        self.place_within(cell, from, to, Op::new(Opcode::Swb, &fields)).is_some()
    }

    /// Number of cycles between sequences: below 8 or, with an even chance, below a limit that is larger in long cases.
    pub(crate) fn pause(&mut self) -> u64 {
        let most = if self.rng.random_bool(0.5) { 8 } else { 8 + self.spread };
        self.rng.random_range(0..most)
    }

    /// True if the contents of a memory of a column are omitted; if so, this is recorded.
    pub(crate) fn leaves_out(&mut self, situations: &[Situation], col: usize) -> bool {
        let rules = &self.enforcer.rules;
        let excluded = situations.iter().find_map(|s| rules.excludes(*s));
        let constraint = excluded.or_else(|| rules.forbids_column(col));
        self.enforcer.left_out(constraint)
    }

    /// Omits contents of tiles and buffers that constraints exclude.
    pub(crate) fn leave_out_memory(&mut self) {
        if self.enforcer.rules.is_empty() {
            return;
        }
        let tiles: Vec<TileId> = self.memory.sram.keys().copied().collect();
        for place in tiles {
            if self.leaves_out(&[Situation::TileInit], place.col()) {
                self.memory.sram.remove(&place);
            }
        }
        let buffers: Vec<(ColumnId, u32)> = self.buffers.keys().copied().collect();
        for place in buffers {
            if self.leaves_out(&[Situation::InputBuffers], place.0.col()) {
                self.buffers.remove(&place);
            }
        }
    }

    /// Fills the register file of a cell with data of the kinds in the profile.
    pub(crate) fn fill_register_file(&mut self, cell: CellId) {
        if self.enforcer.excludes(Situation::RegisterFileInit) && self.lead == 0 {
            return;
        }
        for block in 0..self.geometry.rf_blocks() {
            let data = self.block();
            self.memory.rf.entry(cell).or_default().insert(block, data);
        }
    }

    /// Records the first and the last access of the first level of an SRAM's pattern to a tile; the first access is in
    /// `cycle`.
    pub(crate) fn accesses(&mut self, tile: TileId, cycle: u64, sram: &Op) {
        let depth = self.geometry.sram_blocks as u64;
        let [first, iter, step, delay] =
            [sram::INIT_ADDR, sram::L1_ITER, sram::L1_STEP, sram::L1_DELAY].map(|f| sram.value(f));
        for k in [0, iter] {
            let row = first.wrapping_add(k.wrapping_mul(step as u8 as i8 as u64)) % depth;
            self.accesses.push((tile, cycle + k * (1 + delay), row));
        }
    }

    /// Records an expected transfer, and makes the case last until the transfer has ended.
    pub(crate) fn expect(&mut self, kind: TransferKind, start: u64, end: u64) {
        self.lasts(end + 1);
        self.expected.push(Transfer { kind, start, end });
    }

    /// Clears the flag of an operation with the chance given in the profile; the operation then waits for a later flag.
    pub(crate) fn maybe_deferred(&mut self, op: Op) -> Op {
        if self.rng.random_bool(self.deferred) { op.deferred() } else { op }
    }

    /// A block with one of the kinds of data in the profile.
    pub(crate) fn block(&mut self) -> [u16; 16] {
        type ValueGenerator = fn(&mut ChaCha8Rng) -> u16;
        let DataWeights { random, small, extreme, power_of_two, sparse } = self.data;
        let kinds: [(ValueGenerator, u32); 5] = [
            (|rng| rng.random(), random),
            (|rng| rng.random_range(-40..40i16) as u16, small),
            (near_a_bound, extreme),
            (power, power_of_two),
            (|rng| if rng.random_bool(0.2) { rng.random() } else { 0 }, sparse),
        ];
        let kind = draw::weighted(self.rng, &kinds).expect("some kind of data has a weight");
        std::array::from_fn(|_| kind(self.rng))
    }
}

fn near_a_bound(rng: &mut ChaCha8Rng) -> u16 {
    let near: u16 = rng.random_range(0..4);
    draw::one_of(rng, &[0u16, 0x7ffc, 0x8000, 0xfffc]).wrapping_add(near)
}

/// A power of two or its negative.
fn power(rng: &mut ChaCha8Rng) -> u16 {
    let power = 1u16 << rng.random_range(0..16);
    if rng.random_bool(0.5) { power.wrapping_neg() } else { power }
}
