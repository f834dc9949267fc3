// SPDX-License-Identifier: MIT OR Apache-2.0
//! SystemVerilog package of the state and message types: `drra_state_pkg.sv`.

use drra_fabric::{
    Description, GroupInfo, MessageField, MessageInfo, TypeInfo, ValueType, Width, bits_for,
    identifier,
};

/// The type and the name of a member of a packed structure.
type Member = (String, String);

/// Source of the package with this name. The package does not contain types that depend on the size of the fabric; the
/// modules that use such types declare them.
pub(crate) fn systemverilog_state(d: &Description, package: &str) -> String {
    let mut out = format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Generated from the description of the fabric {} by `drra isa sv`; do not edit.\n\
         // Fields are packed in the order in which the state tables of the chapters list them.\n\
         package {package};\n",
        d.name
    );
    for k in &d.keys {
        if let (Some(name), Some(prefix)) = (&k.sv, &k.prefix) {
            let values: Vec<Option<String>> = k.values.iter().cloned().map(Some).collect();
            let width = bits_for(values.len());
            enumeration(&mut out, &format!("Keys `{}`", k.name), name, prefix, width, &values);
        }
    }
    for e in &d.enumerations {
        if let (Some(name), Some(prefix)) = (&e.sv, &e.prefix) {
            let doc = format!("Chapter {}", e.chapter);
            enumeration(&mut out, &doc, name, prefix, e.width, &e.values);
        }
    }
    let carries = |t: &&TypeInfo| {
        t.fields.iter().any(|f| matches!(f.value_type, ValueType::Payload | ValueType::Message(_)))
    };
    for t in d.types.iter().filter(|t| !carries(t) && is_used(d, t)) {
        packed_type(&mut out, d, t);
    }
    for m in &d.messages {
        message(&mut out, m);
    }
    payloads(&mut out, d);
    for t in d.types.iter().filter(|t| carries(t)) {
        packed_type(&mut out, d, t);
    }
    for g in &d.groups {
        group(&mut out, d, g);
    }
    out.push_str("\nendpackage\n");
    out
}

/// Types that are used only by signals are not types of the RTL, nor are types whose fields another type includes
/// directly.
fn is_used(d: &Description, t: &TypeInfo) -> bool {
    let is_this = |m: &ValueType| matches!(m, ValueType::Fields(i) if d.types[*i].name == t.name);
    d.registers.iter().any(|r| is_this(&r.value_type) && !r.spliced)
        || d.types.iter().flat_map(|t| &t.fields).any(|f| is_this(&f.value_type))
        || d.groups.iter().flat_map(|g| &g.members).any(|(_, r)| r.name == t.name)
        || d.groups.iter().any(|g| g.packed.as_deref() == Some(&t.name))
}

fn enumeration(
    out: &mut String,
    doc: &str,
    name: &str,
    prefix: &str,
    width: u32,
    values: &[Option<String>],
) {
    let named: Vec<(usize, String)> = values
        .iter()
        .enumerate()
        .filter_map(|(value, v)| Some((value, prefix.to_owned() + &identifier("", v.as_ref()?))))
        .collect();
    let longest = named.iter().map(|(_, n)| n.len()).max().unwrap_or(0);
    let rows: Vec<String> =
        named.iter().map(|(value, n)| format!("    {n:<longest$} = {width}'d{value}")).collect();
    *out += &format!(
        "\n  // {doc}\n  typedef enum {} {{\n{}\n  }} {name};\n",
        logic(width),
        rows.join(",\n")
    );
}

fn structure(out: &mut String, doc: &str, name: &str, members: &[Member]) {
    packed(out, "struct", doc, name, members);
}

/// A packed `struct` or `union`.
fn packed(out: &mut String, kind: &str, doc: &str, name: &str, members: &[Member]) {
    let longest = members.iter().map(|(t, _)| t.len()).max().unwrap_or(0);
    let rows: String = members.iter().map(|(t, n)| format!("    {t:<longest$} {n};\n")).collect();
    *out += &format!("\n  // {doc}\n  typedef {kind} packed {{\n{rows}  }} {name};\n");
}

fn logic(width: u32) -> String {
    if width == 1 { "logic".into() } else { format!("logic [{}:0]", width - 1) }
}

/// Type of a value.
fn type_of(d: &Description, value_type: &ValueType, width: u32, payload: Option<&str>) -> String {
    match value_type {
        ValueType::Enumeration(i) => d.enumerations[*i].sv.clone(),
        ValueType::Instruction(mnemonic, field) => Some(instruction_enum(mnemonic, field)),
        ValueType::Fields(i) => Some(d.types[*i].name.clone()),
        ValueType::Message(i) => Some(d.messages[*i].sv.clone()),
        ValueType::Payload => payload.map(str::to_owned),
        ValueType::Number | ValueType::Signed => None,
    }
    .unwrap_or_else(|| logic(width))
}

