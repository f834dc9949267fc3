// SPDX-License-Identifier: MIT OR Apache-2.0
//! The groups of bins: each with its properties, what hits a bin, and what directs a case at it.
//!
//! Groups of fields and settings look at decodes and launches on their own. The others are
//! crosses: they look at several things at once, or in every cycle, and their bins are noted by the
//! values of their dimensions.

mod agu;
pub(crate) mod branch;
pub(crate) mod column;
pub(crate) mod connections;
pub(crate) mod events;
mod feed;
mod fields;
pub(crate) mod loop_ends;
pub(crate) mod messages;
pub(crate) mod modes;
pub(crate) mod operands;
pub(crate) mod pairs;
pub(crate) mod patterns;
mod product;
pub(crate) mod relaunch;
pub(crate) mod saturation;
pub(crate) mod segments;
pub(crate) mod sequencer;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod transfers;
pub(crate) mod waiting;
pub(crate) mod words;

pub(crate) use agu::{AGU_LAUNCH, AGU_PATTERN};
pub(crate) use fields::Fields;
pub(crate) use product::Product;
pub(crate) use settings::{DPU_CONFIGURATION, LOOPS, RACCU, SWITCHBOX};
pub(crate) use table::{CROSSES, Listed, crosses};
pub(crate) use transfers::{IO_PATTERN, NOC_PATH, PERM_DISTANCE, SRAM_PATTERN};
