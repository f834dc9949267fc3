// SPDX-License-Identifier: MIT OR Apache-2.0
//! An AGU of the register file with its shadow register (chapter 3, 4.4 and 5.2).

use drra_fabric::{
    GroupId, SignalId, Slots,
    images::{AguCfg, RfSh},
};

use crate::{
    agu::{Agu, AguSignals},
    idle::Clocked,
    signals::Shown,
};

/// Registers of a port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Port {
    pub(crate) agu: Agu,
    pub(crate) sh: RfSh,
    /// A configuration has been added or removed since the last [`Self::pack`].
    configured: bool,
}

/// The inputs of a port in a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortInputs<'a> {
    /// True if a configuration is launched: `immediate` is 1, and a configuration arrives or is pending. `immediate` by
    /// itself is not an input.
    pub(crate) launch: bool,
    /// The configuration of a REFI that selects this port.
    pub(crate) hit: Option<&'a AguCfg>,
}

/// True if the port had any inputs; the port is then also executed in the next cycle, whatever its inputs are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entered(bool);

impl PartialEq<Entered> for PortInputs<'_> {
    #[inline]
    fn eq(&self, seen: &Entered) -> bool {
        !seen.0 && !Port::keep(self).0
    }
}

/// Signals of a port in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PortSignals {
    hit: bool,
    /// `launch`, `lcfg`.
    launch: Option<AguCfg>,
    pub(crate) agu: AguSignals,
    /// The launched pattern does not start, because the AGU is busy (6.5).
    pub(crate) lost: bool,
    /// The shadow register after the edge, if it is replaced.
    next_sh: Option<RfSh>,
}

impl Clocked for Port {
    type Inputs<'a> = PortInputs<'a>;
    type Kept = Entered;
    type Signals = PortSignals;

    #[inline]
    fn keep(i: &PortInputs<'_>) -> Entered {
        Entered(i.launch || i.hit.is_some())
    }

    /// An iteration of the loop in `rf_agus`. Without `sh_valid`, `sh_cfg` is already 0.
    #[inline]
    fn eval(&self, i: &PortInputs<'_>, out: &mut PortSignals) {
        (out.hit, out.launch, out.next_sh) = (i.hit.is_some(), None, None);
        if i.launch {
            out.launch = Some(*i.hit.unwrap_or(&self.sh.sh_cfg));
            out.next_sh = Some(RfSh::default());
        } else if let Some(cfg) = i.hit {
            out.next_sh = Some(RfSh { sh_valid: true, sh_cfg: *cfg });
        }
        out.lost = i.launch && self.agu.busy();
        self.agu.eval(out.launch.as_ref(), &mut out.agu);
    }

    /// The edge. Returns whether anything may have changed.
    #[inline]
    fn commit(&mut self, s: &PortSignals) -> bool {
        if let Some(sh) = s.next_sh {
            self.sh = sh;
        }
        let configured = s.next_sh.is_some() || s.agu.next_p.is_some();
        self.configured |= configured;
        self.agu.commit(&s.agu) || configured
    }
}

impl Port {
    /// A port in reset, with addresses of `aw` bits.
    pub(crate) fn new(aw: u32) -> Self {
        Self { agu: Agu::new(aw), sh: RfSh::default(), configured: true }
    }

    /// Writes the registers of port `k` into the image of a cell.
    #[inline]
    pub(crate) fn pack(&mut self, k: usize, slots: &Slots, image: &mut [u64]) {
        image[slots.of(GroupId::RfAguSt) + k] = self.agu.state_word();
        if std::mem::take(&mut self.configured) {
            image[slots.of(GroupId::RfSh) + k] = self.sh.pack();
            image[slots.of(GroupId::RfAguP) + k] = self.agu.pattern_word();
        }
    }
}

impl PortSignals {
    /// Adds the signals of the port with this number; `before` has the registers.
    pub(crate) fn show(&self, before: &Port, k: usize, out: &mut Shown<'_>) {
        out.put_at(SignalId::AguHit, k, self.hit);
        out.put_at(SignalId::AguLaunch, k, self.launch.is_some());
        out.put_some(SignalId::AguLaunchCfg, k, self.launch.map(|cfg| cfg.pack()));
        out.put_at(SignalId::AguEn, k, self.agu.emitted.is_some());
        out.put_some(SignalId::AguAddr, k, self.agu.emitted);
        out.put_at(SignalId::AguActive, k, before.agu.busy());
    }
}
