// SPDX-License-Identifier: MIT OR Apache-2.0
//! The array of tiles in one cycle (chapter 6).

use drra_isa::{
    Geometry,
    fabric::{Parameter, SegmentDirection as Segment},
    ports::{Block, Inputs, SramInit, ZERO_BLOCK},
};

use super::{Fabric, moved::TileSet};
use crate::{
    message::NocMessage,
    tile::{self, Around, Routing, Tile},
};

/// What passes between a column and its home tile in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HomeScratch {
    pub(super) up: Block,
    pub(super) noc: NocMessage,
}

/// What a tile sees and shows before the edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TileScratch {
    rx: [NocMessage; 4],
    routing: Routing,
    xout: [Block; 4],
    init: SramInit,
}

impl Fabric {
    /// Executes the edge of all tiles; `port` is the initialisation port in this cycle.
    pub(super) fn step_tiles(&mut self, port: SramInit) {
        self.active_tiles.clear();
        let Geometry { tile_rows: rows, columns: cols, .. } = self.geometry;
        let due = self.due_tiles(port != self.port);
        self.port = port;
        self.moved.tiles = TileSet::default();

        // Everything is computed from the registers before the edge, then the tiles step. What a tile at rest
        // sees and shows is what it was when that was computed last.
        let mut before = std::mem::take(&mut self.around);
        due.tiles(rows, cols).for_each(|i| self.tile_before(i, &mut before[i]));
        due.tiles(rows, cols).for_each(|i| {
            let around = around(i, cols, &before, &self.home, &self.port);
            if self.tiles[i].step(&before[i].routing, &around) {
                self.moved.tiles.insert(i, cols);
                self.stale_tiles[i] = true;
                if self.tiles[i].active {
                    self.active_tiles.push(i);
                }
            }
        });
        self.around = before;
    }

    /// The initialisation port in a cycle, cut to the widths of its lines.
    pub(super) fn init_port(&self, inputs: &Inputs<'_>) -> SramInit {
        let g = &self.geometry;
        let init = inputs.sram_init.map(|init| SramInit { valid: true, ..init });
        let idle = inputs.idle.map(|idle| SramInit { valid: false, ..idle.sram_init });
        let Some(port) = init.or(idle) else { return SramInit::default() };
        SramInit {
            row: port.row & ((1 << Parameter::TileRow.value(g)) - 1),
            col: port.col & ((1 << Parameter::Column.value(g)) - 1),
            addr: port.addr % g.sram_blocks,
            ..port
        }
    }

    /// What tile `i` sees and shows before the edge.
    #[inline]
    fn tile_before(&self, i: usize, scratch: &mut TileScratch) {
        let cols = self.geometry.columns;
        let col = i % cols;
        let own = &self.tiles[i];
        let north = self.tiles.get(i + cols);
        let east = if col + 1 < cols { self.tiles.get(i + 1) } else { None };
        let segments = [
            north.map_or(Segment::Closed, |t| t.seg_s),
            own.seg_s,
            east.map_or(Segment::Closed, |t| t.seg_w),
            own.seg_w,
        ];
        let mut rx = [NocMessage::NONE; 4];
        if let Some(north) = north.filter(|t| t.seg_s == Segment::Back) {
            rx[tile::N] = north.vertical_out();
        }
        if own.seg_s == Segment::Ahead {
            rx[tile::S] =
                if i < cols { self.home[i].noc } else { self.tiles[i - cols].vertical_out() };
        }
        if let Some(east) = east.filter(|t| t.seg_w == Segment::Back) {
            rx[tile::E] = east.horizontal_out();
        }
        if own.seg_w == Segment::Ahead && col > 0 {
            rx[tile::W] = self.tiles[i - 1].horizontal_out();
        }
        scratch.rx = rx;
        scratch.routing = Tile::routing(&rx, segments);
        scratch.xout.copy_from_slice(&own.xout[..4]);
        scratch.init = own.init;
    }
}

/// What surrounds tile `i`: its neighbours `before` the edge, its column if it is a home tile, and
/// the initialisation port, which passes through the tiles.
#[inline]
fn around<'a>(
    i: usize,
    cols: usize,
    before: &'a [TileScratch],
    home: &'a [HomeScratch],
    port: &'a SramInit,
) -> Around<'a> {
    let col = i % cols;
    let (east, west) = (col + 1 < cols, col > 0);
    let (north, south) = (i + cols < before.len(), i >= cols);
    let seen = match i {
        0 => port,
        _ if south => &before[i - cols].init,
        _ => &before[i - 1].init,
    };
    Around {
        rx: before[i].rx,
        ask_w: if west { before[i - 1].routing.ask[tile::E] } else { None },
        ask_s: if south { before[i - cols].routing.ask[tile::N] } else { Some(Segment::Ahead) },
        data: [
            if north { &before[i + cols].xout[tile::S] } else { &ZERO_BLOCK },
            if south { &before[i - cols].xout[tile::N] } else { &home[i].up },
            if east { &before[i + 1].xout[tile::W] } else { &ZERO_BLOCK },
            if west { &before[i - 1].xout[tile::E] } else { &ZERO_BLOCK },
        ],
        init: seen,
    }
}
