// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signal maps: the format, what a map finds in a dump, what is wrong with it.

mod expressions;
mod format;
mod mutated;
mod problems;
mod registers;

use std::collections::HashMap;

use drra_isa::Geometry;
use drra_recorded::{
    Bits, Names, Shown, SignalId, SignalKind,
    map::{MapFile, MapProblem, SignalMap, SignalValues},
};
use serde_json::{Value, json};

/// A small fabric.
const SMALL: Geometry = Geometry { columns: 2, tile_rows: 1, rf_words: 32, sram_blocks: 4 };

/// Values by number of the signal.
#[derive(Default)]
struct Shows(HashMap<SignalId, Shown>);

impl SignalValues for Shows {
    fn get(&self, id: SignalId) -> Option<&Shown> {
        self.0.get(&id)
    }
}

/// Names with clock and reset and the signals given: path and width, 0 for text.
fn names(signals: &[(&str, u32)]) -> Names {
    let mut names = Names::default();
    for (path, width) in [("top.clk", 1), ("top.rst_n", 1)].iter().chain(signals) {
        let kind = match width {
            0 => SignalKind::Text,
            width => SignalKind::Bits { width: *width },
        };
        let mut levels: Vec<&str> = path.split('.').collect();
        let name = levels.pop().unwrap();
        names.add(&levels, name, kind, Vec::new());
    }
    names
}

/// A map with these registers, and with what `more` adds to it or changes of it.
fn map(registers: Value, more: Value) -> Value {
    let mut map = json!({
        "version": 1,
        "let": {"cell": "top.r{r}.c{c}"},
        "tables": {"units": {"w0": "first", "w1": "second"}, "swapped": [1, 0]},
        "clock": {"signal": "top.clk", "edge": "rising"},
        "reset": {"signal": "top.rst_n", "active": "low"},
        "registers": registers
    });
    for (key, value) in more.as_object().unwrap() {
        map[key] = value.clone();
    }
    map
}

fn resolve(map: &Value, names: &Names) -> Result<SignalMap, Vec<MapProblem>> {
    let file = MapFile::parse(&map.to_string()).unwrap_or_else(|e| panic!("{e}: {map}"));
    SignalMap::resolve(&file, names, &SMALL)
}

#[track_caller]
fn resolved(registers: Value, names: &Names) -> SignalMap {
    resolve(&map(registers, json!({})), names).unwrap_or_else(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{texts:#?}")
    })
}

/// Canonical paths of the compared registers.
fn compared(map: &SignalMap) -> Vec<String> {
    map.registers.iter().map(|r| r.location.to_string()).collect()
}

fn bits(text: &str) -> Bits {
    Bits::parse(text).unwrap()
}
