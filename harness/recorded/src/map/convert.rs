// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps in JSON, as earlier releases had them, as text. The next release drops this.

use serde_json::{Map, Value};

use super::{MapError, MapFile, quoted};

/// The text of a map in JSON.
///
/// # Errors
/// A text of what is not a map of version 1.
pub fn convert(json: &str) -> Result<String, String> {
    let map: Value = serde_json::from_str(json).map_err(|e| e.to_string())?;
    if map["version"] != 1 || !map["registers"].is_array() {
        return Err("not a signal map of version 1".to_owned());
    }
    let mut out = String::new();
    let mut line = |text: String| out += &format!("{text}\n");
    for key in ["comment", "simulator"] {
        map[key].as_str().into_iter().for_each(|text| line(format!("# {}", one_line(text))));
    }
    if let Some(size) = map["fabric"].as_object() {
        let pairs: Vec<String> = size.iter().map(|(name, n)| format!("{name}: {n}")).collect();
        line(format!("fabric {}", pairs.join(", ")));
    }
    for (name, prefix) in members(&map["let"]) {
        let all = list(prefix, |path| Ok(quoted(text(path)?)))?;
        line(format!("let {name} = {}", all.join(" | ")));
    }
    for (name, table) in members(&map["tables"]) {
        let row = |value: &Value| value.as_str().map_or(value.to_string(), word);
        let rows: Vec<String> = match table {
            Value::Array(rows) => rows.iter().map(row).collect(),
            _ => members(table).map(|(key, v)| format!("{}: {}", word(key), row(v))).collect(),
        };
        line(format!("table {name} = {}", rows.join(", ")));
    }
    for (key, of) in [("clock", "edge"), ("reset", "active")] {
        if let (Some(how), Some(path)) = (map[key][of].as_str(), map[key]["signal"].as_str()) {
            line(format!("{key} {how} {}", quoted(path)));
        }
    }
    if let Some(start) = map["cycle_0"].as_object() {
        let when = start.get("when").map(|when| Ok(format!(" when {}", term(when)?)));
        let when = when.transpose().map_err(|e: String| e)?.unwrap_or_default();
        let skip = start.get("skip").map_or_else(String::new, |skip| format!(" skip {skip}"));
        line(format!("cycle_0{when}{skip}"));
    }
    for (key, word) in [("ports", "port"), ("outputs", "output")] {
        for (name, value) in members(&map[key]) {
            line(format!("{word} {name} = {}", term(value)?));
        }
    }
    if !map["flag_delay"].is_null() {
        line(format!("flag_delay = {}", sum(&map["flag_delay"])));
    }
    line(String::new());
    for entry in map["registers"].as_array().into_iter().flatten() {
        line(self::entry(entry)?);
    }
    MapFile::parse("the converted map", &out).map_err(|e: MapError| e.to_string())?;
    Ok(out)
}

fn members(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("a text expected: {value}"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" #", " ")
}

