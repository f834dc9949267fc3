// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads tokens and expressions, with the precedence of IEEE 1800-2017, table 11-2.

use crate::{
    MutateError,
    expression::{Expr, Node},
    source::{Kind, Source},
};

/// How tightly a binary operator binds; 0 if it is none.
fn binding(operator: &str) -> u8 {
    match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" | "~^" => 4,
        "&" => 5,
        "==" | "!=" | "===" | "!==" => 6,
        "<" | "<=" | ">" | ">=" | "inside" => 7,
        "<<" | ">>" | "<<<" | ">>>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        "**" => 11,
        _ => 0,
    }
}

/// Reads tokens one after the other.
#[derive(Debug)]
pub(crate) struct Reader<'s> {
    pub(crate) source: &'s Source,
    pub(crate) at: usize,
}

type Parsed<T> = Result<T, MutateError>;

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self { source, at: 0 }
    }

    pub(crate) fn word(&self) -> &'s str {
        self.source.word(self.at)
    }

    pub(crate) fn ahead(&self, tokens: usize) -> &'s str {
        self.source.word(self.at + tokens)
    }

    pub(crate) fn kind(&self) -> Option<Kind> {
        self.source.tokens.get(self.at).map(|t| t.kind)
    }

    pub(crate) fn fail<T>(&self, expected: &str) -> Parsed<T> {
        Err(self.source.error(self.source.bytes(&(self.at..self.at + 1)).start, expected))
    }

    /// Goes past a word if it is there.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        let there = self.word() == word;
        self.at += usize::from(there);
        there
    }

    pub(crate) fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.take(word) { Ok(()) } else { self.fail(word) }
    }

    pub(crate) fn name(&mut self) -> Parsed<&'s str> {
        let word = self.word();
        if self.kind() != Some(Kind::Word) {
            return self.fail("a name");
        }
        self.at += 1;
        Ok(word)
    }

    /// Goes past parentheses, brackets or braces and what is in them.
    pub(crate) fn skip_group(&mut self) -> Parsed<()> {
        let mut depth = 0;
        loop {
            match self.word() {
                "(" | "[" | "{" | "'{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "" => return self.fail("the end of a group"),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Goes past the next `word` outside of groups.
    pub(crate) fn skip_past(&mut self, word: &str) -> Parsed<()> {
        while self.word() != word {
            match self.word() {
                "(" | "[" | "{" | "'{" => self.skip_group()?,
                "" => return self.fail(word),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(())
    }

    fn made(&self, first: usize, node: Node) -> Expr {
        Expr { tokens: first..self.at, node }
    }

    /// A whole expression.
    pub(crate) fn expression(&mut self) -> Parsed<Expr> {
        let first = self.at;
        let condition = self.binary(1)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        Ok(self.made(first, Node::Conditional(Box::new([condition, yes, no]))))
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let first = self.at;
        let mut left = self.unary()?;
        loop {
            let operator = self.at;
            let binding = binding(self.word());
            if binding < least.max(1) {
                return Ok(left);
            }
            self.at += 1;
            let node = if self.source.word(operator) == "inside" {
                self.expect("{")?;
                Node::Inside(Box::new(left), self.list("}")?)
            } else {
                Node::Binary(Box::new(left), operator, Box::new(self.binary(binding + 1)?))
            };
            left = self.made(first, node);
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let first = self.at;
        match self.word() {
            "!" | "~" | "-" | "+" | "&" | "|" | "^" | "~&" | "~|" | "~^" => {
                self.at += 1;
                let operand = self.unary()?;
                Ok(self.made(first, Node::Unary(first, Box::new(operand))))
            }
            _ => {
                let primary = self.primary()?;
                self.postfix(first, primary)
            }
        }
    }

    /// What can be assigned to: a name with selections, or a concatenation of such.
    pub(crate) fn target(&mut self) -> Parsed<Expr> {
        let first = self.at;
        if self.word() != "{" && self.kind() != Some(Kind::Word) {
            return self.fail("what is assigned to");
        }
        let primary = self.primary()?;
        self.postfix(first, primary)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let first = self.at;
        let node = match (self.kind(), self.word()) {
            (Some(Kind::Number), _) => {
                self.at += 1;
                Node::Number
            }
            (Some(Kind::Word), _) => {
                self.at += 1;
                while self.take("::") {
                    self.name()?;
                }
                if self.take("(") { Node::Call(self.list(")")?) } else { Node::Name }
            }
            (_, "(") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                Node::Paren(Box::new(inner))
            }
            (_, "{") => self.braces()?,
            (_, "'{") => self.pattern()?,
            _ => return self.fail("an expression"),
        };
        Ok(self.made(first, node))
    }

    /// Expressions up to a closing symbol, which is passed.
    fn list(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        while !self.take(end) {
            all.push(self.expression()?);
            if self.word() != end {
                self.expect(",")?;
            }
        }
        Ok(all)
    }

    fn braces(&mut self) -> Parsed<Node> {
        self.expect("{")?;
        let head = self.expression()?;
        if self.take("{") {
            let mut all = vec![head];
            all.extend(self.list("}")?);
            self.expect("}")?;
            return Ok(Node::Repeat(all));
        }
        let mut all = vec![head];
        if self.take(",") {
            all.extend(self.list("}")?);
        } else {
            self.expect("}")?;
        }
        Ok(Node::Concat(all))
    }

    fn pattern(&mut self) -> Parsed<Node> {
        self.expect("'{")?;
        let mut values = Vec::new();
        while !self.take("}") {
            if self.ahead(1) == ":" {
                self.at += 2;
            }
            values.push(self.expression()?);
            if self.word() != "}" {
                self.expect(",")?;
            }
        }
        Ok(Node::Pattern(values))
    }

    fn postfix(&mut self, first: usize, mut base: Expr) -> Parsed<Expr> {
        loop {
            let node = match self.word() {
                "[" => {
                    self.at += 1;
                    let from = self.expression()?;
                    let kind = self.at;
                    let node = if matches!(self.word(), ":" | "+:" | "-:") {
                        self.at += 1;
                        let to = self.expression()?;
                        Node::Slice(Box::new(base), Box::new(from), kind, Box::new(to))
                    } else {
                        Node::Element(Box::new(base), Box::new(from))
                    };
                    self.expect("]")?;
                    node
                }
                "." => {
                    self.at += 1;
                    let member = self.at;
                    self.name()?;
                    Node::Member(Box::new(base), member)
                }
                "'" => {
                    self.at += 1;
                    self.expect("(")?;
                    let inner = self.expression()?;
                    self.expect(")")?;
                    Node::Cast(Box::new(inner))
                }
                _ => return Ok(base),
            };
            base = self.made(first, node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expression with parentheses around every operation.
    fn shape(source: &Source, e: &Expr) -> String {
        let all =
            |list: &[Expr]| list.iter().map(|e| shape(source, e)).collect::<Vec<_>>().join(",");
        match &e.node {
            Node::Name | Node::Number => source.line_of(&e.tokens),
            Node::Unary(op, x) => format!("({}{})", source.word(*op), shape(source, x)),
            Node::Binary(l, op, r) => {
                format!("({}{}{})", shape(source, l), source.word(*op), shape(source, r))
            }
            Node::Conditional(x) => {
                format!(
                    "({}?{}:{})",
                    shape(source, &x[0]),
                    shape(source, &x[1]),
                    shape(source, &x[2])
                )
            }
            Node::Element(b, i) => format!("{}[{}]", shape(source, b), shape(source, i)),
            Node::Slice(b, f, k, t) => {
                let (f, t) = (shape(source, f), shape(source, t));
                format!("{}[{f}{}{t}]", shape(source, b), source.word(*k))
            }
            Node::Member(b, m) => format!("{}.{}", shape(source, b), source.word(*m)),
            Node::Call(list) => format!("call({})", all(list)),
            Node::Cast(x) => format!("cast({})", shape(source, x)),
            Node::Concat(list) => format!("{{{}}}", all(list)),
            Node::Repeat(list) => format!("repeat({})", all(list)),
            Node::Pattern(list) => format!("'{{{}}}", all(list)),
            Node::Inside(v, set) => format!("({} in {})", shape(source, v), all(set)),
            Node::Paren(x) => shape(source, x),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let source = Source::new("t.sv", text).unwrap();
        let mut reader = Reader::new(&source);
        let e = reader.expression().unwrap();
        assert_eq!(reader.at, source.tokens.len(), "all of it is read");
        assert_eq!(shape(&source, &e), expected);
    }

    #[test]
    fn operators_bind_as_the_standard_says() {
        check("a == b && c || d", "(((a==b)&&c)||d)");
        check("a - b - c * d", "((a-b)-(c*d))");
        check("!a & b == c", "((!a)&(b==c))");
        check("a ? b : c ? d : e", "(a?b:(c?d:e))");
        check("a + 6'd1 == b.c[d +: 4]", "((a+6'd1)==b.c[d+:4])");
        check("x inside {p::A, p::B} || y", "((x in p::A,p::B)||y)");
        check("{{16{x[15]}}, x} << y[4:0]", "({repeat(16,x[15]),x}<<y[4:0])");
        check("$signed(a) >>> 6'(b)", "(call(a)>>>cast(b))");
        check("'{valid: 1'b1, default: '0}", "'{1'b1,'0}");
        check("-v[8*i +: 8]", "(-v[(8*i)+:8])");
    }
}
