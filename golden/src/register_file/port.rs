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

/// An AGU with its shadow register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Port {
    /// `sh_cfg`; `None` unless `sh_valid` is 1.
    pub(super) shadow: Option<AguCfg>,
    pub(super) agu: Agu,
    pub(super) signals: PortSignals,
}

/// The inputs of an AGU and its shadow register in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PortInputs {
    pub(super) immediate: bool,
    /// The configuration of the REFI that arrives, if it is for this AGU: `hit`, `cfg`.
    pub(super) cfg: Option<AguCfg>,
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

impl Port {
    /// The AGU of a port with its shadow register, both in reset.
    pub(super) fn new(id: AguId, depth: usize) -> Self {
        let rows = if id.is_block() { depth / 16 } else { depth };
        Self { agu: Agu::new(rows.ilog2()), ..Self::default() }
    }

    /// Writes the registers of AGU k into the image of a cell.
    pub(super) fn pack(&mut self, k: usize, slots: &GroupOffsets, image: &mut [u64]) {
        image[slots.of(GroupId::RfAguSt) + k] = self.agu.state_word();
        if !std::mem::take(&mut self.agu.config_dirty) {
            return;
        }
        let shadow =
            RfSh { sh_valid: self.shadow.is_some(), sh_cfg: self.shadow.unwrap_or_default() };
        image[slots.of(GroupId::RfSh) + k] = shadow.pack();
        image[slots.of(GroupId::RfAguP) + k] = self.agu.pattern_word();
    }

    /// Adds the signals of AGU k in the last cycle; `before` has its registers.
    pub(super) fn show(&self, k: usize, before: &Self, out: &mut SignalCollector<'_>) {
        let PortSignals { hit, launch, agu, .. } = &self.signals;
        out.put_at(SignalId::AguHit, k, *hit);
        out.put_at(SignalId::AguLaunch, k, launch.is_some());
        out.put_some(SignalId::AguLaunchCfg, k, launch.map(|cfg| cfg.pack()));
        out.put_at(SignalId::AguEn, k, agu.emitted.is_some());
        out.put_some(SignalId::AguAddr, k, agu.emitted);
        out.put_at(SignalId::AguActive, k, before.agu.busy());
    }
}

impl Clocked for Port {
    type Inputs = PortInputs;

    /// One AGU of `rf_agus` of 4.4: launch (`agu_shadow` of 5.2) and address generation.
    #[inline]
    fn next(&mut self, i: &PortInputs) -> bool {
        let latest = i.cfg.as_ref().or(self.shadow.as_ref());
        let launch = latest.filter(|_| i.immediate);
        let (agu, changed) = self.agu.agu_cycle(launch);
        let (hit, waited) = (i.cfg.is_some(), self.shadow.is_some());
        self.signals = PortSignals { hit, waited, launch: launch.copied(), agu };
        let shadow = latest.filter(|_| !i.immediate);
        let shadow_changed = shadow != self.shadow.as_ref();
        if shadow_changed {
            self.shadow = shadow.copied();
            self.agu.config_dirty = true;
        }
        changed || shadow_changed
    }
}
