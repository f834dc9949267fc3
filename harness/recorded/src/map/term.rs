// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions as they are written in a map.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{
        Error, MapAccess, SeqAccess,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};

use super::{
    loose::{self, Loose},
    unique,
};

/// An expression: a text, or an object with one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Term {
    /// Path of a signal with index substitution, or a constant such as `6'b000111` or `4'd3`.
    Text(String),
    /// One bit.
    Bit(BitTerm),
    /// Bits msb to lsb.
    Slice(SliceTerm),
    /// The lower bits of a value whose upper bits are 0.
    Narrow(NarrowTerm),
    /// Values side by side, the highest first.
    Concat {
        /// At least one.
        #[schemars(length(min = 1))]
        concat: Vec<Term>,
    },
    /// A choice by another signal.
    If(IfTerm),
    /// An enumeration.
    Enum(EnumTerm),
    /// Other codes for values.
    Translate(TranslateTerm),
    /// The first alternative of which the dump has all signals.
    FirstOf {
        /// At least one.
        #[schemars(length(min = 1))]
        first_of: Vec<Term>,
    },
    /// Every bit inverted.
    Not {
        /// What is inverted.
        not: Box<Term>,
    },
    /// Bit by bit, all of one width.
    And {
        /// At least one.
        #[schemars(length(min = 1))]
        and: Vec<Term>,
    },
    /// Bit by bit, all of one width.
    Or {
        /// At least one.
        #[schemars(length(min = 1))]
        or: Vec<Term>,
    },
    /// 1 if two values of one width are equal.
    Equal {
        /// The two.
        equal: Box<[Term; 2]>,
    },
    /// A memory that the dump does not show, rebuilt from its write port.
    Memory {
        /// Its write port.
        memory: MemoryTerm,
    },
}

/// One bit of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BitTerm {
    /// The value.
    pub bit: Box<Term>,
    /// Number of the bit, counted from the lowest one.
    pub index: Number,
}

/// Bits of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceTerm {
    /// The value.
    pub slice: Box<Term>,
    /// Highest bit, counted from the lowest one of the value.
    pub msb: Number,
    /// Lowest bit.
    pub lsb: Number,
}

/// A value in fewer bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NarrowTerm {
    /// The value. A 1 above the width is a finding.
    pub narrow: Box<Term>,
    /// Width in bits of what is left.
    #[schemars(range(min = 1))]
    pub width: u32,
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IfTerm {
    /// One bit.
    #[serde(rename = "if")]
    pub condition: Box<Term>,
    /// Value while the bit is 1.
    pub then: Box<Term>,
    /// Value while it is 0.
    #[serde(rename = "else")]
    pub otherwise: Box<Term>,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnumTerm {
    /// Path of the signal.
    #[serde(rename = "enum")]
    pub signal: String,
    /// Its literals in the order of their declaration. Dumps that show text are read by name, dumps that show
    /// numbers by position.
    #[schemars(length(min = 1))]
    pub literals: Vec<String>,
    /// Value of each literal; without it they count from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<u64>>,
    /// Width in bits; without it the largest value just fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub width: Option<u32>,
}

/// Other codes for values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TranslateTerm {
    /// The value.
    pub translate: Box<Term>,
    /// Constants: what is seen, and what stands for it. Values that are not listed stay, if both sides have the
    /// same width, and are a finding otherwise.
    pub values: BTreeMap<String, String>,
}

/// Write port of a memory. A word is written at an edge that sees `enable` at 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryTerm {
    /// One bit.
    pub enable: Box<Term>,
    /// Address of the word.
    pub address: Box<Term>,
    /// The word.
    pub data: Box<Term>,
    /// What the memory begins with; `reset` if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Initial>,
}

/// What a memory begins with that is rebuilt from its write port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Initial {
    /// The content that the golden model begins with: every word is compared from cycle 0 on, so that a write
    /// that the design misses is found.
    Reset,
    /// A content that the write port does not show: a word is compared once it was written.
    Unknown,
}

/// A number, or arithmetic with index letters: `3`, `"{a}"`, `"{7-c}"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Number {
    /// A number.
    Value(u64),
    /// Arithmetic, with or without braces around it.
    Text(String),
}

