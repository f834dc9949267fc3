// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers whose value is computed from variables of the model, or that are compared under conditions. Such registers
//! are evaluated when one of their variables changes. If the design has a value some cycles earlier than the
//! architecture, the value is kept for that number of cycles.

use std::collections::VecDeque;

use drra_golden::Fabric;
use drra_lockstep::Value;
use drra_recorded::{
    SignalHandle, WaveformValue,
    map::{CompareFrom, GoldenTest, MappedRegister, SignalValues},
};

use crate::{
    names::VariableLocation,
    table::{Condition, FixedBits},
};

/// A cycle of a case.
#[derive(Clone, Copy, Debug)]
pub struct CaseCycle {
    pub cycle: u64,
    /// First cycle in which every cell has all words of the case.
    pub load_end: u64,
}

/// A signal: its number, and its offset from the address of the model.
#[derive(Clone, Copy, Debug)]
pub struct SourceSignal {
    pub(crate) id: SignalHandle,
    pub(crate) offset: isize,
    pub(crate) width: u32,
}

/// The computation of a register or memory row, the same in all models.
#[derive(Debug)]
pub struct Computation {
    pub(crate) register: MappedRegister,
    /// Position of its unit.
    pub(crate) unit: usize,
    /// First bit in the golden image.
    pub(crate) bit: usize,
    /// The register is compared only while this other register of the unit is 1.
    pub(crate) condition: Option<Condition>,
    /// All signals that the register depends on.
    pub(crate) sources: Vec<SourceSignal>,
}

/// The value of a computed register in one model.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComputedValue {
    /// Values of the sources when the register was computed.
    seen: SourceValues,
    now: CycleValue,
    /// Values of the previous cycles, oldest first, if the design has the value earlier than the architecture.
    past: VecDeque<CycleValue>,
}

/// Values of signals, read from a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceValues(Vec<(SignalHandle, WaveformValue)>);

impl SourceValues {
    /// Reads the sources in the model at an address.
    ///
    /// # Safety
    /// As for [`Computation::refresh`].
    pub(crate) unsafe fn read(sources: &[SourceSignal], model: usize) -> Self {
        // SAFETY: the caller promises what a place asks.
        let read =
            |s: &SourceSignal| unsafe { (s.id, WaveformValue::Bits(s.place(model).value())) };
        Self(sources.iter().map(read).collect())
    }
}

impl SignalValues for SourceValues {
    fn get(&self, id: SignalHandle) -> Option<&WaveformValue> {
        self.0.iter().find(|(signal, _)| *signal == id).map(|(_, shown)| shown)
    }
}

/// The value of a computed register in one cycle.
#[derive(Clone, Debug, Default)]
struct CycleValue {
    /// `None` if the map does not cover the values in the model.
    value: Option<Value>,
    /// The bits of the golden image that must have this value.
    expected: Vec<FixedBits>,
    /// True if the map's condition on signals is met, or if there is none.
    on: bool,
}

impl SourceSignal {
    /// The location of the signal in the model at an address.
    fn place(&self, model: usize) -> VariableLocation {
        VariableLocation { address: model.wrapping_add_signed(self.offset), width: self.width }
    }
}

impl Computation {
    /// Recomputes the register if a source changed.
    ///
    /// # Safety
    /// `model` must be the address of a model for which the plan was made; the model must be alive and must not be
    /// evaluated meanwhile.
    pub(crate) unsafe fn refresh(&self, model: usize, computed: &mut ComputedValue) {
        // SAFETY: the caller promises that `model` is alive, is not evaluated, and has the sources of the plan at their
        // offsets, which is what a place asks.
        let same = |(s, (_, seen)): (&SourceSignal, &_)| unsafe { s.place(model).shows(seen) };
        if !computed.seen.0.is_empty() && self.sources.iter().zip(&computed.seen.0).all(same) {
            return;
        }
        // SAFETY: as for `same`.
        let seen = unsafe { SourceValues::read(&self.sources, model) };
        let value = self.register.value.value(&seen).ok();
        let expected = value.as_ref().map(|bits| FixedBits::of(self.bit, bits)).unwrap_or_default();
        let on = self.register.while_waveform.as_ref().is_none_or(|condition| {
            condition.value(&seen).is_ok_and(|bits| bits.bit(0) == Some(true))
        });
        (computed.seen, computed.now) = (seen, CycleValue { value, expected, on });
    }

    /// Number of cycles by which the design is early.
    fn early(&self) -> usize {
        self.register.offset.min(0).unsigned_abs() as usize
    }

    /// Ends a cycle: keeps the value if it is needed later.
    pub(crate) fn keep(&self, computed: &mut ComputedValue) {
        if self.early() > 0 {
            computed.past.push_back(computed.now.clone());
            if computed.past.len() > self.early() {
                computed.past.pop_front();
            }
        }
    }

    /// The reading to compare with the current cycle; `None` in the first cycles of a register for which the design
    /// is early.
    fn reading<'a>(&self, computed: &'a ComputedValue) -> Option<&'a CycleValue> {
        match self.early() {
            0 => Some(&computed.now),
            early => computed.past.front().filter(|_| computed.past.len() == early),
        }
    }

    /// The bits of the value; `None` if the map does not cover the values in the model, or if there is no reading for
    /// the current cycle.
    pub(crate) fn bits<'a>(&self, computed: &'a ComputedValue) -> Option<&'a Value> {
        self.reading(computed)?.value.as_ref()
    }

    /// The value; all bits are unknown where [`Self::bits`] is `None`.
    pub(crate) fn value(&self, computed: &ComputedValue) -> Value {
        self.bits(computed).cloned().unwrap_or_else(|| Value::unknown(self.register.width))
    }

    /// True if the value equals the value in the golden image, or is not compared in this cycle.
    pub(crate) fn agrees(
        &self,
        computed: &ComputedValue,
        golden: &Fabric,
        image: &[u64],
        now: CaseCycle,
    ) -> bool {
        let Some(reading) = self.reading(computed) else { return true };
        let same = || reading.value.is_some() && reading.expected.iter().all(|f| f.is_in(image));
        let begun = || match self.register.from {
            CompareFrom::Reset => true,
            CompareFrom::LoadEnd => now.cycle >= now.load_end,
            CompareFrom::Cycle(first) => now.cycle >= first,
        };
        let golden_is = |test: &GoldenTest| {
            let words = golden.value(test.location);
            let low = words.and_then(|words| words.first().copied());
            low.is_some_and(|word| (word == test.value) == test.equals)
        };
        same()
            || !reading.on
            || !begun()
            || !self.register.while_golden.as_ref().is_none_or(golden_is)
            || !self.condition.is_none_or(|condition| condition.holds(image))
    }

    /// Copies the value into an image whose bits are 0 there; unknown bits stay 0.
    pub(crate) fn read(&self, computed: &ComputedValue, image: &mut [u64]) {
        for fixed in self.reading(computed).into_iter().flat_map(|reading| &reading.expected) {
            image[fixed.slot] |= fixed.value;
        }
    }
}
