// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of one model as its plan shows it. The comparison, the trace and the report read the RTL through this
//! state.

use std::sync::Arc;

use drra_fabric::{Location, Register, ports::Block};
use drra_golden::Fabric;
use drra_isa::{TileId, Unit};
use drra_lockstep::{Difference, SignalLocation, StateSource, Value};
use drra_recorded::map::MappedRegister;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{
    computed::{CaseCycle, Computation, ComputedValue, SourceValues},
    plan::{ComparisonPlan, PlannedUnit, TileMemory},
    sim::Sim,
};

/// Number of units compared together. With more units, the cache is too small; with fewer, the loop costs more.
const TOGETHER: usize = 4;

/// The state of one [`Sim`], readable in place.
///
/// The value contains addresses in the model, so it must not outlive the `Sim` that it was made for, and the model must
/// not be evaluated during a call. The owner of the state and the `Sim` keeps these two promises; in a run, `Model`
/// drops the state first, and evaluates only between calls.
#[derive(Debug)]
pub struct ModelState {
    pub plan: Arc<ComparisonPlan>,
    /// Address of the model.
    model: usize,
    /// The values of the computations of the plan, in its order.
    computed: Vec<ComputedValue>,
}

impl ModelState {
    pub fn new(sim: &Sim, plan: Arc<ComparisonPlan>) -> Self {
        let computed = vec![ComputedValue::default(); plan.computations.len()];
        let mut state = Self { plan, model: sim.address(), computed };
        state.refresh();
        state
    }

    /// Recomputes the computed registers after a change of the model.
    pub(crate) fn refresh(&mut self) {
        for (computation, computed) in self.plan.computations.iter().zip(&mut self.computed) {
            // SAFETY: `refresh` asks for the address of a living model of this plan that is not evaluated:
            // `self.model`, by the promises of the owner of this state.
            unsafe { computation.refresh(self.model, computed) };
        }
    }

    /// Ends a cycle: keeps the values that later cycles need.
    pub(crate) fn keep(&mut self) {
        for (computation, computed) in self.plan.computations.iter().zip(&mut self.computed) {
            computation.keep(computed);
        }
    }

    fn address(&self, offset: isize) -> *const u8 {
        self.model.wrapping_add_signed(offset) as *const u8
    }

    /// True if all registers that are compared in this cycle agree, not counting the tile memories.
    #[inline]
    pub fn agrees(&self, golden: &Fabric, now: CaseCycle) -> bool {
        let units = self.plan.groups.iter().all(|group| {
            let table = &self.plan.tables[group.table];
            let units = &self.plan.units[group.units.clone()];
            let images = &golden.images(group.kind)[group.first * table.words..];
            let image = |n: usize| &images[n * table.words..][..table.words];
            let (full, rest) = units.as_chunks::<TOGETHER>();
            let first = full.len() * TOGETHER;
            // SAFETY: `agrees` asks for bases of units of its table, which the plan has put into this group, and for a
            // living model that is not evaluated, which the owner of this state promises.
            let together = |(n, units): (usize, &[PlannedUnit; TOGETHER])| unsafe {
                let bases = units.each_ref().map(|unit| self.address(unit.base));
                table.agrees(bases, std::array::from_fn(|k| image(n * TOGETHER + k)))
            };
            // SAFETY: as for `together`.
            let single = |(n, unit): (usize, &PlannedUnit)| unsafe {
                table.agrees([self.address(unit.base)], [image(first + n)])
            };
            full.iter().enumerate().all(together) && rest.iter().enumerate().all(single)
        });
        let mut computed = self.plan.computations.iter().zip(&self.computed);
        units
            && computed.all(|(computation, computed)| {
                let image = golden.image(computation.register.location.unit);
                computation.agrees(computed, golden, image, now)
            })
    }

    /// Corrects the differences found by reading images: conditions of the map, and values that the map does not
    /// cover, are not in the images.
    pub(crate) fn corrected(
        &self,
        differences: Vec<Difference>,
        golden: &Fabric,
        now: CaseCycle,
    ) -> Vec<Difference> {
        let mut all = differences;
        let mut correct = |computation: &Computation, computed: &ComputedValue, image: &[u64]| {
            let MappedRegister { location, width, .. } = computation.register;
            all.retain(|d| d.location != location);
            if !computation.agrees(computed, golden, image, now)
                && let Some(value) = golden.value(location)
            {
                let golden = Value::new(value, width);
                all.push(Difference { location, golden, dut: computation.value(computed) });
            }
        };
        for (computation, computed) in self.plan.computations.iter().zip(&self.computed) {
            correct(computation, computed, golden.image(computation.register.location.unit));
        }
        for (tile, memory) in TileId::all(golden.geometry()).zip(&self.plan.memories) {
            let TileMemory::Rows(rows) = memory else { continue };
            for (row, block) in rows.iter().zip(golden.sram(tile)) {
                row.iter().for_each(|row| correct(row, &self.computed(row), block));
            }
        }
        all.sort_by_key(|d| d.location);
        all
    }

    /// The value of a signal between blocks, if the map shows it; unknown if the map does not cover the values in the
    /// model.
    pub(crate) fn signal(&self, signal: SignalLocation) -> Option<Value> {
        let (value, sources) = self.plan.shown.as_ref()?.signals.get(&signal)?;
        // SAFETY: as in `Self::refresh`.
        let seen = unsafe { SourceValues::read(sources, self.model) };
        Some(value.value(&seen).unwrap_or_else(|_| Value::unknown(value.width())))
    }

    /// True if the plan shows a register.
    pub(crate) fn shows(&self, unit: Unit, register: Register) -> bool {
        let shown = self.plan.shown.as_ref();
        shown.is_none_or(|shown| shown.names.contains_key(&Location { unit, register }))
    }

