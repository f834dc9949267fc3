// SPDX-License-Identifier: MIT OR Apache-2.0
//! The contents of a waveform: its format, values and time steps.

use std::fmt;

use drra_lockstep::Value;

use crate::names::SignalHandle;

/// A value as a waveform shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaveformValue {
    /// Bits; in GHW, a value of an enumeration is shown as its position.
    Bits(Value),
    /// Text: enumerations in some formats.
    Text(Box<str>),
}

impl WaveformValue {
    /// The lowest bit of the value, if it is known.
    pub(crate) fn bit(&self) -> Option<bool> {
        match self {
            Self::Bits(bits) => bits.bit(0),
            Self::Text(_) => None,
        }
    }
}

/// The format of a waveform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveformFormat {
    /// Value change dump, IEEE 1364.
    Vcd,
    /// The compressed format of GTKWave.
    Fst,
    /// The format of GHDL.
    Ghw,
    /// State changes per cycle, as `drra trace` writes them.
    Trace,
}

impl fmt::Display for WaveformFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaveformFormat::Vcd => "VCD",
            WaveformFormat::Fst => "FST",
            WaveformFormat::Ghw => "GHW",
            WaveformFormat::Trace => "a trace of `drra trace`",
        })
    }
}

/// The changes at one timestamp.
#[derive(Clone, Copy, Debug)]
pub struct TimeStep<'a> {
    /// The time, in time units of the waveform.
    pub time: u64,
    /// The signals that received a value, each once; if a signal received several values at that time, the last value
    /// is used.
    pub changes: &'a [(SignalHandle, WaveformValue)],
}
