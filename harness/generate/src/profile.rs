// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles: weights and ranges that steer the generator (`harness/profile.schema.json`).

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::Serialize;

/// Kinds of scenarios, the first layer of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Any words.
    pub random: u32,
    /// Small numbers, so that sums and products stay in range.
    pub small: u32,
    /// Words near 0, the largest and the smallest number.
    pub extreme: u32,
    /// Powers of two and their negatives.
    pub power_of_two: u32,
    /// Mostly 0.
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
    /// Least and most cycles behind the load phase.
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
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    version: u32,
    name: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for readers of the file")]
    description: String,
    #[serde(default)]
    extends: Option<String>,
    cells: Option<[u64; 2]>,
    cycles: Option<[u64; 2]>,
    scenarios_per_cell: Option<f64>,
    scenarios: Option<BTreeMap<Scenario, u32>>,
    mutated: Option<f64>,
    mutations: Option<u64>,
    noise: Option<f64>,
    raw: Option<f64>,
    deferred: Option<f64>,
    io_cells: Option<f64>,
    late_init: Option<f64>,
    reload: Option<f64>,
    data: Option<Data>,
}

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct ProfileError {
    /// JSON path of the element, `.` for the whole file.
    pub path: String,
    /// What is wrong and what was expected.
    pub message: String,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// The shipped profiles: name and text.
        pub const SHIPPED: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../profiles/", $name, ".json")))),*];
    };
}
shipped!("smoke", "default", "agu", "dpu", "interconnect", "dimarch", "loops", "chaos", "io_perm",);

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
    /// values out of range: with the JSON path of the element.
    pub fn parse(text: &str, folder: Option<&Path>) -> Result<Self, ProfileError> {
        Self::resolve(text, folder, 0)
    }

    fn resolve(text: &str, folder: Option<&Path>, depth: usize) -> Result<Self, ProfileError> {
        let error = |path: &str, message: String| ProfileError { path: path.into(), message };
        if depth > MAX_DEPTH {
            return Err(error("extends", format!("more than {MAX_DEPTH} profiles in a chain")));
        }
        let deserializer = &mut serde_json::Deserializer::from_str(text);
        let file: ProfileFile =
            serde_path_to_error::deserialize(&mut *deserializer).map_err(|e| {
                // What is not known of a path, such as a misspelt key, is left out.
                let path = e.path().to_string();
                let path = path.trim_end_matches('?').trim_end_matches('.');
                error(if path.is_empty() { "." } else { path }, e.inner().to_string())
            })?;
        deserializer.end().map_err(|e| error(".", e.to_string()))?;
        if file.version != 1 {
            let what = format!("version {} is unknown, this program reads version 1", file.version);
            return Err(error("version", what));
        }
        let base = match &file.extends {
            None => Self::neutral(),
            Some(name) => {
                let beside = folder.map(|f| f.join(format!("{name}.json")));
                let text = match beside.filter(|p| p.is_file()) {
                    Some(path) => std::fs::read_to_string(&path)
                        .map_err(|e| error("extends", format!("{}: {e}", path.display())))?,
                    None => SHIPPED
                        .iter()
                        .find(|(n, _)| n == name)
                        .map(|(_, t)| (*t).to_owned())
                        .ok_or_else(|| {
                        error("extends", format!("there is no profile `{name}`"))
                    })?,
                };
                Self::resolve(&text, folder, depth + 1)?
            }
        };
        let mut scenarios = base.scenarios;
        scenarios.extend(file.scenarios.unwrap_or_default());
        let profile = Self {
            name: file.name,
            cells: file.cells.unwrap_or(base.cells),
            cycles: file.cycles.unwrap_or(base.cycles),
            scenarios_per_cell: file.scenarios_per_cell.unwrap_or(base.scenarios_per_cell),
            scenarios,
            mutated: file.mutated.unwrap_or(base.mutated),
            mutations: file.mutations.unwrap_or(base.mutations),
            noise: file.noise.unwrap_or(base.noise),
            raw: file.raw.unwrap_or(base.raw),
            deferred: file.deferred.unwrap_or(base.deferred),
            io_cells: file.io_cells.unwrap_or(base.io_cells),
            late_init: file.late_init.unwrap_or(base.late_init),
            reload: file.reload.unwrap_or(base.reload),
            data: file.data.unwrap_or(base.data),
        };
        profile.check()?;
        Ok(profile)
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
        }
    }

    fn check(&self) -> Result<(), ProfileError> {
        let error = |path: &str, message: &str| {
            Err(ProfileError { path: path.into(), message: message.into() })
        };
        if self.name.is_empty() {
            return error("name", "a profile has a name");
        }
        let [least, most] = self.cells;
        if least < 1 || most < least || most > 64 {
            return error("cells", "write [least, most] with 1 <= least <= most <= 64");
        }
        let [least, most] = self.cycles;
        if least < 1 || most < least || most > 1_000_000 {
            return error("cycles", "write [least, most] with 1 <= least <= most <= 1000000");
        }
        if !(0.0..=32.0).contains(&self.scenarios_per_cell) {
            return error("scenarios_per_cell", "the value is outside 0..32");
        }
        if self.mutations > 1000 {
            return error("mutations", "the value is outside 0..1000");
        }
        for (path, value) in [
            ("mutated", self.mutated),
            ("noise", self.noise),
            ("raw", self.raw),
            ("deferred", self.deferred),
            ("io_cells", self.io_cells),
            ("late_init", self.late_init),
            ("reload", self.reload),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return error(path, "the value is outside 0..1");
            }
        }
        let Data { random, small, extreme, power_of_two, sparse } = self.data;
        let weights = [random, small, extreme, power_of_two, sparse];
        if weights.iter().all(|w| *w == 0) || weights.iter().any(|w| *w > 1_000_000) {
            return error("data", "the weights are 0..1000000, and one of them is not 0");
        }
        if self.scenarios.values().any(|w| *w > 1_000_000) {
            return error("scenarios", "the weights are 0..1000000");
        }
        Ok(())
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
            assert_eq!(e.path, path, "{text}: {e}");
        }
    }

    #[test]
    fn circles_end() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"{"version": 1, "name": "a", "extends": "a"}"#;
        std::fs::write(dir.path().join("a.json"), text).unwrap();
        assert_eq!(Profile::parse(text, Some(dir.path())).unwrap_err().path, "extends");
    }
}
