// SPDX-License-Identifier: MIT OR Apache-2.0
//! An AGU of the register file with its shadow register (chapter 3, 4.4 and 5.2).

use drra_isa::fabric::{
    SignalId,
    images::{AguCfg, RfSh},
};

use crate::{
    agu::{Agu, AguSignals},
    rest::Clocked,
    signals::Shown,
};

/// Registers of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) agu: Agu,
    pub(crate) sh: RfSh,
}

/// What enters a port in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PortInputs {
    /// Something is launched: `immediate`, and a configuration arrives or is pending. `immediate` alone is no input.
    pub(crate) launch: bool,
    /// The configuration of a REFI that selects this port.
    pub(crate) hit: Option<AguCfg>,
}

/// Signals of a port in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PortSignals {
    hit: bool,
    /// `launch`, `lcfg`.
    launch: Option<AguCfg>,
    pub(crate) agu: AguSignals,
    /// The shadow register after the edge, if it is replaced.
    next_sh: Option<RfSh>,
}

impl Clocked for Port {
    type Inputs<'a> = PortInputs;
    type Kept = PortInputs;
    type Signals = PortSignals;

    #[inline]
    fn keep(inputs: &PortInputs) -> PortInputs {
        *inputs
    }

    /// A turn of the loop in `rf_agus`. Without `sh_valid`, `sh_cfg` is 0 already.
    #[inline]
    fn eval(&self, i: &PortInputs, out: &mut PortSignals) {
        let waiting = self.sh.sh_valid.then_some(self.sh.sh_cfg);
        out.hit = i.hit.is_some();
        (out.launch, out.next_sh) = match (i.launch, i.hit) {
            (true, hit) => (hit.or(waiting), waiting.map(|_| RfSh::default())),
            (false, Some(cfg)) => (None, Some(RfSh { sh_valid: true, sh_cfg: cfg })),
            (false, None) => (None, None),
        };
        self.agu.eval(out.launch.as_ref(), &mut out.agu);
    }

    /// The edge. Returns whether anything has changed.
    #[inline]
    fn commit(&mut self, s: &PortSignals) -> bool {
        if let Some(sh) = s.next_sh {
            self.sh = sh;
        }
        self.agu.commit(&s.agu) || s.next_sh.is_some()
    }
}

impl PortSignals {
    /// Puts the signals of the port with this number; `before` has the registers.
    pub(crate) fn show(&self, before: &Port, k: usize, out: &mut Shown<'_>) {
        out.put_at(SignalId::AguHit, k, self.hit);
        out.put_at(SignalId::AguLaunch, k, self.launch.is_some());
        out.put_some(SignalId::AguLaunchCfg, k, self.launch.map(|cfg| cfg.pack()));
        out.put_at(SignalId::AguEn, k, self.agu.emitted.is_some());
        out.put_some(SignalId::AguAddr, k, self.agu.emitted);
        out.put_at(SignalId::AguActive, k, before.agu.busy());
    }
}
