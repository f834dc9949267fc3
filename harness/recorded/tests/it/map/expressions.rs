// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of expressions, expected bit by bit.

use drra_recorded::Shown;
use serde_json::{Value, json};

use super::{Shows, bits, names, resolved};

/// A value of a signal: bits, or a text that begins with `=`.
fn shown(text: &str) -> Shown {
    match text.strip_prefix('=') {
        Some(text) => Shown::Text(text.into()),
        None => Shown::Bits(bits(text)),
    }
}

/// The value of an expression over `a`, `b` and `c`, put on top of zeros to the 15 bits of `wait_count`.
#[track_caller]
fn value(expression: Value, width: usize, a: &str, b: &str, c: &str) -> String {
    let signals = [("a", a), ("b", b), ("c", c)];
    let width_of = |text: &str| if text.starts_with('=') { 0 } else { text.len() as u32 };
    let names = names(&signals.map(|(name, value)| (name, width_of(value))));
    let mut shows = Shows::default();
    for (name, value) in signals.iter().filter(|(_, v)| !v.is_empty()) {
        shows.0.insert(names.find(name).unwrap(), shown(value));
    }
    let filled = json!({"concat": [expression, format!("{}'d0", 15 - width)]});
    let map = resolved(json!([{"register": "cell[0][0].seq.wait_count", "value": filled}]), &names);
    match map.registers[0].value.value(&shows) {
        Err(e) => e.to_string(),
        Ok(bits) => {
            assert_eq!(bits.width(), 15);
            let bit = |n| bits.bit(n).map_or('x', |bit| if bit { '1' } else { '0' });
            (15 - width as u32..15).rev().map(bit).collect()
        }
    }
}

#[test]
fn operations() {
    let index = |n: u32| json!({"bit": "a", "index": n});
    for (expression, a, b, c, expected) in [
        (json!("a"), "1x01", "0", "0", "1x01"),
        (json!("4'b0110"), "0", "0", "0", "0110"),
        (index(3), "1000", "0", "0", "1"),
        (index(0), "100x", "0", "0", "x"),
        (json!({"bit": "a", "index": "{1+2}"}), "1000", "0", "0", "1"),
        (json!({"slice": "a", "msb": 2, "lsb": 1}), "0110", "0", "0", "11"),
        (json!({"narrow": "a", "width": 3}), "00101", "0", "0", "101"),
        (json!({"narrow": "a", "width": 3}), "0010x", "0", "0", "10x"),
        (json!({"narrow": "a", "width": 3}), "0x101", "0", "0", "xxx"),
        (json!({"narrow": "a", "width": 2}), "11", "0", "0", "11"),
        (json!({"concat": ["a", "2'b01", "b"]}), "1", "0", "0", "1010"),
        (json!({"if": "a", "then": "b", "else": "c"}), "1", "01", "10", "01"),
        (json!({"if": "a", "then": "b", "else": "c"}), "0", "01", "10", "10"),
        (json!({"if": "a", "then": "b", "else": "c"}), "x", "011", "01x", "01x"),
        (json!({"if": "a", "then": "b", "else": "c"}), "x", "01", "11", "x1"),
        (json!({"not": "a"}), "10x", "0", "0", "01x"),
        (json!({"and": ["a", "b"]}), "0011xx", "01010x", "0", "00010x"),
        (json!({"or": ["a", "b"]}), "0011xxx", "010101x", "0", "0111x1x"),
        (json!({"equal": ["a", "b"]}), "10", "10", "0", "1"),
        (json!({"equal": ["a", "b"]}), "1x", "0x", "0", "0"),
        (json!({"equal": ["a", "b"]}), "1x", "10", "0", "x"),
        (json!({"translate": "a", "values": {"2'b11": "2'b00"}}), "11", "0", "0", "00"),
        (json!({"translate": "a", "values": {"2'b11": "2'b00"}}), "10", "0", "0", "10"),
        (json!({"translate": "a", "values": {"2'b11": "2'b00"}}), "1x", "0", "0", "xx"),
        (json!({"translate": "a", "values": {"4'b0100": "2'd2"}}), "0100", "0", "0", "10"),
        (json!({"enum": "a", "literals": ["idle", "run", "end"]}), "=RUN", "0", "0", "01"),
        (json!({"enum": "a", "literals": ["idle", "run", "end"]}), "10", "0", "0", "10"),
        (json!({"enum": "a", "literals": ["idle", "run"], "values": [4, 1]}), "0", "0", "0", "100"),
        (json!({"enum": "a", "literals": ["idle", "run"], "width": 3}), "x", "0", "0", "xxx"),
        (json!({"first_of": ["missing", "b", "a"]}), "0", "1", "0", "1"),
    ] {
        assert_eq!(value(expression.clone(), expected.len(), a, b, c), expected, "{expression}");
    }
}

#[test]
fn a_signal_without_a_value_yet_is_unknown() {
    let names = names(&[("a", 15)]);
    let map = resolved(json!([{"register": "cell[0][0].seq.wait_count", "value": "a"}]), &names);
    let value = map.registers[0].value.value(&Shows::default()).unwrap();
    assert_eq!(value, bits(&"x".repeat(15)));
}

#[test]
fn what_the_map_does_not_name_is_a_finding() {
    let states = json!({"enum": "a", "literals": ["idle", "run"]});
    assert_eq!(value(states.clone(), 1, "=stop", "0", "0"), "the map has no literal for `stop`");
    assert_eq!(value(states, 1, "10", "0", "0"), "the map has no literal for `0x2`");
    let one_hot = json!({"translate": "a", "values": {"3'b001": "2'd0", "3'b010": "2'd1"}});
    assert_eq!(value(one_hot, 2, "110", "0", "0"), "the map does not translate 0x6");
    let narrow = json!({"narrow": "a", "width": 3});
    assert_eq!(value(narrow, 3, "1x101", "0", "0"), "0x1x does not fit the 3 bits of the map");
}

#[test]
fn literals_of_the_dump_decide_about_its_numbers() {
    use drra_recorded::{Names, SignalKind};
    let mut names: Names = names(&[]);
    let literals = ["LAST", "first"].map(str::to_owned).to_vec();
    let id = names.add(&[], "a", SignalKind::Bits { width: 1 }, literals);
    let value = json!({"enum": "a", "literals": ["first", "last"], "values": [1, 2]});
    let map = resolved(json!([{"register": "cell[0][0].seq.state", "value": value}]), &names);
    let mut shows = Shows::default();
    shows.0.insert(id, shown("0"));
    assert_eq!(map.registers[0].value.value(&shows).unwrap(), bits("10"));
}

#[test]
fn an_expression_names_its_signals() {
    let names = names(&[("a", 1), ("b", 2), ("c", 2)]);
    let value = json!({"if": "a", "then": "b", "else": {"enum": "c", "literals": ["x", "y", "z"]}});
    let map = resolved(json!([{"register": "cell[0][0].seq.state", "value": value}]), &names);
    let mut signals = Vec::new();
    map.registers[0].value.signals(&mut signals);
    let paths: Vec<&str> = signals.iter().map(|id| names.signal(*id).path.as_str()).collect();
    assert_eq!(paths, ["a", "b", "c"]);
}
