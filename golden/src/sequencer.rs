// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequencer: instruction memory, load protocol, program counter (chapter 2).

pub(crate) mod activity;
mod show;

use drra_fabric::{
    GroupId, GroupOffsets, SequencerState as State,
    fields::array,
    images::{SeqCore, SeqDpu, SeqLoop, SeqRefi, SeqShLoop, SeqShRaccu},
};
use drra_isa::instructions::{BwConfig, RaccuMode};

use self::activity::{
    LoadEvent, ProgramEnd, SequencerActivity, overruled, raccu_target, redirects,
};
use crate::{
    bits::packed,
    decode::{InstructionEffect, decode},
    idle::Clocked,
    loops::{LoopSignals, SlotPhase, loop_unit},
    raccu::raccu,
};

/// The load port of one cell in one cycle: `ld_valid`, `ld_match`, `ld_instr` and `ld_imm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// Registers of section 3, except `wait_count` and the instruction memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Registers {
    /// `state`, `load_count`, `pc`, `pend_valid`, `pend_pc`.
    core: SeqCore,
    sh_raccu: SeqShRaccu,
    sh_loop: SeqShLoop,
    raccu_reg: [u8; 16],
    /// `loop_active[k]` to `loop_count[k]` of each slot k.
    slots: [SeqLoop; 4],
    immediate: bool,
    /// `cfg_start`, `cfg_port`, `cfg_dimarch`, `init_addr` to `l2_delay`.
    refi: SeqRefi,
    /// `dpu_start`, `dpu_mode`, `dpu_control`, `dpu_const`, `dpu_io`, `cfg_bw`.
    dpu: SeqDpu,
}

/// Sequencer of one cell with RACCU and loop controller.
#[derive(Clone, Debug)]
pub struct Sequencer {
    registers: Registers,
    /// Counts in every cycle of a WAIT, so it is the free-running counter of the block.
    wait_count: u16,
    imem: [u32; 64],
    /// Bit k: the flag of word k.
    imem_imm: u64,
    /// The instruction memory may have changed since the last [`Self::pack`].
    imem_dirty: bool,
    pub(crate) signals: SequencerSignals,
}

/// The inputs of the sequencer in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SequencerInputs {
    pub(crate) load: LoadPort,
    pub(crate) cond_status: u8,
    pub(crate) io_cell: bool,
}

/// Signals of the sequencer in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct SequencerSignals {
    pub(crate) run: bool,
    /// The word at `pc` and the two that follow it.
    pub(crate) fetch: [u32; 3],
    imm_now: bool,
    pub(crate) decoded: InstructionEffect,
    pub(crate) waiting: bool,
    loops: LoopSignals,
    pub(crate) activity: SequencerActivity,
}

impl Sequencer {
    /// A sequencer in reset.
    pub(crate) fn new() -> Self {
        Self {
            registers: Registers::default(),
            wait_count: 0,
            imem: [0; 64],
            imem_imm: 0,
            imem_dirty: true,
            signals: SequencerSignals::default(),
        }
    }

    /// Writes the program counter and the other registers beside `wait_count` into the image of a cell.
    pub(crate) fn pack_count(&self, places: &GroupOffsets, image: &mut [u64]) {
        let core = SeqCore { wait_count: self.wait_count, ..self.registers.core };
        image[places.of(GroupId::SeqCore)] = core.pack();
    }

    /// Writes the other registers into the image of a cell.
    pub(crate) fn pack(&mut self, places: &GroupOffsets, image: &mut [u64]) {
        let s = &self.registers;
        let place = |group| places.of(group);
        image[place(GroupId::SeqImmediate)] = s.immediate.into();
        image[place(GroupId::SeqRefi)] = s.refi.pack();
        image[place(GroupId::SeqDpu)] = s.dpu.pack();
        image[place(GroupId::SeqShRaccu)] = s.sh_raccu.pack();
        image[place(GroupId::SeqShLoop)] = s.sh_loop.pack();
        image[place(GroupId::SeqRaccuReg)..][..2].copy_from_slice(&self.raccu_words());
        for (word, lp) in image[place(GroupId::SeqLoop)..].iter_mut().zip(&s.slots) {
            *word = lp.pack();
        }
        if !std::mem::take(&mut self.imem_dirty) {
            return;
        }
        image[place(GroupId::SeqImemImm)] = self.imem_imm;
        let (pairs, _) = self.imem.as_chunks::<2>();
        for (word, [even, odd]) in image[place(GroupId::SeqImem)..].iter_mut().zip(pairs) {
            *word = u64::from(*odd) << 32 | u64::from(*even);
        }
    }

    /// The RACCU registers as two words.
    fn raccu_words(&self) -> [u64; 2] {
        let all = packed(self.registers.raccu_reg.map(u64::from), array::SEQ_RACCU_REG);
        [all as u64, (all >> 64) as u64]
    }
}

/// Registers in the current cycle, for other modules.
impl Sequencer {
    /// True in state IDLE.
    pub fn idle(&self) -> bool {
        self.registers.core.state == State::Idle
    }

    /// Program counter.
    pub fn pc(&self) -> u8 {
        self.registers.core.pc
    }

    /// True in state RUN: the instruction at the program counter is decoded in this cycle.
    pub fn running(&self) -> bool {
        self.registers.core.state == State::Run
    }

    /// True in the first cycle of an instruction, and in each cycle of a WAIT in which its counter has wrapped around to
    /// 0 (chapter 2, 5.2).
    pub(crate) fn decodes(&self) -> bool {
        self.running() && self.wait_count() == 0
    }

