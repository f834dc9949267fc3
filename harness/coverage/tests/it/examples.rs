// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-written programs, with the bins that they hit according to the chapters.

use drra_case::Case;
use drra_coverage::{Collector, groups};
use drra_isa::{Assembler, Geometry};

use crate::bins;

/// Names of the bins of a group that a program hits.
fn found(program: &str, group: &str) -> Vec<String> {
    let assembly = Assembler::default().assemble(program).unwrap();
    let mut case = Case::new("", &Geometry::default(), assembly.image, assembly.memory);
    case.io_cells = assembly.io_cells;
    let hit = bins(&case, &mut Collector::new());
    let group = groups().iter().find(|g| g.name == group).expect("a group");
    let of_group = group.bins().filter(|bin| hit.contains(&((group.first + bin) as u32)));
    of_group.map(|bin| group.label(bin)).collect()
}

/// A program hits exactly these bins of a group.
#[track_caller]
fn check(program: &str, group: &str, expected: &[&str]) {
    let mut found = found(program, group);
    let mut expected = expected.to_vec();
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected, "{group}");
}

/// True if a program hits the bin of an event.
fn happens(program: &str, event: &str) -> bool {
    found(program, "events").iter().any(|bin| bin == event)
}

#[test]
fn fields_have_the_bins_of_their_values() {
    check(
        "CELL <0,0>\n REFI.D port_no=2, init_addr=63\n HALT\n",
        "REFI fields",
        &[
            "REFI without immediate flag",
            "REFI port_no = r0",
            "REFI extra = 0",
            "REFI init_addr_sd = s",
            "REFI init_addr = max",
            "REFI l1_iter = 0",
            "REFI init_delay = 0",
        ],
    );
    for (value, name) in
        [(0, "0"), (1, "1"), (2, "others"), (32, "sign bit alone"), (62, "max - 1"), (63, "max")]
    {
        let found = found(&format!("REFI port_no=0, init_addr={value}\n HALT\n"), "REFI fields");
        assert!(found.contains(&format!("REFI init_addr = {name}")), "{found:?}");
    }
}

#[test]
fn decodes_have_the_bins_of_their_groups() {
    for (instructions, group, expected) in [
        (
            "BW config=1\n DPU mode=10, control=3, io_change=1",
            "DPU configuration",
            &["mac, sat_fx, negate_in0, int8"] as &[&str],
        ),
        (
            "SWB src_block=1, v_index=4, hb_index=1",
            "switchbox",
            &["dpu 0 to input 4, -1 columns, own row"],
        ),
        // The slot itself is not counted among the others.
        (
            "LOOP loopid=0, endpc=60, iter=9\n LOOP loopid=3, endpc=60, iter=9\n\
             LOOP loopid=2, endpc=60, iter=9\n LOOP loopid=2, endpc=60, iter=1",
            "loops",
            &[
                "slot 0, 0 others active, several times",
                "slot 3, 1 others active, several times",
                "slot 2, 2 others active, several times",
                "slot 2, 2 others active, once",
            ],
        ),
        ("RACCU mode=1, operand2_sd=1", "RACCU", &["mode 1, literal and register"]),
        (
            "ROUTE direction=1, vertical_dir=1, vertical_hops=1, horizontal_dir=0, horizontal_hops=4",
            "NoC path",
            &["write, 1 north, 4 or more west"],
        ),
        (
            "SRAM rw=0, hops=3, l2_iter=1, init_delay=15",
            "SRAM pattern",
            &["read, 3 or more hops, second level only, delay"],
        ),
        ("PERM mode=4, distance=16", "PERM distance", &["mode 4, distance 16"]),
        // 7 disconnects, and 5 is not a column; inputs 6 and 7 do not exist.
        ("SWB hb_index=7", "switchbox", &[]),
        ("SWB hb_index=5", "switchbox", &[]),
        ("SWB v_index=6", "switchbox", &[]),
    ] {
        check(&format!("CELL <0,0>\n {instructions}\n HALT\n"), group, expected);
    }
    check(
        ".IOCELL <0,0>\nCELL <0,0>\n IO rw=1, l1_iter=31, mask=0xfffe\n HALT\n",
        "IO pattern",
        &["write, several blocks, no delay, some words masked"],
    );
}

