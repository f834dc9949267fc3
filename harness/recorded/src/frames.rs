// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the times of a dump to cycles of a clock.
//!
//! A cycle ends with an edge of the clock; its values are those that stand just before that edge. An edge
//! is found by value: the clock was 0 before this time, and is 1 after all changes of this time (the other
//! way round for falling edges). A clock that becomes 1 from an unknown value has no edge.

use std::ops::ControlFlow;

use crate::{
    dump::{Changes, Dump, DumpEnd, DumpError, Shown},
    names::{SignalId, SignalKind},
};

/// Which edge of a clock ends a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// From 0 to 1.
    Rising,
    /// From 1 to 0.
    Falling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its signal, of one bit.
    pub signal: SignalId,
    /// The edge that ends a cycle.
    pub edge: Edge,
}

/// A cycle that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number of the edge that ends it, from 0 on.
    pub edge: u64,
    /// Time of this edge, in units of the dump.
    pub time: u64,
    /// The signals that got a value since the frame before, with the values that stand just before the edge,
    /// each once.
    pub changes: Vec<(SignalId, Shown)>,
}

/// Delivers the cycles of a dump from the first edge on, until `each` breaks. What changes after the
/// last edge belongs to a cycle that does not end, and is not delivered.
///
/// # Errors
/// If the dump cannot be read, or the clock has no edge.
pub fn frames(
    dump: &Dump,
    clock: Clock,
    wanted: &[SignalId],
    each: &mut dyn FnMut(Frame) -> ControlFlow<()>,
) -> Result<DumpEnd, DumpError> {
    let not_a_clock = |what: String| {
        let signal = dump.names().signal(clock.signal).path.clone();
        DumpError::Clock { path: dump.path().to_owned(), signal, what }
    };
    if dump.names().signal(clock.signal).kind != (SignalKind::Bits { width: 1 }) {
        return Err(not_a_clock("it is not one bit".to_owned()));
    }
    let mut with_clock = wanted.to_vec();
    with_clock.push(clock.signal);
    let clock_wanted = wanted.contains(&clock.signal);
    let (from, to) = match clock.edge {
        Edge::Rising => (Some(false), Some(true)),
        Edge::Falling => (Some(true), Some(false)),
    };
    let mut changes = Changes::new(dump.names().all().count());
    let (mut level, mut edge) = (None, 0);
    let end = dump.play(&with_clock, &mut |instant| {
        let of_clock = instant.changes.iter().find(|(id, _)| *id == clock.signal);
        let before = level;
        level = of_clock.map_or(before, |(_, shown)| shown.bit());
        if before == from && level == to {
            let frame = Frame { edge, time: instant.time, changes: changes.take() };
            edge += 1;
            if each(frame).is_break() {
                return ControlFlow::Break(());
            }
        }
        for (id, value) in instant.changes {
            if *id != clock.signal || clock_wanted {
                changes.set(*id, value.clone());
            }
        }
        ControlFlow::Continue(())
    })?;
    if edge > 0 {
        return Ok(end);
    }
    Err(not_a_clock(match level {
        None => "its value is never known".to_owned(),
        Some(level) => format!("it has no edge, and is {} at the end", u8::from(level)),
    }))
}

/// The latest value of every signal.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<Option<Shown>>);

impl Values {
    /// Takes over the values of a frame.
    pub fn apply(&mut self, frame: &Frame) {
        for (id, value) in &frame.changes {
            if self.0.len() <= id.index() {
                self.0.resize(id.index() + 1, None);
            }
            self.0[id.index()] = Some(value.clone());
        }
    }

    /// The value of a signal, if it had one until now.
    pub fn get(&self, id: SignalId) -> Option<&Shown> {
        self.0.get(id.index())?.as_ref()
    }
}
