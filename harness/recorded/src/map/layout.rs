// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lays JSON out for readers: what fits into a line stands in one.

use serde_json::Value;

/// Columns of a line.
const COLUMNS: usize = 180;
/// Columns that each level is moved in.
const INDENT: usize = 2;

/// Writes a value and the end of its last line. The value as a whole is never in one line.
pub(super) fn write(value: &Value, out: &mut String) {
    several(value, 0, out);
    out.push('\n');
}

/// Writes a value in one line if it fits behind what is in the line already.
fn fitted(value: &Value, indent: usize, out: &mut String) {
    let line = inline(value);
    let used = out.len() - out.rfind('\n').map_or(0, |end| end + 1);
    // A comma may follow.
    if used + line.chars().count() < COLUMNS {
        out.push_str(&line)
    } else {
        several(value, indent, out)
    }
}

/// Writes the members of a value in lines of their own.
fn several(value: &Value, indent: usize, out: &mut String) {
    let mut members = |open: char, close: char, list: Vec<(String, &Value)>| {
        out.push(open);
        for (i, (key, member)) in list.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            *out += &format!("{comma}\n{:1$}{key}", "", indent + INDENT);
            fitted(member, indent + INDENT, out);
        }
        *out += &format!("\n{:1$}{close}", "", indent);
    };
    match value {
        Value::Object(object) if !object.is_empty() => {
            let list = object.iter().map(|(key, v)| (format!("{}: ", text(key)), v));
            members('{', '}', list.collect());
        }
        Value::Array(list) if !list.is_empty() => {
            members('[', ']', list.iter().map(|v| (String::new(), v)).collect());
        }
        _ => out.push_str(&inline(value)),
    }
}

/// A value in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let all: Vec<_> =
                object.iter().map(|(key, v)| format!("{}: {}", text(key), inline(v))).collect();
            format!("{{{}}}", all.join(", "))
        }
        Value::Array(list) => {
            format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        _ => value.to_string(),
    }
}

/// A text with its quotes.
fn text(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn what_fits_is_in_a_line() {
        let long = "x".repeat(90);
        let value = json!({"a": [1, {"b": "c\"d"}], "e": [long, long], "f": {}});
        let mut out = String::new();
        super::write(&value, &mut out);
        let expected = format!(
            "{{\n  \"a\": [1, {{\"b\": \"c\\\"d\"}}],\n  \"e\": [\n    \"{long}\",\n    \"{long}\"\n  ],\n  \"f\": {{}}\n}}\n"
        );
        assert_eq!(out, expected);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), value);
    }
}
