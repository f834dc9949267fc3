// SPDX-License-Identifier: MIT OR Apache-2.0
//! The provenance of values of an end state shows the mistake in a program. A cell decodes one instruction in each
//! cycle. A port emits its first address in the cycle after the decode of its REFI, or `init_delay` cycles later
//! (chapter 3, 5.3), and a DPU instruction is launched in the cycle after its decode (chapter 4, 4.2).

use drra_case::Case;
use drra_isa::Assembler;
use drra_lockstep::{EndState, GoldenRun, run_golden};
use drra_report::{ProgramSource, end_state, provenances};

use crate::GEOMETRY;

/// A cell with data whose DPU gets in0 from r0 and in1 from r1; w0 stores its result. The last line is line 8.
const CELL: &str = ".DATA
RF <0,0> [0] = [1, 2, 3, 4]
RF <0,0> [16] = [10, 20, 30, 40]
.CODE
CELL <0,0>
SWB src_block=rf, src_port=0, hb_index=2, v_index=2
SWB src_block=rf, src_port=1, hb_index=2, v_index=3
SWB src_block=dpu, src_port=0, hb_index=2, v_index=0
";

/// The provenance of the unexpected values of a program has these parts, in which `+N` is the Nth cycle after the first
/// decode.
#[track_caller]
fn check(program: &str, expected: &str, parts: &[&str]) {
    let assembly = Assembler::default().assemble(program).unwrap();
    let case = Case::new("p.sasm", &GEOMETRY, assembly.image, assembly.memory);
    let cycles = run_golden(&case, None).cycles;
    let mut run = GoldenRun::new(&case);
    (0..cycles).for_each(|_| run.step());
    let unexpected = EndState::read(expected, &GEOMETRY).unwrap().check(&mut run);
    let source = ProgramSource { file: &case.name, lines: &assembly.lines };
    let text = provenances(&end_state(&case, cycles, &unexpected), &source);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        let absolute = (0..=10).rev().fold((*part).to_owned(), |part, n| {
            part.replace(&format!("+{n}"), &(case.stimulus.end() + 1 + n).to_string())
        });
        assert!(words.contains(&absolute), "{absolute}: {text}");
    }
}

/// r0 sends its words in cycles 6 to 9, r1 in cycles 7 to 10; w0 stores 2*10 + 3*20 + 4*30 in cycle 10.
#[test]
fn operands_without_a_counterpart() {
    let program = "DPU mode=mac
        REFI port_no=r0, init_addr=0, l1_iter=3, init_delay=1
        REFI port_no=r1, init_addr=16, l1_iter=3, init_delay=1
        REFI port_no=w0, init_addr=32, init_delay=3
        HALT";
    check(
        &(CELL.to_owned() + program),
        "cell[0][0].rf.mem[32] = 300",
        &[
            "cycle +10, cell[0][0]: word 32 is written by write port w0 = 200 [REFI, p.sasm:12]",
            "w0 is connected to DPU out 0 of cell (0,0) = 200 [SWB, p.sasm:8]",
            "mode mac = 200 [DPU, p.sasm:9] cycle +10, cell[0][0]: operands accumulated: 4 in cycles +6 to +9 \
             cycle +10, cell[0][0]: operands that come later: cycle +10",
            "cycle +6, cell[0][0]: read port r0 reads word 0 = 1 [REFI, p.sasm:10]",
            "cycle +7, cell[0][0]: read port r1 reads word 16 = 10 [REFI, p.sasm:11]",
            "cycle +6, cell[0][0]: read port r1 emits no address and reads 0 = 0 cycle +6, cell[0][0]: nearest reads: \
             cycle +7 cycle +6, cell[0][0]: operands without a word: cycle +6",
            "cycle +4, cell[0][0]: a launch clears the accumulators [DPU, p.sasm:9]",
        ],
    );
}

