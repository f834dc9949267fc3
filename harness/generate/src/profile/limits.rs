// SPDX-License-Identifier: MIT OR Apache-2.0
//! Largest values of a profile.

/// Most cells with a program that a profile can ask for: those of the largest fabric.
pub(super) const MAX_CELLS: u64 = 64;
/// Most cycles of a case.
pub(super) const MAX_CYCLES: u64 = 1_000_000;
/// Most scenarios per cell.
pub(super) const MAX_SCENARIOS: u64 = 32;
/// Most mutations of a case.
pub(super) const MAX_MUTATIONS: u64 = 1000;
/// Largest weight.
pub(super) const MAX_WEIGHT: u32 = 1_000_000;
