// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cell and its signals, for observers.

use drra_fabric::{AguId, Lane, MessageKind, SignalId};
use drra_isa::{CellId, Geometry, instructions::PermMode};

use super::Cell;
use crate::{
    block::Block,
    dpu::{Dpu, show::DpuWork},
    idle::Executed,
    message,
    register_file::RegisterFile,
    sequencer::{LoadPort, Sequencer, activity::SequencerActivity},
    signals::{CellSignals, Shown},
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
        let (row, col) = self.0.place();
        CellId::new(row, col).expect("the position of a cell is in the fabric")
    }

    /// Its sequencer.
    #[inline]
    pub fn sequencer(self) -> &'a Sequencer {
        &self.0.seq
    }

    /// Its register file.
    #[inline]
    pub fn register_file(self) -> &'a RegisterFile {
        &self.0.rf
    }

    /// The DPU of the cell.
    #[inline]
    pub fn dpu(self) -> &'a Dpu {
        &self.0.dpu.block
    }

    /// The activity of the cell's sequencer in the last step; `None` if the sequencer was in IDLE and only repeated the
    /// previous step.
    #[inline]
    pub fn activity(self) -> Option<SequencerActivity> {
        let Cell { seq, seq_signals, load, skip, .. } = self.0;
        (skip.executes() || !seq.idle()).then(|| seq_signals.activity(load))
    }

    /// The work of the cell's DPU in the last step; `None` if the DPU was inactive.
    #[inline]
    pub fn work(self) -> Option<DpuWork> {
        let Executed { signals, skip, .. } = &self.0.dpu;
        signals.work(skip.seen(), skip.changed())
    }

    /// The message that the cell passes to its column in the current cycle: the kind, and true for a write.
    #[inline]
    pub fn message(self) -> Option<(MessageKind, bool)> {
        message::kind(&self.0.noc.leaving(self.0.seq.immediate())?)
    }

    /// Bit k: an instruction waits for a flag in the k-th of [`Receiver::ALL`].
    #[inline]
    pub fn waiting(self) -> u16 {
        let Cell { seq, noc, perm, rf, dpu, .. } = self.0;
        let [raccu, lp] = seq.pending();
        [dpu.block.shadow().is_some(), noc.shadow.is_some(), perm.shadow.is_some(), raccu, lp]
            .into_iter()
            .enumerate()
            .fold(rf.waiting().into(), |set, (k, waits)| set | u16::from(waits) << (6 + k))
    }

    /// The values on the six inputs of the cell in the last step.
    #[inline]
    pub fn inputs(self) -> [u16; 6] {
        self.0.vin
    }

    /// The lane that each input is connected to in the current cycle: 4 times the index of the driving cell plus the
    /// index of the lane in that cell. For an unconnected input, the number is beyond all lanes.
    #[inline]
    pub fn sources(self) -> [u16; 6] {
        match self.0.swb.skip.changed() {
            true => self.0.swb.block.sources(),
            false => self.0.swb.signals.sources,
        }
    }

    /// The lanes that the cell drives in the current cycle, in the order of [`Lane::ALL`].
    pub fn lanes(self) -> [u16; 4] {
        self.0.clone().outputs(LoadPort::default()).lanes // no lane depends on the load port
    }
}

/// The lane that a number in [`CellView::sources`] stands for.
#[inline]
pub(crate) fn source(number: u16, geometry: &Geometry) -> Option<(CellId, Lane)> {
    let (cell, lane) = (usize::from(number) / 4, usize::from(number) % 4);
    if cell >= geometry.cells() {
        return None;
    }
    Some((CellId::from_index(cell, geometry)?, Lane::from_index(lane)?))
}

impl Cell {
    /// The signals of the last cycle; `before` has the registers of that cycle, and `down` came from the column.
    pub(crate) fn signals(
        &self,
        before: &Self,
        down: (&Block, u16),
        geometry: &Geometry,
    ) -> CellSignals {
        let out = &self.outputs;
        let perm = Some(out.perm_go).filter(|perm| perm.valid);
        CellSignals {
            lanes: out.lanes,
            sources: self.sources().map(|number| source(number, geometry)),
            vin: self.vin,
            emitted: std::array::from_fn(|k| self.rf.emitted(AguId::ALL[k])),
            blk_rdata: out.blk_read.map(|b| *before.rf.block(b)),
            blk_wdata: *down.0,
            blk_wmask: down.1,
            cell_noc: out.cell_noc.pack(),
            perm_block: perm
                .and_then(|perm| PermMode::from_code(perm.mode.into()).map(|_| perm.block))
                // A smaller register file uses only the lower bits of the number (chapter 7, B3).
                .map(|block| block % geometry.rf_blocks() as u8),
        }
    }

    /// Adds the signals between the modules for the last cycle; `before` has the registers of that cycle, and `init`
    /// was on the initialisation port.
    pub(crate) fn show(&self, before: &Self, init: Option<(usize, &Block)>, out: &mut Shown<'_>) {
        self.load.show(out);
        self.seq_signals.show(&before.seq, out);
        out.put(SignalId::SwbSel, before.swb.block.cfg_word());
        out.put(SignalId::PermGo, self.outputs.perm_go.pack());
        out.put(SignalId::IoCell, self.io_cell);
        let [w0, w1, ..] = self.vin;
        self.rf.show([w0, w1], init, &before.rf, out);
        self.dpu.signals.show(self.dpu.skip.seen(), &before.dpu.block, out);
    }
}