#[test]
fn instructions_follow_each_other() {
    let program = "CELL <0,0>\n BW.D config=1\n RACCU mode=add, operand1=1\n HALT\n";
    check(
        program,
        "instruction pairs",
        &["BW, then RACCU, deferred then immediate", "RACCU, then HALT, both immediate"],
    );
    check(program, "instruction triples", &["BW, then RACCU, then HALT, dii"]);
}

/// Cell (1,0) decodes its first instruction one cycle after cell (0,0) (chapter 5, 5.2).
#[test]
fn cells_of_a_column_decode_together() {
    let program = "CELL <0,0>\n BW config=1\n RACCU mode=add, operand1=1\n HALT\n\
        CELL <1,0>\n SWB\n HALT\n";
    check(
        program,
        "instructions of a column",
        &["RACCU, with SWB, both immediate", "HALT, with HALT, both immediate"],
    );
}

/// Row 0 decodes its ROUTE in cycle 1 and sends it in cycle 2; row 1 sends its messages in cycles 2 and 3.
#[test]
fn cells_of_a_column_send() {
    let program = "CELL <0,0>\n WAIT cycle=0\n ROUTE direction=r\n HALT\n\
        CELL <1,0>\n ROUTE direction=w\n SRAM rw=w\n HALT\n";
    check(
        program,
        "events of a column",
        &[
            "read ROUTE by row 0, write ROUTE by row 1, in the same cycle",
            "read ROUTE by row 0, write SRAM by row 1, 1 cycle later",
        ],
    );
}

/// A REFI waits from the second cycle after its decode on, when the flag of the next instruction reaches the register
/// file.
#[test]
fn configurations_wait_for_flags() {
    let program = "CELL <0,0>\n REFI.D port_no=w0\n DPU.D mode=add\n HALT\n";
    check(
        program,
        "what waits",
        &["w0 waits, DPU, deferred", "w0 waits, HALT, immediate", "DPU waits, HALT, immediate"],
    );
}

/// The trace of chapter 3, 9.3: the second launch meets RUN.
#[test]
fn launches_meet_a_phase() {
    let program = "CELL <0,0>\n REFI port_no=w0, l1_iter=7\n WAIT cycle=0\n\
        REFI port_no=w0, init_addr=40, init_delay=9, l1_iter=5, l1_step=4\n HALT\n";
    check(
        program,
        "AGU launch by phase",
        &["w0, IDLE, arrives, one level, no delay", "w0, RUN, arrives, one level, longer delay"],
    );
    // Example 8 of chapter 3, section 11: a launch in the cycle of the last address.
    let program = "CELL <0,0>\n REFI port_no=w0, l1_iter=2\n WAIT cycle=0\n\
        REFI port_no=w0, init_addr=40, l1_iter=1\n HALT\n";
    check(
        program,
        "AGU launch by phase",
        &[
            "w0, IDLE, arrives, one level, no delay",
            "w0, RUN at the last address, arrives, one level, no delay",
        ],
    );
    let program = "CELL <0,0>\n REFI.D port_no=w0\n REFI.D port_no=w0\n HALT\n";
    check(
        program,
        "AGU configuration that waits, by phase",
        &["w0, IDLE, empty", "w0, IDLE, replaced"],
    );
    check(program, "AGU launch by phase", &["w0, IDLE, has waited, single address, no delay"]);
}

/// The second configuration arrives while the AGU works on the first configuration.
#[test]
fn launches_have_levels_and_delays() {
    let program = "CELL <0,0>\n REFI port_no=w0, l1_iter=7\n WAIT cycle=0\n\
        REFI port_no=w0, l1_iter=3, init_delay=1, l2_delay=9, l1_step=1, l1_step_sign=1\n HALT\n";
    check(
        program,
        "AGU launch",
        &["w0, one level, no delay, at rest", "w0, one level, delay 1, busy"],
    );
    check(program, "AGU pattern", &["w0, no delays, upwards", "w0, row delay, downwards"]);
}

