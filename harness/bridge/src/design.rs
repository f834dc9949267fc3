// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL as a design under test.

use std::{mem, path::Path, slice, sync::Arc};

use drra_case::{Case, load::read_text};
use drra_fabric::{Layout, Location};
use drra_isa::Geometry;
use drra_lockstep::{
    ComparisonCoverage, CoverageCounter, Design, DesignFingerprint, Dut, DutError, MappedDesign,
    StartError,
};
use drra_recorded::map::MapFile;

use crate::{
    built::{BuiltModels, MappedDesignError, replacement},
    model::{self, VerilatedDut},
    plan::{ComparisonPlan, ShownState},
    plusargs, sim,
};

/// Creates Verilated models.
#[derive(Clone, Debug)]
pub struct RtlDesign {
    built: &'static BuiltModels,
    /// The plan for a user's design, which has one size.
    plan: Option<Arc<ComparisonPlan>>,
}

impl RtlDesign {
    /// The RTL of this project, in all sizes.
    pub const fn own(built: &'static BuiltModels) -> Self {
        Self { built, plan: None }
    }

    /// The design that was built: the RTL of this project, or a user's with its map. `DRRA_RTL_MAP` names a map to use
    /// instead of the one in the folder.
    ///
    /// # Errors
    /// If the map cannot be read or does not fit the design, or a plusarg cannot be passed to it.
    pub fn of(built: &'static BuiltModels) -> Result<Self, MappedDesignError> {
        plusargs::given()?;
        let Some(design) = &built.user_design else { return Ok(Self::own(built)) };
        let Some(path) = replacement() else { return Self::bind(built, design.map.1) };
        let text = read_text(&path);
        let map =
            text.map_err(|source| MappedDesignError::Read { map: built.map_name(), source })?;
        Self::bind(built, &map)
    }

    /// The RTL in the first size of the build, compared through a map.
    ///
    /// # Errors
    /// If the text is not a map, or does not fit the design.
    pub fn bind(built: &'static BuiltModels, map: &str) -> Result<Self, MappedDesignError> {
        let file = MapFile::parse(&built.map_name(), map)?;
        Ok(Self {
            built,
            plan: Some(Arc::new(ComparisonPlan::of_map(built, &file, &built.sizes[0])?)),
        })
    }
}

impl Design for RtlDesign {
    fn start(&self, case: &Case, _layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let sizes = self.sizes().unwrap_or_default();
        if !sizes.contains(&case.geometry) {
            return Err(DutError::Size(case.geometry).into());
        }
        Ok(Box::new(VerilatedDut::start(self.built, case, self.plan.as_ref())?))
    }

    fn sizes(&self) -> Option<&[Geometry]> {
        let of_map = self.plan.as_ref().map(|plan| slice::from_ref(plan.layout.geometry()));
        Some(of_map.unwrap_or(self.built.sizes))
    }

    fn renew(&self) {
        model::forget();
    }

    fn take_unknown_state(&self) -> Vec<String> {
        mem::take(&mut model::pool().unknown)
    }

    fn add_unknown_state(&self, names: Vec<String>) {
        model::pool().unknown.extend(names);
    }

    fn take_warnings(&self) -> Vec<String> {
        sim::take_warnings()
    }

    fn simulator(&self) -> &str {
        &self.built.identified().simulator
    }

    fn fingerprint(&self) -> DesignFingerprint {
        self.built.identified().fingerprint()
    }

    fn writes_waves(&self) -> bool {
        self.built.writes_waves
    }

    fn mapped(&self) -> Option<&dyn MappedDesign> {
        Some(self.plan.as_ref()?.shown.as_ref()?)
    }

    fn counts(&self) -> Option<&dyn CoverageCounter> {
        self.built.counts_coverage.then_some(self as &dyn CoverageCounter)
    }
}

impl CoverageCounter for RtlDesign {
    fn write(&self, path: &Path) -> Result<(), DutError> {
        sim::write_coverage(&path.to_string_lossy())
    }
}

impl MappedDesign for ShownState {
    fn compared(&self) -> ComparisonCoverage {
        self.compared.clone()
    }

    fn name_of(&self, location: Location) -> Option<String> {
        self.names.get(&location).cloned()
    }
}
