// SPDX-License-Identifier: MIT OR Apache-2.0
//! The problems of a map: all of them are reported, with their places.

use drra_isa::Geometry;
use drra_recorded::map::MapFile;

use super::{HEAD, names, resolve};

/// All problems of a map: the text that each problem points at, and its description.
#[track_caller]
fn problems(map: &str) -> Vec<String> {
    let names =
        names(&[("pc", 6), ("bit", 1), ("word", 15), ("text", 0), ("x.a.s", 6), ("x.b.s", 6)]);
    let error = resolve(map, &names).expect_err("the map is wrong");
    assert!(error.problems.iter().all(|p| !p.help.is_empty()));
    let shown = error.to_string();
    assert!(shown.contains("signals.map:"), "{shown}");
    let text = |p: &drra_recorded::map::MapProblem| {
        format!("`{}`: {}", &error.text[p.span.clone()], p.title())
    };
    error.problems.iter().map(text).collect()
}

#[track_caller]
fn check(statement: &str, expected: &str) {
    let found = problems(&format!("{HEAD}cell[r][c].seq.pc = pc\n{statement}\n"));
    assert_eq!(found.len(), 1, "{statement}: {found:?}");
    assert!(found[0].contains(expected), "{statement}: {}", found[0]);
}

#[test]
fn values() {
    for (value, expected) in [
        ("word", "`word`: the expression has 15 bits, expected 6"),
        ("x.*.s", "`x.*.s`: `x.*.s` matches several signals"),
        ("text", "`text`: `text` shows names, not bits"),
        ("{pc}", "there is no `let pc`"),
        ("pc{r}", "the letter `r` is not an index here; no letters are defined"),
        ("pc{1+}", "`}`: expected a number, an index letter or a table"),
        ("pc{(1}", "`}`: expected `)`"),
        ("pc{0-1}", "`pc{0-1}`: `-1` is negative"),
        ("pc{1/0}", "`1 / 0` cannot be computed"),
        ("pc}", "`}`: expected the end of the line"),
        ("pc{swapped[2]}", "the table `swapped` has no row `2`; its rows are 0, 1"),
        ("pc{units[1]}", "the table `units` has no row `1`"),
        ("pc{nothing[0]}", "there is no table `nothing`"),
        ("6'b2", "`6'b2`: `6'b2` is not a constant"),
        ("4'd{8*2}", "the value 16 does not fit in 4 bits"),
        ("pc[6:1]", "bits 6 to 1 of a value of 6 bits"),
        ("pc[7]", "bit 7 of a value of 6 bits"),
        ("()", "`)`: expected a path, a constant or `(`"),
        ("pc ? pc : pc", "`pc`: the expression has 6 bits, expected 1"),
        ("first(pc, word})", "`})`: expected `)`"),
        ("first(pc, {no})", "`{no}`: there is no `let no`"),
        ("enum(text, a: 4'd1, b: 5'd2)", "the enumeration needs values of one width, 2 to 64 bits"),
        ("enum(text, a: 1'd1, b: 2)", "the enumeration needs values of one width, 2 to 64 bits"),
        ("enum(text, a, A)", "the literal `A` is defined twice"),
        ("translate(bit, 1'b0: 6'd1, 1'b1: 5'd1)", "`1'b1: 5'd1`: 5 bits, but others have 6"),
        ("translate(bit, 1'b0: 6'd1, 1'd0: 6'd2)", "`1'd0: 6'd2`: the value 0x0 is defined twice"),
        ("memory(enable: bit, address: pc, data: word)", "`memory` describes all blocks of a tile"),
        ("pc offset 65", "`offset 65`: the offset 65 is not between -64 and 64"),
        ("pc while golden cell[r][0].seq.state == 0", "the letter `r` is not an index of"),
        ("pc while golden cell[0][0].seq.state != 4", "the value 4 does not fit in 2 bits"),
        ("pc while", "expected a path, a constant or `(`"),
        ("pc pc", "`pc`: expected the end of the line"),
    ] {
        check(&format!("cell[0][0].seq.pend_pc = {value}"), expected);
    }
}

