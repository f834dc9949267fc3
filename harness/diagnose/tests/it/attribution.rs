// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responsible instruction for registers all over the fabric, in cycles for which the worked traces of the chapters
//! specify what acts on them.

use drra_case::{Case, programs::BundledProgram};
use drra_diagnose::{attribution::IssuedInstruction, signature};
use drra_isa::{CellId, TileId, Unit};
use drra_lockstep::RunSetup;
use drra_testkit::{Fault, FaultyDesign, Flip};

use crate::{GEOMETRY, setup};

const CELL: &str = "cell[0][0]";
const TILE: &str = "tile[1][0]";
const COLUMN: &str = "col[0]";

/// The instruction responsible for a bit that flips in a cycle; cycles are counted from the first decode.
#[track_caller]
fn responsible(case: &Case, unit: &str, register: &str, cycle: u64) -> Option<IssuedInstruction> {
    let cycle = case.stimulus.end() + 1 + cycle;
    let path = if unit.is_empty() { register.to_owned() } else { format!("{unit}.{register}") };
    let flip = Flip { cycle, location: path.parse().unwrap(), bit: 0 };
    let setup = setup();
    let faulty = FaultyDesign::new(setup.design, Fault::Flip(flip));
    let failing = signature::check(case, &RunSetup { design: &faulty, ..setup }).unwrap();
    let failing = failing.unwrap_or_else(|| panic!("{path} in cycle {cycle}: not found"));
    assert_eq!(failing.mismatch.cycle, cycle, "{path}");
    failing.explanation.responsible
}

/// Chapter 2, 11.1: `vec_add` with the addresses and decode cycles of its instructions; chapter 3, 9.1, and chapter 6,
/// 11.1, specify which instruction acts when.
#[test]
fn vec_add() {
    let case = drra_case::programs::ALL[0].case(&GEOMETRY).unwrap();
    // (address, decode cycle) of the instructions
    let (refi_w0, refi_r0, route, sram) = ((0, 0), (2, 1), (4, 2), (5, 3));
    let (refi_wb, refi_r1, swb_in0, swb_in1) = ((8, 4), (11, 5), (14, 7), (15, 8));
    let (refi_wb2, route2, sram2, wait) = ((16, 9), (19, 10), (20, 11), (23, 12));
    let (dpu, halt) = ((24, 16), (26, 34));
    for (unit, register, cycle, expected) in [
        (CELL, "seq.init_addr", 1, refi_w0),
        (CELL, "seq.wait_count", 14, wait),
        (CELL, "seq.state", 35, halt),
        (CELL, "noc.noc_stage", 3, route),
        (CELL, "noc.noc_stage", 4, sram),
        (CELL, "swb.swb_iss", 8, swb_in0),
        (CELL, "swb.swb_cfg[2]", 9, swb_in0),
        (CELL, "swb.swb_cfg[3]", 10, swb_in1),
        (CELL, "rf.agu[w0].init_cnt", 5, refi_w0),
        (CELL, "rf.agu[r0].state", 10, refi_r0),
        (CELL, "rf.agu[r1].state", 10, refi_r1),
        (CELL, "rf.agu[wb].state", 8, refi_wb),
        (CELL, "rf.agu[wb].state", 12, refi_wb2),
        (CELL, "rf.mem[16]", 10, refi_wb),
        (CELL, "rf.mem[0]", 18, refi_wb2),
        (CELL, "rf.mem[33]", 21, refi_w0),
        (CELL, "dpu.mode_reg", 18, dpu),
        (CELL, "dpu.acc[0]", 19, dpu),
        (TILE, "side[S].active", 4, route),
        (TILE, "side[S].agu", 5, sram),
        (TILE, "rd.cfg", 6, sram),
        (TILE, "rd.addr", 7, sram),
        (TILE, "mem_rvalid", 8, sram),
        (TILE, "xout[S]", 9, route),
        (TILE, "rd.cfg", 14, sram2),
        (TILE, "xout[S]", 17, route2),
        (COLUMN, "blk_in_row1", 10, route),
    ] {
        let found = responsible(&case, unit, register, cycle).unwrap();
        let first = case.stimulus.end() + 1;
        assert_eq!(
            (found.cell, found.address),
            (CellId::new(0, 0).unwrap(), expected.0),
            "{register} in {cycle}: {found:?}"
        );
        assert_eq!(found.cycle - first, expected.1, "{register} in {cycle}: {found:?}");
        // All instructions have the immediate flag, so an instruction that waits for a flag is released a cycle after
        // its decode. This can be the cycle of the difference or a later cycle.
        let waits = !["WAIT", "HALT"].contains(&found.mnemonic());
        let released = found.cycle + u64::from(waits);
        let known = Some(released).filter(|r| *r < first + cycle);
        assert_eq!(found.released.get(), known, "{found:?}");
    }
    // No decoded instruction affects these registers.
    for (unit, register, cycle) in [(TILE, "rd.addr", 1), (CELL, "rf.agu[w1].state", 30)] {
        assert_eq!(responsible(&case, unit, register, cycle), None, "{register}");
    }
    assert_eq!(responsible(&case, "", "ld_pipe[0].valid", 5), None);
}

