// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequencer: instruction memory, load protocol, program counter (chapter 2).

pub(crate) mod activity;
mod show;

use drra_fabric::{
    GroupId, SequencerState as State, Slots,
    fields::array,
    images::{SeqCore, SeqDpu, SeqLoop, SeqRefi, SeqShLoop, SeqShRaccu},
};
use drra_isa::instructions::{BwConfig, RaccuMode};

use crate::{
    bits::packed,
    decode::{Decoded, decode},
    loops::{self, Loops},
    raccu,
};

/// The load port of one cell in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadPort {
    /// A word for any cell is on the port.
    pub(crate) valid: bool,
    /// The selects include this cell.
    pub(crate) matches: bool,
    /// The word, 27 bits.
    pub(crate) instr: u32,
    /// Its immediate flag.
    pub(crate) imm: bool,
}

impl LoadPort {
    /// The word with its flag, if it is for this cell.
    #[inline]
    pub(crate) fn word(&self) -> Option<(u32, bool)> {
        (self.valid && self.matches).then_some((self.instr, self.imm))
    }
}

/// Registers of section 3, except the instruction memory and the loop slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Registers {
    core: SeqCore,
    sh_raccu: SeqShRaccu,
    sh_loop: SeqShLoop,
    raccu_reg: [u8; 16],
    immediate: bool,
    refi: SeqRefi,
    dpu: SeqDpu,
}

/// Sequencer of one cell with RACCU and loop controller.
#[derive(Clone, Debug, Default)]
pub struct Sequencer {
    registers: Registers,
    slots: [SeqLoop; 4],
    /// Words of 27 bits, two per element; the word at the even address is in the lower bits.
    imem: [u64; 32],
    /// Bit a: flag of the word at address a.
    imem_imm: u64,
    /// The state of those parts of the image that most cycles do not change: the RACCU registers that [`Self::pack`]
    /// wrote last, and whether the loop slots and the instruction memory are up to date.
    packed_raccu: Option<[u8; 16]>,
    loops_packed: bool,
    imem_packed: bool,
}

/// The inputs of the sequencer in a cycle. They do not include the words for other cells, because a change of such a
/// word must not wake the sequencer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SequencerInputs {
    pub(crate) load_valid: bool,
    /// The word on the load port with its flag, if it is for this cell.
    pub(crate) word: Option<(u32, bool)>,
    pub(crate) cond_status: u8,
    pub(crate) io_cell: bool,
}

/// Signals of the sequencer in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct SequencerSignals {
    /// Registers before the edge.
    core: SeqCore,
    slots: [SeqLoop; 4],
    pub(crate) run: bool,
    /// The word at `pc` and the two that follow it.
    pub(crate) fetch: [u32; 3],
    imm_now: bool,
    pub(crate) decoded: Decoded,
    waiting: bool,
    pub(crate) stop: bool,
    /// The address at which the word on the load port is stored, the word, and its flag.
    write: Option<(u8, u32, bool)>,
    loops: Loops,
    next: Registers,
}

impl Sequencer {
    /// `last_word` (5.3): the program ends when it advances past the instruction at the program counter.
    #[inline]
    fn last_word(&self, wait_end: bool) -> bool {
        let SeqCore { pc, load_count: words, .. } = self.registers.core;
        match words {
            1 => pc == 1 || wait_end,
            _ => pc >= 1 && (pc + 1 == words || pc == words),
        }
    }

    /// Shadow registers of RACCU and LOOP (section 7). Returns what is executed in this cycle.
    #[inline]
    fn release(&self, d: &Decoded, imm_now: bool, n: &mut Registers) -> (SeqShRaccu, SeqShLoop) {
        let (raccu, lp) = (d.raccu.mode != RaccuMode::Idle, d.lp.valid);
        if raccu {
            n.sh_raccu = d.raccu;
        }
        if lp {
            n.sh_loop = d.lp;
        }
        if imm_now {
            (std::mem::take(&mut n.sh_raccu), std::mem::take(&mut n.sh_loop))
        } else {
            (SeqShRaccu::default(), SeqShLoop::default())
        }
    }
}

