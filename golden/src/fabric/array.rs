// SPDX-License-Identifier: MIT OR Apache-2.0
//! The array of tiles in one cycle (chapter 6, `array_next` of section 8).

use drra_fabric::{SegmentDirection as Segment, ports::SramInit};
use drra_isa::{Geometry, TileId};

use crate::{
    block::{Block, ZERO_BLOCK},
    idle::{Clocked, Executed},
    message::NocMessage,
    tile::{
        Tile, TileInputs,
        route::{E, N, S, W, tile_decode},
    },
};

/// The tiles, row-major.
#[derive(Clone, Debug)]
pub(super) struct Array {
    geometry: Geometry,
    pub(super) tiles: Vec<Executed<Tile>>,
}

/// The inputs of the array in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ArrayInputs {
    /// `col_noc` and `up` of each column.
    pub(super) columns: Vec<(NocMessage, Block)>,
    /// The initialisation port.
    pub(super) init: SramInit,
}

impl Array {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let tile = |id| Executed::new(Tile::new(id, geometry.sram_blocks));
        Self { geometry: *geometry, tiles: TileId::all(geometry).map(tile).collect() }
    }

    /// What a tile receives from its neighbours, except for their requests.
    fn received(&self, id: TileId, inputs: &ArrayInputs) -> TileInputs {
        let (r, c) = (id.row(), id.col());
        let at = |r: usize, c: usize| self.index(r, c).map(|i| &self.tiles[i].block);
        let (n, e) = (at(r + 1, c), at(r, c + 1));
        let w = c.checked_sub(1).and_then(|west| at(r, west));
        let s = at(r - 1, c);
        let own = self.tiles[id.index(&self.geometry)].block.segs();

        let (cell_msg, cell_data) = inputs.columns[c];
        let mut i = TileInputs::default();
        i.segdir[W] = own.seg_w;
        i.segdir[S] = own.seg_s;
        i.segdir[E] = e.map_or(Segment::Closed, |e| e.segs().seg_w);
        i.segdir[N] = n.map_or(Segment::Closed, |n| n.segs().seg_s);
        i.msg[W] = w.map_or(NocMessage::NONE, Tile::msg_h);
        i.msg[E] = e.map_or(NocMessage::NONE, Tile::msg_h);
        i.msg[N] = n.map_or(NocMessage::NONE, Tile::msg_v);
        i.msg[S] = s.map_or(cell_msg, Tile::msg_v);
        i.data[N] = n.map_or(ZERO_BLOCK, |n| n.xout()[S]);
        i.data[S] = s.map_or(cell_data, |s| s.xout()[N]);
        i.data[E] = e.map_or(ZERO_BLOCK, |e| e.xout()[W]);
        i.data[W] = w.map_or(ZERO_BLOCK, |w| w.xout()[E]);
        i.init = *s.or(w).map_or(&inputs.init, Tile::init);
        i
    }

    /// Index of tile (r,c), if there is such a tile.
    fn index(&self, r: usize, c: usize) -> Option<usize> {
        let id = TileId::new(r, c).filter(|id| id.is_in(&self.geometry))?;
        Some(id.index(&self.geometry))
    }
}

impl Clocked for Array {
    type Inputs = ArrayInputs;

    /// `array_next` of section 8.
    fn next(&mut self, inputs: &ArrayInputs) -> bool {
        let received = TileId::all(&self.geometry).map(|id| self.received(id, inputs));
        let mut received: Vec<TileInputs> = received.collect();
        let asks = received.iter().map(|i| tile_decode(&i.msg, &i.segdir).ask);
        let asks: Vec<[Option<Segment>; 4]> = asks.collect();
        for (id, i) in TileId::all(&self.geometry).zip(&mut received) {
            let (r, c) = (id.row(), id.col());
            i.ask_w = c.checked_sub(1).and_then(|w| asks[self.index(r, w)?][E]);
            i.ask_s = self.index(r - 1, c).map_or(Some(Segment::Ahead), |s| asks[s][N]);
        }
        for (tile, inputs) in self.tiles.iter_mut().zip(received) {
            tile.next(inputs);
        }
        self.tiles.iter().any(Executed::changed)
    }
}
