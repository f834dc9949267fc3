// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports are true, specific and complete.

use drra_case::Case;
use drra_fabric::Register;
use drra_isa::Assembler;
use drra_lockstep::SignalLocation;
use drra_report::{Colouring, Report, data::RegisterReading, unfitted};
use drra_testkit::{Fault, FaultyDesign, Flip};

use crate::{GEOMETRY, planted::vec_add, report_of, setup};

fn program(text: &str) -> Case {
    let assembler = Assembler { geometry: GEOMETRY, ..Assembler::default() };
    let assembly = assembler.assemble(text).unwrap();
    let mut case = Case::new("program", &GEOMETRY, assembly.image, assembly.memory);
    case.io_cells = assembly.io_cells;
    case
}

fn bundled(name: &str) -> Case {
    let program = drra_case::programs::ALL.iter().find(|p| p.name() == name).unwrap();
    program.case(&GEOMETRY).unwrap()
}

/// The report of bit flips, such as `seq.pc:0 adv:3`: in a register in a cycle, counted from the first decode of cell
/// (0,0), and in the signals that carry the fault in the previous cycle. Names without a unit belong to cell (0,0).
#[track_caller]
fn flipped(case: &Case, cycle: u64, bits: &str) -> Report {
    let mut bits = bits.split_whitespace().map(|text| {
        let (name, bit) = text.rsplit_once(':').unwrap();
        let named = ["cell[", "col[", "tile["].iter().any(|unit| name.starts_with(unit));
        let name = if named { name.to_owned() } else { format!("cell[0][0].{name}") };
        (name, bit.parse().unwrap())
    });
    let (register, bit) = bits.next().unwrap();
    let cycle = case.stimulus.end() + 1 + cycle;
    let flip = Flip { cycle, location: register.parse().unwrap(), bit };
    let all = SignalLocation::all(&GEOMETRY);
    let signal = |name: &str| *all.iter().find(|s| s.to_string() == name).expect("a signal");
    let signals: Vec<_> = bits.map(|(name, bit)| (signal(&name), bit)).collect();
    let fault = if signals.is_empty() { Fault::Flip(flip) } else { Fault::Carried(flip, signals) };
    let report = report_of(case, &FaultyDesign::new(setup().design, fault), "again");
    assert_eq!(report.mismatch.cycle, cycle);
    let text = report.text(Colouring::Plain);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    println!("{text}");
    report
}

/// The responsible instruction: the row of its cell, and its text.
fn responsible(report: &Report) -> String {
    let responsible = report.responsible.as_ref();
    responsible.map_or("none".to_owned(), |o| format!("{} {}", o.cell.row(), o.instruction.text()))
}

/// The text in one line.
fn words(report: &Report) -> String {
    unfitted(&report.text(Colouring::Plain))
}

/// The cited rule: file, section and text.
fn rule(report: &Report) -> String {
    let text = words(report);
    let (_, rule) = text.split_once(" rule ").unwrap();
    rule.split_once("isa/spec/").unwrap().1.to_owned()
}

#[track_caller]
fn begins(report: &Report, expected: &str) {
    let rule = rule(report);
    assert!(rule.starts_with(expected), "expected {expected}\n{rule}");
}

/// The inputs of the rule, as a report lists them.
fn inputs(report: &Report) -> String {
    let text = words(report);
    let (_, inputs) = text.split_once("inputs of the rule").unwrap();
    inputs.split_once("last changes").unwrap().0.to_owned()
}

/// True if a report has a part: the file and the beginning of the rule that it cites, the row and the text of the
/// responsible instruction, the beginning of the first step of the provenance, a step, the number of steps, words
/// anywhere, or otherwise an input of the rule.
fn has(report: &Report, part: &str) -> bool {
    let trail: Vec<String> = report.path.iter().map(|step| step.step.text()).collect();
    match part.split_once(": ") {
        Some(("responsible", text)) => responsible(report).contains(text),
        Some(("first", text)) => trail[0].starts_with(text),
        Some(("step", text)) => trail.iter().any(|step| step.contains(text)),
        Some(("steps", number)) => trail.len().to_string() == number,
        Some(("says", text)) => words(report).contains(text),
        _ if part.contains(".md, ") => rule(report).starts_with(part),
        _ => inputs(report).contains(part),
    }
}

/// The reports of faults, one per line: a cycle and bits as for [`flipped`], then parts that the report must have, each
/// after a bar, or must not have, if marked with `!`. `NOW` is the cycle of the mismatch, and `BEFORE` is the previous
/// cycle.
#[track_caller]
fn faults(case: &Case, lines: &str) -> Vec<Report> {
    let report = |line: &str| {
        let mut parts = line.split('|').map(str::trim);
        let (cycle, bits) = parts.next().unwrap().split_once(' ').unwrap();
        let report = flipped(case, cycle.parse().unwrap(), bits);
        let now = report.mismatch.cycle;
        for part in parts {
            let part = part.replace("NOW", &now.to_string());
            let part = part.replace("BEFORE", &now.saturating_sub(1).to_string());
            let expected = !part.starts_with('!');
            assert_eq!(has(&report, part.trim_start_matches('!')), expected, "{part}\n{line}");
        }
        report
    };
    lines.trim().lines().map(|line| report(line.trim())).collect()
}

/// A program of cell (0,0).
fn one(instructions: &str) -> Case {
    program(&format!("CELL <0,0>\n{instructions}\nHALT\n"))
}

/// A program of cell (0,0), which is an I/O cell.
fn io(instructions: &str) -> Case {
    program(&format!(".IOCELL <0,0>\nCELL <0,0>\n{instructions}\nHALT\n"))
}

/// Row 0 sends a ROUTE and row 1 an IO, or the other way round, both in cycle 2 (chapter 6, section 4). Both messages
/// arrive (chapter 5, 4.1). If a register lacks its message, the report is about the message of the kind that the
/// register is for.
#[test]
fn messages_of_two_kinds_in_one_cycle() {
    let two = |io: usize, [first, second]: [&str; 2]| {
        program(&format!(
            ".IOCELL <{io},0>\nCELL <0,0>\nWAIT cycle=0\n{first}\nHALT\nCELL <1,0>\n{second}\nHALT\n"
        ))
    };
    let (route, io) = ("ROUTE horizontal_hops=1", "IO init_addr=5");
    faults(
        &two(1, [route, io]),
        "3 col[0].io_msg:64 | responsible: 1 IO | first: message sent | step: decoded at address 0: IO
         3 tile[1][0].side[S].hsel:0 col[0].col_noc:62 | responsible: 0 ROUTE | !says: message dropped",
    );
    faults(
        &two(0, [io, route]),
        "3 col[0].io_msg:64 | responsible: 0 IO | first: message sent | step: decoded at address 1: IO
         3 tile[1][0].side[S].hsel:0 col[0].col_noc:62 | responsible: 1 ROUTE | !says: message dropped",
    );
}

