// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tracks and cycles as compact text.

use std::fmt::Write;

use crate::{Track, track::ValueRun};

/// Values cycle by cycle: `12: 0004 0008, 20: 0001 x3` means one value per cycle from 12 on, and the same value in
/// three cycles from 20 on.
pub(super) fn values(track: &Track, last: u64, text: impl Fn(i64) -> String) -> String {
    let mut out = String::new();
    let mut expected = None;
    for ValueRun { from, cycles, value } in track.runs(last) {
        if expected == Some(from) {
            out.push(' ');
        } else {
            let _ = write!(out, "{}{from}: ", if out.is_empty() { "" } else { ", " });
        }
        out += &text(value);
        if cycles > 1 {
            let _ = write!(out, " x{cycles}");
        }
        expected = Some(from + cycles);
    }
    out
}

/// States with the cycles in which they apply: `12 to 40: add`.
pub(super) fn states(track: &Track, last: u64, text: impl Fn(i64) -> String) -> String {
    let run = |run: ValueRun| match run.cycles {
        1 => format!("{}: {}", run.from, text(run.value)),
        _ => format!("{} to {}: {}", run.from, run.from + run.cycles - 1, text(run.value)),
    };
    track.runs(last).map(run).collect::<Vec<_>>().join(", ")
}

/// Writes, each with the first cycle that has the value: `52: 0010`.
pub(super) fn writes(track: &Track, text: impl Fn(i64) -> String) -> String {
    let all = track.changes().iter().map(|(cycle, value)| format!("{cycle}: {}", text(*value)));
    all.collect::<Vec<_>>().join(", ")
}
