// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rare cases: very long ones, and loads of unusual length.

use std::collections::BTreeSet;

use drra_generate::{Profile, generate};
use drra_isa::{Opcode, instructions::jump};

use crate::constraints::by_cell;

/// Cases of a small fabric contain WAITs of 12 to 15 bits, which end, and run for up to 40000 cycles. Cases of a larger
/// fabric do not become longer.
#[test]
fn small_fabrics_wait_long() {
    let text = r#"{"version": 1, "name": "x", "extends": "smoke", "long_waits": 0.5,
                   "scenarios": {"loops": 0, "branch": 0}}"#;
    let profile = Profile::parse(text, None).unwrap();
    let [small, large] = ["2x1", "3x3"].map(|size| size.parse().unwrap());
    let mut bits = BTreeSet::new();
    let mut longest_case = 0;
    for seed in 0..1500 {
        let [small, large] = [&small, &large].map(|size| {
            let generated = generate(&profile, seed, size);
            (generated.case.cycles.unwrap() - generated.first_decode, generated.case)
        });
        assert!(large.0 < 1000, "seed {seed}: {}", large.0);
        longest_case = longest_case.max(small.0);
        let programs = by_cell(&small.1);
        let instructions = programs.values().flatten();
        // A dynamic WAIT has a small number, that of a register.
        let waits = instructions.filter(|i| i.is("WAIT")).map(|i| i.value("cycle") as u64);
        let longest = waits.max().unwrap_or(0);
        if longest >= 2048 {
            assert!(small.0 > longest, "seed {seed}: WAIT {longest} in {} cycles", small.0);
            bits.insert(longest.ilog2() + 1);
        }
    }
    assert!(bits.is_superset(&BTreeSet::from([12, 13, 14, 15])), "{bits:?}");
    assert!((36_000..41_000).contains(&longest_case), "{longest_case}");
}

/// A second load can have more words than the memory, or a JUMP to words that it does not replace.
#[test]
fn second_loads_meet_the_first() {
    let text = r#"{"version": 1, "name": "x", "extends": "default", "reload": 1, "late_init": 0}"#;
    let profile = Profile::parse(text, None).unwrap();
    let (mut longer, mut beyond) = (0, 0);
    for seed in 0..300 {
        let case = generate(&profile, seed, &"2x1".parse().unwrap()).case;
        let entries = case.stimulus.entries();
        let loads: Vec<_> = entries.iter().filter_map(|e| Some((e.cycle, e.prog?))).collect();
        let Some(gap) = loads.windows(2).rposition(|pair| pair[1].0 > pair[0].0 + 1) else {
            continue;
        };
        let second: Vec<u64> = loads[gap + 1..].iter().map(|(_, p)| p.instr.into()).collect();
        longer += u64::from(second.len() > 64);
        let jumps = second.iter().filter(|w| Opcode::of(**w, false) == Some(Opcode::Jump));
        let far = jumps.map(|w| jump::PC.get(&[*w])).any(|target| target >= second.len() as u64);
        beyond += u64::from(far);
    }
    assert!(longer >= 5 && beyond >= 20, "{longer} {beyond}");
}
