// SPDX-License-Identifier: MIT OR Apache-2.0
//! Types and meanings of values: widths, keys, enumerations, packed types, messages. The entries have the same form as
//! in the description; fields that only the loader fills in are marked `skip`.

use std::collections::BTreeMap;

use serde::Deserialize;

use drra_isa::Geometry;

use crate::width::{Parameter, Width};

/// The name of another entry, and the index of that entry once the loader has found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct EntryRef {
    /// Name of the entry.
    pub name: String,
    /// Its index in its list.
    pub at: usize,
}

impl From<String> for EntryRef {
    fn from(name: String) -> Self {
        Self { name, at: 0 }
    }
}

/// A kind of key, which distinguishes registers of the same name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyInfo {
    /// Name, as in placeholders.
    pub name: String,
    /// Type of named keys.
    #[serde(rename = "type")]
    pub rust: Option<String>,
    /// Names in paths; if there are none, the keys are the numbers from 0.
    #[serde(default)]
    pub values: Vec<String>,
    /// Names of the Rust variants, parallel to `values`; if there are none, the loader derives them.
    #[serde(default, rename = "names")]
    pub variants: Vec<String>,
    /// Number of keys, for keys without names.
    pub count: Option<Width>,
    /// Type of the RTL, if there is one.
    pub sv: Option<String>,
    /// Prefix of the names of the values.
    pub prefix: Option<String>,
}

impl KeyInfo {
    /// Number of keys in a fabric of this size.
    pub fn count(&self, geometry: &Geometry) -> usize {
        self.count.as_ref().map_or(self.values.len(), |count| count.bits(geometry, 0) as usize)
    }

    /// The text that stands for a key in a path: its name or its number.
    pub fn text(&self, index: usize) -> String {
        self.values.get(index).cloned().unwrap_or_else(|| index.to_string())
    }
}

/// Replaces `{name}` with the text of a key and `{name:index}` with its number.
pub fn filled(text: &str, key: Option<&KeyInfo>, index: usize) -> String {
    match key {
        None => text.to_owned(),
        Some(k) => text
            .replace(&format!("{{{}}}", k.name), &k.text(index))
            .replace(&format!("{{{}:index}}", k.name), &index.to_string()),
    }
}

/// A width that depends on the key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WidthInfo {
    /// Name.
    pub name: String,
    /// The kind of key.
    pub by: EntryRef,
    /// The widths, in the order of the keys.
    pub of: Vec<Parameter>,
}

/// Named values of registers and fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumerationInfo {
    /// Name of the Rust type.
    pub name: String,
    /// Type of the RTL, if there is one.
    pub sv: Option<String>,
    /// Prefix of the names of the values.
    pub prefix: Option<String>,
    /// Width in bits.
    pub width: u32,
    /// Chapter that defines the values.
    pub chapter: u32,
    /// Names by value; `None` for an unused value.
    pub values: Vec<Option<String>>,
}

impl EnumerationInfo {
    /// Name of a value.
    pub fn value_name(&self, value: u64) -> Option<&str> {
        self.values.get(usize::try_from(value).ok()?)?.as_deref()
    }
}

/// A message between cells, tiles and I/O units.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageInfo {
    /// Name, the same as the name of the instruction.
    pub name: String,
    /// Value of `MessageKind`.
    pub kind: EntryRef,
    /// Chapter that defines the message.
    pub chapter: u32,
    /// Section of that chapter.
    pub section: String,
    /// Bits of the payload.
    pub width: u32,
    /// Type of the RTL.
    pub sv: String,
    /// Members of that type that contain several fields: name and type.
    #[serde(default)]
    pub members: BTreeMap<String, EntryRef>,
    /// Fields, highest first; bits between them are 0.
    pub fields: Vec<MessageField>,
}

/// A field of a message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageField {
    /// Name, as in the instruction if it has the field.
    pub name: String,
    /// Lowest bit in the payload.
    pub lsb: u32,
    /// Width in bits.
    pub width: u32,
    /// True for a number in two's complement.
    #[serde(default)]
    pub signed: bool,
    /// Constant value, which is not shown.
    pub constant: Option<u64>,
    /// Field of an instruction that has the same values, `MNEMONIC.FIELD`.
    pub instruction: Option<String>,
    /// Type of its value.
    #[serde(skip)]
    pub value_type: ValueType,
    /// Name in the type of the RTL, if it is different.
    pub sv: Option<String>,
    /// Member of the type of the RTL that it is part of.
    #[serde(rename = "in")]
    pub member: Option<String>,
}

/// A packed type: fields one after the other, with the first field in the upper bits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeInfo {
    /// Name in the RTL.
    pub name: String,
    /// Chapter that defines it.
    pub chapter: u32,
    /// Fields.
    pub fields: Vec<TypeField>,
    /// Width in bits.
    #[serde(skip)]
    pub width: u32,
}

/// A field of a packed type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeField {
    /// Name.
    pub name: String,
    /// Lowest bit in the type.
    #[serde(skip)]
    pub lsb: u32,
    /// Width in bits; if only a type is given, the loader fills in its width.
    #[serde(default)]
    pub width: u32,
    /// True for a number in two's complement.
    #[serde(default)]
    pub signed: bool,
    /// Name of its packed type.
    #[serde(rename = "type")]
    pub packed: Option<String>,
    /// Name of its enumeration.
    pub enumeration: Option<String>,
    /// Field of an instruction that has the same values, `MNEMONIC.FIELD`.
    pub instruction: Option<String>,
    /// The message whose payload it contains, if any.
    pub message: Option<Payload>,
    /// Type of its value.
    #[serde(skip)]
    pub value_type: ValueType,
    /// Type of the RTL for the payload of a message.
    pub sv: Option<String>,
}

/// The payload in a field: that of any message (`true`), or that of one message.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected `true`, or the name of a message")]
pub enum Payload {
    /// `true`: any message.
    Any(bool),
    /// The message of this name.
    One(String),
}

/// Type of a value, which determines how it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ValueType {
    /// An unsigned number.
    #[default]
    Number,
    /// A number in two's complement.
    Signed,
    /// An enumeration, given by its index.
    Enumeration(usize),
    /// A packed type, given by its index.
    Fields(usize),
    /// A field of an instruction: mnemonic and field.
    Instruction(&'static str, &'static str),
    /// Payload of the message that the field `kind` of the same type names.
    Payload,
    /// Payload of a message, given by its index.
    Message(usize),
}
