// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waves of one side, without a comparison.

use std::{
    collections::BTreeSet,
    io::{Seek, Write},
};

use drra_isa::{
    Unit,
    fabric::{Location, Register},
};
use drra_lockstep::{
    EndRule, LockstepRun,
    trace::{Filter, Side, Traced, record},
};

use super::{
    scopes::{self, WaveError},
    side::{SideWriter, WaveIds},
};

/// Runs a case and writes the registers of one side, under `golden` or `rtl`, and the rows of memories that change up to
/// the last cycle that is wanted. The value at time t is that before the edge which ends cycle t.
///
/// # Errors
/// If no cycle is wanted, or the file cannot be written.
pub fn trace(
    run: &mut LockstepRun<'_>,
    side: Side,
    end: EndRule,
    filter: &Filter,
    file: impl Write + Seek,
) -> Result<Traced, WaveError> {
    let traced = record(run, side, end, filter);
    let history = &traced.history;
    let (from, last) = (filter.from.unwrap_or_default(), history.last());
    if from > last.unwrap_or_default() {
        return Err(WaveError::NoCycle { from, last: last.unwrap_or_default() });
    }
    let wanted = |location: Location| filter.wants(&location.to_string());
    let mut rows: BTreeSet<_> = history.changing_rows(history.cycles()).collect();
    rows.retain(|&(tile, row)| {
        wanted(Location { unit: Unit::Tile(tile), register: Register::TileSram(row) })
    });
    let layout = history.layout();
    let mut header = scopes::begin(file)?;
    let ids = WaveIds::declare(&mut header, side.model(), layout, &rows, wanted)?;
    let (mut writer, mut replay) = (SideWriter::new(ids, layout), history.replay());
    let mut body = header.finish()?;
    for cycle in history.cycles().filter(|cycle| filter.wants_cycle(*cycle)) {
        replay.go_to(cycle);
        body.time_change(cycle)?;
        writer.emit(&mut body, &replay)?;
        scopes::flush_some(&mut body)?;
    }
    if let Some(last) = last {
        // The last cycle ends, too.
        body.time_change(last + 1)?;
    }
    body.finish()?;
    Ok(traced)
}
