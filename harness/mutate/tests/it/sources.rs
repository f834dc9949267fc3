// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading sources, the changes that the operators find, and writing sources with mutants.

use std::{collections::BTreeSet, fs, path::Path};

use drra_mutate::{
    DesignModules, MutantCandidate, Operator, candidates, guarded, order,
    record::{RegressionFault, waivers},
    schemata::{self, MutantEffect},
};
use drra_testkit::PROJECT;
use serde_json::Value;

use crate::{read, rtl};

const HEAD: &str = "module m (input logic clk_i, input logic rst_ni, input logic [3:0] a_i,\n  \
                    input logic [3:0] b_i, output logic [3:0] x_o);\n";

/// Changes of a module with some items, as `operator: before -> after`.
fn found(items: &str) -> Option<BTreeSet<String>> {
    let design = design(items)?;
    let all = candidates(&design).into_iter().map(|c| c.mutant);
    Some(all.map(|m| format!("{}: {} -> {}", m.operator.name(), m.before, m.after)).collect())
}

/// A design of a module with some items; `None` without slang.
fn design(items: &str) -> Option<DesignModules> {
    let text = format!("{HEAD}{items}\nendmodule\n");
    Some(read(&text)?.unwrap_or_else(|e| panic!("{e}")))
}

#[track_caller]
fn check(items: &str, expected: &[&str]) {
    let Some(found) = found(items) else { return };
    for text in expected {
        assert!(found.contains(*text), "{text} is not among {found:#?}");
    }
}

#[test]
fn operators_change_what_they_say() {
    check(
        "assign x_o = (a_i < b_i) ? a_i + 4'd1 : -b_i;",
        &[
            "relational: < -> <=",
            "relational: < -> >=",
            "arithmetic: + -> -",
            "arithmetic: -b_i -> b_i",
            "constant: 4'd1 -> 4'd2",
            "constant: 4'd1 -> 4'd0",
            "neighbour: a_i -> b_i",
            "stuck: (a_i < b_i) -> 1'b0",
            "arms: (a_i < b_i) ? a_i + 4'd1 : -b_i -> (((a_i < b_i)) ? (-b_i) : (a_i + 4'd1))",
        ],
    );
    check(
        "assign x_o = {a_i[3:2], b_i[1]} & ~a_i[2 +: 2];",
        &[
            "operands: {a_i[3:2], b_i[1]} -> {b_i[1], a_i[3:2]}",
            "slice: 3:2 -> 4:3",
            "slice: 3:2 -> 2:1",
            "slice: 1 -> 0",
            "slice: 2 -> 3",
            "bitwise: ~a_i[2 +: 2] -> a_i[2 +: 2]",
        ],
    );
    let register = "logic [3:0] r_q;\nalways_ff @(posedge clk_i or negedge rst_ni) begin\n\
                    if (!rst_ni) r_q <= '0;\nelse if (a_i[0] && b_i[0]) r_q <= a_i;\nend\nassign x_o = r_q;";
    check(
        register,
        &[
            "reset: r_q <= '0; -> ;",
            "reset: '0 -> '1",
            "enable: a_i[0] && b_i[0] -> 1'b1",
            "enable: a_i[0] && b_i[0] -> !(a_i[0] && b_i[0])",
            "enable: r_q <= a_i; -> ;",
            "logical: a_i[0] && b_i[0] -> ((a_i[0]) || (b_i[0]))",
        ],
    );
    let found = found(register).unwrap_or_default();
    assert!(!found.iter().any(|f| f.contains("!rst_ni ->")), "the reset itself stays");
    check(
        "always_comb begin\nx_o = '0;\nif (a_i inside {4'd1, 4'd3}) x_o = b_i;\n\
         unique case (b_i)\n4'd2, 4'd5: x_o = a_i;\ndefault: x_o = b_i;\nendcase\nend",
        &[
            "dropped: x_o = b_i; -> ;",
            "relational: a_i inside {4'd1, 4'd3} -> (a_i inside {4'd3})",
            "negated: a_i inside {4'd1, 4'd3} -> !(a_i inside {4'd1, 4'd3})",
            "case: 4'd2, -> ",
            "case: , 4'd5 -> ",
        ],
    );
}

#[test]
fn neighbours_close_no_loop() {
    let items = "logic [3:0] p, q;\nassign p = a_i;\nassign q = p;\nassign x_o = q;";
    let Some(found) = found(items) else { return };
    assert!(!found.contains("neighbour: a_i -> p"), "p would be computed from itself: {found:#?}");
    // A mutant must not make an output of the module depend on another input, because there may be a loop outside.
    assert!(!found.contains("neighbour: a_i -> b_i"), "{found:#?}");
}

