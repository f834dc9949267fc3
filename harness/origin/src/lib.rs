// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identifies the sources that the program was built from.
//!
//! Only the root package uses this crate, because the crate is rebuilt after every commit.
//!
//! ```
//! assert_eq!(drra_origin::SOURCES.len(), 16);
//! ```

/// Digest of the sources, other than the RTL, that determine the cases of a campaign and their results: descriptions,
/// golden model, cases, generator, profiles, comparison, coverage, diagnosis, campaigns, bridge, and the versions of
/// other packages. The digest has 16 hexadecimal digits.
pub const SOURCES: &str = env!("DRRA_SOURCES");

/// The git revision of the sources, followed by `-dirty` if any of these sources or the RTL had uncommitted changes;
/// `None` if the program was not built in a git repository of its own.
pub const REVISION: Option<&str> = option_env!("DRRA_REVISION");
