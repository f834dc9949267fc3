// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cell and its signals, for observers.

use drra_fabric::{AguId, Lane, MessageKind, SignalId};
use drra_isa::CellId;

use super::{Cell, CellInputs, CellModules};
use crate::{
    block::Block,
    dpu::{Dpu, output::SaturatedLanes, show::DpuActivity},
    idle::LazyBlock,
    message,
    register_file::{PermWrite, RegisterFile, port::PortSignals},
    sequencer::{Sequencer, activity::SequencerActivity},
    signals::{CellSignalValues, SignalCollector},
    situation::situations,
};

situations! {
    /// A place in a cell where an instruction waits for a flag.
    Receiver {
        AguW0 "w0",
        AguW1 "w1",
        AguWb "wb",
        AguR0 "r0",
        AguR1 "r1",
        AguRb "rb",
        Dpu "DPU",
        Message "message",
        Perm "PERM",
        Raccu "RACCU",
        Loop "LOOP",
    }
}

/// A cell, for observers that inspect every cell in every cycle.
#[derive(Clone, Copy, Debug)]
pub struct CellView<'a>(pub(crate) &'a Cell);

impl<'a> CellView<'a> {
    /// Its position.
    pub fn id(self) -> CellId {
        self.0.id
    }

    /// Its sequencer.
    pub fn sequencer(self) -> &'a Sequencer {
        &self.0.modules.block.seq.block
    }

    /// Its register file.
    pub fn register_file(self) -> &'a RegisterFile {
        &self.0.modules.block.rf
    }

    /// The DPU of the cell.
    pub fn dpu(self) -> &'a Dpu {
        &self.0.modules.block.dpu.block
    }

    /// False only if the last step of the cell was the same as the one before it, but for counters that run freely.
    pub fn executed(self) -> bool {
        self.0.modules.executed()
    }

    /// True if the last step may have changed a connection in the switchbox of the cell.
    pub fn reconnected(self) -> bool {
        self.0.modules.block.swb.changed()
    }

    /// The activity of the cell's sequencer in the last step; `None` only if the cell repeated the previous step.
    pub fn activity(self) -> Option<SequencerActivity> {
        self.executed().then_some(self.0.modules.block.seq.block.signals.activity)
    }

    /// The AGUs of the cell in the last step, in the order of [`AguId::ALL`].
    pub fn agus(self) -> [&'a PortSignals; 6] {
        self.0.modules.block.rf.signals()
    }

    /// An AGU of the cell in the last step.
    #[inline]
    pub fn agu(self, agu: AguId) -> &'a PortSignals {
        self.0.modules.block.rf.signal(agu)
    }

    /// Address that an AGU emitted in the last step.
    #[inline]
    pub fn emitted(self, agu: AguId) -> Option<u8> {
        self.agu(agu).agu.emitted
    }

    /// Blocks that a PERM and the initialisation port wrote in the last step.
    #[inline]
    pub fn block_writes(self) -> [Option<u8>; 2] {
        let LazyBlock { block: CellModules { rf, .. }, inputs, .. } = &self.0.modules;
        let init = inputs.rf.init.map(|(block, _)| block);
        [rf.permuted.map(|permuted| permuted.number), init].map(|block| block.map(|b| b as u8))
    }

    /// The block that the cell passed to its column in the last step.
    pub fn block_read(self) -> Option<Block> {
        self.0.modules.block.outputs.blk
    }

    /// Words of the block at `wb` that were masked in the last step, as bits.
    pub fn masked(self) -> u16 {
        self.0.modules.inputs.rf.blk_wmask
    }

    /// The work of the cell's DPU in the last step; `None` if the DPU was inactive.
    pub fn work(self) -> Option<DpuActivity> {
        self.0.modules.block.dpu.block.signals.work
    }

    /// Lanes of the DPU's outputs that were saturated in the last step, before any absolute value is taken (chapter 4,
    /// 5.4); none in a mode that does not saturate.
    pub fn clamped(self) -> SaturatedLanes {
        self.0.modules.block.outputs.dpu.clamped
    }

    /// The message that the cell passes to its column in the current cycle: the kind, and true for a write.
    pub fn message(self) -> Option<(MessageKind, bool)> {
        let CellModules { seq, noc, .. } = &self.0.modules.block;
        message::kind(&noc.block.leaving(seq.block.immediate())?)
    }

    /// The payload of that message, 64 bits.
    pub fn payload(self) -> Option<u64> {
        let CellModules { seq, noc, .. } = &self.0.modules.block;
        Some(noc.block.leaving(seq.block.immediate())?.payload)
    }

    /// Bit k: an instruction waits for a flag in the k-th of [`Receiver::ALL`].
    pub fn waiting(self) -> u16 {
        let CellModules { seq, noc, perm, rf, dpu, .. } = &self.0.modules.block;
        let [raccu, lp] = seq.block.pending();
        [
            dpu.block.shadow().is_some(),
            noc.block.shadow.is_some(),
            perm.block.shadow.is_some(),
            raccu,
            lp,
        ]
        .into_iter()
        .enumerate()
        .fold(rf.waiting(), |set, (k, waits)| set | u16::from(waits) << (6 + k))
    }

    /// The values on the six inputs of the cell in the last step.
    pub fn inputs(self) -> [u16; 6] {
        self.0.modules.inputs.vin()
    }

    /// The lane that each input was connected to in the last step, if any.
    pub fn sources(self) -> [Option<(CellId, Lane)>; 6] {
        self.0.modules.block.outputs.sources.lanes
    }
}

