// SPDX-License-Identifier: MIT OR Apache-2.0
//! The properties of a design that the mutation operators use: the sites at which the model can select the original or
//! a mutant, their expressions, the leaves of signals, and the dependencies between signals. `reader.py` gets this
//! information from slang.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Deserialize;

use crate::{
    Mutant, MutateError,
    error::file,
    tools::{SOURCES, Tools},
};

/// First byte in a file, and the byte after the last.
pub(crate) type Span = [usize; 2];

/// Kind of an expression, with its parts in source order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExprKind {
    /// Name of a signal, constant or loop variable, with or without its package.
    Name,
    Number,
    /// Operand; the operator is `op`.
    Unary,
    /// Left and right operand; the operator is `op`.
    Binary,
    /// Condition and two arms.
    Conditional,
    /// Base and index of a bit or an element.
    Element,
    /// Base, first bound, second bound or width; `op` is `:`, `+:` or `-:`.
    Slice,
    /// The structure; `op` is the member.
    Member,
    /// Arguments; `op` is the function.
    Call,
    /// The value that is cast.
    Cast,
    Concat,
    /// Count and repeated value.
    Repeat,
    /// Values of an assignment pattern, without the keys.
    Pattern,
    /// A value, and the set in which it is looked up.
    Inside,
    Paren,
}

/// An expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) at: Span,
    pub(crate) parts: Vec<Expr>,
    pub(crate) op: Option<Span>,
    /// The neighbouring values of the enumeration.
    pub(crate) values: Vec<String>,
    /// The neighbouring declarations of signals or members of the same type.
    pub(crate) neighbours: Vec<String>,
}

/// Kind of process that a site is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProcessKind {
    Combinational,
    /// At a clock edge, in the branch that resets.
    Reset,
    /// At a clock edge.
    Clocked,
    Continuous,
}

impl ProcessKind {
    pub(crate) fn is_clocked(self) -> bool {
        matches!(self, Self::Reset | Self::Clocked)
    }
}

/// The choice of the model at a site.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum SiteKind {
    /// An assignment in a process, or a continuous assignment including `assign`, each with its semicolon. `again`: the
    /// process has already assigned to the signal.
    Assignment { target: Span, targets: Vec<String>, value: Expr, again: bool },
    /// The condition of an `if`.
    Condition { value: Expr },
    /// The expression connected to an input of an instance, and the first byte of the instance.
    Connection { value: Expr, instance: usize },
    /// The statement of a case item and the statement of the default; the labels and the expression that they are
    /// compared with.
    Item { default: Span, labels: Vec<Span>, subject: Span, whole: Span },
}

/// A place at which the model selects the original or a mutant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MutationSite {
    pub(crate) what: SiteKind,
    pub(crate) at: Span,
    pub(crate) process: ProcessKind,
    /// The signals whose values depend on the site, and possibly others of the same process.
    pub(crate) drives: Vec<String>,
    /// The conditions and the subjects of the `case` statements around it.
    pub(crate) under: Vec<Span>,
}

impl MutationSite {
    /// The value that is assigned, the condition, or the connected expression.
    pub(crate) fn value(&self) -> Span {
        match &self.what {
            SiteKind::Assignment { target, .. } => [target[1], self.at[1]],
            _ => self.at,
        }
    }

    /// True if the site computes a signal combinationally.
    fn computes(&self, signal: &String) -> bool {
        match &self.what {
            SiteKind::Assignment { targets, .. } => {
                !self.process.is_clocked() && targets.contains(signal)
            }
            SiteKind::Connection { .. } => self.drives.contains(signal),
            SiteKind::Condition { .. } | SiteKind::Item { .. } => false,
        }
    }
}

/// The signals and registers from which a text is computed in a cycle.
pub(crate) struct SignalDependencies<'a> {
    /// Inputs and computed signals.
    signals: BTreeSet<String>,
    /// The leaves of registers.
    registers: BTreeSet<&'a str>,
}