/// The launch is in cycle 4, so that the operands of cycles 5 to 7 are counted, and cycle 8 clears their sum and drops
/// its own operand.
#[test]
fn a_sum_stored_after_its_clear() {
    let program = "DPU mode=sum_acc, acc_clear=3
        REFI port_no=r0, init_addr=0, l1_iter=3
        REFI port_no=w0, init_addr=32, init_delay=3
        HALT";
    check(
        &(CELL.to_owned() + program),
        "cell[0][0].rf.mem[32] = 6",
        &[
            "cycle +9, cell[0][0]: operands accumulated: none",
            "cycle +8, cell[0][0]: the accumulators are cleared: acc_clear operands have been counted [DPU, p.sasm:9] \
             cycle +8, cell[0][0]: operands that it removes: 4 in cycles +5 to +8",
        ],
    );
}

/// A division takes four cycles (chapter 4, section 7): the operands of cycle 6 give the quotient of cycle 10.
#[test]
fn a_result_that_is_not_due() {
    let program = "DPU mode=div
        REFI port_no=r0, init_addr=0, init_delay=1
        REFI port_no=r1, init_addr=16
        REFI port_no=w0, init_addr=32
        HALT";
    let due = "cycle +7, cell[0][0]: no result is due, nearest results: cycle +10";
    check(&(CELL.to_owned() + program), "cell[0][0].rf.mem[32] = 204", &[due]);
}

/// w0 stores word 32 in cycle 9, when r1 reads it. Nothing writes word 40.
#[test]
fn words_that_are_not_written() {
    let program = "SWB src_block=rf, src_port=0, hb_index=2, v_index=0
        SWB src_block=rf, src_port=1, hb_index=2, v_index=1
        REFI port_no=r0, init_addr=2, init_delay=3
        REFI port_no=w0, init_addr=32, init_delay=2
        REFI port_no=r1, init_addr=32, init_delay=1
        REFI port_no=w1, init_addr=33
        HALT";
    check(
        &(CELL.to_owned() + program),
        "cell[0][0].rf.mem[33] = 3\ncell[0][0].rf.mem[40] = 5",
        &[
            "cycle +9, cell[0][0]: word 32 still has its initial value = 0 \
             cycle +9, cell[0][0]: word 32 is written by write port w0 [REFI, p.sasm:12]",
            "cell[0][0]: word 40 still has its initial value = 0",
        ],
    );
}

/// Nothing is in row 5, which is read in cycle 5 and stored with a delay of 4; see
/// `tests/programs/block_hops.sasm` for the delay.
#[test]
fn rows_that_are_not_written_or_not_read() {
    let load = |delay| {
        format!(
            ".DATA\nSRAM <0,0> [4] = [1, 2, 3]\n.CODE\nCELL <0,0>\nROUTE direction=r, vertical_dir=n\n\
             SRAM rw=r, init_addr=5\nREFI port_no=w0, dimarch=y, init_addr=1, init_delay={delay}\nHALT"
        )
    };
    let expected = "cell[0][0].rf.mem[16] = 1";
    let read = "the memory reads row 5 [SRAM, p.sasm:6] cycle +5, tile[1][0]: row 5 still has its initial value";
    check(&load(4), expected, &[read]);
    check(&load(3), expected, &["the memory is not read", "tile[1][0]: nearest reads: cycle +5"]);
}

/// Words are shown as in the expected values; configurations and data from before the recorded cycles are known.
#[test]
fn long_programs_and_unsigned_words() {
    let program = ".DATA\nRF <0,0> [0] = [-1, -2]\n.CODE\nCELL <0,0>
        SWB src_block=rf, src_port=0, hb_index=2, v_index=0
        LOOP loopid=0, endpc=end, start=0, iter=20
        end: WAIT cycle=100
        REFI port_no=r0, init_addr=0, init_delay=1
        REFI port_no=w0, init_addr=8
        HALT";
    let [swb, init] = ["w0 is connected to r0 of cell (0,0) = -1 [SWB, p.sasm:5]", "port = -1"];
    check(program, "cell[0][0].rf.mem[8] = -2", &[swb, init]);
    check(program, "cell[0][0].rf.mem[8] = 65534", &["read port r0 reads word 0 = 65535"]);
}
