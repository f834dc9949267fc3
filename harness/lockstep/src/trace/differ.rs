// SPDX-License-Identifier: MIT OR Apache-2.0
//! What changed between two states.

use std::sync::Arc;

use drra_isa::{
    Geometry, Unit,
    fabric::{Layout, Location},
    ports::{Block, ZERO_BLOCK},
};

use crate::{difference::sram_row, state_source::StateSource, value::Value};

/// One changed element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The register, or row of a tile's memory.
    pub location: Location,
    /// New value.
    pub value: Value,
}

/// Remembers a state and finds what changed since.
#[derive(Debug)]
pub struct Differ {
    layout: Arc<Layout>,
    geometry: Geometry,
    units: Vec<Unit>,
    images: Vec<Vec<u64>>,
    srams: Vec<Vec<Block>>,
    scratch: Vec<u64>,
}

impl Differ {
    /// Starts from the reset values.
    pub fn new(layout: &Arc<Layout>, geometry: &Geometry, reset: &dyn StateSource) -> Self {
        let units: Vec<Unit> = layout.units().collect();
        let mut images = vec![Vec::new(); units.len()];
        for (unit, image) in units.iter().zip(&mut images) {
            reset.read(*unit, image);
        }
        Self {
            layout: Arc::clone(layout),
            geometry: *geometry,
            units,
            images,
            srams: vec![vec![ZERO_BLOCK; geometry.sram_blocks]; geometry.tiles()],
            scratch: Vec::new(),
        }
    }

    /// Changes since the last call, in table order.
    pub fn changes(&mut self, source: &dyn StateSource) -> Vec<Change> {
        let mut changes = Vec::new();
        for (i, &unit) in self.units.iter().enumerate() {
            source.read(unit, &mut self.scratch);
            if self.scratch != self.images[i] {
                for variable in self.layout.variables_of(unit.kind()) {
                    let (old, new) =
                        (variable.words(&self.images[i]), variable.words(&self.scratch));
                    if old == new {
                        continue;
                    }
                    for field in &variable.fields {
                        let value = field.value(new);
                        if value != field.value(old) {
                            let location = Location { unit, register: field.register };
                            changes
                                .push(Change { location, value: Value::new(value, field.width) });
                        }
                    }
                }
                std::mem::swap(&mut self.images[i], &mut self.scratch);
            }
            if let Unit::Tile(tile) = unit {
                let rows = &mut self.srams[tile.index(&self.geometry)];
                for (row, old) in rows.iter_mut().enumerate() {
                    let block = source.sram_block(tile, row);
                    if *old != block {
                        *old = block;
                        let value = Value::new(block.to_vec(), 256);
                        changes.push(Change { location: sram_row(tile, row), value });
                    }
                }
            }
        }
        changes
    }
}
