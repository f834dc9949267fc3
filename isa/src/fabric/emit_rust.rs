// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust source of the identities: `ids.rs`.

use super::{
    model::{Description, RegisterInfo},
    text::identifier,
    types::KeyInfo,
};
use crate::UnitKind;

/// Source of `isa/src/fabric/ids.rs`.
pub fn rust_ids(d: &Description) -> String {
    let mut out = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.\n\
         //! Identities of the fabric description.\n\n\
         use crate::names::{identities, keys, registers, values};\n",
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
            format!("Parts of a {unit}; they determine which instructions act on the registers.");
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
        "Inputs of rules other than registers.",
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
    out.push_str(&keys(d));
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

/// The kinds of keys that have a type of their own.
fn keys(d: &Description) -> String {
    let row = |k: &KeyInfo| {
        Some(format!("    {}({}: {}),\n", identifier("", &k.name), k.name, k.rust.as_deref()?))
    };
    format!("\nkeys! {{\n{}}}\n", d.keys.iter().filter_map(row).collect::<String>())
}
