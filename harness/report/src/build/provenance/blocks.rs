// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of a block between register files, columns, crossbars and memories.

use drra_diagnose::crossbar::{output_at, side_of};
use drra_fabric::{AguId, CrossbarPort, CrossbarSource, Generator, Register, Side};
use drra_golden::Signals;
use drra_isa::{CellId, ColumnId, TileId};

use super::{BLOCK_WORDS, Tracer, word_of, word_value};
use crate::data::{LinkKind, ProvenanceEvent};

impl Tracer<'_> {
    /// Traces a word of the block that a cell receives in a cycle.
    pub(super) fn block_in(&mut self, depth: usize, cell: CellId, word: usize, cycle: u64) {
        let column = cell.column();
        self.link(column, cell, LinkKind::Noc);
        if cell.row() == 0 {
            self.down(depth, column, word, cycle);
        } else if let Some(before) = cycle.checked_sub(1)
            && self.bare(depth, cycle, column, ProvenanceEvent::RowOneDelay)
        {
            self.down(depth + 1, column, word, before);
        }
    }

    /// Traces a word of the block that a column passes down in a cycle.
    pub(super) fn down(&mut self, depth: usize, column: ColumnId, word: usize, cycle: u64) {
        if self.r.signals(cycle).is_some_and(|s| s.column(column).from_buffer) {
            self.buffer(depth, column, cycle);
        } else {
            self.link(column.home_tile(), column, LinkKind::Noc);
            self.crossbar(depth, column.home_tile(), CrossbarPort::S, word, cycle);
        }
    }

    /// Traces a word of the block that a column passes up to its home tile in a cycle.
    pub(super) fn up(&mut self, depth: usize, column: ColumnId, word: usize, cycle: u64) {
        if self.read_by_cell(depth, column, word, cycle) {
            return;
        }
        if self.r.signals(cycle).is_some_and(|s| s.column(column).from_buffer) {
            self.buffer(depth, column, cycle);
        } else {
            self.bare(depth, cycle, column, ProvenanceEvent::NoBlockRead);
            let r = self.r;
            let reads = |s: &Signals| column.cells().iter().any(|c| s.cell(*c).blk_rdata.is_some());
            let any = |at| r.signals(at).is_some_and(reads);
            self.nearest((depth + 1, cycle), column, "nearest blocks", any);
        }
    }

    /// Traces a word of the block that a column writes to its output buffer in a cycle.
    pub(super) fn out(&mut self, column: ColumnId, word: usize, cycle: u64) {
        if !self.read_by_cell(0, column, word, cycle) {
            self.link(column.home_tile(), column, LinkKind::Noc);
            self.crossbar(0, column.home_tile(), CrossbarPort::S, word, cycle);
        }
    }

    /// Traces a word of the block that a cell of a column reads in a cycle; returns false if no cell reads a block.
    fn read_by_cell(&mut self, depth: usize, column: ColumnId, word: usize, cycle: u64) -> bool {
        let read = self.r.signals(cycle).and_then(|signals| {
            let reads = |c: &CellId| signals.cell(*c).blk_rdata.is_some();
            let cell = column.cells().into_iter().find(reads)?;
            Some((cell, usize::from(signals.cell(cell).emitted(AguId::Rb)?)))
        });
        let Some((cell, block)) = read else { return false };
        let by = self.launch(cell, AguId::Rb, cycle);
        self.link(cell, column, LinkKind::Noc);
        if self.add((depth, cycle), cell, ProvenanceEvent::BlockRead { block }, None, &by) {
            self.word(depth + 1, cell, BLOCK_WORDS * block + word, cycle);
        }
        true
    }

    /// Traces the block from the input buffer that is in `io_rdata` in a cycle, if a block was requested.
    pub(super) fn buffer(&mut self, depth: usize, column: ColumnId, cycle: u64) {
        let Some(cycle) = cycle.checked_sub(2) else { return };
        let Some(then) = self.r.golden(cycle) else { return };
        if then.low(column, Register::ColumnIoGeneratorEn(Generator::Read)) == 0 {
            return;
        }
        let address = then.low(column, Register::ColumnIoGeneratorAddr(Generator::Read));
        let by = self.r.attribution.in_force(column.into(), Some(Generator::Read), cycle);
        self.add((depth, cycle), column, ProvenanceEvent::InputBuffer { address }, None, &by);
    }

    /// Traces a word of a crossbar output in a cycle.
    pub(super) fn crossbar(
        &mut self,
        depth: usize,
        tile: TileId,
        output: CrossbarPort,
        word: usize,
        cycle: u64,
    ) {
        let (Some(now), Some(earlier)) = (self.r.golden(cycle), cycle.checked_sub(1)) else {
            return;
        };
        let value = Some(word_value(word_of(&now.block(tile.into(), output), word)));
        let Some(before) = self.r.golden(earlier) else { return };
        let selected = before.low(tile, Register::TileXsel(output));
        let source = CrossbarSource::from_value(selected);
        let by = self.r.attribution.in_force(tile.into(), None, earlier);
        if !self.add((depth, cycle), tile, ProvenanceEvent::Crossbar { output, source }, value, &by)
        {
            return;
        }
        match source {
            None | Some(CrossbarSource::None) => {}
            Some(CrossbarSource::Mem) => {
                if let Some(read) = earlier.checked_sub(1) {
                    self.memory_read(depth + 1, tile, word, read);
                }
            }
            Some(side) => {
                if let Some(side) = side_of(side) {
                    self.beside(depth + 1, tile, side, word, earlier);
                }
            }
        }
    }

    /// Traces a word that a tile receives at a side in a cycle.
    fn beside(&mut self, depth: usize, tile: TileId, side: Side, word: usize, cycle: u64) {
        let column = tile.column();
        if side == Side::S && tile == column.home_tile() {
            self.link(column, tile, LinkKind::Noc);
            return self.up(depth, column, word, cycle);
        }
        let Some(neighbour) = side.neighbour(tile, self.r.geometry) else {
            self.bare(depth, cycle, tile, ProvenanceEvent::BeyondEdge);
            return;
        };
        self.link(neighbour, tile, LinkKind::Noc);
        self.crossbar(depth, neighbour, output_at(side.opposite()), word, cycle);
    }

    /// Traces a word that a memory reads in a cycle.
    pub(super) fn memory_read(&mut self, depth: usize, tile: TileId, word: usize, cycle: u64) {
        let r = self.r;
        let enable = Register::TileGeneratorEn(Generator::Read);
        let reads = |at| r.golden(at).is_some_and(|then| then.low(tile, enable) != 0);
        let Some(then) = r.golden(cycle) else { return };
        if !reads(cycle) {
            self.bare(depth, cycle, tile, ProvenanceEvent::MemoryIdle);
            return self.nearest((depth + 1, cycle), tile, "nearest reads", reads);
        }
        if let Some(row) = self.r.attribution.row_write_in(tile, cycle).map(|write| write.row) {
            // The block being written passes through, whatever row is read (chapter 6, 7.3).
            return self.row(depth, tile, row, word, cycle + 1);
        }
        let row = then.low(tile, Register::TileGeneratorAddr(Generator::Read)) as usize;
        let by = self.r.attribution.in_force(tile.into(), Some(Generator::Read), cycle);
        if self.add((depth, cycle), tile, ProvenanceEvent::MemoryReads { row }, None, &by) {
            self.row(depth + 1, tile, row, word, cycle);
        }
    }

    /// Traces a word of a memory row in a cycle.
    pub(super) fn row(&mut self, depth: usize, tile: TileId, row: usize, word: usize, cycle: u64) {
        let Some(write) = self.r.attribution.row_write(tile, row, cycle).cloned() else {
            self.bare(depth, cycle, tile, ProvenanceEvent::RowKept { row, since: self.since() });
            if let Some(write) = self.r.attribution.row_write(tile, row, u64::MAX).cloned() {
                let step = ProvenanceEvent::RowWritten { row };
                self.note((depth + 1, write.cycle), tile, step, &write.by);
            }
            return;
        };
        if write.init {
            self.bare(depth, write.cycle, tile, ProvenanceEvent::RowInitialised { row });
            return;
        }
        let cycle = write.cycle;
        if self.add((depth, cycle), tile, ProvenanceEvent::RowWritten { row }, None, &write.by) {
            self.crossbar(depth + 1, tile, CrossbarPort::Mem, word, cycle);
        }
    }
}
