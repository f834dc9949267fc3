// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions over the signals of a waveform, and their values. Unknown bits propagate: a bit of the result is known
//! if it is the same for every value of the unknown operand bits that it depends on. The exceptions are translated and
//! narrowed values, which a single unknown bit can make unknown as a whole.

use std::{collections::BTreeMap, sync::Arc};

use drra_lockstep::Value;

use crate::{
    names::{SignalHandle, SignalNames},
    waveform::WaveformValue,
};

/// The values of signals at one time step.
pub trait SignalValues {
    /// The value of a signal; `None` before its first value.
    fn get(&self, id: SignalHandle) -> Option<&WaveformValue>;
}

/// An expression over the signals of a waveform or model. The width of an expression is known, and all of its values
/// have this width.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    width: u32,
    node: ExpressionNode,
    /// Its operands.
    of: Vec<Expression>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpressionNode {
    Signal(SignalHandle),
    Constant(Value),
    /// The bits from this position on.
    Slice(u32),
    /// The lower bits; all bits above must be 0.
    Narrow,
    /// Highest first.
    Concat,
    If,
    Coded(Arc<Codes>),
    Not,
    And,
    Or,
    Equal,
}

/// The values that replace the literals of an enumeration, or the codes of a translation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Codes {
    /// The values by literal, in lower case; only enumerations have literals.
    pub(super) by_name: BTreeMap<String, Value>,
    /// The values by the words of the code, low word first, without zero words at the end.
    pub(super) by_value: BTreeMap<Vec<u64>, Value>,
}

impl Codes {
    /// The lookup key of a value.
    pub(super) fn key(words: &[u64]) -> Vec<u64> {
        let end = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        words[..end].to_vec()
    }
}

/// A piece of a value: bits of one signal, or a constant.
#[derive(Clone, Debug, PartialEq)]
pub enum ValuePiece {
    /// Bits of a signal.
    Signal {
        id: SignalHandle,
        /// The lowest bit.
        lsb: u32,
        /// The number of bits.
        width: u32,
    },
    Constant(Value),
}

impl ValuePiece {
    fn width(&self) -> u32 {
        match self {
            Self::Signal { width, .. } => *width,
            Self::Constant(bits) => bits.width(),
        }
    }

    /// `width` bits from `from` on.
    fn part(&self, from: u32, width: u32) -> Self {
        match self {
            Self::Signal { id, lsb, .. } => Self::Signal { id: *id, lsb: lsb + from, width },
            Self::Constant(bits) => Self::Constant(bits.slice(from, width)),
        }
    }
}

/// The reason an expression has no value: a signal has a value that the map does not expect. This is a finding about
/// the design rather than about the map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExpressionError(String);

impl Expression {
    pub(super) fn new(width: u32, node: ExpressionNode, of: Vec<Self>) -> Self {
        Self { width, node, of }
    }

    /// Width of the values in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The signal, if the expression is a whole signal.
    pub(super) fn signal(&self) -> Option<SignalHandle> {
        match self.node {
            ExpressionNode::Signal(id) => Some(id),
            _ => None,
        }
    }