fn word(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

/// Arithmetic without the braces around it.
fn sum(value: &Value) -> String {
    let text = value.as_str().map_or(value.to_string(), str::to_owned);
    let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inside.unwrap_or(&text).to_owned()
}

fn list<T>(value: &Value, each: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    match value {
        Value::Array(list) => list.iter().map(each).collect(),
        one => Ok(vec![each(one)?]),
    }
}

fn entry(entry: &Value) -> Result<String, String> {
    let mut line = text(&entry["register"])?.to_owned();
    match entry["exclude"].as_str() {
        Some(reason) => line += &format!(" excluded: {}", one_line(reason)),
        None => line += &format!(" = {}", term(&entry["value"])?),
    }
    if let Some(offset) = entry["offset"].as_i64().filter(|n| *n != 0) {
        line += &format!(" offset {offset}");
    }
    if !entry["from"].is_null() {
        line += &format!(
            " from {}",
            entry["from"].as_str().map_or(entry["from"].to_string(), str::to_owned)
        );
    }
    if !entry["while"].is_null() {
        line += &format!(" while {}", term(&entry["while"])?);
    }
    for (key, sign) in [("equals", "=="), ("not", "!=")] {
        if let Some(value) = entry["while_register"][key].as_u64() {
            let register = text(&entry["while_register"]["register"])?;
            line += &format!(" while golden {register} {sign} {value}");
        }
    }
    if let Some(note) = entry["note"].as_str() {
        line += &format!("\n    # {}", one_line(note));
    }
    Ok(line)
}

/// An expression; what has operators stands in parentheses where it is an operand.
fn term(value: &Value) -> Result<String, String> {
    let inner = |value: &Value| {
        let text = term(value)?;
        let operators = text.contains(' ') && !text.ends_with(')') || text.contains(" ? ");
        Ok::<_, String>(if operators { format!("({text})") } else { text })
    };
    let Some(object) = value.as_object() else {
        let text = text(value)?;
        let constant = text.split_once('\'').is_some_and(|(width, _)| width.parse::<u32>().is_ok());
        return Ok(if constant { text.to_owned() } else { quoted(text) });
    };
    let joined = |key: &str, sign: &str| Ok::<_, String>(list(&value[key], inner)?.join(sign));
    let several = |key: &str| Ok::<_, String>(list(&value[key], term)?.join(", "));
    let kinds = ["bit", "slice", "narrow", "concat", "if", "enum", "translate", "first_of", "not"];
    let kinds = kinds.into_iter().chain(["and", "or", "equal", "memory"]);
    let kind = kinds.into_iter().find(|kind| object.contains_key(*kind)).unwrap_or_default();
    let of = &value[kind];
    Ok(match kind {
        "bit" => format!("{}[{}]", inner(of)?, sum(&value["index"])),
        "slice" => format!("{}[{}:{}]", inner(of)?, sum(&value["msb"]), sum(&value["lsb"])),
        "narrow" => format!("narrow({}, {})", term(of)?, value["width"]),
        "concat" => format!("({})", several(kind)?),
        "if" => {
            format!("{} ? {} : {}", inner(of)?, inner(&value["then"])?, term(&value["else"])?)
        }
        "enum" => {
            let values = value["values"].as_array();
            let literal = |(n, literal): (usize, &Value)| {
                let literal = word(text(literal)?);
                let own = match values {
                    None => n.to_string(),
                    Some(values) => values.get(n).ok_or("fewer values than literals")?.to_string(),
                };
                Ok(match value["width"].as_u64() {
                    Some(width) => format!("{literal}: {width}'d{own}"),
                    None if values.is_none() => literal,
                    None => format!("{literal}: {own}"),
                })
            };
            let literals = value["literals"].as_array().into_iter().flatten().enumerate();
            let literals = literals.map(literal).collect::<Result<Vec<_>, String>>()?;
            format!("enum({}, {})", quoted(text(of)?), literals.join(", "))
        }
        "translate" => {
            let code = |(seen, code): (&String, &Value)| Ok(format!("{seen}: {}", text(code)?));
            let codes = members(&value["values"]).map(code).collect::<Result<Vec<_>, String>>()?;
            format!("translate({}, {})", term(of)?, codes.join(", "))
        }
        "first_of" => format!("first({})", several(kind)?),
        "not" => format!("~{}", inner(of)?),
        "and" => joined(kind, " & ")?,
        "or" => joined(kind, " | ")?,
        "equal" => joined(kind, " == ")?,
        "memory" => {
            let part = |key: &str| Ok::<_, String>(format!("{key}: {}", term(&of[key])?));
            let parts = [part("enable")?, part("address")?, part("data")?].join(", ");
            let unknown = if of["initial"] == "unknown" { ", unknown" } else { "" };
            format!("memory({parts}{unknown})")
        }
        _ => return Err(format!("no expression: {value}")),
    })
}
