// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions: 64-bit signed arithmetic (chapter 1, 8.1).

use std::collections::HashMap;

use super::AsmError;
use super::SourceSpan;
use super::lexer::Kind;
use super::parser::Parser;
use crate::description::Field;

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Num(i64),
    /// A number with a decimal point where only integers are allowed.
    Fixed(SourceSpan),
    /// A name, with the value of the constant of that name if there was one at this point.
    Name {
        name: String,
        constant: Option<i64>,
        place: SourceSpan,
    },
    Unary(char, Box<Expr>),
    Binary(char, Box<Expr>, Box<Expr>, SourceSpan),
}

/// What names mean while an expression is evaluated.
#[derive(Default)]
pub(crate) struct Names<'a> {
    pub(crate) field: Option<&'a Field>,
    pub(crate) labels: Option<&'a HashMap<String, i64>>,
}

/// Operators by precedence, weakest first.
const LEVELS: [&[char]; 6] = [&['|'], &['^'], &['&'], &['«', '»'], &['+', '-'], &['*', '/', '%']];

/// Level of sums, the only operators allowed in `< >`.
pub(crate) const SUM: usize = 4;

pub(crate) fn parse(parser: &mut Parser<'_>, level: usize) -> Result<Expr, AsmError> {
    if level == LEVELS.len() {
        return unary(parser);
    }
    let start = parser.place();
    let mut left = parse(parser, level + 1)?;
    while let Kind::Punct(c) = *parser.peek()
        && LEVELS[level].contains(&c)
    {
        parser.next();
        let right = parse(parser, level + 1)?;
        let place = start.to(&parser.last_place());
        left = Expr::Binary(c, Box::new(left), Box::new(right), place);
    }
    Ok(left)
}

fn unary(parser: &mut Parser<'_>) -> Result<Expr, AsmError> {
    let mut operators = Vec::new();
    while let Kind::Punct(c @ ('+' | '-' | '~')) = *parser.peek() {
        parser.next();
        operators.push(c);
        if operators.len() > 64 {
            return Err(parser.last_place().error("A02", "too many signs"));
        }
    }
    let mut value = primary(parser)?;
    for c in operators.into_iter().rev() {
        value = Expr::Unary(c, Box::new(value));
    }
    Ok(value)
}

fn primary(parser: &mut Parser<'_>) -> Result<Expr, AsmError> {
    let place = parser.place();
    match parser.next() {
        Kind::Int(v) => Ok(Expr::Num(v)),
        Kind::Fixed(_) => Ok(Expr::Fixed(place)),
        Kind::Ident(name) => {
            let constant = parser.constant(&name);
            Ok(Expr::Name { name, constant, place })
        }
        Kind::Var(name) => match parser.variable(&name) {
            Some(v) => Ok(Expr::Num(v)),
            None => {
                Err(place.error("A06", format!("variable ${name} is not defined before this line")))
            }
        },
        Kind::Punct('(') => {
            let inner = parser.nested(|p| parse(p, 0))?;
            parser.expect(')')?;
            Ok(inner)
        }
        Kind::Bad(error) => Err(error),
        _ => Err(place.error("A02", "a value is expected")),
    }
}

impl Expr {
    pub(crate) fn eval(&self, names: &Names<'_>) -> Result<i64, AsmError> {
        match self {
            Expr::Num(v) => Ok(*v),
            Expr::Fixed(place) => {
                Err(place.error("A07", "a number with a decimal point is allowed in data only"))
            }
            Expr::Name { name, constant, place } => names
                .field
                .and_then(|f| f.value_of(name))
                .map(|v| v as i64)
                .or_else(|| names.labels.and_then(|l| l.get(name).copied()))
                .or(*constant)
                .ok_or_else(|| {
                    place.error("A06", format!("unknown name `{name}`{}", hint(names.field)))
                }),
            Expr::Unary(op, value) => {
                let v = value.eval(names)?;
                Ok(match op {
                    '-' => v.wrapping_neg(),
                    '~' => !v,
                    _ => v,
                })
            }
            Expr::Binary(op, left, right, place) => {
                let (a, b) = (left.eval(names)?, right.eval(names)?);
                binary(*op, a, b).ok_or_else(|| match op {
                    '/' | '%' => place.error("A18", "division by zero"),
                    _ => place.error("A18", format!("shift count {b} is outside 0..63")),
                })
            }
        }
    }
}

fn binary(op: char, a: i64, b: i64) -> Option<i64> {
    let count = || u32::try_from(b).ok().filter(|n| *n < 64);
    Some(match op {
        '|' => a | b,
        '^' => a ^ b,
        '&' => a & b,
        '+' => a.wrapping_add(b),
        '-' => a.wrapping_sub(b),
        '*' => a.wrapping_mul(b),
        '«' => a << count()?,
        '»' => a >> count()?,
        _ if b == 0 => return None,
        '/' => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    })
}

/// The names that a field knows, for an error message.
fn hint(field: Option<&Field>) -> String {
    match field {
        Some(f) if !f.values.is_empty() => {
            let names: Vec<&str> = f.values.iter().map(|(_, n)| n.as_str()).collect();
            format!("; `{}` knows {}", f.name, names.join(", "))
        }
        _ => String::new(),
    }
}
