// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks for the reset and the input ports of the fabric in waveforms with known stimulus. Of several signals with the
//! same values, such as a port and the wire connected to it, the outermost signal is used.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::Hash,
};

use drra_case::{Case, StimulusEntry};
use drra_fabric::ports::InputPort;
use drra_isa::Geometry;

use super::runs::CommonSignals;
use crate::waveform::{WaveformError, WaveformValue};

/// The ports that were found.
#[derive(Debug, Default)]
pub(super) struct InferredPorts {
    pub(super) reset: Option<InferredReset>,
    /// Words, with row select and column select.
    pub(super) program: Option<PortSignals>,
    /// The immediate flag of the words, and whether it arrives r+c cycles after the word for cell (r,c).
    pub(super) flag: Option<(usize, bool)>,
    /// Blocks of tiles, with row, column and address.
    pub(super) sram: Option<PortSignals>,
    /// Blocks of register files, with row, column and block number.
    pub(super) rf: Option<PortSignals>,
}

/// The signals of a port that carries known data to known places.
#[derive(Clone, Debug)]
pub(super) struct PortSignals {
    pub(super) valid: usize,
    pub(super) data: usize,
    pub(super) place: Vec<usize>,
    /// For each run, the first edge that samples the port as valid.
    first: Vec<Option<u64>>,
}

#[derive(Clone, Debug)]
pub(super) struct InferredReset {
    pub(super) signal: usize,
    /// True if the signal is 1 in reset.
    pub(super) high: bool,
    /// For each run, the first edge that samples the reset as inactive.
    pub(super) ends: Vec<u64>,
}

/// One item that a case sends: the data, and the numbers of the place that they go to, such as row, column and address.
type SentItem = (Vec<u64>, Vec<u64>);

/// Looks for all ports.
pub(super) fn find(
    signals: &CommonSignals<'_>,
    g: &Geometry,
) -> Result<InferredPorts, WaveformError> {
    let sent = |of: fn(&StimulusEntry) -> Option<SentItem>| -> Vec<Vec<SentItem>> {
        let of_case = |case: &Case| case.stimulus.entries().iter().filter_map(of).collect();
        signals.runs.iter().map(|r| of_case(&r.case)).collect()
    };
    let words =
        sent(|e| e.prog.map(|w| (vec![w.instr.into()], vec![w.row_sel.into(), w.col_sel.into()])));
    let blocks = sent(|e| {
        e.sram_init.map(|i| (i.data.to_vec(), vec![i.row as u64, i.col as u64, i.addr as u64]))
    });
    let rf_blocks = sent(|e| {
        e.rf_init.map(|i| (i.data.to_vec(), vec![i.row as u64, i.col as u64, i.block as u64]))
    });
    use InputPort as P;
    let widths = |ports: &[InputPort]| ports.iter().map(|port| port.width(g)).collect::<Vec<_>>();
    let selects = widths(&[P::ProgRowSel, P::ProgColSel]);
    let program = transfer(signals, (27, &selects), &words, &[])?;
    let taken = program.as_ref().map(|t| [&t.place[..], &[t.valid, t.data]].concat());
    let taken = taken.unwrap_or_default();
    let tile = widths(&[P::SramInitRow, P::SramInitCol, P::SramInitAddr]);
    let sram = transfer(signals, (256, &tile), &blocks, &taken)?;
    let cell = widths(&[P::RfInitRow, P::RfInitCol, P::RfInitBlock]);
    let rf = transfer(signals, (256, &cell), &rf_blocks, &taken)?;
    let flag = program.as_ref().map(|p| flag(signals, p)).transpose()?.flatten();
    let ports = [&program, &sram, &rf];
    let first = |n: usize| ports.into_iter().flatten().filter_map(|t| t.first[n]).min();
    let first: Vec<Option<u64>> = (0..signals.runs.len()).map(first).collect();
    let reset = reset(signals, &first)?;
    Ok(InferredPorts { reset, program, flag, sram, rf })
}

pub(super) fn words(shown: &WaveformValue) -> Option<Vec<u64>> {
    match shown {
        WaveformValue::Bits(bits) if bits.is_known() => Some(bits.words().to_vec()),
        WaveformValue::Bits(_) | WaveformValue::Text(_) => None,
    }
}

fn counted<T: Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}

