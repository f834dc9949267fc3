// SPDX-License-Identifier: MIT OR Apache-2.0
//! One DRRA cell (chapter 5, section 4).

mod wires;

use drra_isa::{
    CellId,
    fabric::{GroupId, Layout, Slots},
};

use crate::{
    bits::ones,
    block::Block,
    dpu::{Dpu, DpuInstruction},
    issue::Issue,
    message::CellMessage,
    permute::IssuedPerm,
    register_file::{RegisterFile, RfInputs},
    sequencer::{LoadPort, Sequencer},
    switchbox::Switchbox,
};

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) seq: Sequencer,
    swb: Switchbox,
    noc: Issue<CellMessage>,
    pub(crate) perm: Issue<IssuedPerm>,
    pub(crate) rf: RegisterFile,
    pub(crate) dpu: Dpu,
    pub(crate) io_cell: bool,
    /// Parts of the image that may be out of date; see [`stale`].
    stale: u64,
    slots: Slots,
    /// No block did anything in the last cycle: see [`Self::rests`].
    resting: bool,
    /// Sources of the six inputs; see [`Switchbox::sources`].
    pub(crate) sources: [u16; 6],
    /// Not registers: the inputs in the last cycle in which the cell was not at rest.
    pub(crate) vin: [u16; 6],
    place: WindowPosition,
}

/// Where a cell is, for the sliding window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowPosition {
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) cols: usize,
    /// Index of the lane that always reads 0.
    pub(crate) none: u16,
}

impl Cell {
    pub(crate) fn new(layout: &Layout, io_cell: bool, place: WindowPosition) -> Self {
        Self {
            seq: Sequencer::new(),
            swb: Switchbox::new(),
            noc: Issue::default(),
            perm: Issue::default(),
            rf: RegisterFile::new(layout.geometry().rf_words),
            dpu: Dpu::new(),
            io_cell,
            stale: stale::SWITCHBOX,
            slots: *layout.slots(),
            resting: false,
            sources: [place.none; 6],
            vin: [0; 6],
            place,
        }
    }

    /// Where it is.
    pub(crate) fn id(&self) -> CellId {
        CellId::new(self.place.row, self.place.col).expect("a fabric has places for its cells only")
    }

    fn issued(&self) -> Option<DpuInstruction> {
        self.seq.dpu_start.then_some(self.seq.dpu)
    }

    /// First half of a cycle: launches. Returns the lanes of the cell: register file 0 and 1, DPU 0
    /// and 1.
    #[inline]
    pub(crate) fn show(&mut self) -> [u16; 4] {
        if self.resting {
            return [0; 4];
        }
        let immediate = self.seq.immediate;
        let refi = self.seq.refi_start.then_some(&self.seq.refi);
        self.stale |= u64::from(self.rf.launch(immediate, refi));
        let (out0, out1) = self.dpu.outputs(immediate, self.issued().as_ref(), self.seq.bw);
        [self.rf.rdata_0(), self.rf.rdata_1(), out0, out1]
    }

    /// True if the cycle changes nothing but the count of the DPU, whatever is on the inputs and comes from the
    /// column: no block did anything in the cycle before, and neither a word nor an initialisation (`init`) is
    /// for this cell, which are all that reaches a cell at rest (chapter 5, sections 4, 5.2 and 5.4). It shows 0
    /// on all lanes, and no block or message to its column.
    #[inline]
    pub(crate) fn rests(&self, load: LoadPort, init: bool) -> bool {
        self.resting && !init && !(load.valid && load.matches)
    }

    /// Executes a cycle in which it [rests](Self::rests).
    #[inline]
    pub(crate) fn rest(&mut self) {
        self.dpu.rest();
    }

    /// `cell_noc` of this cycle.
    #[inline]
    pub(crate) fn message(&self) -> CellMessage {
        self.noc.leaving(self.seq.immediate)
    }

    /// Bit k: something waits for a flag in the k-th receiver.
    #[inline]
    pub(crate) fn waiting(&self) -> u16 {
        let [raccu, lp] = self.seq.waiting();
        let message = self.noc.shadow != CellMessage::default();
        let perm = self.perm.shadow != IssuedPerm::default();
        [self.dpu.waiting(), message, perm, raccu, lp]
            .into_iter()
            .enumerate()
            .fold(self.rf.waiting().into(), |set, (k, waits)| set | u16::from(waits) << (6 + k))
    }

    /// Second half of a cycle: the edge. `vin` are the six selected inputs, `block` and `mask` come
    /// from the column.
    #[inline]
    pub(crate) fn step(
        &mut self,
        load: LoadPort,
        vin: [u16; 6],
        block: &Block,
        mask: u16,
        init: Option<(usize, Block)>,
    ) {
        let immediate = self.seq.immediate;
        self.vin = vin;

        // Register file.
        let mut resting = self.rf.rests();
        let perm = self.perm.leaving(immediate).fields();
        if !self.rf.writes_nothing() || init.is_some() || perm.is_some() {
            let inputs = RfInputs {
                wdata_0: vin[0],
                wdata_1: vin[1],
                blk_wdata: *block,
                blk_wmask: mask,
                init,
                perm,
            };
            self.stale |= u64::from(self.rf.write(&inputs)) << stale::MEMORY;
            resting = false;
        }

        // DPU; the sequencer of this cycle sees the status before the edge.
        let cond_status = self.dpu.cond_status();
        let issued = self.issued();
        let input = [vin[2], vin[3], vin[4], vin[5]];
        if self.dpu.step(immediate, issued.as_ref(), self.seq.bw, input) {
            self.stale |= stale::DPU;
            resting = false;
        }

        // Sequencer, and the registers that decode feeds.
        let relevant = load.valid && (load.matches || !self.seq.idle());
        let out = if self.seq.settled() && !relevant {
            self.seq.rest();
            Default::default()
        } else {
            resting = false;
            let loads = load.valid && load.matches && !self.seq.running();
            self.stale |= stale::SEQUENCER | if loads { stale::PROGRAM } else { 0 };
            self.seq.step(load, cond_status, self.io_cell)
        };
        if !self.noc.rests(out.noc) {
            self.noc.step(immediate, out.noc);
            self.stale |= stale::NOC;
            resting = false;
        }
        let perm = out.perm.map(IssuedPerm::decoded).unwrap_or_default();
        if !self.perm.rests(perm) {
            self.perm.step(immediate, perm);
            self.stale |= stale::PERM;
            resting = false;
        }
        if self.swb.step(out.swb, immediate) {
            self.stale |= stale::SWITCHBOX;
            resting = false;
            let WindowPosition { row, col, cols, none } = self.place;
            self.sources = self.swb.sources(row, col, cols, none);
        }
        self.resting = resting;
    }

