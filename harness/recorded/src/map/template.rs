// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts with substitution: `mtrf_cols({c}).mtrf_rows({1-r}).{agu[k]}`. Between braces stands the name of a
//! prefix, or arithmetic: numbers, index letters, tables, `+ - * / %` and parentheses.

use std::collections::BTreeMap;

use super::bindings::{Bindings, Item};

/// Deepest nesting of parentheses and tables.
const DEPTH: usize = 32;
/// Most operators between two braces.
const OPERATORS: usize = 64;

/// A text with substitution, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) parts: Vec<Part>,
}

/// A piece of such a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// As it stands.
    Text(String),
    /// A named prefix.
    Prefix(String),
    /// Arithmetic.
    Sum(Sum),
}

/// Arithmetic with indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Number(i64),
    /// An index letter.
    Letter(char),
    /// A row of a table.
    Row {
        table: String,
        index: Box<Sum>,
    },
    /// Two operands.
    Two {
        operator: Operator,
        operands: Box<[Sum; 2]>,
    },
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The tables of a map.
pub(super) type Tables = BTreeMap<String, Rows>;

/// A table of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// By position.
    List(Vec<Item>),
    /// By name.
    Names(BTreeMap<String, Item>),
}

/// Why a text cannot be substituted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TemplateError {
    /// A brace without its partner.
    #[error("`{text}`: a brace without its partner")]
    Brace { text: String },
    /// Between the braces is neither a prefix nor arithmetic.
    #[error("`{{{text}}}`: {expected} expected at `{rest}`")]
    Form {
        /// What is between the braces.
        text: String,
        /// What was expected.
        expected: &'static str,
        /// From where on.
        rest: String,
    },
    /// More parentheses, tables or operators than can be needed.
    #[error("`{{{text}}}` is too long")]
    Long {
        /// What is between the braces.
        text: String,
    },
    /// A letter that the pattern of the register does not have.
    #[error("the letter `{letter}` stands for no index here; {}", known(.letters))]
    Letter {
        letter: char,
        /// Those that the pattern has.
        letters: Vec<char>,
    },
    /// No prefix has this name.
    #[error("`let` has no `{name}`")]
    Prefix { name: String },
    /// No table has this name.
    #[error("`tables` has no `{name}`")]
    Table { name: String },
    /// A table has no such row.
    #[error("the table `{table}` has no row `{row}`")]
    Row {
        table: String,
        /// Index or name.
        row: String,
    },
    /// A name where a number is needed.
    #[error("`{name}` is no number")]
    Name { name: String },
    /// A result that is negative, too large, or a division by 0.
    #[error("`{sum}` has no value that counts from 0")]
    Value {
        /// The arithmetic with its operands.
        sum: String,
    },
    /// Prefixes that need each other, or too many of them in each other.
    #[error("the prefix `{name}` needs itself, or makes too many alternatives")]
    Circle { name: String },
}

fn known(letters: &[char]) -> String {
    let list: Vec<String> = letters.iter().map(|l| format!("`{l}`")).collect();
    match list.len() {
        0 => "there are no letters".to_owned(),
        1 => format!("the only one is {}", list[0]),
        _ => format!("there are {}", list.join(", ")),
    }
}

impl Template {
    /// Reads a text.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let brace = || TemplateError::Brace { text: text.to_owned() };
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            let (inside, after) =
                from.strip_prefix('{').and_then(|f| f.split_once('}')).ok_or_else(brace)?;
            parts.push(match is_prefix(inside) {
                true => Part::Prefix(inside.to_owned()),
                false => Part::Sum(Sum::parse(inside)?),
            });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { parts })
    }
}

