// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assigns the signals of a tile to their identities, for observers (chapter 5, 7.4).

use drra_fabric::{SegmentDirection as Segment, SignalId, fields::sram_take};

use super::{
    Tile, TileInputs, TileSignals,
    route::{E, N, S, W},
};
use crate::{signals::SignalCollector, sram_agu::ConfigOffer};

/// Registers of one side of a tile, for observers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideRegisters {
    /// A path enters here.
    pub active: bool,
    /// The path leaves to the east or west.
    pub hsel: bool,
    /// The path leaves to the north or south.
    pub vsel: bool,
    /// Message being passed on, 63 bits.
    pub fwd: u64,
    /// Configuration taken here, `{valid, rw, configuration}`, 55 bits.
    pub agu: u64,
}

/// A request for a segment: `{valid, direction}`, 0 for none.
fn request(ask: Option<Segment>) -> u64 {
    ask.map_or(0, |direction| 4 | direction.value())
}

impl Tile {
    /// Registers of a side: N, S, E, W.
    pub(crate) fn side(&self, x: usize) -> SideRegisters {
        let side = &self.registers.side[x];
        let (active, hsel, vsel) = (side.path.active, side.path.hsel, side.path.vsel);
        SideRegisters { active, hsel, vsel, fwd: side.fwd.0, agu: side.agu.0 }
    }
}

impl Tile {
    /// Adds the signals of the cycle with these inputs; `before` has its registers.
    pub(crate) fn show(&self, i: &TileInputs, before: &Self, out: &mut SignalCollector<'_>) {
        let (t, routing) = (&before.registers, &self.routing.block);
        let TileSignals { init_addr, store, activity, .. } = &self.signals;
        out.put(SignalId::MsgV, before.msg_v.0);
        out.put(SignalId::MsgH, before.msg_h.0);
        out.put(SignalId::SegdirN, i.segdir[N].value());
        out.put(SignalId::SegdirE, i.segdir[E].value());
        out.put(SignalId::ReqN, request(routing.ask[N]));
        out.put(SignalId::ReqE, request(routing.ask[E]));
        out.put(SignalId::ReqS, request(i.ask_s));
        out.put(SignalId::ReqW, request(i.ask_w));
        for x in [N, S, E, W] {
            out.put_words(SignalId::DataIn, x, &i.data[x]);
            out.put_at(SignalId::PathOut, x, t.side[x].path.pack());
            out.put_at(SignalId::FwdOut, x, t.side[x].fwd.0);
            out.put_at(SignalId::TakeOut, x, t.side[x].agu.0);
        }
        routing.show(out);
        for (k, agu) in [&before.rd.block, &before.wr.block].into_iter().enumerate() {
            let offer = activity.offers[k];
            out.put_at(SignalId::TakeNew, k, offer.is_some());
            let taken = |offer: ConfigOffer| t.side[offer.side.index()].agu.0;
            let offered = offer.map(|offer| sram_take::CFG.get(taken(offer)));
            out.put_some(SignalId::TakeCfg, k, offered);
            out.put_at(SignalId::SramEn, k, agu.access().is_some());
            out.put_some(SignalId::SramAddr, k, agu.access());
            out.put_at(SignalId::SramActive, k, agu.busy());
        }
        out.put(SignalId::TileBusy, before.busy());

        // The memory and its initialisation.
        out.put(SignalId::RowIn, before.id.row() as u64);
        out.put(SignalId::ColIn, before.id.col() as u64);
        out.put_words(SignalId::MemRdata, 0, t.mem_out());
        out.put(SignalId::InitIn, i.init.valid);
        out.put(SignalId::InitInRow, i.init.row as u64);
        out.put(SignalId::InitInCol, i.init.col as u64);
        out.put(SignalId::InitInAddr, i.init.addr as u64);
        out.put_words(SignalId::InitInData, 0, &i.init.data);
        out.put(SignalId::MemWe, store.is_some());
        if let Some((_, data)) = store {
            let address =
                init_addr.map(|addr| addr as u64).or(before.wr.block.access().map(u64::from));
            out.put_some(SignalId::MemWa, 0, address);
            out.put_words(SignalId::MemWd, 0, data);
        }
    }
}
