// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules of a column (chapter 5, 4.1, and chapter 7, A4).

use drra_isa::fabric::{Generator, SignalId, fields::io};

use super::Column;
use crate::{block::Block, wires::Wires};

impl Column {
    /// Puts the signals of this cycle; `tile_down` is output register S of the home tile.
    pub(crate) fn wires(&self, tile_down: &Block, out: &mut Wires<'_>) {
        out.put_block(SignalId::TileDown, 0, tile_down);
        for &generator in Generator::ALL {
            let (k, agu) = match generator {
                Generator::Read => (generator.index(), &self.io_rd),
                Generator::Write => (generator.index(), &self.io_wr),
            };
            let message = self.io_msg.filter(|m| io::RW.get(*m) == k as u64);
            out.put_at(SignalId::IoNew, k, message.is_some());
            if let Some(message) = message {
                out.put_at(SignalId::IoNewCfg, k, io::CFG.get(message));
            }
            let access = agu.access();
            out.put_at(SignalId::IoEn, k, access.is_some());
            if let Some(address) = access {
                out.put_at(SignalId::IoAddr, k, address);
            }
            out.put_at(SignalId::IoMask, k, agu.mask());
            out.put_at(SignalId::IoActive, k, agu.busy());
        }
        out.put(SignalId::ColumnBusy, self.busy());
    }
}
