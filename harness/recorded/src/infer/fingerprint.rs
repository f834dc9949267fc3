// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fingerprints of sequences of values: each bit has a fingerprint of the times at which it changes, and a fingerprint
//! of its initial values, over all runs. The size of a fingerprint does not depend on the length of the runs. Unknown
//! bits are treated as 0.
//!
//! The fingerprint of times t is the sum of `BASE^t` modulo a prime, with a factor for each run: if the same changes
//! occur one cycle later, their fingerprint is `BASE` times as large, modulo the prime.

use super::runs::CommonSignals;
use crate::waveform::{WaveformError, WaveformValue};

const MODULUS: u64 = (1 << 61) - 1;
const BASE: u64 = 0x15ba_9d3c_71e2_f80b;
/// Maximum number of values of a sequence that may be an enumeration.
const MAX_VALUES: usize = 16;
/// Maximum width of a number that may be an enumeration.
const MAX_WIDTH: u32 = 16;

pub(super) fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(MODULUS)) as u64
}

pub(super) fn plus(a: u64, b: u64) -> u64 {
    (a + b) % MODULUS
}

/// The factor between the fingerprint of a set of changes and the fingerprint of the same changes this many cycles
/// later.
pub(super) fn later(cycles: i64) -> u64 {
    // By Fermat's little theorem, powers repeat when the exponent grows by the modulus minus one, so a negative
    // exponent has an equivalent positive one.
    let exponent = cycles.rem_euclid(MODULUS as i64 - 1) as u64;
    let squares = std::iter::successors(Some(BASE), |b| Some(times(*b, *b)));
    let bits = squares.take(61).enumerate().filter(|(bit, _)| exponent >> bit & 1 == 1);
    bits.fold(1, |product, (_, square)| times(product, square))
}

/// The contribution of one change of a bit in a cycle of a run; cycle 0 stands for the initial value.
pub(super) fn moment(case_run: usize, cycle: u64) -> u64 {
    later((case_run as i64 + 1) << 32 | cycle as i64)
}

/// The fingerprint of one bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BitFingerprint {
    /// Sum over all changes of the bit.
    pub(super) toggles: u64,
    /// Sum over the runs in which the initial value of the bit is 1.
    pub(super) ones: u64,
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EnumerationCode {
    Number(u64),
    Text(Box<str>),
}

/// The fingerprint of a signal or of a register.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingerprint {
    /// Width in bits; 0 for texts.
    pub(super) width: u32,
    pub(super) bits: Vec<BitFingerprint>,
    /// Sum over all initial values and changes: the contribution of the moment times the position of the new value in
    /// `codes`, counted from 1.
    shape: u64,
    /// The values in order of first appearance; none are added once there are more than [`MAX_VALUES`].
    pub(super) codes: Vec<EnumerationCode>,
    /// Number of changes.
    pub(super) changes: u64,
    last: Vec<u64>,
    text: Box<str>,
}

impl Fingerprint {
    pub(super) fn new(width: u32) -> Self {
        let bits = vec![BitFingerprint::default(); width as usize];
        Self { width, bits, last: vec![0; width.div_ceil(64) as usize], ..Self::default() }
    }

    /// Sets the initial value of a run, at this moment.
    pub(super) fn begin(&mut self, moment: u64, shown: Option<&WaveformValue>) {
        self.last.fill(0);
        if let Some(WaveformValue::Bits(bits)) = shown {
            self.last.copy_from_slice(bits.words());
        }
        for (n, bit) in self.bits.iter_mut().enumerate() {
            if self.last[n / 64] >> (n % 64) & 1 == 1 {
                bit.ones = plus(bit.ones, moment);
            }
        }
        self.enter(moment, shown);
    }

    /// Records a value that applies from a moment on. Returns true if the value differs from the previous value.
    pub(super) fn set(&mut self, moment: u64, shown: &WaveformValue) -> bool {
        let mut changed = false;
        match shown {
            WaveformValue::Text(text) => changed = self.text != *text,
            WaveformValue::Bits(bits) => {
                for (i, (last, word)) in self.last.iter_mut().zip(bits.words()).enumerate() {
                    let mut toggled = std::mem::replace(last, *word) ^ word;
                    changed |= toggled != 0;
                    while toggled != 0 {
                        let bit = &mut self.bits[64 * i + toggled.trailing_zeros() as usize];
                        bit.toggles = plus(bit.toggles, moment);
                        toggled &= toggled - 1;
                    }
                }
            }
        }
        if changed {
            self.changes += 1;
            self.enter(moment, Some(shown));
        }
        changed
    }

    fn enter(&mut self, moment: u64, shown: Option<&WaveformValue>) {
        let code = match shown {
            Some(WaveformValue::Text(text)) => {
                self.text.clone_from(text);
                EnumerationCode::Text(text.clone())
            }
            _ if (1..=MAX_WIDTH).contains(&self.width) => EnumerationCode::Number(self.last[0]),
            _ => return,
        };
        if self.codes.len() > MAX_VALUES {
            return;
        }
        let place = self.codes.iter().position(|c| *c == code).unwrap_or_else(|| {
            self.codes.push(code);
            self.codes.len() - 1
        });
        self.shape = plus(self.shape, times(moment, place as u64 + 1));
    }

    /// A fingerprint that does not depend on the values themselves, only on which of them are equal. `None` if there is
    /// only one value, if there are more than [`MAX_VALUES`], or if the values are wider than [`MAX_WIDTH`] bits.
    pub(super) fn shape(&self) -> Option<u64> {
        (2..=MAX_VALUES).contains(&self.codes.len()).then_some(self.shape)
    }
}

/// Adds a run to the fingerprints of all signals, starting with the edge `start`. Returns the number of edges of the
/// waveform.
pub(super) fn add(
    signals: &CommonSignals<'_>,
    case_run: usize,
    start: u64,
    fingerprints: &mut [Fingerprint],
) -> Result<u64, WaveformError> {
    let all: Vec<usize> = (0..fingerprints.len()).collect();
    let mut before: Vec<Option<WaveformValue>> = vec![None; fingerprints.len()];
    signals.edges(case_run, &all, &mut |edge, changes| {
        let moment = moment(case_run, edge.saturating_sub(start));
        if edge > start {
            changes.iter().for_each(|(n, shown)| _ = fingerprints[*n].set(moment, shown));
            return;
        }
        changes.iter().for_each(|(n, shown)| before[*n] = Some(shown.clone()));
        if edge == start {
            let first = fingerprints.iter_mut().zip(&mut before);
            first.for_each(|(fingerprint, shown)| fingerprint.begin(moment, shown.take().as_ref()));
        }
    })
}
