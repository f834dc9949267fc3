// SPDX-License-Identifier: MIT OR Apache-2.0
//! The groups of bins: each with its names, what hits a bin, and how a case is directed at it.

mod agu;
mod control;
mod dpu;
mod events;
mod fields;
mod product;
mod switchbox;
#[cfg(test)]
mod tests;
mod transfers;

pub(crate) use agu::AGU_LAUNCH;
pub(crate) use agu::AGU_PATTERN;
pub(crate) use control::BRANCH;
pub(crate) use control::LOOPS;
pub(crate) use control::RACCU;
pub(crate) use dpu::DPU_CONFIGURATION;
pub(crate) use dpu::Saturated;
pub(crate) use events::Events;
pub(crate) use fields::Fields;
pub(crate) use switchbox::SWITCHBOX;
pub(crate) use transfers::IO_PATTERN;
pub(crate) use transfers::NOC_PATH;
pub(crate) use transfers::PERM_DISTANCE;
pub(crate) use transfers::SRAM_PATTERN;
