// SPDX-License-Identifier: MIT OR Apache-2.0
//! Register file: storage, shadow registers, six AGUs (chapter 3).

mod port;

use drra_fabric::{
    AguId, GroupId, SignalId, Slots,
    images::{AguCfg, PermOp, SeqRefi},
};
use drra_isa::instructions::RefiPortNo;

use self::port::{Port, PortInputs};
use crate::{
    agu::Agu,
    block::{self, Block},
    idle::Executed,
    permute::permute,
    signals::Shown,
};

/// The AGU that a REFI configures (section 3).
pub fn selected(refi: &SeqRefi) -> Option<AguId> {
    if !refi.cfg_start {
        return None;
    }
    match (refi.cfg_port, refi.cfg_dimarch) {
        (RefiPortNo::W0, false) => Some(AguId::W0),
        (RefiPortNo::W1, false) => Some(AguId::W1),
        (RefiPortNo::R0, false) => Some(AguId::R0),
        (RefiPortNo::R1, false) => Some(AguId::R1),
        (RefiPortNo::W0, true) => Some(AguId::Wb),
        (RefiPortNo::R0, true) => Some(AguId::Rb),
        (RefiPortNo::W1 | RefiPortNo::R1, true) => None,
    }
}

const W0: usize = AguId::W0.index();
const W1: usize = AguId::W1.index();
const WB: usize = AguId::Wb.index();
const R0: usize = AguId::R0.index();
const R1: usize = AguId::R1.index();
const RB: usize = AguId::Rb.index();

/// The outputs of the register file in a cycle (4.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct RfOutputs {
    /// Data of read ports 0 and 1.
    pub rdata: [u16; 2],
    /// Number of the block on `blk_rdata`; `None` unless `blk_rd_en` is 1.
    pub blk_read: Option<usize>,
}

/// The inputs of the register file at the end of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct RfInputs {
    /// Data of write ports 0 and 1.
    pub wdata: [u16; 2],
    /// Block from the column.
    pub blk_wdata: Block,
    /// Bit k = 1: word k of the block is not written.
    pub blk_wmask: u16,
    /// Initialisation of one block: number and contents.
    pub init: Option<(usize, Block)>,
    /// PERM that executes in this cycle.
    pub perm_go: PermOp,
}

/// Register file of one cell. The reads, which other blocks need, are evaluated between the AGUs and the writes.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Words, four in an element, word 0 lowest.
    mem: [u64; 16],
    depth: usize,
    ports: [Executed<Port>; 6],
    /// For observers: number, old and new contents of the block that a PERM wrote in the last cycle.
    permuted: Option<(usize, Block, Block)>,
    /// Number of the block that the initialisation port wrote in the last cycle.
    initialised: Option<usize>,
}

impl RegisterFile {
    /// A register file in reset.
    pub fn new(depth: usize) -> Self {
        let word_bits = depth.ilog2();
        let block_bits = (depth / 16).ilog2();
        let bits = [word_bits, word_bits, block_bits, word_bits, word_bits, block_bits];
        Self {
            mem: [0; 16],
            depth,
            ports: bits.map(|aw| Executed::new(Port::new(aw))),
            permuted: None,
            initialised: None,
        }
    }

    /// The AGUs in a cycle, `rf_agus`: launches and address generation.
    #[inline]
    pub fn eval_agus(&mut self, immediate: bool, refi: &SeqRefi) {
        let selected = selected(refi).map(AguId::index);
        for (k, port) in self.ports.iter_mut().enumerate() {
            let hit = (selected == Some(k)).then_some(&refi.cfg);
            let launch = immediate && (hit.is_some() || port.block.sh.sh_valid);
            port.eval(&PortInputs { launch, hit });
        }
    }

    /// The edge of the AGUs. Returns whether anything may have changed.
    #[inline]
    pub fn commit_agus(&mut self) -> bool {
        self.ports.iter_mut().fold(false, |changed, port| port.commit() | changed)
    }

    /// The reads of a cycle, `rf_reads`.
    #[inline]
    pub fn outputs(&self) -> RfOutputs {
        let read = |agu: usize| self.address(agu).map_or(0, |a| self.word(a));
        RfOutputs { rdata: [read(R0), read(R1)], blk_read: self.address(RB) }
    }

    /// The writes at the end of a cycle (`rf_writes`), lowest priority first. Returns whether a word may have changed.
    #[inline]
    pub fn write(&mut self, i: &RfInputs) -> bool {
        self.permuted = None;
        if i.perm_go.valid {
            self.permute(&i.perm_go);
        }
        for (agu, data) in [(W1, i.wdata[1]), (W0, i.wdata[0])] {
            if let Some(a) = self.address(agu) {
                self.set_word(a, data);
            }
        }
        if let Some(b) = self.address(WB) {
            let new = block::merge(self.block(b), &i.blk_wdata, i.blk_wmask);
            self.set_block(b, &new);
        }
        self.initialised = i.init.map(|(b, _)| b);
        if let Some((b, data)) = &i.init {
            self.set_block(*b, data);
        }
        let ports = [W0, W1, WB].into_iter().any(|agu| self.address(agu).is_some());
        ports || self.permuted.is_some() || self.initialised.is_some()
    }

