// SPDX-License-Identifier: MIT OR Apache-2.0
//! `manifest.json`: the cases in a folder of exported cases.

use drra_isa::{Geometry, SizeNumbers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ExportOptions;

/// Format version that this build reads and writes.
const VERSION: u32 = 1;

/// Name of the file in the folder.
pub const MANIFEST: &str = "manifest.json";

/// The cases of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format.
    pub version: u32,
    /// The fabric that the cases are for.
    #[serde(with = "SizeNumbers")]
    #[schemars(with = "SizeNumbers")]
    pub fabric: Geometry,
    /// The options of the export.
    pub options: ExportOptions,
    /// The cases, in the order of the campaign or of their names.
    pub cases: Vec<ExportedCase>,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedCase {
    /// Folder of the case, relative to the manifest.
    pub folder: String,
    /// Name of the case.
    pub name: String,
    /// Cycles of the run after reset, including idle cycles.
    pub cycles: u64,
    /// Cycles that were inserted because two flags would otherwise have collided.
    pub inserted_cycles: u64,
}

/// The reason a text is not a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON of the documented form.
    #[error("at `{}`: {}", .0.path(), .0.inner())]
    Json(#[from] serde_path_to_error::Error<serde_json::Error>),
    /// Another version of the format.
    #[error("unknown version {0}; this program reads version {VERSION}")]
    Version(u32),
}

impl Manifest {
    /// A manifest of these cases.
    pub fn new(geometry: &Geometry, options: ExportOptions, cases: Vec<ExportedCase>) -> Self {
        Self { version: VERSION, fabric: *geometry, options, cases }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If the text is not JSON of this form (the error states the place), or has another version.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self =
            serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text))?;
        match manifest.version {
            VERSION => Ok(manifest),
            version => Err(ManifestError::Version(version)),
        }
    }
}