/// Two ROUTEs arrive in neighbouring tiles in cycle 2. The ROUTE of cell (0,1) asks to open the segment between them,
/// and the ROUTE of cell (0,0) asks to close it: the request of the west neighbour has priority (chapter 6, 6.3).
#[test]
fn a_request_is_due_to_the_route_in_the_tile_that_asks() {
    faults(
        &program(
            "CELL <0,0>\nWAIT cycle=0\nROUTE\nHALT\n\
             CELL <0,1>\nROUTE horizontal_hops=1, horizontal_dir=w\nHALT\n",
        ),
        "3 tile[1][1].seg_w:0 tile[1][0].req_e:2 tile[1][1].req_w:2 | responsible: horizontal_hops=0
         3 tile[1][1].seg_w:0 | responsible: horizontal_hops=0",
    );
}

/// Both rows send a ROUTE in cycle 2: row 0 wins, and the message of row 1 is lost (chapter 5, 4.1). Upstream of the
/// arbitration, nothing competes.
#[test]
fn an_arbitration_has_a_winner_and_a_loser() {
    faults(
        &program(
            "CELL <0,0>\nWAIT cycle=0\nROUTE horizontal_hops=1\nHALT\n\
             CELL <1,0>\nROUTE vertical_hops=1\nHALT\n",
        ),
        "3 tile[1][0].side[S].hsel:0 col[0].col_noc:13 | responsible: 0 ROUTE | says: message dropped: row 0 has priority [cell (1,0) @0 ROUTE]
         2 noc.noc_stage:66 | !says: message dropped",
    );
}

/// An IO for a busy generator is lost (chapter 7, A6), so the IO on which the generator is working is responsible. The
/// first IO is decoded in cycle 0 and requests blocks from cycle 4 on (A5); the second IO is in `io_msg` in cycle 5 and
/// is lost.
#[test]
fn an_io_that_is_lost_owns_nothing() {
    faults(
        &io("IO init_addr=5, l1_iter=9\nWAIT cycle=1\nIO init_addr=7\nWAIT cycle=9"),
        "7 col[0].io_rd.addr:3 | responsible: 0 IO rw=r, init_addr=5, l1_iter=9
         8 col[0].io_rd.addr:3 | responsible: 0 IO rw=r, init_addr=5, l1_iter=9
         9 col[0].io_rd.addr:3 | responsible: 0 IO rw=r, init_addr=5, l1_iter=9",
    );
}

/// `io_wdata` never takes `io_rdata` directly (chapter 7, A6). If it does in a faulty design, the IO that requested the
/// block is responsible. The block is in `io_rdata` in cycle 6 (A5).
#[test]
fn a_block_that_gets_in_has_an_owner() {
    faults(
        &io("IO init_addr=5\nWAIT cycle=9"),
        "6 col[0].io_wdata:0 | responsible: none
         7 col[0].io_wdata:0 | responsible: 0 IO rw=r, init_addr=5
         8 col[0].io_wdata:0 | responsible: none",
    );
}

/// A LOOP without iterations does not change its slot (chapter 2, section 9), so the first LOOP continues. Its first
/// iteration ends in cycle 3.
#[test]
fn a_skipped_loop_owns_no_slot() {
    let loops = "LOOP loopid=0, endpc=3, iter=3\nLOOP loopid=0, endpc=1, iter=0";
    let case = one(&format!("{loops}\nWAIT cycle=0\nWAIT cycle=0"));
    faults(&case, "4 seq.loop[0].count:1 | responsible: iter=3");
}

/// The target of a WAIT belongs to the WAIT, even where a loop ends and jumps back (cycle 4). A LOOP that skips its
/// body changes the program counter when a later flag executes it, in cycle 1 (chapter 2, sections 5.2, 7 and 9).
#[test]
fn the_program_counter_has_the_owner_that_moves_it() {
    let ended = one("LOOP loopid=0, endpc=1, iter=2\nWAIT cycle=3");
    faults(&ended, "5 seq.pc:1 wait_target:1 | responsible: WAIT");
    faults(&ended, "5 seq.pc:1 loop_jump_pc:1 | responsible: LOOP");
    let skipped = one("LOOP.D loopid=0, endpc=3, iter=0\nWAIT cycle=0\nWAIT cycle=0\nWAIT cycle=0");
    faults(&skipped, "2 seq.pc:0 | responsible: LOOP");
}

/// The golden model captures nothing in the following cases, so its value has no provenance. An SRAM leaves at once,
/// and the shadow stays empty (chapter 6, section 4). No message directly follows the first ROUTE and SRAM of
/// `vec_add`, and nothing writes word 40. An AGU that was never launched stays idle, and an AGU that was launched keeps
/// its configuration. Before the first DPU instruction, nothing is an operand.
#[test]
fn what_should_not_have_arrived_has_no_trail() {
    faults(
        &vec_add(),
        "4 noc.noc_shadow:66 | steps: 1 | says: the golden model keeps the value; the design loads 0x40000000000000000 | says: cycle BEFORE, cell[0][0]: the golden
         6 tile[1][0].side[S].fwd:62 | steps: 1 | says: the design loads 0x4000000000000000
         20 rf.mem[40]:3 | steps: 1 | says: the design loads 0x0008 (8)
         20 rf.agu[w1].state:1 | steps: 1 | says: the design loads 0x2 RUN
         20 dpu.ir0:2 | steps: 1 | says: the design loads 0x0004 (4)
         10 dpu.acc[0]:2 | steps: 1 | says: the design loads 0x00000004 (4)
         25 rf.agu[w0].p_l1_iter:0 | steps: 1 | says: the design loads 0x0e (14)
         20 col[0].io_rdata:4 | first: the golden model keeps
         20 tile[1][1].init_row:0 | steps: 0",
    );
}

/// A word that was written long before a mismatch is not said to have its initial value: a REFI decoded in cycle 0
/// writes word 0 in cycle 1, and a port reads it more than 1200 cycles later.
#[test]
fn a_word_written_long_ago_is_not_initial() {
    let case = one(
        "REFI port_no=w0\nWAIT cycle=1200\nSWB src_block=rf, hb_index=2, v_index=2\nDPU mode=add\n\
                    REFI port_no=r0, l1_iter=9\nWAIT cycle=9",
    );
    let bits = "dpu.acc[0]:0 dpu_x[0]:0 dpu_operand[0]:0 dpu_in[0]:0 rdata[0]:0";
    faults(
        &case,
        &format!("1206 {bits} | step: word 0 is not written from cycle | !step: initial"),
    );
}

