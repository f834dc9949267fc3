// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of one model as a signal map shows it.

use std::sync::Arc;

use drra_golden::Fabric;
use drra_isa::{
    TileId, Unit,
    fabric::{Location, Register, RegisterId},
    ports::Block,
};
use drra_lockstep::{Difference, DutError, StateSource, Value};

use super::{
    computed::{Computed, evaluate, unknown},
    conditions::Moment,
    plan::{Memory, Plan},
};
use crate::bridge::{sim::Sim, unit_map::bytes_of};

/// Bits of a row of a memory.
const ROW_BITS: u32 = 256;

/// The state of one [`Sim`], readable in place.
///
/// It holds addresses in the model: it must not outlive the `Sim` it was made for, and the model must not be
/// evaluated during a call.
#[derive(Debug)]
pub(super) struct State {
    plan: Arc<Plan>,
    /// Address of the reference variable.
    reference: usize,
    /// By the number of the computation.
    computed: Vec<Computed>,
}

impl State {
    /// Finds the reference variable.
    ///
    /// # Errors
    /// If the model is not laid out as the one that the plan was made for.
    pub(super) fn new(sim: &Sim, plan: &Arc<Plan>) -> Result<Self, DutError> {
        let at = |end: usize| {
            let (scope, name) = &plan.ends[end];
            sim.memory(scope, name).map(|m| m.address)
        };
        let reference = at(0)?;
        if at(1)? - reference != plan.span {
            return Err(DutError::Map("two models of one design are laid out differently".into()));
        }
        let computed = vec![Computed::default(); plan.computations.len()];
        let mut state = Self { plan: Arc::clone(plan), reference, computed };
        state.refresh();
        Ok(state)
    }

    /// Takes notice of what changed in the model.
    pub(super) fn refresh(&mut self) {
        for (computation, computed) in self.plan.computations.iter().zip(&mut self.computed) {
            // SAFETY: the reference is that of the model, which lives and is not evaluated now.
            unsafe { computation.refresh(self.reference, computed) };
        }
    }

    /// Keeps what is needed of the cycle that ends now.
    pub(super) fn keep(&mut self) {
        for (computation, computed) in self.plan.computations.iter().zip(&mut self.computed) {
            computation.keep(computed);
        }
    }

    fn address(&self, offset: isize) -> *const u8 {
        self.reference.wrapping_add_signed(offset) as *const u8
    }

    /// True if all registers that are compared in this cycle agree, the memories of the tiles apart.
    #[inline]
    pub(super) fn agrees(&self, golden: &Fabric, now: Moment) -> bool {
        let units = self.plan.units.iter().all(|u| {
            let (table, base) = (&self.plan.tables[u.table], self.address(u.base));
            let image = golden.image(u.unit);
            // SAFETY: the table was made for this unit, whose registers start at `base`.
            unsafe { table.whole.agrees([base], [image]) && table.pieces.agrees(base, image) }
        });
        let mut computed = self.plan.computations.iter().zip(&self.computed);
        units
            && computed.all(|(computation, computed)| {
                let image = golden.image(computation.location.unit);
                computation.agrees(computed, image)
                    || !computation.is_compared(computed, golden, image, now)
            })
    }

    /// Corrects the differences that were found by reading images: conditions of the map and values that the map
    /// does not have are not in the images.
    pub(super) fn corrected(
        &self,
        differences: Vec<Difference>,
        golden: &Fabric,
        now: Moment,
    ) -> Vec<Difference> {
        let mut all = differences;
        for (computation, computed) in self.plan.computations.iter().zip(&self.computed) {
            let location = computation.location;
            all.retain(|d| d.location != location);
            let image = golden.image(location.unit);
            if !computation.agrees(computed, image)
                && computation.is_compared(computed, golden, image, now)
                && let Some(value) = golden.value(location)
            {
                let golden = Value::new(value, computation.width);
                all.push(Difference { location, golden, dut: computation.value(computed) });
            }
        }
        for tile in TileId::all(self.plan.layout.geometry()) {
            let Memory::Rows(rows) = self.memory(tile) else { continue };
            for row in 0..rows.len() {
                let register = RegisterId::TileSram.at(row);
                let location = Location { unit: tile.into(), register };
                all.retain(|d| d.location != location);
                if !self.row_agrees(golden, tile, row, now) {
                    let dut = self.row(tile, row).map(|block| Value::new(block.to_vec(), ROW_BITS));
                    let golden = Value::new(golden.sram(tile)[row].to_vec(), ROW_BITS);
                    let dut = dut.unwrap_or_else(|| unknown(ROW_BITS));
                    all.push(Difference { location, golden, dut });
                }
            }
        }
        all.sort_by_key(|d| d.location);
        all
    }

    /// Whether the map shows a register.
    pub(super) fn shows(&self, unit: Unit, register: Register) -> bool {
        self.plan.names.contains_key(&Location { unit, register })
    }

    fn memory(&self, tile: TileId) -> &Memory {
        &self.plan.memories[tile.index(self.plan.layout.geometry())]
    }

