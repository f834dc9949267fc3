// SPDX-License-Identifier: MIT OR Apache-2.0
//! Column: the port to the home tile and the I/O unit, which two cells share (chapter 5, 4.1, and chapter 7, A4).

use drra_fabric::{
    GroupId, MessageKind, Side, SignalId, Slots,
    fields::io,
    images::{ColumnIoFlow, IoMsg, NocIssue},
};

use crate::{
    block::{Block, ZERO_BLOCK, merge},
    idle::Clocked,
    message::{NocMessage, io_config, to_noc},
    signals::Shown,
    sram_agu::{Offer, PatternAgu, PatternConfig, PatternPhase, refused},
};

/// Registers of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    io_msg: IoMsg,
    io_rd: PatternAgu,
    io_wr: PatternAgu,
    /// `io_pend, io_pmask, io_rvalid, io_rmask`.
    flow: ColumnIoFlow,
    io_rdata: Block,
    io_wdata: Block,
    blk_in_row1: Block,
    blk_in_mask_row1: u16,
}

/// The inputs of a column in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ColumnInputs<'a> {
    /// `cell_noc` of both cells.
    pub(crate) cell_noc: [NocIssue; 2],
    /// Block read from a register file.
    pub(crate) rf_up: Option<&'a Block>,
    /// `xout[S]` of the home tile.
    pub(crate) tile_down: &'a Block,
    /// Answer of the input buffer.
    pub(crate) io_in_data: &'a Block,
}

/// The inputs of a column, stored until the next cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptByColumn {
    cell_noc: [NocIssue; 2],
    rf_up: Option<Block>,
    tile_down: Block,
    io_in_data: Block,
}

impl PartialEq<KeptByColumn> for ColumnInputs<'_> {
    fn eq(&self, seen: &KeptByColumn) -> bool {
        let KeptByColumn { cell_noc, rf_up, tile_down, io_in_data } = seen;
        let kept =
            ColumnInputs { cell_noc: *cell_noc, rf_up: rf_up.as_ref(), tile_down, io_in_data };
        *self == kept
    }
}

/// Signals of a column in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ColumnSignals {
    /// Block to side S of the home tile.
    pub(crate) up: Block,
    /// Block to row 0, with its write mask.
    pub(crate) down: Block,
    pub(crate) down_mask: u16,
    /// Message to the home tile.
    pub(crate) col_noc: NocMessage,
    /// True if a message of row 1 loses to the message of row 0.
    outdone: bool,
    /// Configurations for the read and the write generator.
    new: [Option<PatternConfig>; 2],
    /// Positions of the generators in their patterns.
    phases: [PatternPhase; 2],
    next: Column,
}

/// The activity of a column's I/O unit in its last cycle; the read generator comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnActivity {
    /// Configurations offered to the generators.
    pub offers: [Option<Offer>; 2],
    /// Positions of the generators in their patterns, before the edge.
    pub phases: [PatternPhase; 2],
}

/// `drop`: the block with masked words set to 0.
fn drop_masked(block: &Block, mask: u16) -> Block {
    merge(&ZERO_BLOCK, block, mask)
}

impl Column {
    pub(crate) fn new() -> Self {
        let generator = PatternAgu::new(1 << io::INIT_ADDR.width());
        Self { io_rd: generator, io_wr: generator, ..Self::default() }
    }

    /// Block and mask that the cell in a row receives in the cycle with these signals.
    #[inline]
    pub(crate) fn blk_in<'a>(&'a self, row: usize, signals: &'a ColumnSignals) -> (&'a Block, u16) {
        match row {
            0 => (&signals.down, signals.down_mask),
            _ => (&self.blk_in_row1, self.blk_in_mask_row1),
        }
    }

    /// `io_in_en`, `io_in_addr`: request to the input buffer in this cycle.
    pub(crate) fn buffer_read(&self) -> Option<u32> {
        self.io_rd.access()
    }

    /// `io_out_*`: write to the output buffer in this cycle, as the address, the data with masked words set to 0, and
    /// the mask.
    pub(crate) fn buffer_write(&self) -> Option<(u32, Block, u16)> {
        let mask = self.io_wr.mask();
        self.io_wr.access().map(|addr| (addr, drop_masked(&self.io_wdata, mask), mask))
    }

    /// True if some I/O generator is not in IDLE.
    pub(crate) fn busy(&self) -> bool {
        self.io_rd.busy() || self.io_wr.busy()
    }

    /// True if the block passed down to the cells is that of the I/O unit instead of that of the home tile.
    pub(crate) fn has_buffer_block(&self) -> bool {
        self.flow.io_rvalid
    }

    /// Configuration for the read (`rw` 0) or write (1) generator.
    fn taken(&self, rw: u64) -> Option<PatternConfig> {
        let IoMsg { valid, payload } = self.io_msg;
        (valid && io::RW.get(payload) == rw).then(|| io_config(payload))
    }

    /// Writes the registers into the image of a column.
    pub(crate) fn pack(&self, slots: &Slots, image: &mut [u64]) {
        let slot = |group| slots.of(group);
        image[slot(GroupId::ColumnIoMsg)..][..2].copy_from_slice(&self.io_msg.pack());
        image[slot(GroupId::ColumnIoFlow)] = self.flow.pack();
        image[slot(GroupId::ColumnIoRdata)..][..4].copy_from_slice(&self.io_rdata);
        image[slot(GroupId::ColumnIoWdata)..][..4].copy_from_slice(&self.io_wdata);
        for (k, agu) in [&self.io_rd, &self.io_wr].into_iter().enumerate() {
            image[slot(GroupId::ColumnIoGeneratorSt) + k] = agu.io_state_word();
            image[slot(GroupId::ColumnIoGeneratorCfg) + k] = agu.io_cfg_word();
        }
        image[slot(GroupId::ColumnBlkInRow1)..][..4].copy_from_slice(&self.blk_in_row1);
        image[slot(GroupId::ColumnBlkInMaskRow1)] = self.blk_in_mask_row1.into();
    }
}

