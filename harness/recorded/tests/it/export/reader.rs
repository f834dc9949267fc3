// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads `stimulus.txt` knowing only what its own first lines say.

use std::collections::BTreeMap;

/// The inputs of one cycle: the digits of every port, by name.
pub(crate) type Row = BTreeMap<String, String>;

/// One row for each cycle.
#[track_caller]
pub(crate) fn rows(text: &str) -> Vec<Row> {
    let comments: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
    let names: Vec<&str> = comments.last().unwrap()[1..].split_whitespace().collect();
    let mut rows = Vec::new();
    for line in text.lines().skip(comments.len()) {
        let values: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(values.len(), names.len(), "{line}");
        let (cycle, count): (usize, usize) =
            (values[0].parse().unwrap(), values[1].parse().unwrap());
        assert_eq!(cycle, rows.len(), "lines follow each other without a gap");
        assert!(count > 0, "{line}");
        let of_ports = names.iter().zip(values).skip(2);
        let row: Row = of_ports.map(|(name, value)| (name.to_string(), value.to_owned())).collect();
        rows.extend(std::iter::repeat_n(row, count));
    }
    rows
}

/// A port as a number.
#[track_caller]
pub(crate) fn number(row: &Row, port: &str) -> u64 {
    u64::from_str_radix(&row[port], 16).unwrap()
}

/// A port of 256 bits.
#[track_caller]
pub(crate) fn block(row: &Row, port: &str) -> [u64; 4] {
    let digits = &row[port];
    assert_eq!(digits.len(), 64, "{port}");
    std::array::from_fn(|i| {
        let from = 48 - 16 * i;
        u64::from_str_radix(&digits[from..from + 16], 16).unwrap()
    })
}
