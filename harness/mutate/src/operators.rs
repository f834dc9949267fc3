// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mutation operators. Each change replaces adjacent tokens of the source by a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    design::{Expr, ExprKind, Module, MutationSite, ProcessKind, SiteKind, Span},
    number,
};

/// Kind of a change.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// Another relational operator, or a value removed from a set.
    Relational,
    /// Another arithmetic or shift operator, or a minus sign, `$signed` or `$unsigned` removed.
    Arithmetic,
    /// Another bitwise operator, or no operator.
    Bitwise,
    /// Another logical operator, no operator, or a negated `inside`.
    Logical,
    /// A condition is negated.
    Negated,
    /// A condition, a part of one, or a repeated bit is stuck.
    Stuck,
    /// A number or named value is replaced by a neighbouring one, or by 0.
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
    /// A signal or member is replaced by a neighbour of the same type.
    Neighbour,
    /// An assignment is removed, so an earlier one takes effect.
    Dropped,
    /// A published bug, planted by a patch.
    Published,
}

impl Operator {
    /// The name of the operator in tables and files.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A change at a site.
#[derive(Clone, Debug)]
pub(crate) struct SiteChange {
    pub(crate) operator: Operator,
    pub(crate) at: Span,
    pub(crate) text: String,
    /// For a case item: the label that is removed.
    pub(crate) label: Option<Span>,
    /// The name of the other signal, if the change uses one.
    pub(crate) uses: Option<String>,
}

/// All distinct changes at a site.
pub(crate) fn changes(module: &Module, site: &MutationSite) -> Vec<SiteChange> {
    let mut walk = ChangeCollector { module, found: Vec::new() };
    match &site.what {
        SiteKind::Assignment { value, again, .. } => {
            let dropped = match site.process {
                ProcessKind::Reset => Some(Operator::Reset),
                ProcessKind::Clocked => Some(Operator::Enable),
                _ => again.then_some(Operator::Dropped),
            };
            if let Some(operator) = dropped {
                walk.add(operator, site.at, ";".to_owned());
            }
            walk.expression(value);
        }
        SiteKind::Connection { value, .. } => walk.expression(value),
        SiteKind::Condition { value } => {
            let (negated, stuck) = match site.process.is_clocked() {
                true => (Operator::Enable, Operator::Enable),
                false => (Operator::Negated, Operator::Stuck),
            };
            walk.add(negated, value.at, format!("!({})", module.line(value.at)));
            walk.add(stuck, value.at, "1'b1".to_owned());
            walk.add(stuck, value.at, "1'b0".to_owned());
            walk.expression(value);
        }
        SiteKind::Item { labels, whole, .. } => item(&mut walk, labels, *whole),
    }
    let mut found = walk.found;
    if site.process == ProcessKind::Reset {
        found.iter_mut().for_each(|change| change.operator = Operator::Reset);
    }
    found
}

/// One change for each label of a case item: the label is removed together with an adjacent comma, or with the whole
/// item if it is the only label.
fn item(walk: &mut ChangeCollector<'_>, labels: &[Span], whole: Span) {
    let text = &walk.module.text;
    for (place, label) in labels.iter().enumerate() {
        let comma_behind = || text[label[1]..].find(',').map_or(label[1], |n| label[1] + n + 1);
        let comma_before = || text[..label[0]].rfind(',').unwrap_or(label[0]);
        let at = match place {
            _ if labels.len() == 1 => whole,
            0 => [label[0], comma_behind()],
            _ => [comma_before(), label[1]],
        };
        walk.found.push(SiteChange {
            operator: Operator::Case,
            at,
            text: String::new(),
            label: Some(*label),
            uses: None,
        });
    }
}

struct ChangeCollector<'a> {
    module: &'a Module,
    found: Vec<SiteChange>,
}

