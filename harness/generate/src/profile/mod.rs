// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles: weights and ranges that steer the generator (`harness/profiles/profile.schema.json`).

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

mod error;
mod file;

pub use error::ProfileError;
pub use file::schema;

use drra_case::Case;
use drra_isa::Geometry;
use drra_isa::Wanted;

use crate::constraint;
use crate::constraint::Constraint;
use crate::constraint::ConstraintError;
use crate::constraint::Keeper;
use crate::constraint::Rules;
use crate::op::Op;
use file::ProfileFile;

/// Most cells with a program that a profile can ask for: those of the largest fabric.
const MAX_CELLS: u64 = 64;
/// Most cycles of a case.
const MAX_CYCLES: u64 = 1_000_000;
/// Most scenarios per cell.
const MAX_SCENARIOS: u64 = 32;
/// Most mutations of a case.
const MAX_MUTATIONS: u64 = 1000;
/// Largest weight.
const MAX_WEIGHT: u32 = 1_000_000;

/// Kinds of scenarios, the first layer of a case.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// Words from register files through one to three DPUs into a register file.
    Stream,
    /// Words from one register file straight into another.
    Copy,
    /// Blocks from a tile over a NoC path into a register file.
    TileLoad,
    /// Blocks from a register file over a NoC path into a tile.
    TileStore,
    /// Blocks from an input buffer into a register file.
    IoIn,
    /// Blocks from a register file into an output buffer.
    IoOut,
    /// Permutations of blocks.
    Permute,
    /// Nested loops with computed addresses.
    Loops,
    /// Branches on the status of a compare.
    Branch,
    /// A unit is configured again while it works.
    Reconfigure,
    /// Several writers or paths meet on purpose.
    Conflict,
}

/// Kinds of data, as weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Any words.
    #[schemars(range(max = MAX_WEIGHT))]
    pub random: u32,
    /// Small numbers, so that sums and products stay in range.
    #[schemars(range(max = MAX_WEIGHT))]
    pub small: u32,
    /// Words near 0, the largest and the smallest number.
    #[schemars(range(max = MAX_WEIGHT))]
    pub extreme: u32,
    /// Powers of two and their negatives.
    #[schemars(range(max = MAX_WEIGHT))]
    pub power_of_two: u32,
    /// Mostly 0.
    #[schemars(range(max = MAX_WEIGHT))]
    pub sparse: u32,
}

/// A resolved profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Least and most cells with a program.
    pub cells: [u64; 2],
    /// Least and most cycles after the load phase.
    pub cycles: [u64; 2],
    /// Scenarios per cell, at most; each case draws its own number.
    pub scenarios_per_cell: f64,
    /// Weights of the scenarios.
    pub scenarios: BTreeMap<Scenario, u32>,
    /// Share of the cases that get mutations.
    pub mutated: f64,
    /// Most mutations of such a case.
    pub mutations: u64,
    /// Chance that a gap in a program is filled with any instructions instead of a WAIT.
    pub noise: f64,
    /// Chance that such an instruction is a word of any bits.
    pub raw: f64,
    /// Chance that an instruction of a scenario waits for the flag of the next one.
    pub deferred: f64,
    /// Chance that a cell is an I/O cell.
    pub io_cells: f64,
    /// Chance that memories are written through the ports while programs run.
    pub late_init: f64,
    /// Chance that the programs are loaded a second time, some words for several cells at once.
    pub reload: f64,
    /// Kinds of data.
    pub data: Data,
    /// What the cases never contain: constraints of the profile extended, then its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// The shipped profiles: name and text.
        pub const SHIPPED: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../profiles/", $name, ".json")))),*];
    };
}
shipped!(
    "smoke",
    "default",
    "agu",
    "dpu",
    "interconnect",
    "dimarch",
    "loops",
    "chaos",
    "io_perm",
    "silago-published",
);

/// Longest chain of `extends`.
const MAX_DEPTH: usize = 8;

