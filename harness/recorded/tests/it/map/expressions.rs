// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of expressions, compared bit by bit.

use drra_recorded::WaveformValue;

use super::{SignalTable, bits, names, registers::signals, resolved};

/// A value of a signal: bits, or text after `=`.
fn shown(text: &str) -> WaveformValue {
    match text.strip_prefix('=') {
        Some(text) => WaveformValue::Text(text.into()),
        None => WaveformValue::Bits(bits(text)),
    }
}

/// The value of an expression over `a`, `b` and `c`, which is padded below with zeros to the 15 bits of `wait_count`.
#[track_caller]
fn value(expression: &str, width: usize, a: &str, b: &str, c: &str) -> String {
    let signals = [("a", a), ("b", b), ("c", c)];
    let width_of = |text: &str| if text.starts_with('=') { 0 } else { text.len() as u32 };
    let names = names(&signals.map(|(name, value)| (name, width_of(value))));
    let mut shows = SignalTable::default();
    for (name, value) in signals.iter().filter(|(_, v)| !v.is_empty()) {
        shows.0.insert(names.find(name).unwrap(), shown(value));
    }
    let rest = 15 - width;
    let map = resolved(&format!("cell[0][0].seq.wait_count = ({expression}, {rest}'d0)"), &names);
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
    for (expression, a, b, c, expected) in [
        ("a", "1x01", "0", "0", "1x01"),
        ("\"a\"", "1x01", "0", "0", "1x01"),
        ("(4'b0110, a)[4:1]", "0", "0", "0", "0110"),
        ("(4'd{2*3}, a)[4:1]", "0", "0", "0", "0110"),
        ("a[3]", "1000", "0", "0", "1"),
        ("a[0]", "100x", "0", "0", "x"),
        ("a[1+2]", "1000", "0", "0", "1"),
        ("a[{1+2}]", "1000", "0", "0", "1"),
        ("a[2:1]", "0110", "0", "0", "11"),
        ("a[3 : 1][1]", "0100", "0", "0", "1"),
        ("(a, b)[2:1]", "01", "10", "0", "11"),
        ("narrow(a, 3)", "00101", "0", "0", "101"),
        ("narrow(a, 3)", "0010x", "0", "0", "10x"),
        ("narrow(a, 3)", "0x101", "0", "0", "xxx"),
        ("narrow(a, 2)", "11", "0", "0", "11"),
        ("(a, 2'b01, b)", "1", "0", "0", "1010"),
        ("a ? b : c", "1", "01", "10", "01"),
        ("a ? b : c", "0", "01", "10", "10"),
        ("a ? b : c", "x", "011", "01x", "01x"),
        ("a ? b : c", "x", "01", "11", "x1"),
        ("a ? b : b ? a : c", "0", "0", "1", "1"),
        ("~a", "10x", "0", "0", "01x"),
        ("a & b", "0011xx", "01010x", "0", "00010x"),
        ("a | b", "0011xxx", "010101x", "0", "0111x1x"),
        ("a | b & c", "1", "1", "0", "1"),
        ("(a | b) & c", "1", "1", "0", "0"),
        ("a == b", "10", "10", "0", "1"),
        ("a == b", "1x", "0x", "0", "0"),
        ("a == b", "1x", "10", "0", "x"),
        ("~a == b", "10", "01", "0", "1"),
        ("translate(a, 2'b11: 2'b00)", "11", "0", "0", "00"),
        ("translate(a, 2'b11: 2'b00)", "10", "0", "0", "10"),
        ("translate(a, 2'b11: 2'b00)", "1x", "0", "0", "xx"),
        ("translate(a, 4'b0100: 2'd2)", "0100", "0", "0", "10"),
        ("enum(a, idle, run, end)", "=RUN", "0", "0", "01"),
        ("enum(a, idle, \"'1'\", end)", "='1'", "0", "0", "01"),
        ("enum(a, idle, run, end)", "10", "0", "0", "10"),
        ("enum(a, idle: 4, run: 1)", "0", "0", "0", "100"),
        ("enum(a, idle: 3'd0, run: 3'd1)", "x", "0", "0", "xxx"),
        ("first(missing, b, a)", "0", "1", "0", "1"),
    ] {
        assert_eq!(value(expression, expected.len(), a, b, c), expected, "{expression}");
    }
}

#[test]
fn a_signal_without_a_value_yet_is_unknown() {
    let map = resolved("cell[0][0].seq.wait_count = a", &names(&[("a", 15)]));
    let value = map.registers[0].value.value(&SignalTable::default()).unwrap();
    assert_eq!(value, bits(&"x".repeat(15)));
}

#[test]
fn what_the_map_does_not_name_is_a_finding() {
    let states = "enum(a, idle, run)";
    assert_eq!(value(states, 1, "=stop", "0", "0"), "the map has no literal for `stop`");
    assert_eq!(value(states, 1, "10", "0", "0"), "the map has no literal for `0x2`");
    let one_hot = "translate(a, 3'b001: 2'd0, 3'b010: 2'd1)";
    assert_eq!(value(one_hot, 2, "110", "0", "0"), "the map does not translate 0x6");
    let narrow = "narrow(a, 3)";
    assert_eq!(value(narrow, 3, "1x101", "0", "0"), "0x1x does not fit in the 3 bits of the map");
}

#[test]
fn literals_of_the_dump_decide_about_its_numbers() {
    use drra_recorded::{SignalKind, SignalNames};
    let mut names: SignalNames = names(&[]);
    let literals = ["LAST", "first"].map(str::to_owned).to_vec();
    let id = names.add("a", SignalKind::Bits { width: 1 }, literals);
    let map = resolved("cell[0][0].seq.state = enum(a, first: 1, last: 2)", &names);
    let mut shows = SignalTable::default();
    shows.0.insert(id, shown("0"));
    assert_eq!(map.registers[0].value.value(&shows).unwrap(), bits("10"));
}

/// An index refers to an element if there is one, and otherwise to a bit.
#[test]
fn an_expression_names_its_signals() {
    let names = names(&[("a", 1), ("b", 2), ("c", 2), ("top.array[2]", 1), ("top.vector", 4)]);
    for (expression, paths) in [
        ("a ? b : enum(c, x, y, z)", &["a", "b", "c"][..]),
        ("(top.array[2], top.vector[2])", &["top.array[2]", "top.vector"]),
    ] {
        let map = resolved(&format!("cell[0][0].seq.state = {expression}"), &names);
        assert_eq!(signals(&map, &names), paths);
    }
}
