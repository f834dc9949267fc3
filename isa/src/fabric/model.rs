// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loaded description of the fabric. Entries refer to each other by their positions; the
//! methods that return identities turn positions into them.

use super::connections::Source;
use crate::{Geometry, place::UnitKind};

pub(crate) use super::width::bits_for;
pub use super::{
    file::Array,
    width::{Parameter, Width},
};

/// A loaded fabric description.
#[derive(Clone, Debug)]
pub struct Description {
    /// Name of the fabric.
    pub name: String,
    pub(crate) keys: Vec<KeyInfo>,
    pub(crate) enumerations: Vec<EnumerationInfo>,
    pub(crate) messages: Vec<MessageInfo>,
    pub(crate) types: Vec<TypeInfo>,
    pub(crate) blocks: Vec<BlockInfo>,
    pub(crate) parts: Vec<PartInfo>,
    pub(crate) groups: Vec<GroupInfo>,
    pub(crate) registers: Vec<RegisterInfo>,
    pub(crate) signals: Vec<SignalInfo>,
    pub(crate) ports: Vec<PortInfo>,
    pub(crate) named_inputs: Vec<NamedInputInfo>,
    pub(crate) rules: Vec<RuleInfo>,
    pub(crate) rules_of_modules: Vec<usize>,
}

/// How many values a kind of key has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Fixed(u32),
    Of(Parameter),
}

/// A kind of key: what tells registers of the same name apart.
#[derive(Clone, Debug)]
pub(crate) struct KeyInfo {
    pub(crate) name: String,
    /// Type of named keys.
    pub(crate) rust: Option<String>,
    /// Names in paths; none: the numbers from 0.
    pub(crate) values: Vec<String>,
    /// Names of the Rust variants, parallel to `values`.
    pub(crate) variants: Vec<String>,
    pub(crate) count: Count,
    /// Type of the RTL and prefix of its values, if it has one.
    pub(crate) sv: Option<(String, String)>,
}

impl KeyInfo {
    pub(crate) fn count(&self, geometry: &Geometry) -> usize {
        match self.count {
            Count::Fixed(n) => n as usize,
            Count::Of(p) => p.value(geometry) as usize,
        }
    }

    /// Text of a key in a path.
    pub(crate) fn text(&self, index: usize) -> String {
        self.values.get(index).cloned().unwrap_or_else(|| index.to_string())
    }
}

/// Named values of registers and fields.
#[derive(Clone, Debug)]
pub struct EnumerationInfo {
    /// Name of the Rust type.
    pub name: String,
    /// Type of the RTL and prefix of its values, if it has one.
    pub sv: Option<(String, String)>,
    /// Width in bits.
    pub width: u32,
    /// Chapter that defines the values.
    pub chapter: u32,
    /// Names by value; `None`: a value that does not occur.
    pub values: Vec<Option<String>>,
}

impl EnumerationInfo {
    /// Name of a value.
    pub fn value_name(&self, value: u64) -> Option<&str> {
        self.values.get(usize::try_from(value).ok()?)?.as_deref()
    }
}

/// A message between cells, tiles and I/O units.
#[derive(Clone, Debug)]
pub struct MessageInfo {
    /// Name, as that of the instruction.
    pub name: String,
    /// Value of `MessageKind`.
    pub kind: u64,
    /// Chapter and section that define it.
    pub chapter: u32,
    /// Section of that chapter.
    pub section: String,
    /// Bits of the payload.
    pub width: u32,
    /// Type of the RTL.
    pub sv: String,
    /// Members of that type that hold several fields: name and name of the type.
    pub(crate) members: Vec<(String, String)>,
    /// Fields, highest first; bits between them are 0.
    pub fields: Vec<MessageField>,
}

