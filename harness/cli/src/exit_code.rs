// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the exit code of the process means.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Everything was done and both sides agreed.
    Agreed = 0,
    /// A mismatch was found.
    Mismatch = 1,
    /// Bad input or usage.
    BadInput = 2,
    /// The tool itself failed.
    ToolFailure = 3,
    /// A signal ended a campaign early; what it compared until then agreed.
    Interrupted = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
