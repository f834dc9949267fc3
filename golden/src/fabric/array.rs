// SPDX-License-Identifier: MIT OR Apache-2.0
//! The array of tiles in one cycle (chapter 6, `array_next` of section 8).

use drra_fabric::{SegmentDirection as Segment, ports::SramInit};
use drra_isa::Geometry;

use crate::{
    column::Column,
    idle::Executed,
    message::NocMessage,
    tile::{
        Received, Tile, TileInputs, TileOutputs,
        route::{E, N, S, W, tile_decode},
    },
};

/// The tiles, and the neighbours of each tile.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) tiles: Vec<Executed<Tile>>,
    neighbours: Vec<Neighbours>,
    /// Signals of the last cycle: the outputs of tiles, columns and the edge of the array, and the messages that the
    /// tiles received.
    outputs: Vec<TileOutputs>,
    pub(super) received: Vec<Received>,
}

impl Array {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let Geometry { columns: cols, sram_blocks, .. } = *geometry;
        let tile = |i: usize| Executed::new(Tile::new(i / cols + 1, i % cols, sram_blocks));
        let tiles = geometry.tiles();
        let mut received = vec![Received::default(); tiles + cols + 1];
        for column in &mut received[tiles..][..cols] {
            // A column never allows the segment above it to close.
            column.routing.ask[N] = Some(Segment::Ahead);
        }
        Self {
            tiles: (0..tiles).map(tile).collect(),
            neighbours: (0..tiles).map(|i| neighbours(i, geometry)).collect(),
            outputs: vec![TileOutputs::default(); tiles + cols + 1],
            received,
        }
    }

    /// Executes one cycle of all tiles, including the edge; `port` is the initialisation port in this cycle.
    pub(super) fn step(&mut self, columns: &[Executed<Column>], port: SramInit) {
        let (first, edge) = (self.tiles.len(), self.tiles.len() + columns.len());
        // The rule of `idle` applied to the array as a whole, whose only inputs are the columns and the port.
        let same_port = port == self.outputs[edge].init;
        if same_port
            && columns.iter().all(|column| !column.skip.executes())
            && self.tiles.iter().all(|tile| !tile.skip.changed())
        {
            return;
        }
        self.outputs[edge].init = port;
        for (column, shown) in columns.iter().zip(&mut self.outputs[first..]) {
            (shown.msg_v, shown.xout[N]) = (column.signals.col_noc, column.signals.up);
        }
        for (tile, shown) in self.tiles.iter().zip(&mut self.outputs) {
            if tile.skip.changed() {
                *shown = tile.block.outputs();
            }
        }
        for (i, near) in self.neighbours.iter().enumerate() {
            receive(i, near, &self.outputs, &mut self.received[i]);
        }
        for (i, (tile, near)) in self.tiles.iter_mut().zip(&self.neighbours).enumerate() {
            // The edge can follow immediately, because the outputs that the neighbours read have already been copied.
            tile.eval(&inputs(i, near, &self.outputs, &self.received));
            tile.commit();
        }
    }

    /// The inputs of tile `i` in the last cycle.
    pub(super) fn inputs(&self, i: usize) -> TileInputs<'_> {
        inputs(i, &self.neighbours[i], &self.outputs, &self.received)
    }
}

/// The numbers of the neighbours of a tile. The tiles are numbered first, then the columns, and finally the edge of the
/// array, whose only output is the initialisation port.
#[derive(Clone, Copy, Debug)]
struct Neighbours {
    /// At the sides N, S, E, W.
    at: [usize; 4],
    /// The neighbour that passes on the initialisation port, which travels through the home row and then upwards.
    init: usize,
}

/// Neighbours of tile `i`.
fn neighbours(i: usize, geometry: &Geometry) -> Neighbours {
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

/// Messages that enter tile `i`.
#[inline]
fn receive(i: usize, near: &Neighbours, shown: &[TileOutputs], received: &mut Received) {
    let [north, south, east, west] = near.at.map(|k| &shown[k]);
    let own = &shown[i].segs;
    received.segdir = [north.segs.seg_s, own.seg_s, east.segs.seg_w, own.seg_w];
    received.msg_in = [north.msg_v, south.msg_v, east.msg_h, west.msg_h];
    // The direction in which the segment at each side points into the tile (6.1).
    let inwards = [Segment::Back, Segment::Ahead, Segment::Back, Segment::Ahead];
    for x in [N, S, E, W] {
        let points = received.segdir[x] == inwards[x];
        received.rx[x] = if points { received.msg_in[x] } else { NocMessage::NONE };
    }
    received.routing = tile_decode(&received.rx, received.segdir);
}

/// Inputs of tile `i`.
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
        ask_w: received[west].routing.ask[E],
        ask_s: received[south].routing.ask[N],
        data: [
            &shown[north].xout[S],
            &shown[south].xout[N],
            &shown[east].xout[W],
            &shown[west].xout[E],
        ],
        init: &shown[near.init].init,
    }
}
