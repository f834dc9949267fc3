// SPDX-License-Identifier: MIT OR Apache-2.0
//! The write ports of the tile memories, whose blocks no signal shows. The golden model determines when each block is
//! written. The enable is a bit that is active exactly at these times, or always one cycle earlier or later. Address
//! and data are signals that have the values of each write while the enable is active for it.

use std::collections::{BTreeMap, HashMap};

use drra_fabric::ports::Block;
use drra_isa::{Geometry, TileId};

use super::{
    fingerprint::Fingerprint,
    number::Indices,
    ports::words,
    runs::CommonSignals,
    solve::{Encoding, FieldSource, RegisterField, RegisterInstance, Solution, Solver},
};
use crate::waveform::WaveformError;

/// Maximum width of an address, and the width of a block.
const MAX_ADDRESS_WIDTH: u32 = 32;
const BLOCK_BITS: u32 = 256;

/// A block that the golden model writes at the end of a cycle.
pub(super) struct BlockWrite {
    pub(super) case_run: usize,
    pub(super) cycle: u64,
    pub(super) tile: usize,
    pub(super) row: usize,
    pub(super) block: Block,
}

/// The signals of a write port.
pub(super) struct WritePort {
    /// The enable; its `encoding` specifies the offset of all three signals from the write.
    pub(super) enable: Solution,
    pub(super) address: Solution,
    pub(super) data: Solution,
}

/// Looks for the write ports of all tiles; `starts` are the edges that end cycle 0, and `enables` are the fingerprints
/// of the write times by tile.
pub(super) fn find(
    signals: &CommonSignals<'_>,
    (writes, starts): (&[BlockWrite], &[u64]),
    enables: &[Fingerprint],
    solver: &Solver<'_>,
    geometry: &Geometry,
) -> Result<Option<WritePort>, WaveformError> {
    let indices = |tile: TileId| vec![('R', tile.row() as i64), ('c', tile.col() as i64)];
    let tiles: Vec<Indices> = TileId::all(geometry).map(indices).collect();
    let tile = |(indices, fingerprint): (&Indices, _)| RegisterInstance {
        indices: indices.clone(),
        fingerprint,
    };
    let instances: Vec<RegisterInstance<'_>> = tiles.iter().zip(enables).map(tile).collect();
    let bit = RegisterField { lsb: 0, width: 1 };
    let encodings = [Encoding::Same, Encoding::Inverted, Encoding::Late, Encoding::Early];
    let found = encodings
        .iter()
        .flat_map(|encoding| solver.solve(&instances, bit, *encoding, &mut BTreeMap::new()));
    // A path that only some of the tiles have may agree by chance.
    let lacking = |s: &Solution| s.shows.iter().filter(|shows| shows.is_none()).count();
    let Some(enable) = found.min_by_key(lacking) else { return Ok(None) };

    let widths: Vec<u32> = (1..=MAX_ADDRESS_WIDTH).chain([BLOCK_BITS]).collect();
    let all = signals.of_width(&widths);
    let is_data = |signal: usize| signals.width(signal) == BLOCK_BITS;
    let mut left = vec![all.clone(); tiles.len()];
    for (n, start) in starts.iter().enumerate() {
        let of_waveform = writes.iter().filter(|write| write.case_run == n);
        let mut now = HashMap::new();
        signals.edges(n, &all, &mut |edge, changes| {
            now.extend(changes.iter().map(|(signal, shown)| (*signal, words(shown))));
            let at =
                |w: &BlockWrite| (w.cycle + start).checked_add_signed(enable.encoding.offset());
            for write in of_waveform.clone().filter(|w| at(w) == Some(edge)) {
                left[write.tile].retain(|signal| {
                    let row = [write.row as u64];
                    let written = if is_data(*signal) { &write.block[..] } else { &row };
                    now.get(signal).is_some_and(|seen| seen.as_deref() == Some(written))
                });
            }
        })?;
    }
    let is_written = |tile: usize| writes.iter().any(|write| write.tile == tile);
    let changing = (0..tiles.len()).filter(|tile| is_written(*tile)).count();
    let shown = |data: bool| {
        let of = |tile: usize| {
            let fitting = left[tile].iter().filter(|n| is_data(**n) == data && is_written(tile));
            fitting.map(|n| FieldSource { signal: *n, lsb: 0 }).collect()
        };
        let fits = |tile: usize, shows: Option<FieldSource>| {
            shows.is_some_and(|shows| left[tile].contains(&shows.signal))
        };
        let width = if data { BLOCK_BITS as usize } else { 1 };
        let of_field = (RegisterField { lsb: 0, width }, Encoding::Same);
        let candidates = (0..tiles.len()).map(of).collect();
        let indices: Vec<&Indices> = tiles.iter().collect();
        let partial = &mut BTreeMap::new();
        let found = solver.forms(of_field, &indices, candidates, changing, &fits, partial);
        // Prefer signals in the same scope as the enable.
        found.into_iter().min_by_key(|s| (s.scope() != enable.scope(), s.form.len()))
    };
    let (address, data) = (shown(false), shown(true));
    Ok(address.zip(data).map(|(address, data)| WritePort { enable, address, data }))
}
