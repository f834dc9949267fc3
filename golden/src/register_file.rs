// SPDX-License-Identifier: MIT OR Apache-2.0
//! Register file: storage and six AGUs (chapter 3); `port` contains the AGUs with their shadow registers.

pub(crate) mod port;

use drra_fabric::{
    AguId, GroupId, GroupOffsets, SignalId,
    images::{AguCfg, PermOp, SeqRefi},
};

use self::port::{Port, PortInputs, PortSignals, selected};
use crate::{
    agu::Agu,
    block::{self, Block},
    idle::LazyBlock,
    permute::permute,
    signals::SignalCollector,
};

/// Register file of one cell.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Only the first `depth` words exist.
    mem: [u16; 64],
    depth: usize,
    /// The memory may have changed since the last [`Self::pack`].
    dirty: bool,
    /// The block that a PERM wrote in the last cycle, a signal.
    pub(crate) permuted: Option<PermWrite>,
    /// In the order of [`AguId::ALL`].
    ports: [LazyBlock<Port>; 6],
}

/// The outputs of the register file in a cycle (4.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct RfReads {
    /// `rdata_0`, `rdata_1`.
    pub rdata: [u16; 2],
    /// `blk_rdata`; `None` unless `blk_rd_en` is 1.
    pub blk: Option<Block>,
}

/// The inputs of the storage at the end of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RfInputs {
    /// Data of write ports 0 and 1.
    pub wdata: [u16; 2],
    /// Block from the column.
    pub blk_wdata: Block,
    /// Bit k = 1: word k of the block is not written.
    pub blk_wmask: u16,
    /// Initialisation of one block: number and contents.
    pub init: Option<(usize, Block)>,
}

/// A block that a PERM writes.
#[derive(Clone, Copy, Debug)]
pub struct PermWrite {
    pub(crate) number: usize,
    pub(crate) old: Block,
    pub(crate) new: Block,
}

impl RegisterFile {
    /// A register file in reset.
    pub fn new(depth: usize) -> Self {
        let ports = std::array::from_fn(|k| LazyBlock::new(Port::new(AguId::ALL[k], depth)));
        Self { mem: [0; 64], depth, dirty: true, permuted: None, ports }
    }

    /// `rf_agus` of 4.4, and the edge of the AGUs: nothing else in a cycle depends on their registers.
    pub fn rf_agus(&mut self, immediate: bool, refi: &SeqRefi) {
        let [hit, other] = [Some(refi.cfg), None].map(|cfg| PortInputs { immediate, cfg });
        let sel = selected(refi);
        for (port, &id) in self.ports.iter_mut().zip(AguId::ALL) {
            port.next(if sel == Some(id) { &hit } else { &other });
        }
    }

    /// `rf_reads` of 4.4.
    pub fn rf_reads(&self) -> RfReads {
        let rd = |k| self.address(k).map_or(0, |a| self.word(a));
        RfReads {
            rdata: [rd(AguId::R0), rd(AguId::R1)],
            blk: self.address(AguId::Rb).map(|b| self.block(b)),
        }
    }

    /// `rf_writes` of 4.4, lowest priority first; `perm_go` is the PERM that executes in this cycle. Returns
    /// whether some word may have been written.
    pub fn rf_writes(&mut self, i: &RfInputs, perm_go: &PermOp) -> bool {
        self.permuted = self.permute(perm_go);
        if let Some(PermWrite { number, new, .. }) = &self.permuted {
            self.mem[16 * number..][..16].copy_from_slice(&block::to_words(new));
        }
        for (k, data) in [(AguId::W1, i.wdata[1]), (AguId::W0, i.wdata[0])] {
            if let Some(a) = self.address(k) {
                self.mem[a] = data;
            }
        }
        if let Some(b) = self.address(AguId::Wb) {
            for (k, word) in block::to_words(&i.blk_wdata).into_iter().enumerate() {
                if i.blk_wmask >> k & 1 == 0 {
                    self.mem[16 * b + k] = word;
                }
            }
        }
        if let Some((b, data)) = &i.init {
            self.mem[16 * b..][..16].copy_from_slice(&block::to_words(data));
        }
        let writers = [AguId::W0, AguId::W1, AguId::Wb].map(|k| self.address(k).is_some());
        let written = self.permuted.is_some() || i.init.is_some() || writers.contains(&true);
        self.dirty |= written;
        written
    }

