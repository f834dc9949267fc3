// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waves of one side, without a comparison.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    io::{Seek, Write},
    sync::Arc,
};

use drra_isa::{TileId, fabric::Location};
use drra_lockstep::{
    EndRule, Pair,
    trace::{Differ, Filter, Followed, Side, follow},
};

use super::{
    WaveError, scopes,
    side::{SideWriter, WaveIds},
    write::row_of,
};

/// Writes the registers of one side of a run, under `golden` or `rtl`, and the rows of memories that change up to
/// the last cycle that is wanted. The value at time t is that before the edge which ends cycle t.
///
/// `start` gives the same run in cycle 0 each time: it runs once to find the rows, and again to write them.
///
/// # Errors
/// If the design does not start, no cycle or no register is wanted, or the file cannot be written.
pub fn trace<'c, E: From<WaveError>>(
    start: impl Fn() -> Result<Pair<'c>, E>,
    side: Side,
    end: &EndRule,
    filter: &Filter,
    file: impl Write + Seek,
) -> Result<Followed, E> {
    let (rows, followed) = survey(start()?, side, end, filter);
    let last = followed.last.unwrap_or_default();
    let from = filter.from.unwrap_or_default();
    if from > last {
        return Err(WaveError::NoCycle { from, last }.into());
    }
    Ok(write(start()?, side, end, filter, &rows, file)?)
}

/// Writes the waves of a run from cycle 0 on.
fn write(
    mut pair: Pair<'_>,
    side: Side,
    end: &EndRule,
    filter: &Filter,
    rows: &BTreeSet<(TileId, usize)>,
    file: impl Write + Seek,
) -> Result<Followed, WaveError> {
    let layout = Arc::clone(pair.golden().layout());
    let wanted = |location: Location| filter.wants(&location.to_string());
    let mut header = scopes::begin(file)?;
    let ids = WaveIds::declare(&mut header, side.model(), &layout, rows, wanted)?;
    let mut writer = SideWriter::new(ids, &layout);
    let mut body = header.finish()?;
    let followed = follow(&mut pair, side, end.clone(), filter, |cycle, source| {
        if !filter.wants_cycle(cycle) {
            return Ok(());
        }
        body.time_change(cycle)?;
        writer.emit(&mut body, source)?;
        scopes::flush_some(&mut body)
    })?;
    if let Some(last) = followed.last {
        // The last cycle ends, too.
        body.time_change(last + 1)?;
    }
    body.finish()?;
    Ok(followed)
}

/// Rows of memories that are wanted and change, and how far the run goes.
fn survey(
    mut pair: Pair<'_>,
    side: Side,
    end: &EndRule,
    filter: &Filter,
) -> (BTreeSet<(TileId, usize)>, Followed) {
    let golden = pair.golden();
    let mut differ = Differ::new(golden.layout(), golden.geometry(), golden);
    let mut rows = BTreeSet::new();
    let Ok(followed) = follow(&mut pair, side, end.clone(), filter, |_, source| {
        let changes = differ.changes(source);
        let of_memories = changes.iter().filter_map(|c| Some((c.location, row_of(c.location)?)));
        let wanted = of_memories.filter(|(location, _)| filter.wants(&location.to_string()));
        rows.extend(wanted.map(|(_, row)| row));
        Ok::<(), Infallible>(())
    });
    (rows, followed)
}
