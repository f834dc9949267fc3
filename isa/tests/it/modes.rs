// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the table of DPU modes against the tables of chapter 4.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use drra_isa::{ModeInfo, Operand, OperandSet, Revision, Saturation, instructions::DpuMode};

const CHAPTER: &str = include_str!("../../spec/04-dpu.md");

/// Text from a heading to the next heading of the same depth.
fn section(heading: &str) -> &'static str {
    let start = CHAPTER.find(&format!("\n{heading}")).expect(heading) + 1;
    let text = &CHAPTER[start + heading.len()..];
    let depth = heading.split_once(' ').unwrap().0;
    &text[..text.find(&format!("\n{depth} ")).unwrap_or(text.len())]
}

/// Cells of the rows of the table under a heading, without the header and separator rows.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let lines = section(heading).lines().filter(|l| l.starts_with('|'));
    let cells = |l: &'static str| l.split('|').skip(1).map(str::trim).collect();
    lines.skip(2).map(cells).collect()
}

/// The chapter without line breaks, which may be anywhere between two words.
static WORDS: LazyLock<String> = LazyLock::new(|| CHAPTER.replace('\n', " "));

/// The mode names in the first pair of backquotes after some words.
fn list(after: &str) -> BTreeSet<&'static str> {
    let start = WORDS.find(after).expect(after) + after.len();
    let text = WORDS[start..].split('`').nth(1).unwrap();
    text.split_whitespace().collect()
}

/// Inputs, constants and accumulators used by one channel in a row of section 6.
fn operands(op: &str, x: &str, y: &str, addend: &str) -> OperandSet {
    if op == "-" || op == "IDLE" {
        return OperandSet::default();
    }
    let mut found = Vec::new();
    for text in [x, y, addend] {
        found.extend(match text {
            "x0" | "r0" => Some(Operand::In0),
            "x1" | "r1" | "n1" => Some(Operand::In1),
            "x2" | "r2" => Some(Operand::In2),
            "x3" | "r3" | "n3" => Some(Operand::In3),
            "ir0" => Some(Operand::Ir0),
            "ir1" => Some(Operand::Ir1),
            "C" => Some(Operand::Const),
            "sm_reg (32 bits)" => Some(Operand::SmReg),
            "F0" | "F1" => Some(Operand::Acc),
            "" | "0" | "none" => None,
            other => panic!("operand {other}"),
        });
    }
    // 5.3: operands that the operation itself adds.
    if op == "ACC" || op == "MAC" && addend.is_empty() {
        found.push(Operand::Acc);
    }
    found.into_iter().collect()
}

/// Modes by name, as sections 4.3, 5.5, 6, 7 and 11 describe them.
fn chapter() -> BTreeMap<&'static str, ModeInfo> {
    let lanes = list("*lane modes* support W8/W4: ");
    let counting = section("### 5.5").split("mode_reg in {").nth(1).unwrap();
    let counting: BTreeSet<&str> = counting.split('}').next().unwrap().split(", ").collect();
    assert!(lanes.contains("mac_inter") && counting.contains("mac_inter"));

    let mut modes = BTreeMap::new();
    for row in rows("## 6 ") {
        let [_, name, op0, x0, y0, op1, x1, y1, addend, out0, out1, ..] = row[..] else {
            panic!("{row:?}")
        };
        let (a0, a1) = addend.split_once(" / ").unwrap_or((addend, addend));
        let shown = |out: &str, other_op: &str| {
            // The accumulator of an idle channel is 0.
            out != "0" && !(out == "F1" && other_op == "-")
        };
        modes.insert(
            name,
            ModeInfo {
                operands: [operands(op0, x0, y0, a0), operands(op1, x1, y1, a1)],
                outputs: [shown(out0, op0), shown(out1, op1)],
                lanes: lanes.contains(name),
                counts: counting.contains(name),
                squash: ["SIGM", "TANH", "EXP"].contains(&op0),
                divider: ["DIV", "EXP"].contains(&op0),
                scaler: out0 == "pack_reg",
                compares: ["MAX", "MIN"].contains(&op0),
                ..ModeInfo::IDLE
            },
        );
    }
    for row in rows("## 7 ") {
        let [names, function, latency, _, saturation, ..] = row[..] else { panic!("{row:?}") };
        for name in names.split(", ") {
            let mode = modes.get_mut(name).unwrap_or_else(|| panic!("mode {name}"));
            mode.latency = match latency.trim_matches('*') {
                "-" => None,
                text => Some(text.split(' ').next().unwrap().parse().unwrap()),
            };
            mode.saturates = !["-", "built in", "truncation only", "exact"].contains(&saturation);
            // Loads of the internal registers have no operation in section 6.
            if let Some(loaded) = function.strip_prefix("ir0 = in0, ir1 = in2") {
                assert!(loaded.starts_with("; outputs 0"));
                mode.operands = [OperandSet::of(&[Operand::In0]), OperandSet::of(&[Operand::In2])];
            }
        }
    }
    // Section 11: "operand is the raw in0, its factor is f = sx(cur_const, 8)".
    let scaler = "operand is the **raw** in0, its factor is `f` = sx(cur_const, 8)";
    assert!(section("## 11 ").replace('\n', " ").contains(scaler));
    for mode in modes.values_mut().filter(|m| m.scaler) {
        mode.operands[0] = OperandSet::of(&[Operand::In0, Operand::Const]);
    }
    modes
}

