// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generation unit of the register file (chapter 3, section 6).

use drra_fabric::{
    AguState as State,
    images::{AguCfg, RfAguP, RfAguSt},
};

use crate::situation::situations;

situations! {
    /// Position of a register-file AGU in its pattern: the state of the AGU (chapter 3, 6.1), and the transition at the
    /// edge if nothing is launched. In the extra cycle X of 6.4, RUN is at the end of a row or at the last address, and
    /// emits no address.
    AguPhase {
        Idle "IDLE",
        InitWait "INIT_WAIT",
        InitWaitLast "last cycle of INIT_WAIT",
        Run "RUN",
        RunBetween "RUN between addresses",
        RunRowEnd "RUN at the end of a row",
        RunLast "RUN at the last address",
        RowWait "ROW_WAIT",
        RowWaitLast "last cycle of ROW_WAIT",
        RowStart "ROW_START",
    }
}

/// The registers of one AGU. All counters and addresses wrap at their width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agu {
    /// State and counters.
    s: RfAguSt,
    /// Active configuration, addresses and steps truncated to the width of an address.
    p: RfAguP,
    /// Number of bits of an address: 6 for words and 2 for blocks in the default register file.
    width: u32,
    /// Ones in all these bits.
    mask: u32,
    /// `p` or the shadow register may have changed since they were written into an image.
    pub(crate) config_dirty: bool,
}

/// Signals of an AGU in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct AguSignals {
    /// `addr`; `None` while `en` is 0.
    pub emitted: Option<u8>,
    /// Position in the pattern.
    pub phase: AguPhase,
}

/// The next value of a 6-bit counter.
fn plus_one(count: u8) -> u8 {
    (count + 1) & 63
}

/// A delay minus one, as a 6-bit counter.
fn minus_one(delay: u8) -> u8 {
    delay.wrapping_sub(1) & 63
}

/// `c` of 6.3: the configuration that a launch loads, truncated, in the type of `p`.
fn loaded(cfg: &AguCfg, mask: u32) -> RfAguP {
    RfAguP {
        p_init_delay: cfg.init_delay,
        p_l1_iter: cfg.l1_iter,
        p_l1_delay: cfg.l1_delay,
        p_l2_iter: cfg.l2_iter,
        p_l2_delay: cfg.l2_delay,
        p_init_addr: u32::from(cfg.init_addr) & mask,
        p_l1_step: u32::from(cfg.l1_step) & mask,
        p_l2_step: u32::from(cfg.l2_step) & mask,
        p_l1_step_sign: cfg.l1_step_sign,
    }
}

impl Agu {
    /// An AGU in reset with addresses of `aw` bits.
    pub fn new(aw: u32) -> Self {
        Self { width: aw, mask: (1 << aw) - 1, config_dirty: true, ..Self::default() }
    }

