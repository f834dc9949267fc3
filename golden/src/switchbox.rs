// SPDX-License-Identifier: MIT OR Apache-2.0
//! Switchbox of a cell (chapter 5, 2.3 and 3.2).

use drra_fabric::{
    GroupId, Slots,
    fields::array,
    images::{SwbIss, SwbSel, SwbTarget},
};
use drra_isa::instructions::swb;

use crate::{bits::packed, idle::Clocked};

const DISCONNECTED: SwbSel = SwbSel { other: false, block: false, port: false, hb: 7 };

/// Registers of the switchbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Registers {
    /// `swb_iss_valid`, `swb_iss`.
    iss: SwbIss,
    cfg: [SwbSel; 6],
}

impl Default for Registers {
    fn default() -> Self {
        Self { iss: SwbIss::default(), cfg: [DISCONNECTED; 6] }
    }
}

/// Position of a cell, for the sliding window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowPosition {
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) cols: usize,
    /// Index of the lane that always reads 0.
    pub(crate) none: u16,
}

/// Switchbox of one cell.
#[derive(Clone, Debug)]
pub(crate) struct Switchbox {
    registers: Registers,
    place: WindowPosition,
}

/// The inputs of the switchbox in a cycle, other than the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SwitchboxInputs {
    /// The SWB that is decoded, `swb_dec` and `word`.
    pub(crate) word: Option<u32>,
    pub(crate) immediate: bool,
}

/// Signals of the switchbox in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SwitchboxSignals {
    /// The lane that each input is connected to; see [`Switchbox::sources`].
    pub(crate) sources: [u16; 6],
    next: Registers,
}

impl Switchbox {
    pub(crate) fn new(place: WindowPosition) -> Self {
        Self { registers: Registers::default(), place }
    }

    /// Its position.
    pub(crate) fn place(&self) -> &WindowPosition {
        &self.place
    }

    /// The lane that an input is connected to (3.2).
    fn source(&self, e: SwbSel) -> u16 {
        let WindowPosition { row, col, cols, none } = self.place;
        let s = (col + usize::from(e.hb)).wrapping_sub(2);
        if e.hb > 4 || s >= cols {
            return none;
        }
        let row = if e.other { 1 - row } else { row };
        let lane = 2 * usize::from(e.block) + usize::from(e.port);
        (4 * (row * cols + s) + lane) as u16
    }

    /// The lane that each input is connected to: 4 times the index of the driving cell, plus the number of the lane
    /// (register file 0 and 1, DPU 0 and 1).
    pub(crate) fn sources(&self) -> [u16; 6] {
        self.registers.cfg.map(|entry| self.source(entry))
    }

    /// `swb_cfg[5] .. swb_cfg[0]`.
    pub(crate) fn cfg_word(&self) -> u64 {
        packed(self.registers.cfg.map(|entry| entry.pack()), array::SWB_SWB_CFG) as u64
    }

    /// Writes the registers into the image of a cell.
    pub(crate) fn pack(&self, slots: &Slots, image: &mut [u64]) {
        image[slots.of(GroupId::SwbIss)] = self.registers.iss.pack();
        image[slots.of(GroupId::SwbSwbCfg)] = self.cfg_word();
    }
}

impl Clocked for Switchbox {
    type Inputs<'a> = SwitchboxInputs;
    type Kept = SwitchboxInputs;
    type Signals = SwitchboxSignals;

    fn keep(inputs: &SwitchboxInputs) -> SwitchboxInputs {
        *inputs
    }

    /// `vin` and `swb_next` of 3.2.
    fn eval(&self, i: &SwitchboxInputs, out: &mut SwitchboxSignals) {
        out.sources = self.sources();
        let n = &mut out.next;
        *n = self.registers;
        if let Some(word) = i.word.map(|word| [word])
            && swb::UNUSED0.is_set(&word)
        {
            let swb_iss = SwbTarget {
                block: swb::SRC_BLOCK.is_set(&word),
                port: swb::SRC_PORT.is_set(&word),
                hb: swb::HB_INDEX.get(&word) as u8,
                other: swb::SEND_TO_OTHER_ROW.is_set(&word),
                v: swb::V_INDEX.get(&word) as u8,
            };
            n.iss = SwbIss { swb_iss_valid: true, swb_iss };
        }
        let SwbIss { swb_iss_valid, swb_iss: s } = self.registers.iss;
        if i.immediate && swb_iss_valid && s.v < 6 {
            let entry = SwbSel { other: s.other, block: s.block, port: s.port, hb: s.hb };
            n.cfg[usize::from(s.v)] = entry;
        }
    }

    /// The edge. Returns whether anything has changed.
    fn commit(&mut self, s: &SwitchboxSignals) -> bool {
        let changed = self.registers != s.next;
        self.registers = s.next;
        changed
    }
}
