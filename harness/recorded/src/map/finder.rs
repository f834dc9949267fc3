// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the signals of paths with substitution: prefixes with alternatives, indices, tables.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use super::{
    MapFile,
    at::At,
    bindings::{Bindings, Item},
    file::Table,
    problem::Fault,
    template::{Part, Rows, Sum, Tables, Template, TemplateError, is_prefix},
    term::Number,
};
use crate::names::{NameError, Names, SignalId};

/// Deepest nesting of prefixes.
const NESTED: usize = 16;
/// Most prefixes that a path is made of, and most paths that their alternatives give.
const PREFIXES: usize = 500;
const ALTERNATIVES: usize = 64;

/// A path with the alternatives of prefixes that it is made of.
#[derive(Clone, Default)]
struct Candidate {
    path: String,
    /// Name of the prefix and number of the alternative, where there is more than one.
    chosen: Vec<(String, usize)>,
}

/// Why a path gives no signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotFound {
    /// The dump lacks it. The path that goes furthest.
    Lacking(String),
    /// The map is wrong.
    Wrong(Fault),
}

/// How many prefixes a text may still be made of.
struct Left {
    prefixes: usize,
    depth: usize,
}

impl Default for Left {
    fn default() -> Self {
        Self { prefixes: PREFIXES, depth: NESTED }
    }
}

impl Left {
    /// What is left within a prefix.
    fn enter(&self, name: &str) -> Result<Self, TemplateError> {
        let circle = || TemplateError::Circle { name: name.to_owned() };
        let less = |n: usize| n.checked_sub(1).ok_or_else(circle);
        Ok(Self { prefixes: less(self.prefixes)?, depth: less(self.depth)? })
    }
}

/// Finds signals.
pub(super) struct Finder<'a> {
    names: &'a Names,
    prefixes: BTreeMap<&'a str, &'a [String]>,
    pub(super) tables: Tables,
    templates: RefCell<HashMap<String, Result<Rc<Template>, TemplateError>>>,
    known: RefCell<HashMap<String, Result<SignalId, NameError>>>,
    /// How often each alternative of a prefix was taken.
    used: RefCell<BTreeMap<(String, usize), usize>>,
}

impl<'a> Finder<'a> {
    /// Reads prefixes and tables of a map; what is wrong with them is told to `report`.
    pub(super) fn new(
        file: &'a MapFile,
        names: &'a Names,
        mut report: impl FnMut(&At<'_>, Fault),
    ) -> Self {
        let mut finder = Self {
            names,
            prefixes: BTreeMap::new(),
            tables: Tables::new(),
            templates: RefCell::default(),
            known: RefCell::default(),
            used: RefCell::default(),
        };
        let root = At::root("tables");
        for (name, table) in &file.tables {
            let at = root.key(name);
            if !is_prefix(name) {
                report(&at, Fault::Name { name: name.clone() });
            }
            finder.tables.insert(name.clone(), rows(table));
        }
        let root = At::root("let");
        for (name, prefix) in &file.prefixes {
            let at = root.key(name);
            if !is_prefix(name) {
                report(&at, Fault::Name { name: name.clone() });
            }
            if prefix.alternatives().is_empty() {
                report(&at, Fault::Empty);
            }
            finder.prefixes.insert(name, prefix.alternatives());
        }
        for (name, prefix) in &file.prefixes {
            for text in prefix.alternatives() {
                if let Err(e) = finder.check(text) {
                    report(&root.key(name), e.into());
                }
            }
        }
        finder
    }

    /// Names of the dump.
    pub(super) fn names(&self) -> &'a Names {
        self.names
    }

    /// How often each alternative of a prefix was taken since the last call.
    pub(super) fn take_used(&self) -> BTreeMap<(String, usize), usize> {
        self.used.take()
    }

    /// A text, read once.
    pub(super) fn template(&self, text: &str) -> Result<Rc<Template>, TemplateError> {
        if let Some(known) = self.templates.borrow().get(text) {
            return known.clone();
        }
        let template = Template::parse(text).map(Rc::new);
        self.templates.borrow_mut().insert(text.to_owned(), template.clone());
        template
    }

    /// Whether a text can be read, and what it needs exists.
    fn check(&self, text: &str) -> Result<(), TemplateError> {
        self.is_complete(&*self.template(text)?, &mut Left::default())
    }

    fn is_complete(&self, template: &Template, left: &mut Left) -> Result<(), TemplateError> {
        for part in &template.parts {
            match part {
                Part::Text(_) => {}
                Part::Sum(sum) => self.has_tables(sum)?,
                Part::Prefix(name) => {
                    let mut inside = left.enter(name)?;
                    for text in self.prefix(name)? {
                        // What is wrong with the text of another prefix is told there.
                        if let Ok(inner) = self.template(text) {
                            self.is_complete(&inner, &mut inside)?;
                        }
                    }
                    left.prefixes = inside.prefixes;
                }
            }
        }
        Ok(())
    }

    fn has_tables(&self, sum: &Sum) -> Result<(), TemplateError> {
        match sum {
            Sum::Number(_) | Sum::Letter(_) => Ok(()),
            Sum::Row { table, index } if self.tables.contains_key(table) => self.has_tables(index),
            Sum::Row { table, .. } => Err(TemplateError::Table { name: table.clone() }),
            Sum::Two { operands, .. } => operands.iter().try_for_each(|o| self.has_tables(o)),
        }
    }

