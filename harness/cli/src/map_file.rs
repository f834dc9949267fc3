// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal map that a command is given.

use std::path::Path;

use drra_recorded::map::MapFile;

use super::error::{CommandError, file};

/// What a person who uses a map can read about its form.
pub(super) const SCHEMA: &str = "harness/recorded/map.schema.json tells what a map is made of";
/// What a person who writes a map can read about its form.
pub(super) const GUIDE: &str = "the format is described in harness/guide/signal-map.md";

/// Reads a map; `remedy` helps if the text is none.
pub(super) fn read(path: &Path, remedy: &str) -> Result<MapFile, CommandError> {
    let text = std::fs::read_to_string(path).map_err(|e| file(path, e, "name a signal map"))?;
    MapFile::parse(&text).map_err(|e| file(path, e, remedy))
}
