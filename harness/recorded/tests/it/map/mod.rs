// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signal maps: their format, the signals that they find in a waveform, and their problems.

mod expressions;
mod format;
mod mutated;
mod problems;
mod registers;

use std::collections::HashMap;

use drra_isa::Geometry;
use drra_lockstep::Value;
use drra_recorded::{
    SignalHandle, SignalKind, SignalNames, WaveformValue,
    map::{MapError, MapFile, SignalMap, SignalValues},
};

/// A small fabric.
const SMALL: Geometry = Geometry { columns: 2, tile_rows: 1, rf_words: 32, sram_blocks: 4 };
/// The first statements of most maps in these tests.
const HEAD: &str = "\
let cell = top.r{r}.c{c}
table units = W0: first, w1: second
table swapped = 1, 0
clock rising top.clk
reset low top.rst_n
";

/// Values by the number of the signal.
#[derive(Default)]
struct SignalTable(HashMap<SignalHandle, WaveformValue>);

impl SignalValues for SignalTable {
    fn get(&self, id: SignalHandle) -> Option<&WaveformValue> {
        self.0.get(&id)
    }
}

/// The names of the clock, the reset and the given signals. Each signal is given by its path and its width, which is 0
/// for text.
fn names(signals: &[(&str, u32)]) -> SignalNames {
    let mut names = SignalNames::default();
    for (path, width) in [("top.clk", 1), ("top.rst_n", 1)].iter().chain(signals) {
        let kind = match width {
            0 => SignalKind::Text,
            width => SignalKind::Bits { width: *width },
        };
        names.add(path, kind, Vec::new());
    }
    names
}

fn resolve(map: &str, names: &SignalNames) -> Result<SignalMap, MapError> {
    SignalMap::resolve(&MapFile::parse("signals.map", map)?, names, &SMALL)
}

/// A map with these statements, bound.
#[track_caller]
fn resolved(statements: &str, names: &SignalNames) -> SignalMap {
    resolve(&format!("{HEAD}{statements}"), names).unwrap_or_else(|e| panic!("{e}"))
}

/// Canonical paths of the compared registers.
fn compared(map: &SignalMap) -> Vec<String> {
    map.registers.iter().map(|r| r.location.to_string()).collect()
}

fn bits(text: &str) -> Value {
    Value::parse(text).unwrap()
}
