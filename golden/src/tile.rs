// SPDX-License-Identifier: MIT OR Apache-2.0
//! DiMArch tile: instruction NoC, crossbar, address generators, memory (chapter 6).

mod images;
mod wires;

use drra_isa::ports::SramInit;

use drra_isa::fabric::{SegmentDirection as Segment, Side};

use crate::{
    block::{Block, ZERO_BLOCK},
    message::{NocMessage, Taken},
    observe::{Arrival, Offer, PatternPhase},
    rest,
    sram_agu::{PatternAgu, PatternConfig},
};

pub(crate) const N: usize = 0;
pub(crate) const S: usize = 1;
pub(crate) const E: usize = 2;
pub(crate) const W: usize = 3;
const MEM: usize = 4;
const NONE: usize = 5;

/// Registers of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SideState {
    active: bool,
    hsel: bool,
    vsel: bool,
    fwd: NocMessage,
    take: Taken,
}

/// What a tile makes of the ROUTE messages of one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Routing {
    got: [bool; 4],
    any: bool,
    /// Requests to the segments at the four sides.
    pub(crate) ask: [Option<Segment>; 4],
    /// Directions of those that are asked to close.
    closes: [Segment; 4],
    /// Crossbar connection (from, to).
    connect: Option<(usize, usize)>,
}

/// What surrounds a tile in one cycle.
pub(crate) struct Around<'a> {
    /// Messages entering at the four sides.
    pub(crate) rx: [NocMessage; 4],
    /// Request of the west neighbour for the segment on the west side.
    pub(crate) ask_w: Option<Segment>,
    /// Request from below for the segment on the south side.
    pub(crate) ask_s: Option<Segment>,
    /// Data entering at the four sides.
    pub(crate) data: [&'a Block; 4],
    /// The initialisation port as this tile sees it, valid or not.
    pub(crate) init: &'a SramInit,
}

/// What a tile did in a cycle; no registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileActivity {
    /// ROUTE messages that arrived.
    pub routes: u8,
    /// Which way the segments at sides N, S, E, W led that these messages closed; `Closed` where none did.
    pub closed: [Segment; 4],
    /// A configuration was lost because its generator was not free.
    pub lost: bool,
    /// A configuration was taken by the read or the write generator.
    pub taken: [bool; 2],
    /// Messages that entered at sides N, S, E, W.
    pub arrivals: [Option<Arrival>; 4],
    /// Configurations offered to the read and the write generator.
    pub offers: [Option<Offer>; 2],
    /// Where the generators were in their patterns, before the edge.
    pub phases: [PatternPhase; 2],
    /// Row that was read.
    pub read: Option<u8>,
    /// Row that a pattern wanted to write; the initialisation port may have won.
    pub write: Option<u8>,
    /// Row that the initialisation port wrote.
    pub init: Option<u8>,
}

/// Registers of one side of a tile, for observers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideRegisters {
    /// A path enters here.
    pub active: bool,
    /// It leaves to the east or west.
    pub hsel: bool,
    /// It leaves to the north or south.
    pub vsel: bool,
    /// Message being passed on, 63 bits.
    pub fwd: u64,
    /// Configuration taken here, `{valid, rw, configuration}`, 55 bits.
    pub agu: u64,
}

/// One tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    row: usize,
    col: usize,
    pub(crate) seg_w: Segment,
    pub(crate) seg_s: Segment,
    sides: [SideState; 4],
    xsel: [u8; 5],
    pub(crate) xout: [Block; 5],
    pub(crate) rd: PatternAgu,
    pub(crate) wr: PatternAgu,
    pub(crate) mem_rvalid: bool,
    mem_q: Block,
    /// What this tile passed on to the next one: the port as seen in the previous cycle, raw.
    pub(crate) init: SramInit,
    pub(crate) sram: Vec<Block>,
    /// Row written in the cycle before.
    pub(crate) written: Option<usize>,
    pub(crate) activity: TileActivity,
    pub(crate) active: bool,
    settled: bool,
}

impl Tile {
    pub(crate) fn new(row: usize, col: usize, depth: usize) -> Self {
        Self {
            row,
            col,
            seg_w: Segment::Closed,
            seg_s: Segment::Closed,
            sides: [SideState::default(); 4],
            xsel: [NONE as u8; 5],
            xout: [ZERO_BLOCK; 5],
            rd: PatternAgu::new(depth as u32),
            wr: PatternAgu::new(depth as u32),
            mem_rvalid: false,
            mem_q: ZERO_BLOCK,
            init: SramInit::default(),
            sram: vec![ZERO_BLOCK; depth],
            written: None,
            activity: TileActivity::default(),
            active: false,
            settled: false,
        }
    }

    /// True if some generator is not in IDLE.
    pub(crate) fn busy(&self) -> bool {
        self.rd.busy() || self.wr.busy()
    }

