// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages and figures of programs. Expected numbers are counted by hand from the programs and
//! from the traces of the chapters.

use drra_case::Case;
use drra_isa::{Assembler, CellId, Geometry};
use drra_view::{CycleWindow, ProgramSpan, RecordedRun, Statistics, count, record};
use serde_json::Value as Json;

const VEC_ADD: &str = include_str!("../../../../isa/vec_add.sasm");
const DPU_CHAIN: &str = include_str!("../../../../tests/programs/dpu_chain.sasm");

fn case(text: &str) -> Case {
    let assembly = Assembler::default().assemble(text).unwrap();
    let mut case = Case::new("test", &Geometry::default(), assembly.image, assembly.memory);
    case.io_cells = assembly.io_cells;
    case
}

fn recorded(text: &str) -> RecordedRun {
    record(&case(text), None, CycleWindow::default())
}

fn counted(text: &str) -> Statistics {
    count(&case(text), None)
}

/// Chapter 2, 11.1: 27 words from cycle 4 on, and the first decode in cycle 32. The DPU instruction is decoded in cycle
/// 48, after 12 other instructions and four cycles of a WAIT, and HALT 18 cycles later. 16 sums are stored, the first
/// in cycle 51.
#[test]
fn figures_of_vec_add() {
    let s = counted(VEC_ADD);
    let span = ProgramSpan { first_decode: 32, last_active: 66, cycles: 35 };
    assert_eq!((s.span, s.instructions, s.unfinished), (Some(span), 16, false));
    let [cell] = s.cells.as_slice() else { panic!("{:?}", s.cells) };
    assert_eq!((cell.busy, cell.waiting, cell.idle), (14, 4 + 17, 0));
    let instructions =
        [("DPU", 1), ("HALT", 1), ("REFI", 5), ("ROUTE", 2), ("SRAM", 2), ("SWB", 3), ("WAIT", 2)];
    assert_eq!(cell.instructions, instructions.map(|(name, n)| (name.to_owned(), n)).into());
    assert_eq!(cell.operations, [("add".to_owned(), 16)].into());
    let addresses: Vec<_> = cell.agus.iter().map(|a| (a.agu.to_string(), a.addresses)).collect();
    let expected = [("w0", 16), ("wb", 2), ("r0", 16), ("r1", 16)];
    assert_eq!(addresses, expected.map(|(agu, n)| (agu.to_owned(), n)));
    assert_eq!((cell.words_from_itself, cell.words_from_others), (16 * 3, 0));
    assert_eq!(cell.words_unheard, 0);
    assert_eq!(cell.messages, [("ROUTE".to_owned(), 2), ("SRAM".to_owned(), 2)].into());
    let [tile] = s.tiles.as_slice() else { panic!("{:?}", s.tiles) };
    assert_eq!((tile.rows_read, tile.rows_written, tile.messages, tile.lost), (2, 0, 4, 0));
    assert_eq!(tile.blocks_moved, 2, "from the memory to the side of the column");
}

/// Four products are sent from cell (0,0) to cell (0,1), and four sums from cell (0,1) to cell (1,1).
#[test]
fn words_between_cells() {
    let s = counted(DPU_CHAIN);
    let cells: Vec<_> = s
        .cells
        .iter()
        .map(|c| {
            let operations: Vec<_> = c.operations.iter().map(|(m, n)| (m.as_str(), *n)).collect();
            (c.cell.to_string(), operations, c.words_from_itself, c.words_from_others)
        })
        .collect();
    let expected = [
        ("cell[0][0]".to_owned(), vec![("mult", 4)], 8, 0),
        ("cell[0][1]".to_owned(), vec![("add", 4)], 4, 4),
        ("cell[1][1]".to_owned(), vec![], 0, 4),
    ];
    assert_eq!(cells, expected);
}

#[test]
fn words_that_nothing_takes() {
    let s = counted(".CODE\nCELL <0,0>\nREFI port_no=r0, l1_iter=4\nWAIT cycle=9\nHALT\n");
    assert_eq!((s.totals.words_read, s.cells[0].words_unheard), (5, 5));
    assert_eq!((s.totals.words_moved, s.totals.operations), (0, 0));
    assert!(s.sentence().ends_with(", 0 words moved; 5 words read that nothing takes"));
}

/// An SRAM without a path is dropped (chapter 6, 6.4).
#[test]
fn lost_messages_are_told() {
    let s = counted(".CODE\nCELL <0,0>\nSRAM rw=r, init_addr=3\nWAIT cycle=9\nHALT\n");
    assert_eq!((s.totals.messages, s.totals.lost), (1, 1));
    assert!(s.text().contains("; lost: 1"), "{}", s.text());
}

