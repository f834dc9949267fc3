// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test: our own, or a user's (`DRRA_RTL` at build time) with a signal map.
//!
//! [`sim`] crosses into C++. `plan` specifies which variables of a model show which registers, `table` compares stored
//! registers in place, and `computed` handles registers that a map computes or compares under conditions. `state` is
//! the state of one model, `signals` has the signals between its blocks, and `model` is the design under test.

mod computed;
mod model;
mod names;
mod plan;
mod signals;
pub mod sim;
mod state;
mod stopped;
mod table;

use std::{
    mem,
    path::{Path, PathBuf},
    slice,
    sync::{Arc, OnceLock},
};

use drra_case::Case;
use drra_fabric::{Layout, Location};
use drra_isa::{Geometry, TileId};
use drra_lockstep::{
    Compared, CountsCoverage, Design, Dut, DutError, Fingerprint, Mapped, StartError,
};
use drra_recorded::map::{MapError, MapFile};

use model::Verilated;
use plan::{Plan, Shown};

use crate::SIZES;

/// Name of the folder that the model was built from; empty for the RTL of this project.
const FOLDER: &str = env!("DRRA_RTL_NAME");
/// True if this build is for a user's design.
const OF_USER: bool = !FOLDER.is_empty();
/// The map of the folder that the model was built from; empty for the RTL of this project.
const MAP: &str = include_str!(concat!(env!("OUT_DIR"), "/signals.map"));
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
fn map_name() -> String {
    replacement().map_or_else(|| format!("{FOLDER}/signals.map"), |path| path.display().to_string())
}

/// The map that replaces the one in the folder for this process.
fn replacement() -> Option<PathBuf> {
    std::env::var_os(MAP_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Creates Verilated models.
#[derive(Clone, Debug)]
pub struct Rtl {
    /// The plan for a user's design, which has one size.
    plan: Option<Arc<Plan>>,
}

/// The RTL of this project, in the sizes of this build.
pub static OWN: Rtl = Rtl { plan: None };

/// The design of this build: the RTL of this project, or a user's. The map of the design is bound once; `DRRA_RTL_MAP`
/// names a map to use instead of the one in the folder.
///
/// # Errors
/// If the map cannot be read or does not fit the design.
pub fn design() -> Result<&'static dyn Design, &'static MappedError> {
    static MAPPED: OnceLock<Result<Rtl, MappedError>> = OnceLock::new();
    if !OF_USER {
        return Ok(&OWN);
    }
    let bind = || match replacement() {
        None => Rtl::bind(MAP),
        Some(path) => Rtl::bind(&std::fs::read_to_string(path).map_err(MappedError::Read)?),
    };
    MAPPED.get_or_init(bind).as_ref().map(|design| design as &dyn Design)
}

impl Rtl {
    /// The design of this build with a given map.
    ///
    /// # Errors
    /// If the text is not a map, or does not fit the design.
    pub fn bind(map: &str) -> Result<Self, MappedError> {
        let file = MapFile::parse(&map_name(), map)?;
        Ok(Self { plan: Some(Arc::new(Plan::of_map(&file, &crate::GEOMETRY)?)) })
    }
}

impl Design for Rtl {
    fn start(&self, case: &Case, _layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let sizes = self.sizes().unwrap_or_default();
        if !sizes.contains(&case.geometry) {
            return Err(DutError::Size(case.geometry).into());
        }
        Ok(Box::new(Verilated::start(case, self.plan.as_ref())?))
    }

    fn sizes(&self) -> Option<&[Geometry]> {
        let of_map = self.plan.as_ref().map(|plan| slice::from_ref(plan.layout.geometry()));
        Some(of_map.unwrap_or(SIZES))
    }

    fn renew(&self) {
        model::forget();
    }

    fn take_unknown_state(&self) -> Vec<String> {
        mem::take(&mut model::kept().unknown)
    }

    fn add_unknown_state(&self, names: Vec<String>) {
        model::kept().unknown.extend(names);
    }

    fn simulator(&self) -> &str {
        const VERILATOR: &str = env!("DRRA_VERILATOR_VERSION");
        const WITH_FOLDER: &str =
            concat!(env!("DRRA_VERILATOR_VERSION"), ", RTL ", env!("DRRA_RTL_NAME"));
        if OF_USER { WITH_FOLDER } else { VERILATOR }
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint { sources: env!("DRRA_RTL_DIGEST"), model: env!("DRRA_MODEL_DIGEST") }
    }

    fn writes_waves(&self) -> bool {
        sim::WRITES_WAVES
    }

    fn mapped(&self) -> Option<&dyn Mapped> {
        Some(self.plan.as_ref()?.shown.as_ref()?)
    }

    fn counts(&self) -> Option<&dyn CountsCoverage> {
        sim::COUNTS_COVERAGE.then_some(self as &dyn CountsCoverage)
    }
}

impl CountsCoverage for Rtl {
    fn write(&self, path: &Path) -> Result<(), DutError> {
        sim::write_coverage(&path.to_string_lossy())
    }
}

impl Mapped for Shown {
    fn compared(&self) -> Compared {
        self.compared.clone()
    }

    fn name_of(&self, location: Location) -> Option<String> {
        self.names.get(&location).cloned()
    }
}