impl SignalDependencies<'_> {
    pub(crate) fn has(&self, register: &SignalLeaf) -> bool {
        self.registers.contains(register.path.as_str())
    }

    pub(crate) fn are_disjoint(&self, other: &Self) -> bool {
        self.signals.is_disjoint(&other.signals) && self.registers.is_disjoint(&other.registers)
    }
}

fn is_register(signal: &str) -> bool {
    signal.ends_with("_q")
}

/// An integer or enumeration value in a signal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalLeaf {
    /// The signal with members and indices.
    pub(crate) path: String,
    pub(crate) bits: u32,
    /// The byte at which the signal is declared.
    pub(crate) declared: usize,
    /// The names of the values of its enumeration.
    pub(crate) values: Vec<String>,
}

impl SignalLeaf {
    pub(crate) fn signal(&self) -> &str {
        self.path.split(['.', '[']).next().unwrap_or_default()
    }

    pub(crate) fn is_register(&self) -> bool {
        is_register(self.signal())
    }

    /// True if a text may read the leaf: it contains the signal, unless followed by another member.
    pub(crate) fn is_read(&self, text: &str) -> bool {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let member = |rest: &'_ str| -> Option<String> {
            Some(rest.strip_prefix('.')?.chars().take_while(|c| word(*c)).collect())
        };
        let own = member(&self.path[self.signal().len()..]);
        text.match_indices(self.signal()).any(|(at, signal)| {
            let rest = &text[at + signal.len()..];
            let whole = !text[..at].ends_with(word) && !rest.starts_with(word);
            let other = member(rest).filter(|_| own.is_some());
            whole && (other.is_none() || other == own)
        })
    }
}

/// A module; each has its own file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Module {
    pub(crate) file: String,
    pub(crate) name: String,
    #[serde(skip)]
    pub(crate) text: String,
    inputs: BTreeSet<String>,
    pub(crate) sites: Vec<MutationSite>,
    /// Parts of the signals that exist with all sets of parameters.
    pub(crate) leaves: Vec<SignalLeaf>,
    /// The signals on which a signal depends combinationally.
    depends: BTreeMap<String, BTreeSet<String>>,
    /// Modules that the module instantiates.
    children: BTreeSet<String>,
    /// True if the module has type parameters.
    pub(crate) typed: bool,
    /// The path of one instance for each set of parameters.
    pub(crate) instances: Vec<String>,
}

impl Module {
    /// A range of bytes as one line, without comments.
    pub(crate) fn line(&self, [from, to]: Span) -> String {
        one_line(&self.text[from..to])
    }

    /// A range of bytes as one line, with the bytes in `replaced` replaced by a text.
    pub(crate) fn line_with(&self, [from, to]: Span, replaced: Span, text: &str) -> String {
        let (before, after) = (&self.text[from..replaced[0]], &self.text[replaced[1]..to]);
        one_line(&format!("{before}{text}{after}"))
    }

    /// Line and column of a byte, counted from 1.
    pub(crate) fn place(&self, byte: usize) -> (u32, u32) {
        let before = &self.text[..byte];
        let line = before.matches('\n').count() as u32 + 1;
        (line, (byte - before.rfind('\n').map_or(0, |n| n + 1)) as u32 + 1)
    }

