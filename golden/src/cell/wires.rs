// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules of a cell (chapter 5, section 4).

use drra_isa::fabric::SignalId;

use super::Cell;
use crate::{block, permute::permute, wires::Wires};

impl Cell {
    /// Puts the signals of this cycle; `vin` is what is on the inputs.
    pub(crate) fn wires(&self, vin: [u16; 6], out: &mut Wires<'_>) {
        let immediate = self.seq.immediate();
        self.seq.wires(self.dpu.cond_status(), self.io_cell, out);
        out.put(SignalId::SwbSel, self.swb.cfg_word());
        let perm = self.perm.leaving(immediate);
        out.put(SignalId::PermGo, perm.0);
        self.rf.wires(immediate, self.seq.issued_refi(), out);
        let written = perm.fields().and_then(|perm| {
            let old = self.rf.block(usize::from(perm.block) % self.rf.blocks());
            Some((old, permute(&block::to_words(&old), perm.mode, perm.distance)?))
        });
        out.put(SignalId::PermWe, written.is_some());
        if let Some((old, new)) = written {
            out.put_block(SignalId::PermOld, 0, &old);
            out.put_block(SignalId::PermNew, 0, &block::from_words(&new));
        }
        out.put(SignalId::IoCell, self.io_cell);
        for (port, value) in vin[..2].iter().enumerate() {
            out.put_at(SignalId::RfWdata, port, *value);
        }
        let input = [vin[2], vin[3], vin[4], vin[5]];
        for (operand, value) in input.iter().enumerate() {
            out.put_at(SignalId::DpuOperand, operand, *value);
        }
        self.dpu.wires(immediate, self.seq.issued_dpu(), self.seq.cfg_bw(), input, out);
    }
}
