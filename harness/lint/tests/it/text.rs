// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings in the words of a program.

use drra_lint::{Finding, Kind};

use crate::lint_source;

/// Checks programs, one a line, against their findings: ` -> kind port address: text` each. Lines of a program are
/// separated by `; `; a HALT follows.
#[track_caller]
fn check(cases: &str) {
    for case in cases.lines().map(str::trim) {
        let mut parts = case.split(" -> ");
        let text = parts.next().unwrap().replace("; ", "\n") + "\nHALT";
        // The findings of the run have a cycle.
        let mut found = lint_source(&text).unwrap().findings;
        found.retain(|f| f.cycle.is_none() && f.kind != Kind::HaltMissing);
        let place = |f: &Finding| format!("{} {}", f.port, f.instruction.unwrap().1);
        let found = found.iter().map(|f| format!("{} {}: {}", f.kind, place(f), f.text));
        assert_eq!(found.collect::<Vec<_>>(), parts.collect::<Vec<_>>(), "{case}");
    }
}

/// Chapter 5, 3.3: the source column is the own column + `hb_index` - 2, without wrap-around; 2.3: an SWB replaces the
/// entry of its input. Data can pass only while a DPU or a write port is in use.
#[test]
fn connections() {
    let [r0, r1] = ["SWB hb_index=2, v_index=2", "SWB src_port=1, hb_index=2, v_index=2"];
    let again = "connects in0 again, before any data";
    check(&format!(
        "CELL <0,7>; SWB hb_index=3 \
             -> source-outside w0 0: the source is column 8, and the fabric has columns 0 to 7
        CELL <1,0>; SWB hb_index=1, v_index=5 \
             -> source-outside in3 0: the source is column -1, and the fabric has columns 0 to 7
        SWB hb_index=3, send_to_other_row=y \
             -> source-idle w0 0: the source is cell[1][1], which has no program: it is always 0
        SWB hb_index=3, send_to_other_row=y; HALT; CELL <1,1>
        {r0}; {r1}; DPU mode=relu -> input-twice in0 0: the SWB at address 1 {again}
        BRANCH mode=eq, false_pc=2; {r0}; {r1} -> input-twice in0 1: the SWB at address 2 {again}
        LOOP endpc=2, iter=2; WAIT; {r0}; {r1}
        DPU mode=relu; {r0}; {r1}
        {r0}; WAIT cycle=9; {r1}; DPU mode=relu
        REFI port_no=w0; SWB hb_index=2; SWB src_port=1, hb_index=2",
    ));
}

/// Chapter 2, 5.1, 5.3, sections 9 and 13, and chapter 1, 1.1.
#[test]
fn control() {
    let ends = "where the program ends: the loop does not iterate";
    let around = "of the loop of address 0 around it";
    check(&format!(
        "JUMP pc=9 -> target pc 0: pc=9 is outside the program, which has 2 words
        JUMP pc=2; REFI l1_iter=1, l1_step=2 -> target pc 0: pc=2 is the second word of the REFI at address 1
        BRANCH false_pc=3; SRAM -> target false_pc 0: false_pc=3 is the third word of the SRAM at address 1
        LOOP endpc=2, iter=2; WAIT -> target endpc 0: endpc=2 is the HALT at address 2, {ends}
        LOOP endpc=2, iter=2; WAIT; WAIT; CELL <0,1> -> target endpc 0: endpc=2 is the WAIT at address 2, {ends}
        WAIT; LOOP iter=2 -> target endpc 1: endpc=0 is before the body, which starts at address 2
        LOOP endpc=1, iter=2; JUMP pc=2 \
             -> target endpc 0: endpc=1 is the JUMP at address 1: while the loop iterates, it does not jump
        BRANCH false_pc=4; SRAM; LOOP endpc=5, iter=2; REFI l1_iter=1, l1_step=2
        LOOP iter=2, endpc=3; LOOP iter=2, loopid=1, endpc=3; WAIT; WAIT
        LOOP iter=2, loopid=1, endpc=3; LOOP iter=2, loopid=0, endpc=2; WAIT; WAIT \
             -> loop-order slot 0 1: loopid=0 is not above loopid=1 {around}
        LOOP iter=2, loopid=1, endpc=3; LOOP iter=2, loopid=1, endpc=2; WAIT; WAIT \
             -> loop-order slot 1 1: loopid=1 is not above loopid=1 {around}
        LOOP iter=2, endpc=2; LOOP iter=2, loopid=1, endpc=3; WAIT; WAIT \
             -> loop-order slot 1 1: endpc=3 is behind endpc=2 {around}
        LOOP loopid=1, endpc=1, iter=2; WAIT; LOOP endpc=3, iter=2; WAIT",
    ));
}

