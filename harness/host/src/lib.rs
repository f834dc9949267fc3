// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs programs of others, and identifies files by their contents. Programs and build scripts use this crate.

mod digest;
pub mod foreign;

pub use digest::digest;
