// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to the NoC and to the I/O units (chapter 6, section 3, and chapter 7, A3).

use crate::bits::sx;
use crate::sram_agu::Config;

pub(crate) const KIND_IO: u8 = 1;
pub(crate) const KIND_ROUTE: u8 = 2;
pub(crate) const KIND_SRAM: u8 = 3;

/// Fields of the payload of a ROUTE (chapter 6, section 3).
pub(crate) mod route {
    use drra_isa::BitField;

    /// Vertical direction: 1 north.
    pub(crate) const VDIR: BitField = BitField::new(8, 1);
    /// Vertical moves to go.
    pub(crate) const VHOPS: BitField = BitField::new(9, 3);
    /// Horizontal direction: 1 east.
    pub(crate) const HDIR: BitField = BitField::new(12, 1);
    /// Horizontal moves to go.
    pub(crate) const HHOPS: BitField = BitField::new(13, 3);
    /// From the tiles to the cells.
    pub(crate) const READ: BitField = BitField::new(25, 1);
    /// Row of the cell.
    pub(crate) const ROW: BitField = BitField::new(26, 1);
    /// From the cells to the tiles.
    pub(crate) const WRITE: BitField = BitField::new(32, 1);
}

/// Fields of the payload of an SRAM (chapter 6, section 3).
pub(crate) mod sram {
    use drra_isa::BitField;

    /// Always 1.
    pub(crate) const VALID: BitField = BitField::new(59, 1);
    /// Tiles to pass.
    pub(crate) const HOPS: BitField = BitField::new(54, 4);
    pub(crate) const INIT_ADDR: BitField = BitField::new(47, 7);
    pub(crate) const INIT_DELAY: BitField = BitField::new(43, 4);
    pub(crate) const L1_ITER: BitField = BitField::new(36, 7);
    pub(crate) const L1_STEP: BitField = BitField::new(28, 8);
    pub(crate) const L1_DELAY: BitField = BitField::new(22, 6);
    pub(crate) const L2_ITER: BitField = BitField::new(15, 7);
    pub(crate) const L2_STEP: BitField = BitField::new(7, 8);
    pub(crate) const L2_DELAY: BitField = BitField::new(1, 6);
    /// 1: for the write generator.
    pub(crate) const RW: BitField = BitField::new(0, 1);
}

/// Fields of the payload of an IO (chapter 7, A3).
pub(crate) mod io {
    use drra_isa::BitField;

    /// 1: for the generator of the output buffer.
    pub(crate) const RW: BitField = BitField::new(63, 1);
    pub(crate) const INIT_ADDR: BitField = BitField::new(38, 25);
    pub(crate) const INIT_DELAY: BitField = BitField::new(32, 6);
    pub(crate) const L1_ITER: BitField = BitField::new(27, 5);
    pub(crate) const L1_STEP: BitField = BitField::new(22, 5);
    pub(crate) const L1_DELAY: BitField = BitField::new(16, 6);
    pub(crate) const MASK: BitField = BitField::new(0, 16);
}

/// Fields of a message on the NoC, 63 bits; the payload of the cell without its upper bits.
mod noc {
    use drra_isa::BitField;

    pub(super) const VALID: BitField = BitField::new(62, 1);
    pub(super) const KIND: BitField = BitField::new(60, 2);
    pub(super) const PAYLOAD: BitField = BitField::new(0, 60);
}

/// Fields of the register `agu` of a side of a tile (chapter 6, section 5), 55 bits: what the
/// payload of an SRAM has above `rw` is at the bottom.
mod taken {
    use drra_isa::BitField;

    pub(super) const VALID: BitField = BitField::new(54, 1);
    pub(super) const RW: BitField = BitField::new(53, 1);
    pub(super) const CONFIG: BitField = BitField::new(0, 53);
    /// The same in the payload.
    pub(super) const IN_PAYLOAD: BitField = BitField::new(1, 53);
}

/// Message inside a cell; `kind` 0 means none, otherwise `valid` is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellMessage {
    pub(crate) kind: u8,
    pub(crate) payload: u64,
}

impl CellMessage {
    /// The 67 bits `{valid, kind, payload}` as two words, low word first.
    pub(crate) fn words(self) -> [u64; 2] {
        let valid = u64::from(self.kind != 0);
        [self.payload, valid << 2 | u64::from(self.kind)]
    }

