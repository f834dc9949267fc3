// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms as files that are written cycle by cycle: VCD, FST and traces.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use drra_cosim::GEOMETRY;
use drra_isa::Geometry;
use drra_testkit::fst;
use fst_writer::FstSignalId;
use serde_json::json;

/// Number of cycles in a section of an FST.
const SECTION: u64 = 1000;

/// A file that is being written. Waves have a clock with a period of ten units, which rises in the middle of a cycle.
pub(crate) enum WaveFile {
    Vcd(BufWriter<File>),
    Fst(Box<fst::Values>, Vec<FstSignalId>),
    /// A trace, with the paths of the registers.
    Trace(BufWriter<File>, Vec<String>),
}

impl WaveFile {
    /// Begins a file with signals in a scope, each with its number of bits; in a trace, the signals are registers,
    /// named by their paths.
    pub(crate) fn begin(format: &str, path: &Path, scope: &str, all: &[(String, u32)]) -> Self {
        if format == "fst" {
            let wires = [("clk".to_owned(), 1)].into_iter().chain(all.iter().cloned());
            let (values, ids) = fst::begin(path, scope, wires);
            return Self::Fst(Box::new(values), ids);
        }
        let mut out = BufWriter::new(File::create(path).unwrap());
        if format == "vcd" {
            let head = format!("$scope module {scope} $end\n$var wire 1 clk clk $end");
            writeln!(out, "$timescale 1ns $end\n{head}").unwrap();
            for (i, (name, width)) in all.iter().enumerate() {
                writeln!(out, "$var wire {width} i{i} {name} $end").unwrap();
            }
            writeln!(out, "$upscope $end\n$enddefinitions $end").unwrap();
            return Self::Vcd(out);
        }
        let header = json!({
            "format": "drra-trace", "version": 2, "program": "p", "model": "rtl",
            "first_program_cycle": 0, "fabric": {
                "rows": Geometry::ROWS, "columns": GEOMETRY.columns,
                "tile_rows": GEOMETRY.tile_rows, "rf_words": GEOMETRY.rf_words,
                "sram_blocks": GEOMETRY.sram_blocks,
            },
        });
        writeln!(out, "{header}").unwrap();
        Self::Trace(out, all.iter().map(|(path, _)| path.clone()).collect())
    }

    /// Writes the changes in a cycle: numbers of signals, and their bits as characters, highest first.
    pub(crate) fn cycle(&mut self, cycle: u64, changes: &[(usize, &str)]) {
        match self {
            Self::Vcd(out) => {
                writeln!(out, "#{}\n0clk", 10 * cycle).unwrap();
                for (n, bits) in changes {
                    writeln!(out, "b{bits} i{n}").unwrap();
                }
                writeln!(out, "#{}\n1clk", 10 * cycle + 5).unwrap();
            }
            Self::Fst(out, ids) => {
                if cycle > 0 && cycle.is_multiple_of(SECTION) {
                    out.flush().unwrap();
                }
                out.time_change(10 * cycle).unwrap();
                out.signal_change(ids[0], b"0").unwrap();
                for (n, bits) in changes {
                    out.signal_change(ids[1 + n], bits.as_bytes()).unwrap();
                }
                out.time_change(10 * cycle + 5).unwrap();
                out.signal_change(ids[0], b"1").unwrap();
            }
            Self::Trace(out, paths) => {
                for (n, bits) in changes {
                    let (path, digits) = (&paths[*n], bits.len().div_ceil(4));
                    let padded = format!("{bits:0>width$}", width = 4 * digits);
                    let digit =
                        |k: usize| u8::from_str_radix(&padded[4 * k..4 * k + 4], 2).unwrap();
                    let hex: String = (0..digits).map(|k| format!("{:x}", digit(k))).collect();
                    let line = format!(r#""path": "{path}", "value": "0x{hex}""#);
                    writeln!(out, "{{\"cycle\": {cycle}, {line}}}").unwrap();
                }
            }
        }
    }

    /// Ends a file of this many cycles.
    pub(crate) fn end(self, cycles: u64) {
        match self {
            Self::Vcd(mut out) => out.flush().unwrap(),
            Self::Fst(out, _) => _ = out.finish().unwrap(),
            Self::Trace(mut out, _) => {
                writeln!(out, "{{\"last_cycle\": {}}}", cycles - 1).unwrap();
                out.flush().unwrap();
            }
        }
    }
}
