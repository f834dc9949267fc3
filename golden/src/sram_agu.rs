// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address generators of the SRAM tiles (chapter 6, 7.1) and of the I/O units (chapter 7, A4). One state machine
//! serves both; an I/O pattern has wider addresses than an SRAM pattern, a mask, and no second level.

use drra_fabric::{
    PatternState as State, Side,
    images::{ColumnIoGeneratorSt, IoCfg, SramCfg, TileGeneratorSt},
};

use crate::{idle::Clocked, situation::situations};

situations! {
    /// Position of the generator of a tile or I/O unit in its pattern: the state of the generator (chapter 6, 7.1), and
    /// its transition at the edge. The address is a register, so the cycles between two addresses or rows include the
    /// one of the first access.
    PatternPhase {
        Idle "IDLE",
        Configured "IDLE with a configuration",
        InitWait "INIT_WAIT",
        InitWaitLast "last cycle of INIT_WAIT",
        Run "RUN within a row",
        RunBetween "RUN between addresses",
        RunRowEnd "RUN at the end of a row",
        RunBetweenRows "RUN between rows",
        RunLast "RUN at the last address",
    }
}

impl PatternPhase {
    /// `accept` of chapter 6, section 8: a configuration offered in this cycle is taken.
    pub fn accepts(self) -> bool {
        matches!(self, Self::Idle | Self::RunLast)
    }
}

/// A configuration that is offered to a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigOffer {
    /// Which side of the tile took the configuration; `S` at an I/O unit.
    pub side: Side,
    /// Position of the generator in its pattern.
    pub phase: PatternPhase,
    /// The configuration.
    pub config: PatternConfig,
}

/// Number of configurations that a generator did not take because it was busy.
pub(crate) fn refused(offers: &[Option<ConfigOffer>; 2]) -> u64 {
    offers.iter().flatten().filter(|offer| !offer.phase.accepts()).count() as u64
}

/// Configuration of a pattern. Steps are signed numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are named and explained in chapters 6 and 7")]
pub struct PatternConfig {
    pub init_addr: u32,
    pub init_delay: u8,
    pub l1_iter: u8,
    pub l1_step: i8,
    pub l1_delay: u8,
    pub l2_iter: u8,
    pub l2_step: i8,
    pub l2_delay: u8,
    pub mask: u16,
}

/// One generator. `en` and `addr` are registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternAgu {
    addr_mask: u32,
    state: State,
    cfg_valid: bool,
    cfg: PatternConfig,
    l1_cnt: u8,
    l2_cnt: u8,
    init_cnt: u8,
    l1_dly: u8,
    l2_dly: u8,
    addr: u32,
    en: bool,
    /// Position in the pattern in the last cycle, a signal.
    pub(crate) phase: PatternPhase,
}

impl PatternAgu {
    /// A generator in reset over `depth` addresses, a power of two.
    pub fn new(depth: u32) -> Self {
        Self { addr_mask: depth - 1, ..Self::default() }
    }

    /// Address of the access in this cycle, `None` while `en` is 0.
    pub fn access(&self) -> Option<u32> {
        self.en.then_some(self.addr)
    }

    /// Mask of the configuration in force.
    pub fn mask(&self) -> u16 {
        self.cfg.mask
    }

    /// True in every state except IDLE.
    pub fn busy(&self) -> bool {
        self.state != State::Idle
    }

    /// State and counters of an SRAM generator, in the order of chapter 5, 7.2.
    pub fn sram_state_word(&self) -> u64 {
        let image = TileGeneratorSt {
            state: self.state,
            cfg_valid: self.cfg_valid,
            l1_cnt: self.l1_cnt,
            l2_cnt: self.l2_cnt,
            init_cnt: self.init_cnt,
            l1_dly: self.l1_dly,
            l2_dly: self.l2_dly,
            addr: self.addr as u8,
            en: self.en,
        };
        image.pack()
    }

