// SPDX-License-Identifier: MIT OR Apache-2.0
//! Co-verification of the DRRA/DiMArch fabric: programs drive the golden model and the Verilated
//! RTL in lock-step, and all architectural state is compared in every cycle.
//!
//! The way of a run: a file becomes a [`Case`] ([`load`]), a case expands into a [`Stimulus`], and
//! [`lockstep`] drives both sides with it. A difference is a [`Mismatch`], which is data, not an
//! error; [`explain`] replays the case to tell what led to it.

#[cfg(feature = "rtl")]
pub mod attribution;
#[cfg(feature = "rtl")]
pub mod bench;
#[cfg(feature = "rtl")]
pub mod bridge;
#[cfg(feature = "rtl")]
pub mod campaign;
pub mod case;
pub mod cli;
#[cfg(feature = "rtl")]
pub mod coverage;
pub mod diagnostic;
pub mod environment;
#[cfg(feature = "rtl")]
pub mod explain;
pub mod generate;
pub mod golden_run;
pub mod load;
#[cfg(feature = "rtl")]
pub mod lockstep;
pub mod output;
pub mod programs;
#[cfg(feature = "rtl")]
mod replay;
#[cfg(feature = "rtl")]
pub mod report;
#[cfg(feature = "rtl")]
pub mod rule;
#[cfg(feature = "rtl")]
pub mod shrink;
#[cfg(feature = "rtl")]
pub mod signal_map;
#[cfg(feature = "rtl")]
pub mod signature;
#[cfg(feature = "rtl")]
pub mod state_map;
pub mod stimulus;
pub mod trace;
#[cfg(feature = "rtl")]
pub mod waves;

pub use case::Case;
pub use environment::Environment;
#[cfg(feature = "rtl")]
pub use lockstep::Mismatch;
pub use stimulus::Stimulus;

use drra_isa::Geometry;

/// The fabric that this build is for (environment variables `DRRA_COLS`, `DRRA_TILE_ROWS`,
/// `DRRA_RF_DEPTH`, `DRRA_SRAM_DEPTH` at build time; see README).
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
