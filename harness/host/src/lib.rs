// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that run programs of others, and digests that identify files by their contents, for programs and build
//! scripts.

mod digest;
pub mod foreign;

pub use digest::digest;
