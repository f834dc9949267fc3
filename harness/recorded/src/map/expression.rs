// SPDX-License-Identifier: MIT OR Apache-2.0
//! The expressions of a map, parsed for one register or port, whose signals and width are known.

use std::sync::Arc;

use drra_lockstep::Value;

use super::{
    evaluate::{Codes, Expression, ExpressionNode},
    file::Span,
    find::MapPath,
    problem::MapProblem,
    reader::{BindError, BindResult, MapReader, ParseResult, is_word},
};
use crate::names::SignalKind;

/// Maximum width of a constant and of a value, in bits.
const MAX_CONSTANT_WIDTH: u32 = 4096;
const MAX_WIDTH: u32 = 1 << 16;
/// Maximum width of a memory address in bits.
const MAX_ADDRESS_WIDTH: u32 = 64;
/// Bits of a block.
pub(super) const BLOCK_BITS: u32 = 256;
/// Operators by increasing precedence.
const SIGNS: [&str; 3] = ["|", "&", "=="];

/// Enable, address and data of a write port, and whether its memory has unknown initial contents.
pub(super) type BoundWritePort =
    (BindResult<Expression>, BindResult<Expression>, BindResult<Expression>, bool);

/// All values, or the reason some values are missing.
fn all(values: Vec<BindResult<Expression>>) -> BindResult<Vec<Expression>> {
    match values.contains(&Err(BindError::Wrong)) {
        true => Err(BindError::Wrong),
        false => values.into_iter().collect(),
    }
}

impl MapReader<'_, '_> {
    /// An expression of a given width.
    pub(super) fn expression_of(&mut self, width: u32) -> ParseResult<BindResult<Expression>> {
        let start = self.at;
        let value = self.expression()?;
        Ok(self.fitting(value, width, self.since(start)))
    }

    /// The value of a register of a given width, and its missing bits, highest first. A register of which most bits
    /// are missing is missing as a whole.
    pub(super) fn register_of(
        &mut self,
        width: u32,
    ) -> ParseResult<BindResult<(Expression, Vec<u32>)>> {
        let start = self.at;
        let value = self.expression()?;
        let span = self.since(start);
        Ok(value.and_then(|value| {
            let value = self.widened(value, width);
            let gaps = value.missing(self.names()?);
            let missing: Vec<u32> =
                (0..value.width()).rev().filter(|n| gaps[*n as usize]).collect();
            let misfit = value.width() != width || 2 * missing.len() >= width as usize;
            if misfit && !missing.is_empty() {
                return Err(BindError::Lacking(self.text[span].to_owned()));
            }
            self.need(width, value.width(), span)?;
            Ok((value, missing))
        }))
    }

    /// A joined vector that begins with bit 0 of a wider value, with the missing bits above.
    fn widened(&self, of: Expression, width: u32) -> Expression {
        let fits = of.width() < width && width <= MAX_WIDTH;
        match of.signal().filter(|id| fits && self.names().is_ok_and(|names| names.is_open(*id))) {
            Some(id) => Expression::new(width, ExpressionNode::Signal(id), vec![]),
            None => of,
        }
    }

    /// True if bits of a value are missing.
    fn has_gaps(&self, value: &Expression) -> bool {
        self.names().is_ok_and(|names| value.missing(names).contains(&true))
    }

    fn fitting(
        &mut self,
        value: BindResult<Expression>,
        width: u32,
        span: Span,
    ) -> BindResult<Expression> {
        let value = value?;
        if self.has_gaps(&value) {
            return Err(BindError::Lacking(self.text[span].to_owned()));
        }
        self.need(width, value.width(), span)?;
        Ok(value)
    }

    /// Checks a width.
    fn need(&mut self, expected: u32, found: u32, span: Span) -> BindResult<()> {
        if expected == found {
            return Ok(());
        }
        let what = format!("the expression has {found} bits, expected {expected}");
        self.wrong(
            span,
            what,
            "select bits with [msb:lsb], add bits with (1'b0, x), recode with translate",
        )
    }

