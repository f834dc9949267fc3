// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads stored documents, which are JSON with the version of the format.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::shown;

/// The reason a stored report or summary cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoredError {
    /// The document has a different version.
    #[error("unknown version {found}; this program reads version {known}")]
    Version { found: u64, known: u32 },
    /// The document is not JSON.
    #[error(".: {0}")]
    Json(String),
    /// The document has no version, or the version is not a non-negative integer.
    #[error(".: it has no version")]
    NoVersion,
    /// The value at a JSON path is invalid.
    #[error("{path}: {message}")]
    Content { path: String, message: String },
}

/// Reads a document whose format has this version.
///
/// # Errors
/// If the text is not such a document, or has another version.
pub fn parse<T: DeserializeOwned>(text: &str, version: u32) -> Result<T, StoredError> {
    let mut value: Value =
        serde_json::from_str(text).map_err(|e| StoredError::Json(e.to_string()))?;
    match value.get("version").and_then(Value::as_u64) {
        Some(found) if found == u64::from(version) => {}
        Some(found) => return Err(StoredError::Version { found, known: version }),
        None => return Err(StoredError::NoVersion),
    }
    shown::document(&mut value);
    serde_path_to_error::deserialize(value).map_err(|e| StoredError::Content {
        path: e.path().to_string(),
        message: e.inner().to_string(),
    })
}
