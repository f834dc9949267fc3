// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator's list of the files that it read for a model (`__verFiles.dat`).

/// The names in the list. Unlike in the dependencies for make, in which Verilator escapes nothing, they are in quotation
/// marks; newer versions write a hash in front of them.
pub(crate) fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let quoted = line.strip_prefix("S ")?.split_once('"')?.1.strip_suffix('"')?;
        Some(quoted.split_once("\" \"").map_or(quoted, |(_, name)| name))
    })
}
