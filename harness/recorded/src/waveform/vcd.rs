// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches a VCD while it is read, and detects errors that the reader would silently ignore. Variables of 0 bits, whose
//! values are text in the files of some simulators, are passed on as text.

use std::{
    collections::HashSet,
    io::{self, BufRead, Cursor, Read, Seek, SeekFrom},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{error::Damage, reader::skip_mark};

/// The current position in the syntax.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VcdPosition {
    /// Before the end of the definitions.
    Definitions,
    /// Before the type of a variable.
    VariableType,
    /// Between the type `port` of a variable and its width.
    PortWidth,
    /// In the command that ends the definitions.
    LastDefinition,
    /// In the line that ends the definitions; the reader ignores the rest of it.
    LastLine,
    /// Before a value, a time or a command.
    Values,
    /// Between a value and the identifier to which the value belongs.
    Identifier,
    /// After a line that ends with a value instead of its identifier.
    NoIdentifier,
    /// In a comment.
    Comment,
}

/// The detected problems.
#[derive(Clone, Debug, Default)]
pub(super) struct VcdProblems {
    /// The reason reading stopped; the library does not pass it on.
    pub(super) damage: Option<Damage>,
    /// The place where the file ends, if it is truncated.
    pub(super) cut: Option<String>,
    /// The last time.
    pub(super) time: u64,
}

/// The problems of a file, for its reader.
pub(super) type SharedProblems = Arc<Mutex<VcdProblems>>;

/// Called with each time when all that was read before has been processed.
pub(super) type OnTime<'a> = &'a dyn Fn(u64) -> io::Result<()>;

/// Passes a VCD on and tracks its tokens.
pub(super) struct TokenTracker<'a, R> {
    inner: R,
    place: VcdPosition,
    /// The first bytes of the current token, enough for a time and for every command.
    token: [u8; 24],
    length: usize,
    line: u64,
    /// The last byte.
    last: u8,
    /// Identifiers of the variables of 0 bits.
    texts: HashSet<Vec<u8>>,
    /// A line that may have been changed.
    held: Cursor<Vec<u8>>,
    problems: SharedProblems,
    /// The time that was passed on last, until `on_time` is called.
    time: Option<u64>,
    on_time: OnTime<'a>,
}

impl<'a, R> TokenTracker<'a, R> {
    pub(super) fn new(inner: R, problems: &SharedProblems, on_time: OnTime<'a>) -> Self {
        let (place, texts, held) = (VcdPosition::Definitions, HashSet::new(), Cursor::default());
        let (token, last) = ([0; 24], b'\n');
        let (length, line, time, problems) = (0, 1, None, Arc::clone(problems));
        Self { inner, place, token, length, line, last, texts, held, problems, time, on_time }
    }

    fn problems(&self) -> MutexGuard<'_, VcdProblems> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn byte(&mut self, byte: u8) -> io::Result<()> {
        self.last = byte;
        if !byte.is_ascii_whitespace() {
            if let Some(place) = self.token.get_mut(self.length) {
                *place = byte;
            }
            self.length += 1;
            return Ok(());
        }
        if self.length > 0 {
            if let Err(damage) = self.token_ends() {
                self.problems().damage = Some(damage);
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.length = 0;
        }
        if byte == b'\n' {
            self.line += 1;
            self.place = match self.place {
                VcdPosition::LastLine => VcdPosition::Values,
                VcdPosition::Identifier => VcdPosition::NoIdentifier,
                place => place,
            };
        }
        Ok(())
    }

