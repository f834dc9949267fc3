// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a mutant changes. Every change replaces some neighbouring tokens of the source by a text.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    design::{Design, Module, Process, Site, SiteKind},
    expression::{Expr, Node},
    number,
    source::Source,
};

/// Kind of a change.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// Another relational operator, or a value left out of a set.
    Relational,
    /// Another arithmetic or shift operator, a sign left out.
    Arithmetic,
    /// Another bitwise operator, or none.
    Bitwise,
    /// Another logical operator, or none.
    Logical,
    /// A condition is negated.
    Negated,
    /// A condition, or a part of one, is stuck.
    Stuck,
    /// A number or a named value is the one next to it, or 0.
    Constant,
    /// The enable of a register is stuck or negated, or the register never loads.
    Enable,
    /// The reset of a register is missing or has another value.
    Reset,
    /// The arms of a conditional expression are swapped.
    Arms,
    /// A case item does what the default does.
    Case,
    /// A bit or a slice is off by one.
    Slice,
    /// The operands of an operator are swapped.
    Operands,
    /// A signal or a member is the one of the same type next to it.
    Neighbour,
    /// An assignment is left out, so that an earlier one holds.
    Dropped,
}

impl Operator {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Relational,
        Self::Arithmetic,
        Self::Bitwise,
        Self::Logical,
        Self::Negated,
        Self::Stuck,
        Self::Constant,
        Self::Enable,
        Self::Reset,
        Self::Arms,
        Self::Case,
        Self::Slice,
        Self::Operands,
        Self::Neighbour,
        Self::Dropped,
    ];

    /// Its name in tables and files.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A change at a site.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) operator: Operator,
    pub(crate) tokens: Range<usize>,
    pub(crate) text: String,
    /// For a case item: the label that is left out.
    pub(crate) label: Option<Range<usize>>,
    /// For another signal: its name.
    pub(crate) uses: Option<String>,
}

/// Signals that a site assigns.
pub(crate) fn targets(source: &Source, site: &Site) -> Vec<String> {
    let mut names = Vec::new();
    if let SiteKind::Assignment { target, .. } | SiteKind::Continuous { target, .. } = &site.kind {
        target.names(&mut names);
    }
    names.iter().map(|e| source.line_of(&e.tokens)).collect()
}

/// All changes at a site, each one once.
pub(crate) fn changes(
    design: &Design,
    module: &Module,
    source: &Source,
    site: &Site,
) -> Vec<Change> {
    let mut walk = Walk { design, module, source, found: Vec::new() };
    match &site.kind {
        SiteKind::Assignment { value, assigned_before, .. } => {
            let dropped = match site.process {
                Process::Clocked { reset: true } => Some(Operator::Reset),
                Process::Clocked { reset: false } => Some(Operator::Enable),
                _ => assigned_before.then_some(Operator::Dropped),
            };
            if let Some(operator) = dropped {
                walk.add(operator, &site.tokens, ";".to_owned());
            }
            walk.expression(value);
        }
        SiteKind::Continuous { value, .. } | SiteKind::Connection { value, .. } => {
            walk.expression(value);
        }
        SiteKind::Condition(e) => {
            let clocked = matches!(site.process, Process::Clocked { .. });
            let (negated, stuck) = match clocked {
                true => (Operator::Enable, Operator::Enable),
                false => (Operator::Negated, Operator::Stuck),
            };
            walk.add(negated, &e.tokens, format!("!({})", source.line_of(&e.tokens)));
            walk.add(stuck, &e.tokens, "1'b1".to_owned());
            walk.add(stuck, &e.tokens, "1'b0".to_owned());
            walk.expression(e);
        }
        SiteKind::Item { labels, whole, .. } => item(&mut walk, labels, whole),
    }
    let mut found = walk.found;
    if site.process == (Process::Clocked { reset: true }) {
        found.iter_mut().for_each(|change| change.operator = Operator::Reset);
    }
    found
}

/// Each label of a case item left out; the only one with the item.
fn item(walk: &mut Walk<'_>, labels: &[Range<usize>], whole: &Range<usize>) {
    for (place, label) in labels.iter().enumerate() {
        let tokens = match place {
            _ if labels.len() == 1 => whole.clone(),
            0 => label.start..label.end + 1,
            _ => label.start - 1..label.end,
        };
        let label = Some(label.clone());
        walk.found.push(Change {
            operator: Operator::Case,
            tokens,
            text: String::new(),
            label,
            uses: None,
        });
    }
}

