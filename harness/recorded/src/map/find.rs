// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the signals of a dump that a map names, and makes expressions over them.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use drra_isa::fabric::Location;

use super::{
    evaluate::{Enumeration, Expression, Node},
    grammar::{Item, MapFile, Part, Path, Span, Sum, Term},
    pattern::Bindings,
    problem::Problem,
};
use crate::{
    Bits,
    names::{NameError, Names, SignalId, SignalKind},
};

/// Similar paths that are named.
pub(super) const NEAREST: usize = 3;
/// Widest value of an expression in bits.
const WIDEST: u32 = 1 << 16;
/// Most prefixes that a path is made of, and most paths that their alternatives give.
const PREFIXES: usize = 500;
const ALTERNATIVES: usize = 64;

/// Why an element gives no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unbound {
    /// The dump lacks this path.
    Lacking(String),
    /// The map is wrong; the problem is noted.
    Wrong,
}

pub(super) type Bound<T> = Result<T, Unbound>;

/// Binds the expressions of a map for one register or port after the other.
pub(super) struct Finder<'a> {
    pub(super) file: &'a MapFile,
    pub(super) names: &'a Names,
    known: HashMap<String, Result<(SignalId, Option<u32>), NameError>>,
    /// One problem for each kind at a place, whatever the number of registers.
    pub(super) problems: Vec<Problem>,
    noted: HashMap<(Span, String), usize>,
    /// How often each alternative was taken: `let.top[0]`, `first[1]`.
    pub(super) choices: BTreeMap<String, usize>,
    pub(super) bindings: Bindings,
    pub(super) location: Option<Location>,
    /// Alternatives that are not taken are checked, too.
    pub(super) thorough: bool,
}

/// A path with the alternatives of prefixes that it is made of.
#[derive(Clone, Default)]
struct Candidate {
    path: String,
    chosen: Vec<String>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(file: &'a MapFile, names: &'a Names) -> Self {
        Self {
            file,
            names,
            known: HashMap::new(),
            problems: Vec::new(),
            noted: HashMap::new(),
            choices: BTreeMap::new(),
            bindings: Bindings::default(),
            location: None,
            thorough: true,
        }
    }

    /// Goes on to another element of the map.
    pub(super) fn begin(&mut self, bindings: Bindings, location: Option<Location>) {
        (self.bindings, self.location) = (bindings, location);
    }

    pub(super) fn note(&mut self, problem: Problem) {
        let key = (problem.span.clone(), problem.what.clone());
        match self.noted.get(&key) {
            Some(known) => self.problems[*known].more += 1,
            None => {
                self.noted.insert(key, self.problems.len());
                self.problems.push(Problem { example: self.location, ..problem });
            }
        }
    }

    pub(super) fn wrong<T>(&mut self, span: Span, what: impl Into<String>, help: &str) -> Bound<T> {
        self.note(Problem::new(span, what, help));
        Err(Unbound::Wrong)
    }

    pub(super) fn wrong_width<T>(&mut self, span: Span, expected: u32, found: u32) -> Bound<T> {
        let what = format!("{expected} bits are needed, the expression has {found}");
        self.wrong(span, what, "take bits with [msb:lsb], add some with (1'b0, x)")
    }

    /// What arithmetic gives.
    fn item(&self, sum: &Sum) -> Result<Item, String> {
        match sum {
            Sum::Number(n) => Ok(Item::Number(*n)),
            Sum::Letter(letter) => self.bindings.get(*letter).cloned().ok_or_else(|| {
                let letters: Vec<String> =
                    self.bindings.0.iter().map(|(l, _)| format!("`{l}`")).collect();
                let known = match letters.len() {
                    0 => "there are no letters".to_owned(),
                    1 => format!("the only one is {}", letters[0]),
                    _ => format!("there are {}", letters.join(", ")),
                };
                format!("the letter `{letter}` stands for no index here; {known}")
            }),
            Sum::Row(name, index) => {
                let table = self.file.tables.get(name);
                let table = table.ok_or_else(|| format!("there is no table `{name}`"))?;
                let index = self.item(index)?;
                let row = |text: &str| table.iter().find(|(row, _)| row == text);
                let by_position = || match index {
                    Item::Name(_, Some(n)) => row(&n.to_string()),
                    _ => None,
                };
                let found = row(&text(&index)).or_else(by_position).map(|(_, item)| item.clone());
                found.ok_or_else(|| format!("the table `{name}` has no row `{}`", text(&index)))
            }
            Sum::Two(sign, operands) => {
                let (a, b) = (self.number(&operands[0])?, self.number(&operands[1])?);
                let value = match sign {
                    '+' => a.checked_add(b),
                    '-' => a.checked_sub(b),
                    '*' => a.checked_mul(b),
                    '/' => a.checked_div(b),
                    _ => a.checked_rem(b),
                };
                let none = || format!("`{a} {sign} {b}` has no value that counts from 0");
                value.map(Item::Number).ok_or_else(none)
            }
        }
    }