    fn token_ends(&mut self) -> Result<(), Damage> {
        let wrong =
            |what: &str, remedy| Err(Damage::new(format!("line {}: {what}", self.line), remedy));
        let no_identifier = |place| {
            wrong(
                &format!("the value {place} has no identifier"),
                "write each value and its identifier on one line, or write FST instead",
            )
        };
        let token = &self.token[..self.length.min(self.token.len())];
        self.place = match (self.place, token) {
            (VcdPosition::Definitions, b"$enddefinitions") => VcdPosition::LastDefinition,
            (VcdPosition::LastDefinition, b"$end") => VcdPosition::LastLine,
            (VcdPosition::LastLine, _) => {
                return wrong(
                    "unexpected text after `$enddefinitions $end` on the same line",
                    "begin a new line there",
                );
            }
            (VcdPosition::Definitions, b"$var") => VcdPosition::VariableType,
            (VcdPosition::VariableType, b"port") => VcdPosition::PortWidth,
            (VcdPosition::PortWidth, [b'[', ..])
            | (VcdPosition::Values, [b'p', ..] | [b'$', b'd', b'u', b'm', b'p', b'p', ..]) => {
                return wrong(
                    "this is an extended VCD (EVCD), as `$dumpports` writes it",
                    "use `$dumpvars` instead of `$dumpports`",
                );
            }
            (VcdPosition::VariableType | VcdPosition::PortWidth, _) => VcdPosition::Definitions,
            (VcdPosition::NoIdentifier, _) => return no_identifier("before this line"),
            (VcdPosition::Values, [bit]) if b"01xXzZuUwWlLhH-".contains(bit) => {
                return no_identifier("in this line");
            }
            (VcdPosition::Comment, b"$end") | (VcdPosition::Identifier, _) => VcdPosition::Values,
            (VcdPosition::Values, b"$comment") => VcdPosition::Comment,
            (VcdPosition::Values, [b'b' | b'B' | b'r' | b'R' | b's' | b'S', ..]) => {
                VcdPosition::Identifier
            }
            (VcdPosition::Values, [b'#', digits @ ..]) => {
                let Some(time) = time(digits) else {
                    return wrong("expected a time after `#`", "write times as positive integers");
                };
                self.time = Some(time);
                let mut problems = self.problems();
                if time < problems.time {
                    return Err(Damage::backwards(problems.time, time));
                }
                problems.time = time;
                VcdPosition::Values
            }
            (place, _) => place,
        };
        Ok(())
    }

    /// Called at the end of the file. The reader must not mistake half a value for a complete value.
    fn end(&self) -> io::Result<()> {
        let (line, half) = (self.line, self.last != b'\n');
        let what = match self.place {
            VcdPosition::Definitions
            | VcdPosition::VariableType
            | VcdPosition::PortWidth
            | VcdPosition::LastDefinition
            | VcdPosition::LastLine => {
                format!("the definitions (line {line})")
            }
            _ if half => "a line".to_owned(),
            VcdPosition::Comment => format!("a comment (line {line})"),
            VcdPosition::Identifier | VcdPosition::NoIdentifier => {
                format!("a value (line {line})")
            }
            VcdPosition::Values => return Ok(()),
        };
        self.problems().cut = Some(format!("the file ends in the middle of {what}"));
        if half { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// A time as the reader understands it: some simulators write integers as real numbers.
fn time(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    // Up to this value, every integer is exactly representable.
    const EXACT: f64 = (1_u64 << 53) as f64;
    let real = || text.parse::<f64>().ok().filter(|t| t.fract() == 0.0 && (0.0..EXACT).contains(t));
    text.parse().ok().or_else(|| real().map(|t| t as u64))
}

impl<R: BufRead> TokenTracker<'_, R> {
    /// Holds the rest of a line: a variable of 0 bits becomes text, and a value of it that is not text becomes blank.
    fn hold(&mut self) -> io::Result<()> {
        let (mut line, is_definition) = (Vec::new(), self.place == VcdPosition::VariableType);
        self.inner.read_until(b'\n', &mut line)?;
        line.iter().try_for_each(|byte| self.byte(*byte))?;
        let words: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        match words[..] {
            [b"wire" | b"reg" | b"logic", b"0", id, ..] if is_definition => {
                self.texts.insert(id.to_vec());
                line = [b"string ", &words[1..].join(&b' ')[..], b"\n"].concat();
            }
            [[b's' | b'S', ..], _] | [[b'#' | b'$', ..], ..] => {}
            [[_, id @ ..]] | [_, id] if self.texts.contains(id) => line.fill(b' '),
            _ => {}
        }
        self.held = Cursor::new(line);
        Ok(())
    }
}

impl<R: BufRead> Read for TokenTracker<'_, R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut held = self.held.read(buffer)?;
        let time = self.time.take_if(|_| held == 0);
        time.map_or(Ok(()), self.on_time)?;
        let is_value = || self.place == VcdPosition::Values && self.length == 0;
        if held == 0
            && (self.place == VcdPosition::VariableType || !self.texts.is_empty() && is_value())
        {
            self.hold()?;
            held = self.held.read(buffer)?;
        }
        if held > 0 {
            return Ok(held);
        }
        let read = self.inner.read(buffer)?;
        if read == 0 && !buffer.is_empty() {
            self.end()?;
        }
        buffer[..read].iter().try_for_each(|byte| self.byte(*byte))?;
        Ok(read)
    }
}

/// Required by the reader. Nothing is watched here, because the reader gets its bytes from `read`, one by one.
impl<R: BufRead> BufRead for TokenTracker<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