#[test]
fn the_rtl_has_mutants_of_every_kind() {
    let Some(design) = rtl() else { return };
    let all = candidates(&design);
    let blocks: BTreeSet<&str> = all.iter().map(|c| c.mutant.block.as_str()).collect();
    assert_eq!(blocks.len(), design.modules().count(), "every module");
    let operators: BTreeSet<Operator> = all.iter().map(|c| c.mutant.operator).collect();
    let schema: Value = serde_json::from_str(include_str!("../../summary.schema.json")).unwrap();
    let known = schema["definitions"]["Operator"]["oneOf"].as_array().unwrap();
    // All but that of patches.
    assert!(!operators.contains(&Operator::Published));
    assert_eq!(operators.len() + 1, known.len(), "{operators:?}");
    let first: Vec<usize> = order(&all, 7).into_iter().take(600).collect();
    assert_eq!(first, order(&all, 7)[..600], "the seed decides");
    let pairs = |places: &[usize]| -> BTreeSet<(&str, Operator)> {
        let of = |place: &usize| (all[*place].mutant.block.as_str(), all[*place].mutant.operator);
        places.iter().map(of).collect()
    };
    assert_eq!(
        pairs(&first),
        pairs(&order(&all, 8)),
        "the first ones include every pair of block and operator"
    );
    let few: BTreeSet<&str> =
        order(&all, 7)[..60].iter().map(|place| all[*place].mutant.block.as_str()).collect();
    assert!(few.len() > blocks.len() / 2, "60 mutants are of many blocks: {few:?}");
}

/// Bytes, lines and text of a change match the file.
#[test]
fn a_change_names_its_place() {
    let Some(design) = rtl() else { return };
    for m in candidates(&design).into_iter().map(|c| c.mutant) {
        let text = design.text(&m.file);
        let line = text.lines().nth(m.line as usize - 1).unwrap();
        let first = m.before.split(' ').next().unwrap();
        assert!(line[m.column as usize - 1..].starts_with(first), "{m:?}");
        assert_ne!(m.apply(text), text);
    }
}

/// Members of a structure have the type that slang reports for them: widths are compared, regardless of how they are
/// written.
#[test]
fn a_member_is_replaced_by_one_of_the_same_width() {
    let items = "localparam int W = 4;\ntypedef struct packed {logic [3:0] a; logic b; logic [W-1:0] c;} t;\n\
                 t s;\nassign s = '0;\nassign x_o = s.a;";
    check(items, &["neighbour: a -> c"]);
    let all = found(items).unwrap_or_default();
    assert!(!all.contains("neighbour: a -> b"), "{all:#?}");
}

