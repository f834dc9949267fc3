// SPDX-License-Identifier: MIT OR Apache-2.0
//! One pass over a waveform before anything is compared: finds cycle 0, the number of cycles, and the values on the
//! input ports.

use std::ops::ControlFlow;

use drra_isa::Geometry;

use crate::{
    RecordedError,
    map::{Expression, SignalMap},
    names::SignalHandle,
    samples::{LatestValues, Sample, samples},
    stimulus::InputCollector,
    waveform::Waveform,
};

/// The result of a pass over a waveform.
#[derive(Debug)]
pub(crate) struct Scan {
    /// Number of the edge that ends cycle 0.
    pub(crate) start: u64,
    /// Number of cycles from cycle 0 on.
    pub(crate) cycles: u64,
    /// The place where a truncated file ends.
    pub(crate) cut: Option<String>,
    /// The driven inputs, if the map has the load ports.
    pub(crate) driver: Option<InputCollector>,
}

/// Scans the waveform once.
pub(crate) fn scan(
    waveform: &Waveform,
    map: &SignalMap,
    geometry: &Geometry,
) -> Result<Scan, RecordedError> {
    let mut driver = InputCollector::new(map, geometry)?;
    let mut wanted = scanned_signals(map, driver.is_some());
    wanted.sort_unstable();
    wanted.dedup();
    let (mut values, mut edges, mut start, mut failed) = (LatestValues::default(), 0, None, None);
    let mut look = |sample: &Sample| {
        edges = sample.edge + 1;
        values.apply(sample);
        if start.is_none() {
            let begins = map.begins(&values);
            let at = |e| format!("at edge {} of the clock: {e}", sample.edge);
            start = begins.map_err(at)?.then(|| sample.edge + u64::from(map.cycle_0.skip));
        }
        if let (Some(driver), Some(start)) = (&mut driver, start)
            && sample.edge >= start
        {
            driver.sample(sample.edge - start, &values)?;
        }
        Ok::<(), String>(())
    };
    let cut = samples(waveform, map.clock, &wanted, &mut |sample| match look(&sample) {
        Ok(()) => ControlFlow::Continue(()),
        Err(e) => {
            failed = Some(e);
            ControlFlow::Break(())
        }
    })?;
    if let Some(e) = failed {
        return Err(e.into());
    }
    match start.filter(|start| *start < edges) {
        Some(start) => Ok(Scan { start, cycles: edges - start, cut, driver }),
        None => Err(no_cycle_0(map, edges)),
    }
}

/// The signals that determine cycle 0 and, with `ports`, the inputs.
pub(crate) fn scanned_signals(map: &SignalMap, ports: bool) -> Vec<SignalHandle> {
    let mut wanted = Vec::new();
    wanted.extend(map.reset.map(|reset| reset.signal));
    wanted.extend(map.cycle_0.when.iter().flat_map(Expression::signals));
    if ports {
        wanted.extend(map.ports.inputs.values().flatten().flat_map(Expression::signals));
    }
    wanted
}

/// The error if none of the edges ends cycle 0.
pub(crate) fn no_cycle_0(map: &SignalMap, edges: u64) -> RecordedError {
    let what = match (&map.cycle_0.when, map.reset) {
        (Some(_), _) => "the condition of `cycle_0` as 1",
        (None, Some(_)) => "the reset as inactive",
        (None, None) => "anything",
    };
    RecordedError::Unusable(format!(
        "none of the {edges} clock edges ends cycle 0; the edge that ends it is counted from the first edge that samples \
         {what}. Check `reset` and `cycle_0` in the map, and whether the simulation continues after reset"
    ))
}