    /// Message leaving to the north and south neighbour.
    #[inline]
    pub(crate) fn vertical_out(&self) -> NocMessage {
        [W, E, S, N]
            .into_iter()
            .find(|&x| self.sides[x].vsel)
            .map_or(NocMessage::NONE, |x| self.sides[x].fwd)
    }

    /// Message leaving to the east and west neighbour.
    #[inline]
    pub(crate) fn horizontal_out(&self) -> NocMessage {
        [W, E, S, N]
            .into_iter()
            .find(|&x| self.sides[x].hsel)
            .map_or(NocMessage::NONE, |x| self.sides[x].fwd)
    }

    /// ROUTE decode (6.2, 6.3, 6.5): combinational from the messages and the segments around.
    pub(crate) fn routing(rx: &[NocMessage; 4], segments: [Segment; 4]) -> Routing {
        let mut routing = Routing::default();
        for x in [N, S, E, W] {
            routing.got[x] = rx[x].is_route();
            routing.any |= routing.got[x];
        }
        if !routing.any {
            return routing;
        }
        for y in [N, S, E, W] {
            // The first ROUTE, in this order of sides, that has something to say about segment y.
            routing.ask[y] = [N, W, E, S].into_iter().filter(|&x| routing.got[x]).find_map(|x| {
                match exit(rx[x]) {
                    Some(out) if out == y => {
                        Some(if y == N || y == E { Segment::Ahead } else { Segment::Back })
                    }
                    None if x == y => Some(segments[x]),
                    _ => None,
                }
            });
            if routing.ask[y].is_none() && !routing.got[y] {
                routing.ask[y] = Some(Segment::Closed);
                routing.closes[y] = segments[y];
            }
        }
        routing.connect = [S, N, E, W].into_iter().find(|&x| routing.got[x]).map(|x| {
            let z = exit(rx[x]).unwrap_or(MEM);
            if rx[x].is_read() { (z, x) } else { (x, z) }
        });
        routing
    }

    /// Configuration taken by the sides for the read (`rw` 0) or write (1) generator.
    fn taken(&self, rw: u64) -> Option<(usize, PatternConfig)> {
        let side = [S, W, E, N].into_iter().find(|&x| self.sides[x].take.is_for(rw))?;
        Some((side, self.sides[side].take.config()))
    }

    /// Executes the edge. Returns whether anything may have changed.
    pub(crate) fn step(&mut self, routing: &Routing, around: &Around<'_>) -> bool {
        self.written = None;
        self.active = false;
        let init = std::mem::replace(&mut self.init, *around.init);
        let hit = Some(around.init).filter(|i| i.valid && i.row == self.row && i.col == self.col);
        if hit.is_none() && self.rests(around) {
            self.activity = TileActivity::default();
            return init != self.init;
        }

        self.seg_w = around.ask_w.or(routing.ask[W]).unwrap_or(self.seg_w);
        self.seg_s = around.ask_s.or(routing.ask[S]).unwrap_or(self.seg_s);

        // The configurations of this cycle, before the sides change.
        let taken = [self.taken(0), self.taken(1)];
        let [read, write] = taken.map(|t| t.map(|(_, config)| config));
        let phases = [self.rd.phase(), self.wr.phase()];
        let offer = |k: usize| {
            let (side, config) = taken[k]?;
            Some(Offer { side: Side::ALL[side], phase: phases[k], config })
        };
        let arrivals = [N, S, E, W].map(|x| arrival(around.rx[x], self.sides[x].active));
        for x in [N, S, E, W] {
            self.sides[x] = side_next(self.sides[x], around.rx[x], routing.got[x], routing.any);
        }

        // Memory: an access of this cycle uses the outputs of the generators.
        // Of its seven bits those count that the memory has rows for (chapter 6, 7.3).
        let row = |a: u32| a as usize % self.sram.len();
        let [ra, wa] = [self.rd.access(), self.wr.access()].map(|access| access.map(row));
        let store = match (hit, wa) {
            (Some(i), _) => Some((i.addr, i.data)),
            (None, Some(a)) => Some((a, self.xout[MEM])),
            (None, None) => None,
        };
        self.activity = TileActivity {
            routes: routing.got.iter().map(|g| u8::from(*g)).sum(),
            closed: closed(routing, around),
            lost: read.is_some() && !self.rd.accepts() || write.is_some() && !self.wr.accepts(),
            taken: [read.is_some() && self.rd.accepts(), write.is_some() && self.wr.accepts()],
            arrivals,
            offers: [offer(0), offer(1)],
            phases,
            read: ra.map(|a| a as u8),
            write: wa.map(|a| a as u8),
            init: hit.map(|i| i.addr as u8),
        };
        self.active = self.activity != TileActivity::default();
        let mem_out = if self.mem_rvalid { self.mem_q } else { ZERO_BLOCK };
        if let Some(a) = ra {
            self.mem_q = match store {
                Some((_, data)) => data,
                None => self.sram[a],
            };
        }
        self.mem_rvalid = ra.is_some();
        if let Some((a, data)) = store {
            self.sram[a] = data;
            self.written = Some(a);
        }
        self.rd.step(read);
        self.wr.step(write);

        // Crossbar.
        for k in 0..5 {
            self.xout[k] = match usize::from(self.xsel[k]) {
                side @ 0..4 => *around.data[side],
                MEM => mem_out,
                _ => ZERO_BLOCK,
            };
        }
        if let Some((from, to)) = routing.connect {
            self.xsel = [NONE as u8; 5];
            self.xsel[to] = from as u8;
            self.xsel[MEM] = from as u8;
        }

        self.settled = self.rd.settled()
            && self.wr.settled()
            && !self.mem_rvalid
            && self.sides.iter().all(|s| s.fwd == NocMessage::NONE && s.take == Taken::NONE);
        true
    }