/// True for names of more than one character: single letters are indices.
pub(super) fn is_prefix(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && text.len() > 1
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Sum {
    /// Reads arithmetic.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut reader = Reader { text, rest: text.trim_start(), operators: 0 };
        let sum = reader.sum(0)?;
        if reader.rest.is_empty() { Ok(sum) } else { Err(reader.expected("an operator")) }
    }

    pub(super) fn item(&self, bindings: &Bindings, tables: &Tables) -> Result<Item, TemplateError> {
        match self {
            Self::Number(n) => Ok(Item::Number(*n)),
            Self::Letter(letter) => bindings.get(*letter).ok_or_else(|| TemplateError::Letter {
                letter: *letter,
                letters: bindings.letters(),
            }),
            Self::Row { table, index } => {
                let rows = tables
                    .get(table)
                    .ok_or_else(|| TemplateError::Table { name: table.clone() })?;
                let index = index.item(bindings, tables)?;
                rows.row(&index)
                    .cloned()
                    .ok_or_else(|| TemplateError::Row { table: table.clone(), row: index.text() })
            }
            Self::Two { operator, operands } => {
                let [a, b] = &**operands;
                let (a, b) = (a.number(bindings, tables)?, b.number(bindings, tables)?);
                operator.apply(a, b).map(Item::Number).ok_or_else(|| TemplateError::Value {
                    sum: format!("{a} {} {b}", operator.sign()),
                })
            }
        }
    }

    /// Its value, if it is a number.
    fn number(&self, bindings: &Bindings, tables: &Tables) -> Result<i64, TemplateError> {
        match self.item(bindings, tables)? {
            Item::Number(n) | Item::Name(_, Some(n)) => Ok(n),
            Item::Name(name, None) => Err(TemplateError::Name { name }),
        }
    }

    /// Its value, if it is a number that counts something.
    pub(super) fn count(&self, bindings: &Bindings, tables: &Tables) -> Result<u32, TemplateError> {
        let number = self.number(bindings, tables)?;
        u32::try_from(number).map_err(|_| TemplateError::Value { sum: number.to_string() })
    }
}

impl Rows {
    fn row(&self, index: &Item) -> Option<&Item> {
        match (self, index) {
            (Self::List(rows), Item::Number(n) | Item::Name(_, Some(n))) => {
                usize::try_from(*n).ok().and_then(|n| rows.get(n))
            }
            (Self::List(_), Item::Name(_, None)) => None,
            (Self::Names(rows), index) => rows.get(&index.text()),
        }
    }
}

impl Operator {
    fn of(sign: char) -> Option<Self> {
        [Self::Add, Self::Subtract, Self::Multiply, Self::Divide, Self::Remainder]
            .into_iter()
            .find(|o| o.sign() == sign)
    }

    fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
            Self::Remainder => '%',
        }
    }

    fn apply(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide => a.checked_div(b),
            Self::Remainder => a.checked_rem(b),
        }
    }
}

/// Reads arithmetic from left to right.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    /// Operators so far.
    operators: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> TemplateError {
        let rest = if self.rest.is_empty() { "the end" } else { self.rest }.to_owned();
        TemplateError::Form { text: self.text.to_owned(), expected, rest }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    fn takes(&mut self, sign: char) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.skip(sign.len_utf8());
        }
        found
    }

    /// Takes one of some operators.
    fn operator(&mut self, signs: &str) -> Option<Operator> {
        let sign = self.rest.chars().next().filter(|c| signs.contains(*c))?;
        self.operators += 1;
        self.skip(1);
        Operator::of(sign)
    }

    fn sum(&mut self, depth: usize) -> Result<Sum, TemplateError> {
        let mut left = self.product(depth)?;
        while let Some(operator) = self.operator("+-") {
            left = Sum::Two { operator, operands: Box::new([left, self.product(depth)?]) };
        }
        Ok(left)
    }

    fn product(&mut self, depth: usize) -> Result<Sum, TemplateError> {
        let mut left = self.operand(depth)?;
        while let Some(operator) = self.operator("*/%") {
            left = Sum::Two { operator, operands: Box::new([left, self.operand(depth)?]) };
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Sum, TemplateError> {
        if depth > DEPTH || self.operators > OPERATORS {
            return Err(TemplateError::Long { text: self.text.to_owned() });
        }
        if self.takes('(') {
            let inside = self.sum(depth + 1)?;
            return if self.takes(')') { Ok(inside) } else { Err(self.expected("`)`")) };
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (name, _) = self.rest.split_at(end);
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let number = name.parse().map_err(|_| self.expected("a number"))?;
            self.skip(end);
            return Ok(Sum::Number(number));
        }
        let Some(letter) = name.chars().next() else {
            return Err(self.expected("a number, an index letter or a table"));
        };
        let before = self.rest;
        self.skip(end);
        if self.takes('[') {
            let index = Box::new(self.sum(depth + 1)?);
            let table = name.to_owned();
            return if self.takes(']') {
                Ok(Sum::Row { table, index })
            } else {
                Err(self.expected("`]`"))
            };
        }
        if name.len() > 1 {
            self.rest = before;
            return Err(self.expected("an index letter"));
        }
        Ok(Sum::Letter(letter))
    }
}
