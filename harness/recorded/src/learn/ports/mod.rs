// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks for the input ports of the fabric in dumps whose stimulus is known. Of several signals with the same
//! values, such as a port and the wire behind it, the outermost one is taken.

mod flags;
mod reset;
mod transfer;

use std::collections::HashMap;

use drra_case::Case;
use drra_isa::Geometry;

use super::{common::Common, recording::Recordings};
use crate::{dump::DumpError, frames::Edge};
pub(super) use flags::Flag;
pub(super) use reset::Reset;
use transfer::Expected;
pub(super) use transfer::Transfer;

/// The ports that were found.
#[derive(Debug, Default)]
pub(super) struct Ports {
    pub(super) reset: Option<Reset>,
    /// Words: row select, column select.
    pub(super) program: Option<Transfer>,
    pub(super) flag: Option<Flag>,
    /// Blocks of tiles: row, column, address.
    pub(super) sram: Option<Transfer>,
    /// Blocks of register files: row, column, block.
    pub(super) rf: Option<Transfer>,
}

/// Bits of a number below `values`.
fn bits(values: usize) -> u32 {
    values.next_power_of_two().trailing_zeros().max(1)
}

/// Looks for all ports.
pub(super) fn find(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    g: &Geometry,
) -> Result<Ports, DumpError> {
    let words: Vec<Expected> = recordings.cases().map(words).collect();
    let sram: Vec<Expected> = recordings.cases().map(sram).collect();
    let rf: Vec<Expected> = recordings.cases().map(rf).collect();
    let selects = [Geometry::ROWS as u32, g.columns as u32];
    let program = transfer::find(common, recordings, clock, (27, &selects), &words, &[])?;
    let signals = |t: &Transfer| t.place.iter().copied().chain([t.valid, t.data]).collect();
    let taken: Vec<usize> = program.as_ref().map_or_else(Vec::new, signals);
    let tile = [bits(g.tile_rows + 1), bits(g.columns), bits(g.sram_blocks)];
    let sram = transfer::find(common, recordings, clock, (256, &tile), &sram, &taken)?;
    let cell = [bits(Geometry::ROWS), bits(g.columns), bits(g.rf_blocks())];
    let rf = transfer::find(common, recordings, clock, (256, &cell), &rf, &taken)?;
    let flag = match &program {
        None => None,
        Some(program) => flags::find(common, recordings, clock, program)?,
    };
    let first: Vec<Option<u64>> = (0..recordings.count())
        .map(|n| [&program, &sram, &rf].into_iter().flatten().filter_map(|t| t.first[n]).min())
        .collect();
    let reset = reset::find(common, recordings, clock, &first)?;
    Ok(Ports { reset, program, flag, sram, rf })
}

fn words(case: &Case) -> Expected {
    let mut expected = Expected::default();
    for entry in case.stimulus.entries() {
        if let Some(word) = &entry.prog {
            let places = vec![u64::from(word.row_sel), u64::from(word.col_sel)];
            expected.add(vec![u64::from(word.instr)], places);
        }
    }
    expected
}

fn sram(case: &Case) -> Expected {
    let mut expected = Expected::default();
    for init in case.stimulus.entries().iter().filter_map(|e| e.sram_init) {
        expected.add(init.data.to_vec(), vec![init.row as u64, init.col as u64, init.addr as u64]);
    }
    expected
}

fn rf(case: &Case) -> Expected {
    let mut expected = Expected::default();
    for init in case.stimulus.entries().iter().filter_map(|e| e.rf_init) {
        expected.add(init.data.to_vec(), vec![init.row as u64, init.col as u64, init.block as u64]);
    }
    expected
}

/// Flags of the words of each cell, in the order of the words, by row and column select.
pub(super) type FlagsByCell = HashMap<(u64, u64), Vec<bool>>;

pub(super) fn flags_of(case: &Case) -> FlagsByCell {
    let mut flags = FlagsByCell::new();
    for word in case.stimulus.entries().iter().filter_map(|e| e.prog) {
        let cell = (u64::from(word.row_sel), u64::from(word.col_sel));
        flags.entry(cell).or_default().push(word.imm);
    }
    flags
}
