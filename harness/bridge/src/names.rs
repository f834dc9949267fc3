// SPDX-License-Identifier: MIT OR Apache-2.0
//! The public variables of a model, as names that a signal map can be bound to. Each element of an unpacked array is a
//! separate signal: `mem[3]`.

use std::ops::Range;

use drra_lockstep::Value;
use drra_recorded::{SignalHandle, SignalKind, SignalNames, WaveformValue};

use crate::sim::{Dimension, NamedVariable, Sim};

/// The location of a signal in one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariableLocation {
    pub(crate) address: usize,
    /// Number of bits, at least one.
    pub(crate) width: u32,
}

/// All signals of one model.
pub(crate) struct ModelNames {
    pub(crate) names: SignalNames,
    /// Indexed by the number of the signal.
    places: Vec<VariableLocation>,
}

impl VariableLocation {
    /// Bytes of a value of this width in a model.
    pub(crate) fn bytes(self) -> usize {
        match self.width {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            wide => wide.div_ceil(32) as usize * 4,
        }
    }

    /// Returns the value.
    ///
    /// # Safety
    /// The model must be alive and must not be evaluated meanwhile.
    pub(crate) unsafe fn value(self) -> Value {
        let count = self.width.div_ceil(64) as usize;
        // SAFETY: `word` asks the same as this function, and its caller promises it.
        let words: Vec<u64> = (0..count).map(|n| unsafe { self.word(n) }).collect();
        Value::new(&words, self.width)
    }

    /// True if the signal has this value.
    ///
    /// # Safety
    /// As for [`Self::value`].
    pub(crate) unsafe fn shows(self, value: &WaveformValue) -> bool {
        let WaveformValue::Bits(bits) = value else { return false };
        // SAFETY: `word` asks the same as this function, and its caller promises it.
        bits.words().iter().enumerate().all(|(n, word)| unsafe { self.word(n) } == *word)
    }

    /// Bits 64n to 64n+63 of the value, or those of them that exist.
    ///
    /// # Safety
    /// As for [`Self::value`].
    unsafe fn word(self, n: usize) -> u64 {
        let at = (self.address + 8 * n) as *const u8;
        // SAFETY: the simulator stores a signal aligned, in 1, 2, 4 or 8 bytes or in words of four bytes; the caller
        // promises that the model lives and is not evaluated.
        unsafe {
            match self.bytes() - 8 * n {
                1 => u64::from(*at),
                2 => u64::from(*at.cast::<u16>()),
                4 => u64::from(*at.cast::<u32>()),
                _ => {
                    let at = at.cast::<u32>();
                    u64::from(*at) | u64::from(*at.add(1)) << 32
                }
            }
        }
    }
}

impl ModelNames {
    /// Queries a model for its variables. Variables that are not bits are left out.
    pub(crate) fn of(sim: &Sim) -> Self {
        let mut all = Self { names: SignalNames::default(), places: Vec::new() };
        for variable in &sim.variables() {
            all.add(variable);
        }
        all
    }

    fn add(&mut self, variable: &NamedVariable) {
        let elements: usize = variable.dimensions.iter().map(|d| d.count as usize).product();
        let first = VariableLocation { address: variable.address, width: variable.width };
        if variable.width == 0 || elements * first.bytes() != variable.bytes {
            return;
        }
        for element in 0..elements {
            let mut path = format!("{}.{}", variable.scope, variable.name);
            let mut inner = elements;
            for &Dimension { low, count } in &variable.dimensions {
                inner /= count as usize;
                let index = element / inner % count as usize;
                path += &format!("[{}]", i64::from(low) + index as i64);
            }
            let kind = SignalKind::Bits { width: variable.width };
            self.names.add(&path, kind, Vec::new());
            self.places.push(VariableLocation {
                address: first.address + element * first.bytes(),
                ..first
            });
        }
    }

    /// The bytes of all signals.
    pub(crate) fn places(&self) -> impl Iterator<Item = Range<usize>> + Clone {
        self.places.iter().map(|place| place.address..place.address + place.bytes())
    }

    /// The location of a signal.
    pub(crate) fn place(&self, id: SignalHandle) -> VariableLocation {
        self.places[id.index()]
    }
}
