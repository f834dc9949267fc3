// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values, texts and programs as they are shown.

use drra_isa::CellId;
use drra_lockstep::Value;
use drra_report::{
    Colouring,
    data::{Disagreement, Reading},
    html::listing,
    program::{DecodeCycles, cell_programs},
    shown::{document, foreign, lines},
};
use drra_testkit::{Fault, FaultyDesign};

use crate::{planted::vec_add, report_of, setup};

#[test]
fn what_is_obeyed_is_shown() {
    for (text, ours, theirs) in [
        ("a plain line\n\tand: another\n", "a plain line\n\tand: another\n", None),
        (
            "\x1b[1mbold\x1b[0m \x1b[38;5;9mred\x1b[m",
            "\x1b[1mbold\x1b[0m \x1b[38;5;9mred\x1b[m",
            Some("␛[1mbold␛[0m ␛[38;5;9mred␛[m"),
        ),
        ("title \x1b]0;x\x07 clear \x1b[2J back\r", "title ␛]0;x␇ clear ␛[2J back␍", None),
        ("\x7f\x00\x1b[1 \u{9b}2J", "␡␀␛[1 \u{fffd}2J", None),
        ("Ä ␛ a::b", "Ä ␛ a::b", None),
        // Commands of CI systems.
        ("::error::a\n \t::stop-commands::b", "：:error::a\n \t：:stop-commands::b", None),
        ("\x1b[1m::error::a", "\x1b[1m：:error::a", Some("␛[1m::error::a")),
        (
            "a ##[error]b ##vso[c] ###teamcity[d] ## Heading",
            "a ＃#[error]b ＃#vso[c] #＃#teamcity[d] ## Heading",
            None,
        ),
    ] {
        assert_eq!(lines(text), ours);
        assert_eq!(foreign(text), theirs.unwrap_or(ours));
    }
}

#[test]
fn a_stored_text_is_a_line() {
    let mut value = serde_json::json!({"a": ["one\n::error::two", {"b": "\x1b[1m", "c": 3}]});
    document(&mut value);
    assert_eq!(value, serde_json::json!({"a": ["one␊::error::two", {"b": "␛[1m", "c": 3}]}));
}

/// Three or more cycles in equal steps become one item.
#[test]
fn cycles_are_joined() {
    let case = vec_add();
    for (decoded, expected) in [
        (&[][..], "-"),
        (&[4], "4"),
        (&[4, 5], "4, 5"),
        (&[4, 5, 6, 9], "4 to 6, 9"),
        (&[1, 4, 7, 10, 12], "1 to 10 every 3, 12"),
    ] {
        let decodes = DecodeCycles::from([((CellId::FIRST, 0), decoded.to_vec())]);
        let page = listing(&cell_programs(&case, &decodes)[0]).into_string();
        let (first, _) = page.split_once("</tr>").unwrap();
        let (first, _) = page[first.len() + 5..].split_once("</tr>").unwrap();
        assert!(first.ends_with(&format!("<td>{expected}</td>")), "{first}");
    }
}

/// A digit with an unknown bit loses its known bits, so all bits of the unknown digits are unknown here.
#[test]
fn unknown_digits_are_read_back() {
    let reading = Reading::number(Value::with_unknown(vec![0x1f2], vec![0x1f0], 9));
    let json = serde_json::to_string(&reading).unwrap();
    assert_eq!(json, r#"{"value":"0xxx2","width":9}"#);
    assert_eq!(serde_json::from_str::<Reading>(&json).unwrap(), reading);
}

#[test]
fn what_is_no_value_is_refused() {
    let read = |value: &str, width: u32| {
        let json = serde_json::json!({"value": value, "width": width});
        serde_json::from_value::<Reading>(json).map_err(|e| e.to_string())
    };
    for (text, width) in [("0x", 0), ("12", 8), ("0x4", 2), ("0x123", 8), ("0xg0", 8), ("0x+1", 8)]
    {
        let error = read(text, width).unwrap_err();
        assert!(error.starts_with(&format!("`{text}` is not a value")), "{error}");
    }
    assert_eq!(read("0x3", 2), Ok(Reading::number(Value::new([3], 2))));
}

/// In a table, a value is broken at spaces, and only if a word is too long, within it.
#[test]
fn lines_are_broken_at_spaces() {
    let lost = |word: u32| if word >> 20 == 0 { word } else { word ^ 1 };
    let design = FaultyDesign::new(setup().design, Fault::Word(lost));
    let mut report = report_of(&vec_add(), &design, "again");
    let Disagreement::State { differences, total } = &mut report.mismatch.what else { panic!() };
    let mut second = differences[0].clone();
    let reading =
        |decoded: &str| Reading { value: Value::new([0], 2), decoded: Some(decoded.to_owned()) };
    second.golden = reading("and a  few words more");
    second.rtl = reading("abcdefghijklmnopqrstuvwxyz kl");
    *differences = vec![differences[0].clone(), second];
    *total = 2;
    let text = report.text(Colouring::Plain);
    for lines in [
        "│ 0x0 and a  few words │ 0x0                    │",
        "│ more                 │ abcdefghijklmnopqrstuv │",
        "│                      │ wxyz kl                │",
    ] {
        assert!(text.contains(lines), "{text}");
    }
}