/// `pending`: five instructions without the flag, released by the WAIT that is decoded in cycle 11. A RACCU executes in
/// the cycle of the flag, and the other instructions execute a cycle later (chapter 2, section 7; chapter 3, 5.2;
/// chapter 5, 2.3).
#[test]
fn instructions_that_wait_for_a_flag() {
    let text = include_str!("../../../../tests/programs/pending.sasm");
    let case = drra_case::programs::ALL.iter().find(|p| p.path.ends_with("pending.sasm")).unwrap();
    assert!(text.contains("WAIT.D cycle=5"));
    let case = case.case(&GEOMETRY).unwrap();
    let first = case.stimulus.end() + 1;
    for (register, cycle, decoded, released, text) in [
        ("seq.sh_raccu.mode", 5, 0, None, "RACCU"),
        ("seq.raccu_reg[0]", 12, 0, Some(11), "RACCU"),
        ("rf.sh[r0].sh_valid", 6, 2, None, "REFI port_no=r0"),
        ("rf.sh[w0].sh_cfg", 9, 4, None, "REFI port_no=w0, extra=0, init_addr=20"),
        ("rf.agu[r0].state", 13, 2, Some(12), "REFI port_no=r0"),
        ("rf.agu[w0].state", 13, 4, Some(12), "REFI port_no=w0, extra=0, init_addr=20"),
        ("swb.swb_cfg[0]", 13, 1, Some(12), "SWB"),
        ("rf.mem[20]", 15, 4, Some(12), "REFI port_no=w0, extra=0, init_addr=20"),
    ] {
        let found = responsible(&case, CELL, register, cycle).unwrap();
        assert!(found.text().starts_with(text), "{register}: {}", found.text());
        assert_eq!(found.cycle - first, decoded, "{register}");
        let at = found.released.get().map(|c| c - first);
        assert_eq!(at, released, "{register}: {found:?}");
    }
}

/// `block_hops`: a write and a read over three hops, with the latencies of chapter 6, 10.2 and 10.3; ROUTE, SRAM and
/// REFI are decoded in cycles 0, 1 and 2, and again in cycles 13, 14 and 15.
#[test]
fn messages_and_blocks_over_three_hops() {
    let program =
        drra_case::programs::ALL.iter().find(|p| p.path.ends_with("block_hops.sasm")).unwrap();
    if GEOMETRY.tile_rows < 2 || GEOMETRY.columns < 3 {
        println!("skipped: the path needs two rows and three columns of tiles");
        return;
    }
    let case = program.case(&GEOMETRY).unwrap();
    let first = case.stimulus.end() + 1;
    let [upper0, upper1, upper2] =
        [0, 1, 2].map(|col| Unit::from(TileId::new(2, col).unwrap()).to_string());
    for (unit, register, cycle, decoded) in [
        (upper0.as_str(), "side[S].fwd", 4, 1),
        (upper2.as_str(), "side[W].agu", 6, 1),
        (upper2.as_str(), "wr.cfg", 7, 1),
        (upper1.as_str(), "xout[E]", 7, 0),
        (upper2.as_str(), "xout[MEM]", 8, 0),
        (upper2.as_str(), "sram[5]", 9, 1),
        (TILE, "side[S].active", 15, 13),
        (upper2.as_str(), "rd.addr", 21, 14),
        (upper2.as_str(), "mem_rvalid", 22, 14),
        (upper1.as_str(), "xout[W]", 24, 13),
        (CELL, "rf.mem[48]", 27, 15),
    ] {
        let found = responsible(&case, unit, register, cycle).unwrap();
        assert_eq!(found.cycle - first, decoded, "{register} in {cycle}: {found:?}");
    }
}

/// `cfg_bw` contains the width of the latest BW, whatever is decoded later. This is example 18 of chapter 2, with its
/// widths and cycles.
#[test]
fn a_width_belongs_to_its_bw() {
    let text = ".CODE\nCELL <0,0>\n  BW config=2\n  RACCU\n  RACCU\n  BW config=1\n  HALT\n";
    let case = BundledProgram { path: "widths.sasm", text }.case(&GEOMETRY).unwrap();
    for (cycle, address) in [(1, 0), (2, 0), (3, 0), (4, 3), (5, 3)] {
        let found = responsible(&case, CELL, "seq.cfg_bw", cycle).unwrap();
        assert_eq!((found.mnemonic(), found.address), ("BW", address), "{cycle}");
    }
}

/// A LOOP whose dynamic number of iterations is 0 leaves its slot to the LOOP that configured it (chapter 2, section
/// 9), regardless of whether it takes effect at once or waits for a flag (section 7).
#[test]
fn a_slot_belongs_to_the_loop_that_configured_it() {
    for (skipping, at) in [("LOOP", 4), ("LOOP.D", 6)] {
        let text = format!(
            ".CODE\nCELL <0,0>\n  LOOP loopid=0, endpc=7, start=1, iter=3\n  RACCU mode=add, operand1=1, \
             operand2=2, result=1\n  {skipping} loopid=0, endpc=4, start=0, iter_sd=d, iter=0\n  RACCU.D\n  RACCU\n  \
             RACCU\n  RACCU\n  RACCU\n  HALT\n"
        );
        let case = BundledProgram { path: "skip.sasm", text: text.leak() }.case(&GEOMETRY).unwrap();
        let found = responsible(&case, CELL, "seq.loop[0].count", at).unwrap();
        assert_eq!((found.mnemonic(), found.address), ("LOOP", 0), "{skipping}");
    }
}
