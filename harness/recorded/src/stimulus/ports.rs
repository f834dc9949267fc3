// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values on the input ports in one cycle.

use std::collections::{BTreeMap, BTreeSet};

use drra_fabric::ports::{Block, IdleLines, InputPort, ProgWord, RfInit, SramInit, ZERO_BLOCK};
use drra_isa::{CellId, ColumnId, Geometry};

use drra_lockstep::Value;

use crate::{map::Expression, samples::LatestValues};

/// The ports of one cycle.
pub(super) struct CyclePorts<'a> {
    pub(super) inputs: &'a BTreeMap<InputPort, Vec<Expression>>,
    pub(super) values: &'a LatestValues,
    pub(super) cycle: u64,
}

/// Returns the value on a port.
pub(super) type PortReader<'a> = &'a dyn Fn(InputPort) -> Result<Value, String>;

fn number(bits: &Value) -> u64 {
    bits.number().unwrap_or(u64::MAX)
}

fn place(on: PortReader<'_>, port: InputPort) -> Result<usize, String> {
    Ok(usize::try_from(number(&on(port)?)).unwrap_or(usize::MAX))
}

/// A word without its flag.
pub(super) fn prog(on: PortReader<'_>) -> Result<ProgWord, String> {
    Ok(ProgWord {
        instr: number(&on(InputPort::ProgInstr)?) as u32,
        imm: false,
        row_sel: number(&on(InputPort::ProgRowSel)?) as u8,
        col_sel: number(&on(InputPort::ProgColSel)?) as u32,
    })
}

/// A block for a tile, not yet valid.
pub(super) fn sram_init(on: PortReader<'_>) -> Result<SramInit, String> {
    Ok(SramInit {
        row: place(on, InputPort::SramInitRow)?,
        col: place(on, InputPort::SramInitCol)?,
        addr: place(on, InputPort::SramInitAddr)?,
        data: block(&on(InputPort::SramInitData)?),
        valid: false,
    })
}

/// A block for a register file.
pub(super) fn rf_init(on: PortReader<'_>) -> Result<RfInit, String> {
    Ok(RfInit {
        row: place(on, InputPort::RfInitRow)?,
        col: place(on, InputPort::RfInitCol)?,
        block: place(on, InputPort::RfInitBlock)?,
        data: block(&on(InputPort::RfInitData)?),
    })
}

/// The error if a relevant port has unknown bits.
pub(super) fn unknown(port: &str, cycle: u64, value: &Value) -> String {
    format!(
        "port `{port}` is {value} in cycle {cycle}: the golden model cannot be driven with unknown bits"
    )
}

impl CyclePorts<'_> {
    /// Value of a port, for one of the units that have it.
    fn value(&self, port: InputPort, unit: usize) -> Result<Option<Value>, String> {
        let Some(expression) = self.inputs.get(&port).and_then(|units| units.get(unit)) else {
            return Ok(None);
        };
        let failed = |e| format!("in cycle {}: {e}", self.cycle);
        expression.value(self.values).map(Some).map_err(failed)
    }

    /// Value of a port that must be known; 0 if it is not in the map.
    fn bits(&self, port: InputPort) -> Result<Value, String> {
        let value = self.value(port, 0)?.unwrap_or_else(|| Value::new([], 1));
        if value.is_known() { Ok(value) } else { Err(unknown(port.name(), self.cycle, &value)) }
    }

    /// Value of a port that must be known, as a number.
    pub(super) fn known(&self, port: InputPort) -> Result<u64, String> {
        Ok(number(&self.bits(port)?))
    }

    /// The values on the ports of a group, if they are valid.
    pub(super) fn valid<T>(
        &self,
        valid: InputPort,
        group: fn(PortReader<'_>) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        if self.known(valid)? == 0 {
            return Ok(None);
        }
        group(&|port| self.bits(port)).map(Some)
    }

    /// The values of the load ports that are unused in this cycle. Unknown bits are 0, and so is the flag if it belongs
    /// to words in flight. `None` if all are 0.
    pub(super) fn idle(&self, flag_with_word: bool) -> Option<IdleLines> {
        let lines = |port| {
            let shown = self.value(port, 0).ok().flatten();
            Ok(shown.map_or(Value::new([], 1), |bits| Value::new(bits.words(), bits.width())))
        };
        let is = |port, value| lines(port).is_ok_and(|bits: Value| number(&bits) == value);
        let mut idle = IdleLines::default();
        if is(InputPort::ProgValid, 0) {
            let imm = flag_with_word && is(InputPort::ProgImm, 1);
            idle.prog = ProgWord { imm, ..prog(&lines).unwrap_or_default() };
        }
        if is(InputPort::SramInitValid, 0) {
            idle.sram_init = sram_init(&lines).unwrap_or_default();
        }
        if is(InputPort::RfInitValid, 0) {
            idle.rf_init = rf_init(&lines).unwrap_or_default();
        }
        (idle != IdleLines::default()).then_some(idle)
    }

    /// The cells whose strap is 1.
    pub(super) fn straps(&self, geometry: &Geometry) -> Result<BTreeSet<CellId>, String> {
        let mut cells = BTreeSet::new();
        for cell in CellId::all(geometry) {
            let Some(strap) = self.value(InputPort::IoCell, cell.index(geometry))? else {
                continue;
            };
            match strap.bit(0) {
                Some(true) => _ = cells.insert(cell),
                Some(false) => {}
                None => return Err(unknown(InputPort::IoCell.name(), self.cycle, &strap)),
            }
        }
        Ok(cells)
    }

    /// The value of `io_in_data` by column.
    pub(super) fn answers(&self, geometry: &Geometry) -> Result<Vec<(ColumnId, Value)>, String> {
        let mut answers = Vec::new();
        for column in ColumnId::all(geometry) {
            let value = self.value(InputPort::IoInData, column.index(geometry))?;
            answers.extend(value.map(|bits| (column, bits)));
        }
        Ok(answers)
    }
}

/// Bits as a block; unknown bits are 0.
pub(crate) fn block(bits: &Value) -> Block {
    let mut block = ZERO_BLOCK;
    for (to, from) in block.iter_mut().zip(bits.words()) {
        *to = *from;
    }
    block
}
