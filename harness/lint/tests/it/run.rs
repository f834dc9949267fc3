// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings of runs: right programs have none, and each change of one line has the finding that the chapters predict.

use drra_lint::{Kind, Level};

use crate::{lint_source, lint_text};

/// Words 0 to 3 plus words 16 to 19, stored in words 32 to 35. A REFI decoded in d with `init_delay` n emits its first
/// address in d+1+n (chapter 3, 6.4), and `add` has latency 1, so with REFIs in three consecutive cycles, the delays
/// are 2, 1 and 1.
const ADD: &str = "
.DATA
RF <0,0> [0] = [1, 2, 3, 4]
RF <0,0> [16] = [5, 6, 7, 8]
.CODE
CELL <0,0>
SWB src_block=rf, src_port=0, hb_index=2, v_index=2
SWB src_block=rf, src_port=1, hb_index=2, v_index=3
SWB src_block=dpu, src_port=0, hb_index=2, v_index=0
DPU mode=add
REFI port_no=r0, init_addr=0, l1_iter=3, init_delay=2
REFI port_no=r1, init_addr=16, l1_iter=3, init_delay=1
REFI port_no=w0, init_addr=32, l1_iter=3, init_delay=1
WAIT cycle=8
HALT
";
const DPU: usize = 10;
const R1: usize = 12;
const W0: usize = 13;

/// Checks the findings of a text in which one piece is replaced: kind, place and line of each, in the order of kinds.
#[track_caller]
fn check(text: &str, replaced: &str, by: &str, expected: &[(Kind, &str, usize)]) {
    assert_eq!(text.matches(replaced).count(), 1, "{replaced}");
    let found = lint_text(&text.replace(replaced, by));
    let found: Vec<_> =
        found.iter().map(|f| (f.kind, f.place(), f.line.unwrap_or_default())).collect();
    let expected: Vec<_> =
        expected.iter().map(|(kind, place, line)| (*kind, (*place).to_owned(), *line)).collect();
    assert_eq!(found, expected, "{replaced} -> {by}");
}

#[test]
fn right_programs_have_none() {
    check(ADD, "mode=add", "mode=add", &[]);
    for program in drra_case::programs::ALL {
        let found = lint_text(program.text);
        assert!(found.is_empty(), "{}: {found:?}", program.name());
    }
}

#[test]
fn operands_arrive_together() {
    use Kind::*;
    // Without the connection, r1 reads for nothing.
    let swb = "SWB src_block=rf, src_port=1, hb_index=2, v_index=3\n";
    check(
        ADD,
        swb,
        "BW config=int16\n",
        &[(OperandUnconnected, "cell[0][0] in1", DPU), (PatternUntaken, "cell[0][0] r1", R1)],
    );
    // One cycle late: the first sum lacks in1, and the word after the last one lacks in0, but nothing stores it.
    let late = ("init_addr=16, l1_iter=3, init_delay=1", "init_addr=16, l1_iter=3, init_delay=2");
    check(ADD, late.0, late.1, &[(OperandMissing, "cell[0][0] in1", R1)]);
    // An input that was disconnected on purpose (hb_index 7) reads 0.
    let off = "SWB src_block=rf, src_port=1, hb_index=7, v_index=3\n";
    check(ADD, swb, off, &[(PatternUntaken, "cell[0][0] r1", R1)]);
    // Groups of two: the operand of every third cycle is dropped (chapter 4, 5.5), and w0 stores on.
    let grouped = "mode=mac, acc_clear=2";
    check(
        ADD,
        "mode=add",
        grouped,
        &[
            (OperandDropped, "cell[0][0] DPU", DPU),
            (StoreNothing, "cell[0][0] w0", W0),
            (StorePartial, "cell[0][0] w0", W0),
        ],
    );
    // mult_const uses one input of each channel, in0 and in2.
    check(
        ADD,
        "mode=add",
        "mode=mult_const",
        &[(OperandUnused, "cell[0][0] in1", DPU), (PatternUntaken, "cell[0][0] r1", R1)],
    );
    // Output 1 shows the sum of in2 and in3, which are not connected.
    let other = ("src_block=dpu, src_port=0", "src_block=dpu, src_port=1");
    check(ADD, other.0, other.1, &[(StoreNothing, "cell[0][0] w0", W0)]);
}

