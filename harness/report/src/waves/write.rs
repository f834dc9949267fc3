// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a recorded run as a wave file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::BufWriter,
};

use drra_isa::{
    TileId, Unit,
    fabric::{Location, Register},
};
use drra_lockstep::RunLog;

use super::{
    scopes::{self, Scopes, WaveError, wave_path},
    side::{SideWriter, WaveIds},
};

/// Writes the cycles of a log from one on: both sides, and what differs.
pub(super) fn write(log: &RunLog, from: u64, file: BufWriter<File>) -> Result<(), WaveError> {
    // The rows of the memories that change or differ.
    let mut rows: BTreeSet<(TileId, usize)> =
        log.golden.changing_rows(from + 1..log.last + 1).collect();
    rows.extend(log.differing.keys().filter_map(|location| row_of(*location)));

    let layout = log.golden.layout();
    let mut header = scopes::begin(file)?;
    let golden = WaveIds::declare(&mut header, "golden", layout, &rows, |_| true)?;
    let rtl = WaveIds::declare(&mut header, "rtl", layout, &rows, |_| true)?;
    let mut scopes = Scopes::new(&mut header);
    let mut diff = BTreeMap::new();
    for location in log.differing.keys() {
        diff.insert(location, scopes.var(&format!("diff.{}", wave_path(*location)), 1)?);
    }
    let any = scopes.var("diff.any", 1)?;
    scopes.close()?;

    let mut sides = [SideWriter::new(golden, layout), SideWriter::new(rtl, layout)];
    let mut replays = [log.golden.replay(), log.dut.replay()];
    let mut body = header.finish()?;
    for cycle in from..=log.last {
        body.time_change(cycle)?;
        let histories = [&log.golden, &log.dut];
        for ((side, replay), history) in sides.iter_mut().zip(&mut replays).zip(histories) {
            if history.has(cycle) {
                replay.go_to(cycle);
                side.emit(&mut body, replay)?;
            }
        }
        let mut differs = false;
        for (location, id) in &diff {
            let bit = log.dut.has(cycle) && log.differing[*location].has(cycle);
            differs |= bit;
            body.signal_change(*id, if bit { b"1" } else { b"0" })?;
        }
        body.signal_change(any, if differs { b"1" } else { b"0" })?;
        scopes::flush_some(&mut body)?;
    }
    // The last cycle ends, too.
    body.time_change(log.last + 1)?;
    body.finish()?;
    Ok(())
}

/// Row of a tile's memory, if that is what stands there.
fn row_of(location: Location) -> Option<(TileId, usize)> {
    match (location.unit, location.register) {
        (Unit::Tile(tile), Register::TileSram(row)) => Some((tile, row)),
        _ => None,
    }
}
