// SPDX-License-Identifier: MIT OR Apache-2.0
//! The contents of a build, models of this project's RTL or of a user's folder with its map, and the reasons why a map
//! cannot be used.

use std::{path::PathBuf, sync::OnceLock};

use drra_case::ReadError;
use drra_fabric::Location;
use drra_isa::{Geometry, TileId};
use drra_lockstep::{DesignFingerprint, DutError};
use drra_recorded::map::MapError;

use crate::plusargs::{self, PlusargError};

/// The models that the build script of the root package has compiled.
#[derive(Debug)]
pub struct BuiltModels {
    /// The sizes of the models, in the order in which C++ numbers them; the first one is the default.
    pub sizes: &'static [Geometry],
    /// The design of a user; `None` for the RTL of this project.
    pub user_design: Option<UserDesign>,
    /// The version of Verilator, and the folder of a user's design.
    pub simulator: &'static str,
    /// Digests of the RTL and of the models.
    pub fingerprint: DesignFingerprint,
    /// True if the models can write waves of all their signals.
    pub writes_waves: bool,
    /// True if the models count lines, branches and toggles.
    pub counts_coverage: bool,
}

/// A user's design.
#[derive(Debug)]
pub struct UserDesign {
    /// Name of its folder.
    pub folder: &'static str,
    /// The file of its map, and the text of the map at build time.
    pub map: (&'static str, &'static str),
}

/// Environment variable that names another map at run time, so that a map can be tried without a rebuild.
const MAP_VARIABLE: &str = "DRRA_RTL_MAP";

/// A reason why a map cannot be used for a design. `map` is the name of its file.
#[derive(Debug, thiserror::Error)]
pub enum MappedDesignError {
    /// The map that should replace the built-in one cannot be read.
    #[error("{MAP_VARIABLE}={map}: {source}")]
    Read {
        /// The map.
        map: String,
        /// The reason.
        source: ReadError,
    },
    /// The text is not a map, or does not match the names in the model.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A memory is mapped by its write port.
    #[error(
        "{map} reconstructs the memory of {tile} from its write port; in lock-step the array itself can be \
             read: map its rows, `tile[R][c].sram[a]`"
    )]
    WritePort {
        /// The map.
        map: String,
        /// The tile of the memory.
        tile: TileId,
    },
    /// The map has a register that is late in the design.
    #[error(
        "{map} maps {register} with a positive offset, that is, later than the architecture; in lock-step, later values are not \
             known yet: map the value that the register takes at the next edge (such as `x_d` for `x_q`), or the stage before it, \
             without the offset, or exclude it. With waveforms (drra check), positive offsets work"
    )]
    Late {
        /// The map.
        map: String,
        /// The register.
        register: Location,
    },
    /// A memory row is mapped with an offset.
    #[error(
        "{map} compares {row} with an offset; in lock-step, memory rows are compared in their own cycle: for a \
             memory that is written later, take the pending write from its register: VALID & ADDRESS == 7'd{{a}} ? DATA : ROW"
    )]
    Row {
        /// The map.
        map: String,
        /// The row.
        row: Location,
    },
    /// The model that the map is bound to cannot be created.
    #[error(transparent)]
    Dut(#[from] DutError),
    /// The plusargs cannot be passed to the design.
    #[error(transparent)]
    Plusarg(#[from] PlusargError),
}

impl MappedDesignError {
    /// The problem, and its remedy.
    pub fn with_remedy(&self) -> (String, &'static str) {
        if let Self::Plusarg(error) = self {
            return (error.to_string(), error.remedy());
        }
        let text = self.to_string();
        // The problems of a map are listed on separate lines.
        let gap = if text.contains('\n') { '\n' } else { ' ' };
        let remedy = "correct the map; set DRRA_RTL_MAP=FILE to try a map without rebuilding \
                      (harness/guide/own-rtl.md)";
        (format!("the signal map of this design cannot be used:{gap}{text}"), remedy)
    }
}

/// A design as reports and campaigns identify it: a built one with the plusargs of this process.
pub(crate) struct IdentifiedDesign {
    pub(crate) simulator: String,
    sources: String,
    model: String,
}

impl IdentifiedDesign {
    pub(crate) fn fingerprint(&'static self) -> DesignFingerprint {
        DesignFingerprint { sources: &self.sources, model: &self.model }
    }
}

impl BuiltModels {
    /// The identity of the design in this process.
    pub(crate) fn identified(&self) -> &'static IdentifiedDesign {
        static DESIGN: OnceLock<IdentifiedDesign> = OnceLock::new();
        DESIGN.get_or_init(|| {
            let plusargs = plusargs::given().unwrap_or_default();
            let words: String = plusargs.iter().map(|word| format!(", {word}")).collect();
            IdentifiedDesign {
                simulator: format!("{}{words}", self.simulator),
                sources: plusargs::identify(self.fingerprint.sources, plusargs),
                model: plusargs::identify(self.fingerprint.model, plusargs),
            }
        })
    }

    /// The name of the map file that this process uses.
    pub(crate) fn map_name(&self) -> String {
        let folder = self.user_design.as_ref().map_or("", |design| design.folder);
        replacement()
            .map_or_else(|| format!("{folder}/signals.map"), |path| path.display().to_string())
    }
}

/// The map file that this process uses instead of the map in the folder of the design, if there is one.
pub(crate) fn replacement() -> Option<PathBuf> {
    std::env::var_os(MAP_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}