/// The output buffer receives the block of the home tile if no register file reads a block; here, nothing was requested
/// from the input buffer (chapter 7, A4). A value that is computed or written anew in every cycle has a provenance,
/// even if it does not change. If the design writes a word from a port of the cell, the report shows where the data
/// came from: 0x0010 is the sum that w0 writes into word 32 in cycle 19 (chapter 3, 9.1).
#[test]
fn what_arrives_in_every_cycle_has_its_trail() {
    faults(
        &vec_add(),
        "20 col[0].io_wdata:4 | first: xout[S] follows | 07-io-perm.md, A4: io_wdata takes
         22 dpu.acc[1]:0 | first: DPU in 2
         20 rf.mem[50]:4 | step: w0 is connected to DPU out 0 of cell (0,0)",
    );
    // The block that is written in the cycle of a read passes through, whatever row is read (chapter 6, 7.3).
    faults(
        &one("ROUTE\nSRAM rw=r, init_addr=68, l1_iter=1\nSRAM rw=w\nWAIT cycle=9"),
        "7 tile[1][0].mem_q:3 | first: row 0 is written from xout[MEM]
         6 tile[1][0].mem_q:3 | first: the memory reads row 68",
    );
}

/// The inputs of a rule belong to the generator or the input in question.
#[test]
fn other_generators_are_beside_the_point() {
    let generator = io("IO init_addr=5, l1_iter=9\nWAIT cycle=9");
    faults(&generator, "6 col[0].io_rd.addr:0 | io_rd.cfg | !io_wr");
    faults(
        &vec_add(),
        "7 tile[1][0].rd.addr:0 | rd.cfg | ! wr.
         9 swb.swb_cfg[2]:0 | swb.swb_cfg[2] | !swb_cfg[1]",
    );
}

/// If there are many registers, registers that are 0 are not listed individually, but they are mentioned.
#[test]
fn registers_that_are_zero_are_mentioned() {
    let case = one("LOOP loopid=0, endpc=1, iter=3\nWAIT cycle=2");
    let text = words(&flipped(&case, 3, "seq.loop[0].count:0"));
    let [listed, others] = ["seq.loop[0].iter", "others of seq.loop"].map(|s| text.find(s));
    assert!(listed.is_some() && listed < others, "{text}");
}

/// A counter is listed where it differs: `acc_cnt` counts cycles from the launch on (chapter 4, 5.5). The quotient
/// 0x800 leaves the divider in cycle 5 (section 10), in which nothing differs.
#[test]
fn counters_are_changes() {
    let report = flipped(&one("DPU mode=add\nWAIT cycle=9"), 7, "dpu.acc_cnt:3");
    let first = report.mismatch.cycle - 7;
    let counts = |side: &[RegisterReading]| {
        let counts = side.iter().find(|c| c.location.register == Register::DpuAccCnt);
        counts.map(|c| c.reading.value.low())
    };
    let last = report.changes.iter().filter(|c| c.cycle > first + 4);
    let shown = last.map(|c| (c.cycle - first, counts(&c.golden), counts(&c.rtl)));
    assert_eq!(shown.collect::<Vec<_>>(), [(5, None, None), (7, Some(5), Some(13))]);
}

/// Words of a single lane pass through the scaler unscaled (chapter 4, section 11), so its factor is not part of the
/// value.
#[test]
fn a_factor_that_nothing_uses_is_not_named() {
    for (width, factor) in [("int16", "!step"), ("int8", "step")] {
        let text = format!(
            ".DATA\nRF <0,0> [0] = RAMP(768, 64)\n.CODE\nCELL <0,0>\n\
             SWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
             REFI port_no=r0, l1_iter=7, init_delay=3\nBW config={width}\n\
             DPU mode=scale_dw, acc_clear=5\nWAIT cycle=9\nHALT\n"
        );
        // The first word is at the input in cycle 5, in which the mode begins.
        faults(&program(&text), &format!("6 dpu.pack_reg:0 | {factor}: dpu.const_reg"));
    }
}

/// Word w of cell (0,0) is at the input of its DPU in cycle w + 2: the SWB is decoded in cycle 0, and the REFI in cycle
/// 1.
fn fed(instructions: &str) -> Case {
    program(&format!(
        ".DATA\nRF <0,0> [0] = RAMP(100, 16)\n.CODE\nCELL <0,0>\nSWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
         REFI port_no=r0, l1_iter=15\n{instructions}\nWAIT cycle=15\nHALT\n"
    ))
}

/// The divider has three stages before the accumulator (chapter 4, sections 7 and 10); in modes that do not divide, it
/// receives constants.
#[test]
fn a_quotient_comes_from_operands_four_cycles_earlier() {
    for mode in ["div", "expon"] {
        faults(
            &fed(&format!("DPU mode={mode}")),
            "14 dpu.div_p1:0 | step: read port r0 reads word 11
             14 dpu.div_p2:0 | step: read port r0 reads word 10
             14 dpu.div_p3:0 | step: read port r0 reads word 9
             14 dpu.acc[0]:0 | step: read port r0 reads word 8",
        );
    }
    // The mode is launched in cycle 3, so the value in the accumulator in cycle 7 still comes from idle.
    for (mode, register) in [("add", "div_p1"), ("div", "acc[0]"), ("ld_ir", "acc[0]")] {
        let fault = format!("7 dpu.{register}:0 | !step: DPU in | !says: not known");
        faults(&fed(&format!("DPU mode={mode}")), &fault);
    }
}

/// A launch clears the accumulators, except those that `ld_acc` has loaded; the count of operands also clears them
/// (chapter 4, 5.5). The resulting 0 has no operands. The second instruction is decoded in cycle 6 and launched in
/// cycle 7.
#[test]
fn what_is_cleared_has_no_operands() {
    let again = |mode: &str| fed(&format!("DPU mode={mode}\nWAIT cycle=2\nDPU mode=add"));
    for (case, expected) in [
        (
            again("sum_acc"),
            "a launch clears the accumulators | says: clears the accumulators [cell (0,0) @4 DPU]",
        ),
        (again("ld_acc"), "DPU in 0 is connected to r0 of cell (0,0)"),
        // The first operand arrives in cycle 4.
        (
            fed("DPU mode=sum_acc, acc_clear=3"),
            "the accumulators are cleared: acc_clear operands have been counted | says: counted [cell (0,0) @2 DPU]",
        ),
    ] {
        faults(&case, &format!("8 dpu.acc[0]:0 | says: cycle BEFORE, cell | first: {expected}"));
    }
    // The output is checked in the same way: the REFI is decoded in cycle 3 and writes word c + 26 in cycle c.
    faults(
        &fed("SWB src_block=dpu, hb_index=2, v_index=0\nREFI port_no=w0, init_addr=30, l1_iter=15\n\
              DPU mode=sum_acc\nWAIT cycle=2\nDPU mode=add"),
        "11 rf.mem[36]:0 | step: DPU out 0, mode add | step: a launch clears the accumulators | !step: DPU in 0
         12 rf.mem[37]:0 | step: DPU out 0, mode add | step: DPU in 0 is connected to r0 | !step: clears",
    );
}

