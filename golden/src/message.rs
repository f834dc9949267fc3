// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to the NoC and to the I/O units (chapter 6, section 3, and chapter 7, A3 and A4).

use drra_fabric::{
    MessageKind,
    fields::{io, io_cfg, noc_msg, route, sram, sram_cfg, sram_take},
    images::{NocIssue, NocMsg},
};
use drra_isa::BitField;

use crate::{bits::sx, sram_agu::PatternConfig};

/// `message` of chapter 6: a cell's message of kind 2 or 3 in the 63-bit form for the tiles.
pub(crate) fn to_noc(m: &NocIssue) -> NocMessage {
    NocMessage(NocMsg { valid: true, kind: m.kind, payload: m.payload }.pack())
}

/// Kind of a cell's message, and true for a write; `None` if there is none.
pub(crate) fn kind(m: &NocIssue) -> Option<(MessageKind, bool)> {
    let write = match m.kind {
        MessageKind::None => return None,
        MessageKind::Io => io::RW.get(m.payload),
        MessageKind::Route => route::WRITE.get(m.payload),
        MessageKind::Sram => sram::RW.get(m.payload),
    };
    Some((m.kind, write == 1))
}

/// Message on the NoC: 63 bits `{valid, kind, payload}`, all 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NocMessage(pub(crate) u64);

impl NocMessage {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn is_route(self) -> bool {
        self.is(MessageKind::Route)
    }

    pub(crate) fn is_sram(self) -> bool {
        self.is(MessageKind::Sram)
    }

    fn is(self, kind: MessageKind) -> bool {
        noc_msg::VALID.get(self.0) == 1 && noc_msg::KIND.get(self.0) == kind.value()
    }

    fn payload(self) -> u64 {
        noc_msg::PAYLOAD.get(self.0)
    }

    /// Remaining vertical moves.
    pub(crate) fn vhops(self) -> u64 {
        route::VERTICAL_HOPS.get(self.payload())
    }

    /// Remaining horizontal moves.
    pub(crate) fn hhops(self) -> u64 {
        route::HORIZONTAL_HOPS.get(self.payload())
    }

    /// `vdir`: vertical moves go north.
    pub(crate) fn north(self) -> bool {
        route::VERTICAL_DIR.get(self.payload()) == 1
    }

    /// `hdir`: horizontal moves go east.
    pub(crate) fn east(self) -> bool {
        route::HORIZONTAL_DIR.get(self.payload()) == 1
    }

    /// `read` of a ROUTE: from the tiles to the cells.
    pub(crate) fn route_read(self) -> bool {
        route::READ.get(self.payload()) == 1
    }

    /// `rw` of an SRAM: for the write generator.
    pub(crate) fn sram_rw(self) -> bool {
        sram::RW.get(self.payload()) == 1
    }

    /// Number of tiles still to pass.
    pub(crate) fn hops(self) -> u64 {
        sram::HOPS.get(self.payload())
    }

    /// Decrements the number of vertical moves.
    pub(crate) fn minus_vhop(self) -> Self {
        self.one_less(route::VERTICAL_HOPS)
    }

    /// Decrements the number of horizontal moves.
    pub(crate) fn minus_hhop(self) -> Self {
        self.one_less(route::HORIZONTAL_HOPS)
    }

    /// Decrements the number of tiles to pass.
    pub(crate) fn minus_hop(self) -> Self {
        self.one_less(sram::HOPS)
    }

    /// Decrements a payload field that is not 0.
    fn one_less(self, field: BitField) -> Self {
        Self(self.0 - noc_msg::PAYLOAD.put(field.put(1)))
    }
}

/// Configuration of a generator on its way from a side of a tile: 55 bits `{valid, rw, fields}`, all 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TakenConfig(pub(crate) u64);

impl TakenConfig {
    pub(crate) const NONE: Self = Self(0);

    /// The configuration that a side takes from an SRAM.
    pub(crate) fn from_sram(m: NocMessage) -> Self {
        let payload = m.payload();
        let head = sram_take::VALID.put(1) | sram_take::RW.put(sram::RW.get(payload));
        Self(head | sram_take::CFG.put(sram::CFG.get(payload)))
    }

    /// True if the configuration is for the read (`rw` 0) or write (1) generator.
    pub(crate) fn is_for(self, rw: u64) -> bool {
        sram_take::VALID.get(self.0) == 1 && sram_take::RW.get(self.0) == rw
    }

    /// The configuration.
    pub(crate) fn config(self) -> PatternConfig {
        let cfg = sram_take::CFG.get(self.0);
        PatternConfig {
            init_addr: sram_cfg::INIT_ADDR.get(cfg) as u32,
            init_delay: sram_cfg::INIT_DELAY.get(cfg) as u8,
            l1_iter: sram_cfg::L1_ITER.get(cfg) as u8,
            l1_step: step(cfg, sram_cfg::L1_STEP),
            l1_delay: sram_cfg::L1_DELAY.get(cfg) as u8,
            l2_iter: sram_cfg::L2_ITER.get(cfg) as u8,
            l2_step: step(cfg, sram_cfg::L2_STEP),
            l2_delay: sram_cfg::L2_DELAY.get(cfg) as u8,
            mask: 0,
        }
    }
}

/// The configuration in the payload of an IO.
pub(crate) fn io_config(payload: u64) -> PatternConfig {
    let cfg = io::CFG.get(payload);
    PatternConfig {
        init_addr: io_cfg::INIT_ADDR.get(cfg) as u32,
        init_delay: io_cfg::INIT_DELAY.get(cfg) as u8,
        l1_iter: io_cfg::L1_ITER.get(cfg) as u8,
        l1_step: step(cfg, io_cfg::L1_STEP),
        l1_delay: io_cfg::L1_DELAY.get(cfg) as u8,
        mask: io_cfg::MASK.get(cfg) as u16,
        ..PatternConfig::default()
    }
}

/// A step in two's complement.
fn step(cfg: u64, field: BitField) -> i8 {
    sx(field.get(cfg), field.width()) as i8
}