    /// The 63-bit form for the tiles, for kinds 2 and 3.
    pub(crate) fn to_noc(self) -> NocMessage {
        match self.kind {
            KIND_ROUTE | KIND_SRAM => {
                let head = noc::VALID.put(1) | noc::KIND.put(self.kind.into());
                NocMessage(head | noc::PAYLOAD.put(self.payload))
            }
            _ => NocMessage::NONE,
        }
    }
}

/// Message on the NoC: 63 bits `{valid, kind, payload}`, all 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NocMessage(pub(crate) u64);

impl NocMessage {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn is_route(self) -> bool {
        self.kind() == KIND_ROUTE
    }

    pub(crate) fn is_sram(self) -> bool {
        self.kind() == KIND_SRAM
    }

    fn kind(self) -> u8 {
        if noc::VALID.get(self.0) == 1 { noc::KIND.get(self.0) as u8 } else { 0 }
    }

    pub(crate) fn vhops(self) -> u64 {
        route::VHOPS.get(self.0)
    }

    pub(crate) fn hhops(self) -> u64 {
        route::HHOPS.get(self.0)
    }

    pub(crate) fn north(self) -> bool {
        route::VDIR.get(self.0) == 1
    }

    pub(crate) fn east(self) -> bool {
        route::HDIR.get(self.0) == 1
    }

    pub(crate) fn is_read(self) -> bool {
        route::READ.get(self.0) == 1
    }

    pub(crate) fn hops(self) -> u64 {
        sram::HOPS.get(self.0)
    }

    /// One vertical move less to go.
    pub(crate) fn minus_vhop(self) -> Self {
        Self(self.0 - route::VHOPS.put(1))
    }

    /// One horizontal move less to go.
    pub(crate) fn minus_hhop(self) -> Self {
        Self(self.0 - route::HHOPS.put(1))
    }

    /// One tile less to pass.
    pub(crate) fn minus_hop(self) -> Self {
        Self(self.0 - sram::HOPS.put(1))
    }
}

/// Configuration of a generator on its way from a side of a tile: 55 bits `{valid, rw, fields}`,
/// all 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken(pub(crate) u64);

impl Taken {
    pub(crate) const NONE: Self = Self(0);

    /// What a side takes from an SRAM.
    pub(crate) fn from_sram(m: NocMessage) -> Self {
        let config = taken::CONFIG.put(taken::IN_PAYLOAD.get(m.0));
        Self(taken::VALID.put(1) | taken::RW.put(sram::RW.get(m.0)) | config)
    }

    /// True if it is for the read (`rw` 0) or write (1) generator.
    pub(crate) fn is_for(self, rw: u64) -> bool {
        taken::VALID.get(self.0) == 1 && taken::RW.get(self.0) == rw
    }

    /// The configuration.
    pub(crate) fn config(self) -> Config {
        let payload = taken::IN_PAYLOAD.put(taken::CONFIG.get(self.0));
        Config {
            init_addr: sram::INIT_ADDR.get(payload) as u32,
            init_delay: sram::INIT_DELAY.get(payload) as u8,
            l1_iter: sram::L1_ITER.get(payload) as u8,
            l1_step: sram::L1_STEP.get(payload) as i8,
            l1_delay: sram::L1_DELAY.get(payload) as u8,
            l2_iter: sram::L2_ITER.get(payload) as u8,
            l2_step: sram::L2_STEP.get(payload) as i8,
            l2_delay: sram::L2_DELAY.get(payload) as u8,
            mask: 0,
        }
    }
}

/// The configuration in the payload of an IO.
pub(crate) fn io_config(payload: u64) -> Config {
    Config {
        init_addr: io::INIT_ADDR.get(payload) as u32,
        init_delay: io::INIT_DELAY.get(payload) as u8,
        l1_iter: io::L1_ITER.get(payload) as u8,
        l1_step: sx(io::L1_STEP.get(payload), io::L1_STEP.width()) as i8,
        l1_delay: io::L1_DELAY.get(payload) as u8,
        mask: io::MASK.get(payload) as u16,
        ..Config::default()
    }
}