/// The constants in force in the cycle are listed, and their provenance is traced (chapter 4, 4.1 and 5.6).
#[test]
fn constants_of_the_dpu_come_from_somewhere() {
    // ld_ir is in force only in cycle 4.
    faults(
        &fed("DPU mode=ld_ir\nDPU mode=max_min_const"),
        "8 dpu.acc[1]:0 | step: dpu.ir0 is an operand | step: DPU in 0 is connected to r0 of cell (0,0) | step: read port r0 reads word 2",
    );
    let softmax = "8 dpu.sm_reg:0 | steps: 1 | first: dpu.acc[1] holds the result so far";
    faults(&fed("DPU mode=acc_softmax"), softmax);
    // The second DPU instruction is decoded in cycle 7: its factor applies from cycle 8 on, and the result is there in
    // cycle 9.
    faults(
        &fed(
            "DPU mode=scale_dw, acc_clear=3\nBW config=int8\nWAIT cycle=2\nDPU mode=scale_dw, acc_clear=127",
        ),
        "9 dpu.pack_reg:0 | step: seq.dpu_const is an operand
         10 dpu.pack_reg:0 | step: dpu.const_reg is an operand",
    );
}

/// An AGU is listed with the address that it emits: a row starts at its base, and there is no address before the first
/// address of the pattern (chapter 3, 6.3 and 6.4). This AGU is launched in cycle 1 and emits 3 in cycle 5, 4 in cycle
/// 6, and 3 + 7 in cycle 7.
#[test]
fn an_agu_is_at_the_address_that_it_emits() {
    faults(
        &one(
            "REFI port_no=r0, init_addr=3, init_delay=4, l1_iter=1, l2_iter=1, l2_step=7\nWAIT cycle=15",
        ),
        "3 dpu.ir0:0 | says: ; r0 INIT_WAIT | !says: INIT_WAIT at
         6 dpu.ir0:0 | says: r0 RUN at 4
         7 dpu.ir0:0 | says: r0 ROW_START at 10",
    );
}

/// An instruction with its own flag is in its issue register for one cycle and leaves it in that cycle, so it does not
/// wait. The program counter and output registers of the sequencer change at decode, regardless of the flag (chapter 2,
/// section 10).
#[test]
fn what_has_its_flag_does_not_wait() {
    let own = "says: released by its own flag in cycle NOW | !says: still waiting | says: decoded at address";
    let decode = "!says: waits | !says: released | says: decoded in cycle BEFORE";
    let perm = one("PERM mode=rot_l, distance=1");
    for (case, fault, expected) in [
        (&vec_add(), "3 noc.noc_stage:0", own),
        (&perm, "1 perm.perm_stage:0", own),
        (&bundled("pending"), "6 rf.sh[r0].sh_cfg:43", "says: still waiting for a flag"),
        (&bundled("pending"), "2 seq.pc:4", decode),
        (&vec_add(), "1 seq.init_addr:4", decode),
        (&vec_add(), "17 seq.dpu_mode:4", decode),
    ] {
        faults(case, &format!("{fault} | {expected}"));
    }
}

/// A WAIT lasts longer than the cycle in which it is decoded (chapter 2, 5.2).
#[test]
fn a_wait_is_not_executed_at_once() {
    faults(&one("WAIT cycle=5"), "3 seq.wait_count:0 | says: decoded in cycle | !says: executed");
}

/// The cited rule is the rule that the fault violates.
#[test]
fn rules_to_the_point() {
    // A reset value depends on the reset rather than on what would write the register later (chapter 5, 5.6).
    let case = vec_add();
    for (register, bit) in [("dpu.ir0", 0), ("swb.swb_cfg[3]", 0), ("seq.imem[5]", 3)] {
        let path = format!("cell[0][0].{register}");
        let flip = Flip { cycle: 0, location: path.parse().unwrap(), bit };
        let report =
            report_of(&case, &FaultyDesign::new(setup().design, Fault::Flip(flip)), "again");
        begins(&report, "05-interconnect.md, 5.6: Reset");
        assert!(words(&report).contains(" rule reset, "));
        assert_ne!(report.rule.block(), "fabric");
        assert!(report.heading().starts_with("reset cell "), "{}", report.heading());
    }
    // The mode and the status select the output of relu (chapter 4, section 6); the output of add is the formatted
    // accumulator (5.4). The REFI is decoded in cycle 1 and writes word 3 in cycle 2.
    for (mode, section) in [("relu", "6"), ("add", "5.4")] {
        let case = one(&format!(
            "SWB src_block=dpu, hb_index=2, v_index=0\nREFI port_no=w0, init_addr=3, l1_iter=30\n\
             DPU mode=ld_acc\nDPU mode={mode}\nWAIT cycle=9"
        ));
        let fault = "7 rf.mem[7]:2 rf_wdata[0]:2 wdata[0]:2 dpu_out[0]:2";
        faults(&case, &format!("{fault} | 04-dpu.md, {section}:"));
    }
    // The list of lane modes (chapter 4, 4.3).
    faults(&case, "20 dpu.acc[0]:0 dpu_lanes:0 | 04-dpu.md, 4.3:");
    // A dynamic field of an SRAM is converted (chapter 2, 6.2), and the other fields of the SRAM have their places in
    // the payload (6.3).
    let dynamic = one("RACCU mode=add, operand1=1, operand2=3, result=1\n\
         RACCU mode=sub, operand1=1, operand2=3, result=2\nSRAM init_addr=9, l1_step_sd=d, l1_step=2");
    faults(
        &dynamic,
        "3 noc.noc_stage:35 noc_dec:35 | 02-sequencer.md, 6.2:
         3 noc.noc_stage:47 noc_dec:47 | 02-sequencer.md, 6.3:",
    );
    // Of the registers that are not 0, only the register of the field is named: R2 = 1 - 3.
    let shown = flipped(&dynamic, 3, "noc.noc_stage:1");
    assert!(
        words(&shown).contains("RACCU registers that its dynamic fields read = R2: 0x7e (126) [")
    );
    // Starting a loop, counting its iterations, and keeping a LOOP that waits have different rules.
    faults(
        &bundled("nested_loops"),
        "1 seq.loop[0].count:0 | 02-sequencer.md, 9: A LOOP that takes effect
         7 seq.loop[0].count:0 | 02-sequencer.md, 9: At the end
         1 seq.raccu_reg[15]:6 iter_value[0]:6 | 02-sequencer.md, 9: A LOOP that takes effect
         1 seq.sh_loop.iter:0 | 02-sequencer.md, 7:",
    );
    // The end of a program of one word has its own rule (chapter 2, 5.3).
    let end = rule(&flipped(&program("CELL <0,0>\nWAIT cycle=1\n"), 2, "seq.state:1"));
    assert!(end.contains("A program of one word ends with a HALT, with the last"), "{end}");
}