struct Walk<'a> {
    design: &'a Design,
    module: &'a Module,
    source: &'a Source,
    found: Vec<Change>,
}

impl Walk<'_> {
    fn text(&self, e: &Expr) -> String {
        self.source.line_of(&e.tokens)
    }

    fn add(&mut self, operator: Operator, tokens: &Range<usize>, text: String) {
        let before = self.source.line_of(tokens);
        let known = self.found.iter().any(|c| c.tokens == *tokens && c.text == text);
        if before != text && !known {
            self.found.push(Change {
                operator,
                tokens: tokens.clone(),
                text,
                label: None,
                uses: None,
            });
        }
    }

    fn expression(&mut self, e: &Expr) {
        match &e.node {
            Node::Name => self.name(e),
            Node::Number => {
                for number in number::near(&self.text(e)) {
                    self.add(Operator::Constant, &e.tokens, number);
                }
            }
            Node::Unary(operator, operand) => {
                self.unary(e, *operator, operand);
                self.expression(operand);
            }
            Node::Binary(left, operator, right) => {
                self.binary(e, left, *operator, right);
                self.expression(left);
                self.expression(right);
            }
            Node::Conditional(three) => self.conditional(e, three),
            Node::Element(base, index) => self.element(base, index),
            Node::Slice(base, from, kind, to) => self.slice(base, from, *kind, to),
            Node::Member(base, member) => {
                for other in self.design.siblings(self.module, self.source, e) {
                    self.add(Operator::Neighbour, &(*member..*member + 1), other);
                }
                self.expression(base);
            }
            Node::Call(arguments) => self.call(e, arguments),
            Node::Concat(parts) => {
                if let [a, b] = parts.as_slice() {
                    let swapped = format!("{{{}, {}}}", self.text(b), self.text(a));
                    self.add(Operator::Operands, &e.tokens, swapped);
                }
                parts.iter().for_each(|part| self.expression(part));
            }
            Node::Repeat(all) => {
                for part in &all[1..] {
                    if matches!(part.node, Node::Element(..)) {
                        self.add(Operator::Stuck, &part.tokens, "1'b0".to_owned());
                    }
                    self.expression(part);
                }
            }
            Node::Pattern(values) => values.iter().for_each(|value| self.expression(value)),
            Node::Inside(value, set) => self.inside(e, value, set),
            Node::Cast(inner) | Node::Paren(inner) => self.expression(inner),
        }
    }

    fn name(&mut self, e: &Expr) {
        let name = self.text(e);
        for value in self.design.next_values(&name) {
            self.add(Operator::Constant, &e.tokens, value);
        }
        for other in self.design.neighbours(self.module, &name) {
            let found = self.found.len();
            self.add(Operator::Neighbour, &e.tokens, other.clone());
            if let Some(change) = self.found.get_mut(found) {
                change.uses = Some(other);
            }
        }
    }

    fn unary(&mut self, e: &Expr, operator: usize, operand: &Expr) {
        let (kind, others): (Operator, &[&str]) = match self.source.word(operator) {
            "!" => (Operator::Logical, &[""]),
            "~" => (Operator::Bitwise, &[""]),
            "-" => (Operator::Arithmetic, &[""]),
            "|" => (Operator::Bitwise, &["&", "^"]),
            "&" => (Operator::Bitwise, &["|", "^"]),
            "^" => (Operator::Bitwise, &["|", "&"]),
            _ => return,
        };
        for other in others {
            self.add(kind, &e.tokens, format!("{other}{}", self.text(operand)));
        }
    }

    fn binary(&mut self, e: &Expr, left: &Expr, operator: usize, right: &Expr) {
        let (kind, others): (Operator, &[&str]) = match self.source.word(operator) {
            "==" => (Operator::Relational, &["!="]),
            "!=" => (Operator::Relational, &["=="]),
            "<" => (Operator::Relational, &["<=", ">="]),
            "<=" => (Operator::Relational, &["<", ">"]),
            ">" => (Operator::Relational, &[">=", "<="]),
            ">=" => (Operator::Relational, &[">", "<"]),
            "+" => (Operator::Arithmetic, &["-"]),
            "-" => (Operator::Arithmetic, &["+"]),
            "*" => (Operator::Arithmetic, &["+"]),
            "/" => (Operator::Arithmetic, &["*"]),
            "<<" => (Operator::Arithmetic, &[">>"]),
            ">>" => (Operator::Arithmetic, &["<<"]),
            ">>>" => (Operator::Arithmetic, &[">>", "<<"]),
            "&" => (Operator::Bitwise, &["|", "^"]),
            "|" => (Operator::Bitwise, &["&", "^"]),
            "^" => (Operator::Bitwise, &["&", "|"]),
            "&&" => (Operator::Logical, &["||"]),
            "||" => (Operator::Logical, &["&&"]),
            _ => return,
        };
        let (l, r) = (self.text(left), self.text(right));
        for other in others {
            if kind == Operator::Logical || kind == Operator::Bitwise {
                self.add(kind, &e.tokens, format!("(({l}) {other} ({r}))"));
            } else {
                self.add(kind, &(operator..operator + 1), (*other).to_owned());
            }
        }
        if kind == Operator::Logical {
            self.add(Operator::Stuck, &e.tokens, format!("({l})"));
            self.add(Operator::Stuck, &e.tokens, format!("({r})"));
        }
        if matches!(self.source.word(operator), "-" | "/" | "<<" | ">>" | ">>>") {
            let swapped = format!("(({r}) {} ({l}))", self.source.word(operator));
            self.add(Operator::Operands, &e.tokens, swapped);
        }
    }

    fn conditional(&mut self, e: &Expr, three: &[Expr; 3]) {
        let [condition, yes, no] = three;
        let (c, y, n) = (self.text(condition), self.text(yes), self.text(no));
        self.add(Operator::Arms, &e.tokens, format!("(({c}) ? ({n}) : ({y}))"));
        self.add(Operator::Stuck, &condition.tokens, "1'b1".to_owned());
        self.add(Operator::Stuck, &condition.tokens, "1'b0".to_owned());
        three.iter().for_each(|part| self.expression(part));
    }

    fn element(&mut self, base: &Expr, index: &Expr) {
        self.shifted(index);
        if !matches!(index.node, Node::Number) {
            self.expression(index);
        }
        self.expression(base);
    }

    /// An index one above and one below.
    fn shifted(&mut self, index: &Expr) {
        let text = self.text(index);
        if matches!(index.node, Node::Number) {
            for up in [true, false] {
                if let Some(number) = number::beside(&text, up) {
                    self.add(Operator::Slice, &index.tokens, number);
                }
            }
        } else if !text.contains("::") {
            self.add(Operator::Slice, &index.tokens, format!("({text}) + 1"));
            self.add(Operator::Slice, &index.tokens, format!("({text}) - 1"));
        }
    }

    fn slice(&mut self, base: &Expr, from: &Expr, kind: usize, to: &Expr) {
        if self.source.word(kind) == ":" {
            let tokens = from.tokens.start..to.tokens.end;
            let (f, t) = (self.text(from), self.text(to));
            let moved = |up: bool| match (&from.node, &to.node) {
                (Node::Number, Node::Number) => {
                    Some(format!("{}:{}", number::beside(&f, up)?, number::beside(&t, up)?))
                }
                _ if up => Some(format!("({f})+1:({t})+1")),
                _ => Some(format!("({f})-1:({t})-1")),
            };
            for text in [moved(true), moved(false)].into_iter().flatten() {
                self.add(Operator::Slice, &tokens, text);
            }
        } else {
            self.shifted(from);
            if !matches!(from.node, Node::Number) {
                self.expression(from);
            }
        }
        self.expression(base);
    }

    fn call(&mut self, e: &Expr, arguments: &[Expr]) {
        match self.source.word(e.tokens.start) {
            "$signed" | "$unsigned" => {
                for argument in arguments {
                    self.add(Operator::Arithmetic, &e.tokens, format!("({})", self.text(argument)));
                    self.expression(argument);
                }
            }
            _ => {} // constants of the elaboration
        }
    }

    fn inside(&mut self, e: &Expr, value: &Expr, set: &[Expr]) {
        self.add(Operator::Logical, &e.tokens, format!("!({})", self.text(e)));
        for left_out in 0..set.len() {
            let kept = set.iter().enumerate().filter(|(place, _)| *place != left_out);
            let kept: Vec<String> = kept.map(|(_, e)| self.text(e)).collect();
            if !kept.is_empty() {
                let text = format!("({} inside {{{}}})", self.text(value), kept.join(", "));
                self.add(Operator::Relational, &e.tokens, text);
            }
        }
        self.expression(value);
    }
}
