// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this build as a design under test.

use std::{
    mem,
    path::Path,
    slice,
    sync::{Arc, OnceLock},
};

use drra_case::Case;
use drra_fabric::{Layout, Location};
use drra_isa::Geometry;
use drra_lockstep::{
    Compared, CountsCoverage, Design, Dut, DutError, Fingerprint, Mapped, StartError,
};
use drra_recorded::map::MapFile;

use super::{
    built::{MAP, MappedError, OF_USER, map_name, replacement},
    model::{self, Verilated},
    plan::{Plan, Shown},
    sim,
};
use crate::sizes::{GEOMETRY, SIZES};

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
        Ok(Self { plan: Some(Arc::new(Plan::of_map(&file, &GEOMETRY)?)) })
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
