// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text generated from the description of a fabric.

mod fields;
mod ids;
mod images;
mod markdown;
mod systemverilog;
mod verilator;

pub(crate) use fields::rust_fields;
pub(crate) use ids::rust_ids;
pub(crate) use images::rust_images;
pub(crate) use markdown::fabric_markdown;
pub(crate) use systemverilog::systemverilog_state;
pub(crate) use verilator::verilator_public;
