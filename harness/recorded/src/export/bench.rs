// SPDX-License-Identifier: MIT OR Apache-2.0
//! Test benches and scripts: the files that all cases of a fabric share.

use drra_isa::Geometry;

use super::File;
use crate::map::InputPort;

/// Blocks of input buffers for which a test bench has room at least.
const ROOM: usize = 1024;

/// Name and text of each file, with places for the size of the fabric.
const TEMPLATES: [(&str, &str); 11] = [
    ("tb.sv", include_str!("bench/tb.sv")),
    ("tb.vhd", include_str!("bench/tb.vhd")),
    ("cases.sh", include_str!("bench/cases.sh")),
    ("run-verilator.sh", include_str!("bench/run-verilator.sh")),
    ("run-icarus.sh", include_str!("bench/run-icarus.sh")),
    ("run-ghdl.sh", include_str!("bench/run-ghdl.sh")),
    ("run-nvc.sh", include_str!("bench/run-nvc.sh")),
    ("run-questa.sh", include_str!("bench/run-questa.sh")),
    ("run-vcs.sh", include_str!("bench/run-vcs.sh")),
    ("run-xcelium.sh", include_str!("bench/run-xcelium.sh")),
    ("README.md", include_str!("bench/README.md")),
];

/// Test benches, scripts and a page that explains them, for a fabric and for cases with at most
/// `buffer_blocks` blocks in their input buffers.
pub fn bench(geometry: &Geometry, buffer_blocks: usize) -> Vec<File> {
    let width = |port: InputPort| port.width(geometry) as usize;
    let sizes = [
        ("{{COLS}}", geometry.columns),
        ("{{TILE_ROWS}}", geometry.tile_rows),
        ("{{RF_DEPTH}}", geometry.rf_words),
        ("{{SRAM_DEPTH}}", geometry.sram_blocks),
        ("{{TILE_ROW_BITS}}", width(InputPort::SramInitRow)),
        ("{{COL_BITS}}", width(InputPort::SramInitCol)),
        ("{{SRAM_ADDR_BITS}}", width(InputPort::SramInitAddr)),
        ("{{RF_BLOCK_BITS}}", width(InputPort::RfInitBlock)),
        ("{{BUFFER_BLOCKS}}", (buffer_blocks + 1).next_power_of_two().max(ROOM)),
    ];
    let fill = |text: &str| {
        sizes
            .iter()
            .fold(text.to_owned(), |text, (place, size)| text.replace(place, &size.to_string()))
    };
    let file = |(name, text): (&'static str, &str)| {
        let executable = name.starts_with("run-");
        File { name, text: fill(text), executable }
    };
    TEMPLATES.map(file).to_vec()
}
