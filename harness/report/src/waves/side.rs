// SPDX-License-Identifier: MIT OR Apache-2.0
//! One side of a wave file: all of its registers, and the relevant memory rows.

use std::{
    collections::BTreeSet,
    io::{Seek, Write},
    mem,
};

use drra_fabric::{Field, Layout, Location, Register, Variable, ports::Block};
use drra_isa::{CellId, Opcode, TileId, Unit};
use drra_lockstep::StateSource;
use fst_writer::{FstBodyWriter, FstHeaderWriter, FstSignalId};

use super::scopes::{Scopes, names, text_bits, wave_path};
use crate::text::NO_INSTRUCTION;

/// Number of characters in the longest name of an instruction.
pub(super) fn longest_instruction() -> usize {
    let names = Opcode::ALL.iter().map(|opcode| opcode.name()).chain([NO_INSTRUCTION]);
    names.map(str::len).max().unwrap_or_default()
}

/// One side of a file that is being written.
pub(super) struct SideWriter<'a> {
    units: Vec<UnitWaves<'a>>,
    /// Memory rows, with the values written last.
    rows: Vec<(TileId, usize, FstSignalId, Option<Block>)>,
    text: Vec<u8>,
}

/// A unit, with the values written last.
struct UnitWaves<'a> {
    unit: Unit,
    registers: Vec<(&'a Variable, &'a Field, FstSignalId, Option<NameWaves>)>,
    /// The instruction that a cell executes, if the state of its sequencer is included.
    instruction: Option<(CellId, FstSignalId)>,
    image: Vec<u64>,
    /// A 1 for every unknown bit of the image; empty if no bit is unknown.
    unknown: Vec<u64>,
}

/// The signal with the name of a register's value, and all names.
type NameWaves = (FstSignalId, Vec<String>);

impl<'a> SideWriter<'a> {
    /// Declares the `wanted` registers of a side, and the given rows of the tile memories.
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
            let (mut registers, mut instruction) = (Vec::new(), None);
            for (variable, field) in fields {
                let location = Location { unit, register: field.register };
                if wanted(location) {
                    let path = path(location);
                    let id = scopes.var(&path, field.width)?;
                    let name = |names: Vec<String>| {
                        let width = 8 * names[0].len() as u32;
                        scopes.var(&format!("{path}_name"), width).map(|id| (id, names))
                    };
                    let name = names(field.register, field.width).map(name).transpose()?;
                    registers.push((variable, field, id, name));
                    if let (Register::SeqState, Unit::Cell(cell)) = (field.register, unit) {
                        let path = path.trim_end_matches("state").to_owned() + "instruction";
                        let id = scopes.var(&path, 8 * longest_instruction() as u32)?;
                        instruction = Some((cell, id));
                    }
                }
            }
            let (image, unknown) = (Vec::new(), Vec::new());
            declared.units.push(UnitWaves { unit, registers, instruction, image, unknown });
            for &(tile, row) in rows.iter().filter(|(tile, _)| Unit::Tile(*tile) == unit) {
                let location = Location { unit, register: Register::TileSram(row) };
                let width = location.register.width(layout.geometry());
                declared.rows.push((tile, row, scopes.var(&path(location), width)?, None));
            }
        }
        scopes.close()?;
        Ok(declared)
    }

    /// Writes the values that changed since the last call; the first call writes all values.
    pub(super) fn emit<W: Write + Seek>(
        &mut self,
        body: &mut FstBodyWriter<W>,
        source: &dyn StateSource,
        executed: impl Fn(CellId) -> String,
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
            for (variable, field, id, name) in &of.registers {
                let of_field = |image: &[u64]| match image {
                    [] => Vec::new(),
                    _ => field.value(variable.words(image)),
                };
                let now = [&of.image, &of.unknown].map(|image| of_field(image));
                if now != [&image, &unknown].map(|image| of_field(image)) {
                    let [value, hidden] = &now;
                    bits(value, hidden, field.width, &mut self.text);
                    body.signal_change(*id, &self.text)?;
                    let Some((id, names)) = name else { continue };
                    let shown = hidden.iter().all(|word| *word == 0);
                    let name = shown.then(|| text_bits(&names[value[0] as usize]));
                    body.signal_change(*id, name.as_deref().unwrap_or("x").as_bytes())?;
                }
            }
            if let Some((cell, id)) = of.instruction {
                let name = format!("{:<1$}", executed(cell), longest_instruction());
                body.signal_change(id, text_bits(&name).as_bytes())?;
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
