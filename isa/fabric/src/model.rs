// SPDX-License-Identifier: MIT OR Apache-2.0
//! The description of the fabric: blocks, groups of registers, signals, ports and rules. The entries have the same form
//! as in the file; fields that only the loader fills in are marked `skip`. Entries refer to each other by index;
//! methods that return identities convert these indices.

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Deserializer};

use drra_isa::UnitKind;

use crate::{
    connections::{FanInSource, KeyMatch},
    text::{identifier, unit_prefix},
    types::{EntryRef, EnumerationInfo, KeyInfo, MessageInfo, TypeInfo, ValueType, WidthInfo},
    width::Width,
};

/// A loaded fabric description.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Name of the fabric.
    pub name: String,
    /// Kinds of keys.
    pub keys: Vec<KeyInfo>,
    /// Widths that depend on the key.
    pub widths: Vec<WidthInfo>,
    /// Named values.
    pub enumerations: Vec<EnumerationInfo>,
    /// Messages between cells, tiles and I/O units.
    pub messages: Vec<MessageInfo>,
    /// Packed types.
    pub types: Vec<TypeInfo>,
    /// Blocks.
    pub blocks: Vec<BlockInfo>,
    /// Instances of the RTL that occur in the paths of signals.
    pub instances: Vec<InstanceInfo>,
    /// Parts of units that have registers.
    pub parts: Vec<PartInfo>,
    /// Groups of registers.
    pub groups: Vec<GroupInfo>,
    /// The registers of all groups.
    #[serde(skip)]
    pub registers: Vec<RegisterInfo>,
    /// Sources shared by several blocks.
    pub signal_sets: Vec<SignalSet>,
    /// Signals between blocks.
    pub signals: Vec<SignalInfo>,
    /// Output ports.
    pub ports: Vec<PortInfo>,
    /// Inputs of rules that are not registers.
    pub named_inputs: Vec<NamedInputInfo>,
    /// Rules of the chapters.
    pub rules: Vec<RuleInfo>,
    /// The rules among which [`RuleId::of_instance`](crate::RuleId::of_instance) chooses, at least one for each module of
    /// the RTL.
    pub rules_of_modules: Vec<EntryRef>,
}

/// A block of the fabric.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockInfo {
    /// Name.
    pub name: String,
    /// Chapter that defines the block.
    pub chapter: u32,
    /// Modules of the RTL; the block's own module comes first.
    pub rtl: Vec<String>,
    /// Modules of the golden model; the module with most of the block comes first.
    pub golden: Vec<String>,
    /// Module of the RTL that instantiates the block; none for the outermost block.
    #[serde(rename = "in")]
    pub within: Option<String>,
}

/// An instance in the RTL that occurs in the paths of signals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceInfo {
    /// Name of the instance.
    pub name: String,
    /// Its module.
    pub module: String,
}

/// A part of a unit that has registers; the part determines which instructions act on them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartInfo {
    /// Name.
    pub name: String,
    /// Kind of unit.
    pub unit: UnitKind,
}

/// The storage of the elements of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrayStorage {
    /// One bit field after the other.
    Packed,
    /// Each element in a storage unit of its own, of 8, 16, 32 or 64 bits or a multiple of 32 bits.
    Unpacked,
    /// Like `Unpacked`, but not part of the image: a memory of many blocks.
    Memory,
}

/// The cycles in which registers take a new value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpdatePolicy {
    /// When a value arrives, even if it equals the old one.
    #[default]
    Brought,
    /// In every cycle.
    Always,
    /// When a value arrives; while the first register of the group is 0, the group holds no value.
    Marked,
}