#[test]
fn rules_of_decoder_and_dpu() {
    // The step of a LOOP without `extra` is 1, and none of its operands is dynamic (chapter 1, section 3; chapter 2,
    // section 10); a dynamic start is converted (chapter 2, 6.2). The last case is about the length of a LOOP (5.1).
    for (fields, expected) in [
        (
            "endpc=1, iter=2",
            "seq.loop[0].step:0 loop_dec:4 | 02-sequencer.md, 10: Static fields of RACCU and LOOP",
        ),
        (
            "endpc=1, iter=2, start=2, start_sd=d",
            "seq.loop[0].step:0 loop_dec:16 | 02-sequencer.md, 6.2: A dynamic operand",
        ),
        ("endpc=2, iter=2, step=2", "seq.pc:0 adv:0 | 02-sequencer.md, 5.1: adv is the length"),
    ] {
        faults(&one(&format!("LOOP loopid=0, {fields}\nWAIT cycle=3")), &format!("1 {expected}"));
    }
    // The directions and hops of a ROUTE have their places in the message (chapter 2, 6.4), and so do the fields of an
    // IO (6.5).
    let route = one("ROUTE vertical_hops=1, vertical_dir=n\nWAIT cycle=3");
    faults(&route, "1 noc.noc_stage:8 noc_dec:8 | 02-sequencer.md, 6.4:");
    let sent = io("IO init_addr=5");
    faults(&sent, "1 noc.noc_stage:40 noc_dec:40 | 02-sequencer.md, 6.5:");
    // The value for ld_ir is negated before it is loaded (chapter 4, 5.2); whether it is loaded depends on the mode
    // (5.6). The instruction is decoded in cycle 1 and in force from cycle 3 on.
    for (change, cycle, section) in
        [("negate_in0", 4, "5.2"), ("negate_in1", 4, "5.6"), ("negate_in0", 3, "5.6")]
    {
        let case = one(&format!("WAIT cycle=0\nDPU mode=ld_ir, io_change={change}\nWAIT cycle=9"));
        faults(&case, &format!("{cycle} dpu.ir0:3 | 04-dpu.md, {section}:"));
    }
    // A new io_change applies from the launch on, one cycle before the new mode (chapter 4, 4.2).
    let case = one("DPU mode=ld_ir\nDPU mode=idle, io_change=negate_in0\nWAIT cycle=9");
    faults(&case, "3 dpu.ir0:3 | 04-dpu.md, 5.2: | seq.dpu_io 0x1 negate_in0");
    // The lanes of the scaler (chapter 4, section 11).
    for (mode, width, register, expected) in [
        ("scale_dw", "int16", "pack_reg", "With one lane"),
        ("scale_up", "int16", "pack_reg", "With one lane"),
        ("scale_dw", "int8", "pack_reg", "scale_dw multiplies"),
        ("scale_up", "int8", "pack_reg", "scale_up multiplies"),
        ("scale_up", "int8", "pack_phase", "pack_phase counts"),
        ("add", "int8", "pack_reg", "scale_up and scale_dw write pack_reg"),
    ] {
        let case = one(&format!("BW config={width}\nDPU mode={mode}, acc_clear=3\nWAIT cycle=9"));
        faults(&case, &format!("6 dpu.{register}:0 | 04-dpu.md, 11: {expected}"));
    }
}

#[test]
fn rules_of_the_noc() {
    // A ROUTE to the north from the home tile closes the segment to the west (chapter 6, 6.3, item 2), and opens the
    // segment to the north. The ROUTE is in the tile in cycle 3, because cell (0,1) starts a cycle later.
    let route = |fields: &str| {
        program(&format!("CELL <0,1>\nWAIT cycle=0\nROUTE {fields}\nWAIT cycle=9\nHALT\n"))
    };
    faults(
        &route("vertical_hops=1, vertical_dir=n"),
        "4 tile[1][1].seg_w:0 | 06-dimarch.md, 6.3: (2.) If a ROUTE
         4 tile[1][1].seg_w:1 | 06-dimarch.md, 6.3: (2.) If a ROUTE
         4 tile[1][2].seg_w:0 tile[1][1].req_e:2 tile[1][2].req_w:2 | 06-dimarch.md, 6.3: (2.) If a ROUTE
         4 tile[2][1].seg_s:0 tile[1][1].req_n:0 tile[2][1].req_s:0 | 06-dimarch.md, 6.3: (1.) A ROUTE requests
         4 tile[1][1].xsel[N]:0 | 06-dimarch.md, 7.2: A ROUTE replaces",
    );
    // A segment that the neighbour opens is not closed by this tile.
    let east = one("ROUTE horizontal_hops=1, horizontal_dir=e\nWAIT cycle=9");
    faults(&east, "2 tile[1][1].seg_w:1 | 06-dimarch.md, 6.3: A segment takes");
    // The side where a ROUTE leaves, and the ports that it connects (chapter 6, 6.2).
    for (fields, bits, expected) in [
        (
            "vertical_hops=1, vertical_dir=n",
            "seg_w:0 route_exit[S]:0",
            "(1.) A ROUTE with remaining vertical hops",
        ),
        ("horizontal_hops=1", "seg_w:0 route_exit[S]:0", "(2.) A ROUTE with only horizontal"),
        ("direction=r", "seg_w:0 route_ends[S]:0", "(3.) The path of a ROUTE"),
        ("direction=w", "xsel[MEM]:0 route_from[S]:0 connect_from:0", "The crossbar connects"),
        (
            "vertical_hops=1, vertical_dir=n, direction=w",
            "xsel[N]:0 route_to[S]:0 connect_to:0",
            "(1.) A ROUTE with",
        ),
    ] {
        let of_tile: String = bits.split(' ').map(|bit| format!(" tile[1][1].{bit}")).collect();
        faults(&route(fields), &format!("4{of_tile} | 06-dimarch.md, 6.2: {expected}"));
    }
}

