// SPDX-License-Identifier: MIT OR Apache-2.0
//! Switchbox of a cell (chapter 5, 2.3).

use drra_isa::instructions::swb;

use drra_isa::fabric::{
    fields::array,
    images::{SwbIss, SwbSel, SwbTarget},
};

use crate::bits::packed;

/// An issued SWB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Issued {
    valid: bool,
    block: bool,
    port: bool,
    hb: u8,
    other: bool,
    v: u8,
}

/// Which lane an input listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Selection {
    other: bool,
    block: bool,
    port: bool,
    hb: u8,
}

const DISCONNECTED: Selection = Selection { other: false, block: false, port: false, hb: 7 };

/// Registers of the switchbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Switchbox {
    issued: Issued,
    cfg: [Selection; 6],
}

impl Switchbox {
    pub(crate) fn new() -> Self {
        Self { issued: Issued::default(), cfg: [DISCONNECTED; 6] }
    }

    /// Which lane each input listens to: the index of the cell times 4, plus the lane (register file
    /// 0 and 1, DPU 0 and 1); `none` for an input that reads 0 (chapter 5, 3.2).
    pub(crate) fn sources(&self, row: usize, col: usize, cols: usize, none: u16) -> [u16; 6] {
        self.cfg.map(|e| {
            let column = (col + usize::from(e.hb)).wrapping_sub(2);
            if e.hb > 4 || column >= cols {
                return none;
            }
            let row = if e.other { 1 - row } else { row };
            let lane = 2 * usize::from(e.block) + usize::from(e.port);
            (4 * (row * cols + column) + lane) as u16
        })
    }

    /// Executes the edge; `word` is the SWB decoded in this cycle. Returns whether anything may
    /// have changed.
    #[inline]
    pub(crate) fn step(&mut self, word: Option<u32>, immediate: bool) -> bool {
        let mut changed = false;
        let i = self.issued;
        if immediate && i.valid && i.v < 6 {
            let new = Selection { other: i.other, block: i.block, port: i.port, hb: i.hb };
            let entry = &mut self.cfg[usize::from(i.v)];
            changed = *entry != new;
            *entry = new;
        }
        if let Some(word) = word.map(|w| [w])
            && swb::UNUSED0.is_set(&word)
        {
            self.issued = Issued {
                valid: true,
                block: swb::SRC_BLOCK.is_set(&word),
                port: swb::SRC_PORT.is_set(&word),
                hb: swb::HB_INDEX.get(&word) as u8,
                other: swb::SEND_TO_OTHER_ROW.is_set(&word),
                v: swb::V_INDEX.get(&word) as u8,
            };
            changed = true;
        }
        changed
    }

    /// `{swb_iss_valid, swb_iss}`.
    pub(crate) fn issued_word(&self) -> u64 {
        let i = &self.issued;
        let swb_iss = SwbTarget { block: i.block, port: i.port, hb: i.hb, other: i.other, v: i.v };
        SwbIss { swb_iss_valid: i.valid, swb_iss }.pack()
    }

    /// `swb_cfg[5] .. swb_cfg[0]`.
    pub(crate) fn cfg_word(&self) -> u64 {
        let entry =
            |e: Selection| SwbSel { other: e.other, block: e.block, port: e.port, hb: e.hb }.pack();
        packed(self.cfg.map(entry), array::SWB_SWB_CFG) as u64
    }
}
