// SPDX-License-Identifier: MIT OR Apache-2.0
//! A waveform as a design under test. A thread reads the waveform and sends its cycles through a bounded channel;
//! every run starts at the beginning of the waveform.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel, sync_channel},
    },
    thread,
};

use drra_case::Case;
use drra_fabric::{Layout, Location};
use drra_lockstep::{ComparisonCoverage, Design, Dut, DutError, MappedDesign, StartError};

use crate::{
    compared::compared,
    map::SignalMap,
    names::{SignalHandle, SignalNames},
    plan::EvaluationPlan,
    samples::{Sample, samples},
    state::{Alignment, RecordedDut, RecordedState},
    tally::ComparisonTally,
    waveform::{Waveform, WaveformError},
};

/// Maximum number of samples buffered between reader and comparison.
const MAX_WAITING: usize = 64;
/// Maximum number of signals of a register that are listed by name.
const MAX_NAMED: usize = 4;

/// The samples of a design.
#[derive(Debug)]
pub(crate) enum SampleSource {
    /// A waveform that can be read any number of times.
    Waveform(Arc<Waveform>),
    /// The last samples of a source that cannot be read again, and the state of the design before them.
    Kept(Vec<Arc<Sample>>, Box<Mutex<RecordedState>>),
}

/// The origin of the samples of a design.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) samples: SampleSource,
    pub(crate) names: Arc<SignalNames>,
    /// The origin as text.
    pub(crate) simulator: String,
    /// The place where a truncated file ends.
    pub(crate) cut: Option<String>,
}

/// A waveform as a design under test.
#[derive(Debug)]
pub struct RecordedDesign {
    recording: Recording,
    map: SignalMap,
    plan: Arc<EvaluationPlan>,
    alignment: Alignment,
    /// Counts of the first run; later runs only explain and report.
    tally: Arc<Mutex<Option<ComparisonTally>>>,
    /// The reason reading stopped before the end of the waveform.
    failed: Arc<Mutex<Option<WaveformError>>>,
}

impl RecordedDesign {
    pub(crate) fn new(
        recording: Recording,
        map: SignalMap,
        plan: Arc<EvaluationPlan>,
        alignment: Alignment,
        tally: Option<ComparisonTally>,
    ) -> Self {
        let tally = Arc::new(Mutex::new(tally));
        Self { recording, map, plan, alignment, tally, failed: Arc::default() }
    }

    /// The samples of a run, from a thread that reads the waveform or as they were kept.
    fn samples(&self) -> Receiver<Sample> {
        let waveform = match &self.recording.samples {
            SampleSource::Waveform(waveform) => Arc::clone(waveform),
            SampleSource::Kept(samples, _) => {
                let (send, receive) = channel();
                // The receiver exists, so this cannot fail.
                samples.iter().for_each(|sample| _ = send.send(Sample::clone(sample)));
                return receive;
            }
        };
        let (send, receive) = sync_channel(MAX_WAITING);
        let wanted: Vec<SignalHandle> = self.plan.watchers.keys().copied().collect();
        let (clock, failed) = (self.map.clock, Arc::clone(&self.failed));
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
        receive
    }

    /// The time of an edge, if its sample is there.
    fn time(&self, edge: u64) -> Option<u64> {
        let mut time = None;
        let mut look = |sample: &Sample| match sample.edge < edge {
            true => ControlFlow::Continue(()),
            false => {
                time = (sample.edge == edge).then_some(sample.time);
                ControlFlow::Break(())
            }
        };
        match &self.recording.samples {
            SampleSource::Waveform(waveform) => {
                samples(waveform, self.map.clock, &[], &mut |sample| look(&sample)).ok()?;
            }
            SampleSource::Kept(samples, _) => _ = samples.iter().try_for_each(|s| look(s)),
        }
        time
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
        let (plan, tally) = (Arc::clone(&self.plan), Arc::clone(&self.tally));
        let cut = self.recording.cut.clone();
        let mut dut = RecordedDut::new(plan, self.alignment, self.samples(), cut, tally);
        if let SampleSource::Kept(_, begin) = &self.recording.samples {
            dut = dut.beginning(begin.lock().unwrap_or_else(PoisonError::into_inner).clone());
        }
        match dut.enter(0) {
            Ok(()) => Ok(Box::new(dut)),
            Err(_) => {
                Err(DutError::Map("the waveform changed while it was being read".to_owned()).into())
            }
        }
    }

    fn simulator(&self) -> &str {
        &self.recording.simulator
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
        let path = |id: &SignalHandle| self.recording.names.signal(*id).path.clone();
        let mut names: Vec<String> = signals.iter().take(MAX_NAMED).map(path).collect();
        names.dedup();
        if signals.len() > MAX_NAMED {
            names.push("..".to_owned());
        }
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn moment(&self, cycle: u64) -> Option<String> {
        let edge = self.alignment.start + cycle;
        let clock = &self.recording.names.signal(self.map.clock.signal).path;
        let time = self.time(edge)?;
        Some(format!("just before edge {edge} of {clock}, at time {time} of the waveform"))
    }
}
