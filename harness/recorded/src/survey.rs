// SPDX-License-Identifier: MIT OR Apache-2.0
//! One pass over a dump before anything is compared: where cycle 0 is, how many cycles there are, and what is
//! on the input ports.

use std::ops::ControlFlow;

use drra_isa::Geometry;

use crate::{
    dump::{Dump, DumpError},
    frames::{Frame, Values, frames},
    map::{Expression, ExpressionError, SignalMap},
    names::SignalId,
    stimulus::{Driver, StimulusError},
};

/// What a pass over a dump found.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Number of the edge that ends cycle 0.
    pub(crate) start: u64,
    /// Cycles from cycle 0 on.
    pub(crate) cycles: u64,
    /// What the file is in the middle of, if it is cut.
    pub(crate) cut: Option<String>,
    /// What was driven, if the map has the load ports.
    pub(crate) driver: Option<Driver>,
}

/// Why a dump has no cycles to compare.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The dump cannot be read.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// No edge ends cycle 0.
    #[error(
        "cycle 0 is not in the dump: none of its {edges} clock edges samples {what}; look at `reset` and \
         `cycle_0` of the map, and whether the dump goes on after the reset"
    )]
    NoCycleZero {
        /// Edges of the clock.
        edges: u64,
        /// What was looked for.
        what: &'static str,
    },
    /// The dump ends before a cycle is complete.
    #[error(
        "there is nothing to compare: the dump has {cycles} cycles from cycle 0 on, and some registers are shown \
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

/// Reads the dump once.
pub(crate) fn survey(
    dump: &Dump,
    map: &SignalMap,
    geometry: &Geometry,
) -> Result<Survey, SurveyError> {
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
    let mut look = |frame: &Frame| {
        edges = frame.edge + 1;
        values.apply(frame);
        if start.is_none() {
            let begins = map.begins(&values);
            let at = |source| SurveyError::Expression { edge: frame.edge, source };
            start = begins.map_err(at)?.then(|| frame.edge + u64::from(map.cycle_0.skip));
        }
        if let (Some(driver), Some(start)) = (&mut driver, start)
            && frame.edge >= start
        {
            driver.sample(frame.edge - start, &values)?;
        }
        Ok::<(), SurveyError>(())
    };
    let end = frames(dump, map.clock, &wanted, &mut |frame| match look(&frame) {
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
        Some(start) => Ok(Survey { start, cycles: edges - start, cut: end.cut, driver }),
        None => {
            let what = match (&map.cycle_0.when, map.reset) {
                (Some(_), _) => "the condition of `cycle_0` as 1",
                (None, Some(_)) => "the reset as inactive",
                (None, None) => "anything",
            };
            Err(SurveyError::NoCycleZero { edges, what })
        }
    }
}

/// The signals that an expression depends on.
pub(crate) fn signals(expression: &Expression) -> Vec<SignalId> {
    let mut signals = Vec::new();
    expression.signals(&mut signals);
    signals
}
