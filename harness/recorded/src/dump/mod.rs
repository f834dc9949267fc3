// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dumps: what simulators recorded. VCD and FST are streamed, GHW is read as a whole; the state changes that
//! `drra trace` writes are a dump, too.

mod collect;
mod contain;
mod error;
mod fst;
mod ghw;
mod trace;
mod vcd;
mod waves;

use std::{
    fmt,
    fs::File,
    io::{self, BufReader, Read},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use wellen::{
    SignalRef, WellenError,
    stream::{self, StreamError},
};

use collect::{Collector, Stop};
use contain::contained;
pub use error::DumpError;
use trace::Trace;
use vcd::{Noticed, Watched};
use waves::Wanted;

use crate::{
    Bits,
    names::{Names, SignalId},
};

/// A value as a dump shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Bits; an enumeration of GHW is its position.
    Bits(Bits),
    /// A text: an enumeration of some formats.
    Text(Box<str>),
}

/// The format of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Value change dump, IEEE 1364.
    Vcd,
    /// The compressed format of GTKWave.
    Fst,
    /// The format of GHDL.
    Ghw,
    /// State changes per cycle, as `drra trace` writes them.
    Trace,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Vcd => "VCD",
            Format::Fst => "FST",
            Format::Ghw => "GHW",
            Format::Trace => "a trace of `drra trace`",
        })
    }
}

/// What changed at one time.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The time, in units of the dump.
    pub time: u64,
    /// The signals that got a value, each once: of several values at one time the last.
    pub changes: &'a [(SignalId, Shown)],
}

/// How a dump ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpEnd {
    /// The last time, in units of the dump; that of the last change if reading was broken off.
    pub last_time: u64,
    /// The file ends in the middle of something; of what.
    pub cut: Option<String>,
}

/// A dump that was opened: its names are known.
#[derive(Debug)]
pub struct Dump {
    path: PathBuf,
    format: Format,
    names: Names,
    source: Source,
}

/// How the values are read.
#[derive(Debug)]
enum Source {
    /// Through the reader of waves, which has these names for the signals.
    Waves(Vec<SignalRef>),
    Trace(Trace),
}

impl Dump {
    /// Opens a dump and reads its names. The format is found by its beginning.
    ///
    /// # Errors
    /// If the file cannot be read, is of no known format, or its definitions are damaged.
    pub fn open(path: &Path) -> Result<Self, DumpError> {
        let path = path.to_owned();
        let format = format_of(&path)?;
        let (names, source) = match format {
            Format::Trace => {
                let (trace, names) = Trace::open(&path)?;
                (names, Source::Trace(trace))
            }
            Format::Ghw => {
                let bytes = read(&path, format)?;
                let read = contained(|| {
                    let header =
                        wellen::viewers::read_header(io::Cursor::new(bytes), &waves::options())
                            .map_err(reason)?;
                    waves::names(&header.hierarchy)
                });
                let (names, refs) = flat(read).map_err(|what| damaged(&path, format, what))?;
                (names, Source::Waves(refs))
            }
            Format::Fst => {
                let (names, refs) = stream_names(fst_sections(&path)?)
                    .map_err(|what| damaged(&path, format, what))?;
                (names, Source::Waves(refs))
            }
            Format::Vcd => {
                let (watched, noticed) = watched(&path)?;
                let (names, refs) = stream_names(watched).map_err(|what| {
                    let noticed = noticed.lock().unwrap_or_else(PoisonError::into_inner);
                    damaged(&path, format, noticed.cut.clone().unwrap_or(what))
                })?;
                (names, Source::Waves(refs))
            }
        };
        Ok(Self { path, format, names, source })
    }

    /// The names of its signals.
    pub fn names(&self) -> &Names {
        &self.names
    }

