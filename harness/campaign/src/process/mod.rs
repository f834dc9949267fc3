// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worker processes: a design that crashes, ends its process or never comes to the end of a cycle costs one case.
//!
//! [`Process`] is a program that takes and gives lines of JSON, is watched, and whose output is collected.
//! [`Processes`] runs cases in such programs, and [`serve`] is what such a program does: usually the same
//! executable, started with a hidden command.

mod child;
mod crew;
mod printed;
mod serve;
mod task;
mod watched;

pub use crate::error::Trouble;
pub use child::{End, Heard, Process};
pub(crate) use crew::NOT_AGAIN;
pub use crew::{Limits, Processes};
pub use serve::serve;
