// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reason a waveform cannot be used.

use drra_fabric::ports::InputPort;
use drra_lockstep::DutError;

use crate::{
    map::{MapError, SignalMap},
    waveform::WaveformError,
};

/// The reason a waveform cannot be compared, or no map can be inferred from it.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    #[error(transparent)]
    Waveform(#[from] WaveformError),
    /// The map does not fit the signals of the design.
    #[error("the map does not fit the signals of the design:\n{0}")]
    Map(#[from] MapError),
    /// The stimulus is unknown: the load ports are missing from the map or the waveform, and no case was given.
    /// The text names the ports that were looked for.
    #[error(
        "the load ports are missing from the map or the waveform{0}, so the stimulus is unknown: give the case that was simulated"
    )]
    NoStimulus(String),
    /// The waveform cannot be compared, or no map can be inferred, for the reason in the text.
    #[error("{0}")]
    Unusable(String),
    /// The run failed.
    #[error(transparent)]
    Dut(#[from] DutError),
}

impl RecordedError {
    /// The error if a map bound to a waveform lacks the load ports.
    pub(crate) fn no_stimulus(map: &SignalMap) -> Self {
        let inputs = map.ports.lacking.iter();
        let inputs = inputs.filter(|(name, _)| InputPort::from_name(name).is_some());
        Self::NoStimulus(inputs.map(|(name, path)| format!(", no {path} for {name}")).collect())
    }
}

impl From<String> for RecordedError {
    fn from(what: String) -> Self {
        Self::Unusable(what)
    }
}
