// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps in JSON, as earlier releases had them, as text. The next release drops this.

use serde_json::{Map, Value};

use super::{MapError, MapFile, quoted, word};

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
        let all = joined(items(prefix).map(|path| Ok(quoted(text(path)?))), " | ")?;
        line(format!("let {name} = {all}"));
    }
    for (name, table) in members(&map["tables"]) {
        let row = |value: &Value| word(&plain(value));
        let rows = match table {
            Value::Array(rows) => rows.iter().map(row).collect::<Vec<_>>(),
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
        let when = start.get("when").map(term).transpose()?;
        let when = when.map(|when| format!(" when {when}")).unwrap_or_default();
        let skip = start.get("skip").map(|skip| format!(" skip {skip}")).unwrap_or_default();
        line(format!("cycle_0{when}{skip}"));
    }
    for (key, word) in [("ports", "port"), ("outputs", "output")] {
        for (name, value) in members(&map[key]) {
            line(format!("{word} {name} = {}", term(value)?));
        }
    }
    map.get("flag_delay").into_iter().for_each(|sum| line(format!("flag_delay = {}", plain(sum))));
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
    value.as_str().ok_or_else(|| format!("expected a text: {value}"))
}

/// A text or a number as it is written.
fn plain(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" #", " ")
}

/// The elements of a list, or a single one.
fn items(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter()
}

fn joined(
    texts: impl Iterator<Item = Result<String, String>>,
    sign: &str,
) -> Result<String, String> {
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join(sign))
}

fn entry(entry: &Value) -> Result<String, String> {
    let mut line = text(&entry["register"])?.to_owned();
    match entry["exclude"].as_str() {
        Some(reason) => line += &format!(" excluded: {}", one_line(reason)),
        None => line += &format!(" = {}", term(&entry["value"])?),
    }
    for key in ["offset", "from", "while"].into_iter().filter(|key| !entry[key].is_null()) {
        let value = if key == "while" { term(&entry[key])? } else { plain(&entry[key]) };
        line += &format!(" {key} {value}");
    }
    let golden = &entry["while_register"];
    for (key, sign) in [("equals", "=="), ("not", "!=")] {
        if let Some(value) = golden[key].as_u64() {
            line += &format!(" while golden {} {sign} {value}", text(&golden["register"])?);
        }
    }
    if let Some(note) = entry["note"].as_str() {
        line += &format!("\n    # {}", one_line(note));
    }
    Ok(line)
}

/// An expression; an operand with operators is put in parentheses.
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
    let parts = ["index", "msb", "lsb", "width", "then", "else", "literals", "values"];
    let kind = object.iter().find(|(key, _)| !parts.contains(&key.as_str()));
    let Some((kind, of)) = kind else { return Err(format!("no expression: {value}")) };
    Ok(match kind.as_str() {
        "bit" => format!("{}[{}]", inner(of)?, plain(&value["index"])),
        "slice" => format!("{}[{}:{}]", inner(of)?, plain(&value["msb"]), plain(&value["lsb"])),
        "narrow" => format!("narrow({}, {})", term(of)?, value["width"]),
        "concat" => format!("({})", joined(items(of).map(term), ", ")?),
        "first_of" => format!("first({})", joined(items(of).map(term), ", ")?),
        "not" => format!("~{}", inner(of)?),
        "and" => joined(items(of).map(inner), " & ")?,
        "or" => joined(items(of).map(inner), " | ")?,
        "equal" => joined(items(of).map(inner), " == ")?,
        "if" => inner(of)? + &format!(" ? {} : {}", inner(&value["then"])?, term(&value["else"])?),
        "enum" => {
            let literal = |(n, literal): (usize, &Value)| {
                let literal = word(text(literal)?);
                let own = match &value["values"] {
                    Value::Null => n.into(),
                    values => values.get(n).ok_or("fewer values than literals")?.clone(),
                };
                Ok(match (value["width"].as_u64(), &value["values"]) {
                    (Some(width), _) => format!("{literal}: {width}'d{own}"),
                    (None, Value::Null) => literal,
                    (None, _) => format!("{literal}: {own}"),
                })
            };
            let literals = joined(items(&value["literals"]).enumerate().map(literal), ", ")?;
            format!("enum({}, {literals})", quoted(text(of)?))
        }
        "translate" => {
            let code = |(seen, code): (&String, &Value)| Ok(format!("{seen}: {}", text(code)?));
            let codes = joined(members(&value["values"]).map(code), ", ")?;
            format!("translate({}, {codes})", term(of)?)
        }
        "memory" => {
            let part = |key| Ok(format!("{key}: {}", term(&of[key])?));
            let parts = joined(["enable", "address", "data"].into_iter().map(part), ", ")?;
            let unknown = if of["initial"] == "unknown" { ", unknown" } else { "" };
            format!("memory({parts}{unknown})")
        }
        _ => return Err(format!("no expression: {value}")),
    })
}
