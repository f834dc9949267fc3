// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a map: the place, what it is, and all of it.

use drra_recorded::map::MapFile;
use serde_json::{Value, json};

use super::{map, names, resolve};

/// All problems of a map that is wrong in one entry, with the place.
#[track_caller]
fn problems(map: &Value) -> Vec<String> {
    let names =
        names(&[("pc", 6), ("bit", 1), ("word", 15), ("text", 0), ("x.a.s", 6), ("x.b.s", 6)]);
    let problems = resolve(map, &names).expect_err("the map is wrong");
    assert!(problems.iter().all(|p| !p.what.remedy().is_empty()));
    problems.iter().map(ToString::to_string).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of examples")]
fn entries() {
    let good = json!({"register": "cell[r][c].seq.pc", "value": "pc"});
    let pend = |value: Value| json!({"register": "cell[0][0].seq.pend_pc", "value": value});
    for (entry, expected) in [
        (pend(json!("word")), "at `registers[1].value`: 6 bits are needed, the expression has 15"),
        (pend(json!("x.*.s")), "at `registers[1].value`: `x.*.s` is the path of several signals"),
        (pend(json!("text")), "at `registers[1].value`: `text` shows names, not bits"),
        (pend(json!("{pc}")), "at `registers[1].value`: `let` has no `pc`"),
        (pend(json!("pc{r}")), "the letter `r` stands for no index here; there are no letters"),
        (
            pend(json!("pc{1+}")),
            "`{1+}`: a number, an index letter or a table expected at `the end`",
        ),
        (pend(json!("pc{(1}")), "`{(1}`: `)` expected"),
        (pend(json!("pc{0-1}")), "`-1` has no value that counts from 0"),
        (pend(json!("pc{1/0}")), "`1 / 0` has no value"),
        (pend(json!("pc}")), "`pc}`: a brace without its partner"),
        (pend(json!("pc{swapped[2]}")), "the table `swapped` has no row `2`"),
        (pend(json!("pc{units[1]}")), "the table `units` has no row `1`"),
        (pend(json!("pc{nothing[0]}")), "`tables` has no `nothing`"),
        (pend(json!("6'b2")), "`6'b2` is no constant"),
        (pend(json!({"slice": "pc", "msb": 6, "lsb": 1})), "bits 6 to 1 of a value of 6 bits"),
        (pend(json!({"concat": []})), "at `registers[1].value.concat`: the list is empty"),
        (
            pend(json!({"if": "pc", "then": "pc", "else": "pc"})),
            "at `registers[1].value.if`: 1 bits are needed, the expression has 6",
        ),
        (
            pend(json!({"first_of": ["pc", "word}"]})),
            "at `registers[1].value.first_of[1]`: `word}`: a brace without its partner",
        ),
        (
            pend(json!({"enum": "text", "literals": ["a"], "values": [1, 2]})),
            "at `registers[1].value.values`: 1 literals and 2 values",
        ),
        (
            pend(json!({"translate": "bit", "values": {"1'b0": "6'd1", "1'b1": "5'd1"}})),
            "at `registers[1].value.values.1'b1`: 6 bits are needed, the expression has 5",
        ),
        (
            pend(json!({"translate": "bit", "values": {"1'b0": "6'd1", "1'd0": "6'd2"}})),
            "at `registers[1].value.values.1'd0`: the value `1'd0` stands twice",
        ),
        (
            pend(json!({"memory": {"enable": "bit", "address": "pc", "data": "word"}})),
            "at `registers[1].value.memory`: a memory is the value of all blocks of a tile",
        ),
        (
            json!({"register": "cell[0][0].seq.pd", "value": "pc"}),
            "at `registers[1].register`: `cell[0][0].seq.pd` is no register",
        ),
        (
            json!({"register": "cell[r][c].rf.addr_reg", "value": "pc"}),
            "is no register; like it are cell[r][c].rf.agu[{agu}].addr_reg",
        ),
        (
            json!({"register": "cell[0][7].seq.pend_pc", "value": "pc"}),
            "`cell[0][7].seq.pend_pc`: the fabric has no such index",
        ),
        (
            json!({"register": "cell[c][c].seq.pend_pc", "value": "pc"}),
            "the letter `c` stands for two indices",
        ),
        (json!({"register": "cell[0][0].seq.pend_pc"}), "either a `value` or a reason"),
        (
            json!({"register": "cell[0][0].seq.pend_pc", "value": "pc", "exclude": "no"}),
            "either a `value` or a reason",
        ),
        (
            json!({"register": "cell[r][c].seq.pc", "exclude": "no"}),
            "at `registers[1]`: `registers[0]` takes the same register and is equally specific \
             (cell[0][0].seq.pc and 3 more)",
        ),
        (
            json!({"register": "cell[0][0].seq.pend_pc", "value": "pc", "offset": 65}),
            "at `registers[1].offset`: an offset of 65 cycles",
        ),
        (
            json!({"register": "cell[0][0].seq.pend_pc", "value": "pc",
                "while_register": {"register": "cell[r][0].seq.state", "equals": 0}}),
            "the letter `r` stands for no index of the entry",
        ),
        (
            json!({"register": "cell[0][0].seq.pend_pc", "value": "pc",
                "while_register": {"register": "cell[0][0].seq.state", "equals": 4}}),
            "the value 4 does not fit 2 bits",
        ),
    ] {
        let found = problems(&map(json!([good, entry]), json!({})));
        assert_eq!(found.len(), 1, "{entry}: {found:?}");
        assert!(found[0].contains(expected), "{entry}: {}", found[0]);
    }
}

#[test]
fn the_rest_of_the_file() {
    let good = json!([{"register": "cell[r][c].seq.pc", "value": "pc"}]);
    for (more, expected) in [
        (json!({"let": {"a": "x"}}), "at `let.a`: `a` is no name"),
        (json!({"let": {"aa": []}}), "at `let.aa`: the list is empty"),
        (json!({"let": {"aa": "{bb}", "bb": "{aa}"}}), "needs itself"),
        (json!({"let": {"aa": "{bb}"}}), "at `let.aa`: `let` has no `bb`"),
        (
            json!({"fabric": {"columns": 8}}),
            "at `fabric`: the map is for 8 columns, the fabric has 2",
        ),
        (
            json!({"clock": {"signal": "top.clock", "edge": "rising"}}),
            "at `clock.signal`: the dump has no signal `top.clock`",
        ),
        (
            json!({"reset": {"signal": "pc", "active": "low"}}),
            "at `reset.signal`: 1 bits are needed, the expression has 6",
        ),
        (json!({"cycle_0": {"when": "no"}}), "at `cycle_0.when`: the dump has no signal `no`"),
        (json!({"ports": {"prog_valid": "pc"}}), "at `ports.prog_valid`: 1 bits are needed"),
        (json!({"outputs": {"done": "bit"}}), "at `outputs.done`: `done` is no output"),
        (json!({"flag_delay": "r-c"}), "at `flag_delay`: `-1` has no value"),
        (
            json!({"registers": [{"register": "cell[r][c].seq.pc", "value": "top.pc"}]}),
            "at `registers`: the map matches nothing",
        ),
    ] {
        let found = problems(&map(good.clone(), more.clone()));
        assert!(found.iter().any(|p| p.contains(expected)), "{more}: {found:?}");
    }
}

#[test]
fn all_problems_are_told() {
    let registers = json!([
        {"register": "cell[0][0].seq.pc", "value": {"concat": ["{aa}", "{bb}"]}},
        {"register": "cell[r][c].seq.state", "value": "word"}
    ]);
    let found = problems(&map(registers, json!({"reset": {"signal": "no", "active": "low"}})));
    let expected =
        ["reset.signal", "concat[0]", "concat[1]", "(cell[0][0].seq.state and 3 more)", "nothing"];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}: {expected}");
    }
}

