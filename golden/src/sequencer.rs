// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequencer: instruction memory, load protocol, program counter, decode (chapter 2).

use crate::agu::Config;
use crate::bits::Packer;
use crate::bits::field;
use crate::dpu::Instruction as DpuInstruction;
use crate::loops;
use crate::loops::LoopOp;
use crate::loops::LoopSlot;
use crate::message::CellMessage;
use crate::message::KIND_IO;
use crate::message::KIND_ROUTE;
use crate::message::KIND_SRAM;
use crate::raccu::RaccuOp;
use crate::register_file::Refi;

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

/// Combinational outputs of one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// The SWB decoded in this cycle.
    pub swb: Option<u32>,
    /// The message decoded in this cycle.
    pub(crate) noc: CellMessage,
    /// The PERM decoded in this cycle.
    pub perm: Option<u32>,
}

impl Outputs {
    /// `noc_dec` as `{valid, kind}` and payload, for tests of the sequencer alone.
    pub fn noc_dec(&self) -> (u64, u64) {
        let [payload, head] = self.noc.words();
        (head, payload)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle = 0,
    Load = 1,
    Run = 2,
}

/// What an instruction does besides the registers it sets.
#[derive(Default)]
struct Decoded {
    halt: bool,
    wait: Option<u16>,
    advance: u8,
    jump: Option<u8>,
    raccu: RaccuOp,
    lp: LoopOp,
    refi: Option<Refi>,
    dpu: Option<DpuInstruction>,
    bw: Option<u8>,
    out: Outputs,
}

/// Sequencer of one cell with RACCU and loop controller.
#[derive(Clone, Debug)]
pub struct Sequencer {
    state: State,
    load_count: u8,
    pc: u8,
    wait_count: u16,
    pend: Option<u8>,
    /// `pend_pc` when nothing is pending: the target of the last look-up in a WAIT.
    pend_pc: u8,
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
            state: State::Idle,
            load_count: 0,
            pc: 0,
            wait_count: 0,
            pend: None,
            pend_pc: 0,
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
            instructions: 0,
        }
    }

    /// True in state IDLE.
    pub fn idle(&self) -> bool {
        self.state == State::Idle
    }

    /// Program counter.
    pub fn pc(&self) -> u8 {
        self.pc
    }

    /// True in state RUN: the instruction at the program counter is decoded in this cycle.
    pub fn running(&self) -> bool {
        self.state == State::Run
    }

    /// Cycles that a WAIT at the program counter has held it already.
    pub fn wait_count(&self) -> u16 {
        self.wait_count
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

    /// `cfg_bw`.
    #[inline]
    pub fn cfg_bw(&self) -> u8 {
        self.bw
    }

    /// Bit k: loop slot k is active.
    pub fn active_loops(&self) -> u8 {
        (0..4).fold(0, |m, k| m | u8::from(self.slots[k].active) << k)
    }

    /// The instruction memory.
    pub fn imem(&self) -> &[u32; 64] {
        &self.imem
    }

    /// True if a cycle without a word for this cell changes nothing. Words of other cells matter
    /// in state LOAD only.
    #[inline]
    pub(crate) fn settled(&self) -> bool {
        self.settled
    }

    /// Continues a WAIT in its third or a later cycle, if that is all there is to do. By then a
    /// release by the WAIT itself is over, and the registers of inactive loop slots are 0 again.
    /// Returns false, with nothing done, in any other situation.
    #[inline]
    pub(crate) fn wait_on(&mut self) -> bool {
        if self.state != State::Run || self.wait_count < 2 {
            return false;
        }
        let word = self.imem[usize::from(self.pc)];
        let dynamic = word >> 22 & 1 == 1;
        if dynamic || self.wait_count == (word >> 7 & 0x7fff) as u16 {
            return false;
        }
        self.wait_count += 1;
        true
    }

    /// Executes one cycle.
    pub fn step(&mut self, load: LoadPort, cond_status: u8, io_cell: bool) -> Outputs {
        let pc = self.pc;
        let imm_now = self.imem_imm >> pc & 1 == 1;
        let run = self.state == State::Run;
        let d = if run { self.decode(cond_status, io_cell) } else { Decoded::default() };

        self.instructions += u64::from(run && self.wait_count == 0);

        let wait_end = d.wait == Some(self.wait_count);
        let waiting = d.wait.is_some() && !wait_end;
        let step = run && !d.halt && !waiting;

        // End of program (5.3).
        let words = self.load_count;
        let last_word = match words {
            1 => pc == 1 || wait_end,
            _ => pc >= 1 && (pc == words.wrapping_sub(1) & 63 || pc == words),
        };
        let stop = d.halt || step && last_word;

        // State machine and loader (section 4).
        let hit = load.valid && load.matches;
        if hit && !run {
            self.imem[usize::from(words)] = load.instr;
            self.imem_imm = self.imem_imm & !(1 << words) | u64::from(load.imm) << words;
            self.load_count = (words + 1).min(63);
        }
        self.state = match self.state {
            State::Idle if hit => State::Load,
            State::Load if !load.valid => State::Run,
            State::Run if stop => State::Idle,
            same => same,
        };
        if stop {
            self.load_count = 0;
        }
        self.wait_count = if waiting { (self.wait_count + 1) & 0x7fff } else { 0 };

        // Output registers.
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

        // Shadow registers of RACCU and LOOP (section 7).
        let (rx, lx) = if imm_now {
            let rx = if d.raccu.mode != 0 { d.raccu } else { self.sh_raccu };
            let lx = if d.lp.valid { d.lp } else { self.sh_loop };
            self.sh_raccu = RaccuOp::default();
            self.sh_loop = LoopOp::default();
            (rx, lx)
        } else {
            if d.raccu.mode != 0 {
                self.sh_raccu = d.raccu;
            }
            if d.lp.valid {
                self.sh_loop = d.lp;
            }
            (RaccuOp::default(), LoopOp::default())
        };

        // Loops and RACCU; the RACCU reads the old destination and wins the write.
        let result = rx.result(self.raccu[usize::from(rx.dst)]);
        let loop_target = loops::step(&mut self.slots, &mut self.raccu, &lx, pc, waiting);
        if let Some(value) = result {
            self.raccu[usize::from(rx.dst)] = value;
        }

        // Program counter (5.1).
        if waiting {
            if self.pend.is_none() {
                self.pend = loop_target;
                self.pend_pc = loop_target.unwrap_or(0);
            }
        } else if step {
            self.pc =
                loop_target.or(self.pend).or(d.jump).unwrap_or(pc.wrapping_add(d.advance) & 63);
            self.pend = None;
            self.pend_pc = 0;
        } else {
            self.pc = 0;
        }

        // In IDLE the next cycles repeat this one once nothing is left to fall back to 0.
        self.settled = self.state == State::Idle
            && self.pc == 0
            && self.immediate == (self.imem_imm & 1 == 1)
            && !self.refi_start
            && !self.dpu_start
            && (!self.immediate || self.sh_raccu.mode == 0 && !self.sh_loop.valid)
            && self.slots.iter().all(|s| !s.active)
            && self.raccu[12..] == [0; 4];
        d.out
    }

    /// Decode of the instruction at the program counter (section 6 and the code of section 10).
    fn decode(&self, cond_status: u8, io_cell: bool) -> Decoded {
        let word = |ahead: u8| self.imem[usize::from(self.pc.wrapping_add(ahead) & 63)];
        let w0 = word(0);
        let f = |lsb, width| field(w0.into(), lsb, width) as u8;
        let bit = |lsb| field(w0.into(), lsb, 1) == 1;
        // Operand substitution: the register whose number is in the low 4 bits of the field.
        let reg = |number: u64| self.raccu[(number & 15) as usize];
        let s6 = |r: u8| (r >> 6 & 1) << 5 | r & 31;

        let mut d = Decoded { advance: 1, ..Default::default() };
        match f(23, 4) {
            0 => d.halt = true,
            1 => {
                let extra = f(19, 2) % 3;
                let w1 = if extra >= 1 { u64::from(word(1)) } else { 0 };
                let w2 = if extra == 2 { u64::from(word(2)) } else { 0 };
                let pick = |sd: u64, value: u64| {
                    if sd == 1 { reg(value) & 63 } else { value as u8 }
                };
                let l1_delay = field(w1, 10, 4);
                let l2_iter = field(w1, 4, 5);
                d.advance = 1 + extra;
                d.refi = Some(Refi {
                    port: f(21, 2),
                    dimarch: field(w2, 1, 1) == 1,
                    cfg: Config {
                        init_addr: pick(u64::from(bit(18)), f(12, 6).into()),
                        l1_iter: pick(field(w1, 26, 1), f(6, 6).into()),
                        init_delay: pick(field(w1, 25, 1), f(0, 6).into()),
                        l1_step: if extra == 0 {
                            1
                        } else {
                            pick(field(w1, 22, 1), field(w1, 16, 6))
                        },
                        l1_step_sign: field(w1, 15, 1) == 1,
                        l1_delay: match field(w1, 14, 1) {
                            1 => reg(l1_delay) & 63,
                            _ => (field(w2, 8, 2) << 4 | l1_delay) as u8,
                        },
                        l2_iter: match field(w1, 9, 1) {
                            1 => reg(l2_iter) & 63,
                            _ => (field(w2, 7, 1) << 5 | l2_iter) as u8,
                        },
                        l2_step: (field(w2, 5, 2) << 4 | field(w1, 0, 4)) as u8,
                        l2_delay: pick(field(w2, 22, 1), field(w2, 16, 6)),
                    },
                });
            }
            4 => {
                d.dpu = Some(DpuInstruction {
                    mode: f(18, 5),
                    control: f(16, 2),
                    acc_clear: f(2, 8),
                    io: f(0, 2),
                });
            }
            5 => d.out.swb = Some(w0),
            6 => d.jump = Some(f(17, 6)),
            7 => {
                let cycle = field(w0.into(), 7, 15);
                d.wait = Some(if bit(22) { reg(cycle).into() } else { cycle as u16 });
            }
            8 => {
                let extra = f(22, 1);
                let w1 = if extra == 1 { u64::from(word(1)) } else { 0 };
                d.advance = 1 + extra;
                d.lp = LoopOp {
                    valid: true,
                    id: f(20, 2),
                    start_pc: (self.pc + 1 + extra) & 63,
                    end_pc: f(14, 6),
                    start: if bit(13) { s6(reg(f(7, 6).into())) } else { f(7, 6) },
                    iter: if bit(6) { reg(f(0, 6).into()) & 63 } else { f(0, 6) },
                    step: match (extra, field(w1, 26, 1)) {
                        (0, _) => 1,
                        (_, 1) => s6(reg(field(w1, 20, 6))),
                        _ => field(w1, 20, 6) as u8,
                    },
                    link: field(w1, 16, 4) as u8,
                };
            }
            9 => d.bw = Some(f(21, 2)),
            10 => {
                d.raccu = RaccuOp {
                    mode: f(20, 3),
                    a: if bit(19) { reg(f(12, 7).into()) } else { f(12, 7) },
                    b: if bit(11) { reg(f(4, 7).into()) } else { f(4, 7) },
                    dst: f(0, 4),
                };
            }
            11 if f(21, 2) & cond_status == 0 => {
                d.jump = Some(f(15, 6));
            }
            12 => {
                let w = |lsb, width| field(w0.into(), lsb, width);
                let write = w(14, 1);
                let payload = w(18, 1) << 8
                    | w(15, 3) << 9
                    | w(22, 1) << 12
                    | w(19, 3) << 13
                    | (1 - write) << 25
                    | w(13, 1) << 26
                    | write << 32;
                d.out.noc = CellMessage { kind: KIND_ROUTE, payload };
            }
            13 => {
                d.advance = 3;
                let i = u128::from(w0) << 54 | u128::from(word(1)) << 27 | u128::from(word(2));
                let at = |lsb: u32, width: u32| (i >> lsb) as u64 & ((1 << width) - 1);
                // A field, or the register it names converted to a width.
                let dynamic = |sd: u32, lsb: u32, width: u32, convert: fn(u8) -> u64| {
                    if at(sd, 1) == 1 { convert(reg(at(lsb, width))) } else { at(lsb, width) }
                };
                let full = |r: u8| u64::from(r);
                let low4 = |r: u8| u64::from(r & 15);
                let low5 = |r: u8| u64::from(r & 31);
                let low6 = |r: u8| u64::from(r & 63);
                let s8 = |r: u8| u64::from((r >> 6 & 1) << 7 | r);
                d.out.noc = if io_cell {
                    CellMessage {
                        kind: KIND_IO,
                        payload: at(76, 1) << 63
                            | dynamic(12, 51, 25, full) << 38
                            | dynamic(11, 45, 6, low6) << 32
                            | dynamic(10, 40, 5, low5) << 27
                            | dynamic(9, 35, 5, low5) << 22
                            | at(29, 6) << 16
                            | at(13, 16),
                    }
                } else {
                    CellMessage {
                        kind: KIND_SRAM,
                        payload: 1 << 59
                            | at(11, 4) << 54
                            | dynamic(22, 69, 7, full) << 47
                            | dynamic(19, 65, 4, low4) << 43
                            | dynamic(21, 58, 7, full) << 36
                            | dynamic(16, 50, 8, s8) << 28
                            | dynamic(18, 44, 6, low6) << 22
                            | dynamic(20, 37, 7, full) << 15
                            | dynamic(15, 29, 8, s8) << 7
                            | dynamic(17, 23, 6, low6) << 1
                            | at(76, 1),
                    }
                };
            }
            14 => d.out.perm = Some(w0),
            _ => {} // 2, 3, 15: one word, no effect
        }
        d
    }

    // ---- registers as words, fields in the order of chapter 5, 7.1 ----

    /// `state, load_count, pc, wait_count, pend_valid, pend_pc`.
    pub fn core_word(&self) -> u64 {
        Packer::default()
            .put(self.state as u8, 2)
            .put(self.load_count, 6)
            .put(self.pc, 6)
            .put(self.wait_count, 15)
            .put(self.pend.is_some(), 1)
            .put(self.pend_pc, 6)
            .0
    }

    /// `cfg_start, cfg_port, cfg_dimarch` and the nine fields.
    pub fn refi_word(&self) -> u64 {
        Packer::default()
            .put(self.refi_start, 1)
            .put(self.refi.port, 2)
            .put(self.refi.dimarch, 1)
            .put(self.refi.cfg.pack(), Config::BITS)
            .0
    }

    /// `dpu_start, dpu_mode, dpu_control, dpu_const, dpu_io, cfg_bw`.
    pub fn dpu_word(&self) -> u64 {
        Packer::default()
            .put(self.dpu_start, 1)
            .put(self.dpu.pack(), DpuInstruction::BITS)
            .put(self.bw, 2)
            .0
    }

    /// `immediate`.
    pub fn immediate_word(&self) -> u64 {
        self.immediate.into()
    }

    /// Flags of the instruction memory, bit a for address a.
    pub fn imem_imm_word(&self) -> u64 {
        self.imem_imm
    }

    /// `sh_raccu`.
    pub fn sh_raccu_word(&self) -> u64 {
        self.sh_raccu.pack()
    }

    /// `sh_loop`.
    pub fn sh_loop_word(&self) -> u64 {
        self.sh_loop.pack()
    }

    /// One loop slot.
    pub fn loop_word(&self, slot: usize) -> u64 {
        self.slots[slot].pack()
    }

    /// The 16 RACCU registers, 7 bits each, register 0 lowest.
    pub fn raccu_words(&self) -> [u64; 2] {
        let all = self.raccu.iter().rev().fold(0u128, |all, &r| all << 7 | u128::from(r));
        [all as u64, (all >> 64) as u64]
    }
}