#[test]
fn the_table_says_what_chapter_4_says() {
    let chapter = chapter();
    assert_eq!(chapter.len(), DpuMode::ALL.len());
    for mode in DpuMode::ALL {
        assert_eq!(*mode.info(), chapter[mode.name()], "{mode}");
    }
    for row in rows("## 6 ") {
        let mode = DpuMode::from_name(row[1]).unwrap();
        assert_eq!(row[0], mode.code().to_string(), "{mode}");
    }
}

#[test]
fn a_description_may_have_the_table_or_not() {
    for revision in Revision::ALL {
        let dpu = revision.isa().by_name("DPU").unwrap();
        let expected = if revision == Revision::R4 { DpuMode::ALL.len() } else { 0 };
        assert_eq!(dpu.modes.len(), expected, "{}", revision.name());
        for mode in DpuMode::ALL {
            let entry = dpu.modes.iter().find(|entry| entry.name == mode.name());
            assert_eq!(
                entry.map(|entry| &entry.info),
                (expected > 0).then(|| mode.info()),
                "{mode}"
            );
        }
    }
}

/// Section 6, rows lk_relu, relu, acc_softmax, mult_add, ld_acc; section 7, column "sat".
#[test]
fn derived_properties() {
    let output = |mode: DpuMode, k: usize| -> Vec<Operand> {
        mode.info().operands_of_output(k).iter().collect()
    };
    assert_eq!(output(DpuMode::LkRelu, 0), [Operand::In0, Operand::Const]);
    assert_eq!(output(DpuMode::LkRelu, 1), []);
    assert_eq!(output(DpuMode::Relu, 1), [Operand::In2]);
    assert_eq!(output(DpuMode::AccSoftmax, 1), [Operand::In0, Operand::Acc]);
    assert_eq!(output(DpuMode::LdAcc, 0), []);
    let inputs: Vec<usize> = DpuMode::MultAdd.info().operands_of_output(0).inputs().collect();
    assert_eq!(inputs, [0, 1, 2]);
    assert_eq!(DpuMode::Subt.info().saturation(), Saturation::Lane);
    assert_eq!(DpuMode::ShiftL.info().saturation(), Saturation::Word);
    assert_eq!(DpuMode::LdIr.info().saturation(), Saturation::None);
}

/// Section 7: modes without effect, and the column "accumulators".
#[test]
fn modes_that_are_idle_and_that_accumulate() {
    let of = |wanted: fn(&ModeInfo) -> bool| -> BTreeSet<&str> {
        DpuMode::ALL.iter().filter(|m| wanted(m.info())).map(|m| m.name()).collect()
    };
    let (mut idle, mut accumulating) = (BTreeSet::new(), BTreeSet::new());
    for row in rows("## 7 ") {
        let [names, function, _, accumulators, ..] = row[..] else { panic!("{row:?}") };
        if function == "outputs 0" {
            idle.extend(names.split(", "));
        }
        if accumulators.contains("accumulate") || accumulators.starts_with("running") {
            accumulating.extend(names.split(", "));
        }
    }
    assert!(idle.contains("idle") && accumulating.contains("max_min_acc"));
    assert_eq!(of(ModeInfo::is_idle), idle);
    assert_eq!(of(ModeInfo::accumulates), accumulating);
}
