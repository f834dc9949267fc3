// SPDX-License-Identifier: MIT OR Apache-2.0
//! Test benches and scripts: the files shared by all cases of a fabric.

use drra_fabric::ports::InputPort;
use drra_isa::Geometry;

use super::file::ExportFile;

/// Minimum size of the arrays for the blocks of the input buffers in a test bench.
const MIN_SIZE: usize = 1024;

/// Name and text of each file, with placeholders that `bench` replaces.
const TEMPLATES: [(&str, &str); 12] = [
    ("tb.sv", include_str!("bench/tb.sv")),
    ("tb.vhd", include_str!("bench/tb.vhd")),
    ("cases.sh", include_str!("bench/cases.sh")),
    ("fork.c", include_str!("bench/fork.c")),
    ("run-verilator.sh", include_str!("bench/run-verilator.sh")),
    ("run-icarus.sh", include_str!("bench/run-icarus.sh")),
    ("run-ghdl.sh", include_str!("bench/run-ghdl.sh")),
    ("run-nvc.sh", include_str!("bench/run-nvc.sh")),
    ("run-questa.sh", include_str!("bench/run-questa.sh")),
    ("run-vcs.sh", include_str!("bench/run-vcs.sh")),
    ("run-xcelium.sh", include_str!("bench/run-xcelium.sh")),
    ("README.md", include_str!("bench/README.md")),
];

/// A fabric for which the export includes the instance, a map and scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportTarget {
    /// The published SiLago fabric, in VHDL.
    SilagoPublished,
}

/// Files that are added for the published fabric, and the README that replaces the default README.
const SILAGO: [(&str, &str); 5] = [
    ("divider.vhd", include_str!("bench/silago-published/divider.vhd")),
    ("signals.opt", include_str!("bench/silago-published/signals.opt")),
    ("run-silago.sh", include_str!("bench/silago-published/run-silago.sh")),
    ("signals.map", include_str!("../../maps/silago-published.map")),
    ("README.md", include_str!("bench/silago-published/README.md")),
];

/// Test benches, scripts and a README for a fabric and for cases with at most `buffer_blocks` blocks in their input
/// buffers. A target gets only the files that it needs, adapted to it.
pub fn bench(
    geometry: &Geometry,
    buffer_blocks: usize,
    target: Option<ExportTarget>,
) -> Vec<ExportFile> {
    let instance = match target {
        None => include_str!("bench/instance.vhd"),
        Some(ExportTarget::SilagoPublished) => include_str!("bench/silago-published/instance.vhd"),
    };
    let of_silago = |name| matches!(name, "tb.vhd" | "cases.sh" | "fork.c" | "run-ghdl.sh");
    let templates: Vec<_> = match target {
        None => TEMPLATES.to_vec(),
        Some(ExportTarget::SilagoPublished) => {
            TEMPLATES.into_iter().filter(|(name, _)| of_silago(*name)).chain(SILAGO).collect()
        }
    };
    let file = |(name, text): (&'static str, &str)| {
        let executable = name.starts_with("run-");
        let text = filled(&text.replace("{{INSTANCE}}", instance), geometry, buffer_blocks);
        ExportFile { name, text, executable }
    };
    templates.into_iter().map(file).collect()
}

/// A test in Python for cocotb, which compares the design with the golden model while it is simulated. It needs the
/// Python package `drra` and the case.
pub fn cocotb(geometry: &Geometry) -> ExportFile {
    let text = filled(include_str!("bench/test_drra.py"), geometry, 0);
    ExportFile { name: "test_drra.py", text, executable: false }
}

/// A text with the sizes in place of the placeholders.
fn filled(text: &str, geometry: &Geometry, buffer_blocks: usize) -> String {
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
        ("{{BUFFER_BLOCKS}}", (buffer_blocks + 1).next_power_of_two().max(MIN_SIZE)),
    ];
    let fill = |text: String, (place, size): &(&str, usize)| text.replace(place, &size.to_string());
    sizes.iter().fold(text.to_owned(), fill)
}
