// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attributes registers and ports to the responsible instructions. Every configuration is tracked from the decode of
//! its instruction, through stages, shadow registers and the NoC, to the unit that it sets up.
//!
//! The causes mirror the registers of the golden model; the signals that move them are read from the model, never from
//! the RTL. Chapters 2 to 7 define the destination of each message and configuration.

mod all;
mod cell;
mod issued;
mod responsible;
mod tile;
mod writes;

pub use all::{Attribution, rf_init};
pub use issued::{Cause, IssuedInstruction};
pub(crate) use tile::offered;
pub use writes::{RfWrite, RfWriter, RowWrite};
