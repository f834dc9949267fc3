// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the crate through its interface.

mod check;
mod clocks;
mod dumps;
mod frames;
mod hostile;
mod learn;
mod learn_design;
mod map;
mod memories;
mod ports;
mod recording;
mod support;
