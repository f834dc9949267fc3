// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values over the cycles.

use serde::{Serialize, Serializer};

/// No value: nothing is present, or nothing happens.
pub(crate) const NONE: i64 = -1;

/// A value over the cycles of a recording, as a list of changes; before the first change, there is no value. A change
/// to the same value is a write that changed nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    changes: Vec<(u64, i64)>,
}

/// The time of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventTime {
    pub(super) cycle: u64,
    /// True if the cycle is shown.
    pub(super) shown: bool,
    /// True if the next cycle is also shown.
    pub(super) goes_on: bool,
}

/// A number of cycles, starting with `from`, with the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueRun {
    pub(crate) from: u64,
    pub(crate) cycles: u64,
    pub(crate) value: i64,
}

impl Track {
    /// Changes the value from a cycle on, possibly to [`NONE`]; does nothing if the value is the same or the cycle is
    /// not shown.
    pub(super) fn set(&mut self, at: EventTime, value: i64) {
        if at.shown {
            self.change(at.cycle, value);
        }
    }

    pub(crate) fn change(&mut self, cycle: u64, value: i64) {
        if self.changes.last().map_or(NONE, |(_, last)| *last) != value {
            self.changes.push((cycle, value));
        }
    }

    /// Records a write of the value at the edge that ends a cycle, after which another cycle is shown.
    pub(super) fn write(&mut self, at: EventTime, value: i64) {
        self.changes.push((at.cycle + 1, value));
    }

    /// Changes and writes: the first cycle with the value, and the value.
    pub fn changes(&self) -> &[(u64, i64)] {
        &self.changes
    }

    /// The value in a cycle; `None` if there is no value.
    pub fn at(&self, cycle: u64) -> Option<i64> {
        let after = self.changes.partition_point(|(from, _)| *from <= cycle);
        Some(self.changes[after.checked_sub(1)?].1).filter(|value| *value != NONE)
    }

    /// True if there is never a value.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Runs of equal values up to a last cycle, without runs that have no value.
    pub(crate) fn runs(&self, last: u64) -> impl Iterator<Item = ValueRun> {
        let ends = self.changes.iter().skip(1).map(|(from, _)| *from).chain([last + 1]);
        let runs = self.changes.iter().zip(ends);
        let run = |(&(from, value), end): (&(u64, i64), u64)| ValueRun {
            from,
            cycles: end.saturating_sub(from),
            value,
        };
        runs.map(run).filter(|run| run.value != NONE && run.cycles > 0)
    }
}

/// Cycles since the previous change and new values, alternating, so that they are compact in a page.
impl Serialize for Track {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut before = 0;
        let numbers = self.changes.iter().flat_map(|&(cycle, value)| {
            let step = cycle - before;
            before = cycle;
            [step as i64, value]
        });
        serializer.collect_seq(numbers)
    }
}