    /// True if the edge changes nothing besides what the initialisation port passes on: both generators are in
    /// IDLE, no message and no block of the memory is on its way in the tile, and nothing enters it but requests
    /// that its segments follow already and blocks that its crossbar shows already (section 8).
    #[inline]
    fn rests(&self, around: &Around<'_>) -> bool {
        let same = |ask: Option<Segment>, now: Segment| ask.is_none_or(|s| s == now);
        let shown = |k: usize| match usize::from(self.xsel[k]) {
            side @ 0..4 => around.data[side],
            _ => &ZERO_BLOCK, // no block of the memory
        };
        rest::allowed()
            && self.settled
            && around.rx == [NocMessage::NONE; 4]
            && same(around.ask_w, self.seg_w)
            && same(around.ask_s, self.seg_s)
            && (0..5).all(|k| self.xout[k] == *shown(k))
    }

    /// Registers of a side: N, S, E, W.
    pub(crate) fn side(&self, x: usize) -> SideRegisters {
        let SideState { active, hsel, vsel, fwd, take } = self.sides[x];
        SideRegisters { active, hsel, vsel, fwd: fwd.0, agu: take.0 }
    }

    /// Block that the memory has read; it means something only while `mem_rvalid` is 1.
    pub(crate) fn mem_q(&self) -> &Block {
        &self.mem_q
    }
}

/// Directions of the segments that a tile closes. What a neighbour asks of those to the south and west comes first.
fn closed(routing: &Routing, around: &Around<'_>) -> [Segment; 4] {
    let [n, s, e, w] = routing.closes;
    let own = |ask: Option<Segment>, closes| if ask.is_none() { closes } else { Segment::Closed };
    [n, own(around.ask_s, s), e, own(around.ask_w, w)]
}

/// Side through which a ROUTE leaves; `None`: the path ends here.
fn exit(m: NocMessage) -> Option<usize> {
    if m.vhops() != 0 {
        Some(if m.north() { N } else { S })
    } else if m.hhops() != 0 {
        Some(if m.east() { E } else { W })
    } else {
        None
    }
}

/// A message that enters at a side, in words; `active`: a path enters there.
fn arrival(m: NocMessage, active: bool) -> Option<Arrival> {
    if m.is_route() {
        let [here, to] = if m.is_read() {
            [Arrival::ReadHere, Arrival::ReadToN]
        } else {
            [Arrival::WriteHere, Arrival::WriteToN]
        };
        return Some(exit(m).map_or(here, |side| Arrival::ALL[to as usize + side]));
    }
    if !m.is_sram() {
        return None;
    }
    let taken = if m.is_write() { Arrival::SramWriteTaken } else { Arrival::SramReadTaken };
    let how = match (active, m.hops()) {
        (true, 0) => 0,
        (true, _) => 1,
        (false, _) => 2,
    };
    Some(Arrival::ALL[taken as usize + how])
}

/// Side registers after the edge (6.4).
fn side_next(side: SideState, rx: NocMessage, got: bool, any: bool) -> SideState {
    let mut next = SideState { fwd: NocMessage::NONE, take: Taken::NONE, ..side };
    if got {
        let out = exit(rx);
        next.active = true;
        next.vsel = matches!(out, Some(N | S));
        next.hsel = matches!(out, Some(E | W));
        if next.vsel {
            next.fwd = rx.minus_vhop();
        } else if next.hsel {
            next.fwd = rx.minus_hhop();
        }
        return next;
    }
    if any {
        (next.active, next.hsel, next.vsel) = (false, false, false);
    }
    if rx.is_sram() && side.active {
        if rx.hops() != 0 {
            next.fwd = rx.minus_hop();
        } else {
            next.take = Taken::from_sram(rx);
        }
    }
    next
}
