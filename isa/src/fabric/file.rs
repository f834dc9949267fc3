// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fabric.json` as it is written: one structure per kind of entry, names not yet looked up.

use serde::{Deserialize, Deserializer};

use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) keys: Vec<KeyEntry>,
    pub(super) widths: Vec<WidthEntry>,
    pub(super) enumerations: Vec<EnumerationEntry>,
    pub(super) messages: Vec<MessageEntry>,
    pub(super) types: Vec<TypeEntry>,
    pub(super) blocks: Vec<BlockEntry>,
    pub(super) instances: Vec<InstanceEntry>,
    pub(super) parts: Vec<PartEntry>,
    pub(super) groups: Vec<GroupEntry>,
    pub(super) signal_sets: Vec<SignalSetEntry>,
    pub(super) signals: Vec<SignalEntry>,
    pub(super) ports: Vec<PortEntry>,
    pub(super) named_inputs: Vec<NamedInputEntry>,
    pub(super) rules: Vec<RuleEntry>,
    pub(super) rules_of_modules: Vec<String>,
}

/// A number, or the name of a parameter that depends on the size of the fabric.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Size {
    Number(u32),
    Name(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyEntry {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) rust: Option<String>,
    #[serde(default)]
    pub(super) values: Vec<String>,
    #[serde(default)]
    pub(super) names: Vec<String>,
    pub(super) count: Option<Size>,
    pub(super) sv: Option<String>,
    pub(super) prefix: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WidthEntry {
    pub(super) name: String,
    pub(super) by: String,
    pub(super) of: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnumerationEntry {
    pub(super) name: String,
    pub(super) sv: Option<String>,
    pub(super) prefix: Option<String>,
    pub(super) width: u32,
    pub(super) chapter: u32,
    pub(super) values: Vec<Option<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageEntry {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) chapter: u32,
    pub(super) section: String,
    pub(super) width: u32,
    pub(super) sv: String,
    #[serde(default)]
    pub(super) members: BTreeMap<String, String>,
    pub(super) fields: Vec<MessageFieldEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageFieldEntry {
    pub(super) name: String,
    pub(super) sv: Option<String>,
    pub(super) lsb: u32,
    pub(super) width: u32,
    #[serde(default)]
    pub(super) signed: bool,
    pub(super) instruction: Option<String>,
    #[serde(rename = "in")]
    pub(super) member: Option<String>,
    pub(super) constant: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeEntry {
    pub(super) name: String,
    pub(super) chapter: u32,
    pub(super) fields: Vec<FieldEntry>,
}

/// A field of a packed type: `true` for the payload of any message, or the name of one.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum PayloadEntry {
    Any(bool),
    One(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldEntry {
    pub(super) name: String,
    pub(super) width: Option<u32>,
    #[serde(default)]
    pub(super) signed: bool,
    #[serde(rename = "type")]
    pub(super) packed: Option<String>,
    pub(super) enumeration: Option<String>,
    pub(super) instruction: Option<String>,
    pub(super) message: Option<PayloadEntry>,
    pub(super) sv: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockEntry {
    pub(super) name: String,
    pub(super) chapter: u32,
    pub(super) rtl: Vec<String>,
    pub(super) golden: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstanceEntry {
    pub(super) name: String,
    pub(super) module: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartEntry {
    pub(super) name: String,
    pub(super) unit: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignalSetEntry {
    pub(super) name: String,
    pub(super) signals: Vec<String>,
}

/// How the elements of a variable follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Array {
    /// One bit field after the other.
    Packed,
    /// Every element in a storage unit of its own: 8, 16, 32, 64 or a multiple of 32 bits.
    Unpacked,
    /// As `Unpacked`, and not part of the image: a memory of many blocks.
    Memory,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupEntry {
    pub(super) unit: String,
    pub(super) name: String,
    pub(super) path: String,
    pub(super) array: Option<Array>,
    pub(super) rtl: String,
    pub(super) sv: Option<String>,
    #[serde(rename = "type")]
    pub(super) packed: Option<String>,
    #[serde(default)]
    pub(super) members: BTreeMap<String, String>,
    pub(super) compared_while: Option<String>,
    pub(super) part: String,
    #[serde(default)]
    pub(super) from: Vec<String>,
    pub(super) registers: Vec<RegisterEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterEntry {
    pub(super) name: String,
    pub(super) width: Option<Size>,
    #[serde(rename = "type")]
    pub(super) packed: Option<String>,
    pub(super) enumeration: Option<String>,
    pub(super) instruction: Option<String>,
    #[serde(rename = "in")]
    pub(super) member: Option<String>,
    #[serde(default)]
    pub(super) spliced: bool,
    #[serde(default = "zero", deserialize_with = "nullable")]
    pub(super) reset: Option<u64>,
    pub(super) part: Option<String>,
    pub(super) rule: Option<String>,
}

fn zero() -> Option<u64> {
    Some(0)
}

/// `null` means "no reset value"; without the key the reset value is 0.
fn nullable<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    Option::deserialize(d)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignalEntry {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) key: Option<String>,
    pub(super) width: Option<u32>,
    #[serde(rename = "type")]
    pub(super) packed: Option<String>,
    pub(super) rule: String,
    #[serde(default)]
    pub(super) from: Vec<String>,
    pub(super) rtl: Vec<SignalPartEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignalPartEntry {
    pub(super) of: Option<String>,
    pub(super) variable: String,
    pub(super) element: Option<String>,
    #[serde(default)]
    pub(super) first: u32,
    #[serde(rename = "while")]
    pub(super) only_while: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PortEntry {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) width: Size,
    pub(super) rule: String,
    #[serde(default)]
    pub(super) from: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedInputEntry {
    pub(super) name: String,
    pub(super) signal: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleEntry {
    pub(super) name: String,
    pub(super) block: String,
    pub(super) unit: String,
    pub(super) chapter: Option<u32>,
    pub(super) section: String,
    pub(super) rtl: Option<Vec<String>>,
    pub(super) golden: Option<String>,
    pub(super) inputs: Vec<String>,
    pub(super) text: String,
}