#[test]
fn entries() {
    for (entry, expected) in [
        ("cell[0][0].seq.pd = pc", "`cell[0][0].seq.pd`: `cell[0][0].seq.pd` is not a register"),
        (
            "cell[r][c].rf.addr_reg = pc",
            "is not a register; similar: cell[r][c].rf.agu[{agu}].addr_reg",
        ),
        ("cell[0][7].seq.pend_pc = pc", "`cell[0][7].seq.pend_pc`: the fabric has no such index"),
        ("cell[c][c].seq.pend_pc = pc", "the letter `c` is used for two indices"),
        ("cell[0][0].seq.pend_pc", "`=` and an expression, or `excluded:` and a reason"),
        ("cell[0][0].seq.pend_pc excluded:", "expected a reason"),
        (
            "cell[r][d].seq.pc excluded: no",
            "`cell[r][d].seq.pc`: `cell[r][c].seq.pc` matches the same register and is equally specific \
             (cell[0][0].seq.pc and 3 more)",
        ),
        ("cell[r][c].seq.pc = pc", "`cell[r][c].seq.pc `: `cell[r][c].seq.pc` is defined twice"),
    ] {
        check(entry, expected);
    }
}

#[test]
fn the_rest_of_the_file() {
    for (statement, expected) in [
        ("let a = x", "`a`: expected a name"),
        ("let aa =", "expected a path, a constant or `(`"),
        ("let cell = x", "`let cell` is defined twice"),
        ("fabric columns: 8", "the map is for 8 columns, but the fabric has 2"),
        ("fabric colums: 8", "there is no size `colums`, only columns, tile_rows"),
        ("cycle_0 when no", "`no`: the waveform has no signal `no`"),
        ("port prog_valid = pc", "`pc`: the expression has 6 bits, expected 1"),
        ("port prog = pc", "`prog`: `prog` is not an input port of the fabric"),
        ("output done = bit", "`done`: `done` is not an output"),
        ("output all_idle excluded:", "expected a reason"),
        (
            "output all_idle excluded: none\noutput all_idle = bit",
            "`output all_idle` is defined twice",
        ),
        ("flag_delay = r-c", "`r-c`: `-1` is negative"),
        ("clock up pc", "`up`: expected `rising` or `falling`"),
    ] {
        check(statement, expected);
    }
    let with = |from: &str, to: &str| {
        problems(&format!("{HEAD}cell[r][c].seq.pc = pc\n").replace(from, to))
    };
    for (from, to, expected) in [
        ("top.clk", "top.clock", "`top.clock`: the waveform has no signal `top.clock`"),
        ("low top.rst_n", "low pc", "`pc`: the expression has 6 bits, expected 1"),
        ("clock rising top.clk\n", "", "the map has no clock"),
        ("reset low top.rst_n\n", "", "cycle 0 is determined by the end of the reset"),
        ("seq.pc = pc", "seq.pc = top.pc", "the map matches nothing"),
        ("seq.pc = pc", "seq.pc excluded: why", "the map compares nothing"),
        ("seq.pc = pc", "seq.pc = {aa}\nlet aa = {bb}\nlet bb = {aa}", "refers to itself"),
    ] {
        let found = with(from, to);
        assert!(found.iter().any(|p| p.contains(expected)), "{to}: {found:?}");
    }
}

/// Syntax errors are reported for all statements, and entries that do not fit are all reported.
#[test]
fn all_problems_are_told() {
    let found = problems("let a = x\n  more\nclock up\ncell[r][c].seq.pc = pc[\n");
    assert_eq!(found.len(), 3, "{found:?}");
    let statements = "\
cell[0][0].seq.pc = ({aa}, {bb})
cell[r][c].seq.state = word
";
    let map = HEAD.replace("low top.rst_n", "low no") + statements;
    let found = problems(&map);
    let expected =
        ["no`: the waveform", "{aa}`", "{bb}`", "(cell[0][0].seq.state and 3 more)", "nothing"];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}: {expected}");
    }
}

/// A problem is shown with its line.
#[test]
fn a_problem_is_shown_in_its_line() {
    let error = resolve(
        "clock rising top.clk\nreset low top.clk\ncell[r][c].seq.pc = (pc, bit)\n",
        &names(&[("pc", 6), ("bit", 1)]),
    );
    let expected = "\
error: the expression has 7 bits, expected 6 (cell[0][0].seq.pc and 3 more)
 --> signals.map:3:21
  |
3 | cell[r][c].seq.pc = (pc, bit)
  |                     ^^^^^^^^^
  |
  = help: select bits with [msb:lsb], add bits with (1'b0, x), recode with translate";
    assert!(error.unwrap_err().to_string().starts_with(expected));
}

#[test]
fn the_size_that_a_map_is_for() {
    let usual = Geometry::default();
    let size = |text| MapFile::parse("signals.map", text).unwrap().size(usual).to_string();
    assert_eq!(size("fabric columns: 2, tile_rows: 1\n"), "2x1");
    assert_eq!(size("fabric rf_words: 32\n"), "8x2-rf32");
    // A fabric of this size does not exist.
    assert_eq!(size("fabric columns: 99\n"), "8x2");
}