impl Clocked for Column {
    type Inputs<'a> = ColumnInputs<'a>;
    type Kept = KeptByColumn;
    type Signals = ColumnSignals;

    fn keep(i: &ColumnInputs<'_>) -> KeptByColumn {
        KeptByColumn {
            cell_noc: i.cell_noc,
            rf_up: i.rf_up.copied(),
            tile_down: *i.tile_down,
            io_in_data: *i.io_in_data,
        }
    }

    /// `io_unit` of chapter 7, A4, with the messages of chapter 5, 4.1.
    fn eval(&self, i: &ColumnInputs<'_>, out: &mut ColumnSignals) {
        // Row 0 wins in all selections.
        let [first, second] = [to_noc(&i.cell_noc[0]), to_noc(&i.cell_noc[1])];
        let col_noc = if first == NocMessage::NONE { second } else { first };
        let col_io = i.cell_noc.iter().find(|m| m.kind == MessageKind::Io);
        let is_io = i.cell_noc.map(|m| m.kind == MessageKind::Io);
        let both = i.cell_noc.iter().all(|m| m.kind != MessageKind::None);
        let outdone = both && is_io[0] == is_io[1];

        let ColumnIoFlow { io_pend, io_pmask, io_rvalid, io_rmask } = self.flow;
        let up = *i.rf_up.unwrap_or(&self.io_rdata); // `io_rdata` is 0 unless `io_rvalid`
        let down = if io_rvalid { self.io_rdata } else { *i.tile_down };
        let down_mask = if io_rvalid { io_rmask } else { 0 };

        let new = [self.taken(0), self.taken(1)];
        let phases = [self.io_rd.phase(), self.io_wr.phase()];
        let requested = self.io_rd.access().is_some();
        let next = Self {
            io_msg: col_io.map_or(IoMsg::default(), |m| IoMsg { valid: true, payload: m.payload }),
            io_rd: self.io_rd.next(new[0]),
            io_wr: self.io_wr.next(new[1]),
            flow: ColumnIoFlow {
                io_pend: requested,
                io_pmask: if requested { self.io_rd.mask() } else { 0 },
                io_rvalid: io_pend,
                io_rmask: io_pmask,
            },
            io_rdata: if io_pend { drop_masked(i.io_in_data, io_pmask) } else { ZERO_BLOCK },
            io_wdata: *i.rf_up.unwrap_or(i.tile_down),
            blk_in_row1: down,
            blk_in_mask_row1: down_mask,
        };
        *out = ColumnSignals { up, down, down_mask, col_noc, outdone, new, phases, next };
    }

    /// The edge. Returns whether anything has changed.
    fn commit(&mut self, s: &ColumnSignals) -> bool {
        let changed = *self != s.next;
        *self = s.next;
        changed
    }
}

impl ColumnSignals {
    /// Number of messages of row 1 that lose to row 0, plus the number of configurations for a busy generator.
    pub(crate) fn lost(&self) -> u64 {
        u64::from(self.outdone) + refused(&self.activity().offers)
    }

    /// The activity of the I/O unit.
    pub(crate) fn activity(&self) -> ColumnActivity {
        let phases = self.phases;
        let offer =
            |k: usize| self.new[k].map(|config| Offer { side: Side::S, phase: phases[k], config });
        ColumnActivity { offers: [offer(0), offer(1)], phases }
    }

    /// Adds the signals of the cycle with these inputs; `before` has the registers of that cycle.
    pub(crate) fn show(&self, i: &KeptByColumn, before: &Column, out: &mut Shown<'_>) {
        out.put_words(SignalId::TileDown, 0, &i.tile_down);
        out.put_words(SignalId::IoAnswer, 0, &i.io_in_data);
        for (k, agu) in [&before.io_rd, &before.io_wr].into_iter().enumerate() {
            out.put_at(SignalId::IoNew, k, self.new[k].is_some());
            let cfg = self.new[k].map(|_| io::CFG.get(before.io_msg.payload));
            out.put_some(SignalId::IoNewCfg, k, cfg);
            out.put_at(SignalId::IoEn, k, agu.access().is_some());
            out.put_some(SignalId::IoAddr, k, agu.access());
            out.put_at(SignalId::IoMask, k, agu.mask());
            out.put_at(SignalId::IoActive, k, agu.busy());
        }
        out.put(SignalId::ColumnBusy, before.busy());
    }
}
