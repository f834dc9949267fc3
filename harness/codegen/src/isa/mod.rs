// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text generated from the description of an instruction set.

mod markdown;
mod rust;
mod systemverilog;

pub(crate) use markdown::markdown;
pub(crate) use rust::{complete_enumeration, rust};
pub(crate) use systemverilog::systemverilog;
