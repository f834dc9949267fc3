// SPDX-License-Identifier: MIT OR Apache-2.0
//! The array of tiles in one cycle (chapter 6, `array_next` of section 8).

use drra_fabric::{SegmentDirection as Segment, Side, ports::SramInit};
use drra_isa::{Geometry, TileId};

use crate::{
    block::{Block, ZERO_BLOCK},
    idle::{Clocked, LazyBlock},
    message::NocMessage,
    tile::{
        Tile, TileInputs,
        route::{E, N, S, W},
    },
};

/// The tiles, row-major.
#[derive(Clone, Debug)]
pub(super) struct TileArray {
    pub(super) tiles: Vec<LazyBlock<Tile>>,
    /// Indices of the neighbours of each tile at sides N, S, E, W; `None` at the edge and for the column below row 1.
    neighbours: Vec<[Option<usize>; 4]>,
    /// The inputs of each tile.
    inputs: Vec<TileInputs>,
}

/// The inputs of the array in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TileArrayInputs {
    /// `col_noc` and `up` of each column.
    pub(super) columns: Vec<(NocMessage, Block)>,
    /// The initialisation port.
    pub(super) init: SramInit,
}

impl TileArray {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let tile = |id| LazyBlock::new(Tile::new(id, geometry.sram_blocks));
        let neighbours = |id| {
            let index = |side: Side| Some(side.neighbour(id, geometry)?.index(geometry));
            [Side::N, Side::S, Side::E, Side::W].map(index)
        };
        Self {
            tiles: TileId::all(geometry).map(tile).collect(),
            neighbours: TileId::all(geometry).map(neighbours).collect(),
            inputs: TileId::all(geometry).map(|_| TileInputs::default()).collect(),
        }
    }

    /// False only if the inputs of tile k but for the requests of its neighbours are those of the last cycle.
    fn has_new_inputs(&self, k: usize, i: &TileArrayInputs) -> bool {
        let (cell_msg, cell_data) = &i.columns[self.tiles[k].block.id.col()];
        let (last, [n, s, e, w]) = (&self.inputs[k], self.neighbours[k]);
        [Some(k), n, s, e, w].into_iter().flatten().any(|k| self.tiles[k].changed())
            || s.is_none() && (last.msg[S] != *cell_msg || last.data[S] != *cell_data)
            || s.or(w).is_none() && last.init != i.init
    }

    /// The inputs of tile k but for the requests of its neighbours: `msg`, `segdir`, `data` and the initialisation port.
    fn inputs(&self, k: usize, i: &TileArrayInputs) -> TileInputs {
        let own = &self.tiles[k].block;
        let [n, s, e, w] = self.neighbours[k].map(|at| at.map(|i| &self.tiles[i].block));
        let (cell_msg, cell_data) = &i.columns[own.id.col()];
        TileInputs {
            msg: [
                n.map_or(NocMessage::NONE, |n| n.msg_v),
                s.map_or(*cell_msg, |s| s.msg_v),
                e.map_or(NocMessage::NONE, |e| e.msg_h),
                w.map_or(NocMessage::NONE, |w| w.msg_h),
            ],
            segdir: [
                n.map_or(Segment::Closed, |n| n.segs().seg_s),
                own.segs().seg_s,
                e.map_or(Segment::Closed, |e| e.segs().seg_w),
                own.segs().seg_w,
            ],
            data: [
                *n.map_or(&ZERO_BLOCK, |n| &n.xout()[S]),
                *s.map_or(cell_data, |s| &s.xout()[N]),
                *e.map_or(&ZERO_BLOCK, |e| &e.xout()[W]),
                *w.map_or(&ZERO_BLOCK, |w| &w.xout()[E]),
            ],
            ask_w: None,
            ask_s: None,
            init: *s.or(w).map_or(&i.init, Tile::init),
        }
    }
}

impl Clocked for TileArray {
    type Inputs = TileArrayInputs;

    /// `array_next` of section 8.
    fn next(&mut self, i: &TileArrayInputs) -> bool {
        let new: Vec<_> = (0..self.tiles.len()).map(|k| self.has_new_inputs(k, i)).collect();
        for k in (0..new.len()).filter(|&k| new[k]) {
            self.inputs[k] = self.inputs(k, i);
            let TileInputs { msg, segdir, .. } = self.inputs[k];
            self.tiles[k].block.routing.next(&(msg, segdir));
        }
        for (k, new) in new.into_iter().enumerate() {
            let ask = |k: usize, side: usize| self.tiles[k].block.routing.block.ask[side];
            let [_, s, _, w] = self.neighbours[k];
            let asks = (w.and_then(|w| ask(w, E)), s.map_or(Some(Segment::Ahead), |s| ask(s, N)));
            let inputs = &mut self.inputs[k];
            let new = new || (inputs.ask_w, inputs.ask_s) != asks;
            (inputs.ask_w, inputs.ask_s) = asks;
            self.tiles[k].next_if(new, |_| *inputs);
        }
        self.tiles.iter().any(LazyBlock::changed)
    }
}
