// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses expressions (chapter 1, 8.1).

use super::cursor::Parser;
use crate::asm::{error::AsmError, expr::Expr, lexer::TokenKind};

/// Level of sums; operators of weaker levels are not allowed in `< >`.
pub(super) const SUM: usize = 4;

/// Precedence of a binary operator; the weakest is 0.
fn level_of(operator: char) -> Option<usize> {
    Some(match operator {
        '|' => 0,
        '^' => 1,
        '&' => 2,
        '«' | '»' => 3,
        '+' | '-' => SUM,
        '*' | '/' | '%' => 5,
        _ => return None,
    })
}

/// An expression of operators of this level and stronger levels; level 0 includes all.
pub(super) fn parse<'a>(parser: &mut Parser<'a>, level: usize) -> Result<Expr<'a>, AsmError> {
    let start = parser.place();
    let mut left = unary(parser)?;
    while let TokenKind::Punct(c) = parser.peek()
        && let Some(found) = level_of(c).filter(|found| *found >= level)
    {
        parser.next();
        let right = parse(parser, found + 1)?;
        let place = start.to(&parser.last_place());
        left = Expr::Binary(c, Box::new(left), Box::new(right), place);
    }
    Ok(left)
}

fn unary<'a>(parser: &mut Parser<'a>) -> Result<Expr<'a>, AsmError> {
    let mut operators = Vec::new();
    while let TokenKind::Punct(c @ ('+' | '-' | '~')) = parser.peek() {
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

fn primary<'a>(parser: &mut Parser<'a>) -> Result<Expr<'a>, AsmError> {
    let place = parser.place();
    if matches!(parser.peek(), TokenKind::Bad) {
        return parser.unexpected("A02", "expected a value");
    }
    match parser.next() {
        TokenKind::Int(v) => Ok(Expr::Num(v)),
        TokenKind::Fixed(_) => Ok(Expr::Fixed(place)),
        TokenKind::Ident(name) => {
            let constant = parser.constant(name);
            Ok(Expr::Name { name, constant, place })
        }
        TokenKind::Var(name) => match parser.variable(name) {
            Some(v) => Ok(Expr::Num(v)),
            None => place.fail("A06", format!("variable ${name} is not defined before this line")),
        },
        TokenKind::Punct('(') => {
            let inner = parser.nested(|p| parse(p, 0))?;
            parser.expect(')')?;
            Ok(inner)
        }
        _ => place.fail("A02", "expected a value"),
    }
}