    pub fn format(&self) -> Format {
        self.format
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Delivers the changes of the wanted signals from the beginning on, until `each` breaks. Can be called
    /// any number of times. Memory does not grow with the length of a VCD, a trace, or an FST that is not
    /// packed as a whole.
    ///
    /// # Errors
    /// If the file cannot be read to its end, or its times decrease.
    pub fn play(
        &self,
        wanted: &[SignalId],
        each: &mut dyn FnMut(&Instant<'_>) -> ControlFlow<()>,
    ) -> Result<DumpEnd, DumpError> {
        let mut collector = Collector::new(self.names.all().count(), each);
        let played = match &self.source {
            Source::Trace(trace) => trace.play(&self.path, wanted, &mut collector),
            Source::Waves(refs) => {
                let wanted = Wanted::new(wanted, &self.names, refs);
                match self.format {
                    Format::Ghw => self.play_ghw(&wanted, &mut collector),
                    Format::Vcd => self.play_vcd(&wanted, &mut collector),
                    Format::Fst | Format::Trace => self.play_fst(&wanted, &mut collector),
                }
            }
        };
        let ended = match played {
            Ok(end) => collector.flush().map(|()| end),
            Err(Played::Stopped(stop)) => Err(stop),
            Err(Played::Failed(error)) => return Err(error),
        };
        match ended {
            Ok(end) => Ok(end),
            Err(Stop::Enough) => Ok(DumpEnd { last_time: collector.time(), cut: None }),
            Err(Stop::Backwards { from, to }) => {
                Err(DumpError::Backwards { path: self.path.clone(), from, to })
            }
        }
    }

    fn play_vcd(&self, wanted: &Wanted, collector: &mut Collector<'_>) -> Result<DumpEnd, Played> {
        let (watched, noticed) = watched(&self.path)?;
        let length = size(&self.path)?;
        let whole = watched.limit();
        let played = contained(|| stream_values(watched, wanted, collector));
        let noticed = noticed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, to)) = noticed.backwards {
            return Err(Played::Stopped(Stop::Backwards { from, to }));
        }
        self.finish(played)?;
        let half = || (whole < length).then(|| "the file ends in the middle of a line".to_owned());
        Ok(DumpEnd { last_time: noticed.time, cut: noticed.cut.clone().or_else(half) })
    }

    fn play_fst(&self, wanted: &Wanted, collector: &mut Collector<'_>) -> Result<DumpEnd, Played> {
        let file = fst_sections(&self.path)?;
        let played = contained(|| stream_values(file, wanted, collector));
        self.finish(played)?;
        Ok(DumpEnd { last_time: collector.time(), cut: None })
    }

    fn play_ghw(&self, wanted: &Wanted, collector: &mut Collector<'_>) -> Result<DumpEnd, Played> {
        let bytes = read(&self.path, self.format)?;
        match contained(|| ghw::play(bytes, wanted, collector)) {
            Ok(Ok(last_time)) => Ok(DumpEnd { last_time, cut: None }),
            Ok(Err(ghw::Failure::Stopped(stop))) => Err(Played::Stopped(stop)),
            Ok(Err(ghw::Failure::Damaged(what))) | Err(what) => {
                Err(damaged(&self.path, self.format, what).into())
            }
        }
    }

    fn finish(&self, played: Result<Result<(), StreamError<Stop>>, String>) -> Result<(), Played> {
        let what = match played {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(StreamError::Callback(stop))) => return Err(Played::Stopped(stop)),
            Ok(Err(StreamError::Wellen(error))) => reason(error),
            Err(panic) => panic,
        };
        Err(damaged(&self.path, self.format, what).into())
    }
}

/// Why playing ended before the end of the dump.
enum Played {
    Stopped(Stop),
    Failed(DumpError),
}

impl From<Stop> for Played {
    fn from(stop: Stop) -> Self {
        Played::Stopped(stop)
    }
}

impl From<DumpError> for Played {
    fn from(error: DumpError) -> Self {
        Played::Failed(error)
    }
}