    pub(super) fn expression(&mut self) -> ParseResult<BindResult<Expression>> {
        let start = self.at;
        let condition = self.operands(&SIGNS)?;
        let span = self.since(start);
        if !self.takes("?") {
            return Ok(condition);
        }
        let condition = self.fitting(condition, 1, span);
        let then = self.expression()?;
        self.expect(":")?;
        let start = self.at;
        let otherwise = self.expression()?;
        Ok(all(vec![condition, then, otherwise]).and_then(|of| {
            let width = of[1].width();
            self.need(width, of[2].width(), self.since(start))?;
            Ok(Expression::new(width, ExpressionNode::If, of))
        }))
    }

    /// Operands joined by these operators or by operators of higher precedence.
    fn operands(&mut self, signs: &[&str]) -> ParseResult<BindResult<Expression>> {
        let Some((sign, tighter)) = signs.split_first() else { return self.operand() };
        let mut left = self.operands(tighter)?;
        while self.takes(sign) {
            let start = self.at;
            let right = self.operands(tighter)?;
            left = all(vec![left, right]).and_then(|of| {
                let width = of[0].width();
                self.need(width, of[1].width(), self.since(start))?;
                Ok(match *sign {
                    "|" => Expression::new(width, ExpressionNode::Or, of),
                    "&" => Expression::new(width, ExpressionNode::And, of),
                    _ => Expression::new(1, ExpressionNode::Equal, of),
                })
            });
        }
        Ok(left)
    }

    /// An operand, or the bits selected from it.
    fn operand(&mut self) -> ParseResult<BindResult<Expression>> {
        self.deeper(|reader| {
            if reader.takes("~") {
                let of = reader.operand()?;
                return Ok(of.map(|of| Expression::new(of.width(), ExpressionNode::Not, vec![of])));
            }
            let start = reader.at;
            let mut value = reader.whole()?;
            while reader.takes("[") {
                let msb = reader.sum()?;
                let lsb = if reader.takes(":") { reader.sum()? } else { msb.clone() };
                reader.close("]")?;
                let span = reader.since(start);
                let (msb, lsb) = (reader.count(msb, &span), reader.count(lsb, &span));
                value = value.and_then(|of| reader.bits(of, msb?, lsb?, span));
            }
            reader.space();
            Ok(value)
        })
    }

    fn bits(&mut self, of: Expression, msb: u32, lsb: u32, span: Span) -> BindResult<Expression> {
        let of = self.widened(of, msb.saturating_add(1));
        if msb < lsb || msb >= of.width() {
            let bits =
                if msb == lsb { format!("bit {msb}") } else { format!("bits {msb} to {lsb}") };
            let what = format!("cannot select {bits} of a value of {} bits", of.width());
            return self.wrong(
                span,
                what,
                "bits are counted from 0; write the highest first, [5:0]",
            );
        }
        Ok(Expression::new(msb - lsb + 1, ExpressionNode::Slice(lsb), vec![of]))
    }

