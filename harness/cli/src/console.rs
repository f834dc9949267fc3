// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard output and standard error, where a reader that went away changes nothing: a command goes on, and
//! its exit code and its files are those of a run that was read to its end.
//!
//! Names and texts from files go to a terminal or the log of a CI run, which obey control characters. Only colours,
//! line feeds and tabs are passed on; of all others a picture is shown.

use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Standard output of a command that ends with a verdict. What nobody reads any more is dropped.
pub(super) fn stdout() -> impl Write {
    Lasting(io::stdout())
}

/// Prints a line to standard error, if it can be written.
macro_rules! note {
    ($($argument:tt)*) => {
        $crate::console::print_note(format_args!($($argument)*))
    };
}
pub(super) use note;

/// Prints a line to standard error, if it can be written: there is nobody left to tell otherwise.
pub(super) fn print_note(line: std::fmt::Arguments<'_>) {
    let line = format!("{line}\n");
    let _ = anstream::stderr().write_all(&harmless(line.as_bytes()));
}

/// A writer for which a closed pipe is no error.
struct Lasting<W>(W);

impl<W: Write> Write for Lasting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write_all(&harmless(bytes)), ()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

/// A closed pipe takes everything.
fn unless_closed<T>(result: io::Result<T>, all: T) -> io::Result<T> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(all),
        result => result,
    }
}

/// Text with a picture in place of every control character of one byte, but for line feeds, tabs and those of colours.
fn harmless(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().any(|byte| obeyed(*byte)) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while let [byte, behind @ ..] = rest {
        let passed = if obeyed(*byte) { colour(rest) } else { 1 };
        out.extend_from_slice(&rest[..passed]);
        rest = if passed == 0 { behind } else { &rest[passed..] };
        if passed == 0 {
            // U+2400 to U+241F stand for 0x00 to 0x1F, U+2421 for 0x7F.
            let number = if *byte == 0x7f { 0x21 } else { *byte };
            let picture = char::from_u32(0x2400 + u32::from(number)).unwrap_or('?');
            out.extend_from_slice(picture.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Cow::Owned(out)
}

/// A control character that a terminal obeys.
fn obeyed(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\n' && byte != b'\t'
}

/// Length of the sequence that sets a colour (`ESC [ numbers m`) with which the text begins; 0 if it does not.
fn colour(text: &[u8]) -> usize {
    let Some(parameters) = text.strip_prefix(b"\x1b[") else { return 0 };
    let end = parameters.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';');
    end.filter(|end| parameters[*end] == b'm').map_or(0, |end| end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        for (text, shown) in [
            ("a plain line\n\tand another\n", "a plain line\n\tand another\n"),
            (
                "\x1b[1mbold\x1b[0m \x1b[38;5;9mred\x1b[m",
                "\x1b[1mbold\x1b[0m \x1b[38;5;9mred\x1b[m",
            ),
            ("title \x1b]0;x\x07 clear \x1b[2J back\r", "title ␛]0;x␇ clear ␛[2J back␍"),
            ("\x7f\x00\x1b[1", "␡␀␛[1"),
            ("Ä ␛", "Ä ␛"),
        ] {
            assert_eq!(String::from_utf8_lossy(&harmless(text.as_bytes())), shown);
        }
    }

    struct Fails(io::ErrorKind);

    impl Write for Fails {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn only_a_closed_pipe_is_no_error() {
        let mut closed = Lasting(Fails(io::ErrorKind::BrokenPipe));
        assert!(writeln!(closed, "text").is_ok() && closed.flush().is_ok());
        let mut full = Lasting(Fails(io::ErrorKind::StorageFull));
        assert_eq!(writeln!(full, "text").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(full.flush().is_err());
    }
}
