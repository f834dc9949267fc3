// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard output and standard error. If the reader has closed the pipe, a command continues and produces the same
//! exit code and files.
//!
//! All output except workflow commands and traces passes through [`shown::lines`], because it contains names and texts
//! from files.

use std::{
    fmt::Arguments,
    io::{self, Write},
};

use drra_report::shown;

/// Standard output. After the pipe is closed, output is dropped.
pub(super) fn stdout() -> impl Write {
    PipeWriter(io::stdout())
}

/// Prints a workflow command for the CI system.
pub(super) fn command(line: &str) -> io::Result<()> {
    unless_closed(writeln!(io::stdout(), "{line}"), ())
}

/// Prints a line to standard output.
macro_rules! say {
    ($($argument:tt)*) => {
        $crate::console::print_line(format_args!($($argument)*))
    };
}
pub(crate) use say;

/// Prints a line to standard output.
pub(super) fn print_line(line: Arguments<'_>) -> io::Result<()> {
    writeln!(stdout(), "{line}")
}

/// Prints a line to standard error, if it can be written.
macro_rules! note {
    ($($argument:tt)*) => {
        $crate::console::print_note(format_args!($($argument)*))
    };
}
pub(crate) use note;

/// Prints a line to standard error, if it can be written.
pub(super) fn print_note(line: Arguments<'_>) {
    let line = shown::lines(&format!("{line}\n"));
    let _ = anstream::stderr().write_all(line.as_bytes());
}

/// A writer for which a closed pipe is not an error.
struct PipeWriter<W>(W);

impl<W: Write> Write for PipeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = shown::lines(&String::from_utf8_lossy(bytes));
        unless_closed(self.0.write_all(text.as_bytes()), ()).map(|()| bytes.len())
    }

    /// Writes the text in one piece, so that the beginning of each line is known.
    fn write_fmt(&mut self, text: Arguments<'_>) -> io::Result<()> {
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

/// Treats a closed pipe as success.
fn unless_closed<T>(result: io::Result<T>, all: T) -> io::Result<T> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(all),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FailingWriter(io::ErrorKind);

    impl Write for FailingWriter {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn only_a_closed_pipe_is_not_an_error() {
        let mut closed = PipeWriter(FailingWriter(io::ErrorKind::BrokenPipe));
        assert!(writeln!(closed, "text").is_ok() && closed.flush().is_ok());
        let mut full = PipeWriter(FailingWriter(io::ErrorKind::StorageFull));
        assert_eq!(writeln!(full, "text").unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(full.flush().is_err());
    }
}
