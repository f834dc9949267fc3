// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of the stimulus and of the buffers.

use drra_case::Case;
use drra_isa::Geometry;
use drra_recorded::export::ExportOptions;

use super::{
    SMALL, at_the_ports, block, exported, file,
    reader::{self, number},
};

/// The input ports of chapter 5, 5.1, without clock, reset and `io_in_data`, each with the number of its digits in the
/// default fabric.
pub(crate) const PORTS: [(&str, usize); 16] = [
    ("io_cell", 4),
    ("prog_valid", 1),
    ("prog_instr", 7),
    ("prog_imm", 1),
    ("prog_row_sel", 1),
    ("prog_col_sel", 2),
    ("sram_init_valid", 1),
    ("sram_init_row", 1),
    ("sram_init_col", 1),
    ("sram_init_addr", 2),
    ("sram_init_data", 64),
    ("rf_init_valid", 1),
    ("rf_init_row", 1),
    ("rf_init_col", 1),
    ("rf_init_block", 1),
    ("rf_init_data", 64),
];

#[test]
fn columns_are_fixed() {
    let exported = exported(&at_the_ports(&Geometry::default()), &ExportOptions::default());
    let text = file(&exported, "stimulus.txt");
    let is_prose = |line: &&str| line.starts_with('#') && !line.ends_with(PORTS[15].0);
    let lines: Vec<&str> = text.lines().skip_while(is_prose).collect();
    let ends = |line: &str| -> Vec<usize> {
        let text = format!("{line} ").replace('#', " ");
        let pairs = text.as_bytes().windows(2).enumerate();
        pairs.filter(|(_, pair)| pair[0] != b' ' && pair[1] == b' ').map(|(at, _)| at).collect()
    };
    assert!(lines.len() > 6);
    assert!(lines[0].starts_with('#'), "the names come last");
    for line in &lines {
        assert_eq!(ends(line), ends(lines[0]), "{line}");
    }
    for row in reader::rows(text) {
        for (port, digits) in PORTS {
            assert_eq!(row[port].len(), digits, "{port}");
        }
        assert_eq!(row.len(), PORTS.len());
    }
}

/// A name from a file cannot end the comment that contains it.
#[test]
fn names_stay_in_their_line() {
    let case = Case { name: "one\ntwo\u{1b}[1m".to_owned(), ..at_the_ports(&SMALL) };
    let exported = exported(&case, &ExportOptions::default());
    let text = file(&exported, "stimulus.txt");
    assert!(text.contains("# Case one\\ntwo\\u{1b}[1m: 42 cycles"), "{text}");
    assert_eq!(reader::rows(text).len(), 43);
}

#[test]
fn buffers() {
    let exported = exported(&at_the_ports(&SMALL), &ExportOptions::default());
    let text = file(&exported, "buffers.txt");
    let lines: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let digits = |seed| {
        let block = block(seed);
        format!("{:016x}{:016x}{:016x}{:016x}", block[3], block[2], block[1], block[0])
    };
    assert_eq!(
        lines,
        [["0", "0000004", &digits(6)], ["2", "0000006", &digits(7)], ["2", "1ffffff", &digits(8)]]
    );
}

/// Inputs in cycles after the end of the run are not driven.
#[test]
fn inputs_after_the_end_are_left_out() {
    let case = Case { cycles: Some(10), ..at_the_ports(&SMALL) };
    let exported = exported(&case, &ExportOptions::default());
    let rows = reader::rows(file(&exported, "stimulus.txt"));
    assert_eq!(rows.len(), 13);
    assert_eq!(number(&rows[11], "prog_valid"), 1, "cycle 9 of the case");
    assert_eq!(number(&rows[12], "prog_valid"), 0, "cycle 10 has no edge in the run");
    assert_eq!(exported.case.stimulus.end(), 12);
}

/// A long run without inputs occupies one line.
#[test]
fn long_runs_are_short_files() {
    let case = Case { cycles: Some(90_000_000), ..at_the_ports(&SMALL) };
    let text = exported(&case, &ExportOptions::default());
    assert!(file(&text, "stimulus.txt").lines().count() < 30);
    let options = ExportOptions { idle_cycles: 20_000_000, ..ExportOptions::default() };
    let error = drra_recorded::export::export(&case, &options).unwrap_err();
    assert!(error.to_string().contains("110000000 cycles"), "{error}");
}