/// Enumeration of the package of the instruction set.
fn instruction_enum(mnemonic: &str, field: &str) -> String {
    format!("drra_isa_pkg::{}_{}_e", mnemonic.to_ascii_lowercase(), field.to_ascii_lowercase())
}

fn type_members(d: &Description, t: &TypeInfo) -> Vec<Member> {
    t.fields
        .iter()
        .map(|f| (type_of(d, &f.value_type, f.width, f.sv.as_deref()), f.name.clone()))
        .collect()
}

fn packed_type(out: &mut String, d: &Description, t: &TypeInfo) {
    structure(out, &format!("Chapter {}", t.chapter), &t.name, &type_members(d, t));
}

/// A payload; bits that no field uses become separate members.
fn message(out: &mut String, m: &MessageInfo) {
    let mut members: Vec<Member> = Vec::new();
    let mut above = m.width;
    let gap = |above: u32, below: u32| {
        let width = above.checked_sub(below).filter(|w| *w > 0)?;
        let top = if width == 1 { String::new() } else { format!("_{}", above - 1) };
        Some((logic(width), format!("zero{top}_{below}")))
    };
    for f in &m.fields {
        members.extend(gap(above, f.lsb + f.width));
        above = f.lsb;
        let inside = f.member.as_ref().and_then(|n| m.members.get_key_value(n));
        match (inside, &f.value_type) {
            (Some((name, type_name)), _) => {
                if members.last().is_none_or(|(_, last)| last != name) {
                    members.push((type_name.name.clone(), name.clone()));
                }
            }
            (None, ValueType::Instruction(mnemonic, field)) => {
                members.push((instruction_enum(mnemonic, field), member_name(f)));
            }
            (None, _) => members.push((logic(f.width), member_name(f))),
        }
    }
    members.extend(gap(above, 0));
    let doc = format!("Payload of {} (chapter {}, section {})", m.name, m.chapter, m.section);
    structure(out, &doc, &m.sv, &members);
}

/// One union per width of payload. It contains the messages of that width, and the union of the narrower messages below
/// bits that are 0.
fn payloads(out: &mut String, d: &Description) {
    let mut widths: Vec<(u32, String)> = d
        .types
        .iter()
        .flat_map(|t| &t.fields)
        .filter(|f| f.value_type == ValueType::Payload)
        .filter_map(|f| Some((f.width, f.sv.clone()?)))
        .collect();
    widths.sort();
    widths.dedup();
    let mut narrower: Option<(u32, String)> = None;
    for (width, name) in widths {
        let mut members: Vec<Member> = d
            .messages
            .iter()
            .filter(|m| m.width == width)
            .map(|m| (m.sv.clone(), m.name.to_ascii_lowercase()))
            .collect();
        if let Some((below, inner)) = &narrower {
            let zeros = (logic(width - below), format!("zero_{}_{below}", width - 1));
            let short = inner.strip_suffix("_payload_t").unwrap_or(inner).to_owned();
            let doc = format!("A payload of {below} bits in the lower bits of one of {width} bits");
            structure(out, &doc, "narrow_payload_t", &[zeros, (inner.clone(), short)]);
            members.insert(0, ("narrow_payload_t".into(), "narrow".into()));
        }
        let doc = format!("Payload of {width} bits; `kind` selects the member");
        packed(out, "union", &doc, &name, &members);
        narrower = Some((width, name));
    }
}

fn group(out: &mut String, d: &Description, g: &GroupInfo) {
    let Some(name) = &g.sv else { return };
    let registers = &d.registers[g.registers.clone()];
    let doc = format!("Registers `{}`", g.name);
    if let (Some(_), Some(key)) = (g.array, g.key)
        && let (Some(Width::Fixed(count)), Width::Fixed(width)) =
            (d.keys[key].count.as_ref(), &registers[0].width)
    {
        *out +=
            &format!("\n  // {doc}\n  typedef logic [{}:0][{}:0] {name};\n", count - 1, width - 1);
        return;
    }
    let mut members: Vec<Member> = Vec::new();
    for r in registers {
        if let Some(member) = &r.member {
            if members.last().is_none_or(|(_, last)| last != member) {
                members.push((g.members[member].name.clone(), member.clone()));
            }
        } else if let (true, ValueType::Fields(index)) = (r.spliced, &r.value_type) {
            members.extend(type_members(d, &d.types[*index]));
        } else {
            members.push((type_of(d, &r.value_type, r.width.fixed().max(1), None), r.name.clone()));
        }
    }
    structure(out, &doc, name, &members);
}

/// Name of a field in the structure of its message.
fn member_name(f: &MessageField) -> String {
    f.sv.clone().unwrap_or_else(|| f.name.clone())
}