    /// The function that begins here.
    pub(super) fn at_function(&self) -> Option<&'static str> {
        let begins = |name: &&str| {
            let rest = self.rest().strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with('('))
        };
        ["narrow", "enum", "translate", "first", "memory"].into_iter().find(begins)
    }

    /// An operand without a bit selection after it.
    fn whole(&mut self) -> ParseResult<BindResult<Expression>> {
        let start = self.at;
        if let Some(function) = self.at_function() {
            return self.function(function);
        }
        if self.takes("(") {
            let mut list = self.list(Self::expression)?;
            self.close(")")?;
            if list.len() == 1 {
                return Ok(list.remove(0));
            }
            return Ok(all(list).and_then(|of| {
                let width = of.iter().map(Expression::width).fold(0, u32::saturating_add);
                self.need(width.min(MAX_WIDTH), width, self.since(start))?;
                Ok(Expression::new(width, ExpressionNode::Concat, of))
            }));
        }
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let bits = self.constant()?;
            let constant =
                |bits: Value| Expression::new(bits.width(), ExpressionNode::Constant(bits), vec![]);
            return Ok(bits.map(constant));
        }
        let path = self.path()?;
        Ok(self.shown(path))
    }

    /// The value of the signal at a path, or of one of its bits.
    fn shown(&mut self, path: MapPath) -> BindResult<Expression> {
        let span = path.span.clone();
        let (id, bit) = self.find(path)?;
        let signal = self.names()?.signal(id);
        let width = match signal.kind {
            SignalKind::Bits { width } => width,
            SignalKind::Text => {
                let what = format!("`{}` shows names, not bits", signal.path);
                return self.wrong(span, what, "use enum(path, literal, literal)");
            }
            SignalKind::Real => return self.real(span, &signal.path),
        };
        self.need(width.clamp(1, MAX_WIDTH), width, span.clone())?;
        let whole = Expression::new(width, ExpressionNode::Signal(id), vec![]);
        match bit {
            None => Ok(whole),
            Some(1..) if width == 1 => Err(BindError::Lacking(self.text[span].to_owned())),
            Some(n) => self.bits(whole, n, n, span),
        }
    }

    fn real(&mut self, span: Span, signal: &str) -> BindResult<Expression> {
        let what = format!(
            "`{signal}` shows real numbers or events, or has 0 bits, and cannot be compared"
        );
        self.wrong(span, what, "exclude the register with a reason, or dump text as `string`")
    }

    fn function(&mut self, function: &str) -> ParseResult<BindResult<Expression>> {
        let start = self.at;
        self.eat(function);
        self.expect("(")?;
        let value = match function {
            "narrow" => {
                let of = self.expression()?;
                self.expect(",")?;
                let width: u32 = self.number()?;
                of.and_then(|of| {
                    let whole = of.width();
                    let found = if (1..=whole).contains(&width) { width } else { whole };
                    self.need(width, found, self.since(start))?;
                    Ok(Expression::new(width, ExpressionNode::Narrow, vec![of]))
                })
            }
            "first" => self.first()?,
            "enum" => {
                let path = self.path()?;
                self.space();
                self.expect(",")?;
                let (literals, width) = self.literals()?;
                self.enumeration(path, &literals, width)
            }
            "translate" => {
                let start = self.at;
                let of = self.expression()?;
                let span = self.since(start);
                self.expect(",")?;
                self.translation(of, span)?
            }
            _ => {
                self.at = start;
                return self.no_memory();
            }
        };
        self.close(")")?;
        Ok(value)
    }

    /// The problem if a memory is described where no memory is allowed.
    pub(super) fn no_memory<T>(&self) -> ParseResult<T> {
        let what = "`memory` describes all blocks of a tile and is not allowed here";
        self.error(what, "write it as the value of `tile[R][c].sram[a]`")
    }

    /// The first of several expressions that has all of its signals with all their bits; otherwise the first that has
    /// all of its signals.
    fn first(&mut self) -> ParseResult<BindResult<Expression>> {
        let (mut found, mut partial, mut lacking, mut number) = (None, None, Vec::new(), 0);
        self.list(|reader| {
            // Problems of alternatives that are not used are noted once per entry.
            let known = found.is_some() && reader.finder.as_ref().is_some_and(|f| !f.thorough);
            let finder = if known { reader.finder.take() } else { None };
            let value = reader.expression();
            if known {
                reader.finder = finder;
            }
            match value? {
                Err(BindError::Lacking(path)) => lacking.push(path),
                Ok(value) if reader.has_gaps(&value) => {
                    partial.get_or_insert((number, Ok(value)));
                }
                value if found.is_none() => found = Some((number, value)),
                _ => {}
            }
            number += 1;
            Ok(())
        })?;
        let Some((number, value)) = found.or(partial) else {
            // A port names all of its alternatives; a register is reported with the names most similar to the first.
            let is_port = self.finder.as_ref().is_some_and(|finder| finder.location.is_none());
            lacking.truncate(if is_port { lacking.len() } else { 1 });
            return Ok(Err(BindError::Lacking(lacking.join(" or "))));
        };
        self.chosen([format!("first[{number}]")]);
        Ok(value)
    }

    /// Literals with their values, by default their positions from 0 on, and the width of all values.
    fn literals(&mut self) -> ParseResult<(Vec<(String, u64)>, u32)> {
        let (mut literals, mut widths) = (Vec::<(String, u64)>::new(), Vec::new());
        self.list(|reader| {
            let start = reader.at;
            let literal = reader.word()?;
            let mut value = literals.len() as u64;
            if reader.takes(":") {
                if reader.rest().split('\'').next().is_some_and(|n| n.parse::<u32>().is_ok()) {
                    let bits = reader.known()?;
                    value = bits.number().unwrap_or_default();
                    widths.push(bits.width());
                } else {
                    value = reader.number()?;
                }
            }
            let name = literal.to_lowercase();
            if literals.iter().any(|(known, _)| *known == name) {
                return reader.twice(start, format!("the literal `{literal}`"));
            }
            literals.push((name, value));
            Ok(())
        })?;
        let largest = literals.iter().map(|(_, value)| *value).max().unwrap_or_default();
        let least = (u64::BITS - largest.leading_zeros()).max(1);
        let width = widths.first().copied().unwrap_or(least);
        if width > u64::BITS || width < least || widths.iter().any(|other| *other != width) {
            let what = format!("the enumeration needs values of one width, {least} to 64 bits");
            return self.error(what, "write all as WIDTH'dN");
        }
        Ok((literals, width))
    }

    fn twice<T>(&self, start: usize, what: String) -> ParseResult<T> {
        let what = format!("{what} is defined twice");
        Err(MapProblem::new(self.since(start), what, "remove one of them"))
    }

    /// An enumeration: waveforms show either the names of its values or their positions.
    fn enumeration(
        &mut self,
        path: MapPath,
        literals: &[(String, u64)],
        width: u32,
    ) -> BindResult<Expression> {
        let span = path.span.clone();
        let id = self.signal(path)?;
        let signal = self.names()?.signal(id);
        if signal.kind == SignalKind::Real {
            return self.real(span, &signal.path);
        }
        let known: Vec<String> =
            signal.literals.iter().map(|literal| literal.to_lowercase()).collect();
        let strange = |(name, _): &&(String, u64)| !known.is_empty() && !known.contains(name);
        if let Some((strange, _)) = literals.iter().find(strange) {
            let has = known.join(", ");
            let what = format!("the signal has no literal `{strange}`; it has {has}");
            return self.wrong(span, what, "write the literals as the design declares them");
        }
        let by_name = literals.iter().map(|(name, v)| (name.clone(), Value::new([*v], width)));
        let mut codes = Codes { by_name: by_name.collect(), ..Codes::default() };
        let declared = if known.is_empty() {
            literals.iter().map(|(l, _)| l.clone()).collect()
        } else {
            known
        };
        for (position, name) in (0..).zip(&declared) {
            let code = codes.by_name.get(name).cloned();
            codes.by_value.extend(code.map(|code| (Codes::key(&[position]), code)));
        }
        let of = vec![Expression::new(0, ExpressionNode::Signal(id), vec![])];
        Ok(Expression::new(width, ExpressionNode::Coded(Arc::new(codes)), of))
    }

    /// A translation: each code with the value that replaces it.
    fn translation(
        &mut self,
        of: BindResult<Expression>,
        span: Span,
    ) -> ParseResult<BindResult<Expression>> {
        let (mut codes, mut widths) = (Codes::default(), None);
        self.list(|reader| {
            let start = reader.at;
            let seen = reader.known()?;
            reader.expect(":")?;
            let code = reader.known()?;
            let (a, b) = *widths.get_or_insert((seen.width(), code.width()));
            for (found, expected) in [(seen.width(), a), (code.width(), b)] {
                if found != expected {
                    let what = format!("{found} bits, but others have {expected}");
                    let help = "give all codes on one side the same width";
                    return Err(MapProblem::new(reader.since(start), what, help));
                }
            }
            match codes.by_value.insert(Codes::key(seen.words()), code) {
                None => Ok(()),
                Some(_) => reader.twice(start, format!("the value {seen}")),
            }
        })?;
        let (seen, code) = widths.unwrap_or_default();
        let of = self.fitting(of, seen, span);
        Ok(of.map(|of| Expression::new(code, ExpressionNode::Coded(Arc::new(codes)), vec![of])))
    }

    /// A constant without indices.
    fn known(&mut self) -> ParseResult<Value> {
        let start = self.at;
        let bits = self.constant()?;
        bits.or_else(|_| {
            self.at = start;
            self.expected("a constant")
        })
        .inspect(|_| self.space())
    }

    /// A constant in SystemVerilog notation, or `7'd{a}`.
    fn constant(&mut self) -> ParseResult<BindResult<Value>> {
        let start = self.at;
        let text = self.eat_while(|c| is_word(c) || c == '\'');
        let width = text.strip_suffix("'d").and_then(|w| w.parse().ok());
        if let Some(width) = width.filter(|w| (1..=MAX_CONSTANT_WIDTH).contains(w))
            && self.takes("{")
        {
            let sum = self.sum()?;
            self.close("}")?;
            let span = self.since(start);
            return Ok(self.count(sum, &span).and_then(|value| {
                if width < u32::BITS && value >> width != 0 {
                    let what = format!("the value {value} does not fit in {width} bits");
                    return self.wrong(span, what, "check the value and the width");
                }
                Ok(Value::new([value.into()], width))
            }));
        }
        match constant(text) {
            Some(bits) => Ok(Ok(bits)),
            None => {
                self.at = start;
                let help = "constants are WIDTH'bDIGITS, WIDTH'oDIGITS, WIDTH'dDIGITS, WIDTH'hDIGITS, WIDTH'd{a}";
                self.error(format!("`{text}` is not a constant"), help)
            }
        }
    }

    /// The write port of a memory.
    pub(super) fn memory(&mut self) -> ParseResult<BoundWritePort> {
        self.expect("memory")?;
        self.expect("(")?;
        let mut part = |name: &str, width: Option<u32>| {
            self.expect(name)?;
            self.expect(":")?;
            let start = self.at;
            let value = self.expression()?;
            let span = self.since(start);
            if name != "data" {
                self.expect(",")?;
            }
            let width = width.or_else(|| Some(value.as_ref().ok()?.width().min(MAX_ADDRESS_WIDTH)));
            Ok(self.fitting(value, width.unwrap_or_default(), span))
        };
        let enable = part("enable", Some(1))?;
        let (address, data) = (part("address", None)?, part("data", Some(BLOCK_BITS))?);
        let unknown = self.takes(",");
        if unknown {
            self.expect("unknown")?;
        }
        self.expect(")")?;
        Ok((enable, address, data, unknown))
    }
}

/// The value of a constant; `None` if it is malformed or its digits do not fit its width.
fn constant(text: &str) -> Option<Value> {
    let (width, rest) = text.split_once('\'')?;
    let width: u32 = width.parse().ok().filter(|w| (1..=MAX_CONSTANT_WIDTH).contains(w))?;
    let mut digits = rest.chars().filter(|c| *c != '_').peekable();
    let radix = match digits.next()?.to_ascii_lowercase() {
        'b' => 2,
        'o' => 8,
        'd' => 10,
        'h' => 16,
        _ => return None,
    };
    digits.peek()?;
    let mut words = vec![0_u64; width.div_ceil(64) as usize];
    for digit in digits {
        let mut carry = u128::from(digit.to_digit(radix)?);
        for word in &mut words {
            let sum = u128::from(*word) * u128::from(radix) + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
        if carry != 0 || Value::new(&words, width).words() != words {
            return None;
        }
    }
    Some(Value::new(&words, width))
}