impl CellInputs {
    fn vin(&self) -> [u16; 6] {
        let ([w0, w1], [in0, in1, in2, in3]) = (self.rf.wdata, self.dpu);
        [w0, w1, in0, in1, in2, in3]
    }
}

impl Cell {
    /// Number of configurations launched into a busy AGU in the last cycle; their patterns do not start (chapter 3,
    /// 6.5).
    pub(crate) fn lost(&self) -> u64 {
        self.modules.block.rf.signals().iter().map(|port| u64::from(port.is_lost())).sum()
    }

    /// The signals of the last cycle.
    pub(crate) fn shown(&self) -> CellSignalValues {
        let LazyBlock { block: CellModules { outputs: a, rf, .. }, inputs: i, .. } = &self.modules;
        CellSignalValues {
            lanes: a.lanes,
            sources: a.sources.lanes,
            vin: i.vin(),
            emitted: self.modules.block.rf.signals().map(|port| port.agu.emitted),
            blk_rdata: a.blk,
            blk_wdata: i.rf.blk_wdata,
            blk_wmask: i.rf.blk_wmask,
            cell_noc: a.cell_noc.pack(),
            perm_block: rf.permuted.map(|permuted| permuted.number as u8),
        }
    }

    /// Adds the signals between the modules for the last cycle; `before` has the registers of that cycle.
    pub(crate) fn show(&self, before: &Self, out: &mut SignalCollector<'_>) {
        let (LazyBlock { block, inputs: i, .. }, before) = (&self.modules, &before.modules.block);
        let CellModules { outputs: a, rf, .. } = block;
        self.load_port().show(out);
        block.seq.block.signals.show(&before.seq.block, out);
        out.put(SignalId::SwbSel, before.swb.block.cfg_word());
        out.put(SignalId::PermGo, a.perm_go.pack());
        out.put(SignalId::IoCell, before.io_cell);
        block.rf.show(&before.rf, out);
        out.put(SignalId::PermWe, rf.permuted.is_some());
        if let Some(PermWrite { old, new, .. }) = &rf.permuted {
            out.put_words(SignalId::PermOld, 0, old);
            out.put_words(SignalId::PermNew, 0, new);
        }
        out.put(SignalId::RfInitWe, i.rf.init.is_some());
        if let Some((block, data)) = &i.rf.init {
            out.put(SignalId::RfInitBlock, *block as u64);
            out.put_words(SignalId::RfInitData, 0, data);
        }
        for (port, value) in i.rf.wdata.iter().enumerate() {
            out.put_at(SignalId::RfWdata, port, *value);
        }
        block.dpu.block.signals.show(&i.dpu, &before.dpu.block, out);
    }
}
