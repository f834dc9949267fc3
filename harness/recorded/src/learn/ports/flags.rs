// SPDX-License-Identifier: MIT OR Apache-2.0
//! The immediate flag of the words: with the word, or at each cell so many cycles later as the cell is away.

use std::collections::{BTreeMap, HashMap};

use super::{
    super::{common::Common, recording::Recordings},
    Transfer, flags_of,
};
use crate::{
    dump::{DumpError, Shown},
    frames::Edge,
};

#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Flag {
    pub(in super::super) signal: usize,
    /// It comes r+c cycles after the word for cell (r,c).
    pub(in super::super) delayed: bool,
}

/// Row and column of the lowest cell of a selection.
fn distance(cell: (u64, u64)) -> u64 {
    u64::from(cell.0.trailing_zeros() % 64) + u64::from(cell.1.trailing_zeros() % 64)
}

/// Flags by edge, together with the words and delayed.
type ByEdge = [BTreeMap<u64, bool>; 2];

/// Looks for the flag, given the words.
pub(super) fn find(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    program: &Transfer,
) -> Result<Option<Flag>, DumpError> {
    let bits = common.of_width(&[1]);
    let mut candidates: Vec<(usize, usize)> =
        bits.iter().flat_map(|&signal| [(0, signal), (1, signal)]).collect();
    for (n, dump) in recordings.dumps() {
        let expected = expected(common, recordings, clock, program, n)?;
        let mut high = vec![false; common.signals.len()];
        common.edges((dump, n), clock, &bits, &mut |edge, changes| {
            for (signal, shown) in changes {
                high[*signal] = matches!(shown, Shown::Bits(bits) if bits.bit(0) == Some(true));
            }
            let now = [expected[0].get(&edge), expected[1].get(&edge)];
            if now != [None, None] {
                candidates
                    .retain(|(way, signal)| now[*way].is_none_or(|flag| *flag == high[*signal]));
            }
        })?;
    }
    let port = [program.valid, program.data];
    let best = candidates
        .into_iter()
        .min_by_key(|(way, n)| (*n == program.valid, common.rank_beside(*n, &port), *way));
    Ok(best.map(|(way, signal)| Flag { signal, delayed: way == 1 }))
}

/// The flags of a recording.
fn expected(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    program: &Transfer,
    n: usize,
) -> Result<ByEdge, DumpError> {
    let mut flags = flags_of(recordings.case(n));
    flags.values_mut().for_each(|flags| flags.reverse());
    let mut wanted = program.place.clone();
    wanted.push(program.valid);
    let mut now: HashMap<usize, u64> = HashMap::new();
    let mut by_edge = ByEdge::default();
    common.edges((recordings.dump(n), n), clock, &wanted, &mut |edge, changes| {
        for (signal, shown) in changes {
            let Shown::Bits(bits) = shown else { continue };
            now.insert(*signal, bits.number().unwrap_or(0));
        }
        let value = |signal: &usize| now.get(signal).copied().unwrap_or(0);
        if value(&program.valid) == 1 {
            let cell = (value(&program.place[0]), value(&program.place[1]));
            if let Some(flag) = flags.get_mut(&cell).and_then(Vec::pop) {
                by_edge[0].insert(edge, flag);
                by_edge[1].insert(edge + distance(cell), flag);
            }
        }
    })?;
    Ok(by_edge)
}
