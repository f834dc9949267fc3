// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes recorded cycles as a wave file.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Seek, Write},
};

use drra_case::Case;
use drra_fabric::{Location, Register};
use drra_isa::{TileId, Unit};
use drra_lockstep::{
    EndRule, LockstepRun, RunLog, StateHistory, Value,
    trace::{SideTrace, TraceFilter, TracedSide, record},
};

use super::{
    NO_SIGNALS, WaveSignals,
    scopes::{self, Scopes, WaveError, wave_path},
    side::SideWriter,
};
use crate::{
    build::CycleRegisters,
    data::{Activity, Reading},
};

/// Buffered changes are written when they exceed this number of bytes.
const FLUSH: usize = 64 << 20;

/// Memory rows.
type MemoryRows = BTreeSet<(TileId, usize)>;

/// Writes the cycles of a log, starting with a given cycle: both sides with some signals between blocks, and the
/// differences.
pub(super) fn write(
    log: &RunLog,
    case: &Case,
    from: u64,
    signals: WaveSignals<'_>,
    file: impl Write + Seek,
) -> Result<(), WaveError> {
    // The memory rows that change or differ.
    let mut rows: MemoryRows = log.golden.changing_rows(from + 1..log.last + 1).collect();
    rows.extend(log.differing.keys().filter_map(|location| row_of(*location)));
    let sides = [("golden", &log.golden), ("rtl", &log.dut)];
    cycles(file, case, &sides, &rows, |_| true, from..=log.last, Some((log, signals)))
}

/// Runs a case and writes the registers of one side, under `golden` or `rtl`, and the memory rows that change up to the
/// last requested cycle. The value at time t is the value before the edge that ends cycle t.
///
/// # Errors
/// If the run ends before the first requested cycle, or the file cannot be written.
pub fn trace(
    run: &mut LockstepRun<'_>,
    case: &Case,
    side: TracedSide,
    end: EndRule,
    filter: &TraceFilter,
    file: impl Write + Seek,
) -> Result<SideTrace, WaveError> {
    let traced = record(run, side, end, filter);
    let history = &traced.history;
    let (from, last) = (filter.from.unwrap_or_default(), history.last().unwrap_or_default());
    if from > last {
        return Err(WaveError::NoCycle { from, last });
    }
    let wanted = |location: Location| filter.wants(&location.to_string());
    let mut rows: MemoryRows = history.changing_rows(history.cycles()).collect();
    rows.retain(|&(tile, row)| {
        wanted(Location { unit: Unit::Tile(tile), register: Register::TileSram(row) })
    });
    let all = history.cycles().filter(|cycle| filter.wants_cycle(*cycle));
    cycles(file, case, &[(side.model(), history)], &rows, wanted, all, None)?;
    Ok(traced)
}

/// Writes cycles of one or both sides of a case and, if there is a log, the differences in it and some signals.
fn cycles(
    file: impl Write + Seek,
    case: &Case,
    sides: &[(&str, &StateHistory)],
    rows: &MemoryRows,
    wanted: impl Fn(Location) -> bool + Copy,
    cycles: impl Iterator<Item = u64>,
    log: Option<(&RunLog, WaveSignals<'_>)>,
) -> Result<(), WaveError> {
    let (names, values) = log.map_or(NO_SIGNALS, |(_, signals)| signals);
    let log = log.map(|(log, _)| log);
    let mut header = scopes::begin(file)?;
    let mut writers = Vec::new();
    for (name, history) in sides {
        let side = SideWriter::declare(&mut header, name, history.layout(), rows, wanted)?;
        writers.push((side, history.replay(), history));
    }
    let mut scopes = Scopes::new(&mut header);
    let mut diff = BTreeMap::new();
    for (location, cycles) in log.iter().flat_map(|log| &log.differing) {
        diff.insert(location, (scopes.var(&format!("diff.{}", wave_path(*location)), 1)?, cycles));
    }
    let mut between = Vec::new();
    for (k, (name, _)) in sides.iter().enumerate() {
        for signal in names {
            let path = format!("{name}.{}", wave_path(*signal));
            between.push((*signal, k, scopes.var(&path, signal.width())?));
        }
    }
    let any = log.map(|_| scopes.var("diff.any", 1)).transpose()?;
    let counter = log.map(|_| scopes.var("cycle", u64::BITS)).transpose()?;
    scopes.close()?;

    let mut body = header.finish()?;
    let mut last = None;
    for cycle in cycles {
        last = Some(cycle);
        body.time_change(cycle)?;
        if let Some(counter) = counter {
            body.signal_change(counter, format!("{cycle:064b}").as_bytes())?;
        }
        for (side, replay, history) in &mut writers {
            if history.has(cycle) {
                replay.go_to(cycle);
                let registers = CycleRegisters { history, cycle };
                side.emit(&mut body, replay, |cell| {
                    let activity = registers.sequencer(cell, case.io_cells.contains(&cell));
                    Activity::Sequencer { activity }.short()
                })?;
            }
        }
        for (signal, k, id) in &between {
            let value = values(*signal, cycle)[*k].take();
            let reading = Reading::number(value.unwrap_or_else(|| Value::unknown(signal.width())));
            let digits = (0..signal.width()).rev().map(|bit| reading.digit(bit));
            body.signal_change(*id, digits.collect::<String>().as_bytes())?;
        }
        let bit = |differs: bool| if differs { b"1" } else { b"0" };
        let compared = log.is_some_and(|log| log.dut.has(cycle));
        for (id, cycles) in diff.values() {
            body.signal_change(*id, bit(compared && cycles.has(cycle)))?;
        }
        if let Some(any) = any {
            let differs = compared && diff.values().any(|(_, cycles)| cycles.has(cycle));
            body.signal_change(any, bit(differs))?;
        }
        if body.size() > FLUSH {
            body.flush()?;
        }
    }
    if let Some(last) = last {
        // Marks the end of the last cycle.
        body.time_change(last + 1)?;
    }
    body.finish()?;
    Ok(())
}

/// The memory row of a tile, if this location is a memory row.
fn row_of(location: Location) -> Option<(TileId, usize)> {
    match (location.unit, location.register) {
        (Unit::Tile(tile), Register::TileSram(row)) => Some((tile, row)),
        _ => None,
    }
}
