// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the register tables of chapters 2 to 7 against the fabric description: every register is in a table or a
//! sentence of its chapter, with its width and its reset value.

use std::collections::BTreeMap;

use drra_fabric::RegisterId;
use drra_isa::{Geometry, Unit};

use crate::state_tables::{plain, quoted};

const CHAPTERS: [&str; 6] = [
    include_str!("../../../spec/02-sequencer.md"),
    include_str!("../../../spec/03-register-file.md"),
    include_str!("../../../spec/04-dpu.md"),
    include_str!("../../../spec/05-interconnect.md"),
    include_str!("../../../spec/06-dimarch.md"),
    include_str!("../../../spec/07-io-perm.md"),
];

/// A table of registers.
struct Table {
    chapter: usize,
    heading: &'static str,
    /// Beginning of the header row of the table.
    head: &'static str,
    /// Column of the reset values, or the sentence that states the reset value of all registers.
    reset: Result<usize, &'static str>,
    /// Prefixes of the names in paths.
    prefixes: &'static [&'static str],
}

const TABLES: [Table; 10] = [
    Table { chapter: 2, heading: "## 3 ", head: "| register |", reset: Ok(3), prefixes: &["seq."] },
    Table {
        chapter: 3,
        heading: "### 6.1 ",
        head: "| register |",
        reset: Err("Reset value 0 for all"),
        prefixes: &["rf.agu[]."],
    },
    Table {
        chapter: 4,
        heading: "## 3 ",
        head: "| name |",
        reset: Err("All reset to 0."),
        prefixes: &["dpu."],
    },
    Table {
        chapter: 5,
        heading: "### 2.3 ",
        head: "| register |",
        reset: Ok(3),
        prefixes: &["swb."],
    },
    Table { chapter: 5, heading: "### 5.2 ", head: "| register |", reset: Ok(3), prefixes: &[""] },
    Table { chapter: 6, heading: "## 4 ", head: "| register |", reset: Ok(3), prefixes: &["noc."] },
    Table {
        chapter: 6,
        heading: "## 5 ",
        head: "| register |",
        reset: Ok(3),
        prefixes: &["tile[][]."],
    },
    Table {
        chapter: 6,
        heading: "### 7.1 ",
        head: "| register |",
        // From the table of the tile: `rd.*`, `wr.*`, reset 0.
        reset: Err("| `rd.*`, `wr.*` | see 7.1 | 0 |"),
        prefixes: &["tile[][].rd.", "tile[][].wr."],
    },
    Table {
        chapter: 7,
        heading: "## A4 ",
        head: "| register |",
        reset: Err("reset 0 throughout"),
        prefixes: &["col[]."],
    },
    Table {
        chapter: 7,
        heading: "## B2 ",
        head: "| register |",
        reset: Ok(3),
        prefixes: &["perm."],
    },
];

/// The tables above, and every other table with the columns `register`, `width`, `reset`, in which registers are named
/// by their paths.
fn tables() -> Vec<Table> {
    let mut all = Vec::from(TABLES);
    for (chapter, text) in (2..).zip(CHAPTERS) {
        let mut heading = "";
        for line in text.lines() {
            if line.starts_with('#') {
                heading = line;
            }
            let listed = |t: &Table| t.chapter == chapter && heading.starts_with(t.heading);
            if line.starts_with("| register | width | reset |") && !all.iter().any(listed) {
                let (head, reset) = ("| register |", Ok(3));
                all.push(Table { chapter, heading, head, reset, prefixes: &[""] });
            }
        }
    }
    all
}

/// Rows that are not lists of names with widths: chapter, first cell, and the reason nothing is read from the row.
const OTHER_ROWS: [(usize, &str, &str); 2] = [
    (5, "`ld_pipe[k]`, k = 1..`ROWS`+`COLS`-3 (1..7)", "more of the register in the row above"),
    (6, "`rd.*`, `wr.*`", "refers to the table of 7.1"),
];

/// Registers that their chapter defines in a sentence instead of a table: path, chapter, the sentence, and the width in
/// it.
const IN_SENTENCES: [(&str, usize, &str, u32); 3] = [
    ("rf.mem[]", 3, "`mem[0..RF_DEPTH-1]`, 16 bits each, reset value 0", 16),
    ("rf.sh[].sh_valid", 3, "One per AGU: `sh_valid` (1, reset 0)", 1),
    ("rf.sh[].sh_cfg", 3, "`sh_cfg` (49 bits, reset 0:", 49),
];

