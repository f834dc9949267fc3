// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden model and RTL in lock-step, and the `drra` command.

#[cfg(feature = "rtl")]
mod attribution;
#[cfg(feature = "rtl")]
mod browser;
#[cfg(feature = "rtl")]
mod campaign;
#[cfg(feature = "rtl")]
mod dpu_cases;
#[path = "../../golden/tests/it/example.rs"]
#[cfg(feature = "rtl")]
mod example;
#[path = "../../golden/tests/it/examples.rs"]
#[cfg(feature = "rtl")]
mod examples;
#[cfg(feature = "rtl")]
mod faults;
#[cfg(feature = "rtl")]
mod lockstep;
#[cfg(feature = "rtl")]
mod regressions;
#[cfg(feature = "rtl")]
mod report;
#[cfg(feature = "rtl")]
mod rtl_registers;
#[cfg(feature = "rtl")]
mod totality;
#[cfg(feature = "rtl")]
mod units;

mod cases;
mod cli;
mod generate;
mod programs;
