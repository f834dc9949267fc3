// SPDX-License-Identifier: MIT OR Apache-2.0
//! One side of a wave file: all its registers, and the rows of memories that matter.

use std::{
    collections::BTreeSet,
    io::{Seek, Write},
    mem,
};

use drra_isa::{
    TileId, Unit,
    fabric::{Field, Layout, Location, Register, Variable},
    ports::Block,
};
use drra_lockstep::StateSource;
use fst_writer::{FstBodyWriter, FstHeaderWriter, FstSignalId};

use super::scopes::{Scopes, wave_path};

/// One side while it is written.
pub(super) struct SideWriter<'a> {
    units: Vec<UnitWaves<'a>>,
    /// Rows of memories, with what was written of them last.
    rows: Vec<(TileId, usize, FstSignalId, Option<Block>)>,
    text: Vec<u8>,
}

/// A unit, with what was written of it last.
struct UnitWaves<'a> {
    unit: Unit,
    registers: Vec<(&'a Variable, &'a Field, FstSignalId)>,
    image: Vec<u64>,
    /// A 1 for every unknown bit of the image; empty if there is none.
    unknown: Vec<u64>,
}

impl<'a> SideWriter<'a> {
    /// Declares the registers of a side that are wanted, and some rows of the memories of tiles.
    pub(super) fn declare<W: Write + Seek>(
        header: &mut FstHeaderWriter<W>,
        side: &str,
        layout: &'a Layout,
        rows: &BTreeSet<(TileId, usize)>,
        wanted: impl Fn(Location) -> bool,
    ) -> fst_writer::Result<Self> {
        let mut scopes = Scopes::new(header);
        let mut declared = Self { units: Vec::new(), rows: Vec::new(), text: Vec::new() };
        let path = |location| format!("{side}.{}", wave_path(location));
        for unit in layout.units() {
            let variables = layout.variables_of(unit.kind());
            let fields = variables.flat_map(|v| v.fields.iter().map(move |field| (v, field)));
            let mut registers = Vec::new();
            for (variable, field) in fields {
                let location = Location { unit, register: field.register };
                if wanted(location) {
                    let id = scopes.var(&path(location), field.width)?;
                    registers.push((variable, field, id));
                }
            }
            let (image, unknown) = (Vec::new(), Vec::new());
            declared.units.push(UnitWaves { unit, registers, image, unknown });
            for &(tile, row) in rows.iter().filter(|(tile, _)| Unit::Tile(*tile) == unit) {
                let location = Location { unit, register: Register::TileSram(row) };
                let width = location.register.width(layout.geometry());
                declared.rows.push((tile, row, scopes.var(&path(location), width)?, None));
            }
        }
        scopes.close()?;
        Ok(declared)
    }

    /// Writes what changed since the last call; at first everything.
    pub(super) fn emit<W: Write + Seek>(
        &mut self,
        body: &mut FstBodyWriter<W>,
        source: &dyn StateSource,
    ) -> fst_writer::Result<()> {
        let (mut image, mut unknown) = (Vec::new(), Vec::new());
        for of in &mut self.units {
            source.read(of.unit, &mut image);
            source.unknown(of.unit, &mut unknown);
            if of.image == image && of.unknown == unknown {
                continue;
            }
            mem::swap(&mut of.image, &mut image);
            mem::swap(&mut of.unknown, &mut unknown);
            for (variable, field, id) in &of.registers {
                let of_field = |image: &[u64]| match image {
                    [] => Vec::new(),
                    _ => field.value(variable.words(image)),
                };
                let now = [&of.image, &of.unknown].map(|image| of_field(image));
                if now != [&image, &unknown].map(|image| of_field(image)) {
                    let [value, hidden] = &now;
                    bits(value, hidden, field.width, &mut self.text);
                    body.signal_change(*id, &self.text)?;
                }
            }
        }
        for (tile, row, id, written) in &mut self.rows {
            let block = source.sram_block(*tile, *row);
            if written.replace(block) != Some(block) {
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