impl ChangeCollector<'_> {
    fn text(&self, e: &Expr) -> String {
        self.module.line(e.at)
    }

    /// The text of the operator of an expression; empty if it has none.
    fn operator(&self, e: &Expr) -> &str {
        e.op.map_or("", |[from, to]| &self.module.text[from..to])
    }

    fn add(&mut self, operator: Operator, at: Span, text: String) {
        let known = self.found.iter().any(|c| c.at == at && c.text == text);
        if self.module.line(at) != text && !known {
            self.found.push(SiteChange { operator, at, text, label: None, uses: None });
        }
    }

    fn expression(&mut self, e: &Expr) {
        match (e.kind, e.parts.as_slice()) {
            (ExprKind::Name, _) => self.name(e),
            (ExprKind::Number, _) => {
                for number in number::neighbours(&self.text(e)) {
                    self.add(Operator::Constant, e.at, number);
                }
            }
            (ExprKind::Unary, [operand]) => self.unary(e, operand),
            (ExprKind::Binary, [left, right]) => self.binary(e, left, right),
            (ExprKind::Conditional, [condition, yes, no]) => {
                self.conditional(e, condition, yes, no)
            }
            (ExprKind::Element, [_, index]) => self.shifted(index),
            (ExprKind::Slice, [_, from, to]) => self.slice(e, from, to),
            (ExprKind::Member, _) => {
                for other in &e.neighbours {
                    self.add(Operator::Neighbour, e.op.unwrap_or(e.at), other.clone());
                }
            }
            (ExprKind::Call, _) if matches!(self.operator(e), "$signed" | "$unsigned") => {
                for argument in &e.parts {
                    self.add(Operator::Arithmetic, e.at, format!("({})", self.text(argument)));
                }
            }
            (ExprKind::Concat, [a, b]) => {
                let swapped = format!("{{{}, {}}}", self.text(b), self.text(a));
                self.add(Operator::Operands, e.at, swapped);
            }
            (ExprKind::Inside, [value, set @ ..]) => self.inside(e, value, set),
            _ => {}
        }
        self.parts(e);
    }

    /// The changes within an expression.
    fn parts(&mut self, e: &Expr) {
        match (e.kind, e.parts.as_slice()) {
            (ExprKind::Element, [base, index]) | (ExprKind::Slice, [base, index, _]) => {
                // The bounds of a range move together.
                let moved = e.kind == ExprKind::Slice && self.operator(e) == ":";
                if index.kind != ExprKind::Number && !moved {
                    self.expression(index);
                }
                self.expression(base);
            }
            (ExprKind::Repeat, [_, parts @ ..]) => {
                for part in parts {
                    if part.kind == ExprKind::Element {
                        self.add(Operator::Stuck, part.at, "1'b0".to_owned());
                    }
                    self.expression(part);
                }
            }
            // The arguments of other functions are elaboration constants.
            (ExprKind::Call, _) if !matches!(self.operator(e), "$signed" | "$unsigned") => {}
            (ExprKind::Inside, [value, ..]) => self.expression(value),
            (_, parts) => parts.iter().for_each(|part| self.expression(part)),
        }
    }

    fn name(&mut self, e: &Expr) {
        for value in &e.values {
            self.add(Operator::Constant, e.at, value.clone());
        }
        for other in &e.neighbours {
            let found = self.found.len();
            self.add(Operator::Neighbour, e.at, other.clone());
            if let Some(change) = self.found.get_mut(found) {
                change.uses = Some(other.clone());
            }
        }
    }

    fn unary(&mut self, e: &Expr, operand: &Expr) {
        let (kind, others): (Operator, &[&str]) = match self.operator(e) {
            "!" => (Operator::Logical, &[""]),
            "~" => (Operator::Bitwise, &[""]),
            "-" => (Operator::Arithmetic, &[""]),
            "|" => (Operator::Bitwise, &["&", "^"]),
            "&" => (Operator::Bitwise, &["|", "^"]),
            "^" => (Operator::Bitwise, &["|", "&"]),
            _ => return,
        };
        for other in others {
            self.add(kind, e.at, format!("{other}{}", self.text(operand)));
        }
    }

    fn binary(&mut self, e: &Expr, left: &Expr, right: &Expr) {
        let (kind, others): (Operator, &[&str]) = match self.operator(e) {
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
                self.add(kind, e.at, format!("(({l}) {other} ({r}))"));
            } else {
                self.add(kind, e.op.unwrap_or(e.at), (*other).to_owned());
            }
        }
        if kind == Operator::Logical {
            self.add(Operator::Stuck, e.at, format!("({l})"));
            self.add(Operator::Stuck, e.at, format!("({r})"));
        }
        if matches!(self.operator(e), "-" | "/" | "<<" | ">>" | ">>>") {
            let swapped = format!("(({r}) {} ({l}))", self.operator(e));
            self.add(Operator::Operands, e.at, swapped);
        }
    }

    fn conditional(&mut self, e: &Expr, condition: &Expr, yes: &Expr, no: &Expr) {
        let (c, y, n) = (self.text(condition), self.text(yes), self.text(no));
        self.add(Operator::Arms, e.at, format!("(({c}) ? ({n}) : ({y}))"));
        self.add(Operator::Stuck, condition.at, "1'b1".to_owned());
        self.add(Operator::Stuck, condition.at, "1'b0".to_owned());
    }

    /// The index plus one and minus one.
    fn shifted(&mut self, index: &Expr) {
        let text = self.text(index);
        if index.kind == ExprKind::Number {
            for up in [true, false] {
                if let Some(number) = number::adjacent(&text, up) {
                    self.add(Operator::Slice, index.at, number);
                }
            }
        } else if !text.contains("::") {
            self.add(Operator::Slice, index.at, format!("({text}) + 1"));
            self.add(Operator::Slice, index.at, format!("({text}) - 1"));
        }
    }

    fn slice(&mut self, e: &Expr, from: &Expr, to: &Expr) {
        if self.operator(e) != ":" {
            return self.shifted(from);
        }
        let (f, t) = (self.text(from), self.text(to));
        let moved = |up: bool| match (from.kind, to.kind) {
            (ExprKind::Number, ExprKind::Number) => {
                Some(format!("{}:{}", number::adjacent(&f, up)?, number::adjacent(&t, up)?))
            }
            _ if up => Some(format!("({f})+1:({t})+1")),
            _ => Some(format!("({f})-1:({t})-1")),
        };
        for text in [moved(true), moved(false)].into_iter().flatten() {
            self.add(Operator::Slice, [from.at[0], to.at[1]], text);
        }
    }

    fn inside(&mut self, e: &Expr, value: &Expr, set: &[Expr]) {
        self.add(Operator::Logical, e.at, format!("!({})", self.text(e)));
        for left_out in 0..set.len() {
            let kept = set.iter().enumerate().filter(|(place, _)| *place != left_out);
            let kept: Vec<String> = kept.map(|(_, e)| self.text(e)).collect();
            if !kept.is_empty() {
                let text = format!("({} inside {{{}}})", self.text(value), kept.join(", "));
                self.add(Operator::Relational, e.at, text);
            }
        }
    }
}