/// Chapter 1, section 3 and 4.2; chapter 5, 2.1 and 2.2; chapter 7, A6 and B1.
#[test]
fn values() {
    check(
        "SWB hb_index=2, v_index=6 -> no-effect v_index 0: v_index=6 is not an input: nothing is connected
        SWB hb_index=5 -> no-effect hb_index 0: hb_index=5 is not a column: the input reads 0
        SWB hb_index=6 -> no-effect hb_index 0: hb_index=6 is not a column: the input reads 0
        SWB hb_index=7; SWB hb_index=2, unused0=0 -> no-effect unused0 1: unused0=0: nothing is connected
        SWB hb_index=2, src_row=1 -> no-effect src_row 0: src_row=1, but send_to_other_row selects row 0
        CELL <1,0>; SWB hb_index=2, src_row=1; REFI port_no=r0, dimarch=y
        REFI port_no=r1, dimarch=y -> no-effect dimarch 0: dimarch=y on w1 or r1: nothing starts
        REFI compress=y -> no-effect compress 0: compress=y is reserved
        DPU mode=mode_15 -> no-effect mode 0: mode=mode_15 computes nothing, as idle
        RACCU operand1=3 -> no-effect mode 0: mode=idle: no register is written
        PERM mode=6 -> no-effect mode 0: mode=6 is reserved: no word is written
        PERM mode=rot_r -> no-effect distance 0: distance=0: every word keeps its value
        .IOCELL <0,0>; IO mask=0xffff -> no-effect mask 0: mask=65535: no word is transferred
        LOOP endpc=1; WAIT -> no-effect iter 0: iter=0: the body is skipped
        WAIT; LOOP start=33, iter=2, endpc=2; WAIT -> signed-raw start 1: start=33 stands for -31",
    );
}

/// Chapter 2, section 7: one configuration of each kind waits, and any other instruction with flag 1 releases it.
#[test]
fn waiting() {
    let never = "no instruction with flag 1 follows";
    let waits = "at address 1 replaces it while it waits";
    check(&format!(
        "REFI.D; REFI.D init_addr=4 -> replaced w0 0: the REFI {waits}
        REFI.D; REFI.D port_no=w1
        REFI.D; WAIT; REFI.D init_addr=4
        ROUTE.D; SRAM.D -> replaced noc 0: the SRAM {waits}
        SWB.D hb_index=2; SWB hb_index=2, v_index=1 -> replaced swb 0: the SWB {waits}
        BRANCH mode=eq, false_pc=2; WAIT; DPU.D mode=relu
        DPU.D mode=relu; BRANCH.D mode=eq, false_pc=3; WAIT; DPU.D mode=add
        WAIT.D; DPU.D mode=relu; WAIT.D; HALT.D -> never-released dpu 1: {never}
        WAIT.D; DPU.D mode=relu; WAIT.D
        WAIT; DPU.D mode=relu; WAIT.D; HALT.D; CELL <0,1>; WAIT; DPU.D mode=relu; SRAM.D; CELL <1,1>
        WAIT; DPU.D mode=relu; JUMP.D pc=2 -> never-released dpu 1: {never}",
    ));
}

/// Chapter 2, section 8: slot k owns R(15-k); while it is inactive, its register is 0.
#[test]
fn registers() {
    let count = "RACCU mode=add, operand1_sd=d, operand1=2, result=2";
    let write = "RACCU mode=add, result=15";
    let inactive = "slot 0 of R15 is not active: the value lasts one cycle";
    check(&format!(
        "{count} -> raccu-unset R2 0: operand1 is R2, which is 0, because no RACCU sets it before
        LOOP endpc=1, iter=2; WAIT cycle_sd=d, cycle=14 \
             -> raccu-unset R14 1: cycle is R14, which is 0, because no LOOP with loopid=1 comes before
        LOOP endpc=1, iter=2; WAIT cycle_sd=d, cycle=15
        LOOP endpc=1, iter=2; {count} -> counter-unset R2 1: R2 counts from 0, because nothing else sets it before
        LOOP endpc=2, iter=2; WAIT cycle_sd=d, cycle=4; RACCU mode=add, result=4
        {write}; LOOP endpc=2, iter=2; WAIT -> raccu-inactive R15 0: {inactive}
        LOOP endpc=1, iter=2; WAIT; {write} -> raccu-inactive R15 2: {inactive}
        LOOP endpc=2, iter=2; {write}; WAIT",
    ));
}

/// Chapter 4, 4.3, 5.5, and sections 6 and 11.
#[test]
fn modes() {
    let relu = "relu works on 16 bits, and the BW at address";
    check(&format!(
        "BW config=int8; DPU mode=relu -> width-ignored mode 1: {relu} 0 sets config=int8
        BW config=int8; DPU mode=mac, acc_clear=4
        BW config=int8; BW config=fx16; DPU mode=relu
        BW config=int8; DPU mode=scale_up; WAIT; DPU mode=relu
        RACCU mode=add, result=1; LOOP endpc=3, iter_sd=d, iter=1; BW config=int8; WAIT; DPU mode=relu
        LOOP endpc=2, iter=1; BW config=int8; WAIT; DPU mode=relu -> width-ignored mode 3: {relu} 1 sets config=int8
        BRANCH mode=eq, false_pc=2; BW config=int8; DPU mode=relu
        DPU mode=add, acc_clear=4 -> field-ignored acc_clear 0: acc_clear=4 has no effect, because mode=add
        DPU mode=subt, io_change=negate_in1 \
             -> field-ignored io_change 0: io_change=negate_in1 has no effect, because mode=subt
        DPU mode=add, io_change=negate_in1; DPU mode=lk_relu, acc_clear=4",
    ));
}
