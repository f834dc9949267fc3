// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings as files: VCD, FST, traces.

use std::{fmt::Write, fs, path::Path};

use drra_cosim::GEOMETRY;
use drra_isa::Geometry;
use drra_testkit::fst::begin;
use serde_json::json;

use super::recording::Recording;

/// The name without the scope.
fn leaf(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, leaf)| leaf)
}

/// A VCD with a clock of ten units that rises in the middle of a cycle.
pub(super) fn vcd(recording: &Recording) -> String {
    let mut out =
        String::from("$timescale 1ns $end\n$scope module bench $end\n$var wire 1 clk clk $end\n");
    let widths = recording.edges[0].iter().map(String::len);
    for (i, (name, width)) in recording.names.iter().zip(widths).enumerate() {
        writeln!(out, "$var wire {width} i{i} {} $end", leaf(name)).unwrap();
    }
    out += "$upscope $end\n$enddefinitions $end\n";
    let mut last: Vec<&str> = vec![""; recording.names.len()];
    for (edge, values) in recording.edges.iter().enumerate() {
        writeln!(out, "#{}\n0clk", 10 * edge).unwrap();
        for (i, value) in values.iter().enumerate().filter(|(i, value)| last[*i] != *value) {
            writeln!(out, "b{value} i{i}").unwrap();
        }
        last = values.iter().map(String::as_str).collect();
        writeln!(out, "#{}\n1clk", 10 * edge + 5).unwrap();
    }
    out
}

/// An FST with the same times.
pub(super) fn fst(recording: &Recording, path: &Path) -> Vec<u8> {
    let widths = recording.edges[0].iter().map(|value| value.len() as u32);
    let wires = recording.names.iter().map(|name| leaf(name).to_owned()).zip(widths);
    let (mut body, mut ids) =
        begin(path, "bench", [("clk".to_owned(), 1)].into_iter().chain(wires));
    let clock = ids.remove(0);
    let mut last: Vec<&str> = vec![""; ids.len()];
    for (edge, values) in recording.edges.iter().enumerate() {
        body.time_change(10 * edge as u64).unwrap();
        body.signal_change(clock, b"0").unwrap();
        for (i, value) in values.iter().enumerate().filter(|(i, value)| last[*i] != *value) {
            body.signal_change(ids[i], value.as_bytes()).unwrap();
        }
        last = values.iter().map(String::as_str).collect();
        body.time_change(10 * edge as u64 + 5).unwrap();
        body.signal_change(clock, b"1").unwrap();
    }
    body.finish().unwrap();
    fs::read(path).unwrap()
}

/// A trace of the first signals, whose paths are given.
pub(super) fn trace(cycles: &[Vec<String>], paths: &[String]) -> String {
    let header = json!({
        "format": "drra-trace", "version": 2, "program": "p", "model": "rtl", "first_program_cycle": 0,
        "fabric": {
            "rows": Geometry::ROWS, "columns": GEOMETRY.columns, "tile_rows": GEOMETRY.tile_rows,
            "rf_words": GEOMETRY.rf_words, "sram_blocks": GEOMETRY.sram_blocks,
        },
    });
    let mut out = format!("{header}\n");
    let mut last: Vec<String> =
        paths.iter().enumerate().map(|(n, _)| "0".repeat(cycles[0][n].len())).collect();
    for (cycle, values) in cycles.iter().enumerate() {
        for (n, path) in paths.iter().enumerate().filter(|(n, _)| last[*n] != values[*n]) {
            let nibbles = values[n].len().div_ceil(4);
            let padded = format!("{:0>1$}", values[n], 4 * nibbles);
            let digit = |i: usize| u8::from_str_radix(&padded[4 * i..4 * i + 4], 2).unwrap();
            let hex: String = (0..nibbles).map(|i| format!("{:x}", digit(i))).collect();
            writeln!(out, "{{\"cycle\": {cycle}, \"path\": \"{path}\", \"value\": \"0x{hex}\"}}")
                .unwrap();
        }
        last.clone_from_slice(&values[..paths.len()]);
    }
    writeln!(out, "{{\"last_cycle\": {}}}", cycles.len() - 1).unwrap();
    out
}
