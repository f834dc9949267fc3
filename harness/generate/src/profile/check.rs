// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the values of a profile, and that its constraints leave something to generate.

use drra_isa::{CellId, Geometry};

use super::{
    DataWeights, FabricWeights, Profile, ProfileError,
    limits::{MAX_CELLS, MAX_CYCLES, MAX_MUTATIONS, MAX_SCENARIOS, MAX_WEIGHT},
};
use crate::constraint::{ConstraintFault, ResolvedConstraints};

impl Profile {
    /// Checks values and constraints of a profile; [`Self::parse`] does this, too.
    ///
    /// # Errors
    /// Values out of range, constraints with unknown names, or constraints that leave nothing to generate.
    pub fn check(&self) -> Result<(), ProfileError> {
        if self.name.is_empty() || self.name.contains(char::is_control) {
            return Err(ProfileError::Name);
        }
        for (key, [least, most], limit) in
            [("cells", self.cells, MAX_CELLS), ("cycles", self.cycles, MAX_CYCLES)]
        {
            if least < 1 || most < least || most > limit {
                return Err(ProfileError::Range { key, most: limit });
            }
        }
        for (key, value, most) in [
            ("scenarios_per_cell", self.scenarios_per_cell, MAX_SCENARIOS),
            ("mutations", self.mutations as f64, MAX_MUTATIONS),
            ("mutated", self.mutated, 1),
            ("noise", self.noise, 1),
            ("raw", self.raw, 1),
            ("deferred", self.deferred, 1),
            ("io_cells", self.io_cells, 1),
            ("late_init", self.late_init, 1),
            ("reload", self.reload, 1),
            ("dynamic", self.dynamic, 1),
            ("moved_start", self.moved_start, 1),
            ("long_waits", self.long_waits, 1),
            ("idle_ports", self.idle_ports, 1),
        ] {
            if !(0.0..=most as f64).contains(&value) {
                return Err(ProfileError::Outside { key, most });
            }
        }
        let DataWeights { random, small, extreme, power_of_two, sparse } = self.data;
        let weights = [random, small, extreme, power_of_two, sparse];
        if weights.iter().all(|w| *w == 0) || weights.iter().any(|w| *w > MAX_WEIGHT) {
            return Err(ProfileError::Data { most: MAX_WEIGHT });
        }
        if self.scenarios.values().any(|w| *w > MAX_WEIGHT) {
            return Err(ProfileError::Scenarios { most: MAX_WEIGHT });
        }
        if !self.fabrics.are_weights(MAX_WEIGHT) {
            return Err(ProfileError::Fabrics { most: MAX_WEIGHT });
        }
        let rules = ResolvedConstraints::new(&self.constraints)?;
        self.check_scenarios(&rules)?;
        self.fits(&Geometry::LARGEST)
    }

    /// Checks that something is left to generate if the profile requests anything at all.
    fn check_scenarios(&self, rules: &ResolvedConstraints) -> Result<(), ProfileError> {
        let asked = self.scenarios.iter().filter(|(_, weight)| **weight > 0);
        let hindered: Vec<usize> = asked.clone().filter_map(|(s, _)| s.hindered(rules)).collect();
        match hindered.first() {
            Some(first) if hindered.len() == asked.count() && self.noise == 0.0 => {
                let path = format!("constraints[{first}]");
                let because = self.constraints[*first].reason.as_deref().unwrap_or("no reason");
                let why = format!(
                    "every scenario of the profile needs something that a constraint excludes, \
                     and there is no noise; the first one needs `{}` ({because})",
                    self.constraints[*first]
                );
                Err(ConstraintFault::NothingLeft(why).at(path).into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the constraints leave a cell of a fabric.
    ///
    /// # Errors
    /// If the constraints leave no cell.
    pub fn fits(&self, geometry: &Geometry) -> Result<(), ProfileError> {
        let rules = ResolvedConstraints::new(&self.constraints)?;
        if CellId::all(geometry).any(|cell| rules.forbids_cell(cell).is_none()) {
            return Ok(());
        }
        let why = format!("none of the {} cells in the fabric may be used", geometry.cells());
        Err(ConstraintFault::NothingLeft(why).at("constraints").into())
    }
}

impl Profile {
    /// Adapts the profile to fabrics of these sizes, the usual one first. The profile keeps those of its own sizes that
    /// are among the given sizes and in which its constraints leave a cell. If no size is left, or the profile names
    /// none, it uses the usual size.
    ///
    /// # Errors
    /// If the usual size is needed and the constraints leave no cell in a fabric of that size.
    pub fn on(self, sizes: &[Geometry]) -> Result<Self, ProfileError> {
        let usual = sizes.first().copied().unwrap_or_default();
        let usable = |g: &Geometry| sizes.contains(g) && self.fits(g).is_ok();
        let named = FabricWeights::new(self.fabrics.weights().filter(|(g, _)| usable(g)));
        let fabrics = match named.is_empty() {
            false => named,
            true => {
                self.fits(&usual)?;
                if usual == Geometry::default() {
                    FabricWeights::default()
                } else {
                    FabricWeights::one(usual)
                }
            }
        };
        Ok(Self { fabrics, ..self })
    }
}
