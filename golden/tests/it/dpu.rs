// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the cases of `isa/spec/dpu_cases.json` on the DPU alone, and checks that they are the cases of chapter 4,
//! section 15.

use std::collections::BTreeSet;

use drra_fabric::images::{DpuInstr, SeqDpu};
use drra_golden::units::{Clocked, Dpu, DpuInputs};
use drra_isa::{
    Geometry,
    instructions::{BwConfig, DpuControl, DpuIoChange, DpuMode},
};
use drra_testkit::example::Example;
use serde_json::Value;

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../isa/spec/dpu_cases.json")).unwrap()
}

/// One instruction with its input rows.
struct Phase {
    instruction: DpuInstr,
    bw: BwConfig,
    inputs: Vec<[u16; 4]>,
}

fn phase(v: &Value) -> Phase {
    let n = |key: &str| v[key].as_u64().unwrap() as u8;
    let row = |r: &Value| std::array::from_fn(|i| r[i].as_i64().unwrap() as u16);
    Phase {
        instruction: DpuInstr {
            mode: DpuMode::from_bits(n("mode").into()),
            control: DpuControl::from_bits(n("control").into()),
            cnst: n("acc_clear"),
            io: DpuIoChange::from_bits(n("io_change").into()),
        },
        bw: BwConfig::from_bits(n("bw").into()),
        inputs: v["inputs"].as_array().unwrap().iter().map(row).collect(),
    }
}

/// Executes one cycle, in which an instruction may be launched; returns both outputs.
pub(crate) fn step(
    dpu: &mut Dpu,
    launch: Option<&DpuInstr>,
    cfg_bw: BwConfig,
    input: [u16; 4],
) -> [u16; 2] {
    let instr = launch.copied().unwrap_or_default();
    let issued = SeqDpu { dpu_start: launch.is_some(), instr, cfg_bw };
    let immediate = launch.is_some();
    let in_force = dpu.dpu_control(immediate, &issued);
    let outputs = dpu.dpu_outputs(&in_force).out;
    dpu.next(&DpuInputs { immediate, issue: issued, in_force, input });
    outputs
}

#[test]
fn all_cases() {
    for case in &cases() {
        let id = case["id"].as_str().unwrap();
        let setup = case["setup"].as_array().unwrap();
        let phases: Vec<Phase> = setup.iter().chain([case]).map(phase).collect();
        let sources: Vec<&Value> = setup.iter().chain([case]).collect();
        let mut dpu = Dpu::new();
        let first = &phases[0];
        step(&mut dpu, Some(&first.instruction), first.bw, [0; 4]);
        for (p, phase) in phases.iter().enumerate() {
            for (k, row) in phase.inputs.iter().enumerate() {
                // The next instruction is launched in the last input cycle of this instruction.
                let next = phases.get(p + 1).filter(|_| k + 1 == phase.inputs.len());
                let (issued, bw) = match next {
                    Some(n) => (Some(&n.instruction), n.bw),
                    None => (None, phase.bw),
                };
                let status = dpu.cond_status();
                let outputs = step(&mut dpu, issued, bw, *row);
                let expected = &sources[p]["outputs"];
                if expected.is_array() {
                    let want = |i: usize| expected[k][i].as_i64().unwrap() as u16;
                    assert_eq!(outputs, [want(0), want(1)], "{id} phase {p} row {k}");
                }
                let cond = &sources[p]["cond"];
                if cond.is_array() {
                    assert_eq!(u64::from(status), cond[k].as_u64().unwrap(), "{id} {p} {k}");
                }
            }
        }
    }
}

/// `acc_cnt` runs freely, and returns to 0 after the count in force (5.5), even if nothing else in the cell changes.
#[test]
fn count_in_an_idle_cell() {
    // The launch is in cycle 1, and the count of the new mode begins in cycle 2.
    let example = Example::new("count").asm(0, 0, "DPU mode=mac, acc_clear=5; HALT");
    let path = "cell[0][0].dpu.acc_cnt";
    let example = (2..40).fold(example, |e, c| e.expect(c, path, (c - 2) as u64 % 6));
    let failures = example.golden_failures(Geometry::default());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every mode has cases, which are named after the mode.
#[test]
fn every_mode_has_cases() {
    let mut without: BTreeSet<&str> = DpuMode::ALL.iter().map(|mode| mode.name()).collect();
    for case in &cases() {
        let [id, name] = ["id", "mode_name"].map(|key| case[key].as_str().unwrap());
        assert_eq!(DpuMode::from_bits(case["mode"].as_u64().unwrap()).name(), name, "{id}");
        assert_eq!(id.rsplit_once('_').unwrap().0, name, "{id}");
        without.remove(name);
    }
    assert!(without.is_empty(), "isa/spec/dpu_cases.json has no case of {without:?}");
}

/// The table of the chapter has the same cases in the same order.
#[test]
fn the_cases_are_those_of_the_chapter() {
    let chapter = include_str!("../../../isa/spec/04-dpu.md");
    let table = chapter.split("\n| id | mode |").nth(1).unwrap();
    let written = table.lines().skip(2).take_while(|l| l.starts_with('|'));
    // Rows of numbers: `1,2,3,4; 5,6,7,8`.
    let rows = |text: &str| -> Vec<Vec<i64>> {
        let row = |r: &str| r.trim().split(',').map(|n| n.parse().unwrap()).collect();
        text.split(';').map(row).collect()
    };
    let written: Vec<Value> = written
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let number = |at: usize| cells[at].parse::<u64>().unwrap();
            serde_json::json!({
                "id": cells[1], "mode": number(2), "control": number(3), "acc_clear": number(4),
                "io_change": number(5), "bw": number(6), "inputs": rows(cells[8]),
                "outputs": rows(cells[9]),
            })
        })
        .collect();
    let mut cases = cases();
    for case in &mut cases {
        let elsewhere = ["note", "mode_name", "setup", "cond", "source"];
        case.as_object_mut().unwrap().retain(|key, _| !elsewhere.contains(&key.as_str()));
    }
    for (case, written) in cases.iter().zip(&written) {
        assert_eq!(case, written, "isa/spec/dpu_cases.json, chapter 4");
    }
    assert_eq!(cases.len(), written.len());
}
