// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fingerprints of sequences of values: for every bit one of the times at which it changes, and its value at the
//! beginning, over all recordings. Their size does not depend on the length of the recordings. Unknown bits count
//! as 0.

use crate::dump::Shown;

/// Most values of a sequence that can be an enumeration.
const MOST_VALUES: usize = 16;
/// Widest number that can be an enumeration.
const ENUMERATION: u32 = 16;

/// A well mixed number of two.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_add(0x632b_e59b_d9b4_e019);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A number that stands for a recording.
pub(super) fn salt(recording: usize) -> u64 {
    mix(recording as u64, 0x5eed)
}

/// One bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct BitPrint {
    /// Sum over all its changes.
    pub(super) toggles: u64,
    /// Sum over the recordings at whose beginning it is 1.
    pub(super) ones: u64,
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Code {
    Number(u64),
    Text(Box<str>),
}

/// A sequence in which only it counts which values are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    sum: u64,
    /// Its values in the order in which they come.
    pub(super) codes: Vec<Code>,
    too_many: bool,
}

impl Shape {
    fn enter(&mut self, salt: u64, time: u64, code: Code) {
        if self.too_many {
            return;
        }
        let place = self.codes.iter().position(|c| *c == code).unwrap_or_else(|| {
            self.codes.push(code);
            self.codes.len() - 1
        });
        self.too_many = self.codes.len() > MOST_VALUES;
        self.sum = self.sum.wrapping_add(mix(mix(salt, time), place as u64));
    }

    /// Its fingerprint, if it has few values.
    pub(super) fn print(&self) -> Option<u64> {
        (!self.too_many && self.codes.len() > 1).then_some(self.sum)
    }
}

/// The fingerprint of a signal or of a register.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    pub(super) width: u32,
    pub(super) bits: Vec<BitPrint>,
    /// Toggles of each bit as of a signal that shows it a cycle later.
    pub(super) late: Vec<u64>,
    /// Toggles of each bit as of a signal that shows it a cycle earlier, from the beginning on.
    pub(super) early: Vec<u64>,
    pub(super) shape: Shape,
    /// Number of changes.
    pub(super) changes: u32,
    last: Vec<u64>,
    text: Option<Box<str>>,
}

impl Track {
    /// A sequence of values of so many bits; 0: of texts.
    pub(super) fn new(width: u32) -> Self {
        Self {
            width,
            bits: vec![BitPrint::default(); width as usize],
            late: vec![0; width as usize],
            early: vec![0; width as usize],
            last: vec![0; width.div_ceil(64) as usize],
            ..Self::default()
        }
    }

    /// The value at the beginning of a recording.
    pub(super) fn begin(&mut self, salt: u64, shown: &Shown) {
        match shown {
            Shown::Bits(bits) => self.begin_words(salt, bits.words()),
            Shown::Text(text) => {
                self.text = Some(text.clone());
                self.shape.enter(salt, 0, Code::Text(text.clone()));
            }
        }
    }

    /// As [`Self::begin`], for 64-bit words, low word first.
    pub(super) fn begin_words(&mut self, salt: u64, words: &[u64]) {
        self.last.fill(0);
        self.last.iter_mut().zip(words).for_each(|(last, word)| *last = *word);
        for (n, bit) in self.bits.iter_mut().enumerate() {
            if self.last[n / 64] >> (n % 64) & 1 == 1 {
                bit.ones = bit.ones.wrapping_add(salt);
            }
        }
        self.enter_number(salt, 0);
    }

    fn enter_number(&mut self, salt: u64, time: u64) {
        if (1..=ENUMERATION).contains(&self.width) {
            self.shape.enter(salt, time, Code::Number(self.last[0]));
        }
    }

    /// A value at a time after the beginning, counted from 1.
    pub(super) fn set(&mut self, salt: u64, time: u64, shown: &Shown) {
        match shown {
            Shown::Bits(bits) => _ = self.set_words(salt, time, bits.words()),
            Shown::Text(text) if self.text.as_ref() != Some(text) => {
                self.text = Some(text.clone());
                self.changes += 1;
                self.shape.enter(salt, time, Code::Text(text.clone()));
            }
            Shown::Text(_) => {}
        }
    }

    /// As [`Self::set`], for 64-bit words, low word first. True if the value changes.
    pub(super) fn set_words(&mut self, salt: u64, time: u64, words: &[u64]) -> bool {
        let (now, later) = (mix(salt, time), mix(salt, time + 1));
        // What a signal shows a cycle earlier than cycle 0 is part of its value at the beginning.
        let earlier = if time > 1 { mix(salt, time - 1) } else { 0 };
        let mut changed = false;
        for (i, (last, word)) in self.last.iter_mut().zip(words).enumerate() {
            let mut toggled = *last ^ word;
            changed |= toggled != 0;
            *last = *word;
            while toggled != 0 {
                let n = 64 * i + toggled.trailing_zeros() as usize;
                toggled &= toggled - 1;
                if let Some(bit) = self.bits.get_mut(n) {
                    bit.toggles = bit.toggles.wrapping_add(now);
                    self.late[n] = self.late[n].wrapping_add(later);
                    self.early[n] = self.early[n].wrapping_add(earlier);
                }
            }
        }
        if changed {
            self.changes += 1;
            self.enter_number(salt, time);
        }
        changed
    }
}
