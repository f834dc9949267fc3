// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms recorded by simulators, which are streamed. The state changes written by `drra trace` are also a waveform.
//! All formats but FST can also come from a pipe, while the simulator writes.

mod collect;
mod contain;
mod error;
mod fst;
mod ghw;
mod ghw_input;
mod ghw_types;
mod reader;
mod shown;
mod stream;
mod trace;
mod vcd;
mod vectors;
mod waves;

use std::{
    cell::{Cell, RefCell},
    fs::File,
    io::{self, BufReader, ErrorKind, Read, Seek},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use wellen::{SignalRef, stream::StreamingWaveform, viewers};

pub(crate) use collect::SignalChanges;
use collect::{ChangeCollector, StopReason};
use contain::{contained, quiet};
pub use error::WaveformError;
use error::{Damage, RERUN};
use reader::{WaveformInput, WaveformReader, skip_mark};
pub use shown::{TimeStep, WaveformFormat, WaveformValue};
use stream::Stream;
use trace::Trace;
use vcd::{OnTime, SharedProblems, TokenTracker, VcdProblems};
pub use vectors::Vectors;
use waves::WantedSignals;

use crate::names::{SignalHandle, SignalNames};

/// An open waveform, whose names are known.
#[derive(Debug)]
pub struct Waveform {
    path: PathBuf,
    format: WaveformFormat,
    names: Arc<SignalNames>,
    values: ValueReader,
    /// True if the source is not a regular file.
    is_stream: bool,
    /// The stream, until it is played.
    stream: Mutex<Option<Stream>>,
}

/// The reader of the values.
#[derive(Debug)]
enum ValueReader {
    /// By the waveform library, which has these references for the signals.
    Waves(Vec<SignalRef>),
    Ghw,
    Trace(Trace),
}

impl Waveform {
    /// Opens a waveform and reads its names. The format is recognised by the first bytes. `-` is standard input. From
    /// standard input, a FIFO, a socket or a device, only the definitions are read, as soon as they arrive.
    ///
    /// # Errors
    /// If the file cannot be read or has an unknown format, or if damage is found in its definitions or, for FST, in any
    /// section.
    pub fn open(path: &Path) -> Result<Self, WaveformError> {
        let (path, mut stream) = (path.to_owned(), Stream::open(path)?);
        let (problems, is_stream) = (SharedProblems::default(), stream.is_some());
        let start = input(&path, stream.as_mut()).and_then(first_bytes);
        let format =
            format_of(&path, &start.map_err(|e| WaveformError::unreadable(&path, e))?, is_stream)?;
        let read = reader(&path, stream.as_mut(), format, &problems, &|_| Ok(()));
        let read = read.and_then(|reader| match format {
            WaveformFormat::Trace => {
                Trace::open(reader).map(|(trace, names)| (names, ValueReader::Trace(trace)))
            }
            WaveformFormat::Ghw => ghw::names(reader).map(|names| (names, ValueReader::Ghw)),
            WaveformFormat::Vcd | WaveformFormat::Fst => {
                names(reader).map(|(names, refs)| (names, ValueReader::Waves(refs)))
            }
        });
        match read {
            Ok((names, values)) => {
                let (names, stream) = (Arc::new(names), Mutex::new(stream.map(Stream::known)));
                Ok(Self { path, format, names, values, is_stream, stream })
            }
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

    /// True if the source is not a regular file, so that it can be played only once.
    pub fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// Delivers the changes of the wanted signals from the beginning until `each` breaks. Can be called any number of
    /// times for a regular file, and once for a stream, which is then closed; from a stream, the changes at one time
    /// are delivered as soon as the next time is read. Memory use does not grow with the length of the file, except
    /// for an FST that is packed as a whole. Returns the place where the file ends, if it was read to its end and is
    /// truncated.
    ///
    /// # Errors
    /// If the file cannot be read to its end, if its times decrease, or if a stream is played again.
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
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        if self.is_stream && stream.is_none() {
            let what = "is a stream, which can be played only once: write it to a file";
            return Err(WaveformError::new(&self.path, what));
        }
        let played = self.play_values(stream.as_mut(), wanted, &mut collector);
        match played.and_then(|cut| collector.flush().map(|()| cut)) {
            Ok(cut) => Ok(cut),
            Err(StopReason::Enough) => Ok(None),
            Err(stop) => Err(WaveformError::stopped(&self.path, self.format, stop)),
        }
    }

    fn play_values(
        &self,
        stream: Option<&mut Stream>,
        wanted: &[SignalHandle],
        to: &mut ChangeCollector<'_>,
    ) -> Result<Option<String>, StopReason> {
        let (problems, to, stopped) =
            (SharedProblems::default(), RefCell::new(to), Cell::new(None));
        let on_time = |time| {
            to.borrow_mut().advance(time).map_err(|stop| {
                stopped.set(Some(stop));
                ErrorKind::Other.into()
            })
        };
        let reader = reader(&self.path, stream, self.format, &problems, &on_time)?;
        let refs = match &self.values {
            ValueReader::Trace(trace) => return trace.play(reader, wanted, &mut to.borrow_mut()),
            ValueReader::Ghw => {
                return ghw::play(reader, wanted, &mut to.borrow_mut()).map(|()| None);
            }
            ValueReader::Waves(refs) => refs,
        };
        let wanted = &WantedSignals::new(wanted, &self.names, refs);
        let played = contained(|| values(reader, wanted, &to));
        let played = stopped.take().map_or(played, Err);
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

fn so_far(problems: &SharedProblems) -> VcdProblems {
    problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The bytes of a source from its beginning, after a byte order mark.
fn input<'a>(path: &Path, stream: Option<&'a mut Stream>) -> io::Result<WaveformReader<'a>> {
    Ok(match stream {
        None => Box::new(skip_mark(BufReader::with_capacity(1 << 16, File::open(path)?))?),
        Some(stream) => {
            stream.rewind()?;
            Box::new(skip_mark(stream)?)
        }
    })
}

/// Opens a source for its reader, from its beginning. An FST is checked first; a VCD is checked while it is read.
fn reader<'a>(
    path: &Path,
    stream: Option<&'a mut Stream>,
    format: WaveformFormat,
    problems: &SharedProblems,
    on_time: OnTime<'a>,
) -> Result<WaveformReader<'a>, StopReason> {
    let input = input(path, stream)?;
    match format {
        WaveformFormat::Vcd => Ok(Box::new(TokenTracker::new(input, problems, on_time))),
        WaveformFormat::Fst => fst::open(input),
        WaveformFormat::Ghw | WaveformFormat::Trace => Ok(input),
    }
}

/// Reads the definitions through the library.
fn definitions<R: WaveformInput>(reader: R) -> Result<StreamingWaveform<R>, StopReason> {
    Ok(quiet(|| viewers::read_header(reader, &waves::options()))?.into())
}

/// The names of the signals, and the library's reference for each.
fn names(reader: WaveformReader<'_>) -> Result<(SignalNames, Vec<SignalRef>), StopReason> {
    contained(|| {
        let (mut names, refs) = waves::names(definitions(reader)?.hierarchy())?;
        names.join();
        Ok((names, refs))
    })
}

/// Streams values through the library.
fn values(
    reader: WaveformReader<'_>,
    wanted: &WantedSignals,
    collector: &RefCell<&mut ChangeCollector<'_>>,
) -> Result<(), StopReason> {
    let deliver = |time, signal, value: wellen::SignalValueRef<'_>| {
        wanted.deliver(time, signal, &value, &mut collector.borrow_mut())
    };
    let filter = wellen::stream::Filter::include_signals(wanted.refs());
    Ok(definitions(reader)?.stream_changes(filter, deliver)?)
}

/// The first bytes: as many as show the format, because a simulator may not have written more yet.
fn first_bytes(input: WaveformReader<'_>) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    for byte in input.bytes() {
        start.push(byte?);
        if start.len() == 1 << 12 || start.trim_ascii_start().len() == ghw_input::MAGIC.len() {
            break;
        }
    }
    Ok(start)
}

/// Recognises the format by the first bytes after a byte order mark.
fn format_of(path: &Path, start: &[u8], is_stream: bool) -> Result<WaveformFormat, WaveformError> {
    let wrong = |what: &str| Err(WaveformError::new(path, what));
    let text = start.trim_ascii_start();
    match start[..] {
        [] => wrong(
            "is empty: the simulation wrote nothing, or did not finish; run it again to the end",
        ),
        _ if start.starts_with(ghw_input::MAGIC) => Ok(WaveformFormat::Ghw),
        // The first bytes of a header section with its length, or of a compressed wrapper.
        [0, 0, 0, 0, 0, 0, 0, 1, 0x49, ..] | [254, 0, 0, ..] if is_stream => wrong(
            "is FST from a pipe, whose names come last: write VCD or GHW to the pipe, or check the finished file",
        ),
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