/// All keys that an expression can have.
#[derive(Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    bit: Option<Box<Term>>,
    index: Option<Number>,
    slice: Option<Box<Term>>,
    msb: Option<Number>,
    lsb: Option<Number>,
    narrow: Option<Box<Term>>,
    concat: Option<Vec<Term>>,
    #[serde(rename = "if")]
    condition: Option<Box<Term>>,
    then: Option<Box<Term>>,
    #[serde(rename = "else")]
    otherwise: Option<Box<Term>>,
    #[serde(rename = "enum")]
    enumeration: Option<String>,
    literals: Option<Vec<String>>,
    values: Option<Values>,
    width: Option<u32>,
    translate: Option<Box<Term>>,
    first_of: Option<Vec<Term>>,
    not: Option<Box<Term>>,
    and: Option<Vec<Term>>,
    or: Option<Vec<Term>>,
    equal: Option<Box<[Term; 2]>>,
    memory: Option<MemoryTerm>,
}

/// Values of an enumeration, or constants of a translation.
#[derive(PartialEq)]
enum Values {
    Numbers(Vec<u64>),
    Constants(BTreeMap<String, String>),
}

/// The operations and the keys that belong together.
const OPERATIONS: &str = "an expression is a text, or an object with one operation: bit and index; slice, msb and \
     lsb; narrow and width; concat; if, then and else; enum and literals, perhaps values and width; translate and values; first_of; \
     not; and; or; equal; memory";

impl Keys {
    /// The operation, if there is exactly one with all its keys and no others.
    fn term(mut self) -> Option<Term> {
        let term = self.take()?;
        (self == Self::default()).then_some(term)
    }

    /// Takes one operation with the keys that belong to it.
    fn take(&mut self) -> Option<Term> {
        if let Some(bit) = self.bit.take() {
            return Some(Term::Bit(BitTerm { bit, index: self.index.take()? }));
        }
        if let Some(slice) = self.slice.take() {
            let (msb, lsb) = (self.msb.take()?, self.lsb.take()?);
            return Some(Term::Slice(SliceTerm { slice, msb, lsb }));
        }
        if let Some(narrow) = self.narrow.take() {
            return Some(Term::Narrow(NarrowTerm { narrow, width: self.width.take()? }));
        }
        if let Some(condition) = self.condition.take() {
            let (then, otherwise) = (self.then.take()?, self.otherwise.take()?);
            return Some(Term::If(IfTerm { condition, then, otherwise }));
        }
        if let Some(signal) = self.enumeration.take() {
            let values = match self.values.take() {
                Some(Values::Numbers(values)) => Some(values),
                Some(Values::Constants(_)) => return None,
                None => None,
            };
            let (literals, width) = (self.literals.take()?, self.width.take());
            return Some(Term::Enum(EnumTerm { signal, literals, values, width }));
        }
        if let Some(translate) = self.translate.take() {
            let Values::Constants(values) = self.values.take()? else { return None };
            return Some(Term::Translate(TranslateTerm { translate, values }));
        }
        (self.concat.take().map(|concat| Term::Concat { concat }))
            .or_else(|| self.first_of.take().map(|first_of| Term::FirstOf { first_of }))
            .or_else(|| self.not.take().map(|not| Term::Not { not }))
            .or_else(|| self.and.take().map(|and| Term::And { and }))
            .or_else(|| self.or.take().map(|or| Term::Or { or }))
            .or_else(|| self.equal.take().map(|equal| Term::Equal { equal }))
            .or_else(|| self.memory.take().map(|memory| Term::Memory { memory }))
    }
}

impl Loose for Term {
    const EXPECTED: &'static str = "a text or an object with one operation";

    fn text<E: Error>(text: &str) -> Result<Self, E> {
        Ok(Self::Text(text.to_owned()))
    }

    fn object<'de, A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        let keys = Keys::deserialize(MapAccessDeserializer::new(object))?;
        keys.term().ok_or_else(|| A::Error::custom(OPERATIONS))
    }
}

impl Loose for Number {
    const EXPECTED: &'static str = "a number or a text with arithmetic";

    fn text<E: Error>(text: &str) -> Result<Self, E> {
        Ok(Self::Text(text.to_owned()))
    }

    fn number<E: Error>(number: u64) -> Result<Self, E> {
        Ok(Self::Value(number))
    }
}

impl Loose for Values {
    const EXPECTED: &'static str = "a list of numbers (enum) or an object of constants (translate)";

    fn list<'de, A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Self::Numbers)
    }

    fn object<'de, A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        unique::elements(object).map(Self::Constants)
    }
}

impl<'de> Deserialize<'de> for Term {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        loose::read(deserializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        loose::read(deserializer)
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        loose::read(deserializer)
    }
}