/// The second SRAM is offered in the cycle after the first, when the generator has its configuration but has not begun
/// (chapter 6, 7.1).
#[test]
fn offers_meet_a_phase() {
    let program = "CELL <0,0>\n ROUTE direction=r\n SRAM rw=r, l1_iter=3\n\
        SRAM rw=r, init_delay=2\n WAIT cycle=20\n HALT\n";
    check(
        program,
        "SRAM offer by phase",
        &[
            "rd, IDLE, taken at S, one level, no delay",
            "rd, IDLE with a configuration, taken at S, single address, delay",
        ],
    );
    check(
        program,
        "SRAM generators together",
        &[
            "rd IDLE, wr IDLE",
            "rd IDLE with a configuration, wr IDLE",
            "rd RUN within a row, wr IDLE",
            "rd RUN at the last address, wr IDLE",
        ],
    );
    let program = ".IOCELL <0,0>\nCELL <0,0>\n IO rw=r, l1_iter=2\n WAIT cycle=20\n HALT\n";
    check(program, "IO offer by phase", &["rd, IDLE, several blocks, no delay, no mask"]);
    check(
        program,
        "IO generators together",
        &[
            "rd IDLE, wr IDLE",
            "rd IDLE with a configuration, wr IDLE",
            "rd RUN within a row, wr IDLE",
            "rd RUN at the last address, wr IDLE",
        ],
    );
}

/// The message of cell (0,0) passes its home tile and enters the next tile in cycle 2; cell (0,1) starts a cycle later,
/// and its message enters there in cycle 2, too.
#[test]
fn messages_meet() {
    let program = "CELL <0,0>\n ROUTE direction=r, horizontal_dir=e, horizontal_hops=1\n HALT\n\
        CELL <0,1>\n ROUTE direction=w\n HALT\n";
    check(
        program,
        "messages that meet in a tile",
        &["from S and W, write ROUTE that ends here, read ROUTE that ends here"],
    );
    let program = "CELL <0,0>\n ROUTE direction=r\n SRAM rw=r\n HALT\n";
    check(
        program,
        "messages in successive cycles",
        &["read ROUTE that ends here from S, then read SRAM taken here from S"],
    );
}

/// The trace of chapter 3, 9.4: in cycle 3, w0, w1 and r0 are at word 5; in cycle 4, w1 is at word 6, and r0 is at word
/// 5 again. Of the writers, w0 has priority.
#[test]
fn agents_meet_at_a_word() {
    let program = "CELL <0,0>\n REFI.D port_no=w0, init_addr=5\n\
        REFI.D port_no=w1, init_addr=5, l1_iter=1\n\
        REFI.D port_no=r0, init_addr=5, l1_iter=1, l1_step=0\n WAIT cycle=9\n HALT\n";
    check(program, "same word at once", &["w0 and w1", "w0 and r0", "w1 and r0"]);
    check(
        program,
        "same word again",
        &["w0, then r0, 1 cycle later", "w1, then r0, 1 cycle later", "r0, then r0, 1 cycle later"],
    );
    check(program, "word after its writer", &["written by w0, word 5, then r0, in the next cycle"]);
}

#[test]
fn modes_and_widths_change() {
    let program = "CELL <0,0>\n DPU mode=add\n DPU mode=mac\n WAIT cycle=1\n BW config=3\n HALT\n";
    check(
        program,
        "DPU mode changes",
        &["idle, then add, sat_int, no_change, int16", "add, then mac, sat_int, no_change, int16"],
    );
    check(program, "DPU width changes", &["mac, from int16 to int4"]);
}

/// Input 0 receives one word from read port 0; inputs that are not connected are 0.
#[test]
fn operands_have_classes() {
    let program = |mode: &str, word: i32| {
        format!(
            ".DATA\nRF <0,0> [0] = [{word}]\n.CODE\nCELL <0,0>\n\
             SWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
             DPU mode={mode}\n REFI port_no=r0, init_addr=0, init_delay=3\n WAIT cycle=9\n HALT\n"
        )
    };
    check(
        &program("add", 0x7fff),
        "operand pairs",
        &[
            "add int16: in0 and in1, 0 and 0, sat_int, no_change",
            "add int16: in0 and in1, largest and 0, sat_int, no_change",
            "add int16: in2 and in3, 0 and 0, sat_int, no_change",
        ],
    );
    check(
        &program("relu", -1),
        "single operands",
        &[
            "relu: in0, 0, sat_int, no_change",
            "relu: in0, -1, sat_int, no_change",
            "relu: in2, 0, sat_int, no_change",
        ],
    );
}

/// 32767 + 32767 is above the range of a word, and its negation is below that range.
#[test]
fn results_saturate() {
    let program = |word: i32| {
        format!(
            ".DATA\nRF <0,0> [0] = [{word}]\n.CODE\nCELL <0,0>\n\
             SWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
             SWB src_block=rf, src_port=0, hb_index=2, v_index=3\n\
             DPU mode=add, control=sat_int\n REFI port_no=r0, init_addr=0, init_delay=3\n\
             WAIT cycle=9\n HALT\n"
        )
    };
    check(&program(32767), "DPU saturation", &["add output 0, int16 lane 0, above"]);
    check(&program(-32767), "DPU saturation", &["add output 0, int16 lane 0, below"]);
}

