// SPDX-License-Identifier: MIT OR Apache-2.0
//! Vectors whose bits are separate signals in a waveform, as in a netlist.

use std::collections::{BTreeSet, HashMap};

use drra_lockstep::Value;

use super::shown::WaveformValue;
use crate::names::{SignalHandle, SignalNames};

/// The requested vectors, with their values.
#[derive(Debug)]
pub struct Vectors {
    vectors: Vec<Vector>,
    /// The vectors of each bit, and the number of the bit in each vector.
    bits: HashMap<SignalHandle, Vec<(usize, usize)>>,
    /// The other requested signals.
    others: BTreeSet<SignalHandle>,
}

#[derive(Debug)]
struct Vector {
    id: SignalHandle,
    width: u32,
    words: Vec<u64>,
    unknown: Vec<u64>,
}

impl Vectors {
    /// Returns `None` if no wanted signal has to be joined from separate bits.
    pub fn new(names: &SignalNames, wanted: &[SignalHandle]) -> Option<Self> {
        let whole = |id: &SignalHandle| names.bits(*id).is_empty();
        let (others, vectors): (BTreeSet<_>, BTreeSet<_>) = wanted.iter().copied().partition(whole);
        if vectors.is_empty() {
            return None;
        }
        let mut bits: HashMap<_, Vec<_>> = HashMap::new();
        let vectors = vectors.into_iter().enumerate().map(|(v, id)| {
            let all = names.bits(id);
            let there = all.iter().enumerate().filter_map(|(n, bit)| Some((n, (*bit)?)));
            there.for_each(|(n, bit)| bits.entry(bit).or_default().push((v, n)));
            let words = all.len().div_ceil(64);
            // No bit has a value yet; a missing bit never has one.
            let (words, unknown) = (vec![0; words], vec![u64::MAX; words]);
            Vector { id, width: all.len() as u32, words, unknown }
        });
        Some(Self { vectors: vectors.collect(), bits, others })
    }

    /// The signals that must be read for the wanted signals.
    pub fn read(&self) -> Vec<SignalHandle> {
        let apart = self.bits.keys().filter(|bit| !self.others.contains(bit));
        self.others.iter().chain(apart).copied().collect()
    }

    /// The changes of the wanted signals that follow from changes of the signals that are read.
    pub fn joined(
        &mut self,
        changes: &[(SignalHandle, WaveformValue)],
    ) -> Vec<(SignalHandle, WaveformValue)> {
        let wanted = changes.iter().filter(|(id, _)| self.others.contains(id));
        let (mut joined, mut changed): (Vec<_>, _) = (wanted.cloned().collect(), Vec::new());
        for (id, shown) in changes {
            for &(v, n) in self.bits.get(id).into_iter().flatten() {
                let Vector { words, unknown, .. } = &mut self.vectors[v];
                let (word, mask) = (n / 64, 1 << (n % 64));
                words[word] &= !mask;
                unknown[word] &= !mask;
                match shown.bit() {
                    Some(true) => words[word] |= mask,
                    Some(false) => {}
                    None => unknown[word] |= mask,
                }
                changed.push(v);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        let value =
            |v: &Vector| WaveformValue::Bits(Value::with_unknown(&v.words, &v.unknown, v.width));
        let vectors = changed.into_iter().map(|v| &self.vectors[v]);
        joined.extend(vectors.map(|v| (v.id, value(v))));
        joined
    }
}