/// The inputs of a rule are the values with which its section computes.
#[test]
fn inputs_of_rules() {
    // The target of a dynamic WAIT is a RACCU register (chapter 2, 5.2), and a waiting LOOP can skip its body (5.1). In
    // IDLE, `immediate` follows the flag of word 0 (section 7).
    faults(
        &one("RACCU mode=add, operand1=1, operand2=3, result=1\nWAIT cycle_sd=d, cycle=1"),
        "3 seq.pc:0 | seq.raccu_reg[1] 0x04 (4) | seq.sh_loop | seq.pend_valid 0
         3 seq.state:0 | seq.raccu_reg[1] 0x04 (4)
         3 seq.raccu_reg[1]:0 | seq.imem_imm[1] 1
         9 seq.immediate:0 | seq.imem_imm[0] 1",
    );
    // Each read is of one word (chapter 3, 4.3): r0 reads words 0, 1, ... from cycle 18 on (9.1). A configuration
    // arrives with its REFI (5.2). The accumulators are cleared by a hit (chapter 4, 5.5), and the output has the lanes
    // of `cfg_bw` (4.3).
    faults(
        &vec_add(),
        "24 dpu.acc[0]:0 dpu_x[0]:0 dpu_operand[0]:0 dpu_in[0]:0 rdata[0]:0 | addresses r0 5, r1 21 | rf.mem[5] 0x0005 (5) | rf.mem[21] 0x0015 (21)
         2 rf.agu[w0].p_l1_iter:0 | seq.l1_iter 0x0f (15)
         20 rf.mem[40]:0 | rf_init_we 0
         20 dpu.acc[0]:0 | dpu.acc_cnt | in0 0x0001 (1) from r0
         21 rf.mem[33]:2 rf_wdata[0]:2 wdata[0]:2 dpu_out[0]:2 | dpu.acc[0] 0x00000012 (18) | seq.cfg_bw | !out0 | !dpu.status",
    );
    // PERM moves the old words (chapter 7, B1).
    let perm = program(
        ".DATA\nRF <0,0> [0] = RAMP(3, 16)\n.CODE\nCELL <0,0>\nPERM mode=rot_l, distance=1\nHALT\n",
    );
    let moved =
        "2 rf.mem[5]:0 perm_new:80 | 07-io-perm.md, B1: | rf.mem[4] 0x0007 (7) | perm.perm_stage";
    faults(&perm, moved);
    // The answer of the input buffer (chapter 7, A4) in cycle 5, one cycle after the request of an IO decoded in cycle
    // 0 (A5).
    faults(
        &io("IO init_addr=5, mask=1\nWAIT cycle=9"),
        "6 col[0].io_rdata:17 | io_pend 1 | io_pmask | io_answer 0x
         5 col[0].io_pmask:3 | io_rd.cfg | io_rd.en 1",
    );
    // Row 1 receives a block one cycle later (chapter 5, 4.1), so its wb, whose REFI is decoded in cycle 1, writes in
    // cycle 4.
    faults(
        &program(
            "CELL <1,0>\nREFI port_no=w0, extra=2, dimarch=1, init_delay=2\nWAIT cycle=9\nHALT\n",
        ),
        "5 cell[1][0].rf.mem[5]:0 cell[1][0].blk_write:80 | blk_in_row1 0x | blk_in_mask_row1 0x0000 | io_rmask",
    );
}

/// Values that a tile receives from its neighbours are inputs of its rules.
#[test]
fn inputs_of_rules_of_tiles() {
    // A ROUTE of cell (0,0) to the east is in its home tile in cycle 1, where it opens the segment to tile (1,1)
    // (chapter 6, 6.3), and is in tile (1,1) in cycle 2. Sections 5 and 7.4, and chapter 7, A4, define the signals from
    // other units.
    faults(
        &one("ROUTE horizontal_hops=1, horizontal_dir=e\nWAIT cycle=9"),
        "2 tile[1][1].seg_w:1 | req_w 0x6 | seg_w 0x0 CLOSED
         3 tile[1][1].side[W].active:0 tile[1][1].rx[W]:62 | 06-dimarch.md, 6.1: | msg_in[W] 0x | seg_w 0x2 AHEAD | segdir_n 0x0 | segdir_e 0x0
         2 tile[1][0].side[S].active:0 tile[1][0].rx[S]:62 | col[0].col_noc 0x | seg_s 0x2 AHEAD
         2 tile[1][0].side[E].active:0 tile[1][0].side_any_route[E]:0 | 06-dimarch.md, 6.4: A ROUTE that arrives
         3 tile[1][1].side[W].active:0 tile[1][1].rx[W]:62 tile[1][1].msg_in[W]:62 | 06-dimarch.md, 5:
         3 tile[1][1].init_en:0 tile[1][1].init_in:0 | 06-dimarch.md, 7.4: Tile (1,0) sees
         3 col[0].io_wdata:0 col[0].tile_down:0 | 07-io-perm.md, A4: A column gets",
    );
    // From cycle 2 on, the crossbar connects side S to the memory; the block at side S is the block that the cell reads
    // in cycle 4 (7.2).
    let write = program(
        ".DATA\nRF <0,0> [0] = RAMP(3, 16)\n.CODE\nCELL <0,0>\nROUTE direction=w\n\
         REFI port_no=r0, extra=2, dimarch=1, init_delay=2\nWAIT cycle=9\nHALT\n",
    );
    faults(&write, "5 tile[1][0].xout[MEM]:0 | data_in[S] 0x0012 | xsel[MEM] 0x1 S");
}

/// The signal in which a difference originates is named as in the chapters, with its value on both sides.
#[test]
fn signals_are_named_as_in_the_chapters() {
    // Words 5 and 21 are added in cycle 23, and their sum is there in the next cycle; the sum of words 1 and 17 is
    // there in cycle 20.
    faults(
        &vec_add(),
        "24 dpu.acc[0]:0 dpu_x[0]:0 dpu_operand[0]:0 dpu_in[0]:0 rdata[0]:0 | says: all registers agree in the cycle before; read port r0 of cell (0,0) is 0x0004 (4) instead of 0x0005 (5)
         24 dpu.acc[0]:0 dpu_x[0]:0 dpu_operand[0]:0 dpu_in[0]:0 | says: all lanes agree, but DPU in 0 of cell (0,0) gets 0x0004 (4) instead
         21 rf.mem[33]:2 rf_wdata[0]:2 wdata[0]:2 dpu_out[0]:2 | says: DPU out 0 of cell (0,0) is 0x0016 (22) instead of 0x0012 (18)",
    );
    faults(
        &one("ROUTE horizontal_hops=1, horizontal_dir=e\nWAIT cycle=9"),
        "2 tile[1][0].side[S].active:0 tile[1][0].rx[S]:62 col[0].col_noc:62 | says: the cells agree, but column 0 sends
         3 tile[1][1].side[W].active:0 tile[1][1].rx[W]:62 tile[1][1].msg_in[W]:62 | says: at side W, tile (1,1) gets",
    );
}

