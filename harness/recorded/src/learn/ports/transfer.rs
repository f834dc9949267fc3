// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports that carry known data to known places: data, a valid bit, and the numbers of the place.

use std::collections::{HashMap, HashSet};

use super::super::{common::Common, recording::Recordings};
use crate::{
    dump::{DumpError, Shown},
    frames::Edge,
};

/// Most signals for a number of the place that are tried together with others.
const MOST: usize = 12;

/// What a case sends.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// Number of transfers.
    count: u64,
    /// By data: the places, each with how many times.
    places: HashMap<Vec<u64>, HashMap<Vec<u64>, usize>>,
}

impl Expected {
    pub(super) fn add(&mut self, data: Vec<u64>, place: Vec<u64>) {
        self.count += 1;
        *self.places.entry(data).or_default().entry(place).or_default() += 1;
    }

    /// The numbers at one position of the place, each with how many times, by data.
    fn at(&self, position: usize) -> HashMap<&[u64], HashMap<u64, usize>> {
        let mut all: HashMap<&[u64], HashMap<u64, usize>> = HashMap::new();
        for (data, places) in &self.places {
            for (place, count) in places {
                *all.entry(data).or_default().entry(place[position]).or_default() += count;
            }
        }
        all
    }
}

/// Signals of a port.
#[derive(Clone, Debug)]
pub(in super::super) struct Transfer {
    pub(in super::super) valid: usize,
    pub(in super::super) data: usize,
    pub(in super::super) place: Vec<usize>,
    /// By recording: the first edge that samples it.
    pub(in super::super) first: Vec<Option<u64>>,
}

fn words(shown: &Shown) -> Option<Vec<u64>> {
    match shown {
        Shown::Bits(bits) if bits.is_known() => Some(bits.words().to_vec()),
        Shown::Bits(_) | Shown::Text(_) => None,
    }
}

/// Looks for a port with data of so many bits and numbers of so many bits; `None` if no recording uses it, or
/// it is not in the dumps. Signals that are `taken` are the last choice for the place.
pub(super) fn find(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    (data, place): (u32, &[u32]),
    expected: &[Expected],
    taken: &[usize],
) -> Result<Option<Transfer>, DumpError> {
    if expected.iter().all(|e| e.count == 0) {
        return Ok(None);
    }
    let Some(data) = find_data(common, recordings, clock, data, expected)? else { return Ok(None) };
    let Some(valid) = find_valid(common, recordings, clock, data, expected)? else {
        return Ok(None);
    };
    let sampled = Sampled::take(common, recordings, clock, (valid, data), place)?;
    let found = sampled.places(common, place, expected, [valid, data], taken);
    let Some(place) = found else { return Ok(None) };
    Ok(Some(Transfer { valid, data, place, first: sampled.first }))
}

/// The signal that shows all data, and the first of it at the earliest edge.
fn find_data(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    width: u32,
    expected: &[Expected],
) -> Result<Option<usize>, DumpError> {
    let mut candidates: HashMap<usize, u64> =
        common.of_width(&[width]).into_iter().map(|n| (n, 0)).collect();
    for (n, dump) in recordings.dumps() {
        let expected = &expected[n];
        let mut seen: HashMap<usize, (u64, HashSet<Vec<u64>>)> = HashMap::new();
        let wanted: Vec<usize> = candidates.keys().copied().collect();
        common.edges((dump, n), clock, &wanted, &mut |edge, changes| {
            for (signal, shown) in changes {
                let Some(words) = words(shown).filter(|w| expected.places.contains_key(w)) else {
                    continue;
                };
                let zero = words.iter().all(|word| *word == 0);
                let of_signal = seen.entry(*signal).or_insert((u64::MAX, HashSet::new()));
                if !zero {
                    of_signal.0 = of_signal.0.min(edge);
                }
                of_signal.1.insert(words);
            }
        })?;
        if expected.count > 0 {
            candidates.retain(|signal, first| {
                let Some((edge, data)) = seen.get(signal) else { return false };
                *first = first.saturating_add(*edge);
                data.len() == expected.places.len()
            });
        }
    }
    let earliest = candidates.values().min().copied();
    Ok(common.outermost(candidates.iter().filter(|(_, e)| Some(**e) == earliest).map(|(n, _)| *n)))
}