/// What is under way when a run is cut off is no finding.
#[test]
fn a_run_can_be_cut_off() {
    for program in drra_case::programs::ALL {
        for cycles in (0..200).step_by(7) {
            let found = crate::lint_cycles(program.text, Some(cycles)).unwrap().findings;
            let found: Vec<_> = found.iter().filter(|f| f.kind.level() != Level::Hint).collect();
            assert!(found.is_empty(), "{}, {cycles} cycles: {found:?}", program.name());
        }
    }
}

#[test]
fn stores_find_their_words() {
    use Kind::*;
    let early = ("init_addr=32, l1_iter=3, init_delay=1", "init_addr=32, l1_iter=3, init_delay=0");
    check(ADD, early.0, early.1, &[(StoreNothing, "cell[0][0] w0", W0)]);
    let swb = "SWB src_block=dpu, src_port=0, hb_index=2, v_index=0\n";
    check(ADD, swb, "BW config=int16\n", &[(StoreUnconnected, "cell[0][0] w0", W0)]);
    let off = "SWB hb_index=7, v_index=0\n";
    check(ADD, swb, off, &[(StoreUnconnected, "cell[0][0] w0", W0)]);
    check(ADD, "mode=add", "mode=mac", &[(StorePartial, "cell[0][0] w0", W0)]);
    // The sum of all four operands, stored once, one cycle after the last of them.
    let once = "REFI port_no=w0, init_addr=32, init_delay=4\n";
    let sum = ADD.replace("mode=add", "mode=mac");
    check(&sum, "REFI port_no=w0, init_addr=32, l1_iter=3, init_delay=1\n", once, &[]);
    // w1 stores the word that w0 stores, too.
    let both = "REFI port_no=w0, init_addr=32, l1_iter=3, init_delay=1\n\
                SWB src_block=dpu, src_port=0, hb_index=2, v_index=1\n\
                REFI port_no=w1, init_addr=33, init_delay=0\nREFI port_no=w1, init_addr=33, init_delay=0\n";
    let found =
        lint_text(&ADD.replace("REFI port_no=w0, init_addr=32, l1_iter=3, init_delay=1\n", both));
    assert!(
        found.iter().any(|f| f.kind == TwoWriters && f.place() == "cell[0][0] w1"),
        "{found:?}"
    );
}

#[test]
fn words_are_written_before_they_are_read() {
    use Kind::*;
    let beyond = "init_addr=18, l1_iter=3, init_delay=1";
    check(
        ADD,
        "init_addr=16, l1_iter=3, init_delay=1",
        beyond,
        &[(ReadUnwritten, "cell[0][0] r1", R1)],
    );
    let found = lint_text(&ADD.replace("init_addr=16, l1_iter=3, init_delay=1", beyond));
    assert_eq!(found[0].count, 2, "words 20 and 21");
    assert_eq!(found[0].register.as_deref(), Some("cell[0][0].rf.mem[20]"));
}

#[test]
fn what_is_lost_names_both_instructions() {
    // r0 emits its last address in d+6; the second REFI is decoded in d+4 and arrives in d+5.
    let second = "WAIT cycle=0\nREFI port_no=r0, init_addr=0, l1_iter=3\nWAIT cycle=8\n";
    check(ADD, "WAIT cycle=8\n", second, &[(Kind::Lost, "cell[0][0] r0", W0 + 2)]);
    let found = lint_text(&ADD.replace("WAIT cycle=8\n", second));
    assert!(found[0].text.contains("that of the REFI in line 11 still runs"), "{found:?}");
    // The loop is entered, and HALT comes before its end.
    let inside =
        "LOOP loopid=1, start=0, iter=3, endpc=end\nWAIT cycle=8\nHALT\nend: BW config=int16\n";
    let found = lint_text(&ADD.replace("WAIT cycle=8\n", inside));
    let active = found.iter().find(|f| f.kind == Kind::LoopActive).expect("{found:?}");
    assert_eq!((active.place().as_str(), active.line), ("cell[0][0] slot 1", Some(W0 + 1)));
}

