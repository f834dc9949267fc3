// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paths of data and messages in a recording: one for each pair of units, or parts of a cell, that are ever
//! connected.

use std::collections::BTreeSet;

use drra_diagnose::crossbar::side_of;
use drra_fabric::{CrossbarPort, CrossbarSource, Lane, Side};
use drra_isa::{CellId, ColumnId, TileId};
use drra_report::data::LinkKind;

use crate::{RecordedRun, TileTracks};

/// A path between two ends, given by their names; the script uses the same names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow {
    pub(super) kind: LinkKind,
    pub(super) from: String,
    pub(super) to: String,
}

impl Flow {
    /// True if both ends are parts of one cell.
    pub(super) fn is_inside(&self) -> bool {
        let part = |end: &str| end.ends_with(".rf") || end.ends_with(".dpu");
        part(&self.from) && part(&self.to)
    }
}

/// The paths that are open, or on which data or messages move, in some cycle.
pub(super) fn flows(r: &RecordedRun) -> BTreeSet<Flow> {
    let mut flows = BTreeSet::new();
    let mut add = |kind, from: String, to: String| {
        flows.insert(Flow { kind, from, to });
    };
    for (cell, tracks) in r.cells() {
        for (input, track) in tracks.sources.iter().enumerate() {
            for (_, number) in track.changes() {
                if let Some((from, lane)) = lane(r, *number) {
                    let (from, to) = ends(from, lane, cell, input);
                    add(LinkKind::Switchbox, from, to);
                }
            }
        }
        let (column, cell) = (cell.column().to_string(), cell.to_string());
        if !tracks.block_read.is_empty() || !tracks.messages.is_empty() {
            add(LinkKind::Noc, cell.clone(), column.clone());
        }
        if !tracks.block_taken.is_empty() {
            add(LinkKind::Noc, column, cell);
        }
    }
    for (tile, tracks) in r.tiles() {
        for side in sides(tracks) {
            if let Some(from) = neighbour(r, tile, side) {
                add(LinkKind::Noc, from, tile.to_string());
            }
        }
        let home = tile == tile.column().home_tile();
        if home && !tracks.crossbar[CrossbarPort::S.index()].is_empty() {
            add(LinkKind::Noc, tile.to_string(), tile.column().to_string());
        }
    }
    flows
}

/// The lane with this number.
pub(super) fn lane(r: &RecordedRun, number: i64) -> Option<(CellId, Lane)> {
    let number = usize::try_from(number).ok()?;
    let cell = CellId::from_index(number / Lane::ALL.len(), &r.geometry)?;
    Some((cell, Lane::from_index(number % Lane::ALL.len())?))
}

/// The ends of the path of a word: a register file or DPU if the word stays in its cell, otherwise the two cells.
fn ends(from: CellId, lane: Lane, to: CellId, input: usize) -> (String, String) {
    if from != to {
        return (from.to_string(), to.to_string());
    }
    let file = |is_file: bool| if is_file { "rf" } else { "dpu" };
    let leaves = file(matches!(lane, Lane::Rf0 | Lane::Rf1));
    (format!("{from}.{leaves}"), format!("{to}.{}", file(input < 2)))
}

/// Sides at which something can enter a tile.
fn sides(tracks: &TileTracks) -> BTreeSet<Side> {
    let values = tracks.crossbar.iter().flat_map(|track| track.changes());
    let source = |(_, value): &(u64, i64)| CrossbarSource::from_value(u64::try_from(*value).ok()?);
    let followed = values.filter_map(source).filter_map(side_of);
    let arrived = Side::ALL.iter().zip(&tracks.arrivals).filter(|(_, track)| !track.is_empty());
    followed.chain(arrived.map(|(side, _)| *side)).collect()
}

/// The unit on the other side of a tile's edge.
fn neighbour(r: &RecordedRun, tile: TileId, side: Side) -> Option<String> {
    let column: ColumnId = tile.column();
    match side.neighbour(tile, &r.geometry) {
        Some(neighbour) => Some(neighbour.to_string()),
        None => (side == Side::S).then(|| column.to_string()),
    }
}
