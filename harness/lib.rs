// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilated RTL as a design under test.
//!
//! The `drra` program passes it to the commands, which are in [`drra_cli`] and do not depend on a design. Here is only
//! what the build script determines, because an edit of the RTL recompiles this crate; the rest is in `drra_bridge`.

#[cfg(feature = "rtl")]
mod models;
mod sizes;

#[cfg(feature = "rtl")]
pub use models::{BUILT, OWN, design};
pub use sizes::{GEOMETRY, SIZES};
