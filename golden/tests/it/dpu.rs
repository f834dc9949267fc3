// SPDX-License-Identifier: MIT OR Apache-2.0
//! The 127 cases of `isa/spec/dpu_cases.json` on the DPU alone (chapter 4, section 15).

use drra_golden::units::Dpu;
use drra_golden::units::DpuInstruction;
use drra_isa::instructions::DpuIoChange;
use drra_isa::instructions::DpuMode;
use serde_json::Value;

/// One instruction with its input rows and, in the last phase, its outputs.
struct Phase {
    instruction: DpuInstruction,
    bw: u8,
    inputs: Vec<[u16; 4]>,
}

fn phase(v: &Value) -> Phase {
    let n = |key: &str| v[key].as_u64().unwrap() as u8;
    let row = |r: &Value| std::array::from_fn(|i| r[i].as_i64().unwrap() as u16);
    Phase {
        instruction: DpuInstruction {
            mode: DpuMode::from_bits(n("mode").into()),
            control: n("control"),
            acc_clear: n("acc_clear"),
            io: DpuIoChange::from_bits(n("io_change").into()),
        },
        bw: n("bw"),
        inputs: v["inputs"].as_array().unwrap().iter().map(row).collect(),
    }
}

#[test]
fn all_cases() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../../isa/spec/dpu_cases.json")).unwrap();
    assert_eq!(cases.len(), 127);
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let setup = case["setup"].as_array().unwrap();
        let phases: Vec<Phase> = setup.iter().chain([case]).map(phase).collect();
        let sources: Vec<&Value> = setup.iter().chain([case]).collect();
        let mut dpu = Dpu::new();
        let first = &phases[0];
        dpu.step(true, Some(&first.instruction), first.bw, [0; 4]);
        for (p, phase) in phases.iter().enumerate() {
            for (k, row) in phase.inputs.iter().enumerate() {
                // The next instruction is launched in the last input cycle of this one.
                let next = phases.get(p + 1).filter(|_| k + 1 == phase.inputs.len());
                let (issued, bw) = match next {
                    Some(n) => (Some(&n.instruction), n.bw),
                    None => (None, phase.bw),
                };
                let (o0, o1) = dpu.outputs(next.is_some(), issued, bw);
                let expected = &sources[p]["outputs"];
                if expected.is_array() {
                    let want = |i: usize| expected[k][i].as_i64().unwrap() as u16;
                    assert_eq!((o0, o1), (want(0), want(1)), "{id} phase {p} row {k}");
                }
                let cond = &sources[p]["cond"];
                if cond.is_array() {
                    assert_eq!(
                        u64::from(dpu.cond_status()),
                        cond[k].as_u64().unwrap(),
                        "{id} {p} {k}"
                    );
                }
                dpu.step(next.is_some(), issued, bw, *row);
            }
        }
    }
}