    /// The effect of a PERM on its block; `None` if its mode is reserved.
    fn permute(&self, perm: &PermOp) -> Option<PermWrite> {
        if !perm.valid {
            return None;
        }
        let number = usize::from(perm.block) % (self.depth / 16);
        let old = self.block(number);
        let words = permute(&block::to_words(&old), perm.mode, perm.distance)?;
        Some(PermWrite { number, old, new: block::from_words(&words) })
    }

    /// True if the last edge may have changed an AGU.
    pub(crate) fn agus_changed(&self) -> bool {
        self.ports.iter().any(LazyBlock::changed)
    }

    fn port(&self, agu: AguId) -> &Port {
        &self.ports[agu.index()].block
    }

    /// Address that an AGU emits.
    fn address(&self, k: AguId) -> Option<usize> {
        self.port(k).signals.agu.emitted.map(usize::from)
    }

    /// Writes the registers into the image of a cell.
    pub(crate) fn pack(&mut self, slots: &GroupOffsets, image: &mut [u64]) {
        if std::mem::take(&mut self.dirty) {
            let (quads, _) = self.mem[..self.depth].as_chunks::<4>();
            for (word, quad) in image[slots.of(GroupId::RfMem)..].iter_mut().zip(quads) {
                *word = (0..4).fold(0, |all, j| all | u64::from(quad[j]) << (16 * j));
            }
        }
        for (k, port) in self.ports.iter_mut().enumerate() {
            if port.take_dirty() {
                port.block.pack(k, slots, image);
            }
        }
    }
}

/// State of the current cycle, for other modules.
impl RegisterFile {
    /// Word k of the memory.
    pub fn word(&self, k: usize) -> u16 {
        self.mem[k]
    }

    /// Words 16b to 16b+15 of the memory.
    pub fn block(&self, b: usize) -> Block {
        block::from_words(self.mem[16 * b..].first_chunk().expect("16 words"))
    }

    /// True if some AGU is not in IDLE.
    pub fn busy(&self) -> bool {
        self.ports.iter().any(|port| port.block.agu.busy())
    }

    /// The AGU of a port.
    pub fn agu(&self, agu: AguId) -> &Agu {
        &self.port(agu).agu
    }

    /// The configuration waiting in the shadow register of an AGU.
    pub fn shadow(&self, agu: AguId) -> Option<&AguCfg> {
        self.port(agu).shadow.as_ref()
    }

    /// The AGUs in the last cycle, in the order of [`AguId::ALL`].
    pub fn signals(&self) -> [&PortSignals; 6] {
        self.ports.each_ref().map(|port| &port.block.signals)
    }

    /// An AGU in the last cycle.
    pub(crate) fn signal(&self, agu: AguId) -> &PortSignals {
        &self.port(agu).signals
    }

    /// True if a configuration waits in some shadow register.
    pub fn waits(&self) -> bool {
        self.waiting() != 0
    }

    /// Bit k: a configuration waits in the shadow register of AGU k, in the order of [`AguId::ALL`].
    pub(crate) fn waiting(&self) -> u16 {
        let ports = self.ports.iter().enumerate();
        ports.fold(0, |set, (k, port)| set | u16::from(port.block.shadow.is_some()) << k)
    }

    /// Adds the signals of the AGUs in the last cycle; `before` has its registers.
    pub(crate) fn show(&self, before: &Self, out: &mut SignalCollector<'_>) {
        for (k, (port, before)) in self.ports.iter().zip(&before.ports).enumerate() {
            port.block.show(k, &before.block, out);
        }
        out.put(SignalId::Busy, before.busy());
    }
}
