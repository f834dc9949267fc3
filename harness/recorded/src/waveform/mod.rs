// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms recorded by simulators. VCD and FST are streamed, and GHW is read as a whole. The state changes written by
//! `drra trace` are also a waveform.

mod collect;
mod contain;
mod error;
mod fst;
mod ghw;
mod ghw_types;
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

pub(crate) use collect::SignalChanges;
use collect::{ChangeCollector, StopReason};
use contain::{contained, quiet};
pub use error::WaveformError;
use error::{Damage, RERUN};
use reader::{MARK, WaveformReader, start_of};
pub use shown::{TimeStep, WaveformFormat, WaveformValue};
use trace::Trace;
use vcd::{TokenTracker, VcdProblems};
use vectors::Vectors;
use waves::WantedSignals;

use crate::names::{SignalHandle, SignalNames};

/// An open waveform, whose names are known.
#[derive(Debug)]
pub struct Waveform {
    path: PathBuf,
    format: WaveformFormat,
    names: Arc<SignalNames>,
    source: ValueReader,
}

/// The reader of the values.
#[derive(Debug)]
enum ValueReader {
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
            WaveformFormat::Trace => {
                Trace::open(&path).map(|(trace, names)| (names, ValueReader::Trace(trace)))
            }
            WaveformFormat::Vcd | WaveformFormat::Fst | WaveformFormat::Ghw => {
                reader(&path, format, &problems)
                    .and_then(names)
                    .map(|(names, refs)| (names, ValueReader::Waves(refs)))
            }
        };
        match read {
            Ok((names, source)) => Ok(Self { path, format, names: Arc::new(names), source }),
            Err(stop) => {
                let VcdProblems { damage, cut, .. } = so_far(&problems);
                let cut = cut.map(|what| Damage::new(what, RERUN));
                let stop = damage.or(cut).map_or(stop, StopReason::Damaged);
                Err(WaveformError::stopped(&path, format, stop))
            }
        }
    }

    /// The names of the signals.
    pub fn names(&self) -> &Arc<SignalNames> {
        &self.names
    }

    pub fn format(&self) -> WaveformFormat {
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
        wanted: &[SignalHandle],
        each: &mut dyn FnMut(&TimeStep<'_>) -> ControlFlow<()>,
    ) -> Result<Option<String>, WaveformError> {
        let mut vectors = Vectors::new(&self.names, wanted);
        let read = vectors.as_ref().map(Vectors::read);
        let wanted = read.as_deref().unwrap_or(wanted);
        let mut joined = |step: &TimeStep<'_>| match &mut vectors {
            None => each(step),
            Some(vectors) => each(&TimeStep { changes: &vectors.joined(step.changes), ..*step }),
        };
        let mut collector = ChangeCollector::new(self.names.all().count(), &mut joined);
        let played = match &self.source {
            ValueReader::Trace(trace) => trace.play(&self.path, wanted, &mut collector),
            ValueReader::Waves(refs) => {
                let wanted = WantedSignals::new(wanted, &self.names, refs);
                self.play_waves(&wanted, &mut collector)
            }
        };
        match played.and_then(|cut| collector.flush().map(|()| cut)) {
            Ok(cut) => Ok(cut),
            Err(StopReason::Enough) => Ok(None),
            Err(stop) => Err(WaveformError::stopped(&self.path, self.format, stop)),
        }
    }

    fn play_waves(
        &self,
        wanted: &WantedSignals,
        to: &mut ChangeCollector<'_>,
    ) -> Result<Option<String>, StopReason> {
        let problems = SharedProblems::default();
        let reader = reader(&self.path, self.format, &problems)?;
        let played = contained(|| match self.format {
            WaveformFormat::Ghw => ghw::play(reader, wanted, to),
            WaveformFormat::Vcd | WaveformFormat::Fst | WaveformFormat::Trace => {
                values(reader, wanted, to)
            }
        });
        let VcdProblems { damage, cut, .. } = so_far(&problems);
        match (played, damage) {
            // This is an error even if enough was read, because earlier values may belong to other times.
            (_, Some(damage)) => Err(damage.into()),
            // The reader fails if the file ends in the middle of a line.
            (Err(stop), None) if cut.is_none() || matches!(stop, StopReason::Enough) => Err(stop),
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
fn reader(
    path: &Path,
    format: WaveformFormat,
    problems: &SharedProblems,
) -> Result<WaveformReader, StopReason> {
    let file = start_of(path)?;
    match format {
        WaveformFormat::Vcd => Ok(Box::new(TokenTracker::new(file, Arc::clone(problems)))),
        WaveformFormat::Fst => fst::open(file),
        WaveformFormat::Ghw => ghw::open(file),
        WaveformFormat::Trace => Ok(Box::new(file)),
    }
}

/// The names of the signals, and the library's reference for each.
fn names(reader: WaveformReader) -> Result<(SignalNames, Vec<SignalRef>), StopReason> {
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
    collector: &mut ChangeCollector<'_>,
) -> Result<(), StopReason> {
    let mut waves = quiet(|| stream::read(reader, &waves::options()))?;
    let filter = stream::Filter::include_signals(wanted.refs());
    let deliver = |time, signal, value: wellen::SignalValueRef<'_>| {
        wanted.deliver(time, signal, &value, collector)
    };
    Ok(waves.stream_changes(filter, deliver)?)
}

/// Recognises the format by the first bytes of the file.
fn format_of(path: &Path) -> Result<WaveformFormat, WaveformError> {
    let wrong = |what: &str| Err(WaveformError::new(path, what));
    let failed = |e| WaveformError::new(path, format_args!("cannot be read: {e}"));
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return wrong("is not a regular file: name the waveform that the simulator wrote");
    }
    let (file, mut start) = (File::open(path).map_err(failed)?, Vec::new());
    file.take(1 << 12).read_to_end(&mut start).map_err(failed)?;
    let text = start.strip_prefix(MARK).unwrap_or(&start).trim_ascii_start();
    match start[..] {
        [] => wrong(
            "is empty: the simulation wrote nothing, or did not finish; run it again to the end",
        ),
        _ if start.starts_with(ghw::MAGIC) => Ok(WaveformFormat::Ghw),
        // The first bytes of a header section with its length, or of a compressed wrapper.
        [0, 0, 0, 0, 0, 0, 0, 1, 0x49, ..] | [254, 0, 0, ..] => Ok(WaveformFormat::Fst),
        [0x1f, 0x8b, ..] => wrong("is compressed: decompress it with `gunzip` first"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => wrong("is UTF-16 text: save it as UTF-8"),
        _ if text.starts_with(b"$") => Ok(WaveformFormat::Vcd),
        _ if text.starts_with(b"{") => Ok(WaveformFormat::Trace),
        _ => wrong(
            "is not a waveform: expected VCD, FST, GHW or `drra trace` output; decompress a compressed file first, and \
             convert other formats to VCD or FST",
        ),
    }
}