/// The end is reached twice; the second time is the last.
#[test]
fn loops_end() {
    let program = "CELL <0,0>\n LOOP loopid=0, endpc=end, iter=2\nend: BW config=1\n HALT\n";
    let others = "slot 1 inactive, slot 2 inactive, slot 3 inactive, plain instruction";
    check(
        program,
        "loop ends",
        &[
            &format!("slot 0 at its end, {others}"),
            &format!("slot 0 at its end for the last time, {others}"),
        ],
    );
}

/// Without a compare, the status is the reset status, *less*.
#[test]
fn branches_look_at_the_status() {
    let program = "CELL <0,0>\n BRANCH mode=gt, false_pc=end\nend: HALT\n";
    check(program, "BRANCH", &["gt, on less, for longer"]);
}

#[test]
fn data_pass_the_switchbox() {
    let program = ".DATA\nRF <0,0> [0] = [5]\n.CODE\nCELL <0,0>\n\
        SWB src_block=rf, src_port=0, hb_index=2, v_index=0\n\
        REFI port_no=r0, init_addr=0, init_delay=4\n\
        REFI port_no=w0, init_addr=9, init_delay=3\n WAIT cycle=9\n HALT\n";
    let bin = "from rdata_0, to wdata_0, own column, own row";
    check(program, "data through the switchbox", &[bin]);
    // The word is 0.
    check(&program.replace("[5]", "[0]"), "data through the switchbox", &[]);
}

#[test]
fn sequencers_load_and_end() {
    let bins = found("CELL <0,0>\n BW config=1\n BW config=2\n BW config=3\n HALT\n", "sequencer");
    for bin in [
        "IDLE, a word, goes on, no loop active",
        "LOAD, a word, goes on, no loop active",
        "LOAD, no word, goes on, no loop active",
        "RUN, no word, goes on, no loop active",
        "RUN, no word, HALT, no loop active",
    ] {
        assert!(bins.iter().any(|b| b == bin), "{bin}: {bins:?}");
    }
    // Without HALT, the last word ends the program (chapter 2, 5.3).
    let bins = found("CELL <0,0>\n BW config=1\n BW config=2\n BW config=3\n", "sequencer");
    assert!(bins.iter().any(|b| b == "RUN, no word, with its last word, no loop active"));
    assert!(bins.iter().all(|b| !b.contains("HALT")), "{bins:?}");
}

/// Programs 16 and 22 of chapter 2, section 15, the loops of 11.3, and skips at the end of a loop.
#[test]
fn redirects_meet() {
    let group = "redirects in one cycle";
    let program = "CELL <0,0>\n LOOP loopid=0, endpc=end, iter=2\n BW config=1\n\
        end: JUMP pc=out\n BW config=2\nout: HALT\n";
    let jumps = ["a loop, not a JUMP or BRANCH", "a JUMP or BRANCH, not a loop that ends"];
    check(program, group, &jumps);
    // Slot 1 is inactive, so both loops iterate, and slot 0 ends first.
    let program = "CELL <0,0>\n LOOP loopid=0, endpc=end, iter=2\n LOOP loopid=2, endpc=end, iter=3\n\
        BW config=1\nend: BW config=2\n HALT\n";
    check(program, group, &["a loop, not a loop in a higher slot", "a loop, not one that ends"]);
    let program = "CELL <0,0>\n LOOP loopid=0, endpc=end, iter=2\n LOOP loopid=1, endpc=end, iter=2\n\
        BW config=1\nend: WAIT cycle=1\n HALT\n";
    check(program, group, &["a loop, not one that ends"]);
    // A skip that waits for the end of a WAIT or, without a WAIT, acts at once.
    let skip = |end: &str| {
        let program =
            "CELL <0,0>\n LOOP loopid=0, endpc=end, iter=2\n LOOP.D loopid=1, endpc=out, iter=0";
        format!("{program}\nend: {end}\n BW config=2\nout: BW config=1\n HALT\n")
    };
    check(
        &skip("WAIT cycle=2"),
        group,
        &["a loop, not a pending jump", "a pending jump, not a loop that ends"],
    );
    check(&skip("BW config=3"), group, &["a loop, not a skip", "a skip, not a loop that ends"]);
}