impl<R: BufRead + Seek> Seek for TokenTracker<'_, R> {
    /// Restarts tracking when the reader seeks back to the beginning; the reader also seeks to query the length.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.inner.seek(to)?;
        if position == 0 {
            (self.place, self.length, self.line) = (VcdPosition::Definitions, 0, 1);
            (self.texts, self.held) = Default::default();
            *self.problems() = VcdProblems::default();
            skip_mark(&mut self.inner)?;
        }
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const HEAD: &str = "$var wire 4 ! x $end\n$enddefinitions $end\n";

    /// The result of reading a text, and the detected problems.
    fn read(text: &str) -> (io::Result<usize>, VcdProblems) {
        let problems = Arc::default();
        let mut watched = TokenTracker::new(Cursor::new(text.to_owned()), &problems, &|_| Ok(()));
        let result = watched.read_to_end(&mut Vec::new());
        let problems = problems.lock().unwrap().clone();
        (result, problems)
    }

    #[track_caller]
    fn check(text: &str, damage: Option<&str>, cut: Option<&str>) {
        let (result, problems) = read(text);
        let half = cut.is_some() && !text.ends_with('\n');
        assert_eq!(result.is_err(), damage.is_some() || half, "{text:?}");
        let what = problems.damage.map(|damage| damage.what).unwrap_or_default();
        assert!(what.is_empty() == damage.is_none(), "{text:?}: {what}");
        assert!(what.contains(damage.unwrap_or_default()), "{text:?}: {what}");
        let found = problems.cut.unwrap_or_default();
        assert!(found.is_empty() == cut.is_none(), "{text:?}: {found}");
        assert!(found.contains(cut.unwrap_or_default()), "{text:?}: {found}");
    }

    /// Half a line is reported to the reader as an error, because the reader would treat it as a complete line.
    #[test]
    fn whole_and_cut_files() {
        check(&format!("{HEAD}#0\n$dumpvars\nb0101 !\n$end\n#5\n1\"\n"), None, None);
        check(&HEAD[..21], None, Some("definitions"));
        check(&HEAD[..37], None, Some("definitions"));
        check(&format!("{HEAD}#0\nb01\n"), None, Some("a value (line 5)"));
        check(&format!("{HEAD}$comment b01\n"), None, Some("a comment"));
        for text in ["#0\nb01 ", "#0\nb01 !", "#0\n1", "#12"] {
            let cut = "the file ends in the middle of a line";
            check(&format!("{HEAD}{text}"), None, Some(cut));
        }
    }

    #[test]
    fn time_must_not_go_back() {
        check(&format!("{HEAD}#7\n1!\n#7\n0!\n#6\n1!\n"), Some("from 7 to 6;"), None);
        check(&format!("{HEAD}#7\nb1 #6 $comment #3 $end\n#8\n"), None, None);
        check(&format!("{HEAD}#7e1\n1!\n#69\n0!\n"), Some("from 70 to 69;"), None);
    }

    /// Text that the reader would skip or misread is an error.
    #[test]
    fn no_silence() {
        let port = |width| format!("$var port {width} ! x $end\n");
        for (text, what) in [
            (format!("{HEAD}#7\nb0101\n#9\n1!\n"), "line 5: the value before this line"),
            (format!("{HEAD}#7\nbx \n\n$end\n"), "line 6: the value before this line"),
            (format!("{HEAD}#7\n1\n#9\n1!\n"), "line 4: the value in this line"),
            (format!("{}{HEAD}", port("[3:0]")), "line 1: this is an extended VCD"),
            (format!("{}{HEAD}#7\n$dumpports\n", port("1")), "line 5: this is an extended VCD"),
            (format!("{}{HEAD}#7\npU 0 6 !\n", port("1")), "line 5: this is an extended VCD"),
            (format!("{HEAD}#7\n1!\n#seven\n0!\n"), "line 5: expected a time"),
            (format!("{HEAD}#-7\n1!\n"), "line 3: expected a time"),
            (format!("{HEAD}#1.5\n1!\n"), "line 3: expected a time"),
            (format!("{} #0\n1!\n", HEAD.trim_end()), "line 2: unexpected text"),
        ] {
            check(&text, Some(what), None);
        }
        // The name of a module or of a signal is not the type of a port.
        let names = "$scope module port $end\n$var wire 4 \" port [3:0] $end\n";
        check(&format!("{}{names}{HEAD}#7\nb1 p\n1p\ns !\n", port("4")), None, None);
    }
}
