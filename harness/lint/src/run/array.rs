// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks on their way between register files and tiles: blocks that are stored and do not arrive, that arrive and are
//! not stored, or that no path carries on.

use std::collections::BTreeSet;

use drra_diagnose::{
    block_up,
    crossbar::{output_at, side_of},
    crossbar_sources,
};
use drra_fabric::{AguId, CrossbarPort, CrossbarSource, Generator, Register, Side};
use drra_golden::Fabric;
use drra_isa::{CellId, ColumnId, Geometry, TileId};

use super::{Now, RunWatch, finding};
use crate::{Finding, Kind};

/// The section about blocks from the NoC to a register file.
const DOWN: &str = "chapter 6, 9.1";

/// The blocks of the current cycle and of the one before.
pub(super) struct Array {
    /// Per tile, for a block at the memory in this cycle: true if its path ends there.
    at_memory: Vec<Option<bool>>,
    /// Per tile: the crossbar of the cycle before.
    crossbars: Vec<[CrossbarSource; 5]>,
    /// The sources that a crossbar has led on.
    led: BTreeSet<(TileId, CrossbarSource)>,
    /// A tile has read a row in the cycle before.
    reads: bool,
    /// Per column, for a block that came down in the cycle before: true if nothing has stored it.
    down: Vec<Option<bool>>,
}

impl Array {
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self {
            at_memory: vec![None; geometry.tiles()],
            crossbars: vec![[CrossbarSource::None; 5]; geometry.tiles()],
            led: BTreeSet::new(),
            reads: false,
            down: vec![None; geometry.columns],
        }
    }
}