/// A REFI that launches an AGU in a cycle after `T` and before `T_free` is lost (chapter 3, 6.4 and 6.5).
#[test]
fn configurations_for_a_busy_agu_are_lost() {
    let lost = |fields: &str, wait: &str| {
        let text = format!(
            ".CODE\nCELL <0,0>\nREFI port_no=r0, {fields}\n{wait}REFI port_no=r0\nWAIT cycle=40\nHALT\n"
        );
        counted(&text)
    };
    // A WAIT lasts one cycle longer than its field specifies. T_free = T + D + l1_iter * (1 + d1) + 1, and one more for
    // D = 0, l1_iter = 0, d1 > 0.
    for (fields, wait, expected) in [
        ("l1_iter=7", "", 1),
        ("l1_iter=7", "WAIT cycle=5\n", 1),
        ("l1_iter=7", "WAIT cycle=6\n", 0),
        ("l1_iter=2, init_delay=4, l1_delay=1", "WAIT cycle=6\n", 1),
        ("l1_iter=2, init_delay=4, l1_delay=1", "WAIT cycle=7\n", 0),
        ("l1_iter=0, l1_delay=1", "", 1),
        ("l1_iter=0", "", 0),
    ] {
        let s = lost(fields, wait);
        assert_eq!((s.totals.lost, s.cells[0].lost), (expected, expected), "{fields}, {wait}");
        assert_eq!(s.text().contains("; lost: 1"), expected > 0, "{}", s.text());
    }
}

/// If both rows of a column send a message in the same cycle, the message of row 1 is lost, unless one message is an IO
/// and the other is for the NoC (chapter 5, 4.1, and chapter 7, A4). An IO for a busy generator is lost (chapter 7,
/// A6).
#[test]
fn messages_of_a_column_are_lost() {
    let lost = |first: &str, second: &str| {
        // Cell (1,0) starts one cycle later.
        let text = format!(
            ".IOCELL <0,0>\n.CODE\nCELL <0,0>\nWAIT cycle=5\n{first}\nWAIT cycle=9\nHALT\n\
             CELL <1,0>\nWAIT cycle=4\n{second}\nWAIT cycle=9\nHALT\n"
        );
        counted(&text).columns.first().map_or(0, |c| c.lost)
    };
    assert_eq!(lost("ROUTE", "ROUTE"), 1);
    assert_eq!(lost("IO", "ROUTE"), 0);
    assert_eq!(lost("ROUTE", "WAIT cycle=2\nROUTE"), 0);
    // The second IO arrives 5 or 22 cycles after the first; a pattern of ten accesses takes longer than 5 cycles.
    assert_eq!(lost("IO l1_iter=9\nWAIT cycle=3\nIO", "HALT"), 1);
    assert_eq!(lost("IO l1_iter=9\nWAIT cycle=20\nIO", "HALT"), 0);
}

#[test]
fn nothing_is_decoded() {
    let s = counted(".DATA\nRF <0,0> [0] = [1]\n");
    assert_eq!((s.span, s.instructions, s.cells.len()), (None, 0, 0));
    assert!(recorded(".DATA\nRF <0,0> [0] = [1]\n").page().contains("nothing was decoded"));
}

#[test]
fn tables_fit_into_80_columns() {
    for program in drra_case::programs::ALL {
        let text = counted(program.text).text();
        // The sentence above the tables is wrapped by the terminal.
        let widest = text.lines().skip(1).map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{}\n{text}", program.path);
    }
}

