// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction NoC of a tile: how it handles incoming messages (chapter 6, section 6).

use drra_fabric::{SegmentDirection as Segment, Side, SignalId, images::TileSidePath};

use crate::{
    idle::Clocked,
    message::{NocMessage, TakenConfig},
    signals::SignalCollector,
    situation::situations,
};

situations! {
    /// A message that enters a tile at a side (chapter 6, section 6).
    Arrival {
        ReadHere "read ROUTE that ends here",
        ReadToN "read ROUTE to N",
        ReadToS "read ROUTE to S",
        ReadToE "read ROUTE to E",
        ReadToW "read ROUTE to W",
        WriteHere "write ROUTE that ends here",
        WriteToN "write ROUTE to N",
        WriteToS "write ROUTE to S",
        WriteToE "write ROUTE to E",
        WriteToW "write ROUTE to W",
        SramReadTaken "read SRAM taken here",
        SramReadPassed "read SRAM passed on",
        SramReadLost "read SRAM without a path",
        SramWriteTaken "write SRAM taken here",
        SramWritePassed "write SRAM passed on",
        SramWriteLost "write SRAM without a path",
    }
}

// Side and crossbar codes (section 1), as indices.
pub(crate) const N: usize = Side::N as usize;
pub(crate) const S: usize = Side::S as usize;
pub(crate) const E: usize = Side::E as usize;
pub(crate) const W: usize = Side::W as usize;
pub(super) const MEM: usize = 4;
pub(super) const NONE: usize = 5;

/// Registers of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SideState {
    pub(super) path: TileSidePath,
    pub(super) fwd: NocMessage,
    pub(super) agu: TakenConfig,
}

/// The messages that enter a tile in a cycle, and the result of those that are ROUTEs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Routing {
    /// The messages from the neighbours where the segment points into the tile.
    pub(crate) rx: [NocMessage; 4],
    pub(super) got: [bool; 4],
    pub(super) any_route: bool,
    /// Requests for the segments at the four sides.
    pub(crate) ask: [Option<Segment>; 4],
    /// Crossbar connection (from, to).
    pub(super) connect: Option<(usize, usize)>,
}

/// `tile_decode` of section 8 (6.1 to 6.3 and 6.5): combinational from the messages of the neighbours and the
/// surrounding segments.
fn tile_decode(msg: &[NocMessage; 4], segdir: &[Segment; 4]) -> Routing {
    let rx = [N, S, E, W].map(|x| {
        let inwards = if matches!(x, N | E) { Segment::Back } else { Segment::Ahead };
        if segdir[x] == inwards { msg[x] } else { NocMessage::NONE }
    });
    let got = rx.map(NocMessage::is_route);
    let any_route = got.contains(&true);
    let mut ask = got.map(|got| (any_route && !got).then_some(Segment::Closed));
    let mut connect = None;
    // Simultaneous ROUTEs, highest priority last.
    for &x in [S, E, W, N].iter().filter(|&&x| got[x]) {
        match route_decode(rx[x], x).exit {
            None => ask[x] = Some(segdir[x]),
            Some(y @ (N | E)) => ask[y] = Some(Segment::Ahead),
            Some(y) => ask[y] = Some(Segment::Back),
        }
    }
    for &x in [W, E, N, S].iter().filter(|&&x| got[x]) {
        connect = Some(route_decode(rx[x], x).connection);
    }
    Routing { rx, got, any_route, ask, connect }
}

/// `tile_decode` as a block without registers, so that it is not computed again for the same messages.
impl Clocked for Routing {
    type Inputs = ([NocMessage; 4], [Segment; 4]);

    fn next(&mut self, (msg, segdir): &Self::Inputs) -> bool {
        *self = tile_decode(msg, segdir);
        false
    }
}

/// What a ROUTE does in a tile.
struct Route {
    /// The side through which it leaves; `None` if the path ends here.
    exit: Option<usize>,
    /// The message with the remaining moves.
    message: NocMessage,
    /// The crossbar connection (from, to) that it requests.
    connection: (usize, usize),
}

