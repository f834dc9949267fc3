// SPDX-License-Identifier: MIT OR Apache-2.0
//! The array of tiles in one cycle (chapter 6, `array_next` of section 8).

use drra_isa::{
    Geometry,
    fabric::{Parameter, SegmentDirection as Segment},
    ports::{Block, Inputs, SramInit, ZERO_BLOCK},
};

use super::Fabric;
use crate::{
    message::NocMessage,
    tile::{self, Received, TileInputs, TileOutputs, tile_decode},
};

impl Fabric {
    /// Executes the edge of all tiles; `port` is the initialisation port in this cycle.
    pub(super) fn step_tiles(&mut self, port: SramInit) {
        // The rule of `rest` for the array as a whole, into which nothing comes but from the columns and the port.
        let same_port = port == self.last_init;
        self.last_init = port;
        if same_port
            && self.columns.iter().all(|column| !column.rest.executes())
            && self.tiles.iter().all(|tile| !tile.rest.changed())
        {
            return;
        }
        for (tile, shown) in self.tiles.iter().zip(&mut self.tile_outputs) {
            if tile.rest.changed() {
                *shown = tile.block.outputs();
            }
        }
        for (i, near) in self.neighbours.iter().enumerate() {
            let col_noc = self.columns.get(i).map_or(NocMessage::NONE, |c| c.signals.col_noc);
            receive(i, near, &self.tile_outputs, col_noc, &mut self.received[i]);
        }
        for i in 0..self.tiles.len() {
            let near = &self.neighbours[i];
            let tile = &mut self.tiles[i];
            let up = self.columns.get(i).map(|column| &column.signals.up);
            let inputs = inputs(i, near, &self.tile_outputs, &self.received, up, &self.last_init);
            // Its edge may come at once: what its neighbours read was taken before.
            tile.eval(&inputs);
            tile.commit();
        }
    }

    /// What entered tile `i` in the last cycle.
    pub(super) fn tile_inputs(&self, i: usize) -> TileInputs<'_> {
        let up = self.columns.get(i).map(|column| &column.signals.up);
        inputs(i, &self.neighbours[i], &self.tile_outputs, &self.received, up, &self.last_init)
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

/// The neighbours of tile `i` at the sides N, S, E, W.
pub(super) fn neighbours(i: usize, geometry: &Geometry) -> [Option<usize>; 4] {
    let (cols, col) = (geometry.columns, i % geometry.columns);
    [
        Some(i + cols).filter(|north| *north < geometry.tiles()),
        i.checked_sub(cols),
        Some(i + 1).filter(|_| col + 1 < cols),
        i.checked_sub(1).filter(|_| col > 0),
    ]
}

/// Messages that enter tile `i`; `col_noc` is that of its column if it is a home tile.
#[inline]
fn receive(
    i: usize,
    near: &[Option<usize>; 4],
    shown: &[TileOutputs],
    col_noc: NocMessage,
    received: &mut Received,
) {
    let [north, south, east, west] = near.map(|neighbour| neighbour.map(|n| &shown[n]));
    let own = shown[i].segs;
    received.segdir = [
        north.map_or(Segment::Closed, |n| n.segs.seg_s),
        own.seg_s,
        east.map_or(Segment::Closed, |e| e.segs.seg_w),
        own.seg_w,
    ];
    received.msg_in = [
        north.map_or(NocMessage::NONE, |n| n.msg_v),
        south.map_or(col_noc, |s| s.msg_v),
        east.map_or(NocMessage::NONE, |e| e.msg_h),
        west.map_or(NocMessage::NONE, |w| w.msg_h),
    ];
    // Where a segment points into the tile (6.1).
    let inwards = [Segment::Back, Segment::Ahead, Segment::Back, Segment::Ahead];
    received.rx = received.msg_in;
    for (rx, points) in received.rx.iter_mut().zip(received.segdir.iter().zip(inwards)) {
        if *points.0 != points.1 {
            *rx = NocMessage::NONE;
        }
    }
    received.routing = tile_decode(&received.rx, received.segdir);
}

/// What surrounds tile `i`; `up` is the block of its column if it is a home tile.
#[inline]
fn inputs<'a>(
    i: usize,
    near: &[Option<usize>; 4],
    shown: &'a [TileOutputs],
    received: &'a [Received],
    up: Option<&'a Block>,
    port: &'a SramInit,
) -> TileInputs<'a> {
    let [north, south, east, west] = *near;
    TileInputs {
        received: &received[i],
        ask_w: west.and_then(|w| received[w].routing.ask[tile::E]),
        ask_s: south.map_or(Some(Segment::Ahead), |s| received[s].routing.ask[tile::N]),
        data: [
            north.map_or(&ZERO_BLOCK, |n| &shown[n].xout[tile::S]),
            south.map(|s| &shown[s].xout[tile::N]).or(up).unwrap_or(&ZERO_BLOCK),
            east.map_or(&ZERO_BLOCK, |e| &shown[e].xout[tile::W]),
            west.map_or(&ZERO_BLOCK, |w| &shown[w].xout[tile::E]),
        ],
        // The port passes through the home row, then upwards.
        init: south.or(west).map_or(port, |before| &shown[before].init),
    }
}
