// SPDX-License-Identifier: MIT OR Apache-2.0
//! DiMArch tile: instruction NoC, crossbar, address generators, memory (chapter 6).

pub(crate) mod activity;
pub(crate) mod route;
pub(crate) mod show;

use drra_fabric::{
    GroupId, Parameter, SegmentDirection as Segment, Slots,
    fields::array,
    images::{TileInit, TileSegs, TileSidePath},
    ports::SramInit,
};
use drra_isa::Geometry;

use self::route::{E, MEM, N, Routing, S, SideState, W, side_next};
use crate::{
    bits::packed,
    block::{Block, ZERO_BLOCK},
    idle::Clocked,
    message::NocMessage,
    sram_agu::{PatternAgu, PatternConfig, PatternPhase},
};

const NONE: usize = 5;

/// Registers of section 5, except the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Registers {
    segs: TileSegs,
    side: [SideState; 4],
    xsel: [u8; 5],
    xout: [Block; 5],
    rd: PatternAgu,
    wr: PatternAgu,
    mem_rvalid: bool,
    mem_q: Block,
    /// The initialisation port as this tile saw it in the previous cycle, passed on to the next tiles.
    init: SramInit,
}

impl Default for Registers {
    fn default() -> Self {
        Self {
            segs: TileSegs::default(),
            side: [SideState::default(); 4],
            xsel: [NONE as u8; 5],
            xout: [ZERO_BLOCK; 5],
            rd: PatternAgu::default(),
            wr: PatternAgu::default(),
            mem_rvalid: false,
            mem_q: ZERO_BLOCK,
            init: SramInit::default(),
        }
    }
}

/// One tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    row: usize,
    col: usize,
    registers: Registers,
    sram: Vec<Block>,
}

/// The outputs of a tile to its neighbours in a cycle, functions of its registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileOutputs {
    /// Message leaving to the north and south.
    pub(crate) msg_v: NocMessage,
    /// Message leaving to the east and west.
    pub(crate) msg_h: NocMessage,
    pub(crate) segs: TileSegs,
    pub(crate) xout: [Block; 4],
    pub(crate) init: SramInit,
}

/// Messages that enter a tile in a cycle, and the resulting routing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// `msg_in`: the messages from the neighbours.
    pub(crate) msg_in: [NocMessage; 4],
    /// The same messages where the segment points into the tile.
    pub(crate) rx: [NocMessage; 4],
    /// Directions of the segments at the four sides.
    pub(crate) segdir: [Segment; 4],
    pub(crate) routing: Routing,
}

/// The inputs of a tile in a cycle.
pub(crate) struct TileInputs<'a> {
    pub(crate) received: &'a Received,
    /// Request of the west neighbour for the segment on the west side.
    pub(crate) ask_w: Option<Segment>,
    /// Request from below for the segment on the south side.
    pub(crate) ask_s: Option<Segment>,
    /// Data entering at the four sides.
    pub(crate) data: [&'a Block; 4],
    /// The initialisation port as seen by this tile, whether valid or not.
    pub(crate) init: &'a SramInit,
}

/// The inputs of a tile, stored until the next cycle; `routing` follows from `rx` and `segdir`.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptByTile {
    rx: [NocMessage; 4],
    segdir: [Segment; 4],
    asks: [Option<Segment>; 2],
    data: [Block; 4],
    init: SramInit,
}

impl PartialEq<KeptByTile> for TileInputs<'_> {
    #[inline]
    fn eq(&self, seen: &KeptByTile) -> bool {
        self.received.rx == seen.rx
            && self.received.segdir == seen.segdir
            && [self.ask_w, self.ask_s] == seen.asks
            && self.data.iter().zip(&seen.data).all(|(now, seen)| *now == seen)
            && *self.init == seen.init
    }
}

