// SPDX-License-Identifier: MIT OR Apache-2.0
//! Column: what two cells, their home tile and the I/O unit share (chapter 5, 4.1, and chapter 7,
//! A4).

mod wires;

use drra_isa::fabric::{
    MessageKind, Side,
    fields::io,
    images::{ColumnIoFlow, IoMsg},
};

use crate::{
    block::{Block, ZERO_BLOCK, merge},
    message::{CellMessage, NocMessage, io_config},
    observe::{ColumnActivity, Offer},
    rest,
    sram_agu::{PatternAgu, PatternConfig},
};

/// A block on its way to the cells, with its write mask.
pub(crate) type Masked = (Block, u16);

/// What the column hands out in one cycle.
pub(crate) struct Shared<'a> {
    /// Block to side S of the home tile.
    pub(crate) up: &'a Block,
    /// Block to row 0, with its write mask.
    pub(crate) down: (&'a Block, u16),
    /// Message to the home tile.
    pub(crate) noc: NocMessage,
}

/// Registers of a column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Payload of the IO message taken in the previous cycle.
    io_msg: Option<u64>,
    pub(crate) io_rd: PatternAgu,
    pub(crate) io_wr: PatternAgu,
    /// A request is on its way to the input buffer, with the mask of its answer.
    pend: Option<u16>,
    /// A block from the input buffer is here, with its mask.
    rvalid: Option<u16>,
    rdata: Block,
    wdata: Block,
    row1: Masked,
    settled: bool,
    /// Not registers: what happened in the last cycle.
    pub(crate) activity: ColumnActivity,
    pub(crate) active: bool,
}

/// The block with masked words 0.
fn drop_masked(block: &Block, mask: u16) -> Block {
    merge(&ZERO_BLOCK, block, mask)
}

impl Column {
    pub(crate) fn new() -> Self {
        Self {
            io_msg: None,
            io_rd: PatternAgu::new(1 << io::INIT_ADDR.width()),
            io_wr: PatternAgu::new(1 << io::INIT_ADDR.width()),
            pend: None,
            rvalid: None,
            rdata: ZERO_BLOCK,
            wdata: ZERO_BLOCK,
            row1: (ZERO_BLOCK, 0),
            settled: true,
            activity: ColumnActivity::default(),
            active: false,
        }
    }

    /// Block and mask that row 1 gets in this cycle.
    pub(crate) fn row1(&self) -> &Masked {
        &self.row1
    }

    /// Request to the input buffer in this cycle.
    pub(crate) fn buffer_read(&self) -> Option<u32> {
        self.io_rd.access()
    }

    /// Write to the output buffer in this cycle: address, data with masked words 0, mask.
    pub(crate) fn buffer_write(&self) -> Option<(u32, Block, u16)> {
        let mask = self.io_wr.mask();
        self.io_wr.access().map(|addr| (addr, drop_masked(&self.wdata, mask), mask))
    }

    /// True if some I/O generator is not in IDLE.
    pub(crate) fn busy(&self) -> bool {
        self.io_rd.busy() || self.io_wr.busy()
    }

    /// Combinational outputs: `rf_up` is the block of the register files, `tile_down` the output
    /// register S of the home tile.
    #[inline]
    pub(crate) fn shared<'a>(
        &'a self,
        messages: [CellMessage; 2],
        rf_up: Option<&'a Block>,
        tile_down: &'a Block,
    ) -> Shared<'a> {
        let noc = messages[0].to_noc();
        Shared {
            up: rf_up.unwrap_or(&self.rdata), // 0 without a block
            down: self.down(tile_down),
            noc: if noc == NocMessage::NONE { messages[1].to_noc() } else { noc },
        }
    }

    /// Block and mask to row 0.
    #[inline]
    fn down<'a>(&'a self, tile_down: &'a Block) -> (&'a Block, u16) {
        match self.rvalid {
            Some(mask) => (&self.rdata, mask),
            None => (tile_down, 0),
        }
    }

    /// True if the edge changes nothing: both generators are in IDLE, no message and no block from the input
    /// buffer is on its way, and the registers for row 1 and the output buffer get what they hold (chapter 5,
    /// 4.1, and chapter 7, A4).
    #[inline]
    fn rests(&self, io: Option<u64>, wdata: &Block, down: (&Block, u16)) -> bool {
        rest::allowed()
            && self.settled
            && io.is_none()
            && self.wdata == *wdata
            && self.row1.1 == down.1
            && self.row1.0 == *down.0
    }

    /// Executes the edge. Returns whether anything may have changed.
    #[inline]
    pub(crate) fn step(
        &mut self,
        messages: [CellMessage; 2],
        rf_up: Option<&Block>,
        tile_down: &Block,
        io_in_data: &Block,
    ) -> bool {
        let io = messages.iter().find(|m| m.kind == MessageKind::Io).map(|m| m.payload);
        let wdata = rf_up.unwrap_or(tile_down);
        let (block, mask) = self.down(tile_down);
        if self.rests(io, wdata, (block, mask)) {
            self.active = false;
            return false;
        }
        self.row1 = (*block, mask);
        let mask = self.io_rd.mask();
        let requested = self.io_rd.access().is_some();
        let take = |rw: u64| self.io_msg.filter(|m| io::RW.get(*m) == rw).map(io_config);
        let (read, write) = (take(0), take(1));
        self.observe([read, write]);
        self.io_rd.step(read);
        self.io_wr.step(write);
        self.io_msg = io;
        self.rdata = self.pend.map_or(ZERO_BLOCK, |mask| drop_masked(io_in_data, mask));
        self.rvalid = self.pend;
        self.pend = requested.then_some(mask);
        self.wdata = *wdata;
        self.settled = self.io_msg.is_none()
            && self.pend.is_none()
            && self.rvalid.is_none()
            && self.io_rd.settled()
            && self.io_wr.settled();
        true
    }

    /// Notes what happens in this cycle.
    fn observe(&mut self, configs: [Option<PatternConfig>; 2]) {
        let phases = [self.io_rd.phase(), self.io_wr.phase()];
        let offer =
            |k: usize| configs[k].map(|config| Offer { side: Side::S, phase: phases[k], config });
        self.activity = ColumnActivity { offers: [offer(0), offer(1)], phases };
        self.active = self.activity != ColumnActivity::default();
    }

    /// `{valid, payload}` of `io_msg` as two words, low word first.
    pub(crate) fn io_msg_words(&self) -> [u64; 2] {
        IoMsg { valid: self.io_msg.is_some(), payload: self.io_msg.unwrap_or(0) }.pack()
    }

    /// `io_pend, io_pmask, io_rvalid, io_rmask`.
    pub(crate) fn flow_word(&self) -> u64 {
        let image = ColumnIoFlow {
            io_pend: self.pend.is_some(),
            io_pmask: self.pend.unwrap_or(0),
            io_rvalid: self.rvalid.is_some(),
            io_rmask: self.rvalid.unwrap_or(0),
        };
        image.pack()
    }

    /// `io_rvalid`.
    pub(crate) fn has_buffer_block(&self) -> bool {
        self.rvalid.is_some()
    }

    /// Block that came from the input buffer (`io_rdata`).
    pub(crate) fn rdata(&self) -> &Block {
        &self.rdata
    }

    /// Block on its way to the output buffer (`io_wdata`).
    pub(crate) fn wdata(&self) -> &Block {
        &self.wdata
    }
}
