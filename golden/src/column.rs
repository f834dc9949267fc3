// SPDX-License-Identifier: MIT OR Apache-2.0
//! Column: the port to the home tile and the I/O unit, which two cells share (chapter 5, 4.1, and chapter 7, A4).

use drra_fabric::{
    GroupId, GroupOffsets, MessageKind, Side, SignalId,
    fields::io,
    images::{ColumnIoFlow, IoMsg, NocIssue},
};

use crate::{
    block::{Block, ZERO_BLOCK, drop_masked},
    idle::{Clocked, LazyBlock},
    message::{NocMessage, io_config, to_noc},
    signals::SignalCollector,
    sram_agu::{ConfigOffer, PatternAgu, PatternConfig, PatternPhase, refused},
};

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    registers: Registers,
    io_rd: LazyBlock<PatternAgu>,
    io_wr: LazyBlock<PatternAgu>,
    pub(crate) signals: ColumnSignals,
}

/// Registers of a column, except those of the I/O generators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Registers {
    io_msg: IoMsg,
    /// `io_pend, io_pmask, io_rvalid, io_rmask`.
    flow: ColumnIoFlow,
    io_rdata: Block,
    io_wdata: Block,
    blk_in_row1: Block,
    blk_in_mask_row1: u16,
}

/// The inputs of a column in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ColumnInputs {
    /// `cell_noc` of both cells.
    pub(crate) cell_noc: [NocIssue; 2],
    /// `rf_up` of 4.1: block of the register files.
    pub(crate) rf_up: Option<Block>,
    /// Answer of the input buffer.
    pub(crate) io_in_data: Block,
    /// `xout[S]` of the home tile.
    pub(crate) tile_down: Block,
}

/// Signals of a column in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ColumnSignals {
    /// Block to side S of the home tile.
    pub(crate) up: Block,
    /// Message to the home tile.
    pub(crate) col_noc: NocMessage,
    /// Block and mask for the cells of row 0 and row 1.
    pub(crate) blk_in: [(Block, u16); 2],
    /// The I/O unit as observers see it.
    pub(crate) activity: ColumnActivity,
    /// Number of messages of row 1 that lose to row 0, plus the number of configurations for a busy generator.
    pub(crate) lost: u64,
}

/// The activity of a column's I/O unit in its last cycle; the read generator comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnActivity {
    /// Configurations offered to the generators.
    pub offers: [Option<ConfigOffer>; 2],
    /// Positions of the generators in their patterns, before the edge.
    pub phases: [PatternPhase; 2],
}

impl ColumnActivity {
    /// The activity; `new` contains the configurations for the generators.
    fn new(new: [Option<PatternConfig>; 2], phases: [PatternPhase; 2]) -> Self {
        let offer =
            |k: usize| new[k].map(|config| ConfigOffer { side: Side::S, phase: phases[k], config });
        Self { offers: [offer(0), offer(1)], phases }
    }
}

/// `first` of chapter 5, 5.7: the message of one of these kinds; row 0 wins.
fn first<'a>(messages: &'a [NocIssue], kinds: &[MessageKind]) -> Option<&'a NocIssue> {
    messages.iter().find(|m| m.valid && kinds.contains(&m.kind))
}

impl Column {
    pub(crate) fn new() -> Self {
        let generator = || LazyBlock::new(PatternAgu::new(1 << io::INIT_ADDR.width()));
        Self {
            registers: Registers::default(),
            io_rd: generator(),
            io_wr: generator(),
            signals: ColumnSignals::default(),
        }
    }

    /// `io_in_en`, `io_in_addr`: request to the input buffer in this cycle.
    pub(crate) fn buffer_read(&self) -> Option<u32> {
        self.io_rd.block.access()
    }

    /// `io_out_*`: write to the output buffer in this cycle, as the address, the data with masked words set to 0, and
    /// the mask.
    pub(crate) fn buffer_write(&self) -> Option<(u32, Block, u16)> {
        let (agu, data) = (&self.io_wr.block, &self.registers.io_wdata);
        agu.access().map(|addr| (addr, drop_masked(data, agu.mask()), agu.mask()))
    }

    /// True if some I/O generator is not in IDLE.
    pub(crate) fn busy(&self) -> bool {
        self.io_rd.block.busy() || self.io_wr.block.busy()
    }

    /// True if the block passed down to the cells is that of the I/O unit instead of that of the home tile.
    pub(crate) fn has_buffer_block(&self) -> bool {
        self.registers.flow.io_rvalid
    }