/// `route_decode` of section 8: ROUTE m entering at side x.
fn route_decode(m: NocMessage, x: usize) -> Route {
    let (exit, message) = if m.vhops() != 0 {
        (Some(if m.north() { N } else { S }), m.minus_vhop())
    } else if m.hhops() != 0 {
        (Some(if m.east() { E } else { W }), m.minus_hhop())
    } else {
        (None, m)
    };
    let z = exit.unwrap_or(MEM);
    Route { exit, message, connection: if m.route_read() { (z, x) } else { (x, z) } }
}

/// The kind of a message that enters at side x; `active` means that a path enters there.
pub(super) fn arrival(m: NocMessage, x: usize, active: bool) -> Option<Arrival> {
    if m.is_route() {
        let exit = route_decode(m, x).exit.map(|y| Side::ALL[y]);
        return Some(match (m.route_read(), exit) {
            (true, None) => Arrival::ReadHere,
            (true, Some(Side::N)) => Arrival::ReadToN,
            (true, Some(Side::S)) => Arrival::ReadToS,
            (true, Some(Side::E)) => Arrival::ReadToE,
            (true, Some(Side::W)) => Arrival::ReadToW,
            (false, None) => Arrival::WriteHere,
            (false, Some(Side::N)) => Arrival::WriteToN,
            (false, Some(Side::S)) => Arrival::WriteToS,
            (false, Some(Side::E)) => Arrival::WriteToE,
            (false, Some(Side::W)) => Arrival::WriteToW,
        });
    }
    m.is_sram().then(|| match (m.sram_rw(), active, m.hops()) {
        (false, true, 0) => Arrival::SramReadTaken,
        (false, true, _) => Arrival::SramReadPassed,
        (false, false, _) => Arrival::SramReadLost,
        (true, true, 0) => Arrival::SramWriteTaken,
        (true, true, _) => Arrival::SramWritePassed,
        (true, false, _) => Arrival::SramWriteLost,
    })
}

/// `side_next` of section 8 (6.4); `rx` is the message that enters at side x.
pub(super) fn side_next(side: SideState, rx: NocMessage, x: usize, any_route: bool) -> SideState {
    let mut next = SideState { fwd: NocMessage::NONE, agu: TakenConfig::NONE, ..side };
    if rx.is_route() {
        let Route { exit, message, .. } = route_decode(rx, x);
        next.path = TileSidePath {
            active: true,
            hsel: matches!(exit, Some(E | W)),
            vsel: matches!(exit, Some(N | S)),
        };
        if exit.is_some() {
            next.fwd = message;
        }
        return next;
    }
    if any_route {
        next.path = TileSidePath::default();
    }
    if rx.is_sram() && side.path.active {
        if rx.hops() != 0 {
            next.fwd = rx.minus_hop();
        } else {
            next.agu = TakenConfig::from_sram(rx);
        }
    }
    next
}

impl Routing {
    /// Adds the messages and what follows from them.
    pub(super) fn show(&self, out: &mut SignalCollector<'_>) {
        for (x, message) in self.rx.into_iter().enumerate() {
            out.put_at(SignalId::Rx, x, message.0);
            out.put_at(SignalId::SideAnyRoute, x, self.any_route);
            out.put_at(SignalId::RouteGot, x, self.got[x]);
            if self.got[x] {
                let Route { exit, connection: (from, to), .. } = route_decode(message, x);
                out.put_at(SignalId::RouteEnds, x, exit.is_none());
                out.put_some(SignalId::RouteExit, x, exit.map(|side| side as u64));
                out.put_at(SignalId::RouteFrom, x, from as u64);
                out.put_at(SignalId::RouteTo, x, to as u64);
            }
        }
        out.put(SignalId::Connect, self.connect.is_some());
        out.put_some(SignalId::ConnectFrom, 0, self.connect.map(|(from, _)| from as u64));
        out.put_some(SignalId::ConnectTo, 0, self.connect.map(|(_, to)| to as u64));
    }
}
