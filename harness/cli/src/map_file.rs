// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal map that a command is given.

use std::path::Path;

use drra_recorded::map::MapFile;

use super::error::{CommandError, file};

/// Reads a map.
pub(super) fn read(path: &Path) -> Result<MapFile, CommandError> {
    let text = std::fs::read_to_string(path).map_err(|e| file(path, e, "name a signal map"))?;
    Ok(MapFile::parse(&path.display().to_string(), &text)?)
}
