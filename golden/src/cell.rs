// SPDX-License-Identifier: MIT OR Apache-2.0
//! One DRRA cell (chapter 5, section 4).

pub(crate) mod view;

use drra_fabric::{
    GroupId, GroupOffsets,
    images::{LdPipe, NocIssue, PermOp},
};
use drra_isa::{CellId, Geometry};

use crate::{
    block::Block,
    dpu::{Dpu, DpuInputs, control::DpuSettings, output::DpuOutputs},
    idle::{Clocked, LazyBlock},
    issue::{Issue, IssueInputs},
    permute,
    register_file::{RegisterFile, RfInputs, RfReads},
    sequencer::{LoadPort, Sequencer, SequencerInputs, SequencerSignals},
    switchbox::{InputSources, Switchbox, SwitchboxInputs},
};

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) id: CellId,
    pub(crate) modules: LazyBlock<CellModules>,
    /// Instructions decoded since reset, as [`Sequencer::decodes`] counts them; not a register.
    pub(crate) instructions: u64,
    /// The load tap in the last cycle, for observers; if it is not valid, perhaps that of an earlier cycle.
    tap: LdPipe,
}

/// The modules of a cell.
#[derive(Clone, Debug)]
pub(crate) struct CellModules {
    io_cell: bool,
    pub(crate) seq: LazyBlock<Sequencer>,
    swb: LazyBlock<Switchbox>,
    noc: LazyBlock<Issue<NocIssue>>,
    perm: LazyBlock<Issue<PermOp>>,
    pub(crate) rf: RegisterFile,
    pub(crate) dpu: LazyBlock<Dpu>,
    /// Signals of the last cycle.
    pub(crate) outputs: CellOutputs,
}

/// What a cell does in a cycle, as far as it follows from its registers alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellOutputs {
    in_force: DpuSettings,
    dpu: DpuOutputs,
    pub(crate) sources: InputSources,
    /// Read ports 0 and 1 of the register file, outputs 0 and 1 of the DPU.
    pub(crate) lanes: [u16; 4],
    /// `blk_rdata`; `None` unless `blk_rd_en` is 1.
    pub(crate) blk: Option<Block>,
    pub(crate) cell_noc: NocIssue,
    perm_go: PermOp,
}

/// What the modules of a cell receive in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CellInputs {
    /// The load port, with nothing but `ld_valid` unless there is a word for this cell.
    pub(crate) load: LoadPort,
    /// `vin[2..5]`.
    pub(crate) dpu: [u16; 4],
    /// With `vin[0]` and `vin[1]`.
    pub(crate) rf: RfInputs,
}

impl Cell {
    pub(crate) fn new(id: CellId, io_cell: bool, geometry: &Geometry) -> Self {
        let modules = CellModules {
            io_cell,
            seq: LazyBlock::new(Sequencer::new()),
            swb: LazyBlock::new(Switchbox::new(id, geometry)),
            noc: LazyBlock::new(Issue::default()),
            perm: LazyBlock::new(Issue::default()),
            rf: RegisterFile::new(geometry.rf_words),
            dpu: LazyBlock::new(Dpu::new()),
            outputs: CellOutputs::default(),
        };
        Self { id, modules: LazyBlock::new(modules), instructions: 0, tap: LdPipe::default() }
    }

    /// Begins a cycle with the outputs of the cell. Returns the lanes, unless all outputs must be those of the last cycle.
    pub(crate) fn begin(&mut self) -> Option<[u16; 4]> {
        self.modules.has_new_outputs().then(|| {
            self.modules.block.outputs();
            self.modules.block.outputs.lanes
        })
    }

    /// The load port in the last cycle.
    fn load_port(&self) -> LoadPort {
        let LdPipe { valid, row_sel, col_sel, instr, imm } = self.tap;
        let matches = row_sel >> self.id.row() & 1 == 1 && col_sel >> self.id.col() & 1 == 1;
        LoadPort { valid, matches, instr, imm }
    }

    /// The rest of the cycle. `received` returns the values on the six inputs, and the block from the column with its
    /// mask; if `new` is false, these are those of the last cycle.
    pub(crate) fn next(
        &mut self,
        tap: &LdPipe,
        init: Option<(usize, Block)>,
        new: bool,
        received: impl FnOnce(&InputSources) -> ([u16; 6], (Block, u16)),
    ) {
        self.instructions += u64::from(self.modules.block.seq.block.decodes());
        let CellInputs { load: last, rf, .. } = &self.modules.inputs;
        let loads = tap.valid || last.valid || init.is_some() || rf.init.is_some();
        let mut load = LoadPort { valid: tap.valid, ..LoadPort::default() };
        if loads {
            self.tap = *tap;
            load = Some(self.load_port()).filter(|port| port.valid && port.matches).unwrap_or(load);
        }
        self.modules.next_if(new || loads, |modules| {
            let ([w0, w1, dpu @ ..], (blk_wdata, blk_wmask)) = received(&modules.outputs.sources);
            let rf = RfInputs { wdata: [w0, w1], blk_wdata, blk_wmask, init };
            CellInputs { load, dpu, rf }
        });
    }

