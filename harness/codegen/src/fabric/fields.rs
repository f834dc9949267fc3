// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust source of the positions of fields: `fields.rs`. One module per message and per packed type of at most 64 bits,
//! with a constant for each field and for each member that contains several fields. Another module has the widths of
//! the registers of packed arrays.

use drra_fabric::{ArrayStorage, Description, MessageInfo, Width};

/// A constant: name, lowest bit, width.
type NamedBits = (String, u32, u32);

/// Source of `isa/fabric/src/fields.rs`.
pub(crate) fn rust_fields(d: &Description) -> String {
    let mut out = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.\n\
         //! Positions of the fields of messages and of packed types, except types of more than 64 bits,\n\
         //! and widths of the registers of packed arrays.\n",
    );
    for m in &d.messages {
        let doc = format!("Payload of {} (chapter {}, section {})", m.name, m.chapter, m.section);
        module(&mut out, &doc, &m.name.to_ascii_lowercase(), &places(d, m));
    }
    for t in d.types.iter().filter(|t| t.width <= 64) {
        let doc = format!("The type `{}` (chapter {})", t.name, t.chapter);
        let all: Vec<NamedBits> =
            t.fields.iter().map(|f| (f.name.clone(), f.lsb, f.width)).collect();
        module(&mut out, &doc, t.name.strip_suffix("_t").unwrap_or(&t.name), &all);
    }
    widths(&mut out, d);
    out
}

/// Widths of the registers of packed arrays if they are the same for every fabric.
fn widths(out: &mut String, d: &Description) {
    let rows: String = d
        .groups
        .iter()
        .filter(|g| g.array == Some(ArrayStorage::Packed))
        .filter_map(|g| {
            let [register] = &d.registers[g.registers.clone()] else { return None };
            let Width::Fixed(width) = register.width else { return None };
            let constant = g.name.replace('.', "_").to_ascii_uppercase();
            Some(format!(
                "    /// `{}`.\n    pub const {constant}: u32 = {width};\n",
                register.path
            ))
        })
        .collect();
    *out += &format!("\n/// Bits of one register of a packed array.\npub mod array {{\n{rows}}}\n");
}

/// Fields of a message, then its members.
fn places(d: &Description, m: &MessageInfo) -> Vec<NamedBits> {
    let fields = m.fields.iter().map(|f| (f.name.clone(), f.lsb, f.width));
    let members = m.members.iter().filter_map(|(name, member)| {
        let inside = m.fields.iter().filter(|f| f.member.as_ref() == Some(name));
        Some((name.clone(), inside.map(|f| f.lsb).min()?, d.types[member.at].width))
    });
    fields.chain(members).collect()
}

fn module(out: &mut String, doc: &str, name: &str, places: &[NamedBits]) {
    let rows: String = places
        .iter()
        .map(|(field, lsb, width)| {
            format!(
                "    /// `{field}`.\n    pub const {}: BitField = BitField::new({lsb}, {width});\n",
                field.to_ascii_uppercase()
            )
        })
        .collect();
    *out += &format!("\n/// {doc}.\npub mod {name} {{\n    use crate::BitField;\n\n{rows}}}\n");
}