/// The bit that is 1 exactly when there is data.
fn find_valid(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    data: usize,
    expected: &[Expected],
) -> Result<Option<usize>, DumpError> {
    let mut candidates = common.of_width(&[1]);
    for (n, dump) in recordings.dumps() {
        let mut high = vec![false; common.signals.len()];
        let mut counts = vec![(0_u64, 0_u64); common.signals.len()];
        let mut is_data = false;
        let mut wanted = candidates.clone();
        wanted.push(data);
        common.edges((dump, n), clock, &wanted, &mut |_, changes| {
            for (signal, shown) in changes {
                if *signal == data {
                    is_data = words(shown).is_some_and(|w| expected[n].places.contains_key(&w));
                } else if let Shown::Bits(bits) = shown {
                    high[*signal] = bits.bit(0) == Some(true);
                }
            }
            for &signal in candidates.iter().filter(|n| high[**n]) {
                counts[signal].0 += 1;
                counts[signal].1 += u64::from(is_data);
            }
        })?;
        let all = (expected[n].count, expected[n].count);
        candidates.retain(|signal| counts[*signal] == all);
    }
    Ok(common.outermost(candidates))
}

/// Data, and the numbers of a signal, of all transfers of a recording.
#[derive(Default)]
struct Transfers {
    data: Vec<Vec<u64>>,
    /// By signal.
    numbers: HashMap<usize, Vec<u64>>,
}

/// What is sampled while valid is 1.
struct Sampled {
    recordings: Vec<Transfers>,
    first: Vec<Option<u64>>,
}

impl Sampled {
    fn take(
        common: &Common,
        recordings: Recordings<'_>,
        clock: (usize, Edge),
        (valid, data): (usize, usize),
        widths: &[u32],
    ) -> Result<Self, DumpError> {
        let mut sampled = Self { recordings: Vec::new(), first: Vec::new() };
        let narrow = common.of_width(widths);
        let mut wanted = narrow.clone();
        wanted.extend([valid, data]);
        for (n, dump) in recordings.dumps() {
            let mut transfers = Transfers::default();
            let mut now: HashMap<usize, Vec<u64>> = HashMap::new();
            let mut first = None;
            common.edges((dump, n), clock, &wanted, &mut |edge, changes| {
                now.extend(
                    changes.iter().filter_map(|(signal, shown)| Some((*signal, words(shown)?))),
                );
                if now.get(&valid).is_none_or(|v| v[0] == 0) {
                    return;
                }
                first = first.or(Some(edge));
                transfers.data.push(now.get(&data).cloned().unwrap_or_default());
                for signal in &narrow {
                    let number = now.get(signal).map_or(0, |w| w[0]);
                    transfers.numbers.entry(*signal).or_default().push(number);
                }
            })?;
            sampled.recordings.push(transfers);
            sampled.first.push(first);
        }
        Ok(sampled)
    }

    /// The signals of the place; those of the port itself and those that are `taken` are the last choice.
    fn places(
        &self,
        common: &Common,
        widths: &[u32],
        expected: &[Expected],
        port: [usize; 2],
        taken: &[usize],
    ) -> Option<Vec<usize>> {
        let used = |n| taken.contains(&n) || port.contains(&n);
        let mut candidates: Vec<Vec<usize>> = Vec::new();
        for (position, width) in widths.iter().enumerate() {
            let mut fitting = common.of_width(&[*width]);
            fitting.retain(|&signal| self.fits(signal, position, expected));
            fitting.sort_by_key(|&n| (used(n), common.rank_beside(n, &port)));
            fitting.truncate(MOST);
            candidates.push(fitting);
        }
        combinations(&candidates).into_iter().find(|place| self.is_place(place, expected))
    }

    /// True if every datum comes with the right numbers, so many times each.
    fn fits(&self, signal: usize, position: usize, expected: &[Expected]) -> bool {
        self.recordings.iter().zip(expected).all(|(transfers, expected)| {
            let mut seen: HashMap<&[u64], HashMap<u64, usize>> = HashMap::new();
            for (data, number) in
                transfers.data.iter().zip(transfers.numbers.get(&signal).into_iter().flatten())
            {
                *seen.entry(data).or_default().entry(*number).or_default() += 1;
            }
            seen == expected.at(position)
        })
    }

    fn is_place(&self, place: &[usize], expected: &[Expected]) -> bool {
        self.recordings.iter().zip(expected).all(|(transfers, expected)| {
            let mut seen: HashMap<Vec<u64>, HashMap<Vec<u64>, usize>> = HashMap::new();
            for (i, data) in transfers.data.iter().enumerate() {
                let numbers = place.iter().map(|signal| transfers.numbers[signal][i]).collect();
                *seen.entry(data.clone()).or_default().entry(numbers).or_default() += 1;
            }
            seen == expected.places
        })
    }
}

/// One of each list, in all ways, the first of all lists first.
fn combinations(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let with = |before: &Vec<usize>, n: &usize| before.iter().copied().chain([*n]).collect();
        all.iter().flat_map(|before| list.iter().map(move |n| with(before, n))).collect()
    })
}
