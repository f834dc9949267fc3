// SPDX-License-Identifier: MIT OR Apache-2.0
//! Binds expressions as they are written to the signals of a dump.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use drra_isa::fabric::Location;

use super::{
    MapProblem,
    at::At,
    bindings::Bindings,
    constant,
    expression::{Enumeration, Expression, Node},
    finder::{Finder, NotFound},
    problem::Fault,
    term::{EnumTerm, IfTerm, NarrowTerm, Number, Term, TranslateTerm},
};
use crate::names::{SignalId, SignalKind};

/// Widest value of an expression in bits.
const WIDEST: u32 = 1 << 16;

/// Why an element gives no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unbound {
    /// The dump lacks this path.
    Lacking(String),
    /// The map is wrong; the problem is noted.
    Wrong,
}

/// What is wrong with a map: one problem for each kind at a place, whatever the number of registers.
#[derive(Default)]
pub(super) struct Problems {
    list: Vec<MapProblem>,
    index: HashMap<(String, Fault), usize>,
}

impl Problems {
    pub(super) fn add(&mut self, at: String, what: Fault, example: Option<Location>) {
        let index = *self.index.entry((at.clone(), what.clone())).or_insert(self.list.len());
        match self.list.get_mut(index) {
            Some(problem) => problem.more += 1,
            None => self.list.push(MapProblem { at, what, example, more: 0 }),
        }
    }

    pub(super) fn into_list(self) -> Vec<MapProblem> {
        self.list
    }
}

/// Binds the expressions of one element for one register or port after the other.
pub(super) struct Binder<'a> {
    pub(super) finder: &'a Finder<'a>,
    pub(super) problems: &'a RefCell<Problems>,
    /// How often each alternative was taken: JSON path of the alternative.
    pub(super) choices: RefCell<BTreeMap<String, usize>>,
    pub(super) bindings: Bindings,
    pub(super) location: Option<Location>,
    /// Alternatives that are not taken are checked, too.
    pub(super) thorough: bool,
}

type Bound<T> = Result<T, Unbound>;

