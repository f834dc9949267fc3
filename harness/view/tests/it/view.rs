// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages and figures of programs. Expected numbers are counted by hand from the programs and
//! from the traces of the chapters.

use drra_case::Case;
use drra_isa::{Assembler, CellId, Geometry};
use drra_view::{CycleWindow, ProgramSpan, RecordedRun, Statistics, count, record};
use serde_json::Value as Json;

pub(crate) const VEC_ADD: &str = include_str!("../../../../isa/vec_add.sasm");
const DPU_CHAIN: &str = include_str!("../../../../tests/programs/dpu_chain.sasm");

pub(crate) fn case(text: &str) -> Case {
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
    let lost = recorded(".CODE\nCELL <0,0>\nSRAM rw=r, init_addr=3\nWAIT cycle=9\nHALT\n");
    let data = data(&lost);
    // The message is lost in the cycle in which it arrives.
    let arrival = changes(&data["tiles"][0]["arrivals"][1])[0].0;
    assert_eq!(changes(&data["lost"]["tile[1][0]"]), [(arrival, 1), (arrival + 1, -1)]);
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
    for fact in ["52: 0010", "SWB r0 -&gt; in0", "DPU add", "48</td>"] {
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
    let row = |part: &str| {
        let (_, row) = page.split_once(&format!(">cell[0][0] {part}</th><td>")).unwrap();
        row.split_once('<').unwrap().0
    };
    let reads = [(first, first + 2, 5, 3), (second, second + 1, 7, 2)]
        .map(|(from, to, addr, n)| format!("{from} to {to}: REFI r0 from {addr}, {n} words"));
    assert_eq!(row("r0"), reads.join("; "));
    // The last cycle shown is that after the last edge, in which nothing is in force any more.
    let modes = format!("{mode} to {mode}: DPU add; {} to {}: DPU mult", mode + 1, r.to - 1);
    assert_eq!(row("DPU"), modes);
    // The cycles since the previous change, and the new values; -1 is none.
    let changes = format!("[{first},5,3,-1,9,7,1,8,1,-1]");
    assert!(page.contains(&changes), "{changes}");
    // r0 reads in three cycles, then in two; the picture has 10600 units from the first decode to the last activity.
    let span = r.statistics.span.unwrap();
    let x = |cycle: u64| (cycle - span.first_decode) * 10600 / span.cycles;
    let reads = [(first, first + 3), (second, second + 2)];
    let path = reads.map(|(from, end)| format!("M{} 0H{}", x(from), x(end))).concat();
    let path = format!("d=\"{path}\"");
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

/// The data for the script of a page.
fn data(r: &RecordedRun) -> Json {
    let page = r.page();
    let (_, rest) = page.split_once("id=\"view-data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The changes of a track: cycle and value.
fn changes(track: &Json) -> Vec<(i64, i64)> {
    let numbers: Vec<i64> = serde_json::from_value(track.clone()).unwrap();
    let (mut pairs, mut cycle) = (Vec::new(), 0);
    for pair in numbers.chunks(2) {
        for _ in 0..(-pair[0]).max(0) {
            pairs.push(pairs[pairs.len() - pair[1] as usize]);
        }
        pairs.extend((pair[0] >= 0).then_some((pair[0], pair[1])));
    }
    pairs.iter_mut().for_each(|pair: &mut (i64, i64)| {
        cycle += pair.0;
        pair.0 = cycle;
    });
    pairs
}

/// The values of the RACCU and the loop slots are those in the comment of the program. Each pass of the inner loop is two
/// instructions, and the third one ends a pass of the outer loop.
#[test]
fn registers_and_loops_of_a_cell() {
    let r = recorded(include_str!("../../../../tests/programs/nested_loops.sasm"));
    let cell = &data(&r)["cells"][0];
    let values = |k: usize| changes(&cell["raccu"][k]).iter().map(|c| c.1).collect::<Vec<_>>();
    assert_eq!(values(0), [0, 1, 2, 3, 4, 6, 8, 10, 12]);
    assert_eq!(values(1), [0, 1, 3, 6, 7, 9, 12, 13, 15, 18]);
    assert_eq!(values(2), [0, 1, 2, 3]);
    assert_eq!(values(15), [0, 1, 2, 0]);
    assert!(values(3).is_empty());
    let inner: Vec<_> = changes(&cell["loops"][1]).iter().map(|c| (c.1, c.1 & 63)).collect();
    let counts: Vec<_> =
        inner.iter().map(|(all, count)| if *all < 0 { -1 } else { *count }).collect();
    assert_eq!(counts, [0, 1, 2, 3, -1, 0, 1, 2, 3, -1, 0, 1, 2, 3, -1]);
    let [start, end] = [2, 3].map(|line| r.programs[0].lines[line].address as i64);
    assert_eq!(inner[0].0, 4 << 6 | end << 12 | start << 18);
    let begins: Vec<i64> = changes(&cell["loops"][1]).iter().map(|c| c.0).take(4).collect();
    assert_eq!(begins.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>(), [2, 2, 2]);
}

/// Two sums of three products each, with a cleared accumulator in between (chapter 4, 5.5), and `acc_cnt`, which begins
/// again with the launch and after each clearing.
#[test]
fn accumulators_of_a_cell() {
    let r = recorded(
        ".DATA\nRF <0,0> [0] = [-20, 2, 3, 4, 5, 6, 7, 8]\nRF <0,0> [16] = [1, -1, 2, 1, 1, 1, 1, 1]\n.CODE\n\
         CELL <0,0>\nSWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
         SWB src_block=rf, src_port=1, hb_index=2, v_index=3\nREFI port_no=r0, l1_iter=6, init_delay=3\n\
         REFI port_no=r1, init_addr=16, l1_iter=6, init_delay=2\nDPU mode=mac, acc_clear=3\nWAIT cycle=20\nHALT\n",
    );
    let data = data(&r);
    let cell = &data["cells"][0];
    // The first words arrive in the first cycle of the mode, two cycles after the decode.
    let first = r.programs[0].lines[4].decoded[0] as i64 + 2;
    let sums = changes(&cell["acc"][0]);
    let sums: Vec<_> = sums.into_iter().skip_while(|(cycle, _)| *cycle <= first).collect();
    // The fourth product falls into the cycle of the clearing and is dropped.
    let expected = [-20, -22, -16, 0, 5, 11, 18, 0];
    assert_eq!(sums, (first + 1..).zip(expected).collect::<Vec<_>>());
    let counts = changes(&cell["count"]);
    assert!(counts.contains(&(first, 0)) && counts.contains(&(first + 4, 0)), "{counts:?}");
    assert_eq!(data["modeInfo"]["10"][1], serde_json::json!(["in0", "in1", "acc"]));
    assert_eq!(data["first"], first);
    // l1_iter and the other values in force of the REFI for r0, which works for three cycles of delay and seven words.
    let launches = changes(&cell["patterns"][3]);
    assert_eq!(
        data["patterns"][launches[0].1 as usize],
        serde_json::json!([0, 3, 6, 1, 0, 0, 0, 0])
    );
    assert_eq!(launches[1].0 - launches[0].0, 3 + 7);
}

/// Chapter 2, 11.1: the DPU is decoded in cycle 48, and its mode is in force from the second cycle after it on. The 16
/// sums are stored in cycles 51 to 66.
#[test]
fn instructions_in_force() {
    let (r, data) = (recorded(VEC_ADD), data(&recorded(VEC_ADD)));
    let part = |unit: &str, part: &str| {
        let parts = data["spans"].as_array().unwrap();
        let found = parts.iter().find(|p| p["unit"] == unit && p["part"] == part).unwrap();
        serde_json::from_value::<Vec<u64>>(found["spans"].clone()).unwrap()
    };
    let dpu = part("cell[0][0]", "DPU");
    assert_eq!(dpu[2..], [48, 2, r.to - 50]);
    let stores = part("cell[0][0]", "w0");
    assert_eq!(stores[2] + stores[3] + stores[4] - 1, 66);
    let short = |span: &[u64]| data["code"][span[0] as usize][span[1].to_string()][0].clone();
    assert_eq!(short(&dpu), "DPU add");
    assert_eq!(short(&stores), "REFI w0 from 32, 16 words");
    assert_eq!(
        short(&part("tile[1][0]", "reads")).as_str().unwrap().split(' ').next(),
        Some("SRAM")
    );
}

/// The pattern of the first REFI, decoded in cycle 4, stores 21 words from cycle 5 on; the second one is lost in cycle 6
/// (chapter 3, 6.5).
#[test]
fn a_lost_pattern_is_not_in_force() {
    let refi = "REFI port_no=w0, l1_iter=20\n";
    let data = data(&recorded(&format!("CELL <0,0>\n{refi}{refi}HALT\n")));
    let parts = data["spans"].as_array().unwrap();
    let stores = parts.iter().find(|part| part["part"] == "w0").unwrap();
    assert_eq!(stores["spans"], serde_json::json!([0, 0, 4, 1, 21]));
}

#[test]
fn short_forms() {
    let text = "CELL <0,1>\nSWB src_block=rf, src_port=1, hb_index=1, v_index=3\n\
        SWB src_block=dpu, src_port=0, hb_index=2, send_to_other_row=y, v_index=0\nSWB hb_index=7, v_index=5\n\
        REFI port_no=r0, dimarch=y, init_addr=3\nREFI.D port_no=r1, init_addr_sd=d, init_addr=4, l1_iter=7, l2_iter=1\n\
        DPU mode=mac, acc_clear=16\nRACCU mode=sub, operand1_sd=d, operand1=2, operand2=1, result=3\n\
        ROUTE direction=w, vertical_dir=n, vertical_hops=2\nlast: WAIT cycle=9\nWAIT cycle_sd=d, cycle=5\nHALT\n";
    let mut r = recorded(text);
    let assembly = Assembler::default().assemble(text).unwrap();
    r.add_source(&assembly.lines, Some(text));
    let forms: Vec<_> = r.instructions.values().map(|i| i.short.as_str()).collect();
    let expected = "SWB r1 of (0,0) -> in1|SWB out0 of (1,1) -> w0|SWB in3 off|REFI rb from 3, 1 block|\
        later: REFI r1 from R4, 2 times 8 words|DPU mac, clears after 16|RACCU sub R2, 1 to R3|\
        ROUTE write, 2 n, 0 w|WAIT 10 cycles|WAIT R5 + 1 cycles|HALT";
    assert_eq!(forms.join("|"), expected);
    let wait = r.instructions.values().find(|i| i.label == "last").unwrap();
    assert_eq!((wait.line, wait.source.as_deref()), (Some(10), Some("last: WAIT cycle=9")));
}
