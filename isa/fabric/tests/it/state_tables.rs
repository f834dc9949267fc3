// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the state tables of chapter 5, section 7, against the fabric description: paths, widths and reset values are
//! the same.

use std::collections::BTreeMap;

use drra_fabric::SignalId;

use crate::chapter_tables::described;

/// Texts between backquotes.
pub(crate) fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A path without the text in brackets.
pub(crate) fn plain(path: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for c in path.chars() {
        depth -= i32::from(c == ']');
        if depth == 0 {
            out.push(c);
        }
        depth += i32::from(c == '[');
    }
    out
}

/// Paths and widths of one row; `aw` is the width of an address of w0.
fn row(path: &str, registers: &str) -> Vec<(String, u32)> {
    let number = |text: &str| {
        let word: String = text.chars().take_while(char::is_ascii_alphanumeric).collect();
        if word == "aw" { Some(6) } else { word.parse().ok() }
    };
    let mut prefixes: Vec<String> = Vec::new();
    for text in quoted(path).into_iter().filter(|t| t.contains(['.', '[', '_'])) {
        let whole = match (text.strip_prefix('.'), prefixes.last()) {
            (Some(last), Some(first)) => {
                let stem = first.trim_end_matches('.').rsplit_once('.').unwrap().0;
                format!("{stem}.{last}")
            }
            _ => plain(text),
        };
        prefixes.push(whole);
    }
    let is_prefix = prefixes[0].ends_with(['.', '_']) || registers.contains(':');
    if !is_prefix {
        let widths = registers.split(", ").map(|w| number(w).unwrap());
        return prefixes.into_iter().zip(widths).collect();
    }
    let parts: Vec<&str> = registers.split('`').collect();
    let named = parts.chunks(2).skip(1).zip(parts.chunks(2)).filter_map(|(after, before)| {
        Some((plain(before.get(1)?), number(after[0].trim_start())?))
    });
    let named: Vec<(String, u32)> = named.collect();
    let joined = |p: &String, name: &String| match p.ends_with(['.', '_']) {
        true => format!("{p}{name}"),
        false => format!("{p}.{name}"),
    };
    let all = prefixes.iter().flat_map(|p| named.iter().map(move |(n, w)| (joined(p, n), *w)));
    all.collect()
}

/// Reset value of the registers of a row: "Reset value 0 unless noted".
fn reset(registers: &str) -> Option<u64> {
    if registers.contains("(no reset") {
        return None;
    }
    let noted = registers.split_once("(reset ").map(|(_, rest)| rest.split(')').next().unwrap());
    let value = noted.map_or(0, |text| match text.len() {
        1 => text.parse().unwrap(),
        _ => u64::from_str_radix(text, 2).unwrap(),
    });
    Some(value)
}

#[test]
fn the_tables_of_chapter_5_list_the_registers_of_the_description() {
    let chapter = include_str!("../../../spec/05-interconnect.md");
    assert!(chapter.contains("Reset value 0 unless noted."));
    let section = chapter.split("### 7.1").nth(1).unwrap().split("### 7.3").next().unwrap();
    let mut written = BTreeMap::new();
    for line in section.lines().filter(|l| l.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        for (path, width) in row(cells[1], cells[2]) {
            let entry = (width, reset(cells[2]));
            assert_eq!(written.insert(path.clone(), entry), None, "{path} is listed twice");
        }
    }
    for (path, (id, widths)) in described() {
        let entry = (widths[0], id.info().reset);
        assert_eq!(written.remove(&path), Some(entry), "{path}: chapter and description differ");
    }
    assert!(written.is_empty(), "not described: {:?}", written.keys());
}

/// Chapter 5, 7.4, lists every signal with its width and its key.
#[test]
fn signals_are_in_the_table_of_the_chapter() {
    let chapter = include_str!("../../../spec/05-interconnect.md");
    let section = chapter.split("### 7.4 ").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), SignalId::ALL.len());
    for signal in SignalId::ALL {
        let info = signal.info();
        let key = signal.key_kind().map_or("", |kind| kind.name());
        let begins = format!("| `{}` {} | {key} | ", info.name, info.width);
        assert!(rows.iter().any(|row| row.starts_with(&begins)), "no row {begins}");
    }
}