    /// Number of cycles for which a WAIT at the program counter has already held the program.
    pub fn wait_count(&self) -> u16 {
        self.wait_count
    }

    /// `immediate` of the current cycle: if true, the receivers launch the instructions that wait for a flag.
    pub fn immediate(&self) -> bool {
        self.registers.immediate
    }

    /// The REFI outputs: the REFI in flight to the register file, if `cfg_start` is 1.
    pub fn refi(&self) -> &SeqRefi {
        &self.registers.refi
    }

    /// The DPU outputs: the instruction in flight to the DPU, if `dpu_start` is 1, and `cfg_bw`.
    pub fn dpu(&self) -> &SeqDpu {
        &self.registers.dpu
    }

    /// Lane width that the last BW set.
    pub fn cfg_bw(&self) -> BwConfig {
        self.registers.dpu.cfg_bw
    }

    /// Bit k: loop slot k is active.
    pub fn active_loops(&self) -> u8 {
        (0..4).fold(0, |m, k| m | u8::from(self.registers.slots[k].active) << k)
    }

    /// A RACCU register.
    pub fn raccu_reg(&self, register: usize) -> u8 {
        self.registers.raccu_reg[register]
    }

    /// Whether a RACCU, and whether a LOOP, is pending in its shadow register.
    pub(crate) fn pending(&self) -> [bool; 2] {
        [self.registers.sh_raccu.mode != RaccuMode::Idle, self.registers.sh_loop.valid]
    }

    /// The word of the instruction memory at an address, of which only the lower 6 bits are used.
    pub fn imem(&self, address: usize) -> u32 {
        self.imem[address % 64]
    }

    /// The flag of that word.
    pub fn imem_imm(&self, address: usize) -> bool {
        self.imem_imm >> (address % 64) & 1 == 1
    }
}

/// `wait_count` in the next cycle (5.2).
fn next_count(wait_count: u16, waiting: bool) -> u16 {
    if waiting { (wait_count + 1) & 0x7fff } else { 0 }
}

impl Clocked for Sequencer {
    type Inputs = SequencerInputs;

    /// `seq_cycle` of section 10, and the edge.
    fn next(&mut self, i: &SequencerInputs) -> bool {
        let s = self.registers;
        let SeqCore { state, pc, load_count, .. } = s.core;
        let imm_now = self.imem_imm(pc.into());
        let fetch = [0, 1, 2].map(|ahead| self.imem(usize::from(pc) + ahead));
        let run = state == State::Run;

        // Decode.
        let d = if run {
            decode(pc, fetch, i.cond_status, &s.raccu_reg, i.io_cell)
        } else {
            InstructionEffect::default()
        };
        let wait_end = d.wait == Some(self.wait_count);
        let waiting = d.wait.is_some() && !wait_end;
        let pc_moves = run && !d.halt && !waiting;
        let n = &mut self.registers;

        // End of program.
        let last_word = match load_count {
            1 => pc == 1 || wait_end,
            m => pc >= 1 && (pc + 1 == m || pc == m),
        };
        let stop = d.halt || pc_moves && last_word;

        // State, loader.
        let hit = i.load.valid && i.load.matches;
        let write = hit && !run;
        n.core.state = match state {
            State::Idle if hit => State::Load,
            State::Load if !i.load.valid => State::Run,
            State::Run if stop => State::Idle,
            same => same,
        };
        if write {
            n.core.load_count = (load_count + 1).min(63);
        }
        if stop {
            n.core.load_count = 0;
        }
        self.wait_count = next_count(self.wait_count, waiting);

        // Output registers.
        (n.refi.cfg_start, n.dpu.dpu_start) = (false, false);
        if d.refi.cfg_start {
            n.refi = d.refi;
        }
        if let Some(instr) = d.dpu {
            n.dpu = SeqDpu { dpu_start: true, instr, ..n.dpu };
        }
        n.dpu.cfg_bw = d.bw.unwrap_or(s.dpu.cfg_bw);
        n.immediate = imm_now;

        // Loop controller, RACCU.
        let loops;
        (loops, n.sh_loop, n.slots) =
            loop_unit(s.sh_loop, &s.slots, imm_now, pc, waiting, d.lp, &s.raccu_reg);
        (n.sh_raccu, n.raccu_reg) =
            raccu(s.sh_raccu, &s.raccu_reg, imm_now, d.raccu, &loops.iter_value);

        // Program counter.
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

        let slots = [&s.slots, &n.slots];
        let raccu = raccu_target(imm_now, d.raccu, s.sh_raccu);
        let activity = SequencerActivity {
            state,
            load: LoadEvent::of(&i.load),
            end: ProgramEnd::of(&s.core, d.halt, stop),
            phases: if run && !waiting { SlotPhase::all(&s.slots, pc) } else { None },
            redirects: if pc_moves { redirects(&s.core, &loops, d.jump, slots) } else { None },
            raccu,
            overruled: raccu.and_then(|dst| overruled(dst, &loops, &n.slots, &n.raccu_reg)),
        };
        let changed = *n != s || write || wait_end;
        if write {
            let m = usize::from(load_count);
            (self.imem[m], self.imem_dirty) = (i.load.instr, true);
            self.imem_imm = self.imem_imm & !(1 << m) | u64::from(i.load.imm) << m;
        }
        self.signals =
            SequencerSignals { run, fetch, imm_now, decoded: d, waiting, loops, activity };
        changed
    }

    fn counts(&self) -> bool {
        // What is decoded is the same as in the last cycle.
        self.signals.decoded.wait != Some(self.wait_count)
    }

    fn count(&mut self) {
        self.wait_count = next_count(self.wait_count, self.signals.waiting);
    }
}