impl Profile {
    /// A shipped profile.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(n, _)| *n == name)?;
        Some(Self::parse(text, None).expect("shipped profiles are tested"))
    }

    /// Reads a profile; `folder` is where files that it extends are looked for, before the shipped
    /// profiles.
    ///
    /// # Errors
    /// JSON that is malformed or does not follow the schema, an unknown or circular `extends`,
    /// values out of range.
    pub fn parse(text: &str, folder: Option<&Path>) -> Result<Self, ProfileError> {
        Self::resolve(text, folder, 0)
    }

    fn resolve(text: &str, folder: Option<&Path>, depth: usize) -> Result<Self, ProfileError> {
        if depth > MAX_DEPTH {
            return Err(ProfileError::Chain { most: MAX_DEPTH });
        }
        let file = ProfileFile::read(text)?;
        let base = match &file.extends {
            None => Self::neutral(),
            Some(name) => Self::resolve(&Self::find(name, folder)?, folder, depth + 1)?,
        };
        let profile = file.over(base);
        profile.check()?;
        Ok(profile)
    }

    /// Text of a profile that another one extends.
    fn find(name: &str, folder: Option<&Path>) -> Result<String, ProfileError> {
        let beside = folder.map(|f| f.join(format!("{name}.json")));
        if let Some(path) = beside.filter(|p| p.is_file()) {
            return std::fs::read_to_string(&path)
                .map_err(|source| ProfileError::Read { path, source });
        }
        let shipped = SHIPPED.iter().find(|(n, _)| *n == name);
        let unknown = || ProfileError::Unknown { name: name.to_owned() };
        shipped.map(|(_, text)| (*text).to_owned()).ok_or_else(unknown)
    }

    /// What a profile without `extends` starts from.
    fn neutral() -> Self {
        Self {
            name: String::new(),
            cells: [1, 16],
            cycles: [20, 400],
            scenarios_per_cell: 2.0,
            scenarios: BTreeMap::new(),
            mutated: 0.0,
            mutations: 0,
            noise: 0.0,
            raw: 0.0,
            deferred: 0.0,
            io_cells: 0.0,
            late_init: 0.0,
            reload: 0.0,
            data: Data { random: 1, small: 0, extreme: 0, power_of_two: 0, sparse: 0 },
            constraints: Vec::new(),
        }
    }

    /// Checks values and constraints, for a profile that was not read from its file.
    ///
    /// # Errors
    /// Values out of range, constraints that name something unknown or leave nothing.
    pub fn check(&self) -> Result<(), ProfileError> {
        if self.name.is_empty() {
            return Err(ProfileError::NoName);
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
        ] {
            if !(0.0..=most as f64).contains(&value) {
                return Err(ProfileError::Outside { key, most });
            }
        }
        let Data { random, small, extreme, power_of_two, sparse } = self.data;
        let weights = [random, small, extreme, power_of_two, sparse];
        if weights.iter().all(|w| *w == 0) || weights.iter().any(|w| *w > MAX_WEIGHT) {
            return Err(ProfileError::Data { most: MAX_WEIGHT });
        }
        if self.scenarios.values().any(|w| *w > MAX_WEIGHT) {
            return Err(ProfileError::Scenarios { most: MAX_WEIGHT });
        }
        let rules = Rules::new(&self.constraints)?;
        self.check_scenarios(&rules)?;
        self.fits(&Geometry::LARGEST)
    }

    /// Something is left to generate if the profile asks for anything at all.
    fn check_scenarios(&self, rules: &Rules) -> Result<(), ProfileError> {
        let asked = self.scenarios.iter().filter(|(_, weight)| **weight > 0);
        let hindered: Vec<usize> =
            asked.clone().filter_map(|(s, _)| Keeper::hinders(rules, *s)).collect();
        match hindered.first() {
            Some(first) if hindered.len() == asked.count() && self.noise == 0.0 => {
                let path = format!("constraints[{first}]");
                let because = self.constraints[*first].reason.as_deref().unwrap_or("no reason");
                let why = format!(
                    "every scenario of the profile needs something that a constraint excludes, \
                     and there is no noise; the first one needs `{}` ({because})",
                    self.constraints[*first]
                );
                Err(ConstraintError::NothingLeft { path, why }.into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the constraints leave a cell of a fabric.
    ///
    /// # Errors
    /// If they leave none.
    pub fn fits(&self, geometry: &Geometry) -> Result<(), ProfileError> {
        let rules = Rules::new(&self.constraints)?;
        let place = |cell: usize| (cell / geometry.columns, cell % geometry.columns);
        let mut cells = (0..geometry.cells()).map(|cell| rules.forbids_cell(place(cell)));
        if cells.any(|forbidden| forbidden.is_none()) {
            return Ok(());
        }
        let path = "constraints".to_owned();
        let why = format!("none of the {} cells of the fabric may be used", geometry.cells());
        Err(ConstraintError::NothingLeft { path, why }.into())
    }

    /// The constraints with their names looked up.
    ///
    /// # Panics
    /// If they were never checked.
    pub(crate) fn rules(&self) -> Rules {
        Rules::new(&self.constraints).expect("constraints are checked when a profile is read")
    }

    /// The scenarios that the constraints leave something of, with their weights.
    pub(crate) fn weights(&self, rules: &Rules) -> impl Iterator<Item = (Scenario, u32)> {
        let all = self.scenarios.iter().map(|(scenario, weight)| (*scenario, *weight));
        all.filter(|(scenario, _)| Keeper::hinders(rules, *scenario).is_none())
    }

    /// The first constraint that a case violates.
    ///
    /// # Panics
    /// If the constraints were never checked.
    pub fn violated(&self, case: &Case, geometry: &Geometry) -> Option<&Constraint> {
        constraint::violated(&self.rules(), case, geometry).map(|k| &self.constraints[k])
    }

    /// True if a group of instructions for [`generate_with`](crate::generate_with) stays as it is.
    ///
    /// # Panics
    /// If the constraints were never checked.
    pub fn permits(&self, group: &[Wanted]) -> bool {
        let mut keeper = Keeper::new(self.rules());
        group.iter().all(|wanted| {
            let op = Op::wanted(wanted);
            let io_cell = wanted.opcode == drra_isa::Opcode::Io;
            keeper.rules.lacks(wanted.opcode).is_none()
                && keeper.permitted(op.clone(), io_cell) == op
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_profiles_have_their_names() {
        for (name, _) in SHIPPED {
            assert_eq!(Profile::shipped(name).unwrap().name, *name);
        }
    }

    #[test]
    fn later_values_win() {
        let text = r#"{"version": 1, "name": "mine", "extends": "default", "noise": 0.5,
                       "scenarios": {"copy": 99}}"#;
        let (mine, base) = (Profile::parse(text, None).unwrap(), Profile::shipped("default"));
        let base = base.unwrap();
        assert_eq!(mine.noise, 0.5);
        assert_eq!(mine.scenarios[&Scenario::Copy], 99);
        assert_eq!(mine.scenarios[&Scenario::Stream], base.scenarios[&Scenario::Stream]);
        assert_eq!(mine.cycles, base.cycles);
    }

    #[test]
    fn errors_name_the_element() {
        for (text, path) in [
            ("{", "."),
            (r#"{"version": 2, "name": "x"}"#, "version"),
            (r#"{"version": 1, "name": "x", "extends": "nothing"}"#, "extends"),
            (r#"{"version": 1, "name": "x", "cells": [3, 2]}"#, "cells"),
            (r#"{"version": 1, "name": "x", "noise": 1.5}"#, "noise"),
            (r#"{"version": 1, "name": "x", "scenarios": {"streem": 1}}"#, "scenarios"),
            (r#"{"version": 1, "name": "x", "sise": 1}"#, "sise"),
        ] {
            let e = Profile::parse(text, None).unwrap_err();
            assert_eq!(e.path(), path, "{text}: {e}");
        }
    }

    /// Errors in constraints name the element, what is known, and why nothing is left.
    #[test]
    fn errors_in_constraints_name_the_element() {
        for (constraints, path, text) in [
            (r#"{"instruction": "PREM"}"#, "constraints[0].instruction", "nearest is `PERM`"),
            (
                r#"{"instruction": "DPU", "fields": {"mod": {"is": [1]}}}"#,
                "constraints[0].fields.mod",
                "nearest is `mode`",
            ),
            (
                r#"{"instruction": "DPU", "fields": {"mode": {"is": [1, "ad"]}}}"#,
                "constraints[0].fields.mode.is[1]",
                "nearest is `add`",
            ),
            (
                r#"{"instruction": "WAIT", "fields": {"cycle": {"between": [5, 40000]}}}"#,
                "constraints[0].fields.cycle.between",
                "0..32767",
            ),
            (
                r#"{"instruction": "WAIT", "fields": {"cycle": {}}}"#,
                "constraints[0].fields.cycle",
                "exactly one",
            ),
            (r#"{"reason": "none"}"#, "constraints[0]", "of one kind"),
            (r#"{"most_cells": 1, "immediate": true}"#, "constraints[0]", "of one kind"),
            (r#"{"situation": "rain"}"#, "constraints[0].situation", "jump_at_loop_end"),
            (r#"{"only_cells": [[2, 0]]}"#, "constraints[0].only_cells", "rows are 0 and 1"),
            (r#"{"immediate": true}, {"immediate": false}"#, "constraints", "nothing is left"),
            (
                r#"{"instruction": "PERM", "reason": "not built"}"#,
                "constraints[0]",
                "no noise; the first one needs `PERM` (not built)",
            ),
        ] {
            let profile = format!(
                r#"{{"version": 1, "name": "x", "scenarios": {{"permute": 1}},
                     "constraints": [{constraints}]}}"#
            );
            let e = Profile::parse(&profile, None).unwrap_err();
            assert_eq!(e.path(), path, "{e}");
            assert!(e.to_string().contains(text), "{e}");
        }
    }

    #[test]
    fn circles_end() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"{"version": 1, "name": "a", "extends": "a"}"#;
        std::fs::write(dir.path().join("a.json"), text).unwrap();
        assert_eq!(Profile::parse(text, Some(dir.path())).unwrap_err().path(), "extends");
    }
}