    /// `agu_cycle` of 6.3, and the edge; `launch` is the configuration launched in this cycle. Returns the signals, and
    /// whether a register may have changed.
    #[inline]
    #[expect(clippy::too_many_lines, reason = "one state machine, in the order of the chapter")]
    pub fn agu_cycle(&mut self, launch: Option<&AguCfg>) -> (AguSignals, bool) {
        let mask = self.mask;
        let (s, p) = (self.s, &self.p);
        // One level-1 step from address `a` with configuration `q`.
        let step = |a: u32, q: &RfAguP| match q.p_l1_step_sign {
            true => a.wrapping_sub(q.p_l1_step) & mask,
            false => (a + q.p_l1_step) & mask,
        };
        let next_row = || {
            let row = if s.l2_cnt == 0 { p.p_init_addr } else { s.row_base };
            (row + p.p_l2_step) & mask
        };

        let (mut emitted, mut done) = (None, false);
        // Defaults of the next state.
        let n = &mut self.s;
        *n = RfAguSt {
            state: s.state,
            l2_cnt: s.l2_cnt,
            row_base: s.row_base,
            ..RfAguSt::default()
        };
        let phase;
        match s.state {
            State::Idle => {
                phase = AguPhase::Idle;
                match launch.map(|cfg| loaded(cfg, mask)) {
                    None => {}
                    Some(c) if c.p_init_delay == 0 => {
                        // The first address is emitted in the launch cycle itself.
                        let addr = c.p_init_addr;
                        emitted = Some(addr);
                        if c.p_l1_delay != 0 {
                            (n.state, n.l1_dly_cnt, n.addr_reg) = (State::Run, 1, addr);
                        } else if c.p_l1_iter != 0 {
                            (n.state, n.l1_cnt, n.addr_reg) = (State::Run, 1, step(addr, &c));
                        } else if c.p_l2_iter == 0 {
                            done = true; // a single address: the AGU stays in IDLE
                        } else if c.p_l2_delay == 0 {
                            (n.state, n.l2_cnt, n.row_base) = (State::Run, 1, next_row());
                            n.addr_reg = (addr + c.p_l2_step) & mask;
                        } else {
                            (n.state, n.l1_cnt, n.l2_cnt) = (State::RowWait, 1, 1);
                            (n.row_base, n.addr_reg) = (next_row(), addr);
                        }
                    }
                    Some(c) if c.p_init_delay == 1 => {
                        (n.state, n.addr_reg) = (State::Run, c.p_init_addr);
                    }
                    Some(_) => (n.state, n.init_cnt) = (State::InitWait, 1),
                }
            }
            State::InitWait => {
                if s.init_cnt == minus_one(p.p_init_delay) {
                    phase = AguPhase::InitWaitLast;
                    (n.state, n.addr_reg) = (State::Run, p.p_init_addr);
                } else {
                    phase = AguPhase::InitWait;
                    n.init_cnt = plus_one(s.init_cnt);
                }
            }
            State::Run => {
                let addr = s.addr_reg;
                emitted = (s.l1_dly_cnt == 0).then_some(addr);
                let within = if s.l1_dly_cnt == 0 { AguPhase::Run } else { AguPhase::RunBetween };
                if s.l1_cnt == p.p_l1_iter {
                    // The last address of the row.
                    if p.p_l2_iter == 0 || s.l2_cnt == p.p_l2_iter {
                        (phase, done) = (AguPhase::RunLast, true);
                        (n.state, n.addr_reg) = (State::Idle, step(addr, p));
                    } else {
                        phase = AguPhase::RunRowEnd;
                        (n.l2_cnt, n.row_base) = (plus_one(s.l2_cnt), next_row());
                        if p.p_l2_delay != 0 {
                            (n.state, n.addr_reg) = (State::RowWait, addr);
                        } else if p.p_l1_iter != 0 {
                            (n.state, n.addr_reg) = (State::RowStart, step(addr, p));
                        } else {
                            n.addr_reg = (addr + p.p_l2_step) & mask;
                        }
                    }
                } else if s.l1_dly_cnt != p.p_l1_delay {
                    phase = within;
                    n.l1_dly_cnt = plus_one(s.l1_dly_cnt);
                    (n.l1_cnt, n.addr_reg) = (s.l1_cnt, addr);
                } else {
                    phase = within;
                    (n.l1_cnt, n.addr_reg) = (plus_one(s.l1_cnt), step(addr, p));
                }
            }
            State::RowWait => {
                if s.l2_dly_cnt == minus_one(p.p_l2_delay) {
                    phase = AguPhase::RowWaitLast;
                    if p.p_l1_iter == 0 {
                        (n.state, n.addr_reg) = (State::Run, (s.addr_reg + p.p_l2_step) & mask);
                    } else {
                        (n.state, n.addr_reg) = (State::RowStart, s.addr_reg);
                    }
                } else {
                    phase = AguPhase::RowWait;
                    (n.l2_dly_cnt, n.addr_reg) = (plus_one(s.l2_dly_cnt), s.addr_reg);
                }
            }
            State::RowStart => {
                phase = AguPhase::RowStart;
                let addr = s.row_base;
                (n.state, emitted) = (State::Run, Some(addr));
                if p.p_l1_delay != 0 {
                    (n.l1_dly_cnt, n.addr_reg) = (1, addr);
                } else {
                    (n.l1_cnt, n.addr_reg) = (1, step(addr, p));
                }
            }
        }
        // The last branch of 6.3 is for states 5 to 7, which `State` does not have.
        if done {
            n.l2_cnt = 0;
        }
        let changed = s.state != State::Idle || launch.is_some() || *n != s;
        // Whatever the state, a launch loads the configuration.
        if let Some(cfg) = launch {
            (self.p, self.config_dirty) = (loaded(cfg, mask), true);
        } else if done {
            (self.p, self.config_dirty) = (RfAguP::default(), true);
        }
        let emitted = emitted.map(|addr| addr as u8);
        (AguSignals { emitted, phase }, changed)
    }

    /// True in every state except IDLE.
    pub fn busy(&self) -> bool {
        self.s.state != State::Idle
    }

    /// Registers `p_*`, packed.
    pub fn pattern_word(&self) -> u64 {
        self.p.pack(self.width)
    }

    /// State and counters, packed.
    pub fn state_word(&self) -> u64 {
        self.s.pack(self.width)
    }
}
