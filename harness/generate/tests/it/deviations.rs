// SPDX-License-Identifier: MIT OR Apache-2.0
//! Deviations of the published fabric that a profile avoids, each as listed in its chapter.

use std::collections::{BTreeMap, BTreeSet};

use drra_case::Case;
use drra_generate::Profile;
use drra_isa::Opcode;

use crate::constraints::{
    LoadedInstruction, by_cell, cases, instructions, jumps_at_a_loop_end, leaves_its_words, loads,
};

/// A profile that avoids deviations.
fn avoiding(base: &str, numbers: &[&str]) -> Profile {
    let text =
        format!(r#"{{"version": 1, "name": "mine", "extends": "{base}", "avoid": {numbers:?}}}"#);
    Profile::parse(&text, None).unwrap()
}

/// Returns whether a case shows a deviation.
type DeviationCheck = fn(&Case) -> bool;

fn some(case: &Case, what: impl Fn(&LoadedInstruction) -> bool) -> bool {
    instructions(case).iter().any(|(_, i)| what(i))
}

fn dpu(case: &Case, what: impl Fn(i64, &LoadedInstruction) -> bool) -> bool {
    some(case, |i| i.is("DPU") && what(i.value("mode"), i))
}

fn field(case: &Case, name: &str, field: &str, values: &[i64]) -> bool {
    some(case, |i| i.is(name) && values.contains(&i.value(field)))
}

fn io(case: &Case) -> bool {
    !case.io_cells.is_empty() || some(case, |i| i.is("IO"))
}

fn perm(case: &Case) -> bool {
    some(case, |i| i.is("PERM"))
}

fn file(case: &Case) -> bool {
    case.stimulus.entries().iter().any(|e| e.rf_init.is_some())
}

fn cleared(case: &Case) -> bool {
    loads(case).iter().flat_map(|load| load.values()).flatten().any(|(_, flag)| !flag)
}

fn high(case: &Case, of: &str) -> bool {
    some(case, |i| {
        let fields = i.decoded.iter().flat_map(|d| &d.instruction.fields);
        let names: Vec<&str> = fields.map(|f| f.name.as_str()).collect();
        let number = |name: &str| {
            let upper = format!("{name}_ext");
            let above = names.contains(&&*upper) && i.value(&upper) != 0;
            above || !(0..16).contains(&i.value(name))
        };
        let mut flags = names.iter().filter_map(|n| Some((n, n.strip_suffix("_sd")?)));
        (of.is_empty() || i.is(of)) && flags.any(|(sd, name)| i.value(sd) == 1 && number(name))
    })
}

fn scaled(case: &Case, widths: &[i64], modes: &[i64]) -> bool {
    by_cell(case).values().any(|p| {
        p.iter().any(|i| i.is("BW") && widths.contains(&i.value("config")))
            && p.iter().any(|i| i.is("DPU") && modes.contains(&i.value("mode")))
    })
}

/// Deviations, and how to see that a case does not avoid them, according to the lists of the chapters. Those aspects of
/// 6.D1 to 6.D3 and 3.1 that only a run can show are checked in the tests of campaigns.
const DEVIATIONS: &[(&[&str], DeviationCheck)] = &[
    (&["1.1", "7.1"], io),
    (&["2.12", "5.12", "6.D8"], |c| io(c) || perm(c)),
    (&["1.2", "7.2"], perm),
    (&["3.7"], |c| {
        let masked = |i: &LoadedInstruction| i.is("IO") && i.value("mask") != 0;
        file(c) || perm(c) || some(c, masked)
    }),
    (&["5.9"], file),
    (&["2.1"], |c| loads(c).len() > 1),
    (&["2.13", "5.1"], cleared),
    (&["4.18"], |c| cleared(c) || dpu(c, |mode, _| mode == 0) || leaves_its_words(c)),
    (&["1.4", "2.11", "4.2"], |c| field(c, "BW", "config", &[1, 2, 3])),
    (&["4.5", "4.6", "4.7", "4.8"], |c| field(c, "BW", "config", &[1, 3])),
    (&["4.16"], |c| scaled(c, &[3], &[28])),
    (&["4.17"], |c| scaled(c, &[1, 3], &[28, 29])),
    (&["4.3"], |c| {
        let products = |mode| [7, 8, 9, 10, 12, 22, 30].contains(&mode);
        let fixed = |mode, i: &LoadedInstruction| products(mode) && i.value("control") & 1 == 1;
        scaled(c, &[2], &[7, 8, 9, 10, 12, 22, 30]) || dpu(c, fixed)
    }),
    (&["4.4"], |c| {
        let fixed = |mode, i: &LoadedInstruction| mode == 12 && i.value("control") & 1 == 1;
        scaled(c, &[2], &[12]) || dpu(c, fixed)
    }),
    (&["1.13", "4.1"], |c| field(c, "DPU", "control", &[0, 1, 3])),
    (&["4.9"], |c| dpu(c, |mode, i| [2, 10, 13, 30].contains(&mode) && i.value("acc_clear") != 0)),
    (&["4.10"], |c| field(c, "DPU", "mode", &[27])),
    (&["4.11"], |c| field(c, "DPU", "mode", &[25])),
    (&["4.12"], |c| field(c, "DPU", "mode", &[26])),
    (&["4.13"], |c| field(c, "DPU", "mode", &[21])),
    (&["4.14"], |c| field(c, "DPU", "mode", &[17, 18])),
    (&["4.15"], |c| field(c, "DPU", "mode", &[24, 26])),
    (&["5.4"], |c| field(c, "SWB", "hb_index", &[5, 6])),
    (&["5.3"], |c| field(c, "SWB", "v_index", &[6, 7])),
    (&["1.8"], |c| field(c, "SWB", "v_index", &[6, 7]) || field(c, "SWB", "hb_index", &[5, 6])),
    (&["1.12", "2.7"], |c| field(c, "RACCU", "mode", &[5, 6, 7])),
    (&["2.2"], |c| {
        some(c, |i| i.is("WAIT") && i.value("cycle_sd") == 0 && i.value("cycle") >= 16384)
    }),
    (&["1.6"], |c| high(c, "RACCU")),
    (&["2.3"], |c| high(c, "")),
    (&["1.9", "2.4", "3.3"], |c| {
        some(c, |i| i.is("REFI") && i.value("extra") == 2 && i.value("l1_step_sign") == 1)
    }),
    (&["1.5", "2.5", "3.4"], |c| field(c, "REFI", "l2_delay_sd", &[1])),
    (&["1.7", "2.6"], |c| field(c, "LOOP", "iter_sd", &[1])),
    (&["2.8"], |c| some(c, |i| i.is("LOOP") && !i.flags[0])),
    (&["2.9"], jumps_at_a_loop_end),
    (&["2.10"], |c| {
        let none = |i: &LoadedInstruction| i.value("iter_sd") == 1 || i.value("iter") == 0;
        some(c, |i| i.is("LOOP") && i.value("link") != 0 && none(i))
    }),
    (&["3.1", "6.D2"], |c| {
        let at_once =
            |i: &LoadedInstruction| i.value("init_delay") == 0 || i.value("init_delay_sd") == 1;
        some(c, |i| i.is("REFI") && i.value("dimarch") == 1 && at_once(i))
    }),
    (&["3.2"], |c| {
        let idle = |i: &LoadedInstruction| [1, 3].contains(&i.value("port_no"));
        some(c, |i| i.is("REFI") && i.value("dimarch") == 1 && idle(i))
    }),
    (&["6.D1"], |c| {
        let first = c.stimulus.first_program_cycle().unwrap();
        c.stimulus.entries().iter().any(|e| e.cycle >= first && e.sram_init.is_some())
    }),
];

/// No case shows a deviation that its profile avoids; cases of other profiles do.
#[test]
fn deviations_are_avoided() {
    let bases = ["default", "chaos", "io_perm"];
    let of = |profile: &Profile| -> Vec<Case> { cases(profile).map(|g| g.case).collect() };
    let free: Vec<Case> = bases.iter().flat_map(|b| of(&Profile::shipped(b).unwrap())).collect();
    let mut known: BTreeSet<&str> = BTreeSet::from(["6.D3"]);
    for (numbers, shows) in DEVIATIONS {
        known.extend(*numbers);
        assert!(free.iter().filter(|case| shows(case)).count() > 1, "{numbers:?} never occur");
        // The deviation numbers of a row have the same meaning; they are tested with the profiles in turn.
        for (number, base) in numbers.iter().zip(bases.iter().cycle()) {
            let bound = avoiding(base, &[number]);
            for case in cases(&bound).take(40).map(|g| g.case) {
                assert!(!shows(&case), "{number}: {}", case.name);
                assert_eq!(bound.violated(&case), None, "{number}: {}", case.name);
            }
            let reason = bound.constraints[0].reason.as_deref().unwrap();
            assert!(reason.starts_with(&format!("{number}: ")), "{reason}");
        }
    }
    // The profile of the published fabric avoids all deviations that can be avoided.
    let text = Profile::parse(r#"{"version": 1, "name": "x", "avoid": ["8.1"]}"#, None);
    let error = text.unwrap_err().to_string();
    let listed: BTreeSet<&str> = error.split("fabric are ").nth(1).unwrap().split(", ").collect();
    assert_eq!(listed, known);
    let of = |p: &Profile| p.constraints.iter().map(ToString::to_string).collect::<Vec<_>>();
    let all: Vec<&str> = known.into_iter().collect();
    let published = Profile::shipped("silago-published").unwrap();
    assert_eq!(of(&avoiding("default", &all)), of(&published));
    // A list replaces the list of the extended profile.
    assert!(avoiding("silago-published", &[]).constraints.is_empty());
    assert_eq!(of(&avoiding("silago-published", &["7.2"])), ["PERM"]);
}

/// The cases of the shipped profile for the published fabric show no deviation, obey its constraints, and contain every
/// remaining instruction.
#[test]
fn cases_for_the_published_fabric() {
    let published = Profile::shipped("silago-published").unwrap();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for case in cases(&published).map(|generated| generated.case) {
        assert_eq!(published.violated(&case), None, "{}", case.name);
        for (numbers, shows) in DEVIATIONS {
            assert!(!shows(&case), "{numbers:?}: {}", case.name);
        }
        for decoded in instructions(&case).into_iter().filter_map(|(_, i)| i.decoded) {
            *kinds.entry(decoded.instruction.name.clone()).or_default() += 1;
        }
    }
    for &opcode in Opcode::ALL.iter().filter(|o| ![Opcode::Perm, Opcode::Io].contains(o)) {
        assert!(kinds.get(opcode.name()).is_some_and(|n| *n > 5), "{opcode}: {kinds:?}");
    }
}
