// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generation unit of the register file (chapter 3, section 6).

use drra_isa::fabric::{
    AguState as State,
    images::{AguCfg, RfAguP, RfAguSt},
};

use crate::observe::AguPhase;

/// The nine fields of a REFI that an AGU gets (chapter 3, 5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named and explained in chapter 3, 5.1")]
pub struct AguConfig {
    pub init_addr: u8,
    pub l1_iter: u8,
    pub init_delay: u8,
    pub l1_step: u8,
    pub l1_step_sign: bool,
    pub l1_delay: u8,
    pub l2_iter: u8,
    pub l2_step: u8,
    pub l2_delay: u8,
}

impl AguConfig {
    /// As it is in registers.
    pub(crate) fn image(&self) -> AguCfg {
        AguCfg {
            init_addr: self.init_addr,
            l1_iter: self.l1_iter,
            init_delay: self.init_delay,
            l1_step: self.l1_step,
            l1_step_sign: self.l1_step_sign,
            l1_delay: self.l1_delay,
            l2_iter: self.l2_iter,
            l2_step: self.l2_step,
            l2_delay: self.l2_delay,
        }
    }
}

/// One level-1 step from address `a`.
fn l1_next(a: u8, q: &AguConfig, mask: u8) -> u8 {
    (if q.l1_step_sign { a.wrapping_sub(q.l1_step) } else { a.wrapping_add(q.l1_step) }) & mask
}

/// Counters of a row and of the waiting times as they are before an edge.
#[derive(Clone, Copy)]
struct Counters {
    l1: u8,
    l1_dly: u8,
    l2_dly: u8,
    init: u8,
}

/// One AGU. All counters and addresses wrap in their width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agu {
    addr_bits: u32,
    addr_mask: u8,
    state: State,
    /// Active configuration, addresses truncated to `addr_bits`.
    p: AguConfig,
    init_cnt: u8,
    l1_dly_cnt: u8,
    l2_dly_cnt: u8,
    l1_cnt: u8,
    l2_cnt: u8,
    row_base: u8,
    addr_reg: u8,
}

impl Agu {
    /// An AGU in reset with addresses of `addr_bits` bits (6 for words, 2 for blocks at the default
    /// register file).
    pub fn new(addr_bits: u32) -> Self {
        Self {
            addr_bits,
            addr_mask: ((1u32 << addr_bits) - 1) as u8,
            state: State::Idle,
            p: AguConfig::default(),
            init_cnt: 0,
            l1_dly_cnt: 0,
            l2_dly_cnt: 0,
            l1_cnt: 0,
            l2_cnt: 0,
            row_base: 0,
            addr_reg: 0,
        }
    }

    /// Where it is in its pattern, and what the edge makes of it without a launch.
    pub fn phase(&self) -> AguPhase {
        let last = |count: u8, delay: u8| count == delay.wrapping_sub(1) & 63;
        match self.state {
            State::Idle => AguPhase::Idle,
            State::InitWait if last(self.init_cnt, self.p.init_delay) => AguPhase::InitWaitLast,
            State::InitWait => AguPhase::InitWait,
            State::Run if self.l1_cnt == self.p.l1_iter => {
                if self.p.l2_iter == 0 || self.l2_cnt == self.p.l2_iter {
                    AguPhase::RunLast
                } else {
                    AguPhase::RunRowEnd
                }
            }
            State::Run if self.l1_dly_cnt != 0 => AguPhase::RunBetween,
            State::Run => AguPhase::Run,
            State::RowWait if last(self.l2_dly_cnt, self.p.l2_delay) => AguPhase::RowWaitLast,
            State::RowWait => AguPhase::RowWait,
            State::RowStart => AguPhase::RowStart,
        }
    }

    /// True in every state but IDLE.
    pub fn busy(&self) -> bool {
        self.state != State::Idle
    }