fn written(design: &DesignModules, mutants: &[MutantCandidate]) -> String {
    let mut files = schemata::sources(design, mutants, MutantEffect::Behave);
    // Line breaks and spaces do not matter.
    files.remove(0).1.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn only(design: &DesignModules, operator: Operator) -> Vec<MutantCandidate> {
    candidates(design).into_iter().filter(|c| c.mutant.operator == operator).collect()
}

/// The original statement stays unchanged, outside every expression with a mutant: its sign and width cannot change
/// (IEEE 1800-2017, 11.8.1).
#[test]
fn statements_are_chosen_as_a_whole() {
    let Some(design) = design("assign x_o = $signed(a_i) >>> 1;") else { return };
    let arithmetic = only(&design, Operator::Arithmetic);
    assert_eq!(arithmetic.len(), 3, "two other shifts, no sign");
    let written = written(&design, &arithmetic);
    let expected = "always_comb begin if (drra_mutant_pkg::slot - 32'd1 < 32'd3) case (drra_mutant_pkg::slot) \
                    /*mutant 1*/ 32'd1: x_o = $signed(a_i) >> 1; \
                    /*mutant 2*/ 32'd2: x_o = $signed(a_i) << 1; \
                    /*mutant 3*/ 32'd3: x_o = (a_i) >>> 1; \
                    default: ; endcase else x_o = $signed(a_i) >>> 1; end endmodule";
    assert!(written.ends_with(expected), "{written}");
}

/// A default that ends in `if` without `else` must not take the `else` of the choice.
#[test]
fn a_default_keeps_its_if() {
    let items = "always_comb begin\nx_o = '0;\nunique case (b_i)\n4'd2: if (a_i[0]) x_o = a_i;\n\
                 default: if (a_i[1]) x_o = b_i;\nendcase\nend";
    let Some(design) = design(items) else { return };
    let written = written(&design, &only(&design, Operator::Case));
    let expected = "4'd2: begin /*mutant 1*/ if (drra_mutant_pkg::slot == 32'd1 && (b_i) == (4'd2)) \
                    begin if (a_i[1]) x_o = b_i; end else if (a_i[0]) x_o = a_i; end default:";
    assert!(written.contains(expected), "{written}");
}

#[test]
fn messages_are_told_by_their_line() {
    assert_eq!(schemata::slot_on("/*mutant 12*/ 32'd12: x = y;"), Some(12));
    assert_eq!(schemata::slot_on("x = y; /*mutant 12*/"), None);
}

/// Every fault has its case and applies to the present RTL. Cases that users have added have no fault.
#[test]
fn every_fault_has_its_case() {
    let folder = Path::new(PROJECT).join("tests/regressions");
    let text = fs::read_to_string(folder.join("faults.json")).unwrap();
    let faults: Vec<RegressionFault> = serde_json::from_str(&text).unwrap();
    let Some(design) = rtl() else { return };
    for f in &faults {
        assert!(folder.join(&f.case).is_file(), "{} does not exist", f.case);
        let planted = design.planted(&f.file, &f.old, &f.new, f.operator);
        assert!(
            planted.is_some(),
            "{}: {:?} does not occur exactly once in {}",
            f.case,
            f.old,
            f.file
        );
    }
}

#[test]
fn what_is_not_understood_is_told_with_its_place() {
    for (items, place) in [
        ("assign x_o = a_i +;", "m.sv:3:19: error: expected expression"),
        ("assign x_o = y;", "m.sv:3:14: error: use of undeclared identifier 'y'"),
        ("always_comb repeat (2) x_o = a_i;", "m.sv:3:13: error: LoopStatement has no mutants"),
    ] {
        let Some(read) = read(&format!("{HEAD}{items}\nendmodule\n")) else { return };
        let error = read.unwrap_err().to_string();
        assert!(error.contains(place), "{error}");
    }
}

/// A waiver applies to a mutant of the present RTL.
#[test]
fn every_waiver_is_about_a_mutant() {
    let Some(design) = rtl() else { return };
    let all = candidates(&design);
    for w in waivers(&Path::new(PROJECT).join("rtl")).unwrap() {
        let text = design.text(&w.file);
        let line = |number: u32| text.lines().nth(number as usize - 1).unwrap_or_default();
        let of_file = all.iter().map(|c| &c.mutant).filter(|m| m.file == w.file);
        let mut about = of_file.filter(|m| m.before == w.before && m.after == w.after);
        assert!(about.any(|m| line(m.line).trim() == w.code), "{w:?}");
    }
}

/// A register with two parts, a counter, and one-bit signals.
const GUARDED: &str = "typedef struct packed {logic [2:0] a; logic [11:0] b;} pair_t;\n\
    pair_t pair_q; logic [3:0] count_q, later; logic on, off_q, done;\n\
    assign on = count_q[0];\nassign done = count_q == pair_q.a + 4'd1;\nassign later = x_o;\n\
    always_ff @(posedge clk_i or negedge rst_ni) begin\nif (!rst_ni) begin\npair_q <= '0; count_q <= '0; off_q <= '0;\n\
    end else begin\ncount_q <= count_q + 4'd1;\nif (done) pair_q.b <= {a_i, b_i, a_i};\noff_q <= on;\nend\nend\n\
    always_comb begin\nx_o = a_i & b_i;\nif (a_i[0]) x_o = ~b_i;\ncase (a_i)\n4'd3: if (on) x_o = b_i;\n\
    default: if (on) x_o = a_i;\nendcase\nend\n\
    logic [3:0] behind_q;\nalways_ff @(posedge clk_i) behind_q <= a_i;";

/// Some mutants with guards, of many seeds.
fn guards(items: &str) -> Option<(DesignModules, Vec<MutantCandidate>)> {
    let design = design(items)?;
    let all = candidates(&design);
    let drawn = (0..30).flat_map(|seed| guarded(&design, &all, &[], seed, 100)).collect();
    Some((design, drawn))
}

fn when(candidate: &MutantCandidate) -> &str {
    &candidate.mutant.guard.as_ref().unwrap().when
}

#[test]
fn guards_are_of_every_kind_and_read_what_the_statement_does_not() {
    let Some((_, drawn)) = guards(GUARDED) else { return };
    let of = |before: &str| -> BTreeSet<&str> {
        drawn.iter().filter(|c| c.mutant.before == before).map(when).collect()
    };
    let inverter = of("~b_i");
    for expected in ["on && off_q", "count_q == pair_q.a + 4'd1"] {
        assert!(inverter.contains(expected), "{expected} is not among {inverter:#?}");
    }
    // The largest value of a counter, and some bits of a wide register.
    let slice = |w: &str| w.starts_with("pair_q.b[") && w.contains(" +: 6] == 6'd");
    assert!(drawn.iter().any(|c| when(c) == "count_q == 4'd15"));
    assert!(drawn.iter().any(|c| slice(when(c))));
    // Declared behind all other statements; Yosys does not accept its use there.
    assert!(!drawn.iter().any(|c| when(c).contains("behind_q")));
    // The outputs of the process, and what is computed from them, would close a loop.
    assert!(!inverter.iter().any(|w| w.contains("later") || w.contains("x_o")), "{inverter:#?}");
    // The largest value of the counter.
    assert!(drawn.iter().any(|c| when(c) == "count_q == 4'd15"));
    let clocked = of("off_q <= on;");
    assert!(!clocked.iter().any(|w| w.contains("on ") || w.contains("off_q")), "{clocked:#?}");
    // Of a structure, only the member that the statement accesses is left out.
    let member = of("pair_q.b <= {a_i, b_i, a_i};");
    assert!(member.iter().any(|w| w.starts_with("pair_q.a ==")), "{member:#?}");
    assert!(!member.iter().any(|w| w.starts_with("pair_q.b")), "{member:#?}");
    assert!(!drawn.iter().any(|c| c.mutant.operator == Operator::Reset));
}

/// Signals of the top may be narrower in a smaller fabric.
#[test]
fn a_top_with_parameters_has_no_guards() {
    let text = HEAD.replace("module m (", "module m #(parameter int W = 4) (");
    let Some(design) = read(&format!("{text}assign x_o = ~a_i;\nendmodule\n")) else { return };
    let design = design.unwrap();
    assert!(guarded(&design, &candidates(&design), &[], 1, 9).is_empty());
}

/// The model selects the mutant only while the guard holds; so does the text that is proved, which slang can read.
#[test]
fn a_guard_is_around_the_whole_statement() {
    let Some((design, drawn)) = guards(GUARDED) else { return };
    let check = |operator: Operator, before: &str, model: &str, file: &str| {
        let found =
            drawn.iter().find(|c| c.mutant.operator == operator && c.mutant.before == before);
        let found = found.unwrap_or_else(|| panic!("{before}"));
        let fill = |text: &str| text.replace("GUARD", when(found));
        let model_text = written(&design, std::slice::from_ref(found));
        assert!(model_text.contains(&fill(model)), "{model_text}");
        let text = found.mutant.apply(design.text("m.sv"));
        assert!(text.contains(&fill(file)), "{text}");
        read(&text).unwrap().unwrap_or_else(|e| panic!("{e}"));
    };
    check(
        Operator::Enable,
        "off_q <= on;",
        "32'd1: if (GUARD) ; else off_q <= on; default",
        "begin if (GUARD) ; else off_q <= on; end",
    );
    check(
        Operator::Relational,
        "==",
        "32'd1: if (GUARD) done = count_q != pair_q.a + 4'd1; else done = count_q == pair_q.a + 4'd1; default",
        "always_comb begin if (GUARD) done = count_q != pair_q.a + 4'd1; else done = count_q == pair_q.a + 4'd1; end",
    );
    check(
        Operator::Stuck,
        "a_i[0]",
        "slot == 32'd1 ? ((GUARD) ? !!(1'b1) : !!(a_i[0])) :",
        "if ((GUARD) ? !(!(1'b1)) : !(!(a_i[0]))) x_o",
    );
    check(
        Operator::Case,
        "4'd3: if (on) x_o = b_i;",
        "slot == 32'd1 && (a_i) == (4'd3) && (GUARD)) begin if (on) x_o = a_i; end else if (on) x_o = b_i; end",
        "begin if ((GUARD) && (a_i) == (4'd3)) begin if (on) x_o = a_i; end else if (on) x_o = b_i; end",
    );
}

/// The committed list of mutants on which progress is measured.
#[test]
fn the_guarded_draw_is_the_committed_one() {
    let Some(design) = rtl() else { return };
    let waived = waivers(&Path::new(PROJECT).join("rtl")).unwrap();
    let mut text = String::new();
    for m in guarded(&design, &candidates(&design), &waived, 1, 600).into_iter().map(|c| c.mutant) {
        let (name, when) = (m.operator.name(), m.guard.unwrap().when);
        text += &format!(
            "{}:{} {name}: `{}` -> `{}` when `{when}`\n",
            m.file, m.line, m.before, m.after
        );
    }
    let path = Path::new(PROJECT).join("tests/mutation/guarded.txt");
    if std::env::var_os("DRRA_UPDATE_DRAW").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let remedy = "DRRA_UPDATE_DRAW=1 cargo test --release -p drra-mutate the_guarded_draw";
    assert!(fs::read_to_string(&path).unwrap() == text, "{} is stale: {remedy}", path.display());
}
