// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which sources the program was built from.
//!
//! Only the root package uses this crate: it is built anew after every commit.
//!
//! ```
//! assert_eq!(drra_origin::SOURCES.len(), 16);
//! ```

/// Digest of the sources that decide what the cases of a campaign are and what is said of them: descriptions,
/// golden model, generator, comparison, coverage, diagnosis, campaigns, bridge. 16 hexadecimal digits.
pub const SOURCES: &str = env!("DRRA_SOURCES");

/// The git revision that the sources were taken from, with `-dirty` behind it if files were changed since;
/// `None` if the program was not built in a git repository.
pub const REVISION: Option<&str> = option_env!("DRRA_REVISION");
