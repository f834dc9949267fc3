// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maximum values of a profile.

/// Maximum number of cells with a program that a profile can request: the number of cells of the largest fabric.
pub(super) const MAX_CELLS: u64 = 64;
/// Maximum number of cycles that a profile can plan after the load phase.
pub(super) const MAX_CYCLES: u64 = 1_000_000;
/// Maximum number of scenarios per cell.
pub(super) const MAX_SCENARIOS: u64 = 32;
/// Maximum number of mutations in a case.
pub(super) const MAX_MUTATIONS: u64 = 1000;
/// Maximum weight.
pub(super) const MAX_WEIGHT: u32 = 1_000_000;
