// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra trace`: waves contain the same changes as the lines, in the same cycles.

use std::{collections::BTreeMap, fs, io::Cursor};

use drra_cosim::GEOMETRY;
use drra_fabric::{Layout, Location};
use serde_json::Value;

use crate::drra;

/// Sides that this build supports.
const SIDES: &[&str] = if cfg!(feature = "rtl") { &["golden", "rtl"] } else { &["golden"] };

/// Cycle, path and value of every change after reset; the value is a hexadecimal number without leading zeros.
type Changes = Vec<(u64, String, String)>;

fn traced(side: &str, options: &[&str]) -> Vec<u8> {
    let output = drra(&[&["trace", "isa/vec_add.sasm", "--model", side], options].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn number(digits: &str) -> String {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() { "0".to_owned() } else { digits.to_owned() }
}

/// A path as it is written in waves.
fn wave_name(path: &str) -> String {
    path.replace("][", "_").replace('[', "_").replace(']', "")
}

/// The changes in the lines of a trace, with the names that are used in waves.
fn of_lines(text: &[u8]) -> Changes {
    let text = std::str::from_utf8(text).unwrap();
    let mut changes = Vec::new();
    for line in text.lines().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(path) = line["path"].as_str() else { continue };
        let value = number(line["value"].as_str().unwrap().trim_start_matches("0x"));
        changes.push((line["cycle"].as_u64().unwrap(), wave_name(path), value));
    }
    changes.sort();
    changes
}

/// The changes in waves. `reset` contains the values of the registers that are not zero after reset; the first value of
/// a register is compared with its value there, and if there is none, with zero.
fn of_waves(bytes: &[u8], side: &str, reset: &BTreeMap<String, String>) -> Changes {
    let mut waves = wellen::simple::read_from_reader(Cursor::new(bytes.to_vec())).unwrap();
    let hierarchy = waves.hierarchy();
    let variables: Vec<_> = hierarchy
        .all_vars()
        .map(|v| {
            let name = hierarchy[v].full_name(hierarchy);
            let (scope, name) = name.split_once('.').unwrap();
            assert_eq!(scope, side);
            (name.to_owned(), hierarchy[v].signal_ref())
        })
        // Leaves out the texts that are written in addition to the numbers.
        .filter(|(name, _)| !name.ends_with("_name") && !name.ends_with("seq.instruction"))
        .collect();
    let times = waves.time_table().to_vec();
    let mut changes = Vec::new();
    for (name, signal) in variables {
        waves.load_signals(&[signal]);
        let mut before = reset.get(&name).cloned().unwrap_or_else(|| number(""));
        for (time, value) in waves.get_signal(signal).unwrap().iter_changes() {
            let bits = value.to_bit_string().unwrap();
            let padded = format!("{}{bits}", "0".repeat((4 - bits.len() % 4) % 4));
            let digit = |four: &[u8]| {
                let four = std::str::from_utf8(four).unwrap();
                char::from_digit(u32::from_str_radix(four, 2).unwrap(), 16).unwrap()
            };
            let value = number(&padded.as_bytes().chunks(4).map(digit).collect::<String>());
            if value != before {
                changes.push((times[time as usize], name.clone(), value.clone()));
                before = value;
            }
        }
    }
    changes.sort();
    changes
}

/// Values that are not zero after reset, according to the tables of chapter 5, section 7.
fn reset_values() -> BTreeMap<String, String> {
    let layout = Layout::new(&GEOMETRY);
    let value = |location: Location| {
        let reset = location.register.id().info().reset.filter(|value| *value != 0)?;
        Some((wave_name(&location.to_string()), format!("{reset:x}")))
    };
    layout.locations().filter_map(value).collect()
}

/// The waves contain exactly the changes in the lines, including those of the memories of the tiles.
#[test]
fn waves_have_the_changes_of_the_lines() {
    for side in SIDES {
        let lines = of_lines(&traced(side, &["--with-end"]));
        let waves = traced(side, &["--with-end", "--format", "fst"]);
        assert_eq!(of_waves(&waves, side, &reset_values()), lines, "{side}");
        // Chapter 3: the sum of word 0 and word 16, and rows that the data section fills.
        assert!(lines.contains(&(52, "cell_0_0.rf.mem_32".to_owned(), "10".to_owned())));
        assert!(lines.iter().any(|(_, name, _)| name == "tile_1_0.sram_3"));
    }
}

/// Sides that agree have the same lines: an undefined register, such as the data of a memory that was not read, keeps its
/// last value (chapter 6, 7.3).
#[test]
fn sides_that_agree_have_the_same_lines() {
    let golden = of_lines(&traced("golden", &[]));
    assert!(golden.iter().any(|(_, name, _)| name == "tile_1_0.mem_q"));
    for side in SIDES {
        assert_eq!(of_lines(&traced(side, &[])), golden, "{side}");
    }
}

/// The first cycle, the last cycle and the pattern select a part of the run; the same bytes are written to a file as to
/// standard output.
#[test]
fn parts_of_runs_in_waves() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let part = ["--from", "40", "--to", "60", "--only", "cell[0][0].rf.*", "--format", "fst"];
    for side in SIDES {
        let bytes = traced(side, &part);
        let waves = wellen::simple::read_from_reader(Cursor::new(bytes.clone())).unwrap();
        // Before the window, all values are unknown; the last cycle of the window ends where the next cycle would
        // begin.
        let times = waves.time_table();
        assert!(times.iter().all(|time| *time == 0 || *time >= 40), "{times:?}");
        assert!(times.contains(&40) && times.last() == Some(&61), "{times:?}");
        let hierarchy = waves.hierarchy();
        let names: Vec<_> =
            hierarchy.all_vars().map(|v| hierarchy[v].full_name(hierarchy)).collect();
        assert!(names.contains(&format!("{side}.cell_0_0.rf.mem_32")));
        assert!(names.iter().all(|n| n.starts_with(&format!("{side}.cell_0_0.rf."))), "{names:?}");
        traced(side, &[&part[..], &["--out", path.to_str().unwrap()]].concat());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

/// A request that cannot be traced is rejected, and no file is left.
#[test]
fn refused_traces() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.fst");
    let refused = |options: &[&str]| {
        let out = ["--out", path.to_str().unwrap()];
        let output = drra(&[&["trace", "isa/vec_add.sasm"], options, &out].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{options:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for format in ["jsonl", "fst"] {
        let text = refused(&["--format", format, "--only", "cell[0][0].rf.memory*"]);
        assert!(text.contains("--only cell[0][0].rf.memory*: no register"), "{text}");
    }
    let missing = dir.path().join("none").join("w.fst");
    let missing = missing.to_str().unwrap();
    let output = drra(&["trace", "isa/vec_add.sasm", "--format", "fst", "--out", missing]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains(missing));
}
