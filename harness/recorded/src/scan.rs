// SPDX-License-Identifier: MIT OR Apache-2.0
//! One pass over a waveform before anything is compared: where cycle 0 is, how many cycles there are, and what is
//! on the input ports.

use std::ops::ControlFlow;

use drra_isa::Geometry;

use crate::{
    map::{Expression, ExpressionError, SignalMap},
    names::SignalId,
    samples::{Sample, Values, samples},
    stimulus::{Driver, StimulusError},
    waveform::{Waveform, WaveformError},
};

/// What a pass over a waveform found.
#[derive(Debug)]
pub(crate) struct Scan {
    /// Number of the edge that ends cycle 0.
    pub(crate) start: u64,
    /// Cycles from cycle 0 on.
    pub(crate) cycles: u64,
    /// What the file is in the middle of, if it is cut.
    pub(crate) cut: Option<String>,
    /// What was driven, if the map has the load ports.
    pub(crate) driver: Option<Driver>,
}

/// Why a waveform has no cycles to compare.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The waveform cannot be read.
    #[error(transparent)]
    Waveform(#[from] WaveformError),
    /// No edge ends cycle 0.
    #[error(
        "cycle 0 is not in the waveform: none of its {edges} clock edges samples {what}; look at `reset` and \
         `cycle_0` of the map, and whether the waveform goes on after the reset"
    )]
    NoCycleZero {
        /// Edges of the clock.
        edges: u64,
        /// What was looked for.
        what: &'static str,
    },
    /// The waveform ends before a cycle is complete.
    #[error(
        "there is nothing to compare: the waveform has {cycles} cycles from cycle 0 on, and some registers are shown \
         {offset} cycles later"
    )]
    TooShort {
        /// Cycles from cycle 0 on.
        cycles: u64,
        /// Largest offset of the map.
        offset: u32,
    },
    /// What is on the ports cannot drive a fabric.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// A signal of ports, reset or cycle 0 shows what the map does not expect.
    #[error("at edge {edge} of the clock: {source}")]
    Expression {
        /// Number of the edge.
        edge: u64,
        source: ExpressionError,
    },
}

/// Reads the waveform once.
pub(crate) fn scan(
    waveform: &Waveform,
    map: &SignalMap,
    geometry: &Geometry,
) -> Result<Scan, ScanError> {
    let mut driver = Driver::new(map, geometry)?;
    let mut wanted = Vec::new();
    wanted.extend(map.reset.map(|reset| reset.signal));
    wanted.extend(map.cycle_0.when.iter().flat_map(signals));
    if driver.is_some() {
        wanted.extend(map.ports.inputs.values().flatten().flat_map(signals));
    }
    wanted.sort_unstable();
    wanted.dedup();
    let (mut values, mut edges, mut start, mut failed) = (Values::default(), 0, None, None);
    let mut look = |sample: &Sample| {
        edges = sample.edge + 1;
        values.apply(sample);
        if start.is_none() {
            let begins = map.begins(&values);
            let at = |source| ScanError::Expression { edge: sample.edge, source };
            start = begins.map_err(at)?.then(|| sample.edge + u64::from(map.cycle_0.skip));
        }
        if let (Some(driver), Some(start)) = (&mut driver, start)
            && sample.edge >= start
        {
            driver.sample(sample.edge - start, &values)?;
        }
        Ok::<(), ScanError>(())
    };
    let end = samples(waveform, map.clock, &wanted, &mut |sample| match look(&sample) {
        Ok(()) => ControlFlow::Continue(()),
        Err(e) => {
            failed = Some(e);
            ControlFlow::Break(())
        }
    })?;
    if let Some(e) = failed {
        return Err(e);
    }
    match start.filter(|start| *start < edges) {
        Some(start) => Ok(Scan { start, cycles: edges - start, cut: end.cut, driver }),
        None => {
            let what = match (&map.cycle_0.when, map.reset) {
                (Some(_), _) => "the condition of `cycle_0` as 1",
                (None, Some(_)) => "the reset as inactive",
                (None, None) => "anything",
            };
            Err(ScanError::NoCycleZero { edges, what })
        }
    }
}

/// The signals that an expression depends on.
pub(crate) fn signals(expression: &Expression) -> Vec<SignalId> {
    let mut signals = Vec::new();
    expression.signals(&mut signals);
    signals
}
