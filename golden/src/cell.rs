// SPDX-License-Identifier: MIT OR Apache-2.0
//! One DRRA cell (chapter 5, section 4).

pub(crate) mod view;

use drra_fabric::{
    GroupId, Slots,
    images::{NocIssue, PermOp},
};
use drra_isa::Geometry;

use crate::{
    block::Block,
    dpu::{Dpu, DpuInputs},
    idle::{Executed, IdleSkip},
    issue::Issue,
    permute,
    register_file::{RegisterFile, RfInputs, RfOutputs},
    sequencer::{LoadPort, Sequencer, SequencerInputs, SequencerSignals},
    switchbox::{Switchbox, SwitchboxInputs, WindowPosition},
};

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) seq: Sequencer,
    swb: Executed<Switchbox>,
    noc: Issue<NocIssue>,
    perm: Issue<PermOp>,
    pub(crate) rf: RegisterFile,
    /// Skipped while idle, except for `acc_cnt`, which counts in every cycle (`count`).
    pub(crate) dpu: Executed<Dpu>,
    io_cell: bool,
    /// Instructions decoded since reset; not a register.
    pub(crate) instructions: u64,
    /// For everything except the DPU and the words of the register file.
    skip: IdleSkip<SequencerInputs>,
    /// For the issue registers, whose edge is executed together with the rest of the cell.
    issued: IdleSkip<()>,
    /// For the words of the register file, whose writes are always executed.
    words: IdleSkip<()>,
    /// Signals of the last cycle.
    load: LoadPort,
    seq_signals: SequencerSignals,
    outputs: CellOutputs,
    vin: [u16; 6],
}

/// The outputs of a cell in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellOutputs {
    /// Read ports 0 and 1 of the register file, outputs 0 and 1 of the DPU.
    pub(crate) lanes: [u16; 4],
    pub(crate) cell_noc: NocIssue,
    perm_go: PermOp,
    /// Number of the block sent to the column; `None` unless `blk_rd_en` is 1.
    blk_read: Option<usize>,
}

impl Cell {
    pub(crate) fn new(geometry: &Geometry, io_cell: bool, place: WindowPosition) -> Self {
        Self {
            seq: Sequencer::default(),
            swb: Executed::new(Switchbox::new(place)),
            noc: Issue::default(),
            perm: Issue::default(),
            rf: RegisterFile::new(geometry.rf_words),
            dpu: Executed::new(Dpu::new()),
            io_cell,
            instructions: 0,
            skip: IdleSkip::new(),
            issued: IdleSkip::new(),
            words: IdleSkip::new(),
            load: LoadPort::default(),
            seq_signals: SequencerSignals::default(),
            outputs: CellOutputs::default(),
            vin: [0; 6],
        }
    }

    /// Row and column.
    #[inline]
    pub(crate) fn place(&self) -> (usize, usize) {
        let place = self.swb.block.place();
        (place.row, place.col)
    }

    /// The part of the cell's cycle that needs no data from other units: `cell_outputs` of 5.7, with the next state of
    /// the sequencer, the switchbox and the AGUs.
    #[inline]
    pub(crate) fn outputs(&mut self, load: LoadPort) -> &CellOutputs {
        self.load = load;
        let immediate = self.seq.immediate();
        let inputs = SequencerInputs {
            load_valid: load.valid,
            word: load.word(),
            cond_status: self.dpu.block.cond_status(),
            io_cell: self.io_cell,
        };
        if self.skip.begin(&inputs, |inputs| *inputs) {
            self.seq.eval(&inputs, &mut self.seq_signals);
            let word = self.seq_signals.decoded.swb.then_some(self.seq_signals.fetch[0]);
            self.swb.eval(&SwitchboxInputs { word, immediate });
            self.rf.eval_agus(immediate, self.seq.refi());
        }
        self.instructions += u64::from(self.seq_signals.decodes());
        // The outputs depend on the sequencer, the AGUs and the issue registers, and on the DPU and the words.
        if self.skip.executes() || self.dpu.skip.changed() || self.words.changed() {
            self.eval_outputs();
        }
        &self.outputs
    }

