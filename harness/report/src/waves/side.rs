// SPDX-License-Identifier: MIT OR Apache-2.0
//! One side of a wave file: all its registers, and the rows of memories that matter.

use std::collections::{BTreeMap, BTreeSet};

use drra_isa::{
    TileId, Unit,
    fabric::{Layout, Location, Register},
    ports::Block,
};
use drra_lockstep::StateSource;
use fst_writer::{FstBodyWriter, FstHeaderWriter, FstSignalId};

use super::scopes::{Scopes, wave_path};

/// Identities of the variables of one side.
pub(super) struct WaveIds {
    /// Per unit, per variable of the image, per register; `None` if it is not wanted.
    registers: Vec<Vec<Vec<Option<FstSignalId>>>>,
    rows: BTreeMap<(TileId, usize), FstSignalId>,
}

impl WaveIds {
    /// Declares the registers of a side that are wanted, and some rows of the memories of tiles.
    pub(super) fn declare<W: std::io::Write + std::io::Seek>(
        header: &mut FstHeaderWriter<W>,
        side: &str,
        layout: &Layout,
        rows: &BTreeSet<(TileId, usize)>,
        wanted: impl Fn(Location) -> bool,
    ) -> fst_writer::Result<Self> {
        let mut scopes = Scopes::new(header);
        let mut ids = Self { registers: Vec::new(), rows: BTreeMap::new() };
        let path = |location| format!("{side}.{}", wave_path(location));
        for unit in layout.units() {
            let mut of_unit = Vec::new();
            for variable in layout.variables_of(unit.kind()) {
                let mut of_variable = Vec::new();
                for field in &variable.fields {
                    let location = Location { unit, register: field.register };
                    of_variable.push(match wanted(location) {
                        true => Some(scopes.var(&path(location), field.width)?),
                        false => None,
                    });
                }
                of_unit.push(of_variable);
            }
            ids.registers.push(of_unit);
            for &(tile, row) in rows.iter().filter(|(tile, _)| Unit::Tile(*tile) == unit) {
                let location = Location { unit, register: Register::TileSram(row) };
                let width = location.register.width(layout.geometry());
                ids.rows.insert((tile, row), scopes.var(&path(location), width)?);
            }
        }
        scopes.close()?;
        Ok(ids)
    }
}

/// One side while it is written.
pub(super) struct SideWriter<'a> {
    ids: WaveIds,
    layout: &'a Layout,
    units: Vec<Unit>,
    images: Vec<Vec<u64>>,
    /// A 1 for every unknown bit of the images; empty if there is none.
    unknown: Vec<Vec<u64>>,
    rows: BTreeMap<(TileId, usize), Block>,
    scratch: Vec<u64>,
    text: Vec<u8>,
}

impl<'a> SideWriter<'a> {
    pub(super) fn new(ids: WaveIds, layout: &'a Layout) -> Self {
        let units: Vec<Unit> = layout.units().collect();
        Self {
            ids,
            layout,
            images: vec![Vec::new(); units.len()],
            unknown: vec![Vec::new(); units.len()],
            units,
            rows: BTreeMap::new(),
            scratch: Vec::new(),
            text: Vec::new(),
        }
    }

    /// Writes what changed since the last call; at first everything.
    pub(super) fn emit<W: std::io::Write + std::io::Seek>(
        &mut self,
        body: &mut FstBodyWriter<W>,
        source: &dyn StateSource,
    ) -> fst_writer::Result<()> {
        for (i, &unit) in self.units.iter().enumerate() {
            source.read(unit, &mut self.scratch);
            let mut unknown = Vec::new();
            source.unknown(unit, &mut unknown);
            let old = &self.images[i];
            if *old == self.scratch && unknown == self.unknown[i] {
                continue;
            }
            let ids = &self.ids.registers[i];
            for (variable, ids) in self.layout.variables_of(unit.kind()).zip(ids) {
                for (field, id) in variable.fields.iter().zip(ids) {
                    let Some(id) = id else { continue };
                    let of = |image: &[u64]| match image {
                        [] => Vec::new(),
                        _ => field.value(variable.words(image)),
                    };
                    let (value, hidden) = (of(&self.scratch), of(&unknown));
                    if of(old) == value && of(&self.unknown[i]) == hidden {
                        continue;
                    }
                    bits(&value, &hidden, field.width, &mut self.text);
                    body.signal_change(*id, &self.text)?;
                }
            }
            std::mem::swap(&mut self.images[i], &mut self.scratch);
            self.unknown[i] = unknown;
        }
        for (&(tile, row), id) in &self.ids.rows {
            let block = source.sram_block(tile, row);
            if self.rows.insert((tile, row), block) != Some(block) {
                bits(&block, &[], 256, &mut self.text);
                body.signal_change(*id, &self.text)?;
            }
        }
        Ok(())
    }
}

/// A value as characters, highest bit first; unknown bits are `x`.
fn bits(value: &[u64], unknown: &[u64], width: u32, out: &mut Vec<u8>) {
    out.clear();
    let is_set = |words: &[u64], b: u32| {
        words.get((b / 64) as usize).is_some_and(|word| word >> (b % 64) & 1 == 1)
    };
    out.extend((0..width).rev().map(|b| match (is_set(unknown, b), is_set(value, b)) {
        (true, _) => b'x',
        (false, true) => b'1',
        (false, false) => b'0',
    }));
}
