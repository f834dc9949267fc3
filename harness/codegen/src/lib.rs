// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text generated from a description, of an instruction set or of a fabric: Rust, SystemVerilog, the configuration of
//! Verilator, and documentation. `drra isa` prints it; the program `drra-codegen` writes the files of this project that
//! are generated.
//!
//! The crate opens no files and prints nothing; the program writes only what `cargo test` compares with the descriptions.
//!
//! ```
//! use drra_codegen::describe;
//!
//! let fabric = describe(drra_fabric::SOURCE).unwrap().description;
//! assert!(fabric.systemverilog(Some("mine")).contains("package mine;"));
//! ```

#![warn(missing_docs)]

mod describe;
mod fabric;
mod generated;
mod isa;

pub use describe::{AnyDescription, DescribeError, LoadedDescription, describe};
pub use generated::generated;