/// Looks for a port with data and numbers of these widths; `None` if no run uses it, or it is not in the waveforms.
/// Signals in `taken` are the last choice for the numbers.
fn transfer(
    signals: &CommonSignals<'_>,
    (width, widths): (u32, &[u32]),
    sent: &[Vec<SentItem>],
    taken: &[usize],
) -> Result<Option<PortSignals>, WaveformError> {
    if sent.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let known: Vec<HashSet<&[u64]>> =
        sent.iter().map(|sent| sent.iter().map(|(data, _)| data.as_slice()).collect()).collect();
    let Some(data) = data(signals, width, &known)? else { return Ok(None) };
    let counts: Vec<usize> = sent.iter().map(Vec::len).collect();
    let Some(valid) = valid(signals, data, &known, &counts)? else { return Ok(None) };
    // The data, and the values of all signals that have the widths of the numbers, while the port is valid.
    let narrow = signals.of_width(widths);
    let wanted = [&narrow[..], &[valid, data]].concat();
    let (mut sampled, mut first) = (Vec::new(), Vec::new());
    for n in 0..sent.len() {
        let mut now: HashMap<usize, Vec<u64>> = HashMap::new();
        let (mut transfers, mut begins) = (Vec::new(), None);
        signals.edges(n, &wanted, &mut |edge, changes| {
            now.extend(changes.iter().filter_map(|(n, shown)| Some((*n, words(shown)?))));
            if now.get(&valid).is_some_and(|v| v[0] == 1) {
                begins = begins.or(Some(edge));
                let number = |n: &usize| now.get(n).map_or(0, |w| w[0]);
                let numbers: Vec<u64> = narrow.iter().map(number).collect();
                transfers.push((now.get(&data).cloned().unwrap_or_default(), numbers));
            }
        })?;
        sampled.push(transfers);
        first.push(begins);
    }
    // Each item must occur with the correct numbers as often as it is sent.
    let with = |of: &[SentItem], i: usize| {
        let pairs = of.iter().map(|(data, numbers)| (data.clone(), numbers[i]));
        counted(pairs)
    };
    let used = |n: usize| taken.contains(&n) || [valid, data].contains(&n);
    let best = |(position, width): (usize, &u32)| {
        let expected: Vec<_> = sent.iter().map(|sent| with(sent, position)).collect();
        let fits = |i: usize| sampled.iter().zip(&expected).all(|(s, e)| with(s, i) == *e);
        let fitting = (0..narrow.len()).filter(|&i| signals.width(narrow[i]) == *width && fits(i));
        let fitting = fitting.map(|i| narrow[i]);
        fitting.min_by_key(|&n| (used(n), signals.rank(n, &[valid, data])))
    };
    let place: Option<Vec<usize>> = widths.iter().enumerate().map(best).collect();
    Ok(place.map(|place| PortSignals { valid, data, place, first }))
}

/// The signal that shows all data. If several do, it is the one that is earliest to show an item other than 0 (the
/// edges are added up over the runs), or the outermost of those that are equally early.
fn data(
    signals: &CommonSignals<'_>,
    width: u32,
    known: &[HashSet<&[u64]>],
) -> Result<Option<usize>, WaveformError> {
    let mut candidates: BTreeMap<usize, u64> =
        signals.of_width(&[width]).into_iter().map(|n| (n, 0)).collect();
    for (n, known) in known.iter().enumerate().filter(|(_, known)| !known.is_empty()) {
        let mut seen: HashMap<usize, (u64, HashSet<Vec<u64>>)> = HashMap::new();
        let wanted: Vec<usize> = candidates.keys().copied().collect();
        signals.edges(n, &wanted, &mut |edge, changes| {
            for (signal, shown) in changes {
                let Some(words) = words(shown).filter(|w| known.contains(w.as_slice())) else {
                    continue;
                };
                let of_signal = seen.entry(*signal).or_insert((u64::MAX, HashSet::new()));
                if words.iter().any(|word| *word != 0) {
                    of_signal.0 = of_signal.0.min(edge);
                }
                of_signal.1.insert(words);
            }
        })?;
        candidates.retain(|signal, first| {
            let Some((edge, data)) = seen.get(signal) else { return false };
            *first = first.saturating_add(*edge);
            data.len() == known.len()
        });
    }
    let earliest = candidates.values().min();
    let first = candidates.iter().filter(|(_, edge)| Some(*edge) == earliest).map(|(n, _)| *n);
    Ok(signals.outermost(first))
}

