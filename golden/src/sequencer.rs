// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequencer: instruction memory, load protocol, program counter (chapter 2).

mod images;
mod wires;

use drra_isa::instructions::RaccuMode;

use drra_isa::fabric::{SequencerState as State, images::SeqCore};

use crate::{
    decode::{Effects, Outputs, decode},
    dpu::DpuInstruction,
    loops::{self, LoopOp, LoopSlot},
    observe::{LoadEvent, ProgramEnd, SequencerActivity, SlotPhase},
    raccu::RaccuOp,
    register_file::Refi,
    rest,
};

/// The load port of one cell in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadPort {
    /// A word for any cell is on the port.
    pub valid: bool,
    /// The selects name this cell.
    pub matches: bool,
    /// The word, 27 bits.
    pub instr: u32,
    /// Its immediate flag.
    pub imm: bool,
}

/// Sequencer of one cell with RACCU and loop controller.
#[derive(Clone, Debug)]
pub struct Sequencer {
    core: SeqCore,
    imem: [u32; 64],
    imem_imm: u64,
    sh_raccu: RaccuOp,
    sh_loop: LoopOp,
    raccu: [u8; 16],
    slots: [LoopSlot; 4],
    pub(crate) immediate: bool,
    pub(crate) refi_start: bool,
    pub(crate) refi: Refi,
    pub(crate) dpu_start: bool,
    pub(crate) dpu: DpuInstruction,
    pub(crate) bw: u8,
    settled: bool,
    /// Not registers: what happened in the last cycle.
    activity: SequencerActivity,
    /// Not a register: instructions decoded since reset.
    instructions: u64,
}

impl Default for Sequencer {
    fn default() -> Self {
        Self::new()
    }
}

impl Sequencer {
    /// A sequencer in reset.
    pub fn new() -> Self {
        Self {
            core: SeqCore {
                state: State::Idle,
                load_count: 0,
                pc: 0,
                wait_count: 0,
                pend_valid: false,
                pend_pc: 0,
            },
            imem: [0; 64],
            imem_imm: 0,
            sh_raccu: RaccuOp::default(),
            sh_loop: LoopOp::default(),
            raccu: [0; 16],
            slots: [LoopSlot::default(); 4],
            immediate: false,
            refi_start: false,
            refi: Refi::default(),
            dpu_start: false,
            dpu: DpuInstruction::default(),
            bw: 0,
            settled: false,
            activity: SequencerActivity::default(),
            instructions: 0,
        }
    }

    /// True in state IDLE.
    pub fn idle(&self) -> bool {
        self.core.state == State::Idle
    }

    /// Program counter.
    pub fn pc(&self) -> u8 {
        self.core.pc
    }

    /// True in state RUN: the instruction at the program counter is decoded in this cycle.
    pub fn running(&self) -> bool {
        self.core.state == State::Run
    }

    /// Cycles that a WAIT at the program counter has held it already.
    pub fn wait_count(&self) -> u16 {
        self.core.wait_count
    }

    /// Instructions decoded since reset; a WAIT counts once.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// `immediate` of the current cycle: what waits in shadow registers is launched.
    #[inline]
    pub fn immediate(&self) -> bool {
        self.immediate
    }

    /// The REFI that is on its way to the register file in the current cycle.
    #[inline]
    pub fn issued_refi(&self) -> Option<&Refi> {
        self.refi_start.then_some(&self.refi)
    }

    /// The DPU instruction that is on its way to the DPU in the current cycle.
    #[inline]
    pub fn issued_dpu(&self) -> Option<&DpuInstruction> {
        self.dpu_start.then_some(&self.dpu)
    }

    /// Lane width that the last BW set (`cfg_bw`): 0 int16, 1 int8, 2 fx16, 3 int4.
    #[inline]
    pub fn cfg_bw(&self) -> u8 {
        self.bw
    }

    /// Bit k: loop slot k is active.
    pub fn active_loops(&self) -> u8 {
        (0..4).fold(0, |m, k| m | u8::from(self.slots[k].active) << k)
    }

    /// What happened in the last cycle.
    #[inline]
    pub fn activity(&self) -> &SequencerActivity {
        &self.activity
    }

    /// The last cycle repeated the one before it in IDLE.
    #[inline]
    pub(crate) fn rest(&mut self) {
        self.activity.state = None;
    }

    /// True if a RACCU and a LOOP wait for a flag.
    #[inline]
    pub(crate) fn waiting(&self) -> [bool; 2] {
        [self.sh_raccu.mode != RaccuMode::Idle, self.sh_loop.valid]
    }

    /// The instruction memory.
    pub fn imem(&self) -> &[u32; 64] {
        &self.imem
    }

    /// True if a cycle without a word for this cell changes nothing. Words of other cells matter
    /// in state LOAD only (section 4).
    #[inline]
    pub(crate) fn settled(&self) -> bool {
        rest::allowed() && self.settled
    }