/// Row 1 of the tile goes to block 1 of the cell (chapter 6, 10.2), which is a copy of vec_add's second read.
#[test]
fn blocks_are_stored_when_they_arrive() {
    use Kind::*;
    const READ: &str = "
.DATA
SRAM <0,0> [1] = RAMP(0, 16)
.CODE
CELL <0,0>
ROUTE horizontal_dir=e, vertical_dir=n, direction=r
SRAM rw=r, init_addr=1
REFI port_no=w0, init_addr=1, init_delay=4, dimarch=y
WAIT cycle=10
HALT
";
    // ROUTE, SRAM and REFI are decoded in cycles 0, s = 1 and r = 2: init_delay is s - r + 5.
    check(READ, "rw=r", "rw=r", &[]);
    let sram = "SRAM rw=r, init_addr=1\n";
    check(READ, sram, "WAIT cycle=2\n", &[(BlockMissing, "cell[0][0] wb", 8)]);
    let refi = "REFI port_no=w0, init_addr=1, init_delay=4, dimarch=y\n";
    check(READ, refi, "", &[(BlockUnstored, "tile[1][0] S", 6)]);
    check(
        READ,
        "SRAM rw=r, init_addr=1",
        "SRAM rw=r, init_addr=9",
        &[(RowUnwritten, "tile[1][0] rd", 7)],
    );
    let route = "ROUTE horizontal_dir=e, vertical_dir=n, direction=r\n";
    check(
        READ,
        route,
        "WAIT cycle=0\n",
        &[(NoPath, "tile[1][0] S", 7), (BlockMissing, "cell[0][0] wb", 8)],
    );
    // A path for writing: the row is read, and its block goes nowhere.
    let written = [(NoPath, "tile[1][0] MEM", 6), (BlockMissing, "cell[0][0] wb", 8)];
    check(READ, "direction=r", "direction=w", &written);
    // Ten rows are read, and the path is replaced after a few of them.
    let torn = READ.replace("WAIT cycle=10", "WAIT cycle=6\nROUTE horizontal_dir=e, direction=w");
    let found = lint_text(&torn.replace("rw=r,", "rw=r, l1_iter=9,"));
    let torn = found.iter().find(|f| f.kind == RouteTears).expect("a torn path");
    assert_eq!((torn.place().as_str(), torn.line), ("tile[1][0] MEM", Some(10)));
}

#[test]
fn hints_are_found() {
    let hints = |text: &str| {
        let found = lint_source(text).unwrap().findings.into_iter();
        found.map(|f| (f.kind, f.count)).filter(|f| f.0.level() == Level::Hint).collect::<Vec<_>>()
    };
    assert_eq!(hints(ADD), []);
    assert_eq!(hints(&ADD.replace("HALT\n", "")), [(Kind::HaltMissing, 1)]);
    // r0 reads words 62, 63, 0 and 1 (chapter 3, 6.6).
    let wraps = ADD.replace("init_addr=0, l1_iter=3", "init_addr=62, l1_iter=3");
    assert_eq!(hints(&wraps), [(Kind::AddressWraps, 1)]);
    // R0 counts from 0: the loop adds 1 in each iteration.
    let counts = "CELL <0,0>\nLOOP loopid=0, iter=3, endpc=end\n\
                  end: RACCU mode=add, operand1_sd=d, operand1=0, operand2=1, result=0\nHALT\n";
    assert_eq!(hints(counts), [(Kind::CounterUnset, 1)]);
    // w1 takes three of the four words of r0.
    let some = "SWB src_block=rf, src_port=0, hb_index=2, v_index=1\nDPU mode=idle\n\
                REFI port_no=w1, init_addr=40, l1_iter=2, init_delay=2\n\
                REFI port_no=r0, init_addr=0, l1_iter=3, init_delay=1\nWAIT cycle=8\nHALT\n";
    let text = ADD.split_inclusive("CELL <0,0>\n").next().unwrap().to_owned() + some;
    assert_eq!(hints(&text), [(Kind::WordUntaken, 1)]);
}

#[test]
fn notes_name_the_values() {
    let saturated = ADD.replace("[5, 6, 7, 8]", "[5, 32767, 7, 8]");
    let found = lint_text(&saturated.replace("mode=add", "mode=add, control=nosat_int"));
    let [wraps] = &found[..] else { panic!("{found:?}") };
    assert_eq!((wraps.kind, wraps.line), (Kind::Wraps, Some(DPU)));
    assert!(wraps.text.contains("32769") && wraps.text.contains("-32767"), "{}", wraps.text);
    check(&saturated, "mode=add", "mode=add, control=sat_int", &[]);
    let zero = ADD.replace("mode=add", "mode=div").replace("[5, 6, 7, 8]", "[5, 0, 7, 8]");
    let found =
        lint_text(&zero.replace(
            "init_addr=32, l1_iter=3, init_delay=1",
            "init_addr=32, l1_iter=3, init_delay=4",
        ));
    assert!(found.iter().any(|f| f.kind == Kind::DivisionByZero && f.count == 1), "{found:?}");
}
