// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of one model as its plan shows it. The comparison, the trace and the report read the RTL through this
//! state.

use std::sync::Arc;

use drra_fabric::{Location, Register, ports::Block};
use drra_golden::Fabric;
use drra_isa::{TileId, Unit};
use drra_lockstep::{Difference, StateSource, Value};
use drra_recorded::map::MappedRegister;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{
    computed::{Computation, Computed, Moment},
    plan::{Memory, Plan, PlannedUnit},
    sim::Sim,
};

/// Number of units compared together. With more units, the cache is too small; with fewer, the loop costs more.
const TOGETHER: usize = 4;

/// The state of one [`Sim`], readable in place.
///
/// The value contains addresses in the model, so it must not outlive the `Sim` that it was made for, and the model must
/// not be evaluated during a call.
#[derive(Debug)]
pub(super) struct State {
    pub(super) plan: Arc<Plan>,
    /// Address of the model.
    model: usize,
    /// The values of the computations of the plan, in its order.
    computed: Vec<Computed>,
}

impl State {
    pub(super) fn new(sim: &Sim, plan: Arc<Plan>) -> Self {
        let computed = vec![Computed::default(); plan.computations.len()];
        let mut state = Self { plan, model: sim.address(), computed };
        state.refresh();
        state
    }

    /// Recomputes the computed registers after a change of the model.
    pub(super) fn refresh(&mut self) {
        for (computation, computed) in self.plan.computations.iter().zip(&mut self.computed) {
            // SAFETY: the address is the address of the model, which is alive and is not evaluated now.
            unsafe { computation.refresh(self.model, computed) };
        }
    }

    /// Ends a cycle: keeps the values that later cycles need.
    pub(super) fn keep(&mut self) {
        for (computation, computed) in self.plan.computations.iter().zip(&mut self.computed) {
            computation.keep(computed);
        }
    }

    fn address(&self, offset: isize) -> *const u8 {
        self.model.wrapping_add_signed(offset) as *const u8
    }

