// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of identities, and key placeholders in texts.

use drra_isa::UnitKind;

/// The Rust name of a text, `SeqShRaccuMode` for `seq.sh_raccu.mode`: a word starts after any character other than a
/// letter or digit. `[{key}]` and `/` are ignored.
pub fn identifier(prefix: &str, text: &str) -> String {
    let mut plain = text.replace('/', "");
    while let Some(open) = plain.find("[{") {
        let close = plain[open..].find(']').map_or(plain.len(), |n| open + n + 1);
        plain.replace_range(open..close, "");
    }
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let mut id = prefix.to_owned();
    for word in words {
        let lower = word.to_ascii_lowercase();
        id.push_str(&lower[..1].to_ascii_uppercase());
        id.push_str(&lower[1..]);
    }
    id
}

/// Prefix of the identities of groups and registers of a unit.
pub(crate) fn unit_prefix(unit: UnitKind) -> &'static str {
    match unit {
        UnitKind::Cell | UnitKind::Fabric => "",
        UnitKind::Column => "Column",
        UnitKind::Tile => "Tile",
    }
}

/// Names of the keys in the placeholders `{key}` and `{key:index}` of a text.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let name = rest.split('}').next()?;
        Some(name.strip_suffix(":index").unwrap_or(name))
    })
}

/// Splits `name[key]` into its two parts.
pub(crate) fn name_and_key(text: &str) -> (&str, Option<&str>) {
    match text.split_once('[') {
        None => (text, None),
        Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
    }
}
