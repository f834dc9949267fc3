// SPDX-License-Identifier: MIT OR Apache-2.0
//! A source of a waveform that cannot be read twice: standard input, a FIFO, a socket or a device.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use super::error::WaveformError;

/// Reads a source as far as it has arrived, never ahead.
#[derive(Debug)]
pub(super) struct Stream<R = File> {
    inner: BufReader<R>,
    /// The bytes before the values, which are read once for the names and once more when the values are played.
    kept: Vec<u8>,
    /// True until the values are played.
    keeps: bool,
    position: usize,
}

impl Stream {
    /// Opens a source that is not a regular file; returns `None` for a regular file. `-` is standard input, which then
    /// belongs to the stream: the program that writes to it notices when the stream is dropped.
    ///
    /// # Errors
    /// If the source cannot be opened.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, WaveformError> {
        let (failed, input) = (|e| WaveformError::unreadable(path, e), ["-", "/dev/stdin"]);
        let kind =
            (path != Path::new("-")).then(|| fs::metadata(path)).transpose().map_err(failed)?;
        if kind.as_ref().is_some_and(fs::Metadata::is_dir) {
            let what = "is not a regular file: name the waveform that the simulator wrote";
            return Err(WaveformError::new(path, what));
        }
        if kind.is_some_and(|kind| kind.is_file()) {
            return Ok(None);
        }
        let is_input = input.map(Path::new).contains(&path);
        let source = if is_input { standard_input() } else { File::open(path) };
        source.map(|source| Some(Self::new(source))).map_err(failed)
    }
}

impl<R: Read> Stream<R> {
    fn new(source: R) -> Self {
        let inner = BufReader::with_capacity(1 << 16, source);
        Self { inner, kept: Vec::new(), keeps: true, position: 0 }
    }

    /// The stream for its values: what is read from now on is not kept.
    pub(super) fn known(self) -> Self {
        Self { keeps: false, position: 0, ..self }
    }
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(input.into())
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

impl<R: Read> Read for Stream<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Stream<R> {
    #[inline]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position < self.kept.len() {
            return Ok(&self.kept[self.position..]);
        }
        self.inner.fill_buf()
    }

    #[inline]
    fn consume(&mut self, amount: usize) {
        if self.position >= self.kept.len() {
            if self.keeps {
                self.kept.extend_from_slice(&self.inner.buffer()[..amount]);
            }
            self.inner.consume(amount);
        }
        self.position += amount;
    }
}

impl<R: Read> Seek for Stream<R> {
    /// Goes back within the bytes that are kept. The waveform library also goes to the end to query the length, which is
    /// unknown, and returns from there; after the last value it goes to the end of the definitions, but reads no more.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::End(_) => usize::MAX / 2,
            SeekFrom::Start(to) if to <= self.kept.len() as u64 => to as usize,
            SeekFrom::Current(0) => self.position,
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(self.position as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::reader::skip_mark, *};

    /// Delivers one piece for each call, and an interruption before each.
    struct Pieces(Vec<&'static str>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.pop() {
                Some("") => Err(io::ErrorKind::Interrupted.into()),
                piece => piece.unwrap_or_default().as_bytes().read(buffer),
            }
        }
    }

    #[test]
    fn a_stream_is_read_as_it_arrives_and_begins_again_once() {
        let mut stream =
            skip_mark(Stream::new(Pieces(vec!["ef", "", "cd", "", "ab", ""]))).unwrap();
        assert_eq!(stream.by_ref().bytes().next().unwrap().unwrap(), b'a');
        assert_eq!(stream.inner.buffer(), b"b");
        assert_eq!(stream.seek(SeekFrom::End(0)).unwrap(), stream.stream_position().unwrap());
        stream.rewind().unwrap();
        let mut start = [0; 3];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"abc");
        assert!(stream.seek(SeekFrom::Start(4)).is_err());
        let mut stream = stream.known();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        assert_eq!((all.as_str(), stream.kept.as_slice()), ("abcdef", &b"abc"[..]));
    }
}
