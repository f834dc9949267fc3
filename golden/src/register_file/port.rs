// SPDX-License-Identifier: MIT OR Apache-2.0
//! The AGUs of the register file with their shadow registers (chapter 3, 4.4 and 5.2).

use drra_fabric::{
    AguId, GroupId, GroupOffsets, SignalId,
    images::{AguCfg, RfSh, SeqRefi},
};
use drra_isa::instructions::RefiPortNo;

use crate::{
    agu::{Agu, AguPhase, AguSignals},
    idle::Clocked,
    signals::SignalCollector,
};

/// The AGU that a REFI configures (section 3).
pub fn selected(refi: &SeqRefi) -> Option<AguId> {
    if !refi.cfg_start {
        return None;
    }
    match (refi.cfg_port, refi.cfg_dimarch) {
        (RefiPortNo::W0, false) => Some(AguId::W0),
        (RefiPortNo::W1, false) => Some(AguId::W1),
        (RefiPortNo::R0, false) => Some(AguId::R0),
        (RefiPortNo::R1, false) => Some(AguId::R1),
        (RefiPortNo::W0, true) => Some(AguId::Wb),
        (RefiPortNo::R0, true) => Some(AguId::Rb),
        (RefiPortNo::W1 | RefiPortNo::R1, true) => None,
    }
}

/// The registers of the AGUs and their shadow registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Registers {
    pub(super) sh: [RfSh; 6],
    pub(super) agu: [Agu; 6],
}

/// The AGUs with their shadow registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agus {
    pub(super) registers: Registers,
    /// The registers after the edge. It comes later in the cycle than the signals, which the reads need.
    next: Registers,
    pub(super) signals: RfAguSignals,
}

/// The inputs of the AGUs in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AguInputs {
    pub(super) immediate: bool,
    pub(super) refi: SeqRefi,
}

/// Signals of an AGU and of its shadow register in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortSignals {
    /// The REFI that arrives is for this AGU.
    pub hit: bool,
    /// A configuration waited in the shadow register before the edge.
    pub waited: bool,
    /// `launch`, `lcfg`.
    pub launch: Option<AguCfg>,
    /// The AGU.
    pub agu: AguSignals,
}

impl PortSignals {
    /// True if the launched pattern does not start, because the AGU is busy (6.5).
    pub fn is_lost(&self) -> bool {
        self.launch.is_some() && self.agu.phase != AguPhase::Idle
    }
}

/// The AGUs in a cycle, in the order of [`AguId::ALL`].
pub type RfAguSignals = [PortSignals; 6];

impl Agus {
    /// The AGUs of a register file in reset.
    pub(super) fn new(depth: usize) -> Self {
        let (aw, baw) = (depth.ilog2(), (depth / 16).ilog2());
        let agu = |k: usize| Agu::new(if AguId::ALL[k].is_block() { baw } else { aw });
        let agu = std::array::from_fn(agu);
        let registers = Registers { sh: [RfSh::default(); 6], agu };
        Self { registers, next: registers, signals: RfAguSignals::default() }
    }

    /// True if some AGU is not in IDLE.
    pub(super) fn busy(&self) -> bool {
        self.registers.agu.iter().any(Agu::busy)
    }

    /// The edge.
    pub(super) fn edge(&mut self) {
        self.registers = self.next;
    }

    /// Writes the registers into the image of a cell.
    pub(super) fn pack(&self, slots: &GroupOffsets, image: &mut [u64]) {
        let Registers { sh, agu } = &self.registers;
        for k in 0..6 {
            image[slots.of(GroupId::RfSh) + k] = sh[k].pack();
            image[slots.of(GroupId::RfAguSt) + k] = agu[k].state_word();
            image[slots.of(GroupId::RfAguP) + k] = agu[k].pattern_word();
        }
    }

    /// Adds the signals of the last cycle; `before` has its registers.
    pub(super) fn show(&self, before: &Self, out: &mut SignalCollector<'_>) {
        for (k, port) in self.signals.iter().enumerate() {
            out.put_at(SignalId::AguHit, k, port.hit);
            out.put_at(SignalId::AguLaunch, k, port.launch.is_some());
            out.put_some(SignalId::AguLaunchCfg, k, port.launch.map(|cfg| cfg.pack()));
            out.put_at(SignalId::AguEn, k, port.agu.emitted.is_some());
            out.put_some(SignalId::AguAddr, k, port.agu.emitted);
            out.put_at(SignalId::AguActive, k, before.registers.agu[k].busy());
        }
        out.put(SignalId::Busy, before.busy());
    }
}

/// 5.2: the configuration that is launched, if any, and the shadow register in the next cycle.
fn agu_shadow(s: &RfSh, immediate: bool, hit: bool, cfg: &AguCfg) -> (Option<AguCfg>, RfSh) {
    let lcfg = if hit { *cfg } else { s.sh_cfg };
    let launch = (immediate && (hit || s.sh_valid)).then_some(lcfg);
    let next = match (immediate, hit) {
        (true, _) => RfSh::default(),
        (false, true) => RfSh { sh_valid: true, sh_cfg: *cfg },
        (false, false) => *s,
    };
    (launch, next)
}

impl Clocked for Agus {
    type Inputs = AguInputs;

    /// `rf_agus` of 4.4: launches and address generation, without the edge.
    fn next(&mut self, i: &AguInputs) -> bool {
        let sel = selected(&i.refi);
        let (s, n) = (&self.registers, &mut self.next);
        for (k, &id) in AguId::ALL.iter().enumerate() {
            let (hit, waited) = (sel == Some(id), s.sh[k].sh_valid);
            let (launch, agu);
            (launch, n.sh[k]) = agu_shadow(&s.sh[k], i.immediate, hit, &i.refi.cfg);
            (agu, n.agu[k]) = s.agu[k].agu_cycle(launch.as_ref());
            self.signals[k] = PortSignals { hit, waited, launch, agu };
        }
        self.next != self.registers
    }
}