    /// Writes the registers into the image of the cell.
    pub(crate) fn pack(&mut self, slots: &GroupOffsets, image: &mut [u64]) {
        let dirty = self.modules.take_dirty();
        let CellModules { seq, swb, noc, perm, rf, dpu, .. } = &mut self.modules.block;
        if dirty || seq.block.signals.waiting {
            seq.block.pack_count(slots, image);
        }
        dpu.block.pack_count(slots, image);
        if !dirty {
            return;
        }
        if seq.take_dirty() {
            seq.block.pack(slots, image);
        }
        if swb.take_dirty() {
            swb.block.pack(slots, image);
        }
        if dpu.take_dirty() {
            dpu.block.pack(slots, image);
        }
        rf.pack(slots, image);
        let mut put = |group, words: &[u64]| {
            image[slots.of(group)..][..words.len()].copy_from_slice(words);
        };
        if noc.take_dirty() {
            let Issue { stage, shadow } = noc.block;
            put(GroupId::NocNocStage, &stage.unwrap_or_default().pack());
            put(GroupId::NocNocShadow, &shadow.unwrap_or_default().pack());
        }
        if perm.take_dirty() {
            let Issue { stage, shadow } = perm.block;
            put(GroupId::PermPermStage, &[stage.unwrap_or_default().pack()]);
            put(GroupId::PermPermShadow, &[shadow.unwrap_or_default().pack()]);
        }
    }
}

impl CellModules {
    /// `cell_outputs` of 5.7, except for `seq_cycle`, which needs the load port.
    #[inline(never)] // so that little is left of cells without new outputs
    fn outputs(&mut self) {
        let Self { seq, swb, noc, perm, rf, dpu, .. } = self;
        let seq = &seq.block;
        let immediate = seq.immediate();
        rf.rf_agus(immediate, seq.refi());
        let RfReads { rdata, blk } = rf.rf_reads();
        let a = &mut self.outputs;
        a.in_force = dpu.block.dpu_control(immediate, seq.dpu());
        a.dpu = dpu.block.dpu_outputs(&a.in_force);
        a.sources = *swb.block.sources();
        a.lanes = [rdata[0], rdata[1], a.dpu.out[0], a.dpu.out[1]];
        a.blk = blk;
        a.cell_noc = noc.block.leaving(immediate).unwrap_or_default();
        a.perm_go = perm.block.leaving(immediate).unwrap_or_default();
    }
}

impl Clocked for CellModules {
    type Inputs = CellInputs;

    /// `seq_cycle`, and `cell_next` of 5.7.
    fn next(&mut self, i: &CellInputs) -> bool {
        let Self { io_cell, seq, swb, noc, perm, rf, dpu, outputs: a } = self;
        let (immediate, issue) = (seq.block.immediate(), *seq.block.dpu());
        let cond_status = dpu.block.cond_status();
        let written = rf.rf_writes(&i.rf, &a.perm_go);
        dpu.next(&DpuInputs { immediate, issue, in_force: a.in_force, input: i.dpu });
        seq.next(&SequencerInputs { load: i.load, cond_status, io_cell: *io_cell });
        // These modules receive signals of the sequencer alone.
        if seq.executed() || swb.changed() || noc.changed() || perm.changed() {
            let SequencerSignals { fetch: [word, ..], decoded: d, .. } = &seq.block.signals;
            swb.next(&SwitchboxInputs { word: d.swb.then_some(*word), immediate });
            noc.next(&IssueInputs { immediate, decoded: d.noc });
            let decoded = d.perm.then(|| permute::decoded(*word));
            perm.next(&IssueInputs { immediate, decoded });
        }
        let issues = || swb.changed() || noc.changed() || perm.changed();
        rf.agus_changed() || written || dpu.changed() || seq.changed() || issues()
    }

    fn counts(&self) -> bool {
        self.seq.block.counts() && self.dpu.block.counts()
    }

    fn count(&mut self) {
        self.seq.block.count();
        self.dpu.block.count();
    }
}