    /// Permutes a block as requested by a PERM, unless its mode is reserved.
    fn permute(&mut self, perm: &PermOp) {
        let b = usize::from(perm.block) % (self.depth / 16);
        let old = *self.block(b);
        if let Some(new) = permute(&block::to_words(&old), perm.mode, perm.distance) {
            let new = block::from_words(&new);
            self.set_block(b, &new);
            self.permuted = Some((b, old, new));
        }
    }

    /// Address that the AGU of a port emits in this cycle.
    #[inline]
    fn address(&self, agu: usize) -> Option<usize> {
        self.ports[agu].signals.agu.emitted.map(usize::from)
    }

    #[inline]
    fn set_word(&mut self, k: usize, value: u16) {
        let shift = 16 * (k % 4);
        let quad = &mut self.mem[k / 4];
        *quad = *quad & !(0xffff << shift) | u64::from(value) << shift;
    }

    #[inline]
    fn set_block(&mut self, b: usize, value: &Block) {
        self.mem[4 * b..4 * b + 4].copy_from_slice(value);
    }

    /// Writes the memory into the image of a cell.
    #[inline]
    pub(crate) fn pack(&self, slots: &Slots, image: &mut [u64]) {
        let words = self.words();
        image[slots.of(GroupId::RfMem)..][..words.len()].copy_from_slice(words);
    }

    /// Writes the registers of the AGUs into the image of a cell.
    pub(crate) fn pack_agus(&mut self, slots: &Slots, image: &mut [u64]) {
        for (k, port) in self.ports.iter_mut().enumerate() {
            if port.skip.take_dirty() {
                port.block.pack(k, slots, image);
            }
        }
    }

    /// Adds the signals of the last cycle; `before` has its registers.
    pub(crate) fn show(
        &self,
        wdata: [u16; 2],
        init: Option<(usize, &Block)>,
        before: &Self,
        out: &mut Shown<'_>,
    ) {
        for (k, (port, before)) in self.ports.iter().zip(&before.ports).enumerate() {
            port.signals.show(&before.block, k, out);
        }
        out.put(SignalId::Busy, before.busy());
        out.put(SignalId::PermWe, self.permuted.is_some());
        if let Some((_, old, new)) = &self.permuted {
            out.put_words(SignalId::PermOld, 0, old);
            out.put_words(SignalId::PermNew, 0, new);
        }
        out.put(SignalId::RfInitWe, init.is_some());
        if let Some((block, data)) = init {
            out.put(SignalId::RfInitBlock, block as u64);
            out.put_words(SignalId::RfInitData, 0, data);
        }
        for (port, value) in wdata.into_iter().enumerate() {
            out.put_at(SignalId::RfWdata, port, value);
        }
    }
}

/// State of the current cycle and events of the last one, for other modules.
impl RegisterFile {
    /// Word k of the memory in the current cycle.
    #[inline]
    pub fn word(&self, k: usize) -> u16 {
        (self.mem[k / 4] >> (16 * (k % 4))) as u16
    }

    /// Words 16b to 16b+15 of the memory in the current cycle.
    #[inline]
    pub fn block(&self, b: usize) -> &Block {
        self.mem[4 * b..].first_chunk().expect("four elements")
    }

    /// All words, four in an element.
    pub fn words(&self) -> &[u64] {
        &self.mem[..self.depth / 4]
    }

    /// True if some AGU is not in IDLE.
    #[inline]
    pub fn busy(&self) -> bool {
        self.ports.iter().any(|port| port.block.agu.busy())
    }

    /// The AGU of a port.
    pub fn agu(&self, agu: AguId) -> &Agu {
        &self.ports[agu.index()].block.agu
    }

    /// The configuration waiting in the shadow register of an AGU.
    #[inline]
    pub fn shadow(&self, agu: AguId) -> Option<&AguCfg> {
        let sh = &self.ports[agu.index()].block.sh;
        sh.sh_valid.then_some(&sh.sh_cfg)
    }

    /// Bit k: a configuration waits in the shadow register of AGU k, in the order of [`AguId::ALL`].
    #[inline]
    pub fn waiting(&self) -> u8 {
        (0..6).fold(0, |set, k| set | u8::from(self.ports[k].block.sh.sh_valid) << k)
    }

    /// `addr` of an AGU in the last evaluated cycle, `None` if `en` was 0. After a step, that is the cycle before the
    /// current one; within a step, from [`Self::eval_agus`] on, the current cycle.
    #[inline]
    pub fn emitted(&self, agu: AguId) -> Option<u8> {
        self.ports[agu.index()].signals.agu.emitted
    }

    /// Number of configurations launched into a busy AGU in the last evaluated cycle; their patterns do not start
    /// (6.5).
    #[inline]
    pub(crate) fn lost(&self) -> u64 {
        self.ports.iter().map(|port| u64::from(port.signals.lost)).sum()
    }

    /// True if no AGU emitted an address in the last evaluated cycle.
    #[inline]
    pub fn emits_nothing(&self) -> bool {
        self.ports.iter().all(|port| port.signals.agu.emitted.is_none())
    }

    /// Blocks written by a PERM and by the initialisation port in the last cycle.
    #[inline]
    pub fn block_writes(&self) -> [Option<u8>; 2] {
        [self.permuted.map(|(b, ..)| b as u8), self.initialised.map(|b| b as u8)]
    }
}
