// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generation unit of the register file (chapter 3, section 6).

use drra_fabric::{
    AguState as State,
    images::{AguCfg, RfAguP, RfAguSt},
};

use crate::situation::situations;

situations! {
    /// Position of a register-file AGU in its pattern: the state of the AGU (chapter 3, 6.1), and the transition at the
    /// edge if nothing is launched.
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
    /// Active configuration, addresses and steps truncated to `aw` bits.
    p: RfAguP,
    /// Number of bits of an address: 6 for words and 2 for blocks in the default register file.
    aw: u32,
}

/// Signals of an AGU in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct AguSignals {
    /// `addr`; `None` while `en` is 0.
    pub emitted: Option<u8>,
    next: RfAguSt,
    /// The active configuration after the edge, if it is replaced.
    pub(crate) next_p: Option<RfAguP>,
}

/// The next value of a 6-bit counter.
fn plus_one(count: u8) -> u8 {
    (count + 1) & 63
}

/// True if a 6-bit counter equals a delay minus one.
fn at_last(count: u8, delay: u8) -> bool {
    count == delay.wrapping_sub(1) & 63
}

/// One level-1 step from address `a` with configuration `q`.
#[inline]
fn step(a: u32, q: &RfAguP, mask: u32) -> u32 {
    let next = match q.p_l1_step_sign {
        true => a.wrapping_sub(q.p_l1_step),
        false => a.wrapping_add(q.p_l1_step),
    };
    next & mask
}

/// A configuration as an AGU stores it, with addresses and steps truncated by `mask`.
fn truncated(c: &AguCfg, mask: u32) -> RfAguP {
    RfAguP {
        p_init_delay: c.init_delay,
        p_l1_iter: c.l1_iter,
        p_l1_delay: c.l1_delay,
        p_l2_iter: c.l2_iter,
        p_l2_delay: c.l2_delay,
        p_init_addr: u32::from(c.init_addr) & mask,
        p_l1_step: u32::from(c.l1_step) & mask,
        p_l2_step: u32::from(c.l2_step) & mask,
        p_l1_step_sign: c.l1_step_sign,
    }
}

/// A launch in state IDLE. Returns the address emitted in the launch cycle itself, if any, and whether the pattern ends
/// with it.
fn start(c: &RfAguP, next_row: u32, mask: u32, n: &mut RfAguSt) -> (Option<u32>, bool) {
    let addr = c.p_init_addr;
    if c.p_init_delay == 1 {
        (n.state, n.addr_reg) = (State::Run, addr);
        return (None, false);
    } else if c.p_init_delay != 0 {
        (n.state, n.init_cnt) = (State::InitWait, 1);
        return (None, false);
    }
    if c.p_l1_delay != 0 {
        (n.state, n.l1_dly_cnt, n.addr_reg) = (State::Run, 1, addr);
    } else if c.p_l1_iter != 0 {
        (n.state, n.l1_cnt, n.addr_reg) = (State::Run, 1, step(addr, c, mask));
    } else if c.p_l2_iter == 0 {
        return (Some(addr), true); // a single address: the AGU stays in IDLE
    } else {
        (n.l2_cnt, n.row_base) = (1, next_row);
        if c.p_l2_delay == 0 {
            (n.state, n.addr_reg) = (State::Run, (addr + c.p_l2_step) & mask);
        } else {
            (n.state, n.l1_cnt, n.addr_reg) = (State::RowWait, 1, addr);
        }
    }
    (Some(addr), false)
}

impl Agu {
    /// An AGU in reset with addresses of `aw` bits.
    pub fn new(aw: u32) -> Self {
        Self { aw, ..Self::default() }
    }

