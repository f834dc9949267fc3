// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches a VCD while it is read: what the reader would pass in silence is noticed here.

use std::{
    io::{self, BufRead, Read, Seek, SeekFrom},
    sync::{Arc, Mutex, PoisonError},
};

/// Where in the text the watch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the end of the definitions.
    Definitions,
    /// In the command that ends the definitions.
    LastDefinition,
    /// In the line that ends the definitions: the reader passes over the rest of it.
    LastLine,
    /// Before a value, a time or a command.
    Values,
    /// Between a value and the identifier it belongs to.
    Identifier,
    /// In a comment.
    Comment,
}

/// What was noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Noticed {
    /// Time went back, from this to that.
    pub(super) backwards: Option<(u64, u64)>,
    /// The file ends in the middle of this.
    pub(super) cut: Option<String>,
    /// The last time.
    pub(super) time: u64,
}

/// Follows the tokens of a VCD.
#[derive(Debug)]
struct Watch {
    place: Place,
    /// The first bytes of the current token; enough for a time and for every command.
    token: [u8; 24],
    length: usize,
    line: u64,
    noticed: Arc<Mutex<Noticed>>,
}

impl Watch {
    fn byte(&mut self, byte: u8) -> io::Result<()> {
        if !byte.is_ascii_whitespace() {
            if let Some(place) = self.token.get_mut(self.length) {
                *place = byte;
            }
            self.length += 1;
            return Ok(());
        }
        if self.length > 0 {
            self.token_ends()?;
            self.length = 0;
        }
        if byte == b'\n' {
            self.line += 1;
            if self.place == Place::LastLine {
                self.place = Place::Values;
            }
        }
        Ok(())
    }

    fn wrong(&self, what: &str) -> io::Error {
        io::Error::other(format!("line {}: {what}", self.line))
    }

    fn token_ends(&mut self) -> io::Result<()> {
        let token = &self.token[..self.length.min(self.token.len())];
        self.place = match (self.place, token) {
            (Place::Definitions, b"$enddefinitions") => Place::LastDefinition,
            (Place::LastDefinition, b"$end") => Place::LastLine,
            (Place::LastLine, _) => {
                return Err(self.wrong("there is more in the line that ends the definitions"));
            }
            (Place::Comment, b"$end") => Place::Values,
            (place @ (Place::Definitions | Place::LastDefinition | Place::Comment), _) => place,
            (Place::Identifier, _) => Place::Values,
            (Place::Values, b"$comment") => Place::Comment,
            (Place::Values, [b'b' | b'B' | b'r' | b'R' | b's' | b'S', ..]) => Place::Identifier,
            (Place::Values, [b'#', digits @ ..]) => {
                let time = time(digits).ok_or_else(|| self.wrong("there is no time after `#`"))?;
                let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
                if time < noticed.time {
                    noticed.backwards = Some((noticed.time, time));
                    return Err(io::Error::other("time goes back"));
                }
                noticed.time = time;
                Place::Values
            }
            (Place::Values, _) => Place::Values,
        };
        Ok(())
    }

    fn end(&self) {
        let what = match self.place {
            Place::Definitions | Place::LastDefinition | Place::LastLine => "the definitions",
            Place::Comment => "a comment",
            Place::Identifier => "a value",
            Place::Values => return,
        };
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        noticed.cut = Some(format!("the file ends in the middle of {what} (line {})", self.line));
    }
}

/// A time as the reader understands it: some simulators write one without a fraction as a real number.
fn time(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    // Up to here every integer has a real number of its own.
    const EXACT: f64 = (1_u64 << 53) as f64;
    let real = || text.parse::<f64>().ok().filter(|t| t.fract() == 0.0 && (0.0..EXACT).contains(t));
    text.parse().ok().or_else(|| real().map(|t| t as u64))
}

/// The bytes of a file up to the end of its last whole line: half a line is a wrong value.
///
/// # Errors
/// If reading fails.
pub(super) fn whole_lines(mut file: impl Read + Seek) -> io::Result<u64> {
    const CHUNK: u64 = 1 << 16;
    let mut end = file.seek(SeekFrom::End(0))?;
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(start))?;
        let mut chunk = Vec::new();
        (&mut file).take(end - start).read_to_end(&mut chunk)?;
        if let Some(last) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + last as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Passes a VCD on and watches it.
pub(super) struct Watched<R> {
    inner: R,
    position: u64,
    /// Nothing is read from here on.
    limit: u64,
    watch: Watch,
}

impl<R> Watched<R> {
    /// The end of what is read.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Watches the first `limit` bytes of `inner`; what is noticed is in the second value.
    pub(super) fn new(inner: R, limit: u64) -> (Self, Arc<Mutex<Noticed>>) {
        let noticed = Arc::new(Mutex::new(Noticed::default()));
        let watch = Watch {
            place: Place::Definitions,
            token: [0; 24],
            length: 0,
            line: 1,
            noticed: Arc::clone(&noticed),
        };
        (Self { inner, position: 0, limit, watch }, noticed)
    }
}

