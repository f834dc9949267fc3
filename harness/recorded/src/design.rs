// SPDX-License-Identifier: MIT OR Apache-2.0
//! A waveform as a design under test. A thread reads the waveform and sends its cycles through a bounded channel;
//! every run starts at the beginning of the waveform.

use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError, mpsc::sync_channel},
    thread,
};

use drra_case::Case;
use drra_fabric::{Layout, Location};
use drra_lockstep::{ComparisonCoverage, Design, Dut, DutError, MappedDesign, StartError};

use crate::{
    compared::compared,
    map::SignalMap,
    names::SignalHandle,
    plan::EvaluationPlan,
    samples::samples,
    state::{Alignment, RecordedDut},
    tally::ComparisonTally,
    waveform::{Waveform, WaveformError},
};

/// Maximum number of samples buffered between reader and comparison.
const MAX_WAITING: usize = 64;
/// Maximum number of signals of a register that are listed by name.
const MAX_NAMED: usize = 4;

/// A waveform as a design under test.
#[derive(Debug)]
pub struct RecordedDesign {
    waveform: Arc<Waveform>,
    map: SignalMap,
    plan: Arc<EvaluationPlan>,
    wanted: Vec<SignalHandle>,
    alignment: Alignment,
    simulator: String,
    cut: Option<String>,
    /// Counts of the first run; later runs only explain and report.
    tally: Arc<Mutex<Option<ComparisonTally>>>,
    /// The reason reading stopped before the end of the waveform.
    failed: Arc<Mutex<Option<WaveformError>>>,
}

impl RecordedDesign {
    pub(crate) fn new(
        waveform: Arc<Waveform>,
        map: SignalMap,
        plan: EvaluationPlan,
        alignment: Alignment,
        cut: Option<String>,
    ) -> Self {
        let file = waveform.path().file_name().unwrap_or_default().to_string_lossy();
        let simulator = format!("waveform {file} ({})", waveform.format());
        Self {
            wanted: plan.watchers.keys().copied().collect(),
            plan: Arc::new(plan),
            tally: Arc::default(),
            failed: Arc::default(),
            waveform,
            map,
            alignment,
            simulator,
            cut,
        }
    }

    /// Messages about values in the waveform that the map does not cover, such as literals of an enumeration.
    pub fn notes(&self) -> Vec<String> {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.iter().flat_map(|tally| tally.notes.iter().cloned()).collect()
    }

    /// The reason a finished run could not read the waveform to its end, if it could not.
    pub fn take_failure(&self) -> Option<WaveformError> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Design for RecordedDesign {
    fn start(&self, _case: &Case, _layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let (send, receive) = sync_channel(MAX_WAITING);
        let (waveform, clock, wanted) =
            (Arc::clone(&self.waveform), self.map.clock, self.wanted.clone());
        let (alignment, failed) = (self.alignment, Arc::clone(&self.failed));
        thread::spawn(move || {
            let read = samples(&waveform, clock, &wanted, &mut |sample| match send.send(sample) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            });
            // Set this before the channel closes, because closing the channel ends the run.
            if let Err(error) = read {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            drop(send);
        });
        let cut = self.cut.clone();
        let plan = Arc::clone(&self.plan);
        let mut dut = RecordedDut::new(plan, alignment, receive, cut, Arc::clone(&self.tally));
        match dut.enter(0) {
            Ok(()) => Ok(Box::new(dut)),
            Err(_) => {
                Err(DutError::Map("the waveform changed while it was being read".to_owned()).into())
            }
        }
    }

    fn simulator(&self) -> &str {
        &self.simulator
    }

    fn mapped(&self) -> Option<&dyn MappedDesign> {
        Some(self)
    }
}

impl MappedDesign for RecordedDesign {
    fn compared(&self) -> ComparisonCoverage {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let none = ComparisonTally::new(&self.plan);
        compared(&self.map, &self.plan, tally.as_ref().unwrap_or(&none))
    }

    fn name_of(&self, location: Location) -> Option<String> {
        let signals = self.plan.signals_of(location);
        let path = |id: &SignalHandle| self.waveform.names().signal(*id).path.clone();
        let mut names: Vec<String> = signals.iter().take(MAX_NAMED).map(path).collect();
        names.dedup();
        if signals.len() > MAX_NAMED {
            names.push("..".to_owned());
        }
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn moment(&self, cycle: u64) -> Option<String> {
        let edge = self.alignment.start + cycle;
        let mut time = None;
        let clock = &self.waveform.names().signal(self.map.clock.signal).path;
        samples(&self.waveform, self.map.clock, &[], &mut |sample| {
            if sample.edge < edge {
                return ControlFlow::Continue(());
            }
            time = Some(sample.time);
            ControlFlow::Break(())
        })
        .ok()?;
        let time = time?;
        Some(format!("just before edge {edge} of {clock}, at time {time} of the waveform"))
    }
}