    /// The constant, if the expression is a constant.
    pub fn constant(&self) -> Option<&Value> {
        match &self.node {
            ExpressionNode::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The pieces that make up the value, lowest first; `None` if an operand is computed.
    pub fn pieces(&self) -> Option<Vec<ValuePiece>> {
        match &self.node {
            ExpressionNode::Signal(id) => {
                Some(vec![ValuePiece::Signal { id: *id, lsb: 0, width: self.width }])
            }
            ExpressionNode::Constant(bits) => Some(vec![ValuePiece::Constant(bits.clone())]),
            ExpressionNode::Slice(lsb) => {
                let (first, end) = (*lsb, lsb + self.width);
                let mut at = 0;
                let mut pieces = Vec::new();
                for piece in self.of[0].pieces()? {
                    let (low, high) = (at.max(first), (at + piece.width()).min(end));
                    if low < high {
                        pieces.push(piece.part(low - at, high - low));
                    }
                    at += piece.width();
                }
                Some(pieces)
            }
            ExpressionNode::Concat => {
                let pieces: Option<Vec<_>> = self.of.iter().rev().map(Self::pieces).collect();
                Some(pieces?.concat())
            }
            _ => None,
        }
    }

    /// For each bit of the value, lowest first, true if it depends on a missing bit of a joined vector.
    pub(super) fn missing(&self, names: &SignalNames) -> Vec<bool> {
        let of: Vec<Vec<bool>> = self.of.iter().rev().map(|of| of.missing(names)).collect();
        let width = self.width as usize;
        match &self.node {
            ExpressionNode::Signal(id) => {
                let bits = names.bits(*id);
                let gap = |n| bits.get(n).is_none_or(Option::is_none);
                (0..width).map(|n| !bits.is_empty() && gap(n)).collect()
            }
            ExpressionNode::Slice(lsb) => of[0][*lsb as usize..][..width].to_vec(),
            ExpressionNode::Concat | ExpressionNode::Not => of.concat(),
            _ => vec![of.concat().contains(&true); width],
        }
    }

    /// The signals that the value depends on.
    pub fn signals(&self) -> Vec<SignalHandle> {
        let operands = self.of.iter().flat_map(Self::signals);
        self.signal().into_iter().chain(operands).collect()
    }

    /// True if the expression contains no signal.
    pub(super) fn is_constant(&self) -> bool {
        self.signal().is_none() && self.of.iter().all(Self::is_constant)
    }

    /// The value of the expression. A signal that has no value yet is unknown.
    ///
    /// # Errors
    /// If a signal has a value that the map does not expect: a literal or code that is not in the map, a value that is
    /// too wide, or text instead of bits.
    pub fn value(&self, values: &dyn SignalValues) -> Result<Value, ExpressionError> {
        let of = |n: usize| self.of[n].value(values);
        Ok(match &self.node {
            ExpressionNode::Signal(id) => match values.get(*id) {
                None => Value::unknown(self.width),
                Some(WaveformValue::Bits(bits)) if bits.width() == self.width => bits.clone(),
                Some(WaveformValue::Bits(bits)) => bits.slice(0, self.width),
                Some(WaveformValue::Text(text)) => {
                    return Err(ExpressionError(format!("the value `{text}` is text, not bits")));
                }
            },
            ExpressionNode::Constant(bits) => bits.clone(),
            ExpressionNode::Slice(lsb) => of(0)?.slice(*lsb, self.width),
            ExpressionNode::Narrow => self.narrowed(&of(0)?)?,
            ExpressionNode::Concat => {
                let mut joined = Value::new([], 0);
                for operand in &self.of {
                    joined = joined.above(&operand.value(values)?);
                }
                joined
            }
            ExpressionNode::If => match of(0)?.bit(0) {
                Some(true) => of(1)?,
                Some(false) => of(2)?,
                None => bitwise(&of(1)?, &of(2)?, |(a, x), (b, y)| (a, x | y | (a ^ b))),
            },
            ExpressionNode::Coded(codes) => self.coded(codes, values)?,
            ExpressionNode::Not => of(0)?.inverted(),
            // A bit is 0 if either operand is 0, regardless of the other operand.
            ExpressionNode::And => {
                bitwise(&of(0)?, &of(1)?, |(a, x), (b, y)| (a & b, (a | x) & (b | y) & (x | y)))
            }
            ExpressionNode::Or => {
                bitwise(&of(0)?, &of(1)?, |(a, x), (b, y)| (a | b, (x | y) & !(a | b)))
            }
            ExpressionNode::Equal => {
                let differ = bitwise(&of(0)?, &of(1)?, |(a, x), (b, y)| (a ^ b, x | y));
                match differ.words().iter().any(|word| *word != 0) {
                    true => Value::new([0], 1),
                    false if differ.is_known() => Value::new([1], 1),
                    false => Value::unknown(1),
                }
            }
        })
    }

    /// The lower bits of a value; all of them are unknown while a bit above them is unknown.
    fn narrowed(&self, value: &Value) -> Result<Value, ExpressionError> {
        let (width, above) = (self.width, value.slice(self.width, value.width() - self.width));
        if above.words().iter().any(|word| *word != 0) {
            return Err(ExpressionError(format!(
                "{value} does not fit in the {width} bits of the map"
            )));
        }
        Ok(if above.is_known() { value.slice(0, width) } else { Value::unknown(width) })
    }

    /// The replacement for a literal or a value.
    fn coded(&self, codes: &Codes, values: &dyn SignalValues) -> Result<Value, ExpressionError> {
        let of = &self.of[0];
        let bits = match of.signal().filter(|_| !codes.by_name.is_empty()) {
            Some(id) => match values.get(id) {
                None => return Ok(Value::unknown(self.width)),
                Some(WaveformValue::Bits(bits)) => bits.clone(),
                Some(WaveformValue::Text(text)) => {
                    let code = codes.by_name.get(&text.to_lowercase()).cloned();
                    let none = || ExpressionError(format!("the map has no literal for `{text}`"));
                    return code.ok_or_else(none);
                }
            },
            None => of.value(values)?,
        };
        if !bits.is_known() {
            return Ok(Value::unknown(self.width));
        }
        match codes.by_value.get(&Codes::key(bits.words())) {
            Some(code) => Ok(code.clone()),
            None if !codes.by_name.is_empty() => {
                Err(ExpressionError(format!("the map has no literal for `{bits}`")))
            }
            None if bits.width() == self.width => Ok(bits),
            None => Err(ExpressionError(format!("the map does not translate {bits}"))),
        }
    }
}

/// Combines two values of equal width word by word; the closure also receives the masks of unknown bits.
fn bitwise(a: &Value, b: &Value, join: impl Fn((u64, u64), (u64, u64)) -> (u64, u64)) -> Value {
    let words = |bits: &Value| {
        let pairs = bits.words().iter().copied().zip(bits.unknown_words().iter().copied());
        pairs.collect::<Vec<_>>()
    };
    let joined = words(a).into_iter().zip(words(b)).map(|(a, b)| join(a, b));
    let (words, unknown): (Vec<u64>, Vec<u64>) = joined.unzip();
    Value::with_unknown(&words, &unknown, a.width())
}

impl SignalValues for crate::LatestValues {
    fn get(&self, id: SignalHandle) -> Option<&WaveformValue> {
        Self::get(self, id)
    }
}
