// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions over the signals of a dump, and their values. Unknown bits propagate: a bit of a result is known
//! if it is the same for every value of the unknown bits of its operands that are looked at.

use std::{collections::BTreeMap, sync::Arc};

use crate::{Bits, dump::Shown, names::SignalId};

/// The values of signals at one instant.
pub trait SignalValues {
    /// The value of a signal; `None` before its first one.
    fn get(&self, id: SignalId) -> Option<&Shown>;
}

/// An expression that is bound to the signals of a dump or of a model. Its width is known, and it is that of
/// all its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    width: u32,
    node: Node,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Signal(SignalId),
    Constant(Bits),
    Slice {
        of: Box<Expression>,
        lsb: u32,
    },
    /// The lower bits; all above are 0.
    Narrow(Box<Expression>),
    Concat(Vec<Expression>),
    If(Box<[Expression; 3]>),
    Enumeration(Arc<Enumeration>, SignalId),
    Translate {
        of: Box<Expression>,
        values: Arc<BTreeMap<Words, Bits>>,
    },
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Equal(Box<[Expression; 2]>),
}

/// A piece of a value that is nothing but bits of a signal, or constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Bits of a signal.
    Signal {
        id: SignalId,
        /// The lowest of the bits.
        lsb: u32,
        /// How many they are.
        width: u32,
    },
    Constant(Bits),
}

impl Piece {
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

/// Words of a known value: the key of a translation.
pub(super) type Words = Vec<u64>;

/// The values of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Enumeration {
    /// By literal in lower case.
    pub(super) by_name: BTreeMap<String, u64>,
    /// By position in the dump; `None` for literals that the map does not name.
    pub(super) by_position: Vec<Option<u64>>,
}

/// Why an expression has no value. It is a finding about the design, not about the map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// An enumeration has a value that the map does not name.
    #[error("the map has no literal for `{value}`")]
    Literal {
        signal: SignalId,
        /// Text or position.
        value: String,
    },
    /// A value that a translation to another width does not list.
    #[error("the map does not translate {value}")]
    Translation { value: Bits },
    /// A value has a 1 above the bits that the map says it has.
    #[error("{value} does not fit the {width} bits of the map")]
    Narrow {
        value: Bits,
        /// The width in bits.
        width: u32,
    },
    /// A signal of bits shows a text.
    #[error("`{value}` is no value of bits")]
    Text { signal: SignalId, value: String },
}

impl Expression {
    pub(super) fn new(width: u32, node: Node) -> Self {
        Self { width, node }
    }

