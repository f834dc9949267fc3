// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust source of the identities: `ids.rs`.

use super::{
    model::{Description, RegisterInfo},
    text::identifier,
};
use crate::UnitKind;

/// Source of `isa/src/fabric/ids.rs`.
pub fn rust_ids(d: &Description) -> String {
    let mut out = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.\n\
         //! Identities of the fabric description.\n\n\
         use crate::names::{identities, registers, values};\n",
    );
    let mut list = |doc: &str, name: &str, all: &mut dyn Iterator<Item = (String, String)>| {
        let rows: String = all.map(|(id, text)| format!("        {id} = {text:?},\n")).collect();
        out += &format!("\nidentities! {{\n    /// {doc}\n    {name} {{\n{rows}    }}\n}}\n");
    };
    list(
        "Blocks of the fabric.",
        "BlockId",
        &mut d.blocks.iter().map(|b| (identifier("", &b.name), b.name.clone())),
    );
    for unit in [UnitKind::Cell, UnitKind::Column, UnitKind::Tile] {
        let doc =
            format!("Parts of a {unit}, as far as it matters for who acts on their registers.");
        let parts = d.parts.iter().filter(|p| p.unit == unit);
        let name = identifier("", &format!("{unit} part"));
        list(&doc, &name, &mut parts.map(|p| (identifier("", &p.name), p.name.clone())));
    }
    list(
        "Groups of registers that are stored together.",
        "GroupId",
        &mut d.groups.iter().map(|g| (g.id(), g.name.clone())),
    );
    list(
        "Signals between blocks.",
        "SignalId",
        &mut d.signals.iter().map(|s| (identifier("", &s.name), s.name.clone())),
    );
    list(
        "Output ports of the fabric.",
        "PortId",
        &mut d.ports.iter().map(|p| (identifier("", &p.name), p.name.clone())),
    );
    list(
        "Rules of the chapters.",
        "RuleId",
        &mut d.rules.iter().map(|r| (identifier("", &r.name), r.name.clone())),
    );
    list(
        "What rules look at, other than registers.",
        "NamedInput",
        &mut d.named_inputs.iter().map(|n| (identifier("", &n.name), n.name.clone())),
    );
    list(
        "Kinds of messages.",
        "MessageId",
        &mut d.messages.iter().map(|m| (identifier("", &m.name), m.name.clone())),
    );
    list(
        "Kinds of keys.",
        "KeyKind",
        &mut d.keys.iter().map(|k| (identifier("", &k.name), k.name.clone())),
    );
    for k in &d.keys {
        if let Some(name) = &k.rust {
            let doc = format!("Keys of the kind `{}`.", k.name);
            let mut rows = k.variants.iter().cloned().zip(k.values.iter().cloned());
            list(&doc, name, &mut rows);
        }
    }
    out.push_str(&registers(d));
    out.push_str(&enumerations(d));
    out.push_str(&key_type(d));
    out
}

/// Registers with the types of their keys.
fn registers(d: &Description) -> String {
    let row = |r: &RegisterInfo| {
        let key = r.key.map(|k| &d.keys[k]).map(|k| match &k.rust {
            Some(rust) => format!("({}: {rust})", k.name),
            None => "(number: usize)".to_owned(),
        });
        format!("    {}{} = {:?},\n", r.id(), key.unwrap_or_default(), r.path)
    };
    format!("\nregisters! {{\n{}}}\n", d.registers.iter().map(row).collect::<String>())
}

/// Values of registers and fields that have names.
fn enumerations(d: &Description) -> String {
    let mut out = String::new();
    for e in &d.enumerations {
        let rows: String = e
            .values
            .iter()
            .enumerate()
            .filter_map(|(value, name)| Some((value, name.as_ref()?)))
            .map(|(value, name)| format!("        {} = {value} {name:?},\n", identifier("", name)))
            .collect();
        out += &format!(
            "\nvalues! {{\n    /// Values of {} bits (chapter {}).\n    {} {{\n{rows}    }}\n}}\n",
            e.width, e.chapter, e.name
        );
    }
    out
}

/// The type `Key`, one variant per type of named keys.
fn key_type(d: &Description) -> String {
    let named: Vec<(&str, String, String)> = d
        .keys
        .iter()
        .filter_map(|k| Some((k.rust.as_deref()?, identifier("", &k.name), k.name.clone())))
        .collect();
    let mut out = String::from(
        "\n/// What tells a register from the others of the same name.\n\
         #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
         pub enum Key {\n    /// There is only one.\n    #[default]\n    None,\n    \
         /// A number: slot, word, address, channel, ...\n    Number(usize),\n",
    );
    let mut add = |text: String| out.push_str(&text);
    for (rust, variant, name) in &named {
        add(format!("    /// Key of the kind `{name}`.\n    {variant}({rust}),\n"));
    }
    add("}\n\nimpl Key {\n    /// Position among the keys of its kind; 0 without a key.\n    \
         pub const fn index(self) -> usize {\n        match self {\n            \
         Self::None => 0,\n            Self::Number(n) => n,\n"
        .into());
    for (_, variant, _) in &named {
        add(format!("            Self::{variant}(k) => k.index(),\n"));
    }
    add("        }\n    }\n\n    /// The key of a kind at this position.\n    \
         pub fn from_index(kind: KeyKind, index: usize) -> Option<Self> {\n        match kind {\n"
        .into());
    for (rust, variant, _) in &named {
        add(format!(
            "            KeyKind::{variant} => {rust}::from_index(index).map(Self::{variant}),\n"
        ));
    }
    add("            _ => Some(Self::Number(index)),\n        }\n    }\n\n    \
         /// Name of a key, `None` for numbers.\n    \
         pub const fn name(self) -> Option<&'static str> {\n        match self {\n            \
         Self::None | Self::Number(_) => None,\n"
        .into());
    for (_, variant, _) in &named {
        add(format!("            Self::{variant}(k) => Some(k.name()),\n"));
    }
    add("        }\n    }\n\n    /// The number, for keys without names.\n    \
         pub const fn number(self) -> Option<usize> {\n        match self {\n            \
         Self::Number(n) => Some(n),\n            _ => None,\n        }\n    }\n"
        .into());
    for (rust, variant, name) in &named {
        add(format!(
            "\n    /// The key, if it is of the kind `{name}`.\n    \
             pub const fn {name}(self) -> Option<{rust}> {{\n        match self {{\n            \
             Self::{variant}(k) => Some(k),\n            _ => None,\n        }}\n    }}\n"
        ));
    }
    add("}\n".into());
    for (rust, variant, _) in &named {
        add(format!(
            "\nimpl From<{rust}> for Key {{\n    fn from(key: {rust}) -> Self {{\n        \
             Self::{variant}(key)\n    }}\n}}\n"
        ));
    }
    out
}
