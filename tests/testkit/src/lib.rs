// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts shared by the tests of several crates: the examples of the chapters, faults that the comparison must find,
//! wave files as other simulators write them, and the skipping of tests that need a missing program.

pub mod example;
pub mod examples;
mod fault;
pub mod faults;
pub mod fst;

pub use fault::{AccessPort, Fault, FaultyDesign, Flip, HiddenRegisters, IdlePort, registers};

/// The folder of the project.
pub const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Prints that a test is skipped because a program is missing; if the environment variable is `required`, the test
/// fails instead.
#[track_caller]
pub fn skip(variable: &str, reason: &str) {
    let required = std::env::var_os(variable).is_some_and(|value| value == "required");
    assert!(!required, "{variable}=required: {reason}");
    println!("skipped: {reason}");
}