impl<R: BufRead> Read for Watched<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.limit - self.position;
        // What is beyond the size of memory is beyond the buffer.
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most])?;
        if read == 0 && !buffer.is_empty() {
            self.watch.end();
        }
        for &byte in &buffer[..read] {
            self.watch.byte(byte)?;
        }
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Watched<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = usize::try_from(self.limit - self.position).unwrap_or(usize::MAX);
        let bytes = self.inner.fill_buf()?;
        Ok(&bytes[..bytes.len().min(left)])
    }

    fn consume(&mut self, amount: usize) {
        self.position += amount as u64;
        self.inner.consume(amount);
    }
}

impl<R: BufRead + Seek> Seek for Watched<R> {
    /// Back to the beginning, the watch begins anew; the reader asks for the length and comes back, too.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::End(0) => SeekFrom::Start(self.limit),
            SeekFrom::Current(0) => return Ok(self.position),
            other => other,
        };
        self.position = self.inner.seek(to)?.min(self.limit);
        if self.position == 0 {
            self.watch.place = Place::Definitions;
            self.watch.length = 0;
            self.watch.line = 1;
            *self.watch.noticed.lock().unwrap_or_else(PoisonError::into_inner) = Noticed::default();
        }
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const HEAD: &str = "$var wire 4 ! x $end\n$enddefinitions $end\n";

    #[track_caller]
    fn check(text: &str, backwards: Option<(u64, u64)>, cut: Option<&str>) {
        let limit = text.len() as u64;
        let (mut watched, noticed) = Watched::new(Cursor::new(text.to_owned()), limit);
        let result = watched.read_to_end(&mut Vec::new());
        assert_eq!(result.is_err(), backwards.is_some(), "{text:?}");
        let noticed = noticed.lock().unwrap();
        assert_eq!(noticed.backwards, backwards, "{text:?}");
        let found = noticed.cut.as_deref();
        assert!(found.is_some() == cut.is_some(), "{text:?}: {found:?}");
        if let (Some(found), Some(cut)) = (found, cut) {
            assert!(found.contains(cut), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn whole_and_cut_files() {
        check(&format!("{HEAD}#0\n$dumpvars\nb0101 !\n$end\n#5\n1\"\n"), None, None);
        check(&HEAD[..21], None, Some("definitions"));
        check(&HEAD[..37], None, Some("definitions"));
        check(&format!("{HEAD}#0\nb01\n"), None, Some("a value (line 5)"));
        check(&format!("{HEAD}$comment b01\n"), None, Some("a comment"));
    }

    #[test]
    fn the_last_whole_line() {
        for (text, expected) in [("", 0), ("ab", 0), ("ab\n", 3), ("ab\ncd", 3)] {
            assert_eq!(whole_lines(Cursor::new(text)).unwrap(), expected, "{text:?}");
        }
        let long = format!("a\n{}", "b".repeat(100_000));
        assert_eq!(whole_lines(Cursor::new(long)).unwrap(), 2);
    }

    #[test]
    fn nothing_is_read_beyond_the_limit() {
        let (mut watched, _) = Watched::new(Cursor::new("ab\ncd"), 3);
        let mut text = String::new();
        watched.read_to_string(&mut text).unwrap();
        assert_eq!(text, "ab\n");
        assert_eq!(watched.seek(SeekFrom::End(0)).unwrap(), 3);
    }

    #[test]
    fn time_must_not_go_back() {
        check(&format!("{HEAD}#7\n1!\n#7\n0!\n#6\n1!\n"), Some((7, 6)), None);
        check(&format!("{HEAD}#7\nb1 #6 $comment #3 $end\n#8\n"), None, None);
        check(&format!("{HEAD}#7e1\n1!\n#69\n0!\n"), Some((70, 69)), None);
    }

    /// What the reader would pass over or read as something else is an error.
    #[test]
    fn no_silence() {
        for (text, what) in [
            (format!("{HEAD}#7\n1!\n#seven\n0!\n"), "line 5: there is no time"),
            (format!("{HEAD}#-7\n1!\n"), "line 3: there is no time"),
            (format!("{HEAD}#1.5\n1!\n"), "line 3: there is no time"),
            (format!("{} #0\n1!\n", HEAD.trim_end()), "line 2: there is more"),
        ] {
            let limit = text.len() as u64;
            let (mut watched, _) = Watched::new(Cursor::new(text.clone()), limit);
            let error = watched.read_to_end(&mut Vec::new()).unwrap_err().to_string();
            assert!(error.contains(what), "{text:?}: {error}");
        }
    }
}
