// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reasons why a profile cannot be used.

use std::path::PathBuf;

use drra_case::ReadError;

use crate::constraint::ConstraintError;

/// The reason why a profile cannot be used. Each message starts with the JSON path of the element.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// JSON that is malformed or not in the form of a profile.
    #[error("{path}: {source}")]
    Json {
        /// JSON path of the element, `.` for the whole file.
        path: String,
        source: serde_json::Error,
    },
    /// Another version of the format.
    #[error("version: unknown version {found}; this program reads version {known}")]
    Version {
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// There is no profile with the name in `extends`, neither in the folder nor shipped.
    #[error("extends: there is no profile `{name}`")]
    Unknown { name: String },
    /// The file that `extends` names cannot be read.
    #[error("extends: {}: {source}", path.display())]
    Read {
        path: PathBuf,
        /// The reason.
        source: ReadError,
    },
    /// Profiles extend each other in a cycle, or the chain is too long.
    #[error("extends: more than {most} extended profiles in a chain")]
    Chain {
        /// Maximum number of extended profiles.
        most: usize,
    },
    /// The name is empty, or could act as a command in a terminal or log.
    #[error("name: a profile needs a name without control characters")]
    Name,
    /// Two numbers that do not form a range, or a number that is too small or too large.
    #[error("{key}: write [least, most] with 1 <= least <= most <= {most}")]
    Range {
        /// Key of the range.
        key: &'static str,
        /// Largest number.
        most: u64,
    },
    /// A number is too small or too large.
    #[error("{key}: the value is outside 0..{most}")]
    Outside {
        /// Key of the number.
        key: &'static str,
        /// Largest value.
        most: u64,
    },
    /// A weight of a kind of data is too large, or all of them are 0.
    #[error("data: weights must be in 0..{most}, and at least one must not be 0")]
    Data {
        /// Largest weight.
        most: u32,
    },
    /// A weight of a scenario is too large.
    #[error("scenarios: weights must be in 0..{most}")]
    Scenarios {
        /// Largest weight.
        most: u32,
    },
    /// A weight of a fabric size is too large, or all of them are 0.
    #[error("fabrics: weights must be in 0..{most}, and at least one must not be 0")]
    Fabrics {
        /// Largest weight.
        most: u32,
    },
    /// A constraint cannot be used.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

impl ProfileError {
    /// JSON path of the element, `.` for the whole file.
    pub fn path(&self) -> &str {
        match self {
            Self::Json { path, .. } => path,
            Self::Version { .. } => "version",
            Self::Unknown { .. } | Self::Read { .. } | Self::Chain { .. } => "extends",
            Self::Name => "name",
            Self::Range { key, .. } | Self::Outside { key, .. } => key,
            Self::Data { .. } => "data",
            Self::Scenarios { .. } => "scenarios",
            Self::Fabrics { .. } => "fabrics",
            Self::Constraint(error) => &error.path,
        }
    }
}
