// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory contents of VHDL test benches (chapter 1, 7.8).

use drra_isa::{ImageError, MemoryImage, TileId, read_memory, read_test_bench};

const VEC_ADD: &str = include_str!("../data/vec_add.mem.expected");

fn read(text: &str) -> Result<MemoryImage, ImageError> {
    read_test_bench(text, &Default::default())
}

/// A test bench whose constant has this value, with the usual surrounding text.
fn bench(value: &str) -> String {
    format!(
        "-- mem_init_values := \"not this one\"\nLIBRARY ieee;\nENTITY testbench IS END testbench;\n\
         ARCHITECTURE tb OF testbench IS\n  SIGNAL q : std_logic := '0';\n\
         \x20 TYPE rows IS ARRAY (0 TO 3) OF std_logic_vector(255 DOWNTO 0);\n\
         \x20 CONSTANT Mem_Init_Values : rows := {value};\nBEGIN\n\
         \x20 p : PROCESS BEGIN d <= mem_init_values(i); WAIT UNTIL clk'event; END PROCESS;\nEND tb;\n"
    )
}

/// The contents of the tile for vec_add: the first part of its memory image, up to the empty line.
fn tile() -> &'static str {
    VEC_ADD.split_once("\n\n").unwrap().0
}

/// Rows of vec_add, as hexadecimal digits.
fn rows() -> Vec<&'static str> {
    tile().lines().filter_map(|line| line.split_once(' ')?.1.get(..64)).collect()
}

#[track_caller]
fn is_vec_add(value: &str) {
    let expected = read_memory(tile(), &Default::default()).unwrap();
    assert_eq!(read(&bench(value)), Ok(expected), "{value}");
}

fn binary(hex: &str) -> String {
    hex.chars().map(|c| format!("{:04b}", c.to_digit(16).unwrap())).collect()
}

/// The words of a row, word 0 first.
fn words(hex: &str) -> Vec<String> {
    (0..16)
        .map(|k| u16::from_str_radix(&hex[60 - 4 * k..64 - 4 * k], 16).unwrap().to_string())
        .collect()
}

#[test]
fn rows_of_every_form() {
    let all = |row: &dyn Fn(&str) -> String| -> String {
        let rows: Vec<String> = rows().into_iter().map(row).collect();
        format!("(\n{}\n)", rows.join(",\n"))
    };
    assert_eq!(rows().len(), 4);
    is_vec_add(&all(&|r| format!("X\"{r}\"")));
    is_vec_add(&all(&|r| format!("256x\"{}_{}\"", &r[..32], &r[32..])));
    is_vec_add(&all(&|r| format!("\"{}\"", binary(r))));
    is_vec_add(&all(&|r| {
        let words: Vec<String> = r
            .as_bytes()
            .chunks(4)
            .map(|w| format!("X\"{}\"", std::str::from_utf8(w).unwrap()))
            .collect();
        words.join(" & ")
    }));
    is_vec_add(&all(&|r| format!("({})", words(r).join(", "))));
    is_vec_add(&all(&|r| {
        let words: Vec<String> = words(r)
            .iter()
            .rev()
            .map(|w| format!("std_logic_vector(to_unsigned({w}, 16))"))
            .collect();
        format!("({})", words.join(" & "))
    }));
    is_vec_add(&all(&|r| {
        let words: Vec<String> =
            words(r).iter().enumerate().map(|(k, w)| format!("{k} => {w}")).collect();
        format!("({})", words.join(", "))
    }));
}

#[test]
fn addresses_are_positions_indices_ranges_or_records() {
    let hex = rows();
    let row = |k: usize| format!("X\"{}\"", hex[k]);
    is_vec_add(&format!("(3 => {}, 0 => {}, 2 => {}, 1 => {})", row(3), row(0), row(2), row(1)));
    is_vec_add(&format!("((3, {}), (1, {}), (0, {}), (2, {}))", row(3), row(1), row(0), row(2)));
    is_vec_add(&format!("rows'({}, {}, {}, {})", row(0), row(1), row(2), row(3)));
    let image = read(&bench(&format!("(5 to 6 => {}, 8 => {})", row(1), row(2)))).unwrap();
    assert_eq!(
        image.sram[&TileId::new(1, 0).unwrap()].keys().copied().collect::<Vec<_>>(),
        [5, 6, 8]
    );
    let image = read(&bench(&format!("(1 => {}, others => (others => '0'))", row(3)))).unwrap();
    let tile = &image.sram[&TileId::new(1, 0).unwrap()];
    assert_eq!((tile.len(), tile[&1][0], tile[&0], tile[&127]), (128, 48, [0; 16], [0; 16]));
    // The rows of a tile in an aggregate of columns, and this aggregate in an aggregate of tile rows.
    let tile = format!("(7 => {})", row(1));
    let column = format!("(2 => {tile}, 4 => {tile})");
    let places = |value: &str| -> Vec<(usize, usize)> {
        read(&bench(value)).unwrap().sram.into_keys().map(|t| (t.image_row(), t.col())).collect()
    };
    assert_eq!(places(&column), [(0, 2), (0, 4)]);
    assert_eq!(places(&format!("(1 => {column})")), [(1, 2), (1, 4)]);
    // One constant per tile.
    let two = bench(&format!("({}, {})", row(0), row(1))).replace("Values :", "Values_1_3 :");
    assert_eq!(
        read(&two).unwrap().sram.into_keys().collect::<Vec<_>>(),
        [TileId::new(2, 3).unwrap()]
    );
}

#[track_caller]
fn refused(text: &str, code: &str, line: usize, what: &str) {
    let error = read(text).unwrap_err();
    assert_eq!((error.code, error.line), (code, line), "{error}");
    assert!(error.message.contains(what), "{error}");
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    refused("library ieee;\n", "VHD-E1", 1, "mem_init_values");
    refused(&bench("(X\"00\", X\"01\")"), "VHD-E1", 7, "8 bits");
    refused(&bench("(\n(1, 2, 3),\n(4, 5, 6))"), "VHD-E1", 8, "3 words");
    refused(&bench("make_rows(4)"), "VHD-E1", 7, "row");
    refused(&bench("ROWS_OF_FILE"), "VHD-E1", 7, "rows_of_file");
    refused(&bench("(X\"0G\")"), "VHD-E1", 7, "digits");
    refused(&bench("(1, 2"), "VHD-E1", 7, "expected");
    let row = format!("X\"{}\"", rows()[0]);
    refused(&bench(&format!("(128 => {row}, 0 => {row})")), "MEM-E3", 7, "128");
    refused(&bench(&format!("(1 => {row}, 1 => {row})")), "MEM-E3", 7, "twice");
    refused(
        &bench(&format!("({row}, {row})")).replace("Values :", "Values_2_0 :"),
        "MEM-E2",
        7,
        "tile 2 0",
    );
    refused(&bench(&format!("{}1", "(".repeat(99))), "VHD-E1", 7, "nested");
}
