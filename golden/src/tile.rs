// SPDX-License-Identifier: MIT OR Apache-2.0
//! DiMArch tile: instruction NoC, crossbar, address generators, memory (chapter 6).

pub(crate) mod activity;
pub(crate) mod route;
pub(crate) mod show;

use std::sync::Arc;

use drra_fabric::{
    GroupId, GroupOffsets, Parameter, SegmentDirection as Segment,
    fields::array,
    images::{TileInit, TileSegs, TileSidePath},
    ports::SramInit,
};
use drra_isa::{Geometry, TileId};

use self::{
    activity::TileActivity,
    route::{E, MEM, N, NONE, Routing, S, SideState, W, side_next},
};
use crate::{
    bits::packed,
    block::{Block, ZERO_BLOCK},
    idle::{Clocked, LazyBlock},
    message::NocMessage,
    sram_agu::{PatternAgu, PatternConfig},
};

/// Registers of section 5, except the memory and those of the generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Registers {
    segs: TileSegs,
    side: [SideState; 4],
    xsel: [u8; 5],
    xout: [Block; 5],
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
            mem_rvalid: false,
            mem_q: ZERO_BLOCK,
            init: SramInit::default(),
        }
    }
}

/// One tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) id: TileId,
    registers: Registers,
    /// `tile_decode` of section 8; the array executes it for all tiles first.
    pub(crate) routing: LazyBlock<Routing>,
    rd: LazyBlock<PatternAgu>,
    wr: LazyBlock<PatternAgu>,
    /// `bus_out` of section 8 for N and S, and for E and W; it depends on the registers alone.
    pub(crate) msg_v: NocMessage,
    pub(crate) msg_h: NocMessage,
    /// Copies of the fabric share it until one of them writes.
    sram: Arc<[Block]>,
    pub(crate) signals: TileSignals,
}

/// The inputs of a tile in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TileInputs {
    /// `msg`: messages of the neighbours at the four sides.
    pub(crate) msg: [NocMessage; 4],
    /// Directions of the segments at the four sides.
    pub(crate) segdir: [Segment; 4],
    /// Data entering at the four sides.
    pub(crate) data: [Block; 4],
    /// Request of the west neighbour for the segment on the west side.
    pub(crate) ask_w: Option<Segment>,
    /// Request of the south neighbour for the segment on the south side.
    pub(crate) ask_s: Option<Segment>,
    /// The initialisation port as seen by this tile, whether valid or not.
    pub(crate) init: SramInit,
}

/// Signals of a tile in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct TileSignals {
    /// Address of the block that the initialisation port writes.
    init_addr: Option<usize>,
    /// Address of the block that is written, and its new contents: `we`, `wa`, `wd`.
    store: Option<(usize, Block)>,
    pub(crate) activity: TileActivity,
    /// Something is different from [`TileActivity::default`].
    pub(crate) active: bool,
}

impl Tile {
    pub(crate) fn new(id: TileId, depth: usize) -> Self {
        let generator = || LazyBlock::new(PatternAgu::new(depth as u32));
        Self {
            id,
            registers: Registers::default(),
            routing: LazyBlock::new(Routing::default()),
            rd: generator(),
            wr: generator(),
            msg_v: NocMessage::NONE,
            msg_h: NocMessage::NONE,
            sram: vec![ZERO_BLOCK; depth].into(),
            signals: TileSignals::default(),
        }
    }

    /// `bus_out` of section 8, for the sides that `sel` names.
    fn bus_out(&self, sel: fn(&TileSidePath) -> bool) -> NocMessage {
        let side = &self.registers.side;
        let first = [W, E, S, N].iter().find(|&&x| sel(&side[x].path));
        first.map_or(NocMessage::NONE, |&x| side[x].fwd)
    }

    /// Directions of the segments that the tile owns.
    pub(crate) fn segs(&self) -> &TileSegs {
        &self.registers.segs
    }

    /// Output registers N, S, E, W and MEM.
    pub(crate) fn xout(&self) -> &[Block; 5] {
        &self.registers.xout
    }

    /// The registers of the initialisation port.
    pub(crate) fn init(&self) -> &SramInit {
        &self.registers.init
    }

    /// The memory.
    pub(crate) fn sram(&self) -> &[Block] {
        &self.sram
    }

    /// False while `mem_q` is not visible.
    pub(crate) fn mem_rvalid(&self) -> bool {
        self.registers.mem_rvalid
    }