    /// Evaluates one clock cycle (`agu_cycle` of 6.3); `launch` is the configuration launched in this cycle.
    #[inline]
    pub fn eval(&self, launch: Option<&AguCfg>, out: &mut AguSignals) {
        let mask = (1 << self.aw) - 1;
        let (s, p) = (&self.s, &self.p);
        let next_row = || {
            let row = if s.l2_cnt == 0 { p.p_init_addr } else { s.row_base };
            (row + p.p_l2_step) & mask
        };

        // Whatever the state, a launch loads the configuration.
        out.next_p = None;
        if let Some(c) = launch {
            out.next_p = Some(truncated(c, mask));
        }
        let (mut emitted, mut done) = (None, false);
        // The address, and all counters except `l2_cnt`, become 0 unless they are set in this cycle.
        let RfAguSt { state, l2_cnt, row_base, .. } = *s;
        let n = &mut out.next;
        *n = RfAguSt { state, l2_cnt, row_base, ..RfAguSt::default() };

        match s.state {
            State::Idle => {
                if let Some(c) = &out.next_p {
                    (emitted, done) = start(c, next_row(), mask, n);
                }
            }
            State::InitWait if at_last(s.init_cnt, p.p_init_delay) => {
                (n.state, n.addr_reg) = (State::Run, p.p_init_addr);
            }
            State::InitWait => n.init_cnt = plus_one(s.init_cnt),
            State::Run => {
                let addr = s.addr_reg;
                emitted = (s.l1_dly_cnt == 0).then_some(addr);
                if s.l1_cnt == p.p_l1_iter {
                    // The last address of the row.
                    if p.p_l2_iter == 0 || s.l2_cnt == p.p_l2_iter {
                        done = true;
                        (n.state, n.addr_reg) = (State::Idle, step(addr, p, mask));
                    } else {
                        (n.l2_cnt, n.row_base) = (plus_one(s.l2_cnt), next_row());
                        if p.p_l2_delay != 0 {
                            (n.state, n.addr_reg) = (State::RowWait, addr);
                        } else if p.p_l1_iter != 0 {
                            (n.state, n.addr_reg) = (State::RowStart, step(addr, p, mask));
                        } else {
                            n.addr_reg = (addr + p.p_l2_step) & mask;
                        }
                    }
                } else if s.l1_dly_cnt != p.p_l1_delay {
                    n.l1_dly_cnt = plus_one(s.l1_dly_cnt);
                    (n.l1_cnt, n.addr_reg) = (s.l1_cnt, addr);
                } else {
                    (n.l1_cnt, n.addr_reg) = (plus_one(s.l1_cnt), step(addr, p, mask));
                }
            }
            State::RowWait if at_last(s.l2_dly_cnt, p.p_l2_delay) => {
                (n.state, n.addr_reg) = match p.p_l1_iter {
                    0 => (State::Run, (s.addr_reg + p.p_l2_step) & mask),
                    _ => (State::RowStart, s.addr_reg),
                };
            }
            State::RowWait => {
                (n.l2_dly_cnt, n.addr_reg) = (plus_one(s.l2_dly_cnt), s.addr_reg);
            }
            State::RowStart => {
                let addr = s.row_base;
                emitted = Some(addr);
                n.state = State::Run;
                if p.p_l1_delay != 0 {
                    (n.l1_dly_cnt, n.addr_reg) = (1, addr);
                } else {
                    (n.l1_cnt, n.addr_reg) = (1, step(addr, p, mask));
                }
            }
        }
        if done {
            n.l2_cnt = 0;
            out.next_p.get_or_insert_default();
        }
        out.emitted = emitted.map(|addr| addr as u8);
    }

    /// The edge. Returns whether a register may have changed.
    #[inline]
    pub fn commit(&mut self, s: &AguSignals) -> bool {
        let changed = self.s != s.next || s.next_p.is_some();
        self.s = s.next;
        if let Some(p) = s.next_p {
            self.p = p;
        }
        changed
    }

    /// Returns the position of the AGU in its pattern, and the transition at the edge if nothing is launched.
    pub fn phase(&self) -> AguPhase {
        let (s, p) = (&self.s, &self.p);
        match s.state {
            State::Idle => AguPhase::Idle,
            State::InitWait if at_last(s.init_cnt, p.p_init_delay) => AguPhase::InitWaitLast,
            State::InitWait => AguPhase::InitWait,
            State::Run if s.l1_cnt == p.p_l1_iter => {
                if p.p_l2_iter == 0 || s.l2_cnt == p.p_l2_iter {
                    AguPhase::RunLast
                } else {
                    AguPhase::RunRowEnd
                }
            }
            State::Run if s.l1_dly_cnt != 0 => AguPhase::RunBetween,
            State::Run => AguPhase::Run,
            State::RowWait if at_last(s.l2_dly_cnt, p.p_l2_delay) => AguPhase::RowWaitLast,
            State::RowWait => AguPhase::RowWait,
            State::RowStart => AguPhase::RowStart,
        }
    }

    /// True in every state except IDLE.
    #[inline]
    pub fn busy(&self) -> bool {
        self.s.state != State::Idle
    }

    /// Registers `p_*`, packed.
    pub fn pattern_word(&self) -> u64 {
        self.p.pack(self.aw)
    }

    /// State and counters, packed.
    pub fn state_word(&self) -> u64 {
        self.s.pack(self.aw)
    }
}
