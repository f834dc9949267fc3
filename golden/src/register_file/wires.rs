// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules of a register file (chapter 3): launches, addresses.

use drra_isa::fabric::{AguId, SignalId};

use super::{Refi, RegisterFile};
use crate::wires::Wires;

impl RegisterFile {
    /// Launches and addresses of this cycle, which has not begun to launch yet.
    pub(crate) fn wires(&self, immediate: bool, refi: Option<&Refi>, out: &mut Wires<'_>) {
        let hit = refi.and_then(Refi::selects);
        let mut now = self.clone();
        now.launch(immediate, refi);
        for (k, agu) in AguId::ALL.iter().enumerate() {
            let arriving = refi.filter(|_| hit == Some(*agu)).map(|refi| refi.cfg);
            out.put_at(SignalId::AguHit, k, arriving.is_some());
            let launched = arriving.or(self.shadow(*agu).copied()).filter(|_| immediate);
            out.put_at(SignalId::AguLaunch, k, launched.is_some());
            if let Some(launched) = launched {
                out.put_at(SignalId::AguLaunchCfg, k, launched.image().pack());
            }
            let emitted = now.emitted(*agu);
            out.put_at(SignalId::AguEn, k, emitted.is_some());
            if let Some(address) = emitted {
                out.put_at(SignalId::AguAddr, k, address);
            }
            out.put_at(SignalId::AguActive, k, self.agu(*agu).busy());
        }
        out.put(SignalId::Busy, self.busy());
    }
}