    /// True if some generator is not in IDLE.
    pub(crate) fn busy(&self) -> bool {
        self.rd.block.busy() || self.wr.block.busy()
    }

    /// Writes the registers into the image of a tile.
    pub(crate) fn pack(&self, g: &Geometry, slots: &GroupOffsets, image: &mut [u64]) {
        let slot = |group| slots.of(group);
        let Registers { segs, side, xsel, xout, mem_rvalid, mem_q, init } = &self.registers;
        image[slot(GroupId::TileSegs)] = segs.pack();
        for (x, side) in side.iter().enumerate() {
            image[slot(GroupId::TileSidePath) + x] = side.path.pack();
            image[slot(GroupId::TileSideFwd) + x] = side.fwd.0;
            image[slot(GroupId::TileSideAgu) + x] = side.agu.0;
        }
        image[slot(GroupId::TileXsel)] = packed(xsel.map(u64::from), array::XSEL) as u64;
        image[slot(GroupId::TileXout)..][..20].copy_from_slice(xout.as_flattened());
        for (k, agu) in [&self.rd.block, &self.wr.block].into_iter().enumerate() {
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

impl Registers {
    /// `agu_pick` of section 8: configuration for the read (`rw` 0) or write (1) generator, and the side that took it.
    fn agu_pick(&self, rw: u64) -> Option<(usize, PatternConfig)> {
        let sides = &self.side;
        let side = *[S, W, E, N].iter().find(|&&x| sides[x].agu.is_for(rw))?;
        Some((side, sides[side].agu.config()))
    }

    /// The block that the memory outputs; 0 if it outputs none.
    fn mem_out(&self) -> &Block {
        if self.mem_rvalid { &self.mem_q } else { &ZERO_BLOCK }
    }
}

impl Clocked for Tile {
    type Inputs = TileInputs;

    /// `tile_next` of section 8.
    fn next(&mut self, i: &TileInputs) -> bool {
        let t = self.registers;
        let routing = &self.routing.block;
        let n = &mut self.registers;
        n.segs.seg_w = i.ask_w.or(routing.ask[W]).unwrap_or(t.segs.seg_w);
        n.segs.seg_s = i.ask_s.or(routing.ask[S]).unwrap_or(t.segs.seg_s);
        for x in [N, S, E, W] {
            n.side[x] = side_next(t.side[x], routing.rx[x], x, routing.any_route);
        }

        // Crossbar (7.2).
        let [north, south, east, west] = i.data;
        let source = [north, south, east, west, *t.mem_out(), ZERO_BLOCK];
        n.xout = t.xsel.map(|k| source[usize::from(k)]);
        if let Some((from, to)) = routing.connect {
            n.xsel = [NONE as u8; 5];
            n.xsel[to] = from as u8;
            n.xsel[MEM] = from as u8;
        }

        // Memory (7.3). Only as many bits of an address are used as the number of rows requires.
        let block = |a: u32| a as usize % self.sram.len();
        let (ra, wa) = (self.rd.block.access().map(block), self.wr.block.access().map(block));
        let hit = i.init.valid && (i.init.row, i.init.col) == (self.id.row(), self.id.col());
        let init_addr = hit.then_some(i.init.addr); // already truncated to the number of rows at the port
        let store = match init_addr {
            Some(addr) => Some((addr, i.init.data)),
            None => wa.map(|a| (a, t.xout[MEM])),
        };
        n.mem_q = match (ra, &store) {
            (Some(_), Some((_, wd))) => *wd,
            (Some(a), None) => self.sram[a],
            (None, _) => t.mem_q,
        };
        n.mem_rvalid = ra.is_some();

        let new = [t.agu_pick(0), t.agu_pick(1)];
        self.rd.next(&new[0].map(|(_, config)| config));
        self.wr.next(&new[1].map(|(_, config)| config));
        n.init = i.init;
        let active = t.side.map(|side| side.path.active);
        let phases = [self.rd.block.phase, self.wr.block.phase];
        let rows = [ra, wa, init_addr];
        let activity = TileActivity::new(i, routing, active, new, phases, rows);

        let changed = *n != t || store.is_some() || self.rd.changed() || self.wr.changed();
        (self.msg_v, self.msg_h) = (self.bus_out(|path| path.vsel), self.bus_out(|path| path.hsel));
        if let Some((a, data)) = store {
            Arc::make_mut(&mut self.sram)[a] = data;
        }
        let active = activity != TileActivity::default();
        self.signals = TileSignals { init_addr, store, activity, active };
        changed
    }
}