/// For each of these signals, the section that defines it is cited.
#[test]
fn rules_of_signals() {
    // Before the first decode, the section about IDLE and LOAD applies (chapter 2, section 4).
    let load = Flip { cycle: 3, location: "cell[0][0].seq.state".parse().unwrap(), bit: 0 };
    let report =
        report_of(&vec_add(), &FaultyDesign::new(setup().design, Fault::Flip(load)), "again");
    begins(&report, "02-sequencer.md, 4: In IDLE and LOAD");
    // The words at pc (section 5); a RACCU decoded in place of another instruction (section 10). The registers of an
    // instruction contain the decoded fields (section 3).
    faults(
        &vec_add(),
        "1 seq.pc:0 adv:0 fetch_1:3 | 02-sequencer.md, 5: | seq.imem[0] | seq.imem[1] | seq.imem[2]
         1 seq.raccu_reg[0]:0 raccu_dec:18 | 02-sequencer.md, 10:
         17 seq.dpu_mode:0 dpu_dec_instr:12 | 02-sequencer.md, 10:
         25 seq.dpu_mode:0 | 02-sequencer.md, 3:
         25 seq.init_addr:0 | 02-sequencer.md, 3:",
    );
    // The operands of the divider and the path of its result (chapter 4, sections 10 and 5.3), and the lanes of the
    // scaler (11).
    let reports = faults(
        &one("DPU mode=div\nWAIT cycle=9"),
        "5 dpu.div_p1:0 dpu_dividend:0 | 04-dpu.md, 10: The operation
         5 dpu.acc[0]:0 dpu_unit:0 | 04-dpu.md, 5.3: Channel 0 gets
         5 dpu.pack_phase:0 dpu_scale_up:0 | 04-dpu.md, 11: The scaler is active
         5 dpu.pack_phase:0 dpu_scale_lanes:0 | 04-dpu.md, 11: The scaler is active",
    );
    assert!(reports.iter().all(|report| responsible(report).contains(" DPU ")));
    // Before any DPU instruction, the mode is idle and selects 0 (section 6).
    faults(
        &one("SWB src_block=dpu, hb_index=2, v_index=0\nREFI port_no=w0, l1_iter=9\nWAIT cycle=9"),
        "5 rf.mem[2]:2 rf_wdata[0]:2 wdata[0]:2 dpu_out[0]:2 | 04-dpu.md, 6:",
    );
    // The generator that an IO is for (chapter 7, A4).
    let sent = io("IO init_addr=5\nWAIT cycle=9");
    faults(
        &sent,
        "3 col[0].io_wr.cfg_valid:0 col[0].io_new[wr]:0 | 07-io-perm.md, A4: The IO in io_msg",
    );
}

/// Values are complete and distinguish the sides; data are signed, and lanes are shown separately.
#[test]
fn values_are_whole_and_signed() {
    let case = vec_add();
    // Bits 63:60 of the payload of a ROUTE have no name.
    let unnamed = flipped(&case, 3, "noc.noc_stage:63");
    assert_ne!(unnamed.expected(), unnamed.observed());
    assert!(unnamed.observed().contains("0x68"), "{}", unnamed.observed());
    let text = words(&unnamed);
    assert!(text.contains("differing bit 63"), "{text}");
    // For a block, the word that differs is shown.
    let block = flipped(&case, 10, "col[0].blk_in_row1:37");
    assert_eq!(
        block.observed(),
        "word 2 of col[0].blk_in_row1 goes from 0x0000 (0) to 0x0032 (50)"
    );
    let digits = block.mismatch.differences()[0].rtl.value.to_string();
    let shown = block.text(Colouring::Plain);
    assert!(shown.replace(['\n', '│', ' '], "").contains(&digits));
    // No group of 16 digits is split.
    let groups = [&digits[..18], &digits[18..34], &digits[34..50], &digits[50..]];
    assert!(groups.iter().all(|group| shown.contains(group)), "{groups:?}\n{shown}");
    // An instruction word has no decimal value, and a sign is not shown as a digit alone.
    let flip = Flip { cycle: 3, location: "ld_pipe[1].instr".parse().unwrap(), bit: 4 };
    let loaded = report_of(&case, &FaultyDesign::new(setup().design, Fault::Flip(flip)), "again");
    let value = loaded.mismatch.differences()[0].rtl.value.to_string();
    assert!(loaded.observed().ends_with(&value), "{}", loaded.observed());
    let sign = flipped(&case, 25, "rf.agu[w0].p_l1_step_sign:0");
    assert!(sign.observed().ends_with("from 0 (+) to 1 (-)"), "{}", sign.observed());
    let sum = flipped(&case, 20, "dpu.acc[0]:31");
    assert!(words(&sum).contains("0x80000012 (-2147483630)"), "{}", words(&sum));
    // No step of the provenance is truncated.
    for report in [&unnamed, &block, &sum] {
        let text = report.text(Colouring::Plain);
        assert!(!text.replace("....", "").replace("^...", "").contains(".."), "{text}");
        for step in &report.path {
            assert!(words(report).contains(&step.step.text()), "{}\n{text}", step.step.text());
        }
    }
    // BW int8: two lanes of 8 bits, or of 16 bits in an accumulator (chapter 4, 4.3).
    let lane_case = program(
        ".DATA\nRF <0,0> [0] = RAMP(0x02ff, 2)\n.CODE\nCELL <0,0>\nBW config=int8\nSWB hb_index=2, v_index=2\n\
         DPU mode=add\nREFI port_no=r0, init_delay=1\nWAIT cycle=9\nHALT\n",
    );
    // Word 0 is at the input in cycle 5 and in the accumulator in cycle 6: lanes 2 and -1.
    let lanes = flipped(&lane_case, 6, "dpu.acc[0]:0");
    let text = words(&lanes);
    assert!(
        text.contains("0x0002ffff (lanes 2 -1)") && text.contains("0x0002fffe (lanes 2 -2)"),
        "{text}"
    );
    // A register has the same lanes in all cycles of a report, also if it was computed in a single lane before.
    let case = program(
        ".DATA\nRF <0,0> [0] = RAMP(0x02ff, 16)\n.CODE\nCELL <0,0>\nSWB hb_index=2, v_index=2\nDPU mode=add\n\
         REFI port_no=r0, init_delay=1, l1_iter=12\nWAIT cycle=2\nBW config=int8\nDPU mode=add\nWAIT cycle=9\nHALT\n",
    );
    let both = flipped(&case, 14, "dpu.acc[0]:0").text(Colouring::Plain);
    let all: Vec<&str> = both.split("dpu.acc[0] = 0x").skip(1).collect();
    assert!(all.len() > 4 && all.iter().all(|value| value[8..].starts_with(" (lanes ")), "{both}");
    let lanes = flipped(&lane_case, 6, "dpu.acc[0]:0 dpu_lanes:0");
    let text = words(&lanes);
    assert!(text.contains("one 16-bit lane instead of 0x1 two 8-bit lanes"), "{text}");
}

