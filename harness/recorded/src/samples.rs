// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns the timestamps of a waveform into cycles of a clock.
//!
//! A cycle ends with a clock edge; its values are the values just before that edge. An edge is found by value: the
//! clock was 0 before a timestamp and is 1 after all changes at that timestamp (the other way round for falling edges).
//! A change from an unknown value to 1 is not an edge.

use std::ops::ControlFlow;

use crate::{
    names::{SignalHandle, SignalKind},
    waveform::{SignalChanges, Waveform, WaveformError, WaveformValue},
};

/// The edge of a clock that ends a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// From 0 to 1.
    Rising,
    /// From 1 to 0.
    Falling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The one-bit signal of the clock.
    pub signal: SignalHandle,
    /// The edge that ends a cycle.
    pub edge: Edge,
}

/// A finished cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Number of the edge that ends the cycle, starting at 0.
    pub edge: u64,
    /// Time of this edge, in time units of the waveform.
    pub time: u64,
    /// The signals that received a value since the previous sample, each once, with their values just before the edge.
    pub changes: Vec<(SignalHandle, WaveformValue)>,
}

/// Delivers the cycles of a waveform until `each` breaks, beginning with the cycle that the first edge ends. Changes
/// after the last edge belong to an unfinished cycle and are not delivered. Returns the place where the file ends, if
/// it was read to its end and is truncated.
///
/// # Errors
/// If the waveform cannot be read, or the clock is not a one-bit signal or has no edge.
pub fn samples(
    waveform: &Waveform,
    clock: Clock,
    wanted: &[SignalHandle],
    each: &mut dyn FnMut(Sample) -> ControlFlow<()>,
) -> Result<Option<String>, WaveformError> {
    let not_a_clock = |what: String| {
        let signal = &waveform.names().signal(clock.signal).path;
        let what = format!(
            "has `{signal}`, which is not a clock: {what}; name the signal that clocks the design"
        );
        WaveformError::new(waveform.path(), what)
    };
    if waveform.names().signal(clock.signal).kind != (SignalKind::Bits { width: 1 }) {
        return Err(not_a_clock("it is not a one-bit signal".to_owned()));
    }
    let mut with_clock = wanted.to_vec();
    with_clock.push(clock.signal);
    let clock_wanted = wanted.contains(&clock.signal);
    let to = clock.edge == Edge::Rising;
    let mut changes = SignalChanges::new(waveform.names().all().count());
    let (mut level, mut edge) = (None, 0);
    let cut = waveform.play(&with_clock, &mut |time_step| {
        let of_clock = time_step.changes.iter().find(|(id, _)| *id == clock.signal);
        let before = level;
        level = of_clock.map_or(before, |(_, shown)| shown.bit());
        if before == Some(!to) && level == Some(to) {
            let sample = Sample { edge, time: time_step.time, changes: changes.take() };
            edge += 1;
            if each(sample).is_break() {
                return ControlFlow::Break(());
            }
        }
        for (id, value) in time_step.changes {
            if *id != clock.signal || clock_wanted {
                changes.set(*id, value.clone());
            }
        }
        ControlFlow::Continue(())
    })?;
    if edge > 0 {
        return Ok(cut);
    }
    Err(not_a_clock(match level {
        None => "its value is never known".to_owned(),
        Some(level) => {
            let [from, to, end] = [!to, to, level].map(u8::from);
            format!("it never goes from {from} to {to}, and is {end} at the end")
        }
    }))
}

/// The latest value of every signal.
#[derive(Clone, Debug, Default)]
pub struct LatestValues(Vec<Option<WaveformValue>>);

impl LatestValues {
    /// Applies the values of a sample.
    pub fn apply(&mut self, sample: &Sample) {
        for (id, value) in &sample.changes {
            if self.0.len() <= id.index() {
                self.0.resize(id.index() + 1, None);
            }
            self.0[id.index()] = Some(value.clone());
        }
    }

    /// The value of a signal, if it has had a value so far.
    pub fn get(&self, id: SignalHandle) -> Option<&WaveformValue> {
        self.0.get(id.index())?.as_ref()
    }
}
