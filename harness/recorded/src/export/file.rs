// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of an export.

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportFile {
    /// Name of the file, without a folder.
    pub name: &'static str,
    pub text: String,
    /// True if the file is an executable script.
    pub executable: bool,
}
