// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tracks and cycles as compact text.

use std::fmt::Write;

use crate::{Track, track::ValueRun};

/// The end of a row that has more than a number of items.
pub(super) fn more(all: usize, limit: usize) -> String {
    match all.checked_sub(limit) {
        None | Some(0) => String::new(),
        Some(rest) => format!(", and {rest} more; fewer cycles show all"),
    }
}

/// Values cycle by cycle: `12: 0004 0008, 20: 0001 x3` means one value per cycle from 12 on, and the same value in
/// three cycles from 20 on.
pub(super) fn values(
    track: &Track,
    last: u64,
    limit: usize,
    text: impl Fn(i64) -> String,
) -> String {
    let mut out = String::new();
    let mut expected = None;
    for ValueRun { from, cycles, value } in track.runs(last).take(limit) {
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
    out + &more(track.runs(last).count(), limit)
}

/// Writes, each with the first cycle that has the value: `52: 0010`.
pub(super) fn writes(track: &Track, limit: usize, text: impl Fn(i64) -> String) -> String {
    let all = track.changes().iter().take(limit);
    let all = all.map(|(cycle, value)| format!("{cycle}: {}", text(*value)));
    all.collect::<Vec<_>>().join(", ") + &more(track.changes().len(), limit)
}
