// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups the changes that a reader delivers into time steps, one for each timestamp.

use std::{io, ops::ControlFlow};

use wellen::{WellenError, stream::StreamError};

use super::{
    contain::outside,
    error::Damage,
    shown::{TimeStep, WaveformValue},
};
use crate::names::SignalHandle;

/// No change of this signal is pending.
const NONE: u32 = u32::MAX;

/// The reason reading stops early.
#[derive(Debug)]
pub(super) enum StopReason {
    /// The consumer needs no more changes.
    Enough,
    /// The contents cannot be read.
    Damaged(Damage),
    /// The file cannot be read.
    Io(io::Error),
}

impl<T: Into<Damage>> From<T> for StopReason {
    fn from(damage: T) -> Self {
        Self::Damaged(damage.into())
    }
}

impl From<io::Error> for StopReason {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The error of the waveform library, without the words that it adds around the reason.
impl From<WellenError> for StopReason {
    fn from(error: WellenError) -> Self {
        Self::from(match error {
            WellenError::FailedToLoad(_, reason) => reason.trim_start_matches("[vcd] ").to_owned(),
            other => other.to_string(),
        })
    }
}

impl From<StreamError<StopReason>> for StopReason {
    fn from(error: StreamError<StopReason>) -> Self {
        match error {
            StreamError::Callback(stop) => stop,
            StreamError::Wellen(error) => error.into(),
        }
    }
}

/// New values of signals; if a signal changes more than once, the last value is used.
pub(crate) struct SignalChanges {
    list: Vec<(SignalHandle, WaveformValue)>,
    /// The position of a signal in the list, by its number.
    places: Vec<u32>,
}

impl SignalChanges {
    /// Creates an empty list of changes for a waveform with this many `signals`.
    pub(crate) fn new(signals: usize) -> Self {
        Self { list: Vec::new(), places: vec![NONE; signals] }
    }

    pub(crate) fn set(&mut self, id: SignalHandle, value: WaveformValue) {
        let place = &mut self.places[id.index()];
        if *place == NONE {
            // There are at most as many changes as signals, whose numbers have 32 bits.
            *place = self.list.len() as u32;
            self.list.push((id, value));
        } else {
            self.list[*place as usize].1 = value;
        }
    }

    /// Removes and returns all changes.
    pub(crate) fn take(&mut self) -> Vec<(SignalHandle, WaveformValue)> {
        self.list.iter().for_each(|(id, _)| self.places[id.index()] = NONE);
        std::mem::take(&mut self.list)
    }
}

/// Collects the changes at one timestamp.
pub(super) struct ChangeCollector<'a> {
    each: &'a mut dyn FnMut(&TimeStep<'_>) -> ControlFlow<()>,
    time: u64,
    changes: SignalChanges,
}

impl<'a> ChangeCollector<'a> {
    /// Creates an empty collector for a waveform with this many `signals`.
    pub(super) fn new(
        signals: usize,
        each: &'a mut dyn FnMut(&TimeStep<'_>) -> ControlFlow<()>,
    ) -> Self {
        Self { each, time: 0, changes: SignalChanges::new(signals) }
    }

    /// Records a new value. Times must not decrease.
    pub(super) fn change(
        &mut self,
        time: u64,
        id: SignalHandle,
        value: WaveformValue,
    ) -> Result<(), StopReason> {
        self.advance(time)?;
        self.changes.set(id, value);
        Ok(())
    }

    /// Delivers the changes at earlier times.
    pub(super) fn advance(&mut self, time: u64) -> Result<(), StopReason> {
        if time < self.time {
            return Err(Damage::backwards(self.time, time).into());
        }
        if time > self.time {
            self.flush()?;
            self.time = time;
        }
        Ok(())
    }

    /// Delivers the pending changes.
    pub(super) fn flush(&mut self) -> Result<(), StopReason> {
        let mut changes = self.changes.take();
        if changes.is_empty() {
            return Ok(());
        }
        let time_step = TimeStep { time: self.time, changes: &changes };
        let flow = outside(|| (self.each)(&time_step));
        changes.clear();
        self.changes.list = changes;
        if flow.is_break() { Err(StopReason::Enough) } else { Ok(()) }
    }
}
