// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust source of the positions of fields: `fields.rs`. One module per message and per packed type,
//! with a constant for each field and for each member that holds several fields.

use std::fmt::Write;

use super::model::Description;
use super::model::MessageInfo;

/// A constant: name, lowest bit, width.
type Place = (String, u32, u32);

/// Source of `isa/src/fabric/fields.rs`.
pub fn rust_fields(d: &Description) -> String {
    let mut out = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from `isa/fabric.json` by `cargo run -p drra-isa --example generate`; do not edit.\n\
         //! Where the fields of messages and of packed types are. Types of more than 64 bits are left\n\
         //! out.\n",
    );
    for m in &d.messages {
        let doc =
            format!("Payload of the message {} (chapter {}, {})", m.name, m.chapter, m.section);
        module(&mut out, &doc, &m.name.to_ascii_lowercase(), &places(d, m));
    }
    for t in d.types.iter().filter(|t| t.width <= 64) {
        let doc = format!("The type `{}` (chapter {})", t.name, t.chapter);
        let all: Vec<Place> = t.fields.iter().map(|f| (f.name.clone(), f.lsb, f.width)).collect();
        module(&mut out, &doc, t.name.strip_suffix("_t").unwrap_or(&t.name), &all);
    }
    out
}

/// Fields of a message, then its members.
fn places(d: &Description, m: &MessageInfo) -> Vec<Place> {
    let fields = m.fields.iter().map(|f| (f.name.clone(), f.lsb, f.width));
    let members = m.members.iter().filter_map(|(name, type_name)| {
        let inside = m.fields.iter().filter(|f| f.member.as_ref() == Some(name));
        let packed = d.types.iter().find(|t| t.name == *type_name)?;
        Some((name.clone(), inside.map(|f| f.lsb).min()?, packed.width))
    });
    fields.chain(members).collect()
}

fn module(out: &mut String, doc: &str, name: &str, places: &[Place]) {
    let rows: String = places
        .iter()
        .map(|(field, lsb, width)| {
            format!(
                "    /// `{field}`.\n    pub const {}: BitField = BitField::new({lsb}, {width});\n",
                field.to_ascii_uppercase()
            )
        })
        .collect();
    write!(out, "\n/// {doc}.\npub mod {name} {{\n    use crate::BitField;\n\n{rows}}}\n")
        .expect("writing to a string");
}
