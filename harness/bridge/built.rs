// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this build was made from: the RTL of this project, or a user's folder with its map; and why a map cannot be
//! used.

use std::path::PathBuf;

use drra_fabric::Location;
use drra_isa::TileId;
use drra_lockstep::DutError;
use drra_recorded::map::MapError;

/// Name of the folder that the model was built from; empty for the RTL of this project.
const FOLDER: &str = env!("DRRA_RTL_NAME");
/// True if this build is for a user's design.
pub(super) const OF_USER: bool = !FOLDER.is_empty();
/// The map of the folder that the model was built from; empty for the RTL of this project.
pub(super) const MAP: &str = include_str!(concat!(env!("OUT_DIR"), "/signals.map"));
/// The map of a user's design, if this build is for one: its file, and its text at build time.
pub const BUILT_MAP: Option<(&str, &str)> =
    if OF_USER { Some((env!("DRRA_RTL_MAP_FILE"), MAP)) } else { None };
/// Environment variable that names another map at run time, so that a map can be tried without a rebuild.
const MAP_VARIABLE: &str = "DRRA_RTL_MAP";

/// A reason why a map cannot be used for a design.
#[derive(Debug, thiserror::Error)]
pub enum MappedError {
    /// The map that should replace the built-in one cannot be read.
    #[error("{MAP_VARIABLE}={map}: {0}", map = map_name())]
    Read(std::io::Error),
    /// The text is not a map, or does not match the names in the model.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A memory is mapped by its write port.
    #[error(
        "{map} reconstructs the memory of {0} from its write port; in lock-step the array itself can be \
             read: map its rows, `tile[R][c].sram[a]`",
        map = map_name()
    )]
    WritePort(TileId),
    /// The map has a register that is late in the design.
    #[error(
        "{map} maps {0} with a positive offset, that is, later than the architecture; in lock-step, later values are not \
             known yet: map the value that the register takes at the next edge (such as `x_d` for `x_q`), or the stage before it, \
             without the offset, or exclude it. With waveforms (drra check), positive offsets work",
        map = map_name()
    )]
    Late(Location),
    /// A memory row is mapped with an offset.
    #[error(
        "{map} compares {0} with an offset; in lock-step, memory rows are compared in their own cycle: for a \
             memory that is written later, take the pending write from its register: VALID & ADDRESS == 7'd{{a}} ? DATA : ROW",
        map = map_name()
    )]
    Row(Location),
    /// The model that the map is bound to cannot be created.
    #[error(transparent)]
    Dut(#[from] DutError),
}

/// The file of the map that this process uses.
pub(super) fn map_name() -> String {
    replacement().map_or_else(|| format!("{FOLDER}/signals.map"), |path| path.display().to_string())
}

/// The map that replaces the one in the folder for this process.
pub(super) fn replacement() -> Option<PathBuf> {
    std::env::var_os(MAP_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}
