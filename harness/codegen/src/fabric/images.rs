// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust source of the packed structures: `images.rs`. One structure per packed type of at most 128 bits and per group
//! of several registers, with a field for each register, so that a model that forgets one does not compile.

use drra_fabric::{Description, GroupInfo, ValueType, Width, identifier};
use drra_isa::Revision;

use crate::isa::complete_enumeration;

/// One field of a structure.
struct StructField {
    name: String,
    rust: String,
    /// Number of bits, or the name of the parameter that specifies it.
    width: String,
    /// The conversion of the value to a number.
    number: String,
}

/// Source of `isa/fabric/src/images.rs`.
pub(crate) fn rust_images(d: &Description) -> String {
    let mut out = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from `isa/fabric.json` by `cargo run -p drra-codegen`; do not edit.\n\
         //! Packed types, and registers that are stored together: first field in the upper bits.\n\n\
         use super::ids::*;\n\
         use crate::instructions::*;\n",
    );
    for t in d.types.iter().filter(|t| t.width <= 128) {
        let members: Vec<StructField> = t
            .fields
            .iter()
            .map(|f| member(d, &f.name, &Width::Fixed(f.width), &f.value_type))
            .collect();
        structure(&mut out, &format!("`{}`", t.name), &type_name(&t.name), &members, t.width > 64);
    }
    for g in d.groups.iter().filter(|g| g.registers.len() > 1) {
        let doc = format!("Registers of the group `{}` of a {}", g.name, g.unit);
        structure(&mut out, &doc, &g.id(), &members(d, g), false);
    }
    out
}

/// `agu_cfg_t` as `AguCfg`.
fn type_name(sv: &str) -> String {
    identifier("", sv.strip_suffix("_t").unwrap_or(sv))
}

/// The registers of a group; the registers of a member with a type of its own form one field.
fn members(d: &Description, g: &GroupInfo) -> Vec<StructField> {
    let mut all: Vec<StructField> = Vec::new();
    for r in &d.registers[g.registers.clone()] {
        let Some(name) = &r.member else {
            all.push(member(d, &r.name, &r.width, &r.value_type));
            continue;
        };
        if all.last().is_none_or(|m| m.name != *name) {
            let index = g.members[name].at;
            let width = Width::Fixed(d.types[index].width);
            all.push(member(d, name, &width, &ValueType::Fields(index)));
        }
    }
    all
}

fn member(d: &Description, name: &str, width: &Width, value_type: &ValueType) -> StructField {
    let named = match value_type {
        ValueType::Enumeration(index) => Some(d.enumerations[*index].name.clone()),
        ValueType::Instruction(mnemonic, field) => {
            complete_enumeration(Revision::R4.isa(), mnemonic, field)
        }
        _ => None,
    };
    if let Some(rust) = named {
        let number = format!("self.{name} as u64");
        return StructField { name: name.to_owned(), rust, width: width.text(), number };
    }
    let (rust, number) = match (value_type, width) {
        (ValueType::Fields(index), _) => {
            (type_name(&d.types[*index].name), format!("self.{name}.pack()"))
        }
        (_, Width::Fixed(1)) => ("bool".to_owned(), format!("self.{name} as u64")),
        (_, Width::Fixed(64)) => ("u64".to_owned(), format!("self.{name}")),
        (_, Width::Fixed(n)) => {
            let size = n.next_power_of_two().max(8);
            let number = if size == 64 { "" } else { " as u64" };
            (format!("u{size}"), format!("self.{name}{number}"))
        }
        // The widest of these registers has one bit for each column.
        (_, _) => ("u32".to_owned(), format!("self.{name} as u64")),
    };
    StructField { name: name.to_owned(), rust, width: width.text(), number }
}

/// Writes a structure with its function `pack`. If `wide` is true, the value has more than 64 bits and is packed into
/// two words, low word first.
fn structure(out: &mut String, doc: &str, name: &str, members: &[StructField], wide: bool) {
    let fields: String = members
        .iter()
        .map(|m| format!("    /// `{0}`, width {1}.\n    pub {0}: {2},\n", m.name, m.width, m.rust))
        .collect();
    let mut parameters: Vec<&str> = Vec::new();
    for m in members {
        if m.width.parse::<u32>().is_err() && !parameters.contains(&m.width.as_str()) {
            parameters.push(&m.width);
        }
    }
    let arguments: String = parameters.iter().map(|p| format!(", {p}: u32")).collect();
    let steps: String = members
        .iter()
        .skip(1)
        .map(|m| {
            let cast = if wide { " as u128" } else { "" };
            format!("        word = word << {} | {}{cast};\n", m.width, m.number)
        })
        .collect();
    let (first, result, end) = if wide {
        let first = format!("({}) as u128", members[0].number);
        (first, "[u64; 2]", "[word as u64, (word >> 64) as u64]")
    } else {
        (members[0].number.clone(), "u64", "word")
    };
    *out += &format!(
        "\n/// {doc}.\n#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]\npub struct {name} {{\n\
         {fields}}}\n\nimpl {name} {{\n    /// The packed value. Every field must fit into its width.\n    \
         #[inline]\n    pub const fn pack(&self{arguments}) -> {result} {{\n        \
         let mut word = {first};\n{steps}        {end}\n    }}\n}}\n"
    );
}
