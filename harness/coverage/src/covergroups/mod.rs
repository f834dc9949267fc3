// SPDX-License-Identifier: MIT OR Apache-2.0
//! The groups of bins: each with its dimensions, what hits a bin, and what directs a case at it.

pub(crate) mod connections;
pub(crate) mod control;
pub(crate) mod events;
mod feed;
pub(crate) mod fields;
pub(crate) mod instructions;
pub(crate) mod messages;
pub(crate) mod modes;
pub(crate) mod operands;
pub(crate) mod patterns;
pub(crate) mod settings;
pub(crate) mod words;