    /// True if all registers that are compared in this cycle agree, not counting the tile memories.
    #[inline]
    pub(super) fn agrees(&self, golden: &Fabric, now: Moment) -> bool {
        let units = self.plan.groups.iter().all(|group| {
            let table = &self.plan.tables[group.table];
            let units = &self.plan.units[group.units.clone()];
            let images = &golden.images(group.kind)[group.first * table.words..];
            let image = |n: usize| &images[n * table.words..][..table.words];
            let (full, rest) = units.as_chunks::<TOGETHER>();
            let first = full.len() * TOGETHER;
            // SAFETY: the table was made for these units.
            let together = |(n, units): (usize, &[PlannedUnit; TOGETHER])| unsafe {
                let bases = units.each_ref().map(|unit| self.address(unit.base));
                table.agrees(bases, std::array::from_fn(|k| image(n * TOGETHER + k)))
            };
            // SAFETY: as above.
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
    pub(super) fn corrected(
        &self,
        differences: Vec<Difference>,
        golden: &Fabric,
        now: Moment,
    ) -> Vec<Difference> {
        let mut all = differences;
        let mut correct = |computation: &Computation, computed: &Computed, image: &[u64]| {
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
            let Memory::Rows(rows) = memory else { continue };
            for (row, block) in rows.iter().zip(golden.sram(tile)) {
                row.iter().for_each(|row| correct(row, &self.computed(row), block));
            }
        }
        all.sort_by_key(|d| d.location);
        all
    }

    /// True if the plan shows a register.
    pub(super) fn shows(&self, unit: Unit, register: Register) -> bool {
        let shown = self.plan.shown.as_ref();
        shown.is_none_or(|shown| shown.names.contains_key(&Location { unit, register }))
    }

    /// True for our own RTL, which shows every register.
    pub(super) fn shows_all(&self) -> bool {
        self.plan.shown.is_none()
    }

    fn memory(&self, tile: TileId) -> &Memory {
        &self.plan.memories[tile.index(self.plan.layout.geometry())]
    }

    /// A memory that is read in place: blocks of 32-bit words, lowest first.
    fn bytes(&self, offset: isize) -> &[u8] {
        let bytes = self.plan.layout.geometry().sram_blocks * size_of::<Block>();
        // SAFETY: the memory has this many bytes; the model lives and is not evaluated meanwhile.
        unsafe { std::slice::from_raw_parts(self.address(offset), bytes) }
    }

    /// A memory row of a tile; `None` if the row is not shown, or if the map does not cover the values in the model.
    fn row(&self, tile: TileId, row: usize) -> Option<Block> {
        match self.memory(tile) {
            Memory::InPlace(offset) => {
                let bytes = self.bytes(*offset)[row * size_of::<Block>()..].as_chunks().0;
                Some(std::array::from_fn(|word| u64::from_le_bytes(bytes[word])))
            }
            Memory::Rows(rows) => {
                let row = rows[row].as_ref()?;
                row.bits(&self.computed(row))?.words().try_into().ok()
            }
        }
    }

    /// A memory row, computed on demand.
    fn computed(&self, row: &Computation) -> Computed {
        let mut computed = Computed::default();
        // SAFETY: the address is the address of the model, which is alive and is not evaluated meanwhile.
        unsafe { row.refresh(self.model, &mut computed) };
        computed
    }

    /// True if a memory row of a tile agrees or is not compared now.
    pub(super) fn row_agrees(
        &self,
        golden: &Fabric,
        tile: TileId,
        row: usize,
        now: Moment,
    ) -> bool {
        let block = &golden.sram(tile)[row];
        match self.memory(tile) {
            Memory::InPlace(_) => self.row(tile, row) == Some(*block),
            Memory::Rows(rows) => rows[row]
                .as_ref()
                .is_none_or(|row| row.agrees(&self.computed(row), golden, block, now)),
        }
    }

    /// True if all rows of all tiles that are compared now agree.
    pub(super) fn memories_agree(&self, golden: &Fabric, now: Moment) -> bool {
        TileId::all(golden.geometry()).zip(&self.plan.memories).all(|(tile, memory)| match memory {
            Memory::InPlace(offset) => {
                // SAFETY: every byte of a number is a number.
                let (_, golden, _) = unsafe { golden.sram(tile).align_to::<u8>() };
                self.bytes(*offset) == golden
            }
            Memory::Rows(rows) => {
                (0..rows.len()).all(|row| self.row_agrees(golden, tile, row, now))
            }
        })
    }

    /// Gives all registers random values from a seed. Call this in reset: registers without a reset value keep these
    /// values.
    pub(super) fn randomize(&mut self, seed: u64) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for unit in &self.plan.units {
            // SAFETY: the table was made for this unit; nothing else refers to the memory of the model while `self` is
            // borrowed.
            unsafe {
                self.plan.tables[unit.table].randomize(self.address(unit.base), &mut random);
            }
        }
    }

    /// Flips one bit of a register, or of a memory row of a tile, if the bit is stored in the model. Returns false if
    /// there is no such bit.
    pub(super) fn flip(&mut self, location: Location, bit: u32) -> bool {
        let Some((byte, bit)) = self.find_bit(location, bit) else { return false };
        // SAFETY: the byte is one of a variable of the model, whose memory is writable.
        unsafe { *byte.cast_mut() ^= 1 << bit };
        self.refresh();
        true
    }

    fn find_bit(&self, location: Location, bit: u32) -> Option<(*const u8, u32)> {
        let Plan { layout, units, tables, .. } = &*self.plan;
        let (geometry, Location { unit, register }) = (layout.geometry(), location);
        let exists = unit.is_in(geometry) && register.unit_kind() == unit.kind();
        if !exists || bit >= register.width(geometry) {
            return None;
        }
        if let (Unit::Tile(tile), Register::TileSram(row)) = (unit, register) {
            let Memory::InPlace(offset) = self.memory(tile) else { return None };
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

impl StateSource for State {
    fn read(&self, unit: Unit, image: &mut Vec<u64>) {
        let position = unit.position(self.plan.layout.geometry());
        let planned = &self.plan.units[position];
        // SAFETY: the table was made for this unit.
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

#[cfg(test)]
mod tests {
    use drra_fabric::ports::Inputs;
    use drra_isa::Geometry;

    use super::*;
    use crate::{bridge::sim::NamedVariable, sizes::SIZES};

    const NOW: Moment = Moment { cycle: 0, load_end: 0 };

    /// In reset, all registers get random values, none of which remains afterwards: a register without a reset would be
    /// detected.
    #[test]
    fn registers_begin_at_random() {
        SIZES.iter().for_each(begins_at_random);
    }

    fn begins_at_random(geometry: &Geometry) {
        let mut sim = Sim::new(geometry, 1).unwrap();
        sim.enter_reset(0, 0).unwrap();
        let plan = Plan::own(&sim, geometry).unwrap();
        let layout = Arc::clone(&plan.layout);
        let mut state = State::new(&sim, plan);
        let image = |state: &State, unit: Unit| {
            let mut image = Vec::new();
            state.read(unit, &mut image);
            image
        };
        state.randomize(5);
        let (mut bits, mut ones) = (0, 0);
        for unit in layout.units() {
            let image = image(&state, unit);
            ones += image.iter().map(|word| word.count_ones()).sum::<u32>();
            for field in layout.variables_of(unit.kind()).flat_map(|v| &v.fields) {
                bits += field.width;
                let value = layout.value(field.register, &image).unwrap();
                let zero = value.iter().all(|word| *word == 0);
                // A given register of 32 bits is 0 for one in 2^32 seeds.
                assert!(!zero || field.width < 32, "{unit}.{} is not random", field.register);
            }
        }
        let share = f64::from(ones) / f64::from(bits);
        assert!((0.48..0.52).contains(&share), "{ones} of {bits} bits are 1");
        let all = |state: &State| layout.units().map(|unit| image(state, unit)).collect::<Vec<_>>();
        let seen = all(&state);
        state.randomize(6);
        assert_ne!(all(&state), seen);
        state.randomize(5);
        assert_eq!(all(&state), seen);
        sim.leave_reset(&Inputs::default()).unwrap();
        let reset = Fabric::new(*geometry, 0);
        assert!(state.agrees(&reset, NOW) && state.memories_agree(&reset, NOW));
    }

    /// The memories of the tiles contain zeros when a model is made, and whatever ran since is undone by a reset.
    #[test]
    fn a_reset_restores_all_state() {
        for geometry in SIZES {
            let mut sim = Sim::new(geometry, 1).unwrap();
            sim.enter_reset(0, 0).unwrap();
            let mut state = State::new(&sim, Plan::own(&sim, geometry).unwrap());
            let reset = Fabric::new(*geometry, 0);
            assert!(sim.restores() && state.memories_agree(&reset, NOW), "{geometry}");
            let bytes = |sim: &Sim| -> Vec<u8> {
                let of = |v: NamedVariable| {
                    // SAFETY: the variable has this many bytes; the model is not evaluated meanwhile.
                    unsafe { std::slice::from_raw_parts(v.address as *const u8, v.bytes) }.to_vec()
                };
                sim.variables().into_iter().flat_map(of).collect()
            };
            let first = bytes(&sim);
            for seed in [5, 6] {
                state.randomize(seed);
                for tile in TileId::all(geometry) {
                    let register = Register::TileSram(geometry.sram_blocks - 1);
                    assert!(state.flip(Location { unit: tile.into(), register }, 255));
                }
                sim.step().unwrap();
                assert!(bytes(&sim) != first && !state.memories_agree(&reset, NOW), "{geometry}");
                sim.enter_reset(0, seed).unwrap();
                assert!(bytes(&sim) == first, "{geometry}");
            }
        }
    }

    /// State that is missing from the description is found by its behaviour, and nothing that depends on it.
    #[test]
    fn unknown_state_is_found() {
        const NAMES: [&str; 6] = ["core_q", "imem_q", "sh_raccu_q", "acc_q", "ld_pipe_q", "sram_q"];
        let search = |geometry: &Geometry, name: &str| {
            let mut sim = Sim::new(geometry, 1).unwrap();
            sim.enter_reset(0, 0).unwrap();
            let mut state = State::new(&sim, Plan::own(&sim, geometry).unwrap());
            state.randomize(5);
            for tile in TileId::all(geometry) {
                assert!(
                    state.flip(Location { unit: tile.into(), register: Register::TileSram(0) }, 0)
                );
            }
            let mut known = state.plan.known.clone();
            for left_out in sim.variables().into_iter().filter(|v| v.name == name) {
                known.retain(|offset| offset + sim.address() != left_out.address);
            }
            sim.unknown_state(&known).unwrap()
        };
        for geometry in SIZES {
            assert!(search(geometry, "").is_empty(), "{geometry}");
            for name in NAMES {
                let found = search(geometry, name);
                let right = found.iter().all(|path| path.ends_with(&format!(".{name}")));
                assert!(right && !found.is_empty(), "{geometry}: {name}: {found:?}");
            }
        }
    }
}
