// SPDX-License-Identifier: MIT OR Apache-2.0
//! The covergroups, each with its coverpoints, the values that hit a bin, and its directed sequences.

pub(crate) mod arbitration;
pub(crate) mod changes;
pub(crate) mod connections;
pub(crate) mod control;
pub(crate) mod events;
mod feed;
pub(crate) mod fields;
pub(crate) mod instructions;
pub(crate) mod limits;
pub(crate) mod messages;
pub(crate) mod modes;
pub(crate) mod operands;
pub(crate) mod patterns;
pub(crate) mod settings;
pub(crate) mod words;
