// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator's list of the files that it read for a model (`__verFiles.dat`).

use std::path::{Path, PathBuf};

/// Those files that are outside a folder, wherever a path such as `FOLDER/../ip/mul.sv` or a link leads.
pub(crate) fn outside<'a>(
    folder: &Path,
    files: impl IntoIterator<Item = &'a PathBuf>,
) -> impl Iterator<Item = PathBuf> {
    let whole = files.into_iter().map(|path| path.canonicalize().unwrap_or(path.clone()));
    whole.filter(move |path| !path.starts_with(folder))
}

/// The names in the list. Unlike in the dependencies for make, in which Verilator escapes nothing, they are in quotation
/// marks; newer versions write a hash in front of them.
pub(crate) fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let quoted = line.strip_prefix("S ")?.split_once('"')?.1.strip_suffix('"')?;
        Some(quoted.split_once("\" \"").map_or(quoted, |(_, name)| name))
    })
}