    fn prefix(&self, name: &str) -> Result<&'a [String], TemplateError> {
        let unknown = || TemplateError::Prefix { name: name.to_owned() };
        self.prefixes.get(name).copied().ok_or_else(unknown)
    }

    /// The signal of a path.
    pub(super) fn find(&self, text: &str, bindings: &Bindings) -> Result<SignalId, NotFound> {
        let wrong = |e: TemplateError| NotFound::Wrong(e.into());
        let template = self.template(text).map_err(wrong)?;
        let mut furthest: Option<(usize, String)> = None;
        for candidate in self.expand(&template, bindings, &mut Left::default()).map_err(wrong)? {
            match self.signal(&candidate.path) {
                Ok(id) => {
                    let mut used = self.used.borrow_mut();
                    candidate.chosen.into_iter().for_each(|c| *used.entry(c).or_default() += 1);
                    return Ok(id);
                }
                Err(NameError::Several { mut paths }) => {
                    paths.truncate(3);
                    let path = candidate.path;
                    return Err(NotFound::Wrong(Fault::Several { path, paths }));
                }
                Err(NameError::Missing { found }) => {
                    if furthest.as_ref().is_none_or(|(length, _)| found.len() > *length) {
                        furthest = Some((found.len(), candidate.path));
                    }
                }
            }
        }
        Err(NotFound::Lacking(furthest.map_or_else(|| text.to_owned(), |(_, path)| path)))
    }

    fn signal(&self, path: &str) -> Result<SignalId, NameError> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let found = self.names.find(path);
        self.known.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// The paths that a text stands for, in the order in which they are tried.
    fn expand(
        &self,
        template: &Template,
        bindings: &Bindings,
        left: &mut Left,
    ) -> Result<Vec<Candidate>, TemplateError> {
        let mut candidates = vec![Candidate::default()];
        for part in &template.parts {
            match part {
                Part::Text(text) => candidates.iter_mut().for_each(|c| c.path.push_str(text)),
                Part::Sum(sum) => {
                    let text = index_text(sum.item(bindings, &self.tables)?)?;
                    candidates.iter_mut().for_each(|c| c.path.push_str(&text));
                }
                Part::Prefix(name) => {
                    let mut inside = left.enter(name)?;
                    let alternatives = self.prefix(name)?;
                    let mut beginnings = Vec::new();
                    for (number, text) in alternatives.iter().enumerate() {
                        for mut inner in
                            self.expand(&*self.template(text)?, bindings, &mut inside)?
                        {
                            if alternatives.len() > 1 {
                                inner.chosen.push((name.clone(), number));
                            }
                            beginnings.push(inner);
                        }
                    }
                    left.prefixes = inside.prefixes;
                    if beginnings.len() * candidates.len() > ALTERNATIVES {
                        return Err(TemplateError::Circle { name: name.clone() });
                    }
                    candidates = candidates
                        .iter()
                        .flat_map(|before| beginnings.iter().map(|inner| before.followed_by(inner)))
                        .collect();
                }
            }
        }
        Ok(candidates)
    }

    /// A text with arithmetic, such as the constant `7'd{a}`.
    pub(super) fn filled(&self, text: &str, bindings: &Bindings) -> Result<String, TemplateError> {
        let template = self.template(text)?;
        let all = self.expand(&template, bindings, &mut Left::default())?;
        Ok(all.into_iter().next().unwrap_or_default().path)
    }

    /// The value of a number.
    pub(super) fn number(
        &self,
        number: &Number,
        bindings: &Bindings,
    ) -> Result<u32, TemplateError> {
        match number {
            Number::Value(n) => {
                u32::try_from(*n).map_err(|_| TemplateError::Value { sum: n.to_string() })
            }
            Number::Text(text) => {
                let inside = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
                Sum::parse(inside.unwrap_or(text))?.count(bindings, &self.tables)
            }
        }
    }
}

impl Candidate {
    fn followed_by(&self, other: &Self) -> Self {
        let mut chosen = self.chosen.clone();
        chosen.extend(other.chosen.iter().filter(|c| !self.chosen.contains(c)).cloned());
        Self { path: format!("{}{}", self.path, other.path), chosen }
    }
}

/// An index as it stands in a path: no negative numbers.
fn index_text(item: Item) -> Result<String, TemplateError> {
    match item {
        Item::Number(n) if n < 0 => Err(TemplateError::Value { sum: n.to_string() }),
        item => Ok(item.text()),
    }
}

fn rows(table: &Table) -> Rows {
    let item = |number: &Number| match number {
        Number::Value(n) => {
            i64::try_from(*n).map_or_else(|_| Item::Name(n.to_string(), None), Item::Number)
        }
        Number::Text(text) => Item::Name(text.clone(), None),
    };
    match table {
        Table::List(list) => Rows::List(list.iter().map(item).collect()),
        Table::Names(names) => {
            Rows::Names(names.iter().map(|(name, n)| (name.clone(), item(n))).collect())
        }
    }
}