    /// Width of its values in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The constant that it is, if it is one.
    pub fn constant(&self) -> Option<&Bits> {
        match &self.node {
            Node::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The pieces that its value is made of, lowest first; `None` if some bit is computed.
    pub fn pieces(&self) -> Option<Vec<Piece>> {
        match &self.node {
            Node::Signal(id) => Some(vec![Piece::Signal { id: *id, lsb: 0, width: self.width }]),
            Node::Constant(bits) => Some(vec![Piece::Constant(bits.clone())]),
            Node::Slice { of, lsb } => {
                let (first, end) = (*lsb, lsb + self.width);
                let mut at = 0;
                let mut pieces = Vec::new();
                for piece in of.pieces()? {
                    let (low, high) = (at.max(first), (at + piece.width()).min(end));
                    if low < high {
                        pieces.push(piece.part(low - at, high - low));
                    }
                    at += piece.width();
                }
                Some(pieces)
            }
            Node::Concat(list) => {
                let pieces: Option<Vec<_>> = list.iter().rev().map(Self::pieces).collect();
                Some(pieces?.concat())
            }
            _ => None,
        }
    }

    fn operands(&self) -> &[Self] {
        match &self.node {
            Node::Signal(_) | Node::Constant(_) | Node::Enumeration(..) => &[],
            Node::Slice { of, .. }
            | Node::Translate { of, .. }
            | Node::Narrow(of)
            | Node::Not(of) => std::slice::from_ref(of),
            Node::Concat(list) | Node::And(list) | Node::Or(list) => list,
            Node::If(operands) => &operands[..],
            Node::Equal(operands) => &operands[..],
        }
    }

    /// Adds the signals that its value depends on.
    pub fn signals(&self, signals: &mut Vec<SignalId>) {
        if let Node::Signal(id) | Node::Enumeration(_, id) = &self.node {
            signals.push(*id);
        }
        self.operands().iter().for_each(|operand| operand.signals(signals));
    }

    /// Its value. A signal without a value yet is unknown.
    ///
    /// # Errors
    /// An enumeration or a translation that meets a value which the map does not have.
    pub fn value(&self, values: &dyn SignalValues) -> Result<Bits, ExpressionError> {
        match &self.node {
            Node::Signal(id) => self.signal(*id, values),
            Node::Constant(bits) => Ok(bits.clone()),
            Node::Slice { of, lsb } => Ok(of.value(values)?.slice(*lsb, self.width)),
            Node::Narrow(of) => self.narrowed(of.value(values)?),
            Node::Concat(list) => {
                let mut joined = Bits::new(&[], 0);
                for operand in list {
                    joined = joined.above(&operand.value(values)?);
                }
                Ok(joined)
            }
            Node::If(operands) => self.choice(operands, values),
            Node::Enumeration(enumeration, id) => self.literal(enumeration, *id, values),
            Node::Translate { of, values: codes } => self.translated(&of.value(values)?, codes),
            Node::Not(of) => Ok(of.value(values)?.inverted()),
            Node::And(list) => self.fold(list, values, |a, b| joined(&a, &b)),
            Node::Or(list) => {
                self.fold(list, values, |a, b| joined(&a.inverted(), &b.inverted()).inverted())
            }
            Node::Equal(operands) => {
                let [a, b] = &**operands;
                let (a, b) = (a.value(values)?, b.value(values)?);
                Ok(match same(&a, &b) {
                    Some(equal) => Bits::new(&[u64::from(equal)], 1),
                    None => Bits::unknown(1),
                })
            }
        }
    }

    fn signal(&self, id: SignalId, values: &dyn SignalValues) -> Result<Bits, ExpressionError> {
        match values.get(id) {
            None => Ok(Bits::unknown(self.width)),
            Some(Shown::Bits(bits)) if bits.width() == self.width => Ok(bits.clone()),
            Some(Shown::Bits(bits)) => Ok(bits.slice(0, self.width)),
            Some(Shown::Text(text)) => {
                Err(ExpressionError::Text { signal: id, value: text.to_string() })
            }
        }
    }

    /// Nothing of a value is known while a bit above is unknown.
    fn narrowed(&self, value: Bits) -> Result<Bits, ExpressionError> {
        let above = value.slice(self.width, value.width() - self.width);
        if above.words().iter().any(|word| *word != 0) {
            return Err(ExpressionError::Narrow { value, width: self.width });
        }
        Ok(if above.is_known() { value.slice(0, self.width) } else { Bits::unknown(self.width) })
    }

    fn choice(
        &self,
        operands: &[Self; 3],
        values: &dyn SignalValues,
    ) -> Result<Bits, ExpressionError> {
        let [condition, then, otherwise] = operands;
        match condition.value(values)?.bit(0) {
            Some(true) => then.value(values),
            Some(false) => otherwise.value(values),
            None => {
                let (a, b) = (then.value(values)?, otherwise.value(values)?);
                let unknown = [&a, &b].map(Bits::unknown_words);
                let differ = a.words().iter().zip(b.words()).map(|(a, b)| a ^ b);
                let unknown: Vec<u64> = differ
                    .zip(unknown[0].iter().zip(unknown[1]))
                    .map(|(d, (a, b))| d | a | b)
                    .collect();
                Ok(Bits::with_unknown(a.words(), &unknown, self.width))
            }
        }
    }

    fn literal(
        &self,
        enumeration: &Enumeration,
        signal: SignalId,
        values: &dyn SignalValues,
    ) -> Result<Bits, ExpressionError> {
        let (value, text) = match values.get(signal) {
            None => return Ok(Bits::unknown(self.width)),
            Some(Shown::Text(text)) => {
                (enumeration.by_name.get(&text.to_lowercase()).copied(), text.to_string())
            }
            Some(Shown::Bits(bits)) if !bits.is_known() => return Ok(Bits::unknown(self.width)),
            Some(Shown::Bits(bits)) => {
                let position = bits.number().and_then(|n| usize::try_from(n).ok());
                let value = position.and_then(|p| *enumeration.by_position.get(p)?);
                (value, bits.to_string())
            }
        };
        let value = value.ok_or(ExpressionError::Literal { signal, value: text })?;
        Ok(Bits::new(&[value], self.width))
    }

    fn translated(
        &self,
        value: &Bits,
        codes: &BTreeMap<Words, Bits>,
    ) -> Result<Bits, ExpressionError> {
        if !value.is_known() {
            return Ok(Bits::unknown(self.width));
        }
        match codes.get(value.words()) {
            Some(code) => Ok(code.clone()),
            None if value.width() == self.width => Ok(value.clone()),
            None => Err(ExpressionError::Translation { value: value.clone() }),
        }
    }

    fn fold(
        &self,
        list: &[Self],
        values: &dyn SignalValues,
        join: impl Fn(Bits, Bits) -> Bits,
    ) -> Result<Bits, ExpressionError> {
        let mut operands = list.iter().map(|operand| operand.value(values));
        let first = operands.next().unwrap_or_else(|| Ok(Bits::unknown(self.width)))?;
        operands.try_fold(first, |a, b| Ok(join(a, b?)))
    }
}

/// Bit by bit and: 0 if one of both is 0, whatever the other one is.
fn joined(a: &Bits, b: &Bits) -> Bits {
    let pairs =
        || a.words().iter().zip(b.words()).zip(a.unknown_words().iter().zip(b.unknown_words()));
    let words: Vec<u64> = pairs().map(|((a, b), _)| a & b).collect();
    let unknown: Vec<u64> = pairs().map(|((a, b), (x, y))| (a | x) & (b | y) & (x | y)).collect();
    Bits::with_unknown(&words, &unknown, a.width())
}

/// Whether two values are equal, if that does not depend on unknown bits.
fn same(a: &Bits, b: &Bits) -> Option<bool> {
    let mut known =
        a.words().iter().zip(b.words()).zip(a.unknown_words().iter().zip(b.unknown_words()));
    if known.any(|((a, b), (x, y))| (a ^ b) & !(x | y) != 0) {
        return Some(false);
    }
    (a.is_known() && b.is_known()).then_some(true)
}

impl SignalValues for crate::Values {
    fn get(&self, id: SignalId) -> Option<&Shown> {
        Self::get(self, id)
    }
}
