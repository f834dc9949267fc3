// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values as text: the name of an enumeration value, the fields of a packed value, a message.

use drra_isa::Revision;

use crate::{
    ids::{RegisterId, SignalId},
    load::description,
    types::{MessageInfo, TypeInfo, ValueType},
    words::{bits, wide},
};

impl RegisterId {
    /// A value (low word first) as text; `None` if it is a plain number.
    pub fn words(self, value: &[u64]) -> Option<String> {
        self.info().value_type.words(value)
    }
}

impl SignalId {
    /// A value (low word first) as text; `None` if it is a plain number.
    pub fn words(self, value: &[u64]) -> Option<String> {
        self.info().value_type.words(value)
    }
}

impl ValueType {
    /// A value (low word first) as text; `None` if it is a plain number.
    ///
    /// * enumerations and fields of instructions: the name, or `-` for a value without a name;
    /// * packed types: `other=0 block=rf port=1 hb=2`; `0` if all bits of a pattern, or of a type with a valid bit, are
    ///   0;
    /// * messages: `ROUTE read=1 horizontal_hops=2 horizontal_dir=e vertical_dir=s`; `none` if all bits are 0.
    ///
    /// In messages and patterns of address generators, numbers that are 0 are left out, except first addresses.
    pub fn words(&self, value: &[u64]) -> Option<String> {
        let low = value.first().copied().unwrap_or(0);
        match self {
            Self::Number | Self::Signed | Self::Payload => None,
            Self::Enumeration(index) => {
                let name = description().enumerations[*index].value_name(low);
                Some(name.unwrap_or("-").to_owned())
            }
            Self::Instruction(mnemonic, field) => {
                Some(instruction_value(mnemonic, field, low).unwrap_or("-").to_owned())
            }
            Self::Fields(index) => Some(description().types[*index].words(value)),
            Self::Message(index) => Some(message(&description().messages[*index], low)),
        }
    }
}

/// Name of the value of a field of an instruction.
fn instruction_value(mnemonic: &str, field: &str, value: u64) -> Option<&'static str> {
    let instruction = Revision::R4.isa().by_name(mnemonic)?;
    instruction.fields[instruction.field_index(field)?].value_name(value)
}

/// A number in two's complement.
fn signed(value: u64, width: u32) -> i64 {
    let up = 64 - width.clamp(1, 64);
    (value << up) as i64 >> up
}

fn number(value: u64, width: u32, is_signed: bool) -> String {
    if is_signed { signed(value, width).to_string() } else { value.to_string() }
}

/// True for a number that need not be shown if it is 0, such as a count, delay, step or number of hops. First addresses
/// and named values are always shown: they determine where a pattern starts and what it does.
fn says_nothing(name: &str, value_type: &ValueType) -> bool {
    matches!(value_type, ValueType::Number | ValueType::Signed) && name != "init_addr"
}

/// `ROUTE read=1 horizontal_hops=2 horizontal_dir=e vertical_dir=s`
fn message(m: &MessageInfo, payload: u64) -> String {
    let fields = m.fields.iter().filter_map(|f| {
        let value = bits(&[payload], f.lsb, f.width);
        if f.constant == Some(value) || value == 0 && says_nothing(&f.name, &f.value_type) {
            return None;
        }
        let text = f.value_type.words(&[value]);
        Some(format!(" {}={}", f.name, text.unwrap_or_else(|| number(value, f.width, f.signed))))
    });
    m.name.clone() + &fields.collect::<String>()
}

impl TypeInfo {
    fn words(&self, value: &[u64]) -> String {
        let is_message = self
            .fields
            .iter()
            .any(|f| matches!(f.value_type, ValueType::Payload | ValueType::Message(_)));
        if is_message {
            return self.message_words(value);
        }
        let has = |name: &str| self.fields.iter().any(|f| f.name == name);
        let nothing = value.iter().all(|w| *w == 0) && (has("valid") || has("l1_iter"));
        if nothing { "0".to_owned() } else { self.field_words(value) }
    }

    /// `hb=2 v=3`
    fn field_words(&self, value: &[u64]) -> String {
        let is_pattern = self.fields.iter().any(|f| f.name == "l1_iter");
        let fields = self.fields.iter().filter_map(|f| {
            let inner = wide(value, f.lsb, f.width);
            let is_wide = f.width > 64;
            let optional = is_wide || is_pattern && says_nothing(&f.name, &f.value_type);
            if optional && inner.iter().all(|w| *w == 0) {
                return None;
            }
            let text = match &f.value_type {
                ValueType::Number if is_wide => return Some(f.name.clone()),
                ValueType::Signed => number(inner[0], f.width, true),
                ValueType::Fields(index) => {
                    format!("({})", description().types[*index].field_words(&inner))
                }
                other => other.words(&inner).unwrap_or_else(|| number(inner[0], f.width, false)),
            };
            Some(format!("{}={text}", f.name))
        });
        fields.collect::<Vec<_>>().join(" ")
    }

    /// A type with a payload, as a message: `none` if all bits are 0, and `not valid: ...` if only its valid bit is 0.
    fn message_words(&self, value: &[u64]) -> String {
        let field = |name: &str| {
            let f = self.fields.iter().find(|f| f.name == name)?;
            Some(bits(value, f.lsb, f.width))
        };
        if value.iter().all(|w| *w == 0) {
            return "none".to_owned();
        }
        let d = description();
        let payload = field("payload").unwrap_or(0);
        let only = self.fields.iter().find_map(|f| match f.value_type {
            ValueType::Message(index) => Some(&d.messages[index]),
            _ => None,
        });
        let kind = field("kind").unwrap_or(0);
        let known = only.or_else(|| d.messages.iter().find(|m| m.kind.at as u64 == kind));
        let text = match known {
            Some(m) => message(m, payload),
            None => format!("kind={kind} payload={payload:#x}"),
        };
        if field("valid") == Some(0) { format!("not valid: {text}") } else { text }
    }
}