/// An error about the content. What the reader says can repeat bytes of the file: it is kept short, on one
/// line, and without control characters.
fn damaged(path: &Path, format: Format, what: String) -> DumpError {
    const LONGEST: usize = 300;
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let what = what.chars().map(plain).take(LONGEST).collect();
    DumpError::Damaged { path: path.to_owned(), format, what }
}

/// What the reader of waves says, without its own words around it.
fn reason(error: WellenError) -> String {
    match error {
        WellenError::FailedToLoad(_, reason) => reason,
        other => other.to_string(),
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> DumpError {
    let path = path.to_owned();
    move |source| DumpError::Io { path, source }
}

fn open(path: &Path) -> Result<File, DumpError> {
    File::open(path).map_err(failed(path))
}

fn file_from_start(path: &Path) -> Result<BufReader<File>, DumpError> {
    Ok(BufReader::with_capacity(1 << 16, open(path)?))
}

fn size(path: &Path) -> Result<u64, DumpError> {
    Ok(open(path)?.metadata().map_err(failed(path))?.len())
}

/// The bytes of a GHW whose claims are checked.
fn read(path: &Path, format: Format) -> Result<Vec<u8>, DumpError> {
    let bytes = std::fs::read(path).map_err(failed(path))?;
    ghw::check(&bytes).map_err(|what| damaged(path, format, what))?;
    Ok(bytes)
}

/// The checked sections of an FST.
fn fst_sections(path: &Path) -> Result<Box<dyn fst::Sections>, DumpError> {
    let sections = fst::open(file_from_start(path)?).map_err(failed(path))?;
    sections.map_err(|what| damaged(path, Format::Fst, what))
}

type WatchedFile = Watched<BufReader<File>>;

/// The whole lines of a VCD.
fn watched(path: &Path) -> Result<(WatchedFile, Arc<Mutex<Noticed>>), DumpError> {
    let limit = vcd::whole_lines(open(path)?).map_err(failed(path))?;
    Ok(Watched::new(file_from_start(path)?, limit))
}

/// An error of the reader, or its panic.
fn flat<T>(result: Result<Result<T, String>, String>) -> Result<T, String> {
    result.and_then(|inner| inner)
}

fn stream_names<R>(reader: R) -> Result<(Names, Vec<SignalRef>), String>
where
    R: io::BufRead + io::Seek + Send + Sync + 'static,
{
    flat(contained(|| {
        let waves = stream::read(reader, &waves::options()).map_err(reason)?;
        waves::names(waves.hierarchy())
    }))
}

fn stream_values<R>(
    reader: R,
    wanted: &Wanted,
    collector: &mut Collector<'_>,
) -> Result<(), StreamError<Stop>>
where
    R: io::BufRead + io::Seek + Send + Sync + 'static,
{
    let mut waves = stream::read(reader, &waves::options())?;
    let filter = stream::Filter::include_signals(wanted.refs());
    waves.stream_changes(filter, |time, signal, value| {
        wanted.deliver(time, signal, &value, collector)
    })
}

/// The format, by the beginning of the file.
fn format_of(path: &Path) -> Result<Format, DumpError> {
    let metadata = std::fs::metadata(path).map_err(failed(path))?;
    if !metadata.is_file() {
        return Err(DumpError::NotAFile { path: path.to_owned() });
    }
    let mut start = Vec::new();
    open(path)?.take(1 << 12).read_to_end(&mut start).map_err(failed(path))?;
    let text = start.trim_ascii_start();
    match start[..] {
        [] => Err(DumpError::Empty { path: path.to_owned() }),
        _ if start.starts_with(ghw::MAGIC) => Ok(Format::Ghw),
        // A section of a header with its length, or one with everything compressed.
        [0, 0, 0, 0, 0, 0, 0, 1, 0x49, ..] | [254, 0, 0, ..] => Ok(Format::Fst),
        _ if text.starts_with(b"$") => Ok(Format::Vcd),
        _ if text.starts_with(b"{") => Ok(Format::Trace),
        _ => Err(DumpError::Format { path: path.to_owned() }),
    }
}