    /// The combinational fan-in of some signals, including these signals.
    fn closure<'a>(&'a self, signals: &'a [String]) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = signals.iter().map(String::as_str).collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(self.depends.get(next).into_iter().flatten().map(String::as_str));
            }
        }
        seen
    }

    pub(crate) fn is_input(&self, signal: &str) -> bool {
        self.inputs.contains(signal)
    }

    /// The signals and registers from which some texts are computed in a cycle.
    pub(crate) fn sources(&self, mut texts: Vec<String>) -> SignalDependencies<'_> {
        let (mut signals, mut next) = (BTreeSet::new(), 0);
        while let Some(text) = texts.get(next) {
            for name in self.signals_in(text) {
                if signals.contains(&name) {
                    continue;
                }
                let computing = self.sites.iter().filter(|site| site.computes(&name));
                let lines = computing.flat_map(|s| s.under.iter().copied().chain([s.value()]));
                let found = texts.len();
                texts.extend(lines.map(|at| self.line(at)));
                // The output of an instance whose connections all have the names of ports.
                if texts.len() == found {
                    texts.extend(self.depends.get(&name).into_iter().flatten().cloned());
                }
                signals.insert(name);
            }
            next += 1;
        }
        let read = |leaf: &&SignalLeaf| leaf.is_register() && texts.iter().any(|t| leaf.is_read(t));
        let registers = self.leaves.iter().filter(read).map(|leaf| leaf.path.as_str()).collect();
        SignalDependencies { signals, registers }
    }

    /// The inputs and computed signals in a text.
    fn signals_in(&self, text: &str) -> BTreeSet<String> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let names = words.map(|word| word.split('.').next().unwrap_or_default());
        let known = |name: &&str| self.depends.contains_key(*name) || self.is_input(name);
        let timing = |name: &&str| ["clk_i", "rst_ni"].contains(name);
        names.filter(known).filter(|name| !timing(name)).map(str::to_owned).collect()
    }

    /// Records that some signals depend on another signal.
    pub(crate) fn computed_from(&mut self, targets: &[String], other: &str) {
        for target in targets {
            self.depends.entry(target.clone()).or_default().insert(other.to_owned());
        }
    }

    /// True if `targets` can also depend on `other` without a combinational loop: `other` depends neither on a target
    /// in this module nor on an input on which no target depends yet.
    pub(crate) fn can_use(&self, other: &str, targets: &[String]) -> bool {
        let other = [other.to_owned()];
        let (from, allowed) = (self.closure(&other), self.closure(targets));
        let loops = targets.iter().any(|t| from.contains(t.as_str()));
        !loops && from.iter().all(|s| !self.inputs.contains(*s) || allowed.contains(s))
    }
}

/// Text without comments, with one space in place of white space or a comment.
fn one_line(text: &str) -> String {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let end = if rest[at..].starts_with("//") { "\n" } else { "*/" };
        code += &rest[..at];
        code.push(' ');
        rest = rest[at..].split_once(end).map_or("", |(_, behind)| behind);
    }
    code += rest;
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The modules of a design.
#[derive(Clone, Debug)]
pub struct DesignModules {
    /// In the order of the files.
    pub(crate) modules: Vec<Module>,
}

impl DesignModules {
    /// Reads the files of a folder, packages before the modules that use them.
    ///
    /// # Errors
    /// If slang cannot be run or finds an error, or a construct is not supported (`harness/guide/mutation.md`); the
    /// error contains the location.
    pub fn read(tools: &Tools, folder: &Path, files: &[String]) -> Result<Self, MutateError> {
        let text = tools.script(include_str!("reader.py"), folder, files)?;
        let read: Result<Vec<Module>, _> = serde_json::from_str(&text);
        let mut modules = read.map_err(|e| file(folder, e, SOURCES))?;
        for module in &mut modules {
            let path = folder.join(&module.file);
            module.text = std::fs::read_to_string(&path).map_err(|e| file(&path, e, SOURCES))?;
        }
        Ok(Self { modules })
    }

    /// Names of all modules, in the order of the files.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().map(|m| m.name.as_str())
    }

    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|m| m.name == name)
    }

    /// The line of a mutant without the space around it.
    pub(crate) fn line(&self, mutant: &Mutant) -> String {
        let line = self.text(&mutant.file).lines().nth(mutant.line as usize - 1);
        line.unwrap_or_default().trim().to_owned()
    }

    /// The text of the file of a module; empty if there is none.
    pub fn text(&self, file: &str) -> &str {
        self.modules.iter().find(|m| m.file == file).map_or("", |m| &m.text)
    }

    /// A module and all modules that contain it.
    pub(crate) fn around(&self, name: &str) -> BTreeSet<&str> {
        let mut around = BTreeSet::new();
        let mut open: Vec<&str> = self.module(name).map(|m| m.name.as_str()).into_iter().collect();
        while let Some(next) = open.pop() {
            if around.insert(next) {
                let parents = self.modules.iter().filter(|m| m.children.contains(next));
                open.extend(parents.map(|m| m.name.as_str()));
            }
        }
        around
    }
}
