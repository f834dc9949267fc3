// SPDX-License-Identifier: MIT OR Apache-2.0
//! Switchbox of a cell (chapter 5, 2.3 and 3.2).

use drra_fabric::{
    GroupId, GroupOffsets, Lane,
    fields::array,
    images::{SwbIss, SwbSel, SwbTarget},
};
use drra_isa::{CellId, Geometry, instructions::swb};

use crate::{bits::packed, idle::Clocked};

/// What the six inputs of a cell are connected to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InputSources {
    /// The lane of each input; `None` for an input that reads 0.
    pub(crate) lanes: [Option<(CellId, Lane)>; 6],
    /// Where these lanes are among the lanes of all cells, preceded by the four of an input that reads 0.
    pub(crate) indices: [u16; 6],
    /// Bit k: some input is connected to a lane of the cell with index k.
    pub(crate) cells: u64,
}

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

/// Switchbox of one cell.
#[derive(Clone, Debug)]
pub(crate) struct Switchbox {
    cell: CellId,
    geometry: Geometry,
    registers: Registers,
    sources: InputSources,
}

/// The inputs of the switchbox in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SwitchboxInputs {
    /// `swb_dec`, `word`: the SWB that is decoded.
    pub(crate) word: Option<u32>,
    pub(crate) immediate: bool,
}

impl Switchbox {
    pub(crate) fn new(cell: CellId, geometry: &Geometry) -> Self {
        let sources = InputSources::default();
        Self { cell, geometry: *geometry, registers: Registers::default(), sources }
    }

    /// The connections according to the registers.
    fn connections(&self) -> InputSources {
        let (g, lanes) = (&self.geometry, self.registers.cfg.map(|entry| self.selected(entry)));
        let index = |(from, lane): (CellId, Lane)| 4 * (from.index(g) + 1) + lane.index();
        let indices = lanes.map(|source| source.map_or(0, index) as u16);
        let cells = lanes.iter().flatten().fold(0, |all, (from, _)| all | 1 << from.index(g));
        InputSources { lanes, indices, cells }
    }

    /// What the six inputs of the cell are connected to.
    pub(crate) fn sources(&self) -> &InputSources {
        &self.sources
    }

    /// `selected` of `vin` of 3.2: the lane that an entry connects an input to.
    fn selected(&self, e: SwbSel) -> Option<(CellId, Lane)> {
        let (r, c) = (self.cell.row(), self.cell.col());
        let s = (c + usize::from(e.hb)).checked_sub(2).filter(|_| e.hb <= 4)?;
        let from = CellId::new(if e.other { 1 - r } else { r }, s)?;
        let lane = Lane::from_index(2 * usize::from(e.block) + usize::from(e.port))?;
        from.is_in(&self.geometry).then_some((from, lane))
    }

    /// `swb_cfg[5] .. swb_cfg[0]`.
    pub(crate) fn cfg_word(&self) -> u64 {
        packed(self.registers.cfg.map(|entry| entry.pack()), array::SWB_SWB_CFG) as u64
    }

    /// Writes the registers into the image of a cell.
    pub(crate) fn pack(&self, slots: &GroupOffsets, image: &mut [u64]) {
        image[slots.of(GroupId::SwbIss)] = self.registers.iss.pack();
        image[slots.of(GroupId::SwbSwbCfg)] = self.cfg_word();
    }
}

impl Clocked for Switchbox {
    type Inputs = SwitchboxInputs;

    /// `swb_next` of 3.2.
    fn next(&mut self, i: &SwitchboxInputs) -> bool {
        let SwbIss { swb_iss_valid, swb_iss } = self.registers.iss;
        let mut changed = false;
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
            self.registers.iss = SwbIss { swb_iss_valid: true, swb_iss };
            changed = true;
        }
        let SwbTarget { block, port, hb, other, v } = swb_iss;
        if i.immediate && swb_iss_valid && v < 6 {
            let entry = SwbSel { other, block, port, hb };
            let v = usize::from(v);
            changed |= self.registers.cfg[v] != entry;
            self.registers.cfg[v] = entry;
            self.sources = self.connections();
        }
        changed
    }
}
