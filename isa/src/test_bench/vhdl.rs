// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of VHDL in which constants are written: literals, concatenations, aggregates, and
//! conversions of numbers to vectors.

use std::{iter::Peekable, str::CharIndices};

/// What a piece of text is about, and its line counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Lower case.
    Word(String),
    Number(i64),
    /// Bits of a string or character literal, leftmost first; `None` if it is no literal of bits.
    Bits(Option<Vec<bool>>),
    Arrow,
    Assign,
    Punct(char),
}

/// The tokens of a file. What constants do not need may come out as anything.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, chars: text.char_indices().peekable(), line: 1, out: Vec::new() };
    while let Some((start, c)) = lexer.chars.next() {
        lexer.token(start, c);
    }
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    chars: Peekable<CharIndices<'t>>,
    line: usize,
    out: Vec<Token>,
}

impl<'t> Lexer<'t> {
    fn token(&mut self, start: usize, c: char) {
        let rest = &self.text[start..];
        match c {
            '\n' => self.line += 1,
            _ if c.is_whitespace() => {}
            '-' if rest.starts_with("--") => {
                while self.chars.next_if(|(_, c)| *c != '\n').is_some() {}
            }
            '"' => {
                let digits = self.quoted();
                self.push(Kind::Bits(bits(digits, 2)));
            }
            // `'0'` is a literal, the quote of `clk'event` is not.
            '\'' if rest.chars().nth(2) == Some('\'') => {
                let digit = &rest
                    [1..rest.len().min(1 + rest[1..].chars().next().map_or(0, char::len_utf8))];
                self.push(Kind::Bits(bits(digit, 2)));
                self.chars.next();
                self.chars.next();
            }
            '=' if rest.starts_with("=>") => self.pair(Kind::Arrow),
            ':' if rest.starts_with(":=") => self.pair(Kind::Assign),
            _ if c.is_alphanumeric() => self.word(start),
            _ => self.push(Kind::Punct(c)),
        }
    }

    /// A name, a number, or the base of a bit string.
    fn word(&mut self, start: usize) {
        let mut end = start + 1;
        let based = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
        while let Some((at, c)) = self.chars.next_if(|(_, c)| based(*c)) {
            end = at + c.len_utf8();
        }
        let word = self.text[start..end].to_ascii_lowercase();
        if self.chars.next_if(|(_, c)| *c == '"').is_some() {
            let base = match word.trim_start_matches(|c: char| c.is_ascii_digit()) {
                "x" | "ux" => Some(16),
                "o" | "uo" => Some(8),
                "b" | "ub" => Some(2),
                _ => None,
            };
            let digits = self.quoted();
            return self.push(Kind::Bits(base.and_then(|base| bits(digits, base))));
        }
        match number(&word) {
            Some(value) => self.push(Kind::Number(value)),
            None => self.push(Kind::Word(word)),
        }
    }

    /// The text up to the closing quote or the end of the line.
    fn quoted(&mut self) -> &'t str {
        let start = self.chars.peek().map_or(self.text.len(), |(at, _)| *at);
        while self.chars.next_if(|(_, c)| *c != '"' && *c != '\n').is_some() {}
        let end = self.chars.peek().map_or(self.text.len(), |(at, _)| *at);
        self.chars.next_if(|(_, c)| *c == '"');
        &self.text[start..end]
    }

    fn pair(&mut self, kind: Kind) {
        self.chars.next();
        self.push(kind);
    }

    fn push(&mut self, kind: Kind) {
        self.out.push(Token { kind, line: self.line });
    }
}

/// `12`, `1_000`, `16#ff#`
fn number(word: &str) -> Option<i64> {
    let clean = word.replace('_', "");
    match clean.split_once('#') {
        None => clean.parse().ok(),
        Some((base, digits)) => {
            let base = base.parse().ok().filter(|base| (2..=16).contains(base))?;
            i64::from_str_radix(digits.strip_suffix('#')?, base).ok()
        }
    }
}

/// The bits of the digits of a literal.
fn bits(digits: &str, base: u32) -> Option<Vec<bool>> {
    let mut bits = Vec::new();
    for digit in digits.chars().filter(|c| *c != '_') {
        let value = digit.to_digit(base)?;
        bits.extend((0..base.ilog2()).rev().map(|bit| value >> bit & 1 == 1));
    }
    Some(bits)
}

/// A value of a constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(i64),
    /// Leftmost bit first.
    Bits(Vec<bool>),
    Aggregate(Vec<Item>),
}

/// An element of an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) line: usize,
    pub(super) choice: Choice,
    pub(super) value: Value,
}

/// Which elements of the array or record an item is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    Next,
    /// First and last index.
    Range(i64, i64),
    Field(String),
    Others,
}

/// What is wrong with a value, and in which line.
pub(super) type Problem = (usize, String);

/// Aggregates are nested at most so deep.
const DEPTH: usize = 8;

/// Reads the value at the start of some tokens.
pub(super) fn value(tokens: &[Token]) -> Result<Value, Problem> {
    Parser { tokens, pos: 0 }.value(0)
}