/// Registers that are stored together: one RTL variable, or one per value of their key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupInfo {
    /// Kind of unit.
    pub unit: UnitKind,
    /// Name, unique.
    pub name: String,
    /// Path of the registers, with `{register}` for the name and a placeholder such as `{agu}` for the key.
    pub path: String,
    /// Position of the kind of key.
    #[serde(skip)]
    pub key: Option<usize>,
    /// The storage of the elements for the values of the key in one variable; `None` if each has its own variable.
    pub array: Option<ArrayStorage>,
    /// Variable below the unit, including the instance that contains it; placeholders such as `{agu}` and `{agu:index}`
    /// are replaced by the name and the number of the key.
    pub rtl: String,
    /// Type of the RTL that is made from the registers.
    pub sv: Option<String>,
    /// Packed type whose fields are the registers, if it has a name of its own.
    #[serde(rename = "type")]
    pub packed: Option<String>,
    /// Members of the type of the RTL that contain several registers: name and type.
    #[serde(default)]
    pub members: BTreeMap<String, EntryRef>,
    /// The register of the same unit that must be 1 for the group to be compared.
    pub compared_while: Option<EntryRef>,
    /// The part of the unit that the registers belong to.
    pub part: EntryRef,
    /// The cycles in which the registers take a new value.
    #[serde(default)]
    pub takes: UpdatePolicy,
    /// Names of the sources, as written.
    #[serde(default, rename = "from")]
    pub sources: Vec<String>,
    /// Signals that enter the block that contains the registers.
    #[serde(skip)]
    pub from: Vec<FanInSource>,
    /// The registers, as written.
    #[serde(rename = "registers")]
    pub entries: Vec<RegisterInfo>,
    /// Positions of the registers; the first register is in the upper bits.
    #[serde(skip)]
    pub registers: Range<usize>,
}

impl GroupInfo {
    /// Name of the identity.
    pub fn id(&self) -> String {
        identifier(unit_prefix(self.unit), &self.name)
    }
}

/// A register, or all registers that differ only in their key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterInfo {
    /// Name without the parts of the path before and after it.
    pub name: String,
    /// Path without the unit, with a placeholder such as `{agu}` for the key. Unique.
    #[serde(skip)]
    pub path: String,
    /// Position of the kind of key.
    #[serde(skip)]
    pub key: Option<usize>,
    /// Kind of unit.
    #[serde(skip)]
    pub unit: UnitKind,
    /// Position of the group.
    #[serde(skip)]
    pub group: usize,
    /// The part that the register belongs to; if none is given, the loader fills in that of the group.
    #[serde(default)]
    pub part: EntryRef,
    /// The rule that defines it.
    #[serde(default)]
    pub rule: EntryRef,
    /// Width; if only a type is given, the loader fills in its width.
    #[serde(default)]
    pub width: Width,
    /// Value after reset; `None` if the register has no reset value.
    #[serde(default = "zero", deserialize_with = "nullable")]
    pub reset: Option<u64>,
    /// Name of its packed type.
    #[serde(rename = "type")]
    pub packed: Option<String>,
    /// Name of its enumeration.
    pub enumeration: Option<String>,
    /// Field of an instruction that has the same values, `MNEMONIC.FIELD`.
    pub instruction: Option<String>,
    /// True for a number in two's complement.
    #[serde(default)]
    pub signed: bool,
    /// Type of the value.
    #[serde(skip)]
    pub value_type: ValueType,
    /// Member of the type of the RTL that contains the register.
    #[serde(rename = "in")]
    pub member: Option<String>,
    /// True if the type of the RTL contains the fields of the register in its place.
    #[serde(default)]
    pub spliced: bool,
}

impl RegisterInfo {
    /// Name of the identity.
    pub fn id(&self) -> String {
        identifier(unit_prefix(self.unit), &self.path)
    }
}

fn zero() -> Option<u64> {
    Some(0)
}

/// `null` means "no reset value"; without the key the reset value is 0.
fn nullable<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    Option::deserialize(d)
}

/// Sources shared by several blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalSet {
    /// Name.
    pub name: String,
    /// Its sources, as written.
    pub signals: Vec<String>,
}

/// A signal between blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalInfo {
    /// Name.
    pub name: String,
    /// Kind of unit.
    pub unit: UnitKind,
    /// The kind of key.
    pub key: Option<EntryRef>,
    /// Width in bits; if only a type is given, the loader fills in its width.
    #[serde(default)]
    pub width: u32,
    /// Name of its packed type.
    #[serde(rename = "type")]
    pub packed: Option<String>,
    /// Name of its enumeration.
    pub enumeration: Option<String>,
    /// True for a number in two's complement.
    #[serde(default)]
    pub signed: bool,
    /// Type of the value.
    #[serde(skip)]
    pub value_type: ValueType,
    /// The rule that decides it.
    pub rule: EntryRef,
    /// Names of the sources, as written.
    #[serde(default, rename = "from")]
    pub sources: Vec<String>,
    /// Signals that enter the block that produces the signal.
    #[serde(skip)]
    pub from: Vec<FanInSource>,
    /// Location of the signal in the RTL, lowest bits first.
    pub rtl: Vec<SignalPart>,
}

