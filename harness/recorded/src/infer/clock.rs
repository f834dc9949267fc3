// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the clock of a waveform: the bit with the most edges at regular times, and the edge at which most signals
//! change.

use std::{collections::HashMap, ops::ControlFlow};

use super::runs::CommonSignals;
use crate::{samples::Edge, waveform::WaveformError};

/// Minimum number of rising edges of a clock.
const MIN_EDGES: u64 = 4;
/// Maximum number of timestamps inspected to choose the edge.
const MAX_TIMES: usize = 8000;

/// The rising edges of a bit.
#[derive(Default)]
struct RisingEdges {
    level: Option<bool>,
    last: u64,
    period: u64,
    edges: u64,
    regular: u64,
}

impl RisingEdges {
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
        self.edges >= MIN_EDGES && 10 * (self.regular + 2) >= 9 * self.edges
    }
}

/// Looks for the clock in the first waveform. Returns the number and the edge of the clock; `None` if no bit is
/// regular.
pub(super) fn find(signals: &CommonSignals<'_>) -> Result<Option<(usize, Edge)>, WaveformError> {
    let bits = signals.of_width(&[1]).into_iter().map(|n| signals.id(0, n)).collect::<Vec<_>>();
    let mut pulses: HashMap<usize, RisingEdges> = HashMap::new();
    let waveform = &signals.runs[0].waveform;
    waveform.play(&bits, &mut |time_step| {
        for (id, shown) in time_step.changes {
            if let Some(n) = signals.number(0, *id) {
                pulses.entry(n).or_default().set(time_step.time, shown.bit());
            }
        }
        ControlFlow::Continue(())
    })?;
    pulses.retain(|_, pulse| pulse.is_regular());
    let most = pulses.values().map(|pulse| pulse.edges).max();
    let fastest = pulses.iter().filter(|(_, pulse)| Some(pulse.edges) == most).map(|(n, _)| *n);
    let Some(clock) = signals.outermost(fastest) else { return Ok(None) };
    // The edge at or after which most values change.
    let all: Vec<_> = (0..signals.all.len()).map(|n| signals.id(0, n)).collect();
    let (mut high, mut rising, mut falling, mut times) = (None, 0, 0, 0);
    waveform.play(&all, &mut |time_step| {
        let of_clock = |(id, _): &&(_, _)| signals.number(0, *id) == Some(clock);
        if let Some((_, shown)) = time_step.changes.iter().find(of_clock) {
            high = shown.bit();
        }
        match high {
            // At the first timestamp, every signal receives its initial value.
            _ if times == 0 => {}
            Some(true) => rising += time_step.changes.len(),
            Some(false) => falling += time_step.changes.len(),
            None => {}
        }
        times += 1;
        if times < MAX_TIMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(Some((clock, if rising >= falling { Edge::Rising } else { Edge::Falling })))
}