/// Rows of tables that mix registers with signals and are therefore not read: chapter, row, and the reason the row adds
/// nothing.
const MIXED_TABLES: [(usize, &str, &str); 2] = [
    (
        3,
        "| `blk_in_row1`, `blk_in_mask_row1` | 256, 16, reset 0 | registers",
        "the registers are in the table of chapter 7, A4, with the same widths",
    ),
    (
        5,
        "| `blk_in_row1[c]`, `blk_in_mask_row1[c]` | registers, 256 and 16, reset 0",
        "the registers are in the table of chapter 7, A4, with the same widths",
    ),
];

/// Width and reset value; `None`: not reset.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// One width for each key, or a single width if the width does not depend on the key.
    widths: Vec<u32>,
    reset: Option<u64>,
    /// Name of the reset value, if the table states one.
    reset_name: Option<String>,
}

/// A section without its subsections.
fn section(chapter: usize, heading: &str) -> &'static str {
    let text = CHAPTERS[chapter - 2];
    let at = text.find(&format!("\n{heading}")).unwrap_or_else(|| panic!("{chapter}: {heading}"));
    let body = &text[at + 1..];
    body.find("\n#").map_or(body, |end| &body[..end])
}

/// Cells of the rows of a table; if the header repeats its columns, each row yields two rows of cells.
fn rows(t: &Table) -> Vec<Vec<&'static str>> {
    let lines = section(t.chapter, t.heading).lines().skip_while(|l| !l.starts_with(t.head));
    let mut all = Vec::new();
    for line in lines.skip(2).take_while(|l| l.starts_with('|')) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match cells[3].is_empty() {
            true => all.extend([vec!["", cells[1], cells[2]], vec!["", cells[4], cells[5]]]),
            false => all.push(cells),
        }
    }
    assert!(!all.is_empty(), "chapter {}, {}: no table", t.chapter, t.heading);
    all
}

/// Names in the first cell: `side[x].active` and `.hsel` have a common stem; `a` = `{b,c}` with a sum of widths means
/// its parts.
fn names(cell: &str, width: &str) -> Vec<String> {
    let (list, parts) = cell.split_once(" = ").unwrap_or((cell, ""));
    let mut names: Vec<String> = Vec::new();
    for text in quoted(list) {
        let stem = names.last().and_then(|n| n.rsplit_once('.')).map(|(stem, _)| stem.to_owned());
        names.push(match (text.strip_prefix('.'), stem) {
            (Some(last), Some(stem)) => format!("{stem}.{last}"),
            _ => plain(text),
        });
    }
    if width.contains('+') {
        let parts = parts.trim_matches(['`', '{', '}']).split(',').map(str::trim);
        return parts.map(|p| format!("{}.{p}", names[0])).collect();
    }
    names
}

/// `loop_iter[]` of chapter 2 is `loop[].iter` in a path. The row of the memory has no index, and the row of the
/// initialisation pipeline has no fields, which are in the table of ports.
fn in_paths(name: &str) -> Vec<String> {
    match name {
        "sram" => vec!["sram[]".into()],
        "init_*" => ["en", "row", "col", "addr", "data"].map(|n| format!("init_{n}")).into(),
        _ => match name.strip_prefix("loop_").and_then(|n| n.strip_suffix("[]")) {
            Some(field) => vec![format!("loop[].{field}")],
            None => vec![name.into()],
        },
    }
}

/// A width in a cell, as one width per key of the register.
fn width(text: &str) -> Vec<u32> {
    let text = text.trim().trim_end_matches(" each");
    let text = text.rsplit_once(" x ").map_or(text, |(_, last)| last);
    match text {
        "`aw`" => vec![6, 6, 2, 6, 6, 2],
        "`ROWS`" => vec![2],
        "`COLS`" => vec![8],
        number => vec![number.parse().unwrap_or_else(|_| panic!("width {number:?}"))],
    }
}

/// `6'b000111`, `5 (NONE)`, `IDLE`, `0`, `not reset`.
fn reset(text: &str) -> (Option<u64>, Option<String>) {
    if text == "not reset" {
        return (None, None);
    }
    if let Some((_, bits)) = text.split_once("'b") {
        return (Some(u64::from_str_radix(bits, 2).unwrap()), None);
    }
    let (number, name) = text.split_once(" (").unwrap_or((text, ""));
    match number.parse() {
        Ok(value) => {
            let name = name.trim_end_matches(')');
            (Some(value), (!name.is_empty()).then(|| name.to_owned()))
        }
        Err(_) => (Some(0), Some(number.to_owned())),
    }
}

