// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where cycle 0 is in a dump that does not show the ports: the edge from which on most bits of registers of the
//! case move as bits of signals do.

use std::collections::{HashMap, HashSet};

use drra_case::Case;
use drra_isa::{Unit, fabric::Layout};
use drra_lockstep::GoldenRun;

use super::{common::Common, recording::Recordings, track::mix};
use crate::{
    dump::{DumpError, Shown},
    frames::Edge,
};

/// Fewest and most changes of a bit that is looked for.
const CHANGES: std::ops::RangeInclusive<usize> = 4..=200;
/// Most bits that are looked for.
const MOST: usize = 2000;
/// Fewest bits with different changes that must be found.
const FEWEST: usize = 4;

/// The edge that ends cycle 0, and the cycles from there on; `None` if nothing fits.
pub(super) fn find(
    common: &Common,
    recordings: Recordings<'_>,
    n: usize,
    clock: (usize, Edge),
) -> Result<Option<(u64, u64)>, DumpError> {
    let all: Vec<usize> = (0..common.signals.len()).collect();
    let mut last: Vec<Vec<u64>> = vec![Vec::new(); all.len()];
    let mut prints: HashMap<(usize, usize), u64> = HashMap::new();
    let edges = common.edges((recordings.dump(n), n), clock, &all, &mut |edge, changes| {
        for (signal, shown) in changes {
            let Shown::Bits(bits) = shown else { continue };
            let before = std::mem::replace(&mut last[*signal], bits.words().to_vec());
            for bit in toggled(&before, bits.words()) {
                let print = prints.entry((*signal, bit)).or_default();
                *print = print.wrapping_add(mix(0, edge));
            }
        }
    })?;
    let seen: HashSet<u64> = prints.into_values().collect();
    let moves = moves(recordings.case(n), edges);
    let found = |start: u64| {
        let print = |times: &&Vec<u64>| {
            let sum = times.iter().fold(0_u64, |sum, t| sum.wrapping_add(mix(0, t + start)));
            seen.contains(&sum)
        };
        moves.iter().filter(print).count()
    };
    let best =
        (0..edges).map(|start| (found(start), start)).max_by_key(|(n, s)| (*n, u64::MAX - s));
    Ok(best.filter(|(count, _)| *count >= FEWEST).map(|(_, start)| (start, edges - start)))
}

/// The bits that differ; a value that was not there before differs in none.
fn toggled(before: &[u64], words: &[u64]) -> Vec<usize> {
    let mut bits = Vec::new();
    for (i, (a, b)) in before.iter().zip(words).enumerate() {
        bits.extend((0..64).filter(|bit| (a ^ b) >> bit & 1 == 1).map(|bit| 64 * i + bit));
    }
    bits
}

/// Cycles at which bits of the golden model change, for bits that change neither seldom nor always; each list
/// once.
fn moves(case: &Case, cycles: u64) -> Vec<Vec<u64>> {
    let layout = Layout::new(&case.geometry);
    let mut run = GoldenRun::new(case);
    let units: Vec<Unit> = layout.units().collect();
    let mut images: Vec<Vec<u64>> = units.iter().map(|u| run.fabric.image(*u).to_vec()).collect();
    let mut times: HashMap<(usize, usize), Vec<u64>> = HashMap::new();
    for cycle in 1..cycles {
        run.step();
        run.fabric.pack();
        for (n, unit) in units.iter().enumerate() {
            let image = run.fabric.image(*unit);
            for bit in toggled(&images[n], image) {
                times.entry((n, bit)).or_default().push(cycle);
            }
            images[n].copy_from_slice(image);
        }
    }
    let different: HashSet<Vec<u64>> =
        times.into_values().filter(|times| CHANGES.contains(&times.len())).collect();
    let mut moves: Vec<Vec<u64>> = different.into_iter().collect();
    moves.sort_by_key(|times| (usize::MAX - times.len(), times.clone()));
    moves.truncate(MOST);
    moves
}
