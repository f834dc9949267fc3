// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values over the cycles.

use std::collections::HashMap;

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
    /// The first cycle that is shown.
    pub(super) first: u64,
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

    /// Records the value of a register in a cycle. As long as no other value than 0 is recorded, the track is empty;
    /// then it has the value of every cycle from the first cycle shown on.
    pub(super) fn hold(&mut self, at: EventTime, value: i64) {
        match self.changes.last() {
            Some((_, last)) if *last == value => {}
            None if value == 0 => {}
            None if at.first < at.cycle => self.changes.extend([(at.first, 0), (at.cycle, value)]),
            _ => self.changes.push((at.cycle, value)),
        }
    }

    pub(crate) fn change(&mut self, cycle: u64, value: i64) {
        if self.changes.last().map_or(NONE, |(_, last)| *last) != value {
            self.changes.push((cycle, value));
        }
    }

    /// Records a write of the value at the edge that ends a cycle, after which another cycle is shown.
    pub(super) fn write(&mut self, at: EventTime, value: i64) {
        self.push(at.cycle + 1, value);
    }

    /// Records a value from a cycle on, even if it is the same as before.
    pub(super) fn push(&mut self, cycle: u64, value: i64) {
        self.changes.push((cycle, value));
    }

    /// Records a value for one cycle.
    pub(super) fn pulse(&mut self, cycle: u64, value: i64) {
        self.changes.pop_if(|last| *last == (cycle, NONE));
        self.changes.extend([(cycle, value), (cycle + 1, NONE)]);
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

/// Cycles since the previous change and new values, alternating. As programs loop, a pair of them is often the same as an
/// earlier one; `-N` and `D` instead of a pair stand for N pairs, each of which is the same as the one D pairs before it.
impl Serialize for Track {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut before = 0;
        let pair = |&(cycle, value): &(u64, i64)| {
            let step = cycle - before;
            before = cycle;
            (step as i64, value)
        };
        let pairs: Vec<(i64, i64)> = self.changes.iter().map(pair).collect();
        let mut numbers = Vec::new();
        // The last place of each sequence of two pairs that is not itself a copy.
        let mut places: HashMap<&[(i64, i64)], usize> = HashMap::new();
        let mut at = 0;
        while let Some(&(step, value)) = pairs.get(at) {
            let start = pairs.get(at..at + 2);
            let from = start.and_then(|start| places.insert(start, at)).unwrap_or(at);
            let same = pairs[from..].iter().zip(&pairs[at..]).take_while(|(a, b)| a == b).count();
            if from < at && same > 2 {
                numbers.extend([-(same as i64), (at - from) as i64]);
                at += same;
            } else {
                numbers.extend([step, value]);
                at += 1;
            }
        }
        serializer.collect_seq(numbers)
    }
}
