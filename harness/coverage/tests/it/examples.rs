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
