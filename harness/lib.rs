// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test.
//!
//! The `drra` program passes it to the commands, which are in [`drra_cli`] and do not depend on a design.

#[cfg(feature = "rtl")]
pub mod bridge;
mod sizes;

pub use sizes::{GEOMETRY, SIZES};