    /// `cell_outputs` without the sequencer's part.
    fn eval_outputs(&mut self) {
        let immediate = self.seq.immediate();
        let RfOutputs { rdata, blk_read } = self.rf.outputs();
        // `Dpu::eval` uses these settings again.
        let in_force = &mut self.dpu.signals.in_force;
        *in_force = self.dpu.block.in_force(immediate, self.seq.dpu());
        let [out0, out1] = self.dpu.block.outputs(in_force);
        self.outputs = CellOutputs {
            lanes: [rdata[0], rdata[1], out0, out1],
            cell_noc: self.noc.leaving(immediate).unwrap_or_default(),
            perm_go: self.perm.leaving(immediate).unwrap_or_default(),
            blk_read,
        };
    }

    /// The last result of [`Self::outputs`].
    #[inline]
    pub(crate) fn last_outputs(&self) -> &CellOutputs {
        &self.outputs
    }

    /// `blk_rdata` in the cycle in which [`Self::outputs`] was called; `None` unless `blk_rd_en` is 1.
    #[inline]
    pub(crate) fn blk_rdata(&self) -> Option<&Block> {
        self.outputs.blk_read.map(|b| self.rf.block(b))
    }

    /// The lane that each input is connected to; see [`Switchbox::sources`].
    #[inline]
    pub(crate) fn sources(&self) -> &[u16; 6] {
        &self.swb.signals.sources
    }

    /// The inputs of the register file in the cycle in which [`Self::outputs`] was called.
    #[inline]
    fn rf_inputs(&self, down: (&Block, u16), init: Option<(usize, &Block)>) -> RfInputs {
        let [w0, w1, ..] = self.vin;
        RfInputs {
            wdata: [w0, w1],
            blk_wdata: *down.0,
            blk_wmask: down.1,
            init: init.map(|(b, data)| (b, *data)),
            perm_go: self.outputs.perm_go,
        }
    }

    /// The part of the cycle that uses data from other units (4.1), and the edge, `cell_next` of 5.7: `vin` are the six
    /// selected inputs, and `down` comes from the column.
    #[inline]
    pub(crate) fn next(
        &mut self,
        vin: [u16; 6],
        down: (&Block, u16),
        init: Option<(usize, &Block)>,
    ) {
        self.vin = vin;
        let [_, _, input @ ..] = vin;
        let immediate = self.seq.immediate();
        let hit = self.dpu.block.hit(&self.dpu.signals.in_force);
        self.dpu.eval(&DpuInputs { immediate, issue: *self.seq.dpu(), input, hit });
        self.dpu.block.count(&self.dpu.signals);
        self.dpu.commit();
        self.words.end(self.rf.write(&self.rf_inputs(down, init)));
        if self.skip.executes() {
            let out = &self.seq_signals;
            let perm = out.decoded.perm.then(|| permute::decoded(out.fetch[0]));
            let issued =
                self.noc.commit(immediate, out.decoded.noc) | self.perm.commit(immediate, perm);
            self.issued.end(issued);
            let changed = issued
                | self.rf.commit_agus()
                | self.swb.commit()
                | self.seq.commit(&self.seq_signals);
            self.skip.end(changed);
        }
    }

    /// Writes the registers into the image of the cell.
    #[inline]
    pub(crate) fn pack(&mut self, slots: &Slots, image: &mut [u64]) {
        if self.skip.take_dirty() {
            self.seq.pack(slots, image);
            if self.swb.skip.take_dirty() {
                self.swb.block.pack(slots, image);
            }
            self.rf.pack_agus(slots, image);
        }
        if self.issued.take_dirty() {
            let slot = |group| slots.of(group);
            image[slot(GroupId::NocNocStage)..][..2]
                .copy_from_slice(&self.noc.stage.unwrap_or_default().pack());
            image[slot(GroupId::NocNocShadow)..][..2]
                .copy_from_slice(&self.noc.shadow.unwrap_or_default().pack());
            image[slot(GroupId::PermPermStage)] = self.perm.stage.unwrap_or_default().pack();
            image[slot(GroupId::PermPermShadow)] = self.perm.shadow.unwrap_or_default().pack();
        }
        if self.dpu.skip.take_dirty() {
            self.dpu.block.pack(slots, image);
        }
        self.dpu.block.pack_count(slots, image);
        if self.words.take_dirty() {
            self.rf.pack(slots, image);
        }
    }
}