/// A field of a message.
#[derive(Clone, Debug)]
pub struct MessageField {
    /// Name, as in the instruction.
    pub name: String,
    /// Lowest bit in the payload.
    pub lsb: u32,
    /// Width in bits.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
    /// Value that it always has; not shown.
    pub constant: Option<u64>,
    /// What its value means.
    pub meaning: Meaning,
    /// Name in the type of the RTL.
    pub(crate) sv: String,
    /// Member of the type of the RTL that it is part of.
    pub(crate) member: Option<String>,
}

/// A packed type: fields one after the other, first field in the upper bits.
#[derive(Clone, Debug)]
pub struct TypeInfo {
    /// Name in the RTL.
    pub name: String,
    /// Chapter that defines it.
    pub chapter: u32,
    /// Fields.
    pub fields: Vec<TypeField>,
    /// Width in bits.
    pub width: u32,
}

/// A field of a packed type.
#[derive(Clone, Debug)]
pub struct TypeField {
    /// Name.
    pub name: String,
    /// Lowest bit in the type.
    pub lsb: u32,
    /// Width in bits.
    pub width: u32,
    /// What its value means.
    pub meaning: Meaning,
    /// Type of the RTL for the payload of a message.
    pub(crate) sv: Option<String>,
}

/// What a value means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An unsigned number.
    Number,
    /// A number in two's complement.
    Signed,
    /// Position of an enumeration.
    Enumeration(usize),
    /// Position of a packed type.
    Fields(usize),
    /// A field of an instruction: mnemonic and field.
    Instruction(String, String),
    /// Payload of the message that the field `kind` beside it names.
    Payload,
    /// Payload of a message: its position.
    Message(usize),
}

/// A block of the fabric.
#[derive(Clone, Debug)]
pub struct BlockInfo {
    /// Name.
    pub name: String,
    /// Chapter that defines it.
    pub chapter: u32,
    /// Modules of the RTL, its own first.
    pub rtl: Vec<String>,
    /// Module of the golden model.
    pub golden: String,
}

/// What registers of a unit are part of, as far as it matters for who acts on them.
#[derive(Clone, Debug)]
pub struct PartInfo {
    /// Name.
    pub name: String,
    /// Kind of unit.
    pub unit: UnitKind,
}

/// Registers that are stored together: one variable of the RTL, or one per value of their key.
#[derive(Clone, Debug)]
pub struct GroupInfo {
    /// Kind of unit.
    pub unit: UnitKind,
    /// Name, unique.
    pub name: String,
    /// Name of the identity.
    pub(crate) id: String,
    /// Position of its kind of key.
    pub(crate) key: Option<usize>,
    /// How the values of the key lie in one variable; `None`: a variable for each.
    pub array: Option<Array>,
    /// Instance below the unit, empty for the unit itself; `{key}` and `{key:index}` stand for the
    /// key.
    pub instance: String,
    /// Variable of the instance.
    pub variable: String,
    /// Type of the RTL that is made from the registers.
    pub sv: Option<String>,
    /// Packed type that the registers are the fields of, if it has a name of its own.
    pub packed: Option<String>,
    /// Members of that type that hold several registers: name and type, in order.
    pub(crate) members: Vec<(String, usize)>,
    /// Position of the register of the same unit that must be 1 for a comparison.
    pub(crate) compared_while: Option<usize>,
    /// What enters the block that holds the registers.
    pub(crate) from: Vec<Source>,
    /// Positions of its registers, first in the upper bits.
    pub(crate) registers: std::ops::Range<usize>,
}

/// A register, or all registers that differ in their key alone.
#[derive(Clone, Debug)]
pub struct RegisterInfo {
    /// Name without what stands before and after it in the path.
    pub name: String,
    /// Path without the unit; `{key}` stands for the key. Unique.
    pub path: String,
    /// Name of the identity.
    pub(crate) id: String,
    /// Position of its kind of key.
    pub(crate) key: Option<usize>,
    /// Kind of unit.
    pub unit: UnitKind,
    pub(crate) group: usize,
    /// Position of the part that it belongs to.
    pub(crate) part: usize,
    /// Position of the rule that defines it.
    pub(crate) rule: usize,
    /// Width.
    pub width: Width,
    /// Value after reset; `None`: it has none.
    pub reset: Option<u64>,
    /// What its value means.
    pub meaning: Meaning,
    /// Member of the type of the RTL that it is part of.
    pub(crate) member: Option<String>,
    /// Its fields stand in the type of the RTL instead of itself.
    pub(crate) spliced: bool,
}