    /// Makes the next [`Self::pack`] write every register.
    #[cfg(test)]
    pub(crate) fn mark_all_stale(&mut self) {
        self.stale = u64::MAX >> (63 - stale::SWITCHBOX.trailing_zeros());
        let no_memory = 0xffff << self.rf.words().len() & 0xffff;
        self.stale &= !(0b11 << 6 | 0b11 << (stale::PATTERN + 6) | no_memory << stale::MEMORY);
    }

    /// Brings the image up to date: the registers as words, in the layout of [`Layout`].
    #[inline]
    pub(crate) fn pack(&mut self, image: &mut [u64]) {
        let slots = &self.slots;
        let slot = |group| slots.of(group);
        image[slot(GroupId::DpuCfg)] = self.dpu.config_word(); // its cycle count moves in every cycle
        let stale = std::mem::take(&mut self.stale);
        if stale == 0 {
            return;
        }

        // Register file.
        for k in ones(stale & 0x3f) {
            image[slot(GroupId::RfAguSt) + k] = self.rf.agus[k].state_word();
        }
        for k in ones(stale >> stale::PATTERN & 0x3f) {
            image[slot(GroupId::RfAguP) + k] = self.rf.agus[k].pattern_word();
            image[slot(GroupId::RfSh) + k] = self.rf.shadow_word(k);
        }
        for k in ones(stale >> stale::MEMORY & 0xffff) {
            image[slot(GroupId::RfMem) + k] = self.rf.words()[k];
        }

        // DPU.
        if stale & stale::DPU != 0 {
            image[slot(GroupId::DpuSh)] = self.dpu.shadow_word();
            for (group, channel, word) in self.dpu.data_words() {
                image[slot(group) + channel] = word;
            }
        }

        // Sequencer, and the registers that decode feeds.
        if stale & stale::SEQUENCER != 0 {
            image[slot(GroupId::SeqCore)] = self.seq.core_word();
            image[slot(GroupId::SeqImmediate)] = self.seq.immediate_word();
            image[slot(GroupId::SeqRefi)] = self.seq.refi_word();
            image[slot(GroupId::SeqDpu)] = self.seq.dpu_word();
            image[slot(GroupId::SeqShRaccu)] = self.seq.sh_raccu_word();
            image[slot(GroupId::SeqShLoop)] = self.seq.sh_loop_word();
            image[slot(GroupId::SeqRaccuReg)..][..2].copy_from_slice(&self.seq.raccu_words());
            for k in 0..4 {
                image[slot(GroupId::SeqLoop) + k] = self.seq.loop_word(k);
            }
        }
        if stale & stale::PROGRAM != 0 {
            image[slot(GroupId::SeqImemImm)] = self.seq.imem_imm_word();
            for (pair, words) in
                image[slot(GroupId::SeqImem)..].iter_mut().zip(self.seq.imem().chunks_exact(2))
            {
                *pair = u64::from(words[0]) | u64::from(words[1]) << 32;
            }
        }
        if stale & stale::NOC != 0 {
            image[slot(GroupId::NocNocStage)..][..2].copy_from_slice(&self.noc.stage.words());
            image[slot(GroupId::NocNocShadow)..][..2].copy_from_slice(&self.noc.shadow.words());
        }
        if stale & stale::PERM != 0 {
            image[slot(GroupId::PermPermStage)] = self.perm.stage.0.into();
            image[slot(GroupId::PermPermShadow)] = self.perm.shadow.0.into();
        }
        if stale & stale::SWITCHBOX != 0 {
            image[slot(GroupId::SwbIss)] = self.swb.issued_word();
            image[slot(GroupId::SwbSwbCfg)] = self.swb.cfg_word();
        }
    }
}

/// Parts of a cell's image, as bits of a set. Bits 0 to 5: state of AGU k.
mod stale {
    /// First of six bits: configuration and shadow register of AGU k.
    pub(super) const PATTERN: u32 = 8;
    /// First of sixteen bits: element k of the memory.
    pub(super) const MEMORY: u32 = 16;
    pub(super) const DPU: u64 = 1 << 32;
    pub(super) const SEQUENCER: u64 = 1 << 33;
    pub(super) const PROGRAM: u64 = 1 << 34;
    pub(super) const NOC: u64 = 1 << 35;
    pub(super) const PERM: u64 = 1 << 36;
    pub(super) const SWITCHBOX: u64 = 1 << 37;
}