/// The generators of an I/O unit are in one row, and their registers in its last cell.
fn generator_fields(cell: &str) -> Vec<(String, u32)> {
    let (before, rest) = cell.split_once(" = {").unwrap();
    let text = format!("{before}{}", rest.split_once('}').unwrap().1);
    let parts: Vec<&str> = text.split('`').collect();
    let pairs = parts[1..].chunks(2).map(|p| {
        let digits: String = p[1].trim().chars().take_while(char::is_ascii_digit).collect();
        (p[0].to_owned(), digits.parse().unwrap())
    });
    pairs.collect()
}

/// All entries of one row: names as in paths, without the prefix of the table.
fn entries(t: &Table, cells: &[&str]) -> Vec<(String, Entry)> {
    let (value, reset_name) = match t.reset {
        Ok(column) => reset(cells[column]),
        Err(_) => (Some(0), None),
    };
    let entry = |widths| Entry { widths, reset: value, reset_name: reset_name.clone() };
    if cells[1].ends_with(".`") {
        let fields = generator_fields(cells[3]);
        assert_eq!(vec![fields.iter().map(|f| f.1).sum::<u32>()], width(cells[2]));
        let all = quoted(cells[1]).into_iter().flat_map(|generator| {
            fields.iter().map(move |(name, bits)| (format!("{generator}{name}"), *bits))
        });
        return all.map(|(name, bits)| (name, entry(vec![bits]))).collect();
    }
    let names: Vec<String> =
        names(cells[1], cells[2]).iter().flat_map(|name| in_paths(name)).collect();
    let text = cells[2].split_once(" = ").map_or(cells[2], |(sum, _)| sum);
    let mut widths: Vec<Vec<u32>> = text.split([',', '+']).map(width).collect();
    if widths.len() == 1 {
        widths = vec![widths[0].clone(); names.len()];
    }
    assert_eq!(names.len(), widths.len(), "{cells:?}");
    names.into_iter().zip(widths).map(|(name, widths)| (name, entry(widths))).collect()
}

/// The registers of the description, by path: register and widths per key.
pub(crate) fn described() -> BTreeMap<String, (RegisterId, Vec<u32>)> {
    let geometry = Geometry::default();
    let mut all: BTreeMap<String, (RegisterId, Vec<u32>)> = BTreeMap::new();
    for &id in RegisterId::ALL {
        let unit = Unit::of_kind(id.info().unit, &geometry).next().unwrap();
        for register in id.all(&geometry) {
            let name = match unit {
                Unit::Cell(_) | Unit::Fabric => register.to_string(),
                _ => format!("{unit}.{register}"),
            };
            let entry = all.entry(plain(&name)).or_insert((id, Vec::new()));
            entry.1.push(register.width(&geometry));
        }
    }
    all
}

#[test]
fn the_tables_of_the_chapters_list_the_registers_of_the_description() {
    let mut missing = described();
    let mut others = Vec::new();
    for t in &tables() {
        if let Err(sentence) = t.reset {
            assert!(CHAPTERS[t.chapter - 2].contains(sentence), "{sentence}");
        }
        for cells in rows(t) {
            if let Some(other) = OTHER_ROWS.iter().find(|o| (o.0, o.1) == (t.chapter, cells[1])) {
                others.push(other.1);
                continue;
            }
            for (prefix, (name, entry)) in
                t.prefixes.iter().flat_map(|p| entries(t, &cells).into_iter().map(move |e| (p, e)))
            {
                let path = format!("{prefix}{name}");
                let (id, widths) =
                    missing.remove(&path).unwrap_or_else(|| panic!("{path} is not described"));
                let expected = match entry.widths.len() {
                    1 => vec![entry.widths[0]; widths.len()],
                    _ => entry.widths.clone(),
                };
                assert_eq!(widths, expected, "{path}");
                assert_eq!(id.info().reset, entry.reset, "{path}");
                if let (Some(name), Some(value)) = (&entry.reset_name, entry.reset) {
                    assert_eq!(id.words(&[value]).as_ref(), Some(name), "{path}");
                }
            }
        }
    }
    for (chapter, row, why) in MIXED_TABLES {
        assert!(CHAPTERS[chapter - 2].contains(row), "chapter {chapter}: {row}: {why}");
    }
    assert_eq!(others, OTHER_ROWS.map(|o| o.1));
    for (path, chapter, sentence, bits) in IN_SENTENCES {
        assert!(CHAPTERS[chapter - 2].contains(sentence), "{sentence}");
        let (id, widths) = missing.remove(path).unwrap();
        assert!(widths.iter().all(|w| *w == bits), "{path}");
        assert_eq!(id.info().reset, Some(0), "{path}");
    }
    assert!(missing.is_empty(), "in no table of the chapters: {:?}", missing.keys());
}
