// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values with their meaning.

use drra_fabric::{Location, PortId, RegisterId, SignalId, ValueType};
use drra_lockstep::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Placeholder for fields that are all 0.
const NO_FIELDS: &str = "0";

/// A value of a register or signal, with its meaning if the description specifies one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StoredReading", into = "StoredReading")]
pub struct Reading {
    /// The value.
    pub value: Value,
    /// The meaning of the value: its name, its fields, or the message.
    pub decoded: Option<String>,
}

/// A register with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterReading {
    /// The register.
    pub location: Location,
    /// Its value.
    pub reading: Reading,
}

impl Reading {
    /// A value of a register.
    pub fn of_register(register: RegisterId, value: Value) -> Self {
        Self::meant(&register.info().value_type, value)
    }

    /// A value of a signal.
    pub fn of_signal(signal: SignalId, value: Value) -> Self {
        Self::meant(&signal.info().value_type, value)
    }

    fn meant(value_type: &ValueType, value: Value) -> Self {
        if *value_type == ValueType::Signed {
            return Self::number(value).signed(1);
        }
        let decoded = value_type.words(value.words()).filter(|_| value.is_known());
        Self { decoded, value }.without_zero_fields()
    }

    /// Shown as two's complement numbers if there is more than one lane: one number per lane, highest lane first.
    pub(crate) fn in_lanes(self, lanes: u32) -> Self {
        if lanes > 1 { self.signed(lanes) } else { self }
    }

    pub(crate) fn signed(mut self, lanes: u32) -> Self {
        let width = self.value.width() / lanes;
        let number = |lane: u32| {
            let bit = |n| u64::from(self.value.bit(lane * width + n) == Some(true)) << n;
            let unused = 64 - width;
            (((0..width).map(bit).sum::<u64>() << unused) as i64 >> unused).to_string()
        };
        let numbers: Vec<String> = (0..lanes).rev().map(number).collect();
        let name = if lanes > 1 { "lanes " } else { "" };
        let decoded = format!("({name}{})", numbers.join(" "));
        self.decoded = Some(decoded).filter(|_| self.value.is_known());
        self
    }

    /// A value of an output port.
    pub fn of_port(port: PortId, value: Value) -> Self {
        let set = |name: &str| {
            let words =
                (0..value.width()).filter(|n| value.bit(*n) == Some(true)).map(|n| n.to_string());
            let words: Vec<String> = words.collect();
            if words.is_empty() {
                format!("no {name}")
            } else {
                format!("{name}s {}", words.join(" "))
            }
        };
        let decoded = match port {
            _ if !value.is_known() => None,
            PortId::IoOutMask => Some(set("masked word")),
            PortId::CellIdle => Some(set("idle cell")),
            _ => None,
        };
        Self { value, decoded }
    }

    /// Removes the text for fields that are all 0.
    fn without_zero_fields(mut self) -> Self {
        self.decoded = self.decoded.filter(|decoded| decoded != NO_FIELDS);
        self
    }

    /// A plain number.
    pub fn number(value: Value) -> Self {
        Self { value, decoded: None }
    }

    /// Bit n as a character: `0`, `1`, or `x` if the bit is unknown.
    pub fn digit(&self, n: u32) -> char {
        match self.value.bit(n) {
            None => 'x',
            Some(true) => '1',
            Some(false) => '0',
        }
    }

    /// True if no bit is 1.
    pub fn is_zero(&self) -> bool {
        self.value.words().iter().all(|word| *word == 0)
    }
}

/// A value as stored in files.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Reading")]
struct StoredReading {
    /// Digits of the value, preceded by `0x`; a digit with an unknown bit is an `x`.
    value: String,
    /// Width in bits.
    width: u32,
    /// The meaning of the value: its name, its fields, or the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decoded: Option<String>,
}

impl From<Reading> for StoredReading {
    fn from(reading: Reading) -> Self {
        let Reading { value, decoded } = reading;
        Self { width: value.width(), value: value.to_string(), decoded }
    }
}

impl TryFrom<StoredReading> for Reading {
    type Error = ValueError;

    fn try_from(file: StoredReading) -> Result<Self, ValueError> {
        let value = parse(&file.value, file.width).ok_or(ValueError { text: file.value })?;
        Ok(Self { value, decoded: file.decoded })
    }
}

/// A text that is not a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a value: write 0x and as many hexadecimal digits as the width needs")]
struct ValueError {
    text: String,
}

/// Maximum width of a value; no register or signal is that wide.
const MAX_WIDTH: u32 = 1024;

fn parse(text: &str, width: u32) -> Option<Value> {
    let digits = text.strip_prefix("0x")?;
    let fits = (1..=MAX_WIDTH).contains(&width) && digits.len() == width.div_ceil(4) as usize;
    if !fits || !digits.bytes().all(|b| b.is_ascii_hexdigit() || b == b'x') {
        return None;
    }
    let words = |known: bool| -> Option<Vec<u64>> {
        let digit = |d: char| {
            if known == (d == 'x') {
                '0'
            } else if known {
                d
            } else {
                'f'
            }
        };
        let digits: String = digits.chars().map(digit).collect();
        let word = |word: &[u8]| u64::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok();
        digits.as_bytes().rchunks(16).map(word).collect()
    };
    let (words, unknown) = (words(true)?, words(false)?);
    let spare = 64 * words.len() as u32 - width;
    let in_range = words.last().is_none_or(|top| spare == 0 || top >> (64 - spare) == 0);
    in_range.then(|| Value::with_unknown(words, unknown, width))
}
