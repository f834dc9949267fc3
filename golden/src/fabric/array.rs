// SPDX-License-Identifier: MIT OR Apache-2.0
//! The array of tiles in one cycle (chapter 6, `array_next` of section 8).

use drra_isa::{
    Geometry,
    fabric::{Parameter, SegmentDirection as Segment},
    ports::{Inputs, SramInit},
};

use super::Fabric;
use crate::{
    message::NocMessage,
    tile::{self, Received, TileInputs, TileOutputs, tile_decode},
};

impl Fabric {
    /// Executes the edge of all tiles; `port` is the initialisation port in this cycle.
    pub(super) fn step_tiles(&mut self, port: SramInit) {
        let tiles = self.tiles.len();
        let (columns, edge) = (tiles, tiles + self.columns.len());
        // The rule of `rest` for the array as a whole, into which nothing comes but from the columns and the port.
        let same_port = port == self.tile_outputs[edge].init;
        if same_port
            && self.columns.iter().all(|column| !column.rest.executes())
            && self.tiles.iter().all(|tile| !tile.rest.changed())
        {
            return;
        }
        self.tile_outputs[edge].init = port;
        for (column, shown) in self.columns.iter().zip(&mut self.tile_outputs[columns..]) {
            (shown.msg_v, shown.xout[tile::N]) = (column.signals.col_noc, column.signals.up);
        }
        for (tile, shown) in self.tiles.iter().zip(&mut self.tile_outputs) {
            if tile.rest.changed() {
                *shown = tile.block.outputs();
            }
        }
        for (i, near) in self.neighbours.iter().enumerate() {
            receive(i, near, &self.tile_outputs, &mut self.received[i]);
        }
        for (i, (tile, near)) in self.tiles.iter_mut().zip(&self.neighbours).enumerate() {
            // Its edge may come at once: what its neighbours read was taken before.
            tile.eval(&inputs(i, near, &self.tile_outputs, &self.received));
            tile.commit();
        }
    }

    /// What entered tile `i` in the last cycle.
    pub(super) fn tile_inputs(&self, i: usize) -> TileInputs<'_> {
        inputs(i, &self.neighbours[i], &self.tile_outputs, &self.received)
    }

    /// The initialisation port in a cycle, cut to the widths of its lines.
    pub(super) fn sram_init_port(&self, inputs: &Inputs<'_>) -> SramInit {
        let g: &Geometry = &self.geometry;
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
}

/// Who surrounds a tile: number of a tile, behind them of a column, at last of the edge of the array, which shows the
/// initialisation port and nothing else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    /// At the sides N, S, E, W.
    at: [usize; 4],
    /// From where the initialisation port comes: through the home row, then upwards.
    init: usize,
}

/// Those of tile `i`.
pub(super) fn neighbours(i: usize, geometry: &Geometry) -> Neighbours {
    let Geometry { columns: cols, .. } = *geometry;
    let (tiles, edge) = (geometry.tiles(), geometry.tiles() + cols);
    let west = if i.is_multiple_of(cols) { edge } else { i - 1 };
    let at = [
        if i + cols < tiles { i + cols } else { edge },
        if i < cols { tiles + i } else { i - cols },
        if (i + 1).is_multiple_of(cols) { edge } else { i + 1 },
        west,
    ];
    Neighbours { at, init: if i < cols { west } else { i - cols } }
}

/// What tiles, columns and edge make of messages before the first cycle. A column never lets the segment above it
/// close.
pub(super) fn received(geometry: &Geometry) -> Vec<Received> {
    let mut all = vec![Received::default(); geometry.tiles() + geometry.columns + 1];
    for column in &mut all[geometry.tiles()..][..geometry.columns] {
        column.routing.ask[tile::N] = Some(Segment::Ahead);
    }
    all
}

/// Messages that enter tile `i`.
#[inline]
fn receive(i: usize, near: &Neighbours, shown: &[TileOutputs], received: &mut Received) {
    let [north, south, east, west] = near.at.map(|k| &shown[k]);
    let own = &shown[i].segs;
    received.segdir = [north.segs.seg_s, own.seg_s, east.segs.seg_w, own.seg_w];
    received.msg_in = [north.msg_v, south.msg_v, east.msg_h, west.msg_h];
    // Where a segment points into the tile (6.1).
    let inwards = [Segment::Back, Segment::Ahead, Segment::Back, Segment::Ahead];
    for x in [tile::N, tile::S, tile::E, tile::W] {
        let points = received.segdir[x] == inwards[x];
        received.rx[x] = if points { received.msg_in[x] } else { NocMessage::NONE };
    }
    received.routing = tile_decode(&received.rx, received.segdir);
}

/// What surrounds tile `i`.
#[inline]
fn inputs<'a>(
    i: usize,
    near: &Neighbours,
    shown: &'a [TileOutputs],
    received: &'a [Received],
) -> TileInputs<'a> {
    let [north, south, east, west] = near.at;
    TileInputs {
        received: &received[i],
        ask_w: received[west].routing.ask[tile::E],
        ask_s: received[south].routing.ask[tile::N],
        data: [
            &shown[north].xout[tile::S],
            &shown[south].xout[tile::N],
            &shown[east].xout[tile::W],
            &shown[west].xout[tile::E],
        ],
        init: &shown[near.init].init,
    }
}
