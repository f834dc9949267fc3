// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which instruction is responsible for what: every configuration is tracked from the cycle in which its instruction
//! is decoded, through stages, shadow registers and the NoC, to the unit that it sets up.
//!
//! The causes mirror the registers of the golden model; what moves them is read from the model, never from the RTL.
//! Chapters 2 to 7 define the destination of each message and configuration.

mod all;
mod cell;
mod issued;
mod responsible;
mod tile;
mod writes;

pub use all::Attribution;
pub use issued::{Cause, IssuedInstruction};
pub use writes::{RfWrite, RowWrite, Writer};
