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

/// A test bench in the layout of the published one. The value for the scratchpad begins in line 5; if it is empty, the
/// one for the register files begins in line 6.
fn published(tiles: &str, register_files: &str) -> String {
    let of = |name: &str, value: &str| match value {
        "" => "\n".to_owned(),
        _ => format!("CONSTANT {name}_init_values : {name}_type :=\n{value};\n"),
    };
    let (tiles, register_files) = (of("mem", tiles), of("reg", register_files));
    "--Généré par un compilateur.\r\nENTITY testbench IS END testbench;\r\n\
     CONSTANT period : time := 5 ns; CONSTANT mem_init_no : natural := 4;\n"
        .to_owned()
        + &tiles
        + &register_files
        + "BEGIN\n"
}

/// 64 digits of a row whose word 0 has this value.
fn digits(word: u16) -> String {
    format!("{word:064x}")
}

#[track_caller]
fn has(text: &str, memory: &str) {
    let expected = read_memory(memory, &Default::default()).unwrap();
    assert_eq!(read(text), Ok(expected), "{text}");
}

/// Chapter 1, 7.8: rows of tiles are counted from 1 in the records and from 0 in memory images; the places of register
/// files are one-hot, bit 0 rightmost.
#[test]
fn records_name_the_place_of_a_row() {
    let [a, b, c, d] = [7, 9, 1, 2].map(digits);
    let tiles = format!(
        r#"(0 => ("0000101", "01", "000", X"{a}"), 1 => ("0000000", "10", "011", X"{b}"))"#
    );
    let files = format!(r#"(("00", "01", "00000001", X"{c}"), ("11", "10", "10000000", X"{d}"))"#);
    let sram = format!("SRAM 0 0\n5 {a}\nSRAM 1 3\n0 {b}\n");
    let rf = format!("RF 0 0\n0 {c}\nRF 1 7\n3 {d}\n");
    has(&published(&tiles, &files), &(sram.clone() + &rf));
    has(&published(&tiles, ""), &sram);
    has(&published("", &files), &rf);
}

/// The forms of vectors and of association are those of the other constants.
#[test]
fn records_of_every_form() {
    let row = digits(6);
    let zeros = "others => (0, 0, 0, (others => '0'))";
    for record in [
        format!(r#"5, 2, 3, X"{row}""#),
        format!(r#"to_unsigned(5, 7), std_logic_vector(to_unsigned(2, 2)), O"3", X"{row}""#),
        format!(r#"16#5#, b"1" & b"0", "011", (6{})"#, ", 0".repeat(15)),
        format!(r#""0000101", "10", data => X"{row}", col => 3"#),
        format!(r#"data => X"{row}", col => "011", address => X"05", row => "10""#),
    ] {
        for array in [format!("(({record}))"), format!("t'(9 => r'({record}), {zeros})")] {
            has(&published(&array, ""), &format!("SRAM 1 3\n5 {row}\n"));
        }
    }
    let file = format!(r#"((col => 8, row => 2, address => to_unsigned(1, 2), data => X"{row}"))"#);
    has(&published("", &file), &format!("RF 1 3\n1 {row}\n"));
    // A record of an address and a row belongs to the tile of the constant.
    let pair = format!(r#"(("0000101", X"{row}"), (data => X"{row}", address => 6))"#);
    has(&bench(&pair), &format!("SRAM 0 0\n5 {row}\n6 {row}\n"));
    // Arrays can be empty; the place of a record for `others` does not matter.
    has(&published(&format!(r#"(1 to 0 => ("0", "0", "0", X"{row}"))"#), ""), "");
    has(&published(&format!("({zeros})"), &format!("({zeros})")), "");
}

/// Errors mark the element that they are about.
#[track_caller]
fn marked(text: &str, code: &str, line: usize, what: &str, marks: &str) {
    refused(text, code, line, what);
    assert_eq!(&text[read(text).unwrap_err().span], marks, "{text}");
}

#[test]
fn an_error_in_a_record_marks_the_element() {
    let of = |value: &str| value.replace("ROW", &format!("X\"{}\"", digits(1)));
    let second = |record: &str| of(&format!("((0, 1, 1, (others => '0')),\n({record}))"));
    let limits = "rows 1 to 2 and columns 0 to 7";
    for (record, code, what, marks) in [
        ("0, 1, ROW", "VHD-E1", "3 elements", ""),
        ("0, 1, 0, 0, ROW", "VHD-E1", "5 elements", ""),
        ("bank => 1, row => 1, col => 0, data => ROW", "VHD-E1", "no `address`", ""),
        ("0, 1, 0, X\"01\"", "VHD-E1", "8 bits", "X\"01\""),
        ("0, 1, \"0X0\", ROW", "VHD-E1", "not bits", "\"0X0\""),
        ("0, ROW, 0, ROW", "VHD-E1", "up to 32 bits", "ROW"),
        ("0, 1, nine, ROW", "VHD-E1", "`nine`", "nine"),
        ("0, 0, 0, ROW", "MEM-E2", limits, ""),
        ("0, 3, 0, ROW", "MEM-E2", limits, ""),
        ("0, \"01\", 8, ROW", "MEM-E2", limits, ""),
        ("0, -1, 0, ROW", "MEM-E2", limits, ""),
        ("0, 1, 1, ROW", "MEM-E3", "twice", ""),
        ("128, 1, 0, ROW", "MEM-E3", "0..127", ""),
    ] {
        let marks = if marks.is_empty() { format!("({record})") } else { marks.to_owned() };
        marked(&published(&second(record), ""), code, 6, what, &of(&marks));
    }
    for (record, code, what) in [
        ("0, \"00\", \"01\", ROW", "VHD-E1", "exactly one 1"),
        ("0, \"11\", \"01\", ROW", "VHD-E1", "exactly one 1"),
        ("0, \"01\", 0, ROW", "VHD-E1", "exactly one 1"),
        ("0, \"01\", 6, ROW", "VHD-E1", "exactly one 1"),
        ("0, \"100\", 1, ROW", "MEM-E2", "cell 2 0"),
        ("0, 1, 256, ROW", "MEM-E2", "cell 0 8"),
        ("4, 1, 1, ROW", "MEM-E3", "0..3"),
        ("0, 1, 1, ROW", "MEM-E3", "twice"),
    ] {
        marked(&published("", &second(record)), code, 7, what, &of(&format!("({record})")));
    }
    let array = of("(0 to 1 => (0, 1, 0, ROW))");
    marked(&published(&array, ""), "MEM-E3", 5, "twice", &of("(0, 1, 0, ROW)"));
    let others = of("(others => (0, 1, 0, ROW))");
    let marks = &others[1..others.len() - 1];
    marked(&published(&others, ""), "VHD-E1", 5, "only be a record with data 0", marks);
    for value in ["ROW", "(ROW, ROW)"].map(of) {
        marked(&published("", &value), "VHD-E1", 6, "expected a record", &of("ROW"));
    }
}

/// Chapter 1, 7.8: other constants with such names are refused, whereas instruction words and scalars are skipped.
#[test]
fn contents_in_an_unknown_form_are_refused() {
    let records = "((0, 1, 0, (others => '0')))";
    let good = published(records, "");
    for name in ["MEM_INIT", "mem_init_values_0", "reg_init_values_1", "sram_init_values"] {
        let text = format!("{good}CONSTANT {name} : t := (others => 0);\n");
        marked(&text, "VHD-E1", 8, "only mem_init_values, mem_init_values_ROW_COLUMN and", name);
        let skipped = text.replace(&format!("CONSTANT {name}"), &format!("SIGNAL {name}"));
        assert!(read(&skipped).is_ok(), "{skipped}");
    }
    let suffix = good.replace("mem_init_values", "mem_init_values_0_1");
    marked(&suffix, "VHD-E1", 5, "put them into mem_init_values", records);
    let more = "CONSTANT instruction : t := (others => (others => '0'));\nmem_init_values := x;\n";
    assert!(read(&format!("{more}{good}")).is_ok());
}
