// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules of a tile (chapter 6, sections 6 and 7).

use drra_isa::fabric::{Generator, SignalId, fields::sram_take};

use super::{E, MEM, N, Routing, S, Tile, W, exit};
use crate::{
    block::{Block, ZERO_BLOCK},
    message::NocMessage,
    wires::Wires,
};

impl Tile {
    /// What becomes of the ROUTE messages of this cycle.
    pub(crate) fn route_wires(&self, routed: &Routing, rx: [u64; 4], out: &mut Wires<'_>) {
        for (x, message) in rx.map(NocMessage).into_iter().enumerate() {
            out.put_at(SignalId::RouteGot, x, message.is_route());
            if !message.is_route() {
                continue;
            }
            let leaves = exit(message);
            out.put_at(SignalId::RouteEnds, x, leaves.is_none());
            if let Some(side) = leaves {
                out.put_at(SignalId::RouteExit, x, side as u64);
            }
            let there = leaves.unwrap_or(MEM);
            let (from, to) = if message.is_read() { (there, x) } else { (x, there) };
            out.put_at(SignalId::RouteFrom, x, from as u64);
            out.put_at(SignalId::RouteTo, x, to as u64);
        }
        for x in 0..4 {
            out.put_at(SignalId::SideAnyRoute, x, routed.any);
        }
        out.put(SignalId::Connect, routed.connect.is_some());
        if let Some((from, to)) = routed.connect {
            out.put(SignalId::ConnectFrom, from as u64);
            out.put(SignalId::ConnectTo, to as u64);
        }
    }

    /// Registers of the sides as the tile gets them.
    pub(crate) fn side_wires(&self, out: &mut Wires<'_>) {
        for x in 0..4 {
            let [path, fwd, take] = self.side_words(x);
            out.put_at(SignalId::PathOut, x, path);
            out.put_at(SignalId::FwdOut, x, fwd);
            out.put_at(SignalId::TakeOut, x, take);
        }
    }

    /// Configurations and accesses of the generators.
    pub(crate) fn generator_wires(&self, out: &mut Wires<'_>) {
        for &generator in Generator::ALL {
            let (k, agu) = match generator {
                Generator::Read => (generator.index(), &self.rd),
                Generator::Write => (generator.index(), &self.wr),
            };
            let offered = self.offered_fields(k as u64);
            out.put_at(SignalId::TakeNew, k, offered.is_some());
            if let Some(fields) = offered {
                out.put_at(SignalId::TakeCfg, k, fields);
            }
            let access = agu.access();
            out.put_at(SignalId::SramEn, k, access.is_some());
            if let Some(address) = access {
                out.put_at(SignalId::SramAddr, k, address);
            }
            out.put_at(SignalId::SramActive, k, agu.busy());
        }
        out.put(SignalId::TileBusy, self.busy());
    }

    /// What the first side with a configuration for a generator has for it: the fields as the generator gets them.
    fn offered_fields(&self, rw: u64) -> Option<u64> {
        let side = [S, W, E, N].into_iter().find(|&x| self.sides[x].take.is_for(rw))?;
        Some(sram_take::CFG.get(self.sides[side].take.0))
    }

    /// The block that the memory shows; 0 without one.
    pub(crate) fn read_block(&self) -> Block {
        if self.mem_rvalid { self.mem_q } else { ZERO_BLOCK }
    }

    /// The block on its way to the memory.
    pub(crate) fn to_memory(&self) -> Block {
        self.xout[MEM]
    }
}
