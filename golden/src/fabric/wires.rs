// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals of all units in one cycle, and those between units (chapter 5, section 5; chapter 6, section 6).

use drra_isa::{
    CellId, ColumnId, TileId,
    fabric::{SegmentDirection as Segment, Side, SignalId},
    ports::Inputs,
};

use super::{Fabric, LoadStage};
use crate::{
    block::{Block, ZERO_BLOCK},
    message::NocMessage,
    signals::Signals,
    tile::{self, Routing, Tile},
    wires::{Values, Wires},
};

/// A request for a segment: `{valid, direction}`, 0 for none.
fn request(ask: Option<Segment>) -> u64 {
    ask.map_or(0, |direction| 4 | direction.value())
}

impl Fabric {
    /// As [`Self::signals`], with the signals between the modules inside of the units, which take longer; `inputs`
    /// are those of the current cycle.
    pub fn all_signals(&self, inputs: &Inputs<'_>) -> Signals {
        let mut signals = self.signals();
        let mut values = Values::new();
        for id in CellId::all(&self.geometry) {
            let mut out = Wires::new(id, &mut values);
            let of_cell = signals.cell(id);
            self.load_wires(id, inputs, &mut out);
            self.cell(id).wires(of_cell.vin, &mut out);
        }
        for id in ColumnId::all(&self.geometry) {
            let mut out = Wires::new(id, &mut values);
            let home = &self.tiles[id.col()];
            self.columns[id.col()].wires(&home.xout[crate::tile::S], &mut out);
            let answer = inputs.io_in_data.get(id.col()).unwrap_or(&ZERO_BLOCK);
            out.put_block(SignalId::IoAnswer, 0, answer);
        }
        for id in TileId::all(&self.geometry) {
            let mut out = Wires::new(id, &mut values);
            self.tile_wires(id, &signals, inputs, &mut out);
        }
        signals.wires = values;
        signals
    }

    /// The load port of a cell, and the initialisation port of its register file.
    fn load_wires(&self, cell: CellId, inputs: &Inputs<'_>, out: &mut Wires<'_>) {
        let (row, col) = (cell.row(), cell.col());
        let stage = match (row + col).checked_sub(1) {
            Some(stage) => self.ld_pipe[stage],
            None => LoadStage::at_port(inputs),
        };
        let load = stage.load_port(row, col);
        out.put(SignalId::LoadValid, load.valid);
        if load.valid {
            out.put(SignalId::LoadMatch, load.matches);
            out.put(SignalId::LoadInstr, load.instr);
            out.put(SignalId::LoadImm, load.imm);
        }
        let init = inputs.rf_init.filter(|init| (init.row, init.col) == (row, col));
        out.put(SignalId::RfInitWe, init.is_some());
        if let Some(init) = init {
            let block = init.block % self.geometry.rf_blocks();
            out.put(SignalId::RfInitBlock, block as u64);
            out.put_block(SignalId::RfInitData, 0, &init.data);
        }
    }

    /// Puts the signals of a tile in this cycle.
    fn tile_wires(&self, id: TileId, signals: &Signals, inputs: &Inputs<'_>, out: &mut Wires<'_>) {
        let own = self.tile(id);
        let near = |side| id.neighbour(side, &self.geometry);
        let routing = |id: TileId| self.routing_of(id, signals);
        let segments = self.segments_of(id);
        out.put(SignalId::MsgV, own.vertical_out().0);
        out.put(SignalId::MsgH, own.horizontal_out().0);
        out.put(SignalId::SegdirN, segments[tile::N].value());
        out.put(SignalId::SegdirE, segments[tile::E].value());
        let routed = routing(id);
        out.put(SignalId::ReqN, request(routed.ask[tile::N]));
        out.put(SignalId::ReqE, request(routed.ask[tile::E]));
        let below = near(Side::S).map_or(Some(Segment::Ahead), |t| routing(t).ask[tile::N]);
        out.put(SignalId::ReqS, request(below));
        let beside = near(Side::W).and_then(|t| routing(t).ask[tile::E]);
        out.put(SignalId::ReqW, request(beside));
        for (x, side) in Side::ALL.iter().enumerate() {
            let block = match near(*side) {
                Some(other) => self.tile(other).xout[side.opposite().index()],
                None if *side == Side::S => signals.column(id.column()).up,
                None => ZERO_BLOCK,
            };
            out.put_block(SignalId::DataIn, x, &block);
            out.put_at(SignalId::Rx, x, signals.tile(id).rx[x]);
        }
        own.route_wires(&routed, signals.tile(id).rx, out);
        own.side_wires(out);
        own.generator_wires(out);
        self.memory_wires(id, inputs, out);
    }

    /// Directions of the segments at the four sides of a tile.
    fn segments_of(&self, id: TileId) -> [Segment; 4] {
        let near = |side| id.neighbour(side, &self.geometry).map(|other| self.tile(other));
        let own = self.tile(id);
        [
            near(Side::N).map_or(Segment::Closed, |north| north.seg_s),
            own.seg_s,
            near(Side::E).map_or(Segment::Closed, |east| east.seg_w),
            own.seg_w,
        ]
    }

    /// What a tile makes of the messages that arrive.
    fn routing_of(&self, id: TileId, signals: &Signals) -> Routing {
        Tile::routing(&signals.tile(id).rx.map(NocMessage), self.segments_of(id))
    }

    /// The initialisation port as a tile sees it, and the port of its memory.
    fn memory_wires(&self, id: TileId, inputs: &Inputs<'_>, out: &mut Wires<'_>) {
        let own = self.tile(id);
        out.put(SignalId::RowIn, id.row() as u64);
        out.put(SignalId::ColIn, id.col() as u64);
        let before =
            id.neighbour(Side::S, &self.geometry).or(id.neighbour(Side::W, &self.geometry));
        let seen = match before {
            Some(before) => self.tile(before).init,
            None => self.init_port(inputs),
        };
        out.put_block(SignalId::MemRdata, 0, &own.read_block());
        out.put(SignalId::InitIn, seen.valid);
        if seen.valid {
            out.put(SignalId::InitInRow, seen.row as u64);
            out.put(SignalId::InitInCol, seen.col as u64);
            out.put(SignalId::InitInAddr, seen.addr as u64);
            out.put_block(SignalId::InitInData, 0, &seen.data);
        }
        let hit = seen.valid && (seen.row, seen.col) == (id.row(), id.col());
        let write: Option<(u64, Block)> = match own.wr.access() {
            _ if hit => Some((seen.addr as u64, seen.data)),
            Some(address) => Some((address.into(), own.to_memory())),
            None => None,
        };
        out.put(SignalId::MemWe, write.is_some());
        if let Some((address, block)) = write {
            out.put(SignalId::MemWa, address);
            out.put_block(SignalId::MemWd, 0, &block);
        }
    }
}
