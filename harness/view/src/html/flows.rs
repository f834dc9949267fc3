// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paths of data and messages in a recording: one for each pair of ports that are ever connected.

use std::collections::BTreeSet;

use drra_diagnose::crossbar::side_of;
use drra_fabric::{CrossbarPort, CrossbarSource, Lane, Side};
use drra_isa::{CellId, TileId, Unit};

use crate::{RecordedRun, TileTracks, spans::INPUTS};

/// Names of the lanes in the picture, in the order of `Lane::ALL`.
const LANES: [&str; 4] = ["r0", "r1", "out0", "out1"];

/// An end of a path: a port of a cell, or a unit if the port has no name.
pub(super) type PathEnd = (Unit, &'static str);

/// A path: its source and its destination.
pub(super) type Flow = (PathEnd, PathEnd);

/// The paths that are open, or on which data or messages move, in some cycle.
pub(super) fn flows(r: &RecordedRun) -> BTreeSet<Flow> {
    let mut flows = BTreeSet::new();
    for (id, tracks) in r.cells() {
        let (cell, column) = (Unit::from(id), (id.column().into(), ""));
        for (input, track) in INPUTS.into_iter().zip(&tracks.sources) {
            let lanes = track.changes().iter().filter_map(|(_, number)| lane(r, *number));
            let from = |(from, lane): (CellId, Lane)| (from.into(), LANES[lane.index()]);
            flows.extend(lanes.map(|lane| (from(lane), (cell, input))));
        }
        let ways = [
            (&tracks.block_read, ((cell, "rb"), column)),
            (&tracks.block_taken, (column, (cell, "wb"))),
            (&tracks.messages, ((cell, ""), column)),
        ];
        flows.extend(ways.into_iter().filter(|(track, _)| !track.is_empty()).map(|(_, way)| way));
    }
    for (tile, tracks) in r.tiles() {
        let end = (tile.into(), "");
        let from = sides(tracks).into_iter().filter_map(|side| neighbour(r, tile, side));
        flows.extend(from.map(|from| ((from, ""), end)));
        let home = tile == tile.column().home_tile();
        if home && !tracks.crossbar[CrossbarPort::S.index()].is_empty() {
            flows.insert((end, (tile.column().into(), "")));
        }
    }
    flows
}

/// The lane with this number.
fn lane(r: &RecordedRun, number: i64) -> Option<(CellId, Lane)> {
    let number = usize::try_from(number).ok()?;
    let cell = CellId::from_index(number / Lane::ALL.len(), &r.geometry)?;
    Some((cell, Lane::from_index(number % Lane::ALL.len())?))
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
fn neighbour(r: &RecordedRun, tile: TileId, side: Side) -> Option<Unit> {
    match side.neighbour(tile, &r.geometry) {
        Some(neighbour) => Some(neighbour.into()),
        None => (side == Side::S).then(|| tile.column().into()),
    }
}
