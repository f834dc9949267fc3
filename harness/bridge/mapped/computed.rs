// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers whose value is computed from variables of the model, or that are compared under conditions: looked
//! at when one of their variables changes. Those that the design has earlier than the architecture are kept for so
//! many cycles.

use std::collections::{HashMap, VecDeque};

use drra_golden::Fabric;
use drra_isa::fabric::Location;
use drra_lockstep::Value;
use drra_recorded::{
    Bits, Shown, SignalId,
    map::{Expression, SignalValues},
};

use super::{
    conditions::{Conditions, Moment},
    names::Place,
};
use crate::bridge::unit_map::Condition;

/// A signal: its number, and its place from that of the reference variable of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) id: SignalId,
    pub(super) offset: isize,
    pub(super) width: u32,
}

/// How a register is computed, the same in all models.
#[derive(Debug)]
pub(super) struct Computation {
    pub(super) location: Location,
    /// Position of its unit.
    pub(super) unit: usize,
    /// First bit in the golden image, and width.
    pub(super) bit: usize,
    pub(super) width: u32,
    pub(super) value: Expression,
    /// Cycles that the design has it earlier.
    pub(super) early: usize,
    /// When it is compared.
    pub(super) conditions: Conditions,
    /// Compared while another register of the unit is 1.
    pub(super) condition: Option<Condition>,
    /// Everything that it depends on.
    pub(super) sources: Vec<Source>,
}

/// The value of such a register in one model.
#[derive(Clone, Debug, Default)]
pub(super) struct Computed {
    /// What its sources were when it was computed.
    seen: Vec<Bits>,
    now: Reading,
    /// Of the cycles before, if the design has it earlier; oldest first.
    past: VecDeque<Reading>,
}

/// The value of such a register in one cycle.
#[derive(Clone, Debug, Default)]
struct Reading {
    /// Words of the value; `None` if the map has no value for what the model shows.
    value: Option<Vec<u64>>,
    /// Its condition held.
    on: bool,
}

/// Values of signals, read from a model.
struct Snapshot(HashMap<SignalId, Shown>);

impl SignalValues for Snapshot {
    fn get(&self, id: SignalId) -> Option<&Shown> {
        self.0.get(&id)
    }
}

impl Source {
    /// Its place in the model whose reference variable is at `reference`.
    fn place(&self, reference: usize) -> Place {
        Place { address: reference.wrapping_add_signed(self.offset), width: self.width }
    }
}

/// Reads signals of a model.
///
/// # Safety
/// The sources must be those of the model whose reference variable is at `reference`; it must live and not be
/// evaluated meanwhile.
unsafe fn read(sources: &[Source], reference: usize) -> Vec<Bits> {
    // SAFETY: promised by the caller.
    sources.iter().map(|s| unsafe { s.place(reference).value() }).collect()
}

/// Value of an expression in a model; `None` if the map has none for what the model shows.
///
/// # Safety
/// As for [`Computation::refresh`].
pub(super) unsafe fn evaluate(
    expression: &Expression,
    sources: &[Source],
    reference: usize,
) -> Option<Bits> {
    // SAFETY: promised by the caller.
    let seen = unsafe { read(sources, reference) };
    expression.value(&snapshot(sources, &seen)).ok()
}

fn snapshot(sources: &[Source], seen: &[Bits]) -> Snapshot {
    let shown = sources.iter().zip(seen).map(|(s, bits)| (s.id, Shown::Bits(bits.clone())));
    Snapshot(shown.collect())
}

impl Computation {
    /// Computes the register again if a source changed.
    ///
    /// # Safety
    /// `reference` must be the address of the reference variable of the model for which the plan was made; the
    /// model must live and not be evaluated meanwhile.
    pub(super) unsafe fn refresh(&self, reference: usize, computed: &mut Computed) {
        // SAFETY: promised by the caller.
        let same = |(s, seen): (&Source, &Bits)| unsafe { s.place(reference).is(seen) };
        if !computed.seen.is_empty() && self.sources.iter().zip(&computed.seen).all(same) {
            return;
        }
        // SAFETY: promised by the caller.
        let seen = unsafe { read(&self.sources, reference) };
        let values = snapshot(&self.sources, &seen);
        computed.now.value = self.value.value(&values).ok().map(|bits| bits.words().to_vec());
        computed.now.on = match &self.conditions.only_while {
            None => true,
            Some(condition) => condition.value(&values).is_ok_and(|bits| bits.bit(0) == Some(true)),
        };
        computed.seen = seen;
    }

    /// A cycle is over: its value is kept if it is needed.
    pub(super) fn keep(&self, computed: &mut Computed) {
        if self.early > 0 {
            computed.past.push_back(computed.now.clone());
            if computed.past.len() > self.early {
                computed.past.pop_front();
            }
        }
    }

    /// What is compared with the current cycle; `None` in the first cycles of a register that the design has earlier.
    fn reading<'a>(&self, computed: &'a Computed) -> Option<&'a Reading> {
        match self.early {
            0 => Some(&computed.now),
            early => computed.past.front().filter(|_| computed.past.len() == early),
        }
    }

    /// The value; all bits are unknown if the map has none for what the model shows.
    pub(super) fn value(&self, computed: &Computed) -> Value {
        match self.reading(computed).and_then(|reading| reading.value.as_ref()) {
            Some(words) => Value::new(words.clone(), self.width),
            None => unknown(self.width),
        }
    }

    /// Whether the register is compared in a cycle.
    pub(super) fn is_compared(
        &self,
        computed: &Computed,
        golden: &Fabric,
        image: &[u64],
        now: Moment,
    ) -> bool {
        let on = self.reading(computed).is_some_and(|reading| reading.on);
        self.conditions.hold(on, golden, now)
            && self.condition.is_none_or(|c| image[c.word] & c.mask != 0)
    }

    /// True if the value is that of the golden image.
    pub(super) fn agrees(&self, computed: &Computed, image: &[u64]) -> bool {
        let word = |n: usize| {
            let bit = self.bit + 64 * n;
            let (at, shift) = (bit / 64, bit % 64);
            let count = (self.width as usize - 64 * n).min(64);
            let low = image[at] >> shift;
            let high = if shift + count > 64 { image[at + 1] << (64 - shift) } else { 0 };
            (low | high) & (u64::MAX >> (64 - count))
        };
        let value = self.reading(computed).and_then(|reading| reading.value.as_ref());
        value.is_some_and(|words| words.iter().enumerate().all(|(n, w)| *w == word(n)))
    }

    /// Copies the value into an image whose bits are 0 there; an unknown one stays 0.
    pub(super) fn read(&self, computed: &Computed, image: &mut [u64]) {
        let value = self.reading(computed).and_then(|reading| reading.value.as_ref());
        for (n, word) in value.into_iter().flatten().enumerate() {
            let bit = self.bit + 64 * n;
            let (at, shift) = (bit / 64, bit % 64);
            image[at] |= word << shift;
            if shift > 0 && word >> (64 - shift) != 0 {
                image[at + 1] |= word >> (64 - shift);
            }
        }
    }
}

/// A value of which no bit is known.
pub(super) fn unknown(width: u32) -> Value {
    let words = width.div_ceil(64) as usize;
    Value::with_unknown(vec![0; words], vec![u64::MAX; words], width)
}