/// A signal between blocks.
#[derive(Clone, Debug)]
pub struct SignalInfo {
    /// Name.
    pub name: String,
    pub(crate) id: String,
    /// Kind of unit.
    pub unit: UnitKind,
    pub(crate) key: Option<usize>,
    /// Width in bits.
    pub width: u32,
    /// What its value means.
    pub meaning: Meaning,
    pub(crate) rule: usize,
    /// What enters the block that produces it.
    pub(crate) from: Vec<Source>,
    /// Where it is in the RTL, lowest bits first.
    pub rtl: Vec<SignalPart>,
}

/// Part of a signal in the RTL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignalPart {
    /// Whose variable it is.
    pub of: PartOf,
    /// Variable, with the instances that lead to it.
    pub variable: String,
    /// Module whose variable it is.
    pub(crate) module: String,
    /// Which element of the variable.
    pub element: Element,
    /// Bits of the element.
    pub width: u32,
    /// Name of the variable `{name}_i` whose same element must be 1; the part counts as 0 else.
    pub only_while: Option<String>,
}

/// Whose variable a part of a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartOf {
    /// Of the unit itself.
    Unit,
    /// Of the column that a cell belongs to.
    Column,
    /// Of the tile of row 1 of a column.
    HomeTile,
}

/// Element of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// The whole variable.
    Whole,
    /// Row of the cell.
    Row,
    /// Key of the signal plus a number.
    Key(usize),
    /// A fixed element.
    Fixed(usize),
}

/// An output port of the fabric.
#[derive(Clone, Debug)]
pub struct PortInfo {
    /// Name.
    pub name: String,
    pub(crate) id: String,
    /// Kind of unit that has one each.
    pub unit: UnitKind,
    /// Width.
    pub width: Width,
    pub(crate) rule: usize,
    /// What enters the block that drives it.
    pub(crate) from: Vec<Source>,
}

/// Something that rules look at and that is no register.
#[derive(Clone, Debug)]
pub struct NamedInputInfo {
    /// Name, as shown.
    pub name: String,
    pub(crate) id: String,
    /// Position of the signal that it is, with its key.
    pub(crate) signal: Option<(usize, Option<usize>)>,
}

/// A rule of the chapters.
#[derive(Clone, Debug)]
pub struct RuleInfo {
    /// Name.
    pub name: String,
    pub(crate) id: String,
    pub(crate) block: usize,
    /// Kind of unit that it is about.
    pub unit: UnitKind,
    /// Chapter.
    pub chapter: u32,
    /// Section, as its heading begins.
    pub section: String,
    /// Modules of the RTL.
    pub rtl: Vec<String>,
    /// Module of the golden model.
    pub golden: String,
    /// What it looks at, as registers and signals of the cycle before.
    pub(crate) inputs: Vec<InputInfo>,
    /// The rule in a sentence.
    pub text: String,
}

/// What a rule looks at.
#[derive(Clone, Debug)]
pub(crate) struct InputInfo {
    /// As written.
    pub(crate) text: String,
    pub(crate) what: InputKind,
}

/// Registers with their keys, or something else.
#[derive(Clone, Debug)]
pub(crate) enum InputKind {
    Registers(Vec<(usize, KeyMatch)>),
    Named(usize),
}

/// Which of the registers that differ in their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    /// All.
    All,
    /// The one with the key of the register in question.
    Same,
    /// The one with this index.
    Only(usize),
}