    fn number(&self, sum: &Sum) -> Result<i64, String> {
        match self.item(sum)? {
            Item::Number(n) | Item::Name(_, Some(n)) => Ok(n),
            Item::Name(name, None) => Err(format!("`{name}` is not a number")),
        }
    }

    /// Arithmetic that counts something.
    pub(super) fn count(&mut self, sum: &Sum, span: &Span) -> Bound<u32> {
        let count = self.number(sum).and_then(|n| {
            u32::try_from(n).map_err(|_| format!("`{n}` has no value that counts from 0"))
        });
        count.or_else(|what| self.wrong_sum(span, what))
    }

    fn wrong_sum<T>(&mut self, span: &Span, what: String) -> Bound<T> {
        let help = "between braces stands the name of a `let`, or arithmetic with the letters of the entry";
        self.wrong(span.clone(), what, help)
    }

    /// The paths that a path stands for, in the order in which they are tried; `left` prefixes may be in it.
    fn expand(&self, parts: &[Part], left: &mut usize) -> Result<Vec<Candidate>, String> {
        let mut candidates = vec![Candidate::default()];
        for part in parts {
            let text = match part {
                Part::Text(text) => text.clone(),
                Part::Sum(sum) => match self.item(sum)? {
                    Item::Number(n) if n < 0 => {
                        return Err(format!("`{n}` has no value that counts from 0"));
                    }
                    item => text(&item),
                },
                Part::Prefix(name) => {
                    let paths = self.file.prefixes.get(name);
                    let paths = paths.ok_or_else(|| format!("there is no `let {name}`"))?;
                    let several = paths.len() > 1;
                    let mut beginnings = Vec::new();
                    for (number, path) in paths.iter().enumerate() {
                        *left = left.checked_sub(1).ok_or_else(|| circle(name))?;
                        for mut inner in self.expand(&path.parts, left)? {
                            inner.chosen.extend(several.then(|| format!("let.{name}[{number}]")));
                            beginnings.push(inner);
                        }
                    }
                    if beginnings.len() * candidates.len() > ALTERNATIVES {
                        return Err(circle(name));
                    }
                    let all = candidates.iter();
                    candidates = all
                        .flat_map(|c| beginnings.iter().map(|inner| c.followed_by(inner)))
                        .collect();
                    continue;
                }
            };
            candidates.iter_mut().for_each(|c| c.path.push_str(&text));
        }
        Ok(candidates)
    }

