// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is on the input ports in one cycle.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{
    CellId, ColumnId, Geometry,
    ports::{Block, Idle, ProgWord, RfInit, SramInit, ZERO_BLOCK},
};

use super::StimulusError;
use crate::{
    Bits,
    frames::Values,
    map::{Expression, InputPort},
};

/// The ports of one cycle.
pub(super) struct Ports<'a> {
    pub(super) inputs: &'a BTreeMap<InputPort, Vec<Expression>>,
    pub(super) values: &'a Values,
    pub(super) cycle: u64,
}

impl Ports<'_> {
    fn has(&self, port: InputPort) -> bool {
        self.inputs.contains_key(&port)
    }

    /// Value of a port, of one unit of those that have one each.
    fn value(&self, port: InputPort, unit: usize) -> Result<Option<Bits>, StimulusError> {
        let Some(expression) = self.inputs.get(&port).and_then(|units| units.get(unit)) else {
            return Ok(None);
        };
        let failed = |source| StimulusError::Expression { cycle: self.cycle, source };
        expression.value(self.values).map(Some).map_err(failed)
    }

    /// Value of a port that must be known.
    fn bits(&self, port: InputPort) -> Result<Bits, StimulusError> {
        let value = self.value(port, 0)?.unwrap_or_else(|| Bits::new(&[], 1));
        if value.is_known() { Ok(value) } else { Err(self.unknown(port, value)) }
    }

    /// Value of a port that must be known, as a number.
    pub(super) fn known(&self, port: InputPort) -> Result<u64, StimulusError> {
        let bits = self.bits(port)?;
        Ok(bits.number().unwrap_or(u64::MAX))
    }

    fn unknown(&self, port: InputPort, value: Bits) -> StimulusError {
        StimulusError::Unknown { port: port.name(), cycle: self.cycle, value }
    }

    fn place(&self, port: InputPort) -> Result<usize, StimulusError> {
        Ok(usize::try_from(self.known(port)?).unwrap_or(usize::MAX))
    }

    /// The word on the program port; its flag is not looked at.
    pub(super) fn word(&self) -> Result<Option<ProgWord>, StimulusError> {
        if self.known(InputPort::ProgValid)? == 0 {
            return Ok(None);
        }
        Ok(Some(ProgWord {
            instr: self.known(InputPort::ProgInstr)? as u32,
            imm: false,
            row_sel: self.known(InputPort::ProgRowSel)? as u8,
            col_sel: self.known(InputPort::ProgColSel)? as u32,
        }))
    }

    /// The block for a tile on the load port.
    pub(super) fn tile_block(&self) -> Result<Option<SramInit>, StimulusError> {
        if !self.has(InputPort::SramInitValid) || self.known(InputPort::SramInitValid)? == 0 {
            return Ok(None);
        }
        Ok(Some(SramInit {
            row: self.place(InputPort::SramInitRow)?,
            col: self.place(InputPort::SramInitCol)?,
            addr: self.place(InputPort::SramInitAddr)?,
            data: block(&self.bits(InputPort::SramInitData)?),
            valid: true,
        }))
    }

    /// The block for a register file on the load port.
    pub(super) fn register_block(&self) -> Result<Option<RfInit>, StimulusError> {
        if !self.has(InputPort::RfInitValid) || self.known(InputPort::RfInitValid)? == 0 {
            return Ok(None);
        }
        Ok(Some(RfInit {
            row: self.place(InputPort::RfInitRow)?,
            col: self.place(InputPort::RfInitCol)?,
            block: self.place(InputPort::RfInitBlock)?,
            data: block(&self.bits(InputPort::RfInitData)?),
        }))
    }

    /// Lines of the load ports that are not used in this cycle; unknown bits are 0, and so is the flag where it
    /// belongs to words on their way. `None`: all are 0.
    pub(super) fn idle(&self, flag_with_word: bool) -> Option<Idle> {
        let lines = |port| self.value(port, 0).ok().flatten();
        let number = |port| lines(port).map_or(0, |bits: Bits| bits.words()[0]);
        let place = |port| usize::try_from(number(port)).unwrap_or(usize::MAX);
        let data = |port| lines(port).map_or(ZERO_BLOCK, |bits| block(&bits));
        let unused = |port| number(port) == 0;
        let mut idle = Idle::default();
        if unused(InputPort::ProgValid) {
            idle.prog = ProgWord {
                instr: number(InputPort::ProgInstr) as u32,
                imm: flag_with_word && number(InputPort::ProgImm) == 1,
                row_sel: number(InputPort::ProgRowSel) as u8,
                col_sel: number(InputPort::ProgColSel) as u32,
            };
        }
        if unused(InputPort::SramInitValid) {
            idle.sram_init = SramInit {
                row: place(InputPort::SramInitRow),
                col: place(InputPort::SramInitCol),
                addr: place(InputPort::SramInitAddr),
                data: data(InputPort::SramInitData),
                valid: false,
            };
        }
        if unused(InputPort::RfInitValid) {
            idle.rf_init = RfInit {
                row: place(InputPort::RfInitRow),
                col: place(InputPort::RfInitCol),
                block: place(InputPort::RfInitBlock),
                data: data(InputPort::RfInitData),
            };
        }
        (idle != Idle::default()).then_some(idle)
    }

    /// The cells whose strap is 1.
    pub(super) fn straps(&self, geometry: &Geometry) -> Result<BTreeSet<CellId>, StimulusError> {
        let mut cells = BTreeSet::new();
        for cell in CellId::all(geometry) {
            let Some(strap) = self.value(InputPort::IoCell, cell.index(geometry))? else {
                continue;
            };
            match strap.bit(0) {
                Some(true) => _ = cells.insert(cell),
                Some(false) => {}
                None => return Err(self.unknown(InputPort::IoCell, strap)),
            }
        }
        Ok(cells)
    }

    /// What is on `io_in_data` of the columns.
    pub(super) fn answers(
        &self,
        geometry: &Geometry,
    ) -> Result<Vec<(ColumnId, Bits)>, StimulusError> {
        let mut answers = Vec::new();
        for column in ColumnId::all(geometry) {
            let value = self.value(InputPort::IoInData, column.index(geometry))?;
            answers.extend(value.map(|bits| (column, bits)));
        }
        Ok(answers)
    }
}

/// Bits as a block; unknown ones are 0.
pub(crate) fn block(bits: &Bits) -> Block {
    let mut block = ZERO_BLOCK;
    for (to, from) in block.iter_mut().zip(bits.words()) {
        *to = *from;
    }
    block
}