    /// Registers `p_*`, packed.
    pub fn pattern_word(&self) -> u64 {
        let image = RfAguP {
            p_init_delay: self.p.init_delay,
            p_l1_iter: self.p.l1_iter,
            p_l1_delay: self.p.l1_delay,
            p_l2_iter: self.p.l2_iter,
            p_l2_delay: self.p.l2_delay,
            p_init_addr: self.p.init_addr.into(),
            p_l1_step: self.p.l1_step.into(),
            p_l2_step: self.p.l2_step.into(),
            p_l1_step_sign: self.p.l1_step_sign,
        };
        image.pack(self.addr_bits)
    }

    /// State and counters, packed.
    pub fn state_word(&self) -> u64 {
        let image = RfAguSt {
            state: self.state,
            init_cnt: self.init_cnt,
            l1_dly_cnt: self.l1_dly_cnt,
            l2_dly_cnt: self.l2_dly_cnt,
            l1_cnt: self.l1_cnt,
            l2_cnt: self.l2_cnt,
            row_base: self.row_base.into(),
            addr_reg: self.addr_reg.into(),
        };
        image.pack(self.addr_bits)
    }

    /// True if a cycle without a launch changes nothing.
    #[inline]
    pub(crate) fn settled(&self) -> bool {
        // In IDLE every counter returns to 0 after one cycle; `row_base`, `l2_cnt` and `p` hold.
        self.state == State::Idle
            && self.addr_reg == 0
            && self.l1_cnt | self.l1_dly_cnt | self.l2_dly_cnt | self.init_cnt == 0
    }

    /// Executes one cycle. Returns the address emitted in this cycle, if there is one, and leaves
    /// the registers as they are after the edge. `launch` is the configuration launched in this
    /// cycle.
    #[inline]
    pub fn step(&mut self, launch: Option<&AguConfig>) -> Option<u8> {
        // The common case: one address per cycle within a row. The other counters are 0 in RUN.
        if launch.is_none()
            && self.state == State::Run
            && self.l1_dly_cnt == 0
            && self.p.l1_delay == 0
            && self.l1_cnt != self.p.l1_iter
        {
            let addr = self.addr_reg;
            self.l1_cnt = (self.l1_cnt + 1) & 63;
            self.addr_reg = l1_next(addr, &self.p, self.addr_mask);
            return Some(addr);
        }
        self.step_any(launch)
    }

    /// [`Self::step`] in any situation.
    fn step_any(&mut self, launch: Option<&AguConfig>) -> Option<u8> {
        let mask = self.addr_mask;
        let incoming = launch.map(|c| AguConfig {
            init_addr: c.init_addr & mask,
            l1_step: c.l1_step & mask,
            l2_step: c.l2_step & mask,
            ..*c
        });
        // Counters and the address return to 0 unless this cycle sets them.
        let before = Counters {
            l1: std::mem::take(&mut self.l1_cnt),
            l1_dly: std::mem::take(&mut self.l1_dly_cnt),
            l2_dly: std::mem::take(&mut self.l2_dly_cnt),
            init: std::mem::take(&mut self.init_cnt),
        };
        let addr = std::mem::take(&mut self.addr_reg);
        let emitted = match self.state {
            State::Idle => incoming.as_ref().and_then(|c| self.start(c)),
            State::InitWait => {
                self.wait_for_start(before.init);
                None
            }
            State::Run => {
                self.run(addr, before);
                (before.l1_dly == 0).then_some(addr)
            }
            State::RowWait => {
                self.wait_for_row(addr, before.l2_dly);
                None
            }
            State::RowStart => {
                self.start_row();
                Some(self.row_base)
            }
        };
        if let Some(c) = incoming {
            self.p = c; // a launch loads the configuration in every state
        }
        emitted
    }

    fn plus(&self, a: u8, step: u8) -> u8 {
        a.wrapping_add(step) & self.addr_mask
    }

    /// First address of the row after the present one.
    fn next_row(&self) -> u8 {
        self.plus(if self.l2_cnt == 0 { self.p.init_addr } else { self.row_base }, self.p.l2_step)
    }