    /// Executes one cycle.
    pub fn step(&mut self, load: LoadPort, cond_status: u8, io_cell: bool) -> Outputs {
        let run = self.core.state == State::Run;
        let d = if run {
            decode(&self.imem, self.core.pc, &self.raccu, cond_status, io_cell)
        } else {
            Effects::default()
        };
        self.instructions += u64::from(run && self.core.wait_count == 0);

        let wait_end = d.wait == Some(self.core.wait_count);
        let waiting = d.wait.is_some() && !wait_end;
        let step = run && !d.halt && !waiting;
        let stop = d.halt || step && self.at_last_word(wait_end);

        self.observe(load, d.halt, stop, !waiting);

        let imm_now = self.imem_imm >> self.core.pc & 1 == 1;
        self.load(load, stop);
        self.core.wait_count = if waiting { (self.core.wait_count + 1) & 0x7fff } else { 0 };
        self.issue(&d, imm_now);
        let (rx, lx) = self.launch(&d, imm_now);

        // Loops and RACCU; the RACCU reads the old destination and wins the write.
        let result = rx.result(self.raccu[usize::from(rx.dst)]);
        let loops = loops::step(&mut self.slots, &self.raccu, &lx, self.core.pc, waiting);
        let loop_target = loops.target;
        for (k, value) in loops.iterators.into_iter().enumerate() {
            if let Some(value) = value {
                self.raccu[15 - k] = value;
            }
        }
        if let Some(value) = result {
            self.raccu[usize::from(rx.dst)] = value;
        }

        // Program counter (5.1).
        if waiting {
            if !self.core.pend_valid {
                self.core.pend_valid = loop_target.is_some();
                self.core.pend_pc = loop_target.unwrap_or(0);
            }
        } else if step {
            let next = self.core.pc.wrapping_add(d.advance) & 63;
            let pending = self.core.pend_valid.then_some(self.core.pend_pc);
            self.core.pc = loop_target.or(pending).or(d.jump).unwrap_or(next);
            self.core.pend_valid = false;
            self.core.pend_pc = 0;
        } else {
            self.core.pc = 0;
        }

        self.settled = self.repeats();
        d.out
    }

    /// Notes what happens in this cycle.
    #[inline]
    fn observe(&mut self, load: LoadPort, halt: bool, last: bool, goes_on: bool) {
        let SeqCore { state, pc, load_count, .. } = self.core;
        let end = match load_count {
            _ if halt => ProgramEnd::Halt,
            _ if !last => ProgramEnd::No,
            1 => ProgramEnd::OnlyWord,
            words if pc == words => ProgramEnd::AfterLastWord,
            _ => ProgramEnd::LastWord,
        };
        let looks = state == State::Run && goes_on && self.slots.iter().any(|s| s.active);
        self.activity = SequencerActivity {
            state: Some(state),
            load: match (load.valid, load.matches) {
                (false, _) => LoadEvent::None,
                (true, false) => LoadEvent::Other,
                (true, true) => LoadEvent::Own,
            },
            end,
            slots: looks.then(|| self.slots.map(|slot| slot_phase(&slot, pc))),
        };
    }

    /// The program ends with a step of the instruction at the program counter (5.3).
    #[inline]
    fn at_last_word(&self, wait_end: bool) -> bool {
        let (pc, words) = (self.core.pc, self.core.load_count);
        match words {
            1 => pc == 1 || wait_end,
            _ => pc >= 1 && (pc == words.wrapping_sub(1) & 63 || pc == words),
        }
    }

    /// State machine and loader (section 4); `stop`: the program ends with this cycle.
    #[inline]
    fn load(&mut self, load: LoadPort, stop: bool) {
        let hit = load.valid && load.matches;
        if hit && self.core.state != State::Run {
            let words = self.core.load_count;
            self.imem[usize::from(words)] = load.instr;
            self.imem_imm = self.imem_imm & !(1 << words) | u64::from(load.imm) << words;
            self.core.load_count = (words + 1).min(63);
        }
        self.core.state = match self.core.state {
            State::Idle if hit => State::Load,
            State::Load if !load.valid => State::Run,
            State::Run if stop => State::Idle,
            same => same,
        };
        if stop {
            self.core.load_count = 0;
        }
    }

    /// Output registers (section 6): what was decoded goes to the register file and the DPU.
    #[inline]
    fn issue(&mut self, d: &Effects, imm_now: bool) {
        self.immediate = imm_now;
        self.refi_start = d.refi.is_some();
        if let Some(refi) = d.refi {
            self.refi = refi;
        }
        self.dpu_start = d.dpu.is_some();
        if let Some(dpu) = d.dpu {
            self.dpu = dpu;
        }
        if let Some(bw) = d.bw {
            self.bw = bw;
        }
    }

    /// Shadow registers of RACCU and LOOP (section 7): what is executed in this cycle.
    #[inline]
    fn launch(&mut self, d: &Effects, imm_now: bool) -> (RaccuOp, LoopOp) {
        let (raccu, lp) = (d.raccu.mode != RaccuMode::Idle, d.lp.valid);
        if imm_now {
            let (waiting_raccu, waiting_loop) =
                (std::mem::take(&mut self.sh_raccu), std::mem::take(&mut self.sh_loop));
            return (
                if raccu { d.raccu } else { waiting_raccu },
                if lp { d.lp } else { waiting_loop },
            );
        }
        if raccu {
            self.sh_raccu = d.raccu;
        }
        if lp {
            self.sh_loop = d.lp;
        }
        (RaccuOp::default(), LoopOp::default())
    }

    /// True in IDLE once nothing is left to fall back to 0: the next cycles repeat this one.
    #[inline]
    fn repeats(&self) -> bool {
        self.core.state == State::Idle
            && self.core.pc == 0
            && self.immediate == (self.imem_imm & 1 == 1)
            && !self.refi_start
            && !self.dpu_start
            && (!self.immediate || self.sh_raccu.mode == RaccuMode::Idle && !self.sh_loop.valid)
            && self.slots.iter().all(|s| !s.active)
            && self.raccu[12..] == [0; 4]
    }
}

/// A loop slot while `pc` is executed.
fn slot_phase(slot: &LoopSlot, pc: u8) -> SlotPhase {
    match slot {
        LoopSlot { active: false, .. } => SlotPhase::Inactive,
        LoopSlot { end_pc, .. } if *end_pc != pc => SlotPhase::Runs,
        LoopSlot { count, iter, .. } if *count == iter.wrapping_sub(1) & 63 => SlotPhase::AtLastEnd,
        LoopSlot { .. } => SlotPhase::AtEnd,
    }
}