impl RunWatch<'_> {
    /// The blocks in columns and tiles, up to the edge of the cycle.
    pub(super) fn array(&mut self, now: &Now<'_>) {
        let geometry = self.geometry;
        for column in ColumnId::all(&geometry) {
            self.down(now, column);
        }
        let ups: Vec<_> =
            ColumnId::all(&geometry).map(|column| block_up(now.signals, column)).collect();
        self.array.at_memory.fill(None);
        if self.active.has_no_block() && ups.iter().all(Option::is_none) && !self.array.reads {
            return;
        }
        let crossbars: Vec<_> =
            TileId::all(&geometry).map(|tile| crossbar_sources(now.fabric, tile)).collect();
        for (tile, sources) in TileId::all(&geometry).zip(&crossbars) {
            let index = tile.index(&geometry);
            let before = self.array.crossbars[index];
            let [.., memory] = before;
            let ends = before.iter().filter(|source| **source == memory).count() == 1;
            let [.., block] = self.active.blocks(tile);
            self.array.at_memory[index] = block.map(|_| ends);
            let selected = sources.iter().filter(|source| **source != CrossbarSource::None);
            self.array.led.extend(selected.map(|source| (tile, *source)));
            for &source in CrossbarSource::ALL {
                let own = source == CrossbarSource::S && tile == tile.column().home_tile();
                // The block may be for the output buffer (chapter 7).
                let io = own && self.has_io(tile.column());
                let selected = sources.contains(&source) || io;
                if !selected && self.active.entering(now.fabric, tile, source, &ups).is_some() {
                    let by = self.attribution.crossbar(tile).clone();
                    let what = match source {
                        CrossbarSource::Mem => "a block that the memory reads",
                        _ => "a block that arrives",
                    };
                    let register = match side_of(source) {
                        Some(side) => Register::TileSideActive(side),
                        None => Register::TileMemRvalid,
                    };
                    let place = (tile, source.name(), register);
                    // A path that was never set cannot be torn.
                    if self.array.led.contains(&(tile, source)) {
                        let text = format!("{what} is lost: its path has been replaced");
                        self.add(Kind::RouteTears, place, now.cycle, &by, text);
                    } else {
                        let text = format!("{what} is lost: no path leads on");
                        self.add(Kind::NoPath, place, now.cycle, &by, text);
                    }
                }
            }
            for (&side, block) in Side::ALL.iter().zip(*self.active.blocks(tile)) {
                let leaves = side.neighbour(tile, &geometry).is_none();
                if block.is_some() && leaves && !(side == Side::S && tile.row() == 1) {
                    let by = self.attribution.crossbar(tile).clone();
                    let text = "a block leaves the fabric at its edge".to_owned();
                    let register = Register::TileXout(output_at(side));
                    self.add(Kind::NoPath, (tile, side.name(), register), now.cycle, &by, text);
                }
            }
        }
        self.active.step_tiles(now.fabric, &ups, &crossbars);
        self.array.crossbars = crossbars;
    }

    /// A block on its way down to the cells of a column: row 0 stores it in this cycle, or row 1 in the next (chapter
    /// 6, 9.1).
    fn down(&mut self, now: &Now<'_>, column: ColumnId) {
        let buffered = now.signals.column(column).from_buffer;
        let arrives = self.active.blocks(column.home_tile())[CrossbarPort::S.index()].is_some();
        let [row_0, row_1] = column.cells();
        let stores = |cell: CellId| now.signals.cell(cell).emitted(AguId::Wb).is_some();
        let before = self.array.down[column.col()].take();
        for (cell, there) in [(row_0, arrives || buffered), (row_1, before.is_some())] {
            if stores(cell) && !there {
                let by = self.attribution.agu(cell, AguId::Wb).clone();
                let text = "a block is stored, but none arrives, so the words become 0".to_owned();
                let place = (cell, "wb", Register::RfAguState(AguId::Wb));
                let missing = finding(Kind::BlockMissing, place, now.cycle, &by, text);
                self.findings.add(Finding { section: DOWN, ..missing });
            }
        }
        if before == Some(true) && !stores(row_1) {
            let by = self.attribution.crossbar(column.home_tile()).clone();
            let text = "a block arrives for the cells, and neither of them stores it".to_owned();
            let place = (column.home_tile(), "S", Register::TileXout(CrossbarPort::S));
            let unstored = finding(Kind::BlockUnstored, place, now.cycle - 1, &by, text);
            self.findings.add(Finding { section: DOWN, ..unstored });
        }
        let there = arrives || buffered;
        self.array.down[column.col()] = there.then_some(arrives && !buffered && !stores(row_0));
    }

    /// True if a column has a block for or from its buffers at some time.
    fn has_io(&self, column: ColumnId) -> bool {
        column.cells().iter().any(|cell| self.case.io_cells.contains(cell))
    }

    /// The rows that the tiles read and write at the edge that ends a cycle.
    pub(super) fn rows(&mut self, fabric: &Fabric, cycle: u64) {
        self.array.reads = false;
        for tile in TileId::all(&self.geometry) {
            let (activity, index) = (fabric.tile_activity(tile), tile.index(&self.geometry));
            let (written, init) = (fabric.written_row(tile), activity.init.map(usize::from));
            let [read_by, written_by] = [Generator::Read, Generator::Write]
                .map(|generator| self.attribution.generator(tile, generator).clone());
            self.array.reads |= activity.read.is_some();
            let depth = self.geometry.sram_blocks;
            for (generator, row, by) in [
                (Generator::Read, activity.read, &read_by),
                (Generator::Write, activity.write, &written_by),
            ] {
                if let Some(row) = row.map(usize::from) {
                    let place = (tile, generator.name(), Register::TileSram(row));
                    self.address(place, (row, depth), cycle, by);
                }
            }
            if let Some(row) = activity.read.map(usize::from)
                && written != Some(row)
                && !self.contents.has_row(index, row)
            {
                let text = format!("row {row} is read, but nothing wrote it before");
                self.add(
                    Kind::RowUnwritten,
                    (tile, Generator::Read.name(), Register::TileSram(row)),
                    cycle,
                    &read_by,
                    text,
                );
            }
            let stored = written.filter(|row| init != Some(*row));
            match (stored, self.array.at_memory[index]) {
                (Some(row), None) => {
                    let text = format!("row {row} is written, but no block arrives: it becomes 0");
                    self.add(
                        Kind::BlockMissing,
                        (tile, Generator::Write.name(), Register::TileSram(row)),
                        cycle,
                        &written_by,
                        text,
                    );
                }
                (None, Some(true)) => {
                    let by = self.attribution.crossbar(tile).clone();
                    let text = "a block arrives at the memory, and no SRAM stores it".to_owned();
                    let place = (tile, "MEM", Register::TileXout(CrossbarPort::Mem));
                    self.add(Kind::BlockUnstored, place, cycle, &by, text);
                }
                _ => {}
            }
            if let Some(row) = written {
                self.contents.write_row(index, row);
            }
        }
    }
}
