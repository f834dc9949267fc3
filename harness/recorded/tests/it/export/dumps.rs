// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dumps of exported cases on the project's own RTL, made by `.ci/other-simulators`. In every cycle, the input ports
//! match the stimulus, and the output ports match the golden model.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use drra_fabric::ports::Block;
use drra_isa::Geometry;
use drra_lockstep::GoldenRun;
use drra_recorded::export::{MANIFEST, Manifest};
use wellen::{SignalRef, simple::Waveform};

use super::reader;

/// Values of the signals of the test bench just before an edge, as binary digits by name.
type Edge = BTreeMap<String, String>;

/// The rising edges of `tb.clk` at which `tb.rst_n` is 1.
fn edges(dump: &Path) -> Vec<Edge> {
    let mut waves = wellen::simple::read(dump).unwrap();
    let hierarchy = waves.hierarchy();
    let bench = hierarchy.lookup_scope(&["tb"]).unwrap();
    let signals: BTreeMap<String, SignalRef> = hierarchy[bench]
        .vars(hierarchy)
        .map(|var| (hierarchy[var].name(hierarchy).to_owned(), hierarchy[var].signal_ref()))
        .collect();
    waves.load_signals(&signals.values().copied().collect::<Vec<_>>());
    let clock = signals["clk"];
    let times = 1..waves.time_table().len() as u32;
    let rising = times.filter(|time| {
        value(&waves, clock, *time).as_deref() == Some("1")
            && value(&waves, clock, time - 1).as_deref() == Some("0")
    });
    let before = rising.map(|time| {
        let of = |signal: &SignalRef| value(&waves, *signal, time - 1);
        signals.iter().filter_map(|(name, signal)| Some((name.clone(), of(signal)?))).collect()
    });
    before.filter(|edge: &Edge| edge["rst_n"] == "1").collect()
}

/// The value of a signal at a time; `None` if it has no value yet, or does not consist of bits.
fn value(waves: &Waveform, signal: SignalRef, time: u32) -> Option<String> {
    let signal = waves.get_signal(signal)?;
    let offset = signal.get_offset(time)?;
    signal.get_value_at(&offset, offset.elements - 1).to_bit_string()
}

/// A number as `width` binary digits.
fn bits(number: u64, width: usize) -> String {
    format!("{number:0width$b}")
}

/// A block in binary digits.
fn block_bits(block: &Block) -> String {
    block.iter().rev().map(|word| bits(*word, 64)).collect()
}

/// Hexadecimal digits as `width` binary digits.
fn from_hex(digits: &str, width: usize) -> String {
    let all: String = digits.chars().map(|d| bits(u64::from(d.to_digit(16).unwrap()), 4)).collect();
    let (beyond, bits) = all.split_at(all.len() - width);
    assert!(!beyond.contains('1'), "{digits} has more than {width} bits");
    bits.to_owned()
}

/// The output ports of the golden model in its current cycle, and the answers of the input buffers.
fn outputs(golden: &GoldenRun<'_>, geometry: &Geometry) -> BTreeMap<&'static str, String> {
    let columns = geometry.columns;
    let mut reads = vec![None; columns];
    for read in golden.fabric.buffer_reads() {
        reads[read.column.col()] = Some(read.addr);
    }
    let mut writes = vec![None; columns];
    for write in golden.fabric.buffer_writes() {
        writes[write.column.col()] = Some(write);
    }
    let status = golden.fabric.status();
    // Column 0 is in the lowest bits.
    let of = |port: &dyn Fn(usize) -> String| (0..columns).rev().map(port).collect::<String>();
    BTreeMap::from([
        ("cell_idle", bits(status.cell_idle, geometry.cells())),
        ("all_idle", bits(status.all_idle.into(), 1)),
        ("agu_busy", bits(status.agu_busy.into(), 1)),
        ("io_in_en", of(&|c| bits(reads[c].is_some().into(), 1))),
        ("io_in_addr", of(&|c| bits(reads[c].unwrap_or(0).into(), 25))),
        ("io_in_data", of(&|c| block_bits(&golden.buffers.answers()[c]))),
        ("io_out_en", of(&|c| bits(writes[c].is_some().into(), 1))),
        ("io_out_addr", of(&|c| bits(writes[c].map_or(0, |w| w.addr).into(), 25))),
        ("io_out_data", of(&|c| block_bits(&writes[c].map_or([0; 4], |w| w.data)))),
        ("io_out_mask", of(&|c| bits(writes[c].map_or(0, |w| w.mask).into(), 16))),
    ])
}

/// Compares a dump with the files next to it.
fn check(dump: &Path, size: Geometry) {
    let Geometry { columns, tile_rows, rf_words, sram_blocks } = size;
    let geometry = Geometry { columns, tile_rows, rf_words, sram_blocks };
    let read = |name| fs::read_to_string(dump.with_file_name(name)).unwrap();
    let case = drra_case::parse(&read("case.json")).unwrap();
    let rows = reader::rows(&read("stimulus.txt"));
    let edges = edges(dump);
    assert_eq!(edges.len(), rows.len(), "{}", dump.display());
    let mut golden = GoldenRun::new(&case);
    for (cycle, (edge, row)) in edges.iter().zip(&rows).enumerate() {
        for (port, digits) in row {
            let seen = &edge[port];
            assert_eq!(
                *seen,
                from_hex(digits, seen.len()),
                "{}: {port}, cycle {cycle}",
                dump.display()
            );
        }
        for (port, expected) in outputs(&golden, &geometry) {
            assert_eq!(edge[port], expected, "{}: {port}, cycle {cycle}", dump.display());
        }
        golden.step();
    }
}

#[test]
fn ports_of_the_rtl_on_other_simulators() {
    let Some(folder) = std::env::var_os("DRRA_EXPORTED").map(PathBuf::from) else {
        println!("skipped: DRRA_EXPORTED does not name a folder of cases with dumps");
        return;
    };
    let manifest = fs::read_to_string(folder.join(MANIFEST)).unwrap();
    let manifest = Manifest::parse(&manifest).unwrap();
    assert!(!manifest.cases.is_empty());
    for case in &manifest.cases {
        let dumps = ["dump.vcd", "dump.fst"].map(|name| folder.join(&case.folder).join(name));
        let dump = dumps.iter().find(|dump| dump.exists());
        check(dump.unwrap_or_else(|| panic!("no dump in {}", case.folder)), manifest.fabric);
    }
    println!("{} dumps, every port in every cycle", manifest.cases.len());
}