    /// Writes the registers into the image of a column.
    pub(crate) fn pack(&self, slots: &GroupOffsets, image: &mut [u64]) {
        let slot = |group| slots.of(group);
        image[slot(GroupId::ColumnIoMsg)..][..2].copy_from_slice(&self.registers.io_msg.pack());
        image[slot(GroupId::ColumnIoFlow)] = self.registers.flow.pack();
        image[slot(GroupId::ColumnIoRdata)..][..4].copy_from_slice(&self.registers.io_rdata);
        image[slot(GroupId::ColumnIoWdata)..][..4].copy_from_slice(&self.registers.io_wdata);
        for (k, agu) in [&self.io_rd.block, &self.io_wr.block].into_iter().enumerate() {
            image[slot(GroupId::ColumnIoGeneratorSt) + k] = agu.io_state_word();
            image[slot(GroupId::ColumnIoGeneratorCfg) + k] = agu.io_cfg_word();
        }
        image[slot(GroupId::ColumnBlkInRow1)..][..4].copy_from_slice(&self.registers.blk_in_row1);
        image[slot(GroupId::ColumnBlkInMaskRow1)] = self.registers.blk_in_mask_row1.into();
    }
}

impl Registers {
    /// Configuration for the read (`rw` 0) or write (1) generator.
    fn taken(&self, rw: u64) -> Option<PatternConfig> {
        let IoMsg { valid, payload } = self.io_msg;
        (valid && io::RW.get(payload) == rw).then(|| io_config(payload))
    }
}

impl Clocked for Column {
    type Inputs = ColumnInputs;

    /// `column` of chapter 5, 5.7, with `io_unit` of chapter 7, A4.
    fn next(&mut self, i: &ColumnInputs) -> bool {
        let s = &self.registers;
        let noc = first(&i.cell_noc, &[MessageKind::Route, MessageKind::Sram]);
        let col_io = first(&i.cell_noc, &[MessageKind::Io]);

        let ColumnIoFlow { io_pend, io_pmask, io_rvalid, io_rmask } = s.flow;
        let down = if io_rvalid { s.io_rdata } else { i.tile_down };
        let new = [s.taken(0), s.taken(1)];
        let requested = self.io_rd.block.access().is_some();
        let requested_mask = if requested { self.io_rd.block.mask() } else { 0 };
        self.io_rd.next(&new[0]);
        self.io_wr.next(&new[1]);
        let next = Registers {
            io_msg: col_io.map_or(IoMsg::default(), |m| IoMsg { valid: true, payload: m.payload }),
            flow: ColumnIoFlow {
                io_pend: requested,
                io_pmask: requested_mask,
                io_rvalid: io_pend,
                io_rmask: io_pmask,
            },
            io_rdata: if io_pend { drop_masked(&i.io_in_data, io_pmask) } else { ZERO_BLOCK },
            io_wdata: i.rf_up.unwrap_or(i.tile_down),
            blk_in_row1: down,
            blk_in_mask_row1: io_rmask,
        };

        let activity = ColumnActivity::new(new, [self.io_rd.block.phase, self.io_wr.block.phase]);
        let delivered = usize::from(noc.is_some()) + usize::from(col_io.is_some());
        let sent = i.cell_noc.iter().filter(|m| m.valid).count();
        self.signals = ColumnSignals {
            up: i.rf_up.unwrap_or(s.io_rdata),
            col_noc: noc.map_or(NocMessage::NONE, to_noc),
            blk_in: [(down, io_rmask), (s.blk_in_row1, s.blk_in_mask_row1)],
            activity,
            lost: (sent - delivered) as u64 + refused(&activity.offers),
        };
        let changed = *s != next || self.io_rd.changed() || self.io_wr.changed();
        self.registers = next;
        changed
    }
}

impl ColumnSignals {
    /// Adds the signals of the cycle with these inputs; `before` has the registers of that cycle.
    pub(crate) fn show(&self, i: &ColumnInputs, before: &Column, out: &mut SignalCollector<'_>) {
        out.put_words(SignalId::TileDown, 0, &i.tile_down);
        out.put_words(SignalId::IoAnswer, 0, &i.io_in_data);
        for (k, agu) in [&before.io_rd.block, &before.io_wr.block].into_iter().enumerate() {
            out.put_at(SignalId::IoNew, k, self.activity.offers[k].is_some());
            let cfg = self.activity.offers[k].map(|_| io::CFG.get(before.registers.io_msg.payload));
            out.put_some(SignalId::IoNewCfg, k, cfg);
            out.put_at(SignalId::IoEn, k, agu.access().is_some());
            out.put_some(SignalId::IoAddr, k, agu.access());
            out.put_at(SignalId::IoMask, k, agu.mask());
            out.put_at(SignalId::IoActive, k, agu.busy());
        }
        out.put(SignalId::ColumnBusy, before.busy());
    }
}
