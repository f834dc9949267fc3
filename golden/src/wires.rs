// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals between the modules inside of the units (chapter 5, 7.4), for observers: functions of the
//! registers before the edge and of the inputs of the cycle. A step does not use them. A signal that means nothing in a cycle has no
//! value in it.

use std::collections::BTreeMap;

use drra_isa::{
    Unit,
    fabric::{Key, SignalId},
    ports::Block,
};

use crate::signals::Signals;

/// Values of signals, low word first, by unit, signal and number of their key.
pub(crate) type Values = BTreeMap<(Unit, SignalId, usize), Vec<u64>>;

/// Where the signals of a unit are put.
pub(crate) struct Wires<'a> {
    unit: Unit,
    values: &'a mut Values,
}

impl<'a> Wires<'a> {
    /// For the signals of a unit.
    pub(crate) fn new(unit: impl Into<Unit>, values: &'a mut Values) -> Self {
        Self { unit: unit.into(), values }
    }

    /// A signal that the unit has one of.
    pub(crate) fn put(&mut self, id: SignalId, value: impl Into<u64>) {
        self.put_at(id, 0, value);
    }

    /// A signal with the number of its key.
    pub(crate) fn put_at(&mut self, id: SignalId, key: usize, value: impl Into<u64>) {
        self.put_words(id, key, &[value.into()]);
    }

    /// A block.
    pub(crate) fn put_block(&mut self, id: SignalId, key: usize, block: &Block) {
        self.put_words(id, key, block);
    }

    /// A signal of several words, low word first.
    pub(crate) fn put_words(&mut self, id: SignalId, key: usize, words: &[u64]) {
        self.values.insert((self.unit, id, key), words.to_vec());
    }
}

impl Signals {
    /// A signal between the modules inside of the units; `None` if it means nothing in this cycle.
    pub fn wire(&self, unit: Unit, id: SignalId, key: Key) -> Option<&[u64]> {
        self.wires.get(&(unit, id, key.index())).map(Vec::as_slice)
    }
}