#[test]
fn figures_follow_the_schema() {
    let schema = include_str!("../../statistics.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let all: Vec<Statistics> =
        [VEC_ADD, DPU_CHAIN, ".CODE\nCELL <0,0>\nHALT\n"].map(counted).into();
    let value: Json = serde_json::from_str(&Statistics::to_json(&all)).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    for (value, statistics) in value.as_array().unwrap().iter().zip(&all) {
        assert_eq!(Statistics::parse(&value.to_string()).as_ref(), Ok(statistics));
    }
    let error = Statistics::parse(r#"{"version": 9}"#).unwrap_err();
    assert!(error.to_string().contains("version 9"), "{error}");
}

/// Chapter 0, section 2: C[i] = 2i+16 in words 32 to 47; the first sum is there from cycle 52 on.
#[test]
fn memories_of_a_cycle() {
    let r = recorded(VEC_ADD);
    let cell = CellId::new(0, 0).unwrap();
    assert_eq!([51, 52].map(|cycle| r.word(cell, 32, cycle)), [0, 16]);
    let last: Vec<u16> = (32..48).map(|word| r.word(cell, word, r.to)).collect();
    assert_eq!(last, (0..16).map(|i| 2 * i + 16).collect::<Vec<u16>>());
}

#[test]
fn pages_need_nothing_else() {
    for text in [VEC_ADD, DPU_CHAIN] {
        let page = recorded(text).page();
        assert_eq!(page, recorded(text).page(), "the same program gives the same page");
        for outside in ["http://", "https://", "src=", "@import", "url(\""] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
    // The page contains the values even if no script runs.
    let page = recorded(VEC_ADD).page();
    for fact in ["52: 0010", "r0 of cell (0,0)", "WAIT at 25", "48</td>"] {
        assert!(page.contains(fact), "{fact}");
    }
}

/// Values, states and writes over the cycles: in the tables, in the data of the script, and as spans of a lane.
#[test]
fn tracks_are_shown() {
    let r = recorded(
        ".CODE\nCELL <0,0>\nREFI port_no=r0, init_addr=5, l1_iter=2, l1_step=0\n\
         REFI port_no=r1, init_addr=9, l1_iter=4\nWAIT cycle=9\n\
         REFI port_no=r0, init_addr=7, l1_iter=1\nDPU mode=add\nDPU mode=mult\nWAIT cycle=5\nHALT\n",
    );
    let page = r.page();
    // An AGU without a delay emits its first address in the cycle after the decode; a mode is in force from the second
    // cycle after the decode on. The WAIT lasts ten cycles.
    let first = r.statistics.span.unwrap().first_decode + 1;
    let (second, mode) = (first + 12, first + 14);
    let row = |name: &str| {
        let (_, row) = page.split_once(&format!(">cell (0,0) {name}</th><td>")).unwrap();
        row.split_once('<').unwrap().0
    };
    assert_eq!(row("r0"), format!("{first}: 5 x3, {second}: 7 8"));
    assert_eq!(row("r1"), format!("{}: 9 10 11 12 13", first + 1));
    assert_eq!(row("mode"), format!("{mode}: add, {} to {}: mult", mode + 1, r.to));
    // The cycles since the previous change, and the new values; -1 is none.
    let changes = format!("[{first},5,3,-1,9,7,1,8,1,-1]");
    assert!(page.contains(&changes), "{changes}");
    // The reads of both ports are one span where they overlap.
    let scale = (1060 / (r.to - r.from + 1)).clamp(2, 14);
    let x = (first - r.from) * scale;
    let [six, two] = [6, 2].map(|cycles| cycles * scale);
    let path = format!("d=\"M{x} 0h{six}m{six} 0h{two}\"");
    assert!(page.contains(&path), "{path}");
}

/// A write of the value that a word already has is shown, unless the word has it only after the last cycle: in
/// `vec_add`, word 0 is 0, is initialised with 0 and receives another 0 (chapter 2, 11.1).
#[test]
fn writes_of_the_same_value_are_shown() {
    let row = |window: CycleWindow| {
        let page = record(&case(VEC_ADD), None, window).page();
        let (_, row) = page.split_once(">cell (0,0) word 0</th><td>")?;
        Some(row.split_once('<').unwrap().0.to_owned())
    };
    assert_eq!(row(CycleWindow::default()).as_deref(), Some("1: 0000, 50: 0000"));
    for (to, shown) in [(50, true), (49, false)] {
        let row = row(CycleWindow { from: Some(45), to: Some(to) }).unwrap_or_default();
        assert_eq!(row.contains("50: 0000"), shown, "{to}: {row}");
    }
}

#[test]
fn a_window_shows_its_cycles() {
    let window = CycleWindow { from: Some(50), to: Some(53) };
    let r = record(&case(VEC_ADD), None, window);
    let cell = CellId::new(0, 0).unwrap();
    assert_eq!((r.from, r.to, r.is_cut()), (50, 53, true));
    // Row 1 of the tile memory was read long before.
    assert_eq!([50, 53].map(|cycle| r.word(cell, 17, cycle)), [17, 17]);
    assert_eq!([r.word(cell, 32, 53), r.word(cell, 33, 53), r.word(cell, 34, 53)], [16, 18, 0]);
    assert_eq!(r.statistics, counted(VEC_ADD), "figures are those of the whole run");
}
