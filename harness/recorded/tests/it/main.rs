// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the crate through its interface.

mod check;
mod export;
mod infer;
mod infer_design;
mod live;
mod map;
mod memories;
mod ports;
mod recording;
mod samples;
mod streams;
mod support;
mod waveforms;