/// Like a [`Clocked`](crate::idle::Clocked) block, but skipped only together with the switchbox, the AGUs and the
/// issue registers of its cell.
impl Sequencer {
    /// `seq_cycle` of section 10.
    pub(crate) fn eval(&self, i: &SequencerInputs, out: &mut SequencerSignals) {
        let s = &self.registers;
        let n = &mut out.next;
        *n = *s;
        let SeqCore { state, pc, load_count, .. } = s.core;
        let imm_now = self.imem_imm >> pc & 1 == 1;
        let run = state == State::Run;

        // Decode.
        let fetch = [0, 1, 2].map(|ahead| self.imem(usize::from(pc) + ahead));
        out.decoded = Decoded::default();
        if run {
            decode(pc, fetch, i.cond_status, &s.raccu_reg, i.io_cell, &mut out.decoded);
        }
        let d = &out.decoded;
        let wait_end = d.wait == Some(s.core.wait_count);
        let waiting = d.wait.is_some() && !wait_end;
        let pc_moves = run && !d.halt && !waiting;

        // End of program.
        let stop = d.halt || pc_moves && self.last_word(wait_end);

        // State, loader (section 4).
        let hit = i.word.is_some();
        let write = i.word.filter(|_| !run).map(|(instr, imm)| (load_count, instr, imm));
        n.core.state = match state {
            State::Idle if hit => State::Load,
            State::Load if !i.load_valid => State::Run,
            State::Run if stop => State::Idle,
            same => same,
        };
        if write.is_some() {
            n.core.load_count = (load_count + 1).min(63);
        }
        if stop {
            n.core.load_count = 0;
        }
        n.core.wait_count = if waiting { (s.core.wait_count + 1) & 0x7fff } else { 0 };

        // Output registers (sections 3 and 6).
        n.refi.cfg_start = false;
        n.dpu.dpu_start = false;
        if d.refi.cfg_start {
            n.refi = d.refi;
        }
        if let Some(instr) = d.dpu {
            n.dpu = SeqDpu { dpu_start: true, instr, ..n.dpu };
        }
        n.dpu.cfg_bw = d.bw.unwrap_or(s.dpu.cfg_bw);
        n.immediate = imm_now;

        // Shadow registers (section 7).
        let (rx, lx) = self.release(d, imm_now, n);
        // Loop controller (section 9).
        loops::eval(&self.slots, &s.raccu_reg, &lx, pc, waiting, &mut out.loops);
        let loops = &out.loops;
        for (k, value) in loops.iterators.iter().enumerate() {
            if let Some(value) = value {
                n.raccu_reg[15 - k] = *value;
            }
        }
        // RACCU (section 8): reads the old destination and takes precedence over an iterator.
        if let Some(value) = raccu::raccu_alu(&rx, s.raccu_reg[usize::from(rx.dst)]) {
            n.raccu_reg[usize::from(rx.dst)] = value;
        }

        // Program counter (5.1).
        if waiting {
            if !s.core.pend_valid {
                n.core.pend_valid = loops.jump.is_some();
                n.core.pend_pc = loops.jump.unwrap_or(0);
            }
        } else if pc_moves {
            let pending = s.core.pend_valid.then_some(s.core.pend_pc);
            n.core.pc = loops.jump.or(pending).or(d.jump).unwrap_or((pc + d.adv) & 63);
            (n.core.pend_valid, n.core.pend_pc) = (false, 0);
        } else {
            n.core.pc = 0;
        }
        (out.core, out.slots, out.fetch, out.write) = (s.core, self.slots, fetch, write);
        (out.run, out.imm_now, out.waiting, out.stop) = (run, imm_now, waiting, stop);
    }

    /// The edge. Returns whether anything may have changed.
    pub(crate) fn commit(&mut self, s: &SequencerSignals) -> bool {
        if let Some((address, instr, imm)) = s.write {
            let (pair, shift) = (&mut self.imem[usize::from(address / 2)], 32 * (address % 2));
            *pair = *pair & !(0xffff_ffff << shift) | u64::from(instr) << shift;
            self.imem_imm = self.imem_imm & !(1 << address) | u64::from(imm) << address;
            self.imem_packed = false;
        }
        let mut changed = s.write.is_some();
        for (slot, next) in self.slots.iter_mut().zip(&s.loops.next) {
            if let Some(next) = next {
                *slot = *next;
                (changed, self.loops_packed) = (true, false);
            }
        }
        let changed = changed || self.registers != s.next;
        self.registers = s.next;
        changed
    }

