// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes foreign text (names from files, signatures, output of a design) safe for a terminal or the log of a CI run.
//! Terminals and logs interpret control characters, and CI systems also interpret text that looks like a command
//! (`::error::` at the beginning of a line, `##[error]`, `##vso[..]` and `##teamcity[..]` anywhere). Such text is made
//! visible instead.

use serde_json::Value;

/// Makes lines of this program safe; line feeds, tabs and colours are passed through.
pub fn lines(text: &str) -> String {
    shown(text, true)
}

/// Makes foreign lines safe; line feeds and tabs are passed through.
pub fn foreign(text: &str) -> String {
    shown(text, false)
}

/// Makes text within a line of this program safe; no control character is passed through.
pub fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { picture(c) } else { c }).collect()
}

/// Applies [`line()`] to every text in a stored document.
pub fn document(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(char::is_control) => *text = line(text),
        Value::Array(values) => values.iter_mut().for_each(document),
        Value::Object(values) => values.values_mut().for_each(document),
        _ => {}
    }
}

fn shown(text: &str, colours: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // A command may follow blanks and colours at the beginning of a line.
    let mut begins = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let passed = if colours { colour(rest) } else { 0 };
        if passed > 0 {
            out.push_str(&rest[..passed]);
            rest = &rest[passed..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let commands = rest.strip_prefix('#').unwrap_or_default();
        out.push(match c {
            '\n' | '\t' => c,
            ':' if begins => '：',
            '#' if commands.starts_with(|c: char| c == '[' || c.is_ascii_alphabetic()) => '＃',
            c if c.is_control() => picture(c),
            c => c,
        });
        begins = c == '\n' || begins && c.is_whitespace();
    }
    out
}

/// The visible form of a control character: U+2400 to U+241F for 0x00 to 0x1F, and U+2421 for 0x7F. Other control
/// characters, which have no such form, become U+FFFD.
fn picture(control: char) -> char {
    match u32::from(control) {
        number @ 0..0x20 => char::from_u32(0x2400 + number).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

/// Length of the colour sequence (`ESC [ numbers m`) at the beginning of the text; 0 if there is none.
fn colour(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';');
    end.filter(|end| parameters[*end..].starts_with('m')).map_or(0, |end| end + 3)
}