#[test]
fn form() {
    let value =
        |value: Value| map(json!([{"register": "cell[r][c].seq.pc", "value": value}]), json!({}));
    for (map, expected) in [
        (value(json!({"bitt": "pc"})), "at `registers[0].value.bitt`: unknown field `bitt`"),
        (
            value(json!({"bit": "pc"})),
            "at `registers[0].value`: an expression is a text, or an object",
        ),
        (value(json!({"not": "a", "or": ["b"]})), "at `registers[0].value`: an expression is"),
        (
            value(json!(["pc"])),
            "at `registers[0].value`: invalid type: sequence, expected a text or",
        ),
        (value(json!({"concat": ["pc", 3]})), "at `registers[0].value.concat[1]`: invalid type"),
        (map(json!([]), json!({"version": 2})), "at `version`: version 2 is unknown"),
        (map(json!([]), json!({"ports": {"prog": "a"}})), "unknown variant `prog`"),
        (map(json!([]), json!({"let": {"aa": 3}})), "at `let.aa`: invalid type"),
        (
            map(json!([]), json!({"clock": {"signal": "a", "edge": "up"}})),
            "at `clock.edge`: unknown",
        ),
    ] {
        let error = MapFile::parse(&map.to_string()).expect_err("the form is wrong").to_string();
        assert!(error.contains(expected), "{error}: {expected}");
    }
}