    /// Writes the registers into the image of a cell.
    pub(crate) fn pack(&mut self, slots: &Slots, image: &mut [u64]) {
        let Registers { core, sh_raccu, sh_loop, raccu_reg, immediate, refi, dpu } =
            &self.registers;
        let slot = |group| slots.of(group);
        image[slot(GroupId::SeqCore)] = core.pack();
        image[slot(GroupId::SeqImmediate)] = (*immediate).into();
        image[slot(GroupId::SeqRefi)] = refi.pack();
        image[slot(GroupId::SeqDpu)] = dpu.pack();
        image[slot(GroupId::SeqShRaccu)] = sh_raccu.pack();
        image[slot(GroupId::SeqShLoop)] = sh_loop.pack();
        if self.packed_raccu != Some(*raccu_reg) {
            self.packed_raccu = Some(*raccu_reg);
            let all = packed(raccu_reg.map(u64::from), array::SEQ_RACCU_REG);
            image[slot(GroupId::SeqRaccuReg)] = all as u64;
            image[slot(GroupId::SeqRaccuReg) + 1] = (all >> 64) as u64;
        }
        if !std::mem::replace(&mut self.loops_packed, true) {
            for (k, lp) in self.slots.iter().enumerate() {
                image[slot(GroupId::SeqLoop) + k] = lp.pack();
            }
        }
        if !std::mem::replace(&mut self.imem_packed, true) {
            image[slot(GroupId::SeqImemImm)] = self.imem_imm;
            image[slot(GroupId::SeqImem)..][..32].copy_from_slice(&self.imem);
        }
    }
}

/// Registers in the current cycle, for other modules.
impl Sequencer {
    /// True in state IDLE.
    #[inline]
    pub fn idle(&self) -> bool {
        self.registers.core.state == State::Idle
    }

    /// Program counter.
    #[inline]
    pub fn pc(&self) -> u8 {
        self.registers.core.pc
    }

    /// True in state RUN: the instruction at the program counter is decoded in this cycle.
    #[inline]
    pub fn running(&self) -> bool {
        self.registers.core.state == State::Run
    }

    /// Number of cycles for which a WAIT at the program counter has already held the program.
    #[inline]
    pub fn wait_count(&self) -> u16 {
        self.registers.core.wait_count
    }

    /// `immediate` of the current cycle: if true, the receivers launch the instructions that wait for a flag.
    #[inline]
    pub fn immediate(&self) -> bool {
        self.registers.immediate
    }

    /// The REFI outputs: the REFI in flight to the register file, if `cfg_start` is 1.
    #[inline]
    pub fn refi(&self) -> &SeqRefi {
        &self.registers.refi
    }

    /// The DPU outputs: the instruction in flight to the DPU, if `dpu_start` is 1, and `cfg_bw`.
    #[inline]
    pub fn dpu(&self) -> &SeqDpu {
        &self.registers.dpu
    }

    /// Lane width that the last BW set.
    #[inline]
    pub fn cfg_bw(&self) -> BwConfig {
        self.registers.dpu.cfg_bw
    }

    /// Bit k: loop slot k is active.
    pub fn active_loops(&self) -> u8 {
        (0..4).fold(0, |m, k| m | u8::from(self.slots[k].active) << k)
    }

    /// A RACCU register.
    pub fn raccu_reg(&self, register: usize) -> u8 {
        self.registers.raccu_reg[register]
    }

    /// Whether a RACCU, and whether a LOOP, is pending in its shadow register.
    #[inline]
    pub(crate) fn pending(&self) -> [bool; 2] {
        [self.registers.sh_raccu.mode != RaccuMode::Idle, self.registers.sh_loop.valid]
    }

    /// The word of the instruction memory at an address, of which only the lower 6 bits are used.
    #[inline]
    pub fn imem(&self, address: usize) -> u32 {
        (self.imem[address / 2 % 32] >> (32 * (address % 2))) as u32
    }

    /// Flags of the instruction memory, bit a for address a.
    pub fn imem_imm(&self) -> u64 {
        self.imem_imm
    }
}
