// SPDX-License-Identifier: MIT OR Apache-2.0
//! Register file: storage, shadow registers, six AGUs (chapter 3).

mod wires;

use drra_isa::{
    fabric::{AguId, images::RfSh},
    instructions::RefiPortNo,
};

use crate::{
    agu::{Agu, AguConfig},
    bits::ones,
    block::{self, Block},
    permute::{Perm, permute},
    rest,
};

/// A REFI as it arrives from the sequencer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refi {
    /// Port that is configured: 0 w0, 1 w1, 2 r0, 3 r1.
    pub port: RefiPortNo,
    /// The block port of that direction instead: wb for a write, rb for a read.
    pub dimarch: bool,
    /// The nine fields.
    pub cfg: AguConfig,
}

impl Refi {
    /// The AGU that this REFI configures.
    pub fn selects(&self) -> Option<AguId> {
        match (self.port, self.dimarch) {
            (RefiPortNo::W0, false) => Some(AguId::W0),
            (RefiPortNo::W1, false) => Some(AguId::W1),
            (RefiPortNo::R0, false) => Some(AguId::R0),
            (RefiPortNo::R1, false) => Some(AguId::R1),
            (RefiPortNo::W0, true) => Some(AguId::Wb),
            (RefiPortNo::R0, true) => Some(AguId::Rb),
            (RefiPortNo::W1 | RefiPortNo::R1, true) => None,
        }
    }
}

const W0: usize = AguId::W0.index();
const W1: usize = AguId::W1.index();
const WB: usize = AguId::Wb.index();
const R0: usize = AguId::R0.index();
const R1: usize = AguId::R1.index();
const RB: usize = AguId::Rb.index();

/// What enters the register file at the end of a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct RfInputs {
    /// Data of write port 0.
    pub wdata_0: u16,
    /// Data of write port 1.
    pub wdata_1: u16,
    /// Block from the column.
    pub blk_wdata: Block,
    /// 1: the word of the block is not written.
    pub blk_wmask: u16,
    /// Initialisation of one block: number and contents.
    pub init: Option<(usize, Block)>,
    /// PERM that executes in this cycle.
    pub perm: Option<Perm>,
}

