// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of single units, tested through the fabric and on both sides.

use drra_case::Case;
use drra_cosim::GEOMETRY;
use drra_isa::{Assembler, CellId};
use drra_lockstep::GoldenRun;

use crate::agree::agree;

fn assembled(text: &str) -> Case {
    let assembler = Assembler { geometry: GEOMETRY, ..Assembler::default() };
    let assembly = assembler.assemble(text).unwrap();
    Case::new("table of a unit", &GEOMETRY, assembly.image, assembly.memory)
}

/// Every mode of PERM with short and long distances: the result matches the table of chapter 7, B1, and
/// both sides agree.
#[test]
fn permutations() {
    for mode in 0..8 {
        for distance in [0, 1, 3, 15, 16, 17, 19, 31, 32, 40_000, 65_535] {
            let case = assembled(&format!(
                ".DATA\nRF <0,0> [16] = RAMP(100, 16)\n.CODE\nCELL <0,0>\n\
                 PERM mode={mode}, block=1, distance={distance}\nWAIT cycle=3\nHALT\n"
            ));
            let outcome = agree(&case, &format!("PERM mode {mode}, distance {distance}"));

            let mut run = GoldenRun::new(&case);
            for _ in 0..outcome.cycles {
                run.step();
            }
            let result: Vec<i32> = (16..32)
                .map(|k| run.fabric.register_file(CellId::new(0, 0).unwrap()).word(k).into())
                .collect();
            let old = |i: i32| if (0..16).contains(&i) { Some(100 + i) } else { None };
            let expected: Vec<i32> = (0..16)
                .map(|i| match mode {
                    0 => old(i - distance).unwrap_or(0),
                    1 => old(i + distance).unwrap_or(0),
                    2 => old(i - distance).unwrap_or(100),
                    3 => old(i + distance).unwrap_or(115),
                    4 => 100 + (i - distance).rem_euclid(16),
                    5 => 100 + (i + distance).rem_euclid(16),
                    _ => 100 + i,
                })
                .collect();
            assert_eq!(result, expected, "mode {mode}, distance {distance}");
        }
    }
}

/// The functions of the squash unit for all 65 536 operands: the RTL agrees with the golden model, whose
/// error is measured in `golden/tests/it/squash.rs`.
#[test]
fn squash_unit_for_all_operands() {
    let depth = GEOMETRY.rf_words;
    let per_case = depth * GEOMETRY.cells();
    for mode in ["sigm", "tanhyp", "expon"] {
        for first in (0..65_536).step_by(per_case) {
            let (mut data, mut code) = (String::new(), String::new());
            for cell in 0..GEOMETRY.cells() {
                let place = format!("<{},{}>", cell / GEOMETRY.columns, cell % GEOMETRY.columns);
                let start = first + cell * depth;
                data += &format!("RF {place} [0] = RAMP({start}, {depth})\n");
                code += &format!(
                    "CELL {place}\nSWB src_block=rf, src_port=0, hb_index=2, v_index=2\n\
                     DPU mode={mode}\nREFI port_no=r0, l1_iter={}, init_delay=2\n\
                     WAIT cycle={}\nHALT\n",
                    depth - 1,
                    depth + 9,
                );
            }
            let case = assembled(&format!(".DATA\n{data}.CODE\n{code}"));
            let outcome = agree(&case, &format!("DPU {mode} from {first}"));
            assert!(!outcome.unfinished);
        }
    }
}
