// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of expressions: 64-bit signed arithmetic (chapter 1, 8.1).

use std::collections::HashMap;

use super::error::{AsmError, SourceSpan};
use crate::{description::Field, similar::similar};

pub(crate) enum Expr<'a> {
    Num(i64),
    /// A number with a decimal point, where only integers are allowed.
    Fixed(SourceSpan),
    /// A name, with the value of the constant of that name if the constant is defined at this point.
    Name {
        name: &'a str,
        constant: Option<i64>,
        place: SourceSpan,
    },
    Unary(char, Box<Expr<'a>>),
    Binary(char, Box<Expr<'a>>, Box<Expr<'a>>, SourceSpan),
}

/// The names that an expression can use, apart from constants: those of field values, and labels.
#[derive(Default)]
pub(crate) struct NameScope<'a> {
    pub(crate) field: Option<&'a Field>,
    pub(crate) labels: Option<&'a HashMap<&'a str, i64>>,
}

impl Expr<'_> {
    pub(crate) fn eval(&self, names: &NameScope<'_>) -> Result<i64, AsmError> {
        match self {
            Expr::Num(v) => Ok(*v),
            Expr::Fixed(place) => {
                place.fail("A07", "a number with a decimal point is only allowed in data")
            }
            Expr::Name { name, constant, place } => names
                .field
                .and_then(|f| f.value_of(name))
                .map(|v| v as i64)
                .or_else(|| names.labels.and_then(|l| l.get(name).copied()))
                .or(*constant)
                .ok_or_else(|| {
                    place.error("A06", format!("unknown name `{name}`{}", names.hint(name)))
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

impl NameScope<'_> {
    /// The value names of the field, or the label similar to an unknown name, for an error message.
    fn hint(&self, unknown: &str) -> String {
        if let Some(f) = self.field.filter(|f| !f.values.is_empty()) {
            let names: Vec<&str> = f.values.iter().map(|(_, n)| n.as_str()).collect();
            return format!("; `{}` accepts {}", f.name, names.join(", "));
        }
        let labels = self.labels.into_iter().flatten().map(|(label, _)| *label);
        similar(unknown, labels).map_or_else(String::new, |l| format!("; did you mean `{l}`?"))
    }
}
