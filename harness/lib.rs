// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line, and the Verilated RTL as a design under test.
//!
//! The way of a run: a file becomes a case ([`drra_case::load`]), and [`drra_lockstep::run`] drives golden
//! model and design with it. A difference is a [`drra_lockstep::Mismatch`], which is data, not an error;
//! [`drra_diagnose::explain`] runs the case again to tell what led to it.

#[cfg(feature = "rtl")]
pub mod bridge;
#[path = "bridge/own_map.rs"]
pub mod own_map;
#[path = "bridge/scope.rs"]
pub mod scope;

pub mod bench;
pub mod cli;

use drra_isa::Geometry;

/// The fabric that this build is for (environment variables `DRRA_COLS`, `DRRA_TILE_ROWS`,
/// `DRRA_RF_DEPTH`, `DRRA_SRAM_DEPTH` at build time; see `harness/guide/toolchain.md`).
pub const GEOMETRY: Geometry = Geometry {
    columns: number(env!("DRRA_COLS")),
    tile_rows: number(env!("DRRA_TILE_ROWS")),
    rf_words: number(env!("DRRA_RF_DEPTH")),
    sram_blocks: number(env!("DRRA_SRAM_DEPTH")),
};

const fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut value = 0;
    let mut i = 0;
    while i < bytes.len() {
        value = 10 * value + (bytes[i] - b'0') as usize;
        i += 1;
    }
    value
}
