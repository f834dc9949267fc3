// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms recorded by simulators. VCD and FST are streamed, and GHW is read as a whole. The state changes written by
//! `drra trace` are also a waveform.

mod collect;
mod contain;
mod error;
mod fst;
mod ghw;
mod reader;
mod shown;
mod trace;
mod vcd;
mod vectors;
mod waves;

use std::{
    fs::File,
    io::Read,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use wellen::{SignalRef, stream};

pub(crate) use collect::Changes;
use collect::{Collector, Stop};
use contain::{contained, quiet};
pub use error::WaveformError;
use reader::{WaveformReader, start_of};
pub use shown::{Format, TimeStep, WaveformValue};
use trace::Trace;
use vcd::{TokenTracker, VcdProblems};
use vectors::Vectors;
use waves::WantedSignals;

use crate::names::{Names, SignalId};

/// An open waveform, whose names are known.
#[derive(Debug)]
pub struct Waveform {
    path: PathBuf,
    format: Format,
    names: Names,
    source: ValueSource,
}

/// The reader of the values.
#[derive(Debug)]
enum ValueSource {
    /// By the waveform library, which has these references for the signals.
    Waves(Vec<SignalRef>),
    Trace(Trace),
}

impl Waveform {
    /// Opens a waveform and reads its names. The format is recognised by the first bytes.
    ///
    /// # Errors
    /// If the file cannot be read or has an unknown format, or if damage is found in its definitions or, for FST and
    /// GHW, in any section.
    pub fn open(path: &Path) -> Result<Self, WaveformError> {
        let path = path.to_owned();
        let format = format_of(&path)?;
        let problems = SharedProblems::default();
        let read = match format {
            Format::Trace => {
                Trace::open(&path).map(|(trace, names)| (names, ValueSource::Trace(trace)))
            }
            Format::Vcd | Format::Fst | Format::Ghw => reader(&path, format, &problems)
                .and_then(names)
                .map(|(names, refs)| (names, ValueSource::Waves(refs))),
        };
        match read {
            Ok((names, source)) => Ok(Self { path, format, names, source }),
            Err(stop) => {
                let stop = so_far(&problems).cut.map_or(stop, Stop::Damaged);
                Err(WaveformError::stopped(&path, format, stop))
            }
        }
    }

    /// The names of the signals.
    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn format(&self) -> Format {
        self.format
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Delivers the changes of the wanted signals from the beginning until `each` breaks. Can be called any number of
    /// times. Memory use does not grow with the length of a VCD, a trace, or an FST that is not packed as a whole.
    /// Returns the place where the file ends, if it was read to its end and is truncated.
    ///
    /// # Errors
    /// If the file cannot be read to its end, or its times decrease.
    pub fn play(
        &self,
        wanted: &[SignalId],
        each: &mut dyn FnMut(&TimeStep<'_>) -> ControlFlow<()>,
    ) -> Result<Option<String>, WaveformError> {
        let mut vectors = Vectors::new(&self.names, wanted);
        let read = vectors.as_ref().map(Vectors::read);
        let wanted = read.as_deref().unwrap_or(wanted);
        let mut joined = |step: &TimeStep<'_>| match &mut vectors {
            None => each(step),
            Some(vectors) => each(&TimeStep { changes: &vectors.joined(step.changes), ..*step }),
        };
        let mut collector = Collector::new(self.names.all().count(), &mut joined);
        let played = match &self.source {
            ValueSource::Trace(trace) => trace.play(&self.path, wanted, &mut collector),
            ValueSource::Waves(refs) => {
                let wanted = WantedSignals::new(wanted, &self.names, refs);
                self.play_waves(&wanted, &mut collector)
            }
        };
        match played.and_then(|cut| collector.flush().map(|()| cut)) {
            Ok(cut) => Ok(cut),
            Err(Stop::Enough) => Ok(None),
            Err(stop) => Err(WaveformError::stopped(&self.path, self.format, stop)),
        }
    }

    fn play_waves(
        &self,
        wanted: &WantedSignals,
        to: &mut Collector<'_>,
    ) -> Result<Option<String>, Stop> {
        let problems = SharedProblems::default();
        let reader = reader(&self.path, self.format, &problems)?;
        let played = contained(|| match self.format {
            Format::Ghw => ghw::play(reader, wanted, to),
            Format::Vcd | Format::Fst | Format::Trace => values(reader, wanted, to),
        });
        let VcdProblems { backwards, cut, .. } = so_far(&problems);
        match (played, backwards) {
            // This is an error even if enough was read, because earlier values may belong to other times.
            (_, Some((from, to))) => Err(Stop::backwards(from, to)),
            // The reader fails if the file ends in the middle of a line.
            (Err(stop), None) if cut.is_none() || matches!(stop, Stop::Enough) => Err(stop),
            (_, None) => Ok(cut),
        }
    }
}

/// Problems noticed while a VCD is read.
type SharedProblems = Arc<Mutex<VcdProblems>>;

fn so_far(problems: &SharedProblems) -> VcdProblems {
    problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Opens a file for the library. An FST or a GHW is checked first; a VCD is checked while it is read.
fn reader(path: &Path, format: Format, problems: &SharedProblems) -> Result<WaveformReader, Stop> {
    let file = start_of(path)?;
    match format {
        Format::Vcd => Ok(Box::new(TokenTracker::new(file, Arc::clone(problems)))),
        Format::Fst => fst::open(file),
        Format::Ghw => ghw::open(file),
        Format::Trace => Ok(Box::new(file)),
    }
}

/// The names of the signals, and the library's reference for each.
fn names(reader: WaveformReader) -> Result<(Names, Vec<SignalRef>), Stop> {
    contained(|| {
        let waves = quiet(|| stream::read(reader, &waves::options()))?;
        let (mut names, refs) = waves::names(waves.hierarchy())?;
        names.join();
        Ok((names, refs))
    })
}

/// Streams values through the library.
fn values(
    reader: WaveformReader,
    wanted: &WantedSignals,
    collector: &mut Collector<'_>,
) -> Result<(), Stop> {
    let mut waves = quiet(|| stream::read(reader, &waves::options()))?;
    let filter = stream::Filter::include_signals(wanted.refs());
    let deliver = |time, signal, value: wellen::SignalValueRef<'_>| {
        wanted.deliver(time, signal, &value, collector)
    };
    Ok(waves.stream_changes(filter, deliver)?)
}

/// Recognises the format by the first bytes of the file.
fn format_of(path: &Path) -> Result<Format, WaveformError> {
    let wrong = |what: &str| Err(WaveformError::new(path, what));
    let failed = |e| WaveformError::new(path, format_args!("cannot be read: {e}"));
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return wrong("is not a regular file: name the waveform that the simulator wrote");
    }
    let (file, mut start) = (File::open(path).map_err(failed)?, Vec::new());
    file.take(1 << 12).read_to_end(&mut start).map_err(failed)?;
    let text = start.trim_ascii_start();
    match start[..] {
        [] => wrong(
            "is empty: the simulation wrote nothing, or did not finish; run it again to the end",
        ),
        _ if start.starts_with(ghw::MAGIC) => Ok(Format::Ghw),
        // The first bytes of a header section with its length, or of a compressed wrapper.
        [0, 0, 0, 0, 0, 0, 0, 1, 0x49, ..] | [254, 0, 0, ..] => Ok(Format::Fst),
        _ if text.starts_with(b"$") => Ok(Format::Vcd),
        _ if text.starts_with(b"{") => Ok(Format::Trace),
        _ => wrong(
            "is not a waveform: expected VCD, FST, GHW or `drra trace` output; decompress a compressed file first, and \
             convert other formats to VCD or FST",
        ),
    }
}
