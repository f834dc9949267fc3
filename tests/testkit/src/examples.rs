// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked traces and checkable examples of the chapters, read from `examples.txt`, which begins with a description
//! of its format.

use crate::example::{Example, ramp};

const TEXT: &str = include_str!("../examples.txt");

/// All examples.
///
/// # Panics
/// If a line of the file cannot be read.
pub fn all() -> Vec<Example> {
    let mut lines: Vec<String> = Vec::new();
    for line in TEXT.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match line.strip_prefix("      ") {
            Some(more) => lines.last_mut().unwrap().extend([" ", more]),
            None => lines.push(line.to_owned()),
        }
    }
    let mut all: Vec<Example> = Vec::new();
    for line in &lines {
        match line.strip_prefix("  ") {
            Some(entry) => {
                let example = all.pop().unwrap();
                all.push(add(example, entry).unwrap_or_else(|| panic!("examples.txt: {entry}")));
            }
            None => all.push(Example::new(line)),
        }
    }
    all
}

/// Adds the content of a line; `None` if it cannot be read.
fn add(mut example: Example, line: &str) -> Option<Example> {
    let (head, body) = line.split_once(": ").unwrap_or((line, ""));
    let head: Vec<&str> = head.split([' ', ',']).collect();
    Some(match head[..] {
        ["hex", row, col] => example.hex(index(row)?, index(col)?, body),
        ["asm", row, col] => example.asm(index(row)?, index(col)?, body),
        ["io", row, col] => example.io_cell(index(row)?, index(col)?),
        ["run", cycle] => example.run(cycle.parse().ok()?),
        ["word", cycle, word, rows, cols] => {
            let (word, flag) = word.strip_suffix("'0").map_or((word, true), |word| (word, false));
            let mask = |text: &str| u32::from_str_radix(text.strip_prefix("0b")?, 2).ok();
            let word = u32::from_str_radix(word, 16).ok()?;
            example.word(cycle.parse().ok()?, word, flag, mask(rows)? as u8, mask(cols)?)
        }
        ["sram", cycle, row, col, address] => {
            let address = index(address)?;
            example.sram(cycle.parse().ok()?, index(row)?, index(col)?, address, words(body)?)
        }
        ["rf", cycle, row, col, block] => {
            example.rf(cycle.parse().ok()?, index(row)?, index(col)?, index(block)?, words(body)?)
        }
        ["buffer", col, address] => {
            let first = words(body)?[0] as u16;
            example.buffers.push((index(col)?, number(address)? as u32, first));
            example
        }
        [path, cycle] => {
            let outside =
                path.starts_with("cell[") || path.starts_with("tile[") || path.starts_with("col[");
            let outside = outside || matches!(path, "all_idle" | "agu_busy");
            let path = if outside { path.to_owned() } else { format!("cell[0][0].{path}") };
            let mut cycle: i64 = cycle.parse().ok()?;
            for values in body.split_whitespace() {
                let (value, times) = values.split_once('*').unwrap_or((values, "1"));
                for _ in 0..times.parse::<u64>().ok()? {
                    example = example.expect_wide(cycle, &path, &words(value)?);
                    cycle += 1;
                }
            }
            example
        }
        _ => return None,
    })
}

fn index(text: &str) -> Option<usize> {
    text.parse().ok()
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A value of up to 256 bits, low word first.
fn words(text: &str) -> Option<[u64; 4]> {
    if let Some(first) = text.strip_prefix("ramp(") {
        return Some(ramp(number(first.strip_suffix(')')?)? as u16));
    }
    let mut words = [0; 4];
    match text.split_once('_') {
        None => words[0] = number(text)?,
        Some(_) => {
            for (word, digits) in words.iter_mut().zip(text.strip_prefix("0x")?.rsplit('_')) {
                *word = u64::from_str_radix(digits, 16).ok()?;
            }
        }
    }
    Some(words)
}
