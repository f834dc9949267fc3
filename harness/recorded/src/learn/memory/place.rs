// SPDX-License-Identifier: MIT OR Apache-2.0
//! One form of path for a signal of all tiles.

use std::collections::BTreeSet;

use super::super::{
    index::{Field, Shows, Way},
    number::{Indices, Sum, sums},
    paths::Paths,
    prints::Write,
    solve::Solution,
};

/// Sums that are tried for a number, and combinations of them.
const SUMS: usize = 5;
const COMBINATIONS: usize = 256;

pub(super) struct Tile {
    pub(super) indices: Indices,
    pub(super) writes: Vec<Write>,
}

/// The numbers of a form that give a tile one of its members; for tiles without members they give what there is.
/// Of several possibilities the one with the most different signals counts.
pub(super) fn solution(
    tiles: &[Tile],
    form: &str,
    members: &[(usize, usize)],
    paths: &Paths,
    width: u32,
) -> Option<Solution> {
    let all: Vec<&Indices> = tiles.iter().map(|t| &t.indices).collect();
    let needed: BTreeSet<usize> = members.iter().map(|(t, _)| *t).collect();
    let writing = tiles.iter().enumerate().filter(|(_, tile)| !tile.writes.is_empty());
    if writing.map(|(t, _)| t).any(|t| !needed.contains(&t)) {
        return None;
    }
    if members.iter().any(|(_, n)| paths.forms[*n].form != form) {
        return None;
    }
    let holes = paths.forms[members.first()?.1].numbers.len();
    let mut combinations: Vec<Vec<Sum>> = vec![Vec::new()];
    for hole in 0..holes {
        let of = |t: &usize| {
            let own = members.iter().filter(|(tile, _)| tile == t);
            (all[*t], own.map(|(_, n)| paths.forms[*n].numbers[hole]).collect())
        };
        let allowed: Vec<(&Indices, Vec<i64>)> = needed.iter().map(of).collect();
        let mut best = sums(&allowed, &all);
        best.truncate(SUMS);
        let with = |before: &Vec<Sum>, sum: &Sum| before.iter().chain([sum]).cloned().collect();
        combinations =
            combinations.iter().flat_map(|b| best.iter().map(move |sum| with(b, sum))).collect();
        combinations.truncate(COMBINATIONS);
    }
    let signals = |sums: &[Sum]| -> Vec<Option<usize>> {
        let of = |indices: &Indices| {
            let numbers: Option<Vec<i64>> = sums.iter().map(|s| s.value(indices)).collect();
            paths.find(form, &numbers?)
        };
        all.iter().map(|indices| of(indices)).collect()
    };
    let fits = |found: &[Option<usize>]| {
        needed.iter().all(|t| found[*t].is_some_and(|n| members.contains(&(*t, n))))
    };
    let rank = |found: &[Option<usize>], sums: &[Sum]| {
        let different: BTreeSet<usize> = found.iter().flatten().copied().collect();
        (usize::MAX - different.len(), Sum::oddity(sums))
    };
    let tried = combinations.into_iter().map(|sums| (signals(&sums), sums));
    let (found, sums) =
        tried.filter(|(found, _)| fits(found)).min_by_key(|(found, sums)| rank(found, sums))?;
    let shows = |n: usize| Shows { way: Way::Same, signal: n, lsb: 0 };
    Some(Solution {
        way: Way::Same,
        field: Field { lsb: 0, width },
        form: form.to_owned(),
        sums,
        shows: found.into_iter().map(|n| n.map(shows)).collect(),
        changing: needed.len(),
        agreed: needed.len(),
        against: 0,
        exceptions: Vec::new(),
    })
}
