// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of `isa/spec/dpu_cases.json` through the ports of the fabric: operands come from the register files of
//! cells (0,0) and (1,0), and results are written to the register file of cell (0,1).

use std::collections::BTreeMap;

use drra_case::Case;
use drra_cosim::GEOMETRY;
use drra_isa::{Assembler, CellId, MemoryImage};
use drra_lockstep::GoldenRun;
use serde_json::Value;

use crate::agree::agree;

fn rows(v: &Value, key: &str) -> Vec<Vec<i64>> {
    let row = |r: &Value| r.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
    v[key].as_array().map(|a| a.iter().map(row).collect()).unwrap_or_default()
}

/// Puts `values` into `blocks`, from word `at` on.
fn put(blocks: &mut BTreeMap<usize, [u16; 16]>, at: usize, values: impl Iterator<Item = i64>) {
    for (i, value) in values.enumerate() {
        blocks.entry((at + i) / 16).or_default()[(at + i) % 16] = value as u16;
    }
}

/// Builds the program. Cycles are counted from the first decode of cell (0,0). The DPU instruction of the first
/// phase is decoded in cycle `FIRST`, so its operands start in cycle FIRST+2.
fn build(case: &Value) -> Case {
    const FIRST: usize = 12;
    let phases: Vec<&Value> = case["setup"].as_array().unwrap().iter().chain([case]).collect();
    let inputs: Vec<Vec<i64>> = phases.iter().flat_map(|p| rows(p, "inputs")).collect();
    let count = inputs.len();
    assert!(count <= 32, "fits into half a register file");

    // The read patterns of a cell whose REFIs are decoded in cycles `skew` and `skew` + 1 of cell (0,0)
    // (a row-1 cell starts one cycle later).
    let reads = |skew: usize| {
        format!(
            "REFI port_no=r0, init_addr=0, l1_iter={}, init_delay={}\n\
             REFI port_no=r1, init_addr=32, l1_iter={}, init_delay={}\n",
            count - 1,
            FIRST + 1 - skew,
            count - 1,
            FIRST - skew
        )
    };
    let mut text = format!("CELL <0,0>\nBW config={}\n", case["bw"]);
    text += &reads(1); // decoded in 1 and 2
    for (v, row, port) in [(2, "n", 0), (3, "n", 1), (4, "y", 0), (5, "y", 1)] {
        text += &format!("SWB hb_index=2, src_port={port}, send_to_other_row={row}, v_index={v}\n");
    }
    text += &format!("WAIT cycle={}\n", FIRST - 7 - 1); // decoded in 7
    for (p, phase) in phases.iter().enumerate() {
        text += &format!(
            "DPU mode={}, control={}, acc_clear={}, io_change={}\n",
            phase["mode"], phase["control"], phase["acc_clear"], phase["io_change"]
        );
        // The next instruction is launched in the last input cycle of this phase.
        let n = rows(phase, "inputs").len();
        if p + 1 < phases.len() && n > 1 {
            text += &format!("WAIT cycle={}\n", n - 2);
        }
    }
    text += "WAIT cycle=60\nHALT\n";
    text += &format!("CELL <1,0>\n{}WAIT cycle=80\nHALT\n", reads(1));
    // Cell (0,1) starts one cycle later as well; results are on the lanes in the cycles of the
    // operands.
    text += &format!(
        "CELL <0,1>\n\
         SWB src_block=dpu, src_port=0, hb_index=1, v_index=0\n\
         SWB src_block=dpu, src_port=1, hb_index=1, v_index=1\n\
         REFI port_no=w0, init_addr=0, l1_iter={n}, init_delay={}\n\
         REFI port_no=w1, init_addr=32, l1_iter={n}, init_delay={}\n\
         WAIT cycle=80\nHALT\n",
        FIRST + 1 - 3,
        FIRST + 1 - 4,
        n = count - 1
    );
    let assembly = Assembler::default().assemble(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut memory = MemoryImage::default();
    for (row, first) in [(0, 0), (1, 2)] {
        let blocks = memory.rf.entry(CellId::new(row, 0).unwrap()).or_default();
        put(blocks, 0, inputs.iter().map(|r| r[first]));
        put(blocks, 32, inputs.iter().map(|r| r[first + 1]));
    }
    Case::new(case["id"].as_str().unwrap(), &GEOMETRY, assembly.image, memory)
}

#[test]
fn every_case_on_both_sides() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../isa/spec/dpu_cases.json")).unwrap();
    assert!(!cases.is_empty());
    for value in &cases {
        let case = build(value);
        let outcome = agree(&case, &case.name);

        // The results given in the chapter, collected by cell (0,1).
        let mut run = GoldenRun::new(&case);
        for _ in 0..outcome.cycles {
            run.step();
        }
        let phases = value["setup"].as_array().unwrap().iter().chain([value]);
        let outputs: Vec<Vec<i64>> = phases.flat_map(|p| rows(p, "outputs")).collect();
        let rf = run.fabric.register_file(CellId::new(0, 1).unwrap());
        for (k, row) in outputs.iter().enumerate() {
            let found = [rf.word(k) as i16, rf.word(32 + k) as i16].map(i64::from);
            assert_eq!(found.to_vec(), *row, "{} row {k}", case.name);
        }
    }
}