    /// A signal with a path, or a bit of one.
    fn look_up(&mut self, path: &str) -> Result<(SignalId, Option<u32>), NameError> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let found = self.names.find(path).map(|id| (id, None)).or_else(|e| {
            // What is no element of an array may be a bit of a vector.
            let bit = || {
                let (of, index) = path.strip_suffix(']')?.rsplit_once('[')?;
                Some((self.names.find(of).ok()?, Some(index.parse().ok()?)))
            };
            bit().filter(|_| matches!(e, NameError::Missing { .. })).ok_or(e)
        });
        self.known.insert(path.to_owned(), found.clone());
        found
    }

    fn find(&mut self, path: &Path) -> Bound<(SignalId, Option<u32>)> {
        let candidates = match self.expand(&path.parts, &mut PREFIXES.clone()) {
            Ok(candidates) => candidates,
            Err(what) => return self.wrong_sum(&path.span, what),
        };
        let mut furthest: Option<(usize, String)> = None;
        for candidate in candidates {
            match self.look_up(&candidate.path) {
                Ok(found) => {
                    for choice in candidate.chosen {
                        *self.choices.entry(choice).or_default() += 1;
                    }
                    return Ok(found);
                }
                Err(NameError::Several { mut paths }) => {
                    paths.truncate(NEAREST);
                    let (path_of, all) = (candidate.path, paths.join(", "));
                    let what = format!("`{path_of}` is the path of several signals: {all}");
                    let help = "write the level of `*` that tells them apart";
                    return self.wrong(path.span.clone(), what, help);
                }
                Err(NameError::Missing { found }) => {
                    if furthest.as_ref().is_none_or(|(length, _)| found.len() > *length) {
                        furthest = Some((found.len(), candidate.path));
                    }
                }
            }
        }
        Err(Unbound::Lacking(furthest.unwrap_or_default().1))
    }

    /// The signal of a path as a whole.
    pub(super) fn signal(&mut self, path: &Path) -> Bound<SignalId> {
        match self.find(path)? {
            (id, None) => Ok(id),
            (_, Some(_)) => Err(Unbound::Lacking(self.file.source(&path.span).to_owned())),
        }
    }

    /// An expression of a certain width.
    pub(super) fn of_width(&mut self, term: &Term, width: u32) -> Bound<Expression> {
        let expression = self.expression(term)?;
        match expression.width() {
            found if found == width => Ok(expression),
            found => self.wrong_width(term.span(), width, found),
        }
    }

    pub(super) fn expression(&mut self, term: &Term) -> Bound<Expression> {
        let span = || term.span();
        match term {
            Term::Path(path) => self.path(path),
            Term::Constant(bits, _) => {
                Ok(Expression::new(bits.width(), Node::Constant(bits.clone())))
            }
            Term::Counted(width, sum, span) => {
                let value = self.count(sum, span)?;
                if *width < u32::BITS && value >> width != 0 {
                    let what = format!("the value {value} does not fit {width} bits");
                    return self.wrong(span.clone(), what, "check the value and the width");
                }
                let bits = Bits::new(&[value.into()], *width);
                Ok(Expression::new(*width, Node::Constant(bits)))
            }
            Term::Slice(of, msb, lsb) => {
                let expression = self.expression(of);
                let (msb, lsb) = (self.count(msb, &span()), self.count(lsb, &span()));
                self.slice(expression?, msb?, lsb?, span())
            }
            Term::Narrow(of, width) => {
                let of = self.expression(of)?;
                if !(1..=of.width()).contains(width) {
                    return self.wrong_width(span(), *width, of.width());
                }
                Ok(Expression::new(*width, Node::Narrow(Box::new(of))))
            }
            Term::Concat(list) => {
                let list = self.all(list)?;
                let width = list.iter().map(Expression::width).fold(0, u32::saturating_add);
                if width > WIDEST {
                    return self.wrong_width(span(), WIDEST, width);
                }
                Ok(Expression::new(width, Node::Concat(list)))
            }
            Term::If(operands) => {
                let condition = self.of_width(&operands[0], 1);
                let [then, otherwise] = [1, 2].map(|n| self.expression(&operands[n]));
                if [&condition, &then, &otherwise].contains(&&Err(Unbound::Wrong)) {
                    return Err(Unbound::Wrong);
                }
                let list = [condition?, then?, otherwise?];
                let (expected, found) = (list[1].width(), list[2].width());
                if expected != found {
                    return self.wrong_width(operands[2].span(), expected, found);
                }
                Ok(Expression::new(expected, Node::If(Box::new(list))))
            }
            Term::Enum(path, literals, width) => self.enumeration(path, literals, *width),
            Term::Translate(of, codes) => {
                let expression = self.expression(of)?;
                let (seen, code) = (codes[0].0.width(), codes[0].1.width());
                if expression.width() != seen {
                    return self.wrong_width(of.span(), seen, expression.width());
                }
                let values = codes.iter().map(|(seen, code)| (seen.words().to_vec(), code.clone()));
                let values = Arc::new(values.collect());
                Ok(Expression::new(code, Node::Translate { of: Box::new(expression), values }))
            }
            Term::First(list) => self.first(list),
            Term::Not(of) => {
                let of = self.expression(of)?;
                Ok(Expression::new(of.width(), Node::Not(Box::new(of))))
            }
            Term::And(list) => {
                let list = self.same_width(list)?;
                Ok(Expression::new(list[0].width(), Node::And(list)))
            }
            Term::Or(list) => {
                let list = self.same_width(list)?;
                Ok(Expression::new(list[0].width(), Node::Or(list)))
            }
            Term::Equal(operands) => {
                let operands = self.same_width(&operands[..])?;
                let operands = operands.try_into().map_err(|_| Unbound::Wrong)?;
                Ok(Expression::new(1, Node::Equal(Box::new(operands))))
            }
        }
    }

    fn path(&mut self, path: &Path) -> Bound<Expression> {
        let (id, bit) = self.find(path)?;
        let signal = self.names.signal(id);
        match signal.kind {
            SignalKind::Bits { width } if (1..=WIDEST).contains(&width) => {
                let whole = Expression::new(width, Node::Signal(id));
                match bit {
                    None => Ok(whole),
                    Some(n) => self.slice(whole, n, n, path.span.clone()),
                }
            }
            SignalKind::Bits { width } => self.wrong_width(path.span.clone(), WIDEST, width),
            SignalKind::Text => {
                let what = format!("`{}` shows names, not bits", signal.path);
                self.wrong(path.span.clone(), what, "use enum(path, literal, literal)")
            }
            SignalKind::Real => self.real(path, id),
        }
    }

    fn real<T>(&mut self, path: &Path, id: SignalId) -> Bound<T> {
        let signal = &self.names.signal(id).path;
        let what = format!("`{signal}` shows real numbers or events, which cannot be compared");
        self.wrong(path.span.clone(), what, "exclude the register with a reason")
    }

    fn slice(&mut self, of: Expression, msb: u32, lsb: u32, span: Span) -> Bound<Expression> {
        if msb < lsb || msb >= of.width() {
            let what = format!("bits {msb} to {lsb} of a value of {} bits", of.width());
            return self.wrong(span, what, "bits are counted from 0, and msb is not below lsb");
        }
        Ok(Expression::new(msb - lsb + 1, Node::Slice { of: Box::new(of), lsb }))
    }

    /// All expressions of a list; problems of all of them are noted.
    fn all(&mut self, terms: &[Term]) -> Bound<Vec<Expression>> {
        let all: Vec<_> = terms.iter().map(|term| self.expression(term)).collect();
        if all.contains(&Err(Unbound::Wrong)) {
            return Err(Unbound::Wrong);
        }
        all.into_iter().collect()
    }

    fn same_width(&mut self, terms: &[Term]) -> Bound<Vec<Expression>> {
        let list = self.all(terms)?;
        let expected = list[0].width();
        match list.iter().zip(terms).find(|(expression, _)| expression.width() != expected) {
            Some((other, term)) => self.wrong_width(term.span(), expected, other.width()),
            None => Ok(list),
        }
    }

    fn first(&mut self, terms: &[Term]) -> Bound<Expression> {
        let mut first = None;
        for (n, term) in terms.iter().enumerate() {
            match self.expression(term) {
                Err(Unbound::Lacking(path)) => {
                    first.get_or_insert(path);
                }
                found => {
                    if self.thorough {
                        // Their problems are noted, whether they are ever taken or not.
                        terms[n + 1..].iter().for_each(|term| _ = self.expression(term));
                    }
                    *self.choices.entry(format!("first[{n}]")).or_default() += 1;
                    return found;
                }
            }
        }
        Err(Unbound::Lacking(first.unwrap_or_default()))
    }

    fn enumeration(
        &mut self,
        path: &Path,
        literals: &[(String, u64)],
        width: u32,
    ) -> Bound<Expression> {
        let id = self.signal(path)?;
        let signal = self.names.signal(id);
        if signal.kind == SignalKind::Real {
            return self.real(path, id);
        }
        let by_name: BTreeMap<String, u64> =
            literals.iter().map(|(name, value)| (name.to_lowercase(), *value)).collect();
        let known: Vec<String> = signal.literals.iter().map(|l| l.to_lowercase()).collect();
        let strange = |(name, _): &&(String, u64)| !known.contains(&name.to_lowercase());
        let by_position = match literals.iter().find(strange) {
            _ if known.is_empty() => literals.iter().map(|(_, value)| Some(*value)).collect(),
            None => known.iter().map(|name| by_name.get(name).copied()).collect(),
            Some((literal, _)) => {
                let has = known.join(", ");
                let what = format!("the signal has no literal `{literal}`, it has {has}");
                let help = "write the literals as the design declares them";
                return self.wrong(path.span.clone(), what, help);
            }
        };
        let enumeration = Arc::new(Enumeration { by_name, by_position });
        Ok(Expression::new(width, Node::Enumeration(enumeration, id)))
    }
}

impl Candidate {
    fn followed_by(&self, other: &Self) -> Self {
        let mut chosen = self.chosen.clone();
        chosen.extend(other.chosen.iter().filter(|c| !self.chosen.contains(c)).cloned());
        Self { path: format!("{}{}", self.path, other.path), chosen }
    }
}

/// An index as it stands in a path.
fn text(item: &Item) -> String {
    match item {
        Item::Number(n) => n.to_string(),
        Item::Name(name, _) => name.clone(),
    }
}

fn circle(name: &str) -> String {
    format!("`let {name}` needs itself, or makes too many alternatives")
}
