// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads profiles: the shipped ones, files, and the profiles that they extend.

use std::{collections::BTreeMap, path::Path};

use drra_case::load::read_text;

use super::{DataWeights, FabricWeights, Profile, ProfileError, file::ProfileFile};
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
            return read_text(&path).map_err(|source| ProfileError::Read { path, source });
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
            long_waits: 0.0,
            idle_ports: 0.0,
            fabrics: FabricWeights::default(),
            data: DataWeights { random: 1, small: 0, extreme: 0, power_of_two: 0, sparse: 0 },
            constraints: Vec::new(),
        }
    }
}
