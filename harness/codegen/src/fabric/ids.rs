// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust source of the identities: `ids.rs`.

use drra_fabric::{Description, KeyInfo, RegisterInfo, identifier};
use drra_isa::UnitKind;

/// Source of `isa/fabric/src/ids.rs`.
pub(crate) fn rust_ids(d: &Description) -> String {
    let mut out = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.\n\
         //! Identities of the fabric description.\n\n\
         use crate::names::{identities, keys, registers, values};\n",
    );
    let mut list = |doc: &str, name: &str, all: Vec<(String, &str)>| {
        let row = |(id, text)| format!("        {id} = {text:?},\n");
        let rows: String = all.into_iter().map(row).collect();
        out += &format!("\nidentities! {{\n    /// {doc}\n    {name} {{\n{rows}    }}\n}}\n");
    };
    list("Blocks of the fabric.", "BlockId", named(d.blocks.iter().map(|of| &*of.name)));
    for unit in [UnitKind::Cell, UnitKind::Column, UnitKind::Tile] {
        let doc =
            format!("Parts of a {unit}; they determine which instructions act on the registers.");
        let parts = d.parts.iter().filter(|p| p.unit == unit);
        list(&doc, &identifier("", &format!("{unit} part")), named(parts.map(|of| &*of.name)));
    }
    let groups = d.groups.iter().map(|g| (g.id(), &*g.name)).collect();
    list("Groups of registers that are stored together.", "GroupId", groups);
    list("Signals between blocks.", "SignalId", named(d.signals.iter().map(|of| &*of.name)));
    list("Output ports of the fabric.", "PortId", named(d.ports.iter().map(|of| &*of.name)));
    list("Rules of the chapters.", "RuleId", named(d.rules.iter().map(|of| &*of.name)));
    list(
        "Rule inputs that are not registers.",
        "NamedInput",
        named(d.named_inputs.iter().map(|of| &*of.name)),
    );
    list("Kinds of messages.", "MessageId", named(d.messages.iter().map(|of| &*of.name)));
    list("Kinds of keys.", "KeyKind", named(d.keys.iter().map(|of| &*of.name)));
    for k in &d.keys {
        if let Some(name) = &k.rust {
            let doc = format!("Keys of the kind `{}`.", k.name);
            let values = k.values.iter().map(String::as_str);
            list(&doc, name, k.variants.iter().cloned().zip(values).collect());
        }
    }
    out.push_str(&registers(d));
    out.push_str(&enumerations(d));
    out.push_str(&keys(d));
    out
}

/// The names, each preceded by the name of its identity.
fn named<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, &'a str)> {
    names.map(|name| (identifier("", name), name)).collect()
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

/// Named values of registers and fields.
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