/// Signals of a tile in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileSignals {
    rx: [NocMessage; 4],
    routing: Routing,
    asks: [Option<Segment>; 2],
    /// For each side, true if a path enters there.
    active: [bool; 4],
    /// Positions of the generators in their patterns.
    phases: [PatternPhase; 2],
    /// Configurations for the read and the write generator, and the sides that have them.
    new: [Option<(usize, PatternConfig)>; 2],
    /// Row that the initialisation port writes.
    hit: Option<usize>,
    /// The row that the read generator reads, and the row that the write generator requests to write.
    rows: [Option<usize>; 2],
    /// Row that is written, and its new contents: `we`, `wa`, `wd`.
    store: Option<(usize, Block)>,
    next: Registers,
}

impl Tile {
    pub(crate) fn new(row: usize, col: usize, depth: usize) -> Self {
        let generator = PatternAgu::new(depth as u32);
        let registers = Registers { rd: generator, wr: generator, ..Registers::default() };
        Self { row, col, registers, sram: vec![ZERO_BLOCK; depth] }
    }

    /// The outputs of the tile to its neighbours: `bus_out` of section 8, and registers.
    #[inline]
    pub(crate) fn outputs(&self) -> TileOutputs {
        let Registers { segs, side, xout, init, .. } = &self.registers;
        let leaving = |selects: fn(&TileSidePath) -> bool| {
            let first = [W, E, S, N].into_iter().find(|&x| selects(&side[x].path));
            first.map_or(NocMessage::NONE, |x| side[x].fwd)
        };
        TileOutputs {
            msg_v: leaving(|path| path.vsel),
            msg_h: leaving(|path| path.hsel),
            segs: *segs,
            xout: [xout[N], xout[S], xout[E], xout[W]],
            init: *init,
        }
    }

    /// `agu_pick` of section 8: configuration for the read (`rw` 0) or write (1) generator, and the side that took it.
    fn taken(&self, rw: u64) -> Option<(usize, PatternConfig)> {
        let sides = &self.registers.side;
        let side = [S, W, E, N].into_iter().find(|&x| sides[x].agu.is_for(rw))?;
        Some((side, sides[side].agu.config()))
    }

    /// Output register S, the block for the cells below a home tile.
    #[inline]
    pub(crate) fn down(&self) -> &Block {
        &self.registers.xout[S]
    }

    /// The memory.
    #[inline]
    pub(crate) fn sram(&self) -> &[Block] {
        &self.sram
    }

    /// False while `mem_q` is not visible.
    #[inline]
    pub(crate) fn mem_rvalid(&self) -> bool {
        self.registers.mem_rvalid
    }

    /// True if some generator is not in IDLE.
    #[inline]
    pub(crate) fn busy(&self) -> bool {
        self.registers.rd.busy() || self.registers.wr.busy()
    }

    /// The block that the memory outputs; 0 if it outputs none.
    fn mem_out(&self) -> &Block {
        if self.registers.mem_rvalid { &self.registers.mem_q } else { &ZERO_BLOCK }
    }

    /// Writes the registers into the image of a tile.
    pub(crate) fn pack(&self, g: &Geometry, slots: &Slots, image: &mut [u64]) {
        let slot = |group| slots.of(group);
        let Registers { segs, side, xsel, xout, rd, wr, mem_rvalid, mem_q, init } = &self.registers;
        image[slot(GroupId::TileSegs)] = segs.pack();
        for (x, side) in side.iter().enumerate() {
            image[slot(GroupId::TileSidePath) + x] = side.path.pack();
            image[slot(GroupId::TileSideFwd) + x] = side.fwd.0;
            image[slot(GroupId::TileSideAgu) + x] = side.agu.0;
        }
        image[slot(GroupId::TileXsel)] = packed(xsel.map(u64::from), array::XSEL) as u64;
        image[slot(GroupId::TileXout)..][..20].copy_from_slice(xout.as_flattened());
        for (k, agu) in [rd, wr].into_iter().enumerate() {
            image[slot(GroupId::TileGeneratorSt) + k] = agu.sram_state_word();
            image[slot(GroupId::TileGeneratorCfg) + k] = agu.sram_cfg_word();
        }
        image[slot(GroupId::TileMemRvalid)] = (*mem_rvalid).into();
        image[slot(GroupId::TileMemQ)..][..4].copy_from_slice(mem_q);
        let [row, col, addr] = [init.row as u32, init.col as u32, init.addr as u32];
        let widths = [Parameter::TileRow, Parameter::Column, Parameter::SramAddress];
        let [tile_row, column, address] = widths.map(|parameter| parameter.value(g));
        image[slot(GroupId::TileInit)] =
            TileInit { en: init.valid, row, col, addr }.pack(tile_row, column, address);
        image[slot(GroupId::TileInitData)..][..4].copy_from_slice(&init.data);
    }
}