/// A wrong connection is attributed to the file that contains it.
#[test]
fn the_file_with_the_connections_is_named() {
    let files = "files rtl/drra_loop_unit.sv (connected in rtl/drra_sequencer.sv), rtl/drra_loop_slot.sv; \
                 golden model: golden/src/loops.rs";
    faults(&bundled("nested_loops"), &format!("7 seq.loop[0].count:0 | says: {files}"));
    // The modules of the lanes belong to the channel rather than to the DPU.
    let files =
        "files rtl/drra_dpu_channel.sv (connected in rtl/drra_dpu.sv), rtl/drra_lane_add.sv";
    faults(&vec_add(), &format!("18 dpu.acc[0]:0 | says: {files} | says: block DPU channel"));
}

/// The block of an IO decoded in cycle 0 is passed down in cycle 6 (chapter 7, A5), in which wb and w0 emit, too. A block
/// write has precedence over w0, but not for a word that its mask leaves out (chapter 3, 4.2). The column works for the
/// IO, also when row 1 gets the block, a cycle later (chapter 5, 4.1).
#[test]
fn a_write_port_owns_what_it_writes() {
    let block = "REFI port_no=w0, extra=2, dimarch=1, init_delay=4";
    let word = "REFI port_no=w0, init_addr=3, init_delay=3";
    let both = |mask| io(&format!("IO init_addr=5, mask={mask}\n{block}\n{word}\nWAIT cycle=9"));
    faults(&both(0), "7 rf.mem[3]:0 | responsible: extra=2");
    faults(
        &both(8),
        "7 rf.mem[3]:0 | responsible: extra=0
         7 rf.mem[2]:0 | responsible: extra=2
         7 rf.mem[2]:0 blk_write:32 | responsible: 0 IO
         7 col[0].blk_in_row1:0 | responsible: 0 IO",
    );
    let row1 = format!(
        ".IOCELL <0,0>\nCELL <0,0>\nIO init_addr=5\nWAIT cycle=9\nHALT\n\
         CELL <1,0>\nWAIT cycle=0\n{block}\nWAIT cycle=9\nHALT\n"
    );
    let fault = "8 cell[1][0].rf.mem[2]:0 cell[1][0].blk_write:32 | responsible: 0 IO";
    faults(&program(&row1), fault);
}

/// A launch clears the accumulators, except those that ld_acc has loaded (chapter 4, 5.5). The second instruction is
/// launched in cycle 7; its io_change and constant already apply in this cycle (4.2).
#[test]
fn a_launch_owns_the_clear() {
    let again = |mode: &str| {
        fed(&format!("DPU mode={mode}\nWAIT cycle=2\nDPU mode=add, io_change=negate_in0"))
    };
    faults(
        &again("sum_acc"),
        "7 dpu.acc[0]:0 | responsible: mode=sum_acc
         8 dpu.acc[0]:0 | responsible: mode=add | 04-dpu.md, 5.5:
         8 dpu.acc[0]:0 dpu_clear:0 | responsible: mode=add",
    );
    faults(&again("ld_acc"), "8 dpu.acc[0]:0 | responsible: mode=ld_acc");
}

/// A WAIT sets up nothing, so it is not responsible for what happens while it lasts.
#[test]
fn a_wait_owns_only_its_cycles() {
    faults(
        &one("WAIT cycle=9"),
        "5 swb.swb_cfg[2]:0 | responsible: none
         5 noc.noc_stage:66 | responsible: none
         5 rf.mem[3]:0 | responsible: none
         5 seq.raccu_reg[3]:0 | responsible: none
         5 dpu.acc[0]:0 dpu_x[0]:0 | responsible: none
         5 seq.wait_count:0 | responsible: WAIT
         5 perm.perm_stage:21 perm_dec:0 | responsible: WAIT",
    );
    // A loop that ends there does not end the WAIT.
    let case = one("LOOP loopid=0, endpc=1, iter=2\nWAIT cycle=3");
    faults(&case, "5 seq.pc:1 loop_jump:0 waiting:0 | responsible: WAIT");
}

/// The second SRAM is accepted in cycle 5, in which the generator makes the only access of the first (chapter 6, section
/// 14, example 4).
#[test]
fn an_access_belongs_to_the_sram_that_makes_it() {
    let case =
        one("ROUTE\nSRAM rw=r, init_addr=10\nWAIT cycle=0\nSRAM rw=r, init_addr=30\nWAIT cycle=9");
    faults(
        &case,
        "6 tile[1][0].mem_q:3 | responsible: init_addr=10
         6 tile[1][0].rd.cfg_valid:0 | responsible: init_addr=30
         8 tile[1][0].mem_q:3 | responsible: init_addr=30",
    );
}

/// The sentence that decides is the one about the operation, state or operand in question.
#[test]
fn sentences_to_the_point() {
    for (mode, sentence) in [
        ("shift_l", "SHL shifts"),
        ("max_min", "MAX takes"),
        ("sum_acc", "MUL and MAC"),
        ("idle", "In every cycle, each"),
    ] {
        faults(
            &fed(&format!("DPU mode={mode}")),
            &format!("8 dpu.acc[0]:0 | 04-dpu.md, 5.3: {sentence}"),
        );
    }
    // The first cycle of idle, which is launched in cycle 7 (chapter 4, 5.3).
    let tail = fed("DPU mode=add\nWAIT cycle=2\nDPU mode=idle");
    faults(
        &tail,
        "9 dpu.acc[0]:0 | 04-dpu.md, 5.3: If the mode selects no | says: golden/src/dpu.rs",
    );
    let negated = fed("DPU mode=add, io_change=negate_in1");
    faults(&negated, "8 dpu.acc[0]:0 dpu_x[0]:0 | 04-dpu.md, 6:");
    // In cycle 5, in0 is 3 * 16 + 100 = 0x94, which would be negated to 0xff6c.
    let x = "dpu_x[0]:2 dpu_x[0]:3";
    faults(
        &fed("DPU mode=add, io_change=negate_in0"),
        &format!("6 dpu.acc[0]:0 {x} | 04-dpu.md, 5.2:"),
    );
    // A BRANCH that is taken (chapter 2, 5.1), and an empty LOOP whose link is in question (section 9).
    faults(
        &one("BRANCH false_pc=2\nWAIT cycle=0"),
        "1 seq.pc:0 jump_pc:0 | 02-sequencer.md, 5.1: A JUMP",
    );
    // REFI r0 of `vec_add` is launched in cycle 2 with a delay of 16 (chapter 3, 9.1).
    faults(
        &vec_add(),
        "2 rf.agu[w0].p_l1_iter:0 | 03-register-file.md, 6.3: In every state, a launch
         10 rf.agu[r0].init_cnt:0 | 03-register-file.md, 6.3: INIT_WAIT increments
         20 rf.agu[r0].addr_reg:0 | 03-register-file.md, 6.3: RUN emits",
    );
}