    /// `cfg` of an SRAM generator, 53 bits.
    pub fn sram_cfg_word(&self) -> u64 {
        let c = &self.cfg;
        let image = SramCfg {
            init_addr: c.init_addr as u8,
            init_delay: c.init_delay,
            l1_iter: c.l1_iter,
            l1_step: c.l1_step as u8,
            l1_delay: c.l1_delay,
            l2_iter: c.l2_iter,
            l2_step: c.l2_step as u8,
            l2_delay: c.l2_delay,
        };
        image.pack()
    }

    /// State and counters of an I/O generator.
    pub fn io_state_word(&self) -> u64 {
        let image = ColumnIoGeneratorSt {
            state: self.state,
            cfg_valid: self.cfg_valid,
            l1_cnt: self.l1_cnt,
            init_cnt: self.init_cnt,
            l1_dly: self.l1_dly,
            addr: self.addr,
            en: self.en,
        };
        image.pack()
    }

    /// `cfg` of an I/O generator, 63 bits.
    pub fn io_cfg_word(&self) -> u64 {
        let c = &self.cfg;
        let image = IoCfg {
            init_addr: c.init_addr,
            init_delay: c.init_delay,
            l1_iter: c.l1_iter,
            l1_step: c.l1_step as u8 & 31,
            l1_delay: c.l1_delay,
            mask: c.mask,
        };
        image.pack()
    }
}

impl Clocked for PatternAgu {
    /// The configuration offered in a cycle; it is lost unless the generator is free.
    type Inputs = Option<PatternConfig>;

    /// `sram_agu_next` of chapter 6, section 8.
    fn next(&mut self, new: &Option<PatternConfig>) -> bool {
        let (s, n) = (*self, self);
        let c = &s.cfg;
        let offset = |a: u32, step: i8| a.wrapping_add_signed(step.into()) & s.addr_mask;
        *n = Self { cfg_valid: false, en: false, init_cnt: 0, l1_dly: 0, l2_dly: 0, ..s };
        let mut accept = false;
        let phase;
        match s.state {
            State::Idle => {
                if !s.cfg_valid {
                    (phase, accept) = (PatternPhase::Idle, true);
                } else {
                    phase = PatternPhase::Configured;
                    if c.init_delay != 0 {
                        (n.state, n.init_cnt) = (State::InitWait, 1);
                    } else {
                        (n.state, n.en, n.addr) = (State::Run, true, c.init_addr);
                    }
                }
            }
            State::InitWait => {
                if s.init_cnt < c.init_delay {
                    phase = PatternPhase::InitWait;
                    n.init_cnt = s.init_cnt + 1;
                } else {
                    phase = PatternPhase::InitWaitLast;
                    (n.state, n.en, n.addr) = (State::Run, true, c.init_addr);
                }
            }
            State::Run if s.l1_cnt < c.l1_iter => {
                if s.l1_dly < c.l1_delay {
                    phase = PatternPhase::RunBetween;
                    n.l1_dly = s.l1_dly + 1;
                } else {
                    phase = PatternPhase::Run;
                    (n.en, n.addr) = (true, offset(s.addr, c.l1_step));
                    n.l1_cnt = s.l1_cnt + 1;
                }
            }
            State::Run if s.l2_cnt < c.l2_iter => {
                if s.l2_dly < c.l2_delay {
                    phase = PatternPhase::RunBetweenRows;
                    n.l2_dly = s.l2_dly + 1;
                } else {
                    phase = PatternPhase::RunRowEnd;
                    let row = offset(c.init_addr, c.l2_step);
                    (n.en, n.addr) = (true, row);
                    (n.l1_cnt, n.l2_cnt) = (0, s.l2_cnt + 1);
                    n.cfg.init_addr = row;
                }
            }
            State::Run => {
                (phase, accept) = (PatternPhase::RunLast, true);
                (n.state, n.l1_cnt, n.l2_cnt) = (State::Idle, 0, 0);
            }
        }
        if accept {
            n.cfg_valid = new.is_some();
            n.cfg = new.unwrap_or_default();
        }
        n.phase = phase;
        *n != s
    }
}