/// Register file of one cell.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// Words, four in an element, word 0 lowest.
    mem: [u64; 16],
    depth: usize,
    pub(crate) shadow: [Option<AguConfig>; 6],
    pub(crate) agus: [Agu; 6],
    /// Addresses emitted in this cycle, between `launch` and `write`.
    emitted: [Option<u8>; 6],
    /// Blocks that a PERM and the initialisation port have written in this cycle; no registers.
    block_writes: [Option<u8>; 2],
    /// Bit k: AGU k is not at rest, or has emitted an address in the cycle before.
    moving: u8,
    /// Bit k: a configuration waits in shadow register k.
    waiting: u8,
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
            shadow: [None; 6],
            agus: bits.map(Agu::new),
            emitted: [None; 6],
            block_writes: [None; 2],
            moving: 0,
            waiting: 0,
        }
    }

    /// First half of a cycle: launches and address generation. The reads of this cycle are valid
    /// afterwards. Returns a bit set: bit k if AGU k has moved, bit 8+k if its
    /// configuration or its shadow may have changed.
    #[inline]
    pub fn launch(&mut self, immediate: bool, refi: Option<&Refi>) -> u16 {
        self.block_writes = [None; 2];
        let arriving = refi.and_then(Refi::selects).map_or(0, |agu| 1 << agu.index());
        let configured = arriving | if immediate { self.waiting } else { 0 };
        let due = if rest::allowed() { self.moving | configured } else { 0x3f };
        let mut touched = u16::from(due) | u16::from(configured) << 8;
        for k in ones(due.into()) {
            let launched = if configured >> k & 1 == 1 {
                self.configure(k, immediate, refi.filter(|_| arriving >> k & 1 == 1))
            } else {
                None
            };
            let agu = &mut self.agus[k];
            self.emitted[k] = agu.step(launched.as_ref());
            let moves = !agu.settled() || self.emitted[k].is_some();
            self.moving = self.moving & !(1 << k) | u8::from(moves) << k;
            // The configuration is cleared with the last address.
            touched |= u16::from(!agu.busy()) << (8 + k);
        }
        touched
    }

    /// Shadow register of AGU k (5.2) in a cycle in which a REFI arrives for it, or in which what waits in it is
    /// released. Returns what is launched.
    fn configure(
        &mut self,
        k: usize,
        immediate: bool,
        arriving: Option<&Refi>,
    ) -> Option<AguConfig> {
        let config = arriving.map(|refi| refi.cfg).or(self.shadow[k]);
        self.waiting = self.waiting & !(1 << k) | u8::from(!immediate) << k;
        if immediate {
            self.shadow[k] = None;
            return config;
        }
        self.shadow[k] = config;
        None
    }

    /// True if no AGU moves: all are in IDLE with their counters at 0 (6.3). It stays so until a REFI or a flag
    /// comes from the sequencer: what a flag of this cycle releases has been launched.
    #[inline]
    pub(crate) fn rests(&self) -> bool {
        rest::allowed() && self.moving == 0
    }

    /// Blocks that there are.
    pub(crate) fn blocks(&self) -> usize {
        self.depth / 16
    }

    /// True if some AGU is not in IDLE.
    pub fn busy(&self) -> bool {
        self.moving != 0 && self.agus.iter().any(Agu::busy)
    }

    /// Word k of the memory in the current cycle.
    pub fn word(&self, k: usize) -> u16 {
        (self.mem[k / 4] >> (16 * (k % 4))) as u16
    }

    fn set_word(&mut self, k: usize, value: u16) {
        let shift = 16 * (k % 4);
        let quad = &mut self.mem[k / 4];
        *quad = *quad & !(0xffff << shift) | u64::from(value) << shift;
    }

    /// Words 16b to 16b+15 of the memory in the current cycle.
    pub fn block(&self, b: usize) -> Block {
        self.mem[4 * b..4 * b + 4].try_into().expect("four elements")
    }

    fn set_block(&mut self, b: usize, value: &Block) {
        self.mem[4 * b..4 * b + 4].copy_from_slice(value);
    }

    /// All words, four in an element.
    pub fn words(&self) -> &[u64] {
        &self.mem[..self.depth / 4]
    }

    fn read(&self, agu: usize) -> u16 {
        self.emitted[agu].map_or(0, |a| self.word(a.into()))
    }

    /// `rdata_0` of this cycle.
    #[inline]
    pub fn rdata_0(&self) -> u16 {
        self.read(R0)
    }

    /// `rdata_1` of this cycle.
    #[inline]
    pub fn rdata_1(&self) -> u16 {
        self.read(R1)
    }

    /// `blk_rdata` of this cycle, `None` without `blk_rd_en`.
    #[inline]
    pub fn blk_rdata(&self) -> Option<Block> {
        self.emitted[RB].map(|b| self.block(b.into()))
    }

    /// Address that an AGU emits in this cycle.
    #[inline]
    pub fn emitted(&self, agu: AguId) -> Option<u8> {
        self.emitted[agu.index()]
    }

    /// Addresses that all AGUs emit in this cycle, in the order of [`AguId::ALL`].
    pub(crate) fn all_emitted(&self) -> [Option<u8>; 6] {
        self.emitted
    }

    /// True if no AGU emits an address in this cycle.
    #[inline]
    pub fn emits_nothing(&self) -> bool {
        self.moving == 0
    }

    /// Blocks that a PERM and the initialisation port have written in this cycle.
    #[inline]
    pub fn block_writes(&self) -> [Option<u8>; 2] {
        self.block_writes
    }

    /// Bit k: a configuration waits in the shadow register of AGU k, in the order of
    /// [`AguId::ALL`].
    #[inline]
    pub fn waiting(&self) -> u8 {
        self.waiting
    }

    /// True if nothing can be written in this cycle by an AGU.
    #[inline]
    pub(crate) fn writes_nothing(&self) -> bool {
        self.emitted[W0].is_none() && self.emitted[W1].is_none() && self.emitted[WB].is_none()
    }

    /// The configuration that waits in the shadow register of an AGU.
    #[inline]
    pub fn shadow(&self, agu: AguId) -> Option<&AguConfig> {
        self.shadow[agu.index()].as_ref()
    }

    /// Second half of a cycle: the writes, weakest first. Returns a bit set: bit k if element k of
    /// [`Self::words`] may have changed.
    pub fn write(&mut self, inputs: &RfInputs) -> u16 {
        let mut written = 0;
        if let Some(perm) = inputs.perm {
            let b = usize::from(perm.block) % (self.depth / 16);
            let old = block::to_words(&self.block(b));
            if let Some(new) = permute(&old, perm.mode, perm.distance) {
                self.set_block(b, &block::from_words(&new));
                self.block_writes[0] = Some(b as u8);
                written |= 0xf << (4 * b);
            }
        }
        if let Some(a) = self.emitted[W1] {
            self.set_word(a.into(), inputs.wdata_1);
            written |= 1 << (a / 4);
        }
        if let Some(a) = self.emitted[W0] {
            self.set_word(a.into(), inputs.wdata_0);
            written |= 1 << (a / 4);
        }
        if let Some(b) = self.emitted[WB] {
            let old = self.block(b.into());
            let new = match inputs.blk_wmask {
                0 => inputs.blk_wdata,
                mask => block::merge(&old, &inputs.blk_wdata, mask),
            };
            self.set_block(b.into(), &new);
            written |= 0xf << (4 * b);
        }
        if let Some((b, data)) = &inputs.init {
            self.set_block(*b, data);
            self.block_writes[1] = Some(*b as u8);
            written |= 0xf << (4 * b);
        }
        written
    }

    /// `{sh_valid, sh_cfg}` of the AGU with this index.
    pub(crate) fn shadow_word(&self, agu: usize) -> u64 {
        self.shadow[agu].map_or(0, |c| RfSh { sh_valid: true, sh_cfg: c.image() }.pack())
    }

    /// An AGU, index in the order w0, w1, wb, r0, r1, rb.
    pub fn agu(&self, agu: AguId) -> &Agu {
        &self.agus[agu.index()]
    }
}
