// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the instruction set crate against the case files of chapter 1.

mod descriptions;
mod disassembly;
mod encoding;
mod images;
mod imports;
mod instructions;
mod loader;
mod meanings;
mod modes;
mod opcodes;
mod places;
mod programs;
mod schedules;
mod sizes;
mod test_benches;

use drra_isa::{Isa, Revision};
use serde_json::Value;

/// The shared case file of encodings, programs, errors and disassemblies.
fn encoding_cases() -> Value {
    serde_json::from_str(include_str!("../data/encoding_cases.json")).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("array `{key}`"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("text `{key}` in {value}"))
}

fn strings(value: &Value, key: &str) -> Vec<String> {
    value[key]
        .as_array()
        .map(|a| a.iter().map(|s| s.as_str().unwrap().to_owned()).collect())
        .unwrap_or_default()
}

fn revision(case: &Value) -> Revision {
    text(case, "rev").parse().unwrap()
}

fn isa(case: &Value) -> &'static Isa {
    revision(case).isa()
}

fn is_io(case: &Value) -> bool {
    case["cell_kind"] == "io"
}

fn bits(words: &[String]) -> Vec<u64> {
    words.iter().map(|w| u64::from_str_radix(w, 2).unwrap()).collect()
}