    /// True for our own RTL, which shows every register.
    pub(crate) fn shows_all(&self) -> bool {
        self.plan.shown.is_none()
    }

    fn memory(&self, tile: TileId) -> &TileMemory {
        &self.plan.memories[tile.index(self.plan.layout.geometry())]
    }

    /// A memory that is read in place: blocks of 32-bit words, lowest first.
    fn bytes(&self, offset: isize) -> &[u8] {
        let bytes = self.plan.layout.geometry().sram_blocks * size_of::<Block>();
        // SAFETY: the plan reads a memory in place only if it has this many bytes. The owner of this state promises
        // that the model lives and is not evaluated as long as `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.address(offset), bytes) }
    }

    /// A memory row of a tile; `None` if the row is not shown, or if the map does not cover the values in the model.
    fn row(&self, tile: TileId, row: usize) -> Option<Block> {
        match self.memory(tile) {
            TileMemory::InPlace(offset) => {
                let bytes = self.bytes(*offset)[row * size_of::<Block>()..].as_chunks().0;
                Some(std::array::from_fn(|word| u64::from_le_bytes(bytes[word])))
            }
            TileMemory::Rows(rows) => {
                let row = rows[row].as_ref()?;
                row.bits(&self.computed(row))?.words().try_into().ok()
            }
        }
    }

    /// A memory row, computed on demand.
    fn computed(&self, row: &Computation) -> ComputedValue {
        let mut computed = ComputedValue::default();
        // SAFETY: as in `Self::refresh`.
        unsafe { row.refresh(self.model, &mut computed) };
        computed
    }

    /// True if a memory row of a tile agrees or is not compared now.
    pub(crate) fn row_agrees(
        &self,
        golden: &Fabric,
        tile: TileId,
        row: usize,
        now: CaseCycle,
    ) -> bool {
        let block = &golden.sram(tile)[row];
        match self.memory(tile) {
            TileMemory::InPlace(_) => self.row(tile, row) == Some(*block),
            TileMemory::Rows(rows) => rows[row]
                .as_ref()
                .is_none_or(|row| row.agrees(&self.computed(row), golden, block, now)),
        }
    }

    /// True if all rows of all tiles that are compared now agree.
    pub fn memories_agree(&self, golden: &Fabric, now: CaseCycle) -> bool {
        TileId::all(golden.geometry()).zip(&self.plan.memories).all(|(tile, memory)| match memory {
            TileMemory::InPlace(offset) => {
                // SAFETY: `align_to` asks that the bytes of a `u64` are valid as `u8`; all bytes are.
                let (_, golden, _) = unsafe { golden.sram(tile).align_to::<u8>() };
                self.bytes(*offset) == golden
            }
            TileMemory::Rows(rows) => {
                (0..rows.len()).all(|row| self.row_agrees(golden, tile, row, now))
            }
        })
    }

    /// Gives all registers random values from a seed. Call this in reset: registers without a reset value keep these
    /// values.
    pub fn randomize(&mut self, seed: u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for unit in &self.plan.units {
            // SAFETY: `randomize` asks for the base of a unit of its table, which the plan has assigned, and for a
            // model that nothing else refers to: `self` is borrowed mutably, and its owner does not evaluate the model
            // now.
            unsafe {
                self.plan.tables[unit.table].randomize(self.address(unit.base), &mut random);
            }
        }
    }

    /// Flips one bit of a register, or of a memory row of a tile, if the bit is stored in the model. Returns false if
    /// there is no such bit.
    pub fn flip(&mut self, location: Location, bit: u32) -> bool {
        let Some((byte, bit)) = self.find_bit(location, bit) else { return false };
        // SAFETY: `find_bit` returns a byte of a variable of the model, which is writable memory of the simulator. The
        // owner of this state promises that the model lives and is not evaluated now.
        unsafe { *byte.cast_mut() ^= 1 << bit };
        self.refresh();
        true
    }

    fn find_bit(&self, location: Location, bit: u32) -> Option<(*const u8, u32)> {
        let ComparisonPlan { layout, units, tables, .. } = &*self.plan;
        let (geometry, Location { unit, register }) = (layout.geometry(), location);
        let exists = unit.is_in(geometry) && register.unit_kind() == unit.kind();
        if !exists || bit >= register.width(geometry) {
            return None;
        }
        if let (Unit::Tile(tile), Register::TileSram(row)) = (unit, register) {
            let TileMemory::InPlace(offset) = self.memory(tile) else { return None };
            if row >= geometry.sram_blocks {
                return None;
            }
            let byte = row * size_of::<Block>() + bit as usize / 8;
            return Some((self.address(*offset).wrapping_add(byte), bit % 8));
        }
        let (variable, field) = layout.find(register)?;
        let unit = &units[unit.position(geometry)];
        let in_image = 64 * variable.slot + (field.lsb + bit) as usize;
        let (byte, bit) = tables[unit.table].bit(in_image)?;
        Some((self.address(unit.base).wrapping_add(byte), bit))
    }
}

impl StateSource for ModelState {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        let position = unit.position(self.plan.layout.geometry());
        let planned = &self.plan.units[position];
        // SAFETY: `read` asks the same as `agrees`: the plan has assigned this table to the unit, and the owner of this
        // state promises a living model that is not evaluated.
        unsafe { self.plan.tables[planned.table].read(self.address(planned.base), image) };
        let computed = self.plan.computations.iter().zip(&self.computed);
        for (computation, computed) in computed.filter(|(c, _)| c.unit == position) {
            computation.read(computed, image);
        }
    }

    fn sram_block(&self, tile: TileId, row: usize) -> Block {
        self.row(tile, row).unwrap_or_default()
    }
}