/// The loop controller has the values 1 and then 0 for R15, which is 0 before.
#[test]
fn registers_change_as_they_are_used() {
    let in_loop = |value: usize| {
        format!(
            "LOOP loopid=0, endpc=end, iter=2\n\
             end: RACCU mode=add, operand1={value}, result=15\n"
        )
    };
    let new_loop = "RACCU.D mode=add, operand1=9, result=15\n LOOP loopid=0, endpc=end, iter=2\n\
        BW config=1\nend: BW config=2\n";
    let operand = |value: usize| {
        format!(
            "RACCU.D mode=add, operand1={value}, result=3\n\
             REFI port_no=w0, init_addr_sd=1, init_addr=3\n"
        )
    };
    let iterator = "LOOP loopid=0, endpc=end, iter=2\n\
        end: WAIT cycle_sd=1, cycle=15\n BW config=1\n";
    let [result, new] = [
        "the RACCU writes the register of a loop that has another value for it",
        "the RACCU writes the register of a loop that is configured",
    ];
    let of_raccu = "an instruction uses a register that the RACCU changes";
    let of_loop = "an instruction uses a register that the loop controller changes";
    for (program, event) in [
        (in_loop(9), result),
        (new_loop.to_owned(), new),
        (operand(5), of_raccu),
        (iterator.to_owned(), of_loop),
    ] {
        assert!(happens(&format!("CELL <0,0>\n {program} HALT\n"), event), "{event}");
    }
    assert!(!happens(&format!("CELL <0,0>\n {} HALT\n", operand(0)), of_raccu));
}

/// 11.5 (d) of chapter 6; then the SRAMs are alike.
#[test]
fn sides_of_a_tile_compete() {
    let group = "arbitration in a tile";
    let program = |row: usize| {
        format!(
            "CELL <0,0>\n ROUTE direction=r, horizontal_dir=e, horizontal_hops=1\n\
             SRAM rw=r, hops=1, init_addr=3\n HALT\n\
             CELL <0,1>\n ROUTE direction=r\n SRAM rw=r, init_addr={row}\n HALT\n"
        )
    };
    let crossbar = "crossbar, between S and W";
    check(&program(6), group, &[crossbar, "read AGU, between S and W"]);
    check(&program(3), group, &[crossbar]);
    // Both ROUTEs leave to E; the third one is at side E.
    let program = "CELL <0,0>\n ROUTE direction=r, horizontal_dir=e, horizontal_hops=2\n HALT\n\
        CELL <0,1>\n ROUTE direction=w, horizontal_dir=e, horizontal_hops=1\n HALT\n";
    check(program, group, &[crossbar, "bus to E and W, between S and W"]);
}

/// 11.5 (b) of chapter 6, and blocks; the second numbers are alike.
#[test]
fn rows_of_a_column_compete() {
    let messages = |row: usize| {
        format!(
            "CELL <0,0>\n BW config=1\n ROUTE direction=r\n SRAM rw=r, init_addr=4\n HALT\n\
             CELL <1,0>\n ROUTE direction=r\n SRAM rw=r, init_addr={row}\n HALT\n"
        )
    };
    let blocks = |word: usize| {
        format!(
            ".DATA\nRF <0,0> [0] = [7]\nRF <1,0> [0] = [{word}]\n.CODE\n\
             CELL <0,0>\n REFI port_no=r0, dimarch=1, init_delay=1\n HALT\n\
             CELL <1,0>\n REFI port_no=r0, dimarch=1\n HALT\n"
        )
    };
    for (program, event) in [
        ([messages(5), messages(4)], "both rows of a column issue different messages"),
        ([blocks(8), blocks(7)], "both rows of a column read different blocks"),
    ] {
        assert_eq!(program.map(|p| happens(&p, event)), [true, false], "{event}");
    }
}

/// The block of an IO decoded in cycle 0 arrives in cycle 6, with words 0 to 7 masked, where w0 writes 0 into word 3
/// (chapter 7, A5).
#[test]
fn masked_words_are_written() {
    let program = ".IOCELL <0,0>\n.CODE\nCELL <0,0>\n\
        IO rw=r, mask=0x00ff\n BW config=1\n BW config=1\n\
        REFI port_no=w0, dimarch=1, init_delay=2\n\
        REFI port_no=w0, init_addr=3, init_delay=1\n HALT\n";
    let event = "a masked word of a block is one that w0, w1 or a PERM writes";
    assert!(happens(program, event));
}