struct Parser<'t> {
    tokens: &'t [Token],
    pos: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.pos).map(|t| &t.kind)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.pos).or(self.tokens.last()).map_or(1, |t| t.line)
    }

    fn accept(&mut self, kind: &Kind) -> bool {
        let found = self.peek() == Some(kind);
        self.pos += usize::from(found);
        found
    }

    fn problem<T>(&self, what: &str) -> Result<T, Problem> {
        Err((self.line(), what.to_owned()))
    }

    /// A term, or several that are concatenated.
    fn value(&mut self, depth: usize) -> Result<Value, Problem> {
        let first = self.term(depth)?;
        if self.peek() != Some(&Kind::Punct('&')) {
            return Ok(first);
        }
        let Value::Bits(mut all) = first else {
            return self.problem("only vectors can be joined with `&`");
        };
        while self.accept(&Kind::Punct('&')) {
            match self.term(depth)? {
                Value::Bits(more) => all.extend(more),
                _ => return self.problem("only vectors can be joined with `&`"),
            }
        }
        Ok(Value::Bits(all))
    }

    fn term(&mut self, depth: usize) -> Result<Value, Problem> {
        let Some(kind) = self.peek().cloned() else {
            return self.problem("the constant has no end");
        };
        match kind {
            Kind::Punct('-') => match self.tokens.get(self.pos + 1).map(|t| &t.kind) {
                Some(Kind::Number(value)) => {
                    self.pos += 2;
                    Ok(Value::Number(-value))
                }
                _ => self.problem("a number is expected after `-`"),
            },
            Kind::Number(value) => {
                self.pos += 1;
                Ok(Value::Number(value))
            }
            Kind::Bits(Some(bits)) => {
                self.pos += 1;
                Ok(Value::Bits(bits))
            }
            Kind::Bits(None) => self.problem("the literal has digits that are no bits"),
            Kind::Punct('(') => self.aggregate(depth),
            Kind::Word(name) => {
                self.pos += 1;
                self.accept(&Kind::Punct('\''));
                if self.peek() != Some(&Kind::Punct('(')) {
                    return self.problem(&format!(
                        "`{name}` is no literal; only constants in full are read"
                    ));
                }
                let inner = self.aggregate(depth)?;
                self.converted(&name, inner)
            }
            _ => self.problem("a literal or `(` is expected"),
        }
    }

    /// The value of a conversion, or of a qualified expression, which is what it encloses.
    fn converted(&self, name: &str, inner: Value) -> Result<Value, Problem> {
        if !["to_unsigned", "to_signed", "conv_std_logic_vector"].contains(&name) {
            return Ok(inner);
        }
        let Value::Aggregate(items) = &inner else {
            return self.problem("a number and a width are expected");
        };
        match items.iter().map(|i| &i.value).collect::<Vec<_>>()[..] {
            [Value::Number(value), Value::Number(width @ 1..=256)] => {
                let bit = |bit: i64| *value >> bit.min(63) & 1 == 1;
                Ok(Value::Bits((0..*width).rev().map(bit).collect()))
            }
            _ => self.problem("a number and a width are expected"),
        }
    }

    /// `( .. )`; a value alone in brackets is that value.
    fn aggregate(&mut self, depth: usize) -> Result<Value, Problem> {
        self.pos += 1;
        if depth == DEPTH {
            return self.problem("brackets are nested too deeply");
        }
        let mut items = Vec::new();
        loop {
            let line = self.line();
            let choice = self.choice()?;
            items.push(Item { line, choice, value: self.value(depth + 1)? });
            if self.accept(&Kind::Punct(')')) {
                break;
            }
            if !self.accept(&Kind::Punct(',')) {
                return self.problem("`,` or `)` is expected");
            }
        }
        match &items[..] {
            [Item { choice: Choice::Next, value, .. }] => Ok(value.clone()),
            _ => Ok(Value::Aggregate(items)),
        }
    }

    /// `others =>`, `3 =>`, `0 to 3 =>`, `field =>`, or nothing.
    fn choice(&mut self) -> Result<Choice, Problem> {
        let kind = |ahead: usize| self.tokens.get(self.pos + ahead).map(|t| &t.kind);
        let (choice, len) = match (kind(0), kind(1), kind(2), kind(3)) {
            (Some(Kind::Number(at)), Some(Kind::Arrow), ..) => (Choice::Range(*at, *at), 2),
            (Some(Kind::Word(name)), Some(Kind::Arrow), ..) if name == "others" => {
                (Choice::Others, 2)
            }
            (Some(Kind::Word(name)), Some(Kind::Arrow), ..) => (Choice::Field(name.clone()), 2),
            (
                Some(Kind::Number(from)),
                Some(Kind::Word(way)),
                Some(Kind::Number(to)),
                Some(Kind::Arrow),
            ) => match way.as_str() {
                "to" => (Choice::Range(*from, *to), 4),
                "downto" => (Choice::Range(*to, *from), 4),
                _ => return self.problem("`to` or `downto` is expected"),
            },
            _ => (Choice::Next, 0),
        };
        self.pos += len;
        Ok(choice)
    }
}
