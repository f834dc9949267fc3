// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shipped map, and maps in JSON.

use drra_isa::Geometry;
use drra_recorded::{
    Names,
    map::{MapFile, SignalMap, convert},
};

use super::{names, resolve};

/// The map of the published fabric.
const PUBLISHED: &str = include_str!("../../../maps/silago-published.map");

/// Without any signal the shipped map has no other problem than that there are none.
#[test]
fn the_shipped_map_is_well_formed() {
    let file = MapFile::parse("published", PUBLISHED).unwrap();
    let error =
        SignalMap::resolve(&file, &Names::default(), &Geometry::default()).expect_err("no signals");
    let what: Vec<&str> = error.problems.iter().map(|p| p.what.as_str()).collect();
    assert_eq!(what.len(), 3, "clock, reset, registers: {error}");
    assert!(what[..2].iter().all(|w| w.starts_with("the waveform has no signal")), "{error}");
    assert!(what[2].starts_with("the map matches nothing"), "{error}");
}

/// Every form that a map in JSON can have, as text.
#[test]
fn json_is_converted() {
    let json = r#"{"version": 1, "comment": "a map", "fabric": {"columns": 2},
        "let": {"top": ["tb.", ""], "cell": "{top}r({r}).c[{1-c}]"},
        "tables": {"agus": {"w0": "first"}, "swapped": [1, 0]},
        "clock": {"signal": "{top}clk", "edge": "rising"}, "reset": {"signal": "rst n", "active": "low"},
        "cycle_0": {"when": {"equal": ["a", "1'b1"]}, "skip": 2},
        "ports": {"prog_valid": "a"}, "outputs": {"all_idle": {"not": {"and": ["a", "b"]}}}, "flag_delay": "r+c",
        "registers": [
            {"register": "cell[r][c].seq.pc", "value": {"slice": "{cell}.x[{r}]", "msb": "{5+r}", "lsb": 0}, "offset": -1,
                "from": "load_end", "while": "a", "while_register": {"register": "cell[r][c].seq.state", "not": 0}, "note": "n"},
            {"register": "cell[r][c].seq.state", "value": {"enum": "s", "literals": ["a", "'1'"], "width": 2}, "from": 7},
            {"register": "cell[0][c].seq.state", "value": {"enum": "s", "literals": ["a", "b"], "values": [2, 1]}},
            {"register": "cell[r][c].seq.pend_valid", "value": {"bit": {"concat": ["a", {"or": ["a", "b"]}]}, "index": "{c}"}},
            {"register": "cell[r][c].seq.load_count", "value": {"first_of": [{"narrow": "a", "width": 6}, "6'd{c}"]}},
            {"register": "cell[r][c].seq.imem_imm[a]", "value": {"if": "a", "then": {"not": "b"}, "else": "c"}},
            {"register": "cell[r][c].seq.cfg_port", "value": {"translate": "a", "values": {"2'b01": "1'b1"}}},
            {"register": "cell[r][c].dpu.bw_reg", "exclude": "no such register"},
            {"register": "tile[R][c].sram[a]", "value": {"memory":
                {"enable": "a", "address": "b", "data": "c", "initial": "unknown"}}}
        ]}"#;
    let text = "\
# a map
fabric columns: 2
let top = tb. | \"\"
let cell = {top}r({r}).c[{1-c}]
table agus = w0: first
table swapped = 1, 0
clock rising {top}clk
reset low \"rst n\"
cycle_0 when a == 1'b1 skip 2
port prog_valid = a
output all_idle = ~(a & b)
flag_delay = r+c

cell[r][c].seq.pc = {cell}.x[{r}][{5+r}:0] offset -1 from load_end while a while golden cell[r][c].seq.state != 0
    # n
cell[r][c].seq.state = enum(s, a: 2'd0, \"'1'\": 2'd1) from 7
cell[0][c].seq.state = enum(s, a: 2, b: 1)
cell[r][c].seq.pend_valid = (a, a | b)[{c}]
cell[r][c].seq.load_count = first(narrow(a, 6), 6'd{c})
cell[r][c].seq.imem_imm[a] = a ? ~b : c
cell[r][c].seq.cfg_port = translate(a, 2'b01: 1'b1)
cell[r][c].dpu.bw_reg excluded: no such register
tile[R][c].sram[a] = memory(enable: a, address: b, data: c, unknown)
";
    assert_eq!(convert(json).unwrap(), text);
    let short = r#"{"version": 1, "registers": [{"register": "cell[r][c].seq.state", "value":
        {"enum": "s", "literals": ["a", "b"], "values": [1]}}]}"#;
    assert_eq!(convert(short).unwrap_err(), "fewer values than literals");
    for other in ["{", "[]", r#"{"version": 2, "registers": []}"#] {
        assert!(convert(other).is_err(), "{other}");
    }
}

/// A map in JSON is refused with what converts it.
#[test]
fn json_is_refused_with_the_command() {
    let error = resolve("\n{\"version\": 1}", &names(&[])).unwrap_err().to_string();
    assert!(error.contains("drra map convert signals.map"), "{error}");
}
