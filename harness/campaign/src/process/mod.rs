// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worker processes: a design that crashes, ends its process or hangs affects only one case.
//!
//! [`Process`] is a program that exchanges lines of JSON with this program and whose output is collected.
//! [`WorkerPool`] runs cases in such programs, and [`serve`] is their main loop. Usually, the program is started again
//! with a hidden command.

mod child;
mod output;
mod pipes;
mod pool;
mod request;
mod serve;
mod supervisor;

pub use child::{Process, ProcessEvent, ProcessExit};
pub(crate) use pool::NOT_REPRODUCIBLE;
pub use pool::WorkerPool;
pub use serve::serve;
pub use supervisor::WorkerLimits;
#[cfg(unix)]
pub(crate) use supervisor::check_memory;
