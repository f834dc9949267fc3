// SPDX-License-Identifier: MIT OR Apache-2.0
//! Changes as a reader delivers them, collected to one instant for each time.

use std::ops::ControlFlow;

use super::{Instant, Shown, contain::outside};
use crate::names::SignalId;

/// No change of this signal is waiting.
const NONE: u32 = u32::MAX;

/// Why reading stops before the end.
#[derive(Debug)]
pub(super) enum Stop {
    /// It is enough.
    Enough,
    /// Time goes backwards.
    Backwards { from: u64, to: u64 },
}

/// Collects the changes of one time; of several values of a signal the last stands.
pub(super) struct Collector<'a> {
    each: &'a mut dyn FnMut(&Instant<'_>) -> ControlFlow<()>,
    time: u64,
    changes: Vec<(SignalId, Shown)>,
    /// Where in `changes` a signal is, by its number.
    slots: Vec<u32>,
}

impl<'a> Collector<'a> {
    /// For a dump with so many `signals`.
    pub(super) fn new(
        signals: usize,
        each: &'a mut dyn FnMut(&Instant<'_>) -> ControlFlow<()>,
    ) -> Self {
        Self { each, time: 0, changes: Vec::new(), slots: vec![NONE; signals] }
    }

    /// A new value. Times must not decrease.
    pub(super) fn change(&mut self, time: u64, id: SignalId, value: Shown) -> Result<(), Stop> {
        self.advance(time)?;
        let slot = &mut self.slots[id.index()];
        if *slot == NONE {
            // There are fewer changes than signals, and their numbers have 32 bits.
            *slot = self.changes.len() as u32;
            self.changes.push((id, value));
        } else {
            self.changes[*slot as usize].1 = value;
        }
        Ok(())
    }

    /// Time goes on.
    pub(super) fn advance(&mut self, time: u64) -> Result<(), Stop> {
        if time < self.time {
            return Err(Stop::Backwards { from: self.time, to: time });
        }
        if time > self.time {
            self.flush()?;
            self.time = time;
        }
        Ok(())
    }

    /// Delivers what waits.
    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let instant = Instant { time: self.time, changes: &self.changes };
        let flow = outside(|| (self.each)(&instant));
        for (id, _) in self.changes.drain(..) {
            self.slots[id.index()] = NONE;
        }
        if flow.is_break() { Err(Stop::Enough) } else { Ok(()) }
    }

    /// The time of the last change.
    pub(super) fn time(&self) -> u64 {
        self.time
    }
}