    /// Row of a tile's memory; `None` if it is not shown, or the map has no value for what the model shows.
    fn row(&self, tile: TileId, row: usize) -> Option<Block> {
        match self.memory(tile) {
            Memory::InPlace(offset) => {
                let mut block = Block::default();
                let bytes = size_of::<Block>();
                let from = self.address(*offset).wrapping_add(row * bytes);
                // SAFETY: the memory has this row; the model lives and is not evaluated meanwhile.
                unsafe { std::ptr::copy_nonoverlapping(from, block.as_mut_ptr().cast(), bytes) };
                Some(block)
            }
            Memory::Rows(rows) => {
                let row = rows[row].as_ref()?;
                // SAFETY: the reference is that of the model, which lives and is not evaluated meanwhile.
                let value = unsafe { evaluate(&row.value, &row.sources, self.reference) }?;
                value.words().try_into().ok()
            }
        }
    }

    /// Whether a row of a tile's memory is compared in a cycle.
    fn compares_row(&self, golden: &Fabric, tile: TileId, row: usize, now: Moment) -> bool {
        let Memory::Rows(rows) = self.memory(tile) else { return true };
        let Some(row) = &rows[row] else { return false };
        let only_while = row.conditions.only_while.as_ref().is_none_or(|condition| {
            // SAFETY: the reference is that of the model, which lives and is not evaluated meanwhile.
            let value = unsafe { evaluate(condition, &row.sources, self.reference) };
            value.is_some_and(|bits| bits.bit(0) == Some(true))
        });
        row.conditions.hold(only_while, golden, now)
    }

    /// True if a row of a tile's memory agrees or is not compared now.
    pub(super) fn row_agrees(
        &self,
        golden: &Fabric,
        tile: TileId,
        row: usize,
        now: Moment,
    ) -> bool {
        self.row(tile, row) == Some(golden.sram(tile)[row])
            || !self.compares_row(golden, tile, row, now)
    }

    /// True if all rows of all tiles that are compared now agree.
    pub(super) fn memories_agree(&self, golden: &Fabric, now: Moment) -> bool {
        let geometry = self.plan.layout.geometry();
        TileId::all(geometry).all(|tile| match self.memory(tile) {
            Memory::InPlace(offset) => {
                let bytes = geometry.sram_blocks * size_of::<Block>();
                // SAFETY: the memory has so many bytes; the model lives and is not evaluated meanwhile.
                let rtl = unsafe { std::slice::from_raw_parts(self.address(*offset), bytes) };
                rtl == bytes_of(golden.sram(tile))
            }
            Memory::Rows(rows) => {
                (0..rows.len()).all(|row| self.row_agrees(golden, tile, row, now))
            }
        })
    }

    /// Flips one bit of a register that is bits of the model. False if there is no such bit.
    pub(super) fn flip(&mut self, location: Location, bit: u32) -> bool {
        let Some((byte, bit)) = self.find_bit(location, bit) else { return false };
        // SAFETY: the byte is one of a variable of the model, whose memory is writable.
        unsafe { *byte.cast_mut() ^= 1 << bit };
        self.refresh();
        true
    }

    fn find_bit(&self, location: Location, bit: u32) -> Option<(*const u8, u32)> {
        let Plan { layout, units, tables, .. } = &*self.plan;
        let Location { unit, register } = location;
        if !self.shows(unit, register) || bit >= register.width(layout.geometry()) {
            return None;
        }
        if let (Unit::Tile(tile), RegisterId::TileSram) = (unit, register.id()) {
            let Memory::InPlace(offset) = self.memory(tile) else { return None };
            let byte = register.key().index() * size_of::<Block>() + bit as usize / 8;
            return Some((self.address(*offset).wrapping_add(byte), bit % 8));
        }
        let (variable, field) = layout.find(register)?;
        let number = layout.variables_of(unit.kind()).position(|v| std::ptr::eq(v, variable))?;
        let planned = &units[unit.position(layout.geometry())];
        let table = &tables[planned.table];
        let bit = field.lsb + bit;
        let (offset, bit) = match table.numbers[number] {
            Some(whole) => (table.whole.all[whole].offset + bit / 8, bit % 8),
            None => table.pieces.bit(64 * variable.slot + bit as usize)?,
        };
        Some((self.address(planned.base).wrapping_add(offset as usize), bit))
    }
}

impl StateSource for State {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        let position = unit.position(self.plan.layout.geometry());
        let planned = &self.plan.units[position];
        let (table, base) = (&self.plan.tables[planned.table], self.address(planned.base));
        // SAFETY: the table was made for this unit, whose registers start at `base`.
        unsafe {
            table.whole.read(base, image);
            table.pieces.read(base, image);
        }
        let computed = self.plan.computations.iter().zip(&self.computed);
        for (computation, computed) in computed.filter(|(c, _)| c.unit == position) {
            computation.read(computed, image);
        }
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.row(tile, row).unwrap_or_default()
    }
}
