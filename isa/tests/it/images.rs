// SPDX-License-Identifier: MIT OR Apache-2.0
//! Program and memory images.

use drra_isa::{CellId, Geometry, TileId, read_memory, read_program};
use proptest::prelude::*;

const WORD: &str = "000100010100000001111010010";

#[track_caller]
fn program_error(text: &str, code: &str, line: usize) {
    let error = read_program(text, &Geometry::default(), 27).unwrap_err();
    assert_eq!((error.code, error.line), (code, line), "{error}");
}

#[track_caller]
fn memory_error(text: &str, code: &str, line: usize) {
    let error = read_memory(text, &Geometry::default()).unwrap_err();
    assert_eq!((error.code, error.line), (code, line), "{error}");
}

#[test]
fn program_image_variants() {
    let text = format!("# comment\r\n\t1 \t{WORD} \r\ncell 1 7\n0 {WORD}\nCELL 0 0\n1 {WORD}\n");
    let image = read_program(&text, &Geometry::default(), 27).unwrap();
    assert_eq!(image.cell(CellId::FIRST).unwrap().len(), 2);
    assert!(!image.cell(CellId::new(1, 7).unwrap()).unwrap()[0].immediate);
}

#[test]
fn program_image_errors() {
    program_error("CELL 0\n", "BIN-E1", 1);
    program_error("CELL 0 x\n", "BIN-E1", 1);
    // DRRA-2 has words of 32 bits, no flags, and the number of words in its headings.
    program_error(&format!("cell 0 0 1\n{WORD}00000\n"), "BIN-E1", 2);
    program_error("CELL 2 0\n", "BIN-E2", 1);
    program_error("\nCELL 0 8\n", "BIN-E2", 2);
    program_error(&format!("2 {WORD}\n"), "BIN-E1", 1);
    program_error(&format!("1 {WORD}0\n"), "BIN-E1", 1);
    program_error(&format!("1 {WORD}\n1 {}\n", &WORD[..20]), "BIN-E1", 2);
    program_error("1\n", "BIN-E1", 1);
    // Chapter 2, section 4: a program has at most 63 usable words.
    let words = |count| format!("1 {WORD}\n").repeat(count);
    assert!(read_program(&words(63), &Geometry::default(), 27).is_ok());
    program_error(&words(64), "BIN-E3", 64);
}

#[test]
fn memory_image_round_trip() {
    let text = include_str!("../data/vec_add.mem.expected");
    let image = read_memory(text, &Geometry::default()).unwrap();
    assert_eq!(image.to_text(), text);
    assert_eq!(image.sram[&TileId::new(1, 0).unwrap()][&1][15], 0x1f);
}

#[test]
fn memory_image_errors() {
    let row = "0".repeat(64);
    memory_error(&format!("0 {row}\n"), "MEM-E1", 1);
    memory_error("SRAM 0\n", "MEM-E1", 1);
    memory_error("SRAM 2 0\n", "MEM-E2", 1);
    memory_error("RF 0 8\n", "MEM-E2", 1);
    memory_error(&format!("SRAM 1 7\n128 {row}\n"), "MEM-E3", 2);
    memory_error(&format!("RF 1 7\n4 {row}\n"), "MEM-E3", 2);
    memory_error(&format!("RF 1 7\n0 {row}\n0 {row}\n"), "MEM-E3", 3);
    memory_error(&format!("RF 1 7\n0 {}\n", &row[1..]), "MEM-E1", 2);
}

proptest! {
    #[test]
    fn any_text_is_an_image_or_an_error(text in "[01CELRSAMF \\n]{0,80}|\\PC{0,40}") {
        let _ = read_program(&text, &Geometry::default(), 27);
        let _ = read_memory(&text, &Geometry::default());
    }
}