    /// The pattern ends with this cycle.
    fn finish(&mut self) {
        self.l2_cnt = 0;
        self.p = AguConfig::default();
    }

    /// IDLE with a launch.
    fn start(&mut self, c: &AguConfig) -> Option<u8> {
        match c.init_delay {
            0 => {
                self.emit_first(c);
                Some(c.init_addr)
            }
            1 => {
                self.state = State::Run;
                self.addr_reg = c.init_addr;
                None
            }
            _ => {
                self.state = State::InitWait;
                self.init_cnt = 1;
                None
            }
        }
    }

    /// IDLE with the launch of a pattern whose first address is emitted at once.
    fn emit_first(&mut self, c: &AguConfig) {
        if c.l1_delay != 0 {
            self.state = State::Run;
            self.l1_dly_cnt = 1;
            self.addr_reg = c.init_addr;
        } else if c.l1_iter != 0 {
            self.state = State::Run;
            self.l1_cnt = 1;
            self.addr_reg = l1_next(c.init_addr, c, self.addr_mask);
        } else if c.l2_iter == 0 {
            self.finish();
        } else {
            self.row_base = self.next_row();
            self.l2_cnt = 1;
            if c.l2_delay == 0 {
                self.state = State::Run;
                self.addr_reg = self.plus(c.init_addr, c.l2_step);
            } else {
                self.state = State::RowWait;
                self.l1_cnt = 1;
                self.addr_reg = c.init_addr;
            }
        }
    }

    /// INIT_WAIT.
    fn wait_for_start(&mut self, init_cnt: u8) {
        if init_cnt == self.p.init_delay.wrapping_sub(1) & 63 {
            self.state = State::Run;
            self.addr_reg = self.p.init_addr;
        } else {
            self.init_cnt = (init_cnt + 1) & 63;
        }
    }

    /// RUN at address `addr`.
    fn run(&mut self, addr: u8, before: Counters) {
        if before.l1 == self.p.l1_iter {
            self.end_row(addr);
        } else if before.l1_dly != self.p.l1_delay {
            self.l1_dly_cnt = (before.l1_dly + 1) & 63;
            self.l1_cnt = before.l1;
            self.addr_reg = addr;
        } else {
            self.l1_cnt = (before.l1 + 1) & 63;
            self.addr_reg = l1_next(addr, &self.p, self.addr_mask);
        }
    }

    /// RUN at the last address of a row.
    fn end_row(&mut self, addr: u8) {
        let p = self.p;
        if p.l2_iter == 0 || self.l2_cnt == p.l2_iter {
            self.state = State::Idle;
            self.addr_reg = l1_next(addr, &p, self.addr_mask);
            self.finish();
            return;
        }
        self.row_base = self.next_row();
        self.l2_cnt = (self.l2_cnt + 1) & 63;
        if p.l2_delay != 0 {
            self.state = State::RowWait;
            self.addr_reg = addr;
        } else if p.l1_iter != 0 {
            self.state = State::RowStart;
            self.addr_reg = l1_next(addr, &p, self.addr_mask);
        } else {
            self.addr_reg = self.plus(addr, p.l2_step);
        }
    }

    /// ROW_WAIT.
    fn wait_for_row(&mut self, addr: u8, l2_dly: u8) {
        self.addr_reg = addr;
        if l2_dly != self.p.l2_delay.wrapping_sub(1) & 63 {
            self.l2_dly_cnt = (l2_dly + 1) & 63;
        } else if self.p.l1_iter == 0 {
            self.state = State::Run;
            self.addr_reg = self.plus(addr, self.p.l2_step);
        } else {
            self.state = State::RowStart;
        }
    }

    /// ROW_START: emits `row_base`.
    fn start_row(&mut self) {
        self.state = State::Run;
        if self.p.l1_delay != 0 {
            self.l1_dly_cnt = 1;
            self.addr_reg = self.row_base;
        } else {
            self.l1_cnt = 1;
            self.addr_reg = l1_next(self.row_base, &self.p, self.addr_mask);
        }
    }
}
