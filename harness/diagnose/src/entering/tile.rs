// SPDX-License-Identifier: MIT OR Apache-2.0
//! What enters the blocks of a tile (chapter 6).

use drra_isa::{
    TileId,
    fabric::{Generator, GroupId, Key, Side, SignalId, SignalId as S},
};

use super::{Found, Wiring};

/// What a ROUTE asks of its tile.
const ROUTE: [S; 3] = [S::RouteGot, S::RouteEnds, S::RouteExit];
/// The initialisation port as a tile sees it.
const INIT: [S; 5] = [S::InitIn, S::InitInRow, S::InitInCol, S::InitInAddr, S::InitInData];

impl Wiring<'_> {
    pub(super) fn enter_tile_register(
        &self,
        tile: TileId,
        group: GroupId,
        key: Key,
        found: &mut Found,
    ) {
        match group {
            GroupId::TileSegs => {
                found.of(tile, &[S::ReqW, S::ReqS, S::SegdirN, S::SegdirE]);
                found.every(tile, &ROUTE, self.geometry);
            }
            GroupId::TileSidePath | GroupId::TileSideFwd | GroupId::TileSideAgu => {
                found.at(tile, &[S::Rx, S::SideAnyRoute], key);
            }
            GroupId::TileXsel => {
                found.of(tile, &[S::Connect, S::ConnectFrom, S::ConnectTo]);
            }
            GroupId::TileXout => {
                found.every(tile, &[S::DataIn], self.geometry);
                found.of(tile, &[S::MemRdata]);
            }
            GroupId::TileGeneratorSt | GroupId::TileGeneratorCfg => {
                found.at(tile, &[S::TakeNew, S::TakeCfg], key);
            }
            GroupId::TileMemRvalid | GroupId::TileMemQ => {
                found.at(tile, &[S::SramEn, S::SramAddr], Generator::Read);
                found.of(tile, &[S::MemWe, S::MemWa, S::MemWd]);
            }
            GroupId::TileSram => found.of(tile, &[S::MemWe, S::MemWa, S::MemWd]),
            GroupId::TileInit | GroupId::TileInitData => found.of(tile, &INIT),
            // Groups of other units.
            _ => {}
        }
    }

    pub(super) fn enter_tile_signal(
        &self,
        tile: TileId,
        id: SignalId,
        key: Key,
        found: &mut Found,
    ) {
        let near = |side: Side| tile.neighbour(side, self.geometry);
        match id {
            S::MsgV | S::MsgH => found.every(tile, &[S::PathOut, S::FwdOut], self.geometry),
            S::MsgIn => {
                if let Some((side, from)) = key.side().and_then(|side| Some((side, near(side)?))) {
                    let vertical = matches!(side, Side::N | Side::S);
                    found.of(from, &[if vertical { S::MsgV } else { S::MsgH }]);
                }
            }
            S::Rx => match key.side() {
                Some(Side::S) if near(Side::S).is_none() => {
                    found.of(tile.column(), &[S::ColNoc]);
                }
                Some(side) => {
                    found.of(tile, &[S::SegdirN, S::SegdirE]);
                    found.at(tile, &[S::MsgIn], side);
                }
                None => {}
            },
            S::RouteGot | S::RouteEnds | S::RouteExit | S::RouteFrom | S::RouteTo => {
                found.at(tile, &[S::Rx], key);
            }
            S::ReqN | S::ReqE => {
                found.every(tile, &ROUTE, self.geometry);
                found.of(tile, &[S::SegdirN, S::SegdirE]);
            }
            S::ReqS => near(Side::S).into_iter().for_each(|from| found.of(from, &[S::ReqN])),
            S::ReqW => near(Side::W).into_iter().for_each(|from| found.of(from, &[S::ReqE])),
            S::SideAnyRoute | S::Connect => found.every(tile, &[S::RouteGot], self.geometry),
            S::ConnectFrom | S::ConnectTo => {
                found.every(tile, &[S::RouteGot, S::RouteFrom, S::RouteTo], self.geometry);
            }
            S::DataIn if key.side() == Some(Side::S) && near(Side::S).is_none() => {
                found.of(tile.column(), &[S::Up]);
            }
            S::TakeNew | S::TakeCfg => found.every(tile, &[S::TakeOut], self.geometry),
            S::TileBusy => found.every(tile, &[S::SramActive], self.geometry),
            S::MemWe | S::MemWa | S::MemWd => {
                found.at(tile, &[S::SramEn, S::SramAddr], Generator::Write);
                found.of(tile, &INIT);
                found.of(tile, &[S::RowIn, S::ColIn]);
            }
            // What registers alone make, and signals of other units.
            _ => {}
        }
    }
}