impl Binder<'_> {
    fn wrong<T>(&self, at: &At<'_>, what: Fault) -> Bound<T> {
        self.problems.borrow_mut().add(at.to_string(), what, self.location);
        Err(Unbound::Wrong)
    }

    /// The signal of a path.
    pub(super) fn signal(&self, path: &str, at: &At<'_>) -> Bound<SignalId> {
        match self.finder.find(path, &self.bindings) {
            Ok(id) => Ok(id),
            Err(NotFound::Lacking(path)) => Err(Unbound::Lacking(path)),
            Err(NotFound::Wrong(fault)) => self.wrong(at, fault),
        }
    }

    /// An expression of a certain width.
    pub(super) fn of_width(&self, term: &Term, width: u32, at: &At<'_>) -> Bound<Expression> {
        let expression = self.expression(term, at)?;
        match expression.width() {
            found if found == width => Ok(expression),
            found => self.wrong(at, Fault::Width { expected: width, found }),
        }
    }

    pub(super) fn expression(&self, term: &Term, at: &At<'_>) -> Bound<Expression> {
        match term {
            Term::Text(text) => self.text(text, at),
            Term::Bit(term) => {
                let of = self.expression(&term.bit, &at.key("bit"));
                let index = self.number(&term.index, &at.key("index"))?;
                self.slice(of?, index, index, at)
            }
            Term::Slice(term) => {
                let of = self.expression(&term.slice, &at.key("slice"));
                let msb = self.number(&term.msb, &at.key("msb"));
                let lsb = self.number(&term.lsb, &at.key("lsb"))?;
                self.slice(of?, msb?, lsb, at)
            }
            Term::Narrow(term) => self.narrow(term, at),
            Term::Concat { concat } => self.concat(concat, &at.key("concat")),
            Term::If(term) => self.choice(term, at),
            Term::Enum(term) => self.enumeration(term, at),
            Term::Translate(term) => self.translation(term, at),
            Term::FirstOf { first_of } => self.first_of(first_of, &at.key("first_of")),
            Term::Not { not } => {
                let of = self.expression(not, &at.key("not"))?;
                Ok(Expression::new(of.width(), Node::Not(Box::new(of))))
            }
            Term::And { and } => {
                let (width, list) = self.same_width(and, &at.key("and"))?;
                Ok(Expression::new(width, Node::And(list)))
            }
            Term::Or { or } => {
                let (width, list) = self.same_width(or, &at.key("or"))?;
                Ok(Expression::new(width, Node::Or(list)))
            }
            Term::Equal { equal } => {
                let (_, list) = self.same_width(&equal[..], &at.key("equal"))?;
                let operands = list.try_into().map_err(|_| Unbound::Wrong)?;
                Ok(Expression::new(1, Node::Equal(Box::new(operands))))
            }
            Term::Memory { .. } => self.wrong(at, Fault::Memory),
        }
    }

    fn text(&self, text: &str, at: &At<'_>) -> Bound<Expression> {
        if constant::is_constant(text) {
            let filled = match self.finder.filled(text, &self.bindings) {
                Ok(filled) => filled,
                Err(e) => return self.wrong(at, e.into()),
            };
            return match constant::parse(&filled) {
                Some(bits) => Ok(Expression::new(bits.width(), Node::Constant(bits))),
                None => self.wrong(at, Fault::Constant { text: filled }),
            };
        }
        let id = self.signal(text, at)?;
        let signal = self.finder.names().signal(id);
        let path = || signal.path.clone();
        match signal.kind {
            SignalKind::Bits { width } if (1..=WIDEST).contains(&width) => {
                Ok(Expression::new(width, Node::Signal(id)))
            }
            SignalKind::Bits { width } => {
                self.wrong(at, Fault::Width { expected: WIDEST, found: width })
            }
            SignalKind::Text => self.wrong(at, Fault::Text { path: path() }),
            SignalKind::Real => self.wrong(at, Fault::Real { path: path() }),
        }
    }

    fn number(&self, number: &Number, at: &At<'_>) -> Bound<u32> {
        match self.finder.number(number, &self.bindings) {
            Ok(number) => Ok(number),
            Err(e) => self.wrong(at, e.into()),
        }
    }

    fn slice(&self, of: Expression, msb: u32, lsb: u32, at: &At<'_>) -> Bound<Expression> {
        if msb < lsb || msb >= of.width() {
            return self.wrong(at, Fault::Slice { msb, lsb, width: of.width() });
        }
        Ok(Expression::new(msb - lsb + 1, Node::Slice { of: Box::new(of), lsb }))
    }

    fn narrow(&self, term: &NarrowTerm, at: &At<'_>) -> Bound<Expression> {
        let of = self.expression(&term.narrow, &at.key("narrow"))?;
        if !(1..=of.width()).contains(&term.width) {
            let what = Fault::Width { expected: term.width, found: of.width() };
            return self.wrong(&at.key("width"), what);
        }
        Ok(Expression::new(term.width, Node::Narrow(Box::new(of))))
    }

    /// All expressions of a list; problems of all of them are noted.
    fn list(&self, terms: &[Term], at: &At<'_>) -> Bound<Vec<Expression>> {
        if terms.is_empty() {
            return self.wrong(at, Fault::Empty);
        }
        let all: Vec<_> =
            terms.iter().enumerate().map(|(i, term)| self.expression(term, &at.index(i))).collect();
        if all.contains(&Err(Unbound::Wrong)) {
            return Err(Unbound::Wrong);
        }
        all.into_iter().collect()
    }

    fn concat(&self, terms: &[Term], at: &At<'_>) -> Bound<Expression> {
        let list = self.list(terms, at)?;
        let width = list.iter().map(Expression::width).fold(0, u32::saturating_add);
        if width > WIDEST {
            return self.wrong(at, Fault::Width { expected: WIDEST, found: width });
        }
        Ok(Expression::new(width, Node::Concat(list)))
    }

    fn same_width(&self, terms: &[Term], at: &At<'_>) -> Bound<(u32, Vec<Expression>)> {
        let list = self.list(terms, at)?;
        let expected = list[0].width();
        match list.iter().map(Expression::width).enumerate().find(|(_, w)| *w != expected) {
            Some((i, found)) => self.wrong(&at.index(i), Fault::Width { expected, found }),
            None => Ok((expected, list)),
        }
    }

    fn choice(&self, term: &IfTerm, at: &At<'_>) -> Bound<Expression> {
        let condition = self.of_width(&term.condition, 1, &at.key("if"));
        let then = self.expression(&term.then, &at.key("then"));
        let place = at.key("else");
        let otherwise = self.expression(&term.otherwise, &place);
        if [&condition, &then, &otherwise].contains(&&Err(Unbound::Wrong)) {
            return Err(Unbound::Wrong);
        }
        let operands = [condition?, then?, otherwise?];
        let (expected, found) = (operands[1].width(), operands[2].width());
        if expected != found {
            return self.wrong(&place, Fault::Width { expected, found });
        }
        Ok(Expression::new(expected, Node::If(Box::new(operands))))
    }

    fn first_of(&self, terms: &[Term], at: &At<'_>) -> Bound<Expression> {
        let mut first = None;
        for (i, term) in terms.iter().enumerate() {
            let place = at.index(i);
            match self.expression(term, &place) {
                Err(Unbound::Lacking(path)) => {
                    first.get_or_insert(path);
                }
                other => {
                    if self.thorough {
                        // Their problems are noted, whether they are ever taken or not.
                        for (j, term) in terms.iter().enumerate().skip(i + 1) {
                            let _ = self.expression(term, &at.index(j));
                        }
                    }
                    *self.choices.borrow_mut().entry(place.to_string()).or_default() += 1;
                    return other;
                }
            }
        }
        match first {
            Some(path) => Err(Unbound::Lacking(path)),
            None => self.wrong(at, Fault::Empty),
        }
    }

    fn enumeration(&self, term: &EnumTerm, at: &At<'_>) -> Bound<Expression> {
        let count = term.literals.len();
        if count == 0 {
            return self.wrong(&at.key("literals"), Fault::Empty);
        }
        let values: Vec<u64> = match &term.values {
            None => (0..count as u64).collect(),
            Some(values) if values.len() == count => values.clone(),
            Some(values) => {
                let what = Fault::Values { literals: count, values: values.len() };
                return self.wrong(&at.key("values"), what);
            }
        };
        let largest = values.iter().copied().max().unwrap_or(0);
        let needed = (u64::BITS - largest.leading_zeros()).max(1);
        let width = term.width.unwrap_or(needed);
        if !(needed..=u64::BITS).contains(&width) {
            return self.wrong(at, Fault::Value { value: largest, width });
        }
        let mut by_name = BTreeMap::new();
        for (literal, value) in term.literals.iter().zip(&values) {
            if by_name.insert(literal.to_lowercase(), *value).is_some() {
                let what = Fault::LiteralTwice { literal: literal.clone() };
                return self.wrong(&at.key("literals"), what);
            }
        }
        let id = self.signal(&term.signal, &at.key("enum"))?;
        let signal = self.finder.names().signal(id);
        if signal.kind == SignalKind::Real {
            return self.wrong(at, Fault::Real { path: signal.path.clone() });
        }
        let known: Vec<String> = signal.literals.iter().map(|l| l.to_lowercase()).collect();
        let by_position = if known.is_empty() {
            values.into_iter().map(Some).collect()
        } else {
            let strange = |l: &&String| !known.contains(&l.to_lowercase());
            if let Some(literal) = term.literals.iter().find(strange) {
                let what = Fault::Literal { literal: literal.clone(), known };
                return self.wrong(&at.key("literals"), what);
            }
            known.iter().map(|name| by_name.get(name).copied()).collect()
        };
        let enumeration = Arc::new(Enumeration { by_name, by_position });
        Ok(Expression::new(width, Node::Enumeration(enumeration, id)))
    }

    fn translation(&self, term: &TranslateTerm, at: &At<'_>) -> Bound<Expression> {
        let of = self.expression(&term.translate, &at.key("translate"))?;
        let place = at.key("values");
        let mut values = BTreeMap::new();
        let mut width = None;
        for (from, to) in &term.values {
            let place = place.key(from);
            let Some(seen) = constant::parse(from) else {
                return self.wrong(&place, Fault::Constant { text: from.clone() });
            };
            let Some(code) = constant::parse(to) else {
                return self.wrong(&place, Fault::Constant { text: to.clone() });
            };
            let expected = *width.get_or_insert(code.width());
            for (expected, found) in [(of.width(), seen.width()), (expected, code.width())] {
                if expected != found {
                    return self.wrong(&place, Fault::Width { expected, found });
                }
            }
            if values.insert(seen.words().to_vec(), code).is_some() {
                return self.wrong(&place, Fault::ValueTwice { value: from.clone() });
            }
        }
        let Some(width) = width else { return self.wrong(&place, Fault::Empty) };
        Ok(Expression::new(width, Node::Translate { of: Box::new(of), values: Arc::new(values) }))
    }
}