impl SignalInfo {
    /// Position of the kind of key.
    pub fn key(&self) -> Option<usize> {
        self.key.as_ref().map(|key| key.at)
    }
}

/// Part of a signal in the RTL.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalPart {
    /// The unit that owns the variable.
    #[serde(default)]
    pub of: PartOwner,
    /// Variable, including the instances that lead to it.
    pub variable: String,
    /// Module whose variable it is.
    #[serde(skip)]
    pub module: String,
    /// Element of the variable, as written.
    #[serde(rename = "element")]
    pub element_name: Option<String>,
    /// Element for the key 0.
    #[serde(default)]
    pub first: usize,
    /// Element of the variable.
    #[serde(skip)]
    pub element: VariableElement,
    /// Bits of the element.
    #[serde(skip)]
    pub width: u32,
    /// If this is set to `NAME`, the part is 0 unless the corresponding element of the variable `NAME_i` is 1.
    #[serde(rename = "while")]
    pub only_while: Option<String>,
}

/// The unit that owns the variable of a part of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartOwner {
    /// The unit itself.
    #[default]
    Unit,
    /// The column that a cell belongs to.
    Column,
    /// The tile in row 1 of a column.
    #[serde(rename = "home tile")]
    HomeTile,
}

/// The element of a variable that contains a part of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VariableElement {
    /// The whole variable.
    #[default]
    Whole,
    /// The element at the row of the cell.
    Row,
    /// The element at the key of the signal plus a number.
    Key(usize),
    /// A fixed element.
    Fixed(usize),
}

/// An output port of the fabric.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortInfo {
    /// Name.
    pub name: String,
    /// Kind of unit; each unit of this kind has one such port.
    pub unit: UnitKind,
    /// Width.
    pub width: Width,
    /// The rule that decides it.
    pub rule: EntryRef,
    /// Names of the sources, as written.
    #[serde(default, rename = "from")]
    pub sources: Vec<String>,
    /// Signals that enter the block that drives the port.
    #[serde(skip)]
    pub from: Vec<FanInSource>,
}

/// An input of rules that is not a register.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedInputInfo {
    /// Name, as shown.
    pub name: String,
    /// Kind of unit that the input belongs to.
    pub unit: UnitKind,
    /// Names of the sources, as written.
    #[serde(default, rename = "from")]
    pub sources: Vec<String>,
    /// The signals that make up the input, if it consists of signals.
    #[serde(skip)]
    pub from: Vec<FanInSource>,
}

/// A rule of the chapters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleInfo {
    /// Name.
    pub name: String,
    /// The block whose rule it is.
    pub block: EntryRef,
    /// Kind of unit that the rule is about.
    pub unit: UnitKind,
    /// Chapter; if none is given, the loader fills in that of the block, as it does for `rtl`, `golden` and `in`.
    #[serde(default)]
    pub chapter: u32,
    /// Section, given by the beginning of its heading.
    pub section: String,
    /// Modules of the RTL.
    #[serde(default)]
    pub rtl: Vec<String>,
    /// Modules of the golden model.
    #[serde(default)]
    pub golden: Vec<String>,
    /// Module that instantiates the modules of the RTL.
    #[serde(rename = "in")]
    pub within: Option<String>,
    /// The inputs of the rule, as written.
    pub inputs: Vec<String>,
    /// The same inputs, resolved to registers and named inputs.
    #[serde(skip)]
    pub found: Vec<ResolvedInput>,
    /// The rule in a sentence.
    pub text: String,
}

/// An input of a rule, with positions instead of names.
#[derive(Clone, Debug)]
pub enum ResolvedInput {
    /// Positions of registers, each with a selection of its keys.
    Registers(Vec<(usize, KeyMatch)>),
    /// Position of a named input.
    Named(usize),
}