/// A register has more bits than the number of iterations of a LOOP, which ignores bit 6 of 64 and of 127.
#[test]
fn registers_reach_the_limits_of_operands() {
    let of = |number: u8| {
        format!(
            "CELL <0,0>\n RACCU mode=add, operand1={number}, result=1\n\
             LOOP loopid=0, endpc=9, iter_sd=1, iter=1\n HALT\n"
        )
    };
    for (number, text) in [
        (0, "0"),
        (1, "1"),
        (32, "half of the range"),
        (63, "the largest number"),
        (64, "one more than that"),
    ] {
        check(&of(number), "operands from registers", &[&format!("LOOP iter is {text}")]);
    }
}

/// Each program, with its bins of one of the groups of numbers and changes.
#[test]
fn numbers_and_changes_have_bins() {
    let stream = ".DATA\nRF <0,0> [0] = [-600, 9]\n.CODE\nCELL <0,0>\n\
        SWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
        SWB src_block=rf, src_port=0, hb_index=2, v_index=3\n";
    let read = "REFI port_no=r0, init_addr=0, l1_iter=1, init_delay=2\n";
    for (program, group, expected) in [
        (
            // 100 is -28.
            "RACCU mode=shift_r, operand1=100, operand2=3\n\
             RACCU mode=shift_l, operand1=5, operand2=1\n"
                .to_owned(),
            "RACCU shifts",
            &["shift_r, by 3, negative", "shift_l, by 1, positive"] as &[&str],
        ),
        (
            format!("{stream} DPU mode=tanhyp\n {read} WAIT cycle=9\n"),
            "pieces of functions",
            &["tanhyp, piece 0, positive", "tanhyp, piece 2, negative"],
        ),
        (
            format!("{stream} DPU mode=shift_l\n {read} WAIT cycle=9\n"),
            "DPU shifts",
            &[
                "shift_l, on channel 0, by a negative number, negative",
                "shift_l, on channel 0, by 1 to 14, positive",
            ],
        ),
        (
            "ROUTE direction=r\n SRAM rw=r, init_addr=63, l1_iter=1, l1_step=1\n WAIT cycle=20\n"
                .to_owned(),
            "carries between addresses",
            &["SRAM bit 6, upwards"],
        ),
        (
            "REFI port_no=r1, l1_iter=63\n WAIT cycle=70\n".to_owned(),
            "long patterns",
            &["of an AGU, l1_iter, at its largest number"],
        ),
        (
            "WAIT cycle=70\n BW config=1\n WAIT cycle=1\n".to_owned(),
            "WAIT ends",
            &["7-bit counter", "1-bit counter"],
        ),
        (
            "DPU mode=mac, acc_clear=5\n DPU mode=mult, control=0, acc_clear=6\n".to_owned(),
            "DPU settings that change",
            &["sat_int, then nosat_int, no_change, then no_change"],
        ),
        (
            "PERM mode=2, block=1\n PERM mode=7, block=1\n BW config=1\n PERM mode=7, block=2\n"
                .to_owned(),
            "permutations that follow each other",
            &["mode 2, then mode 7", "mode 7, then mode 7"],
        ),
        (
            format!(
                "{stream} SWB src_block=dpu, src_port=0, hb_index=2, v_index=0\n\
                 DPU mode=add\n {read} REFI port_no=w0, l1_iter=9, init_addr=40\n WAIT cycle=15\n"
            ),
            "results that are used",
            &["add, int16"],
        ),
        (
            // The words pass in cycles 6 and 7; the input is connected to nothing after the first one.
            format!(
                "{stream} SWB src_block=rf, src_port=0, hb_index=2, v_index=0\n {read}\
                 REFI port_no=w0, l1_iter=3, init_addr=40, init_delay=1\n\
                 SWB hb_index=7, v_index=0\n WAIT cycle=15\n"
            ),
            "connections that change",
            &["from nothing, to own column, own row", "from own column, own row, to nothing"],
        ),
    ] {
        let program =
            if program.contains("CELL") { program } else { format!("CELL <0,0>\n {program}") };
        check(&format!("{program} HALT\n"), group, expected);
    }
    let beyond = [2, 1].map(|column| {
        let program = format!("CELL <0,0>\n SWB hb_index={column}, send_to_other_row=y\n HALT\n");
        happens(&program, "an SWB connects an input to the other row beyond the edge of the fabric")
    });
    assert_eq!(beyond, [false, true]);
}