/// The bit that is 1 at as many edges as there are items, and only while the data signal shows an item.
fn valid(
    signals: &CommonSignals<'_>,
    data: usize,
    known: &[HashSet<&[u64]>],
    sent: &[usize],
) -> Result<Option<usize>, WaveformError> {
    let mut candidates = signals.of_width(&[1]);
    for (n, known) in known.iter().enumerate() {
        let mut high = vec![false; signals.all.len()];
        let mut counts = vec![(0, 0); signals.all.len()];
        let mut is_data = false;
        let wanted = [&candidates[..], &[data]].concat();
        signals.edges(n, &wanted, &mut |_, changes| {
            for (signal, shown) in changes {
                if *signal == data {
                    is_data = words(shown).is_some_and(|w| known.contains(w.as_slice()));
                } else {
                    high[*signal] = shown.bit() == Some(true);
                }
            }
            for &signal in candidates.iter().filter(|n| high[**n]) {
                counts[signal].0 += 1;
                counts[signal].1 += usize::from(is_data);
            }
        })?;
        candidates.retain(|signal| counts[*signal] == (sent[n], sent[n]));
    }
    Ok(signals.outermost(candidates))
}

/// Looks for the immediate flag of the words: in the cycle of the word, or later by the distance of the cell.
fn flag(
    signals: &CommonSignals<'_>,
    program: &PortSignals,
) -> Result<Option<(usize, bool)>, WaveformError> {
    let bits = signals.of_width(&[1]);
    let wanted = [&bits[..], &program.place].concat();
    let mut candidates: Vec<(usize, bool)> =
        bits.into_iter().flat_map(|signal| [(signal, false), (signal, true)]).collect();
    for (n, case_run) in signals.runs.iter().enumerate() {
        // The flags of the words for each pair of row select and column select, the last flag first.
        let mut flags: HashMap<(u64, u64), Vec<bool>> = HashMap::new();
        for word in case_run.case.stimulus.entries().iter().rev().filter_map(|e| e.prog) {
            flags.entry((word.row_sel.into(), word.col_sel.into())).or_default().push(word.imm);
        }
        let mut now = vec![0; signals.all.len()];
        let mut delayed: HashMap<u64, bool> = HashMap::new();
        signals.edges(n, &wanted, &mut |edge, changes| {
            for (signal, shown) in changes {
                now[*signal] = words(shown).map_or(0, |w| w[0]);
            }
            let cell = (now[program.place[0]], now[program.place[1]]);
            let word = Some(cell).filter(|_| now[program.valid] == 1);
            let with_word = word.and_then(|cell| flags.get_mut(&cell)?.pop());
            if let Some(flag) = with_word {
                let distance = cell.0.trailing_zeros() % 64 + cell.1.trailing_zeros() % 64;
                delayed.insert(edge + u64::from(distance), flag);
            }
            let expected = [with_word, delayed.remove(&edge)];
            if expected != [None, None] {
                candidates.retain(|(signal, late)| {
                    expected[usize::from(*late)].is_none_or(|flag| flag == (now[*signal] == 1))
                });
            }
        })?;
    }
    let port = [program.valid, program.data];
    Ok(candidates.into_iter().min_by_key(|(signal, late)| {
        (*signal == program.valid, signals.rank(*signal, &port), *late)
    }))
}

/// Looks for the reset: a bit that changes once, before any input is driven or at the same edge; `first` contains, for
/// each run, the first edge at which an input is driven.
fn reset(
    signals: &CommonSignals<'_>,
    first: &[Option<u64>],
) -> Result<Option<InferredReset>, WaveformError> {
    let mut candidates: Vec<InferredReset> = signals
        .of_width(&[1])
        .into_iter()
        .flat_map(|signal| {
            [true, false].map(|high| InferredReset { signal, high, ends: Vec::new() })
        })
        .collect();
    for (n, first) in first.iter().enumerate() {
        let wanted: Vec<usize> = candidates.iter().map(|c| c.signal).collect();
        let mut seen: HashMap<usize, (Option<bool>, Vec<u64>)> = HashMap::new();
        signals.edges(n, &wanted, &mut |edge, changes| {
            for (signal, shown) in changes {
                let (last, changes) = seen.entry(*signal).or_default();
                let level = shown.bit();
                if last.is_some() && level != *last {
                    changes.push(edge);
                }
                *last = level;
            }
        })?;
        candidates.retain_mut(|reset| match seen.get(&reset.signal) {
            Some((Some(level), changes)) if changes.len() == 1 && *level != reset.high => {
                reset.ends.push(changes[0]);
                first.is_none_or(|first| changes[0] <= first)
            }
            _ => false,
        });
    }
    let named = |signal: usize| {
        let path = signals.all[signal].path.to_lowercase();
        let name = path.rsplit('.').next().unwrap_or_default();
        !(name.contains("rst") || name.contains("reset"))
    };
    let best = |r: &InferredReset| (named(r.signal), signals.rank(r.signal, &[]));
    Ok(candidates.into_iter().min_by(|a, b| best(a).cmp(&best(b))))
}
