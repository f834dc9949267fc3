// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests of several crates share: the examples of the chapters, faults that the comparison must find, and
//! files of waves as other simulators write them.

pub mod example;
pub mod examples;
mod fault;
pub mod faults;
pub mod fst;

pub use fault::{AccessPort, Fault, Faulty, Flip, Hidden, IdlePort, registers};