impl Clocked for Tile {
    type Inputs<'a> = TileInputs<'a>;
    type Kept = KeptByTile;
    type Signals = TileSignals;

    fn keep(i: &TileInputs<'_>) -> KeptByTile {
        KeptByTile {
            rx: i.received.rx,
            segdir: i.received.segdir,
            asks: [i.ask_w, i.ask_s],
            data: i.data.map(|block| *block),
            init: *i.init,
        }
    }

    /// `tile_next` of section 8.
    fn eval(&self, i: &TileInputs<'_>, out: &mut TileSignals) {
        let (t, Received { rx, routing, .. }) = (&self.registers, i.received);
        let n = &mut out.next;
        n.segs.seg_w = i.ask_w.or(routing.ask[W]).unwrap_or(t.segs.seg_w);
        n.segs.seg_s = i.ask_s.or(routing.ask[S]).unwrap_or(t.segs.seg_s);
        for x in [N, S, E, W] {
            n.side[x] = side_next(t.side[x], rx[x], routing.got[x], routing.any);
        }

        // Crossbar (7.2).
        for k in 0..5 {
            n.xout[k] = match usize::from(t.xsel[k]) {
                side @ 0..4 => *i.data[side],
                MEM => *self.mem_out(),
                _ => ZERO_BLOCK,
            };
        }
        n.xsel = t.xsel;
        if let Some((from, to)) = routing.connect {
            n.xsel = [NONE as u8; 5];
            n.xsel[to] = from as u8;
            n.xsel[MEM] = from as u8;
        }

        // Memory (7.3). Only as many bits of an address are used as the number of rows requires.
        let line = |a: u32| a as usize % self.sram.len();
        let [ra, wa] = [t.rd.access(), t.wr.access()].map(|access| access.map(line));
        let own = i.init.valid && (i.init.row, i.init.col) == (self.row, self.col);
        let hit = own.then_some(i.init.addr); // already truncated to the number of rows at the port
        let store = match hit {
            Some(addr) => Some((addr, i.init.data)),
            None => wa.map(|a| (a, t.xout[MEM])),
        };
        n.mem_q = match (ra, &store) {
            (Some(_), Some((_, data))) => *data,
            (Some(a), None) => self.sram[a],
            (None, _) => t.mem_q,
        };
        n.mem_rvalid = ra.is_some();
        let new = [self.taken(0), self.taken(1)];
        n.rd = t.rd.next(new[0].map(|(_, config)| config));
        n.wr = t.wr.next(new[1].map(|(_, config)| config));
        n.init = *i.init;
        (out.rx, out.routing, out.asks) = (*rx, *routing, [i.ask_w, i.ask_s]);
        out.active = t.side.map(|side| side.path.active);
        (out.phases, out.new) = ([t.rd.phase(), t.wr.phase()], new);
        (out.hit, out.rows, out.store) = (hit, [ra, wa], store);
    }

    /// The edge. Returns whether anything may have changed.
    fn commit(&mut self, s: &TileSignals) -> bool {
        if let Some((row, data)) = s.store {
            self.sram[row] = data;
        }
        let changed = self.registers != s.next || s.store.is_some();
        self.registers = s.next;
        changed
    }
}
