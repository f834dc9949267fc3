// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of a dump: the bit with the most edges at regular times, and its edge at which most signals change.

use std::{collections::HashMap, ops::ControlFlow};

use super::common::Common;
use crate::{
    dump::{Dump, DumpError, Shown},
    frames::Edge,
};

/// Fewest edges of a clock.
const FEWEST: u64 = 4;
/// Times that are looked at for the edge.
const TIMES: usize = 8000;

/// The rising edges of a bit.
#[derive(Default)]
struct Beat {
    level: Option<bool>,
    last: u64,
    period: u64,
    edges: u64,
    regular: u64,
}

impl Beat {
    fn set(&mut self, time: u64, level: Option<bool>) {
        if self.level == Some(false) && level == Some(true) {
            let period = time - self.last;
            self.regular += u64::from(self.edges > 1 && period == self.period);
            (self.last, self.period) = (time, period);
            self.edges += 1;
        }
        self.level = level;
    }

    fn is_regular(&self) -> bool {
        self.edges >= FEWEST && 10 * (self.regular + 2) >= 9 * self.edges
    }
}

fn level(shown: &Shown) -> Option<bool> {
    match shown {
        Shown::Bits(bits) => bits.bit(0),
        Shown::Text(_) => None,
    }
}

/// Looks for the clock in the first dump: its number, and its edge; `None` if no bit is regular.
pub(super) fn find(common: &Common, dump: &Dump) -> Result<Option<(usize, Edge)>, DumpError> {
    let bits = common.of_width(&[1]);
    let ids: Vec<_> = bits.iter().map(|&n| common.id(0, n)).collect();
    let mut beats: HashMap<usize, Beat> = HashMap::new();
    dump.play(&ids, &mut |instant| {
        for (id, shown) in instant.changes {
            if let Some(n) = common.number(0, *id) {
                beats.entry(n).or_default().set(instant.time, level(shown));
            }
        }
        ControlFlow::Continue(())
    })?;
    let regular = || beats.iter().filter(|(_, beat)| beat.is_regular());
    let most = regular().map(|(_, beat)| beat.edges).max();
    let fastest = regular().filter(|(_, beat)| Some(beat.edges) == most).map(|(n, _)| *n);
    match common.outermost(fastest) {
        None => Ok(None),
        Some(clock) => Ok(Some((clock, busiest_edge(common, dump, clock)?))),
    }
}

/// The edge of a clock at or after which most values change.
pub(super) fn busiest_edge(common: &Common, dump: &Dump, clock: usize) -> Result<Edge, DumpError> {
    let ids: Vec<_> = (0..common.signals.len()).map(|n| common.id(0, n)).collect();
    let (mut high, mut rising, mut falling, mut times) = (None, 0, 0, 0);
    dump.play(&ids, &mut |instant| {
        let of_clock = |(id, _): &&(_, _)| common.number(0, *id) == Some(clock);
        if let Some((_, shown)) = instant.changes.iter().find(of_clock) {
            high = level(shown);
        }
        match high {
            // The first value of everything stands at the first time.
            _ if times == 0 => {}
            Some(true) => rising += instant.changes.len(),
            Some(false) => falling += instant.changes.len(),
            None => {}
        }
        times += 1;
        if times < TIMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(if rising >= falling { Edge::Rising } else { Edge::Falling })
}
