// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads profiles: the shipped ones, files, and the profiles that they extend.

use std::{collections::BTreeMap, path::Path};

use super::{Data, Fabrics, Profile, ProfileError, file::ProfileFile};
use crate::constraint;

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

/// Maximum length of a chain of `extends`.
const MAX_DEPTH: usize = 8;

impl Profile {
    /// A shipped profile.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(n, _)| *n == name)?;
        Some(Self::parse(text, None).expect("shipped profiles are tested"))
    }

    /// Reads a profile. The profile that it extends is searched for in `folder` first, and then among the shipped
    /// profiles.
    ///
    /// # Errors
    /// JSON that is malformed or does not follow the schema, an unknown or unreadable profile in `extends`, a chain of
    /// `extends` that is circular or too long, an unknown deviation, or an error as for [`Self::check`].
    pub fn parse(text: &str, folder: Option<&Path>) -> Result<Self, ProfileError> {
        let (mut profile, avoided) = Self::resolve(text, folder, 0)?;
        profile.constraints.extend(constraint::avoid(&avoided)?);
        profile.check()?;
        Ok(profile)
    }

    /// A profile merged with the profiles that it extends, and the deviations that it avoids.
    fn resolve(
        text: &str,
        folder: Option<&Path>,
        depth: usize,
    ) -> Result<(Self, Vec<String>), ProfileError> {
        if depth > MAX_DEPTH {
            return Err(ProfileError::Chain { most: MAX_DEPTH });
        }
        let mut file = ProfileFile::read(text)?;
        let (base, avoided) = match &file.extends {
            None => (Self::neutral(), Vec::new()),
            Some(name) => Self::resolve(&Self::find(name, folder)?, folder, depth + 1)?,
        };
        let avoided = file.avoid.take().unwrap_or(avoided);
        Ok((file.over(base), avoided))
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

    /// The starting point of a profile without `extends`.
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
            dynamic: 0.0,
            moved_start: 0.0,
            idle_ports: 0.0,
            fabrics: Fabrics::default(),
            data: Data { random: 1, small: 0, extreme: 0, power_of_two: 0, sparse: 0 },
            constraints: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

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
            (r#"{"version": 1, "name": "x", "fabrics": {"8y2": 1}}"#, "fabrics.8y2"),
            (r#"{"version": 1, "name": "x", "fabrics": {"8x9": 1}}"#, "fabrics.8x9"),
            (r#"{"version": 1, "name": "x", "fabrics": {"8x2": 0}}"#, "fabrics"),
            (r#"{"version": 1, "name": "x", "avoid": ["2.11", "2.14"]}"#, "avoid[1]"),
        ] {
            let e = Profile::parse(text, None).unwrap_err();
            assert_eq!(e.path(), path, "{text}: {e}");
        }
    }

    /// Errors in constraints name the element, and known names or the reason why nothing is left.
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
            (
                r#"{"instruction": "WAIT", "fields": {"cycle": {"is": [1, true]}}}"#,
                "constraints[0].fields.cycle.is[1]",
                "expected a number or the name of a value",
            ),
            (r#"{"reason": "none"}"#, "constraints[0]", "of one kind"),
            (r#"{"most_cells": 1, "immediate": true}"#, "constraints[0]", "of one kind"),
            (r#"{"situation": "rain"}"#, "constraints[0].situation", "jump_at_loop_end"),
            (r#"{"only_cells": [[2, 0]]}"#, "constraints[0].only_cells", "rows are 0 and 1"),
            (r#"{"immediate": true}, {"immediate": false}"#, "constraints", "nothing is left"),
            (
                r#"{"instruction": "HALT"}, {"situation": "unloaded_memory"}"#,
                "constraints[1]",
                "end with a HALT",
            ),
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
