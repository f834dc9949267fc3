// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the operators have to know about a design: its types, the signals of each module, and the sites at
//! which the model can choose between the original and a mutant.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::{
    MutateError,
    expression::{Expr, Node},
    module,
    source::Source,
};

/// Type of a signal as it is written: name, and dimensions from the outermost to the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) dimensions: Vec<String>,
}

/// A declared signal or member.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub(crate) name: String,
    pub(crate) ty: Type,
}

/// Where a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    Combinational,
    /// At a clock edge; in the branch that resets, or in the other one.
    Clocked {
        reset: bool,
    },
    Continuous,
}

/// What the model chooses between at a site.
#[derive(Clone, Debug)]
pub(crate) enum SiteKind {
    /// An assignment in a process, with its semicolon.
    Assignment { target: Expr, value: Expr, assigned_before: bool },
    /// A continuous assignment, from `assign` to its semicolon.
    Continuous { target: Expr, value: Expr },
    /// The condition of an `if`.
    Condition(Expr),
    /// What is connected to an input of an instance, and the first token of that instance.
    Connection { value: Expr, instance: usize },
    /// The statement of a case item, and the statement of the default; the labels, and what they are
    /// compared with.
    Item {
        default: Range<usize>,
        labels: Vec<Range<usize>>,
        subject: Range<usize>,
        whole: Range<usize>,
    },
}

/// A place at which the model chooses.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) kind: SiteKind,
    pub(crate) tokens: Range<usize>,
    pub(crate) process: Process,
}

/// An instance in a module.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) module: String,
    /// Signals that enter it, and those that leave it.
    pub(crate) reads: BTreeSet<String>,
    pub(crate) drives: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) signals: Vec<Signal>,
    pub(crate) inputs: BTreeSet<String>,
    pub(crate) sites: Vec<Site>,
    pub(crate) instances: Vec<Instance>,
    /// Which signals a signal is computed from without a register between.
    pub(crate) depends: BTreeMap<String, BTreeSet<String>>,
}

impl Module {
    fn signal(&self, name: &str) -> Option<&Signal> {
        self.signals.iter().find(|s| s.name == name)
    }

    /// All signals that some signals are computed from within the cycle, with those themselves.
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

    /// Remembers that some signals are computed from another one.
    pub(crate) fn computed_from(&mut self, targets: &[String], other: &str) {
        for target in targets {
            self.depends.entry(target.clone()).or_default().insert(other.to_owned());
        }
    }

    /// True if `targets` can be computed from `other` as well without a loop: neither is `other` computed from
    /// a target in this module, nor from an input that no target depends on already.
    pub(crate) fn can_use(&self, other: &str, targets: &[String]) -> bool {
        let other = [other.to_owned()];
        let (from, allowed) = (self.closure(&other), self.closure(targets));
        let loops = targets.iter().any(|t| from.contains(t.as_str()));
        !loops && from.iter().all(|s| !self.inputs.contains(*s) || allowed.contains(s))
    }
}

/// All files of a design.
#[derive(Clone, Debug)]
pub struct Design {
    /// The files with modules, in the order of the list.
    pub sources: Vec<Source>,
    pub(crate) modules: Vec<Module>,
    structures: BTreeMap<String, Vec<Signal>>,
    enumerations: Vec<Vec<String>>,
}

impl Design {
    /// Reads the files of a design, each with name and text; packages before the modules that use them.
    ///
    /// # Errors
    /// If a file has something else than the subset of SystemVerilog that `harness/guide/mutation.md` tells.
    pub fn read(files: &[(String, String)]) -> Result<Self, MutateError> {
        let mut design = Self {
            sources: Vec::new(),
            modules: Vec::new(),
            structures: BTreeMap::new(),
            enumerations: Vec::new(),
        };
        for (name, text) in files {
            let source = Source::new(name, text)?;
            if source.word(0) == "package" {
                let types = module::package(&source)?;
                design.structures.extend(types.structures);
                design.enumerations.extend(types.enumerations);
                continue;
            }
            let inputs = |module: &str| {
                let known = design.modules.iter().find(|m| m.name == module);
                known.map(|m| m.inputs.clone())
            };
            let (read, types) = module::module(&source, &inputs)?;
            design.structures.extend(types.structures);
            design.modules.push(read);
            design.sources.push(source);
        }
        Ok(design)
    }

    /// Type of a signal, or of a part of one; `None` if it is not known.
    fn type_of(&self, module: &Module, source: &Source, e: &Expr) -> Option<Type> {
        match &e.node {
            Node::Name => module.signal(&source.line_of(&e.tokens)).map(|s| s.ty.clone()),
            Node::Element(base, _) => {
                let mut ty = self.type_of(module, source, base)?;
                (!ty.dimensions.is_empty()).then(|| {
                    ty.dimensions.remove(0);
                    ty
                })
            }
            Node::Member(base, name) => {
                let members = self.members(&self.type_of(module, source, base)?)?;
                members.iter().find(|m| m.name == source.word(*name)).map(|m| m.ty.clone())
            }
            _ => None,
        }
    }

    fn members(&self, ty: &Type) -> Option<&[Signal]> {
        let mut all = self.structures.iter().filter(|_| ty.dimensions.is_empty());
        all.find(|(name, _)| names(name, &ty.name)).map(|(_, members)| members.as_slice())
    }

    /// Other members of the same structure with the type of this one.
    pub(crate) fn siblings(&self, module: &Module, source: &Source, e: &Expr) -> Vec<String> {
        let Node::Member(base, name) = &e.node else { return Vec::new() };
        let ty = self.type_of(module, source, base);
        let members = ty.as_ref().and_then(|ty| self.members(ty)).unwrap_or_default();
        let signals: Vec<&Signal> = members.iter().collect();
        nearest(&signals, source.word(*name))
    }

    /// Other signals of the module with the type of this one; `None` if it is no signal.
    pub(crate) fn neighbours(&self, module: &Module, name: &str) -> Vec<String> {
        let usable = |s: &&Signal| {
            !matches!(s.name.as_str(), "clk_i" | "rst_ni") && !s.name.starts_with("unused")
        };
        nearest(&module.signals.iter().filter(usable).collect::<Vec<_>>(), name)
    }

    /// The enumeration value after this one, and the one before.
    pub(crate) fn next_values(&self, name: &str) -> Vec<String> {
        let known = self
            .enumerations
            .iter()
            .find_map(|all| all.iter().position(|value| names(value, name)).map(|at| (all, at)));
        let Some((all, at)) = known else { return Vec::new() };
        let mut values =
            vec![all[(at + 1) % all.len()].clone(), all[(at + all.len() - 1) % all.len()].clone()];
        values.dedup();
        values.retain(|value| !names(value, name));
        // Written as the name is: what is imported needs no package.
        if let (false, Some((package, _))) = (name.contains("::"), all[at].split_once("::")) {
            values.iter_mut().for_each(|value| *value = value.replace(&format!("{package}::"), ""));
        }
        values
    }
}

/// True if a name in a source means something in a package, whose full name this is: it may be imported.
fn names(full: &str, name: &str) -> bool {
    full == name || full.rsplit_once("::").is_some_and(|(_, short)| short == name)
}

/// The signals of the same type declared right before and right after one.
fn nearest(signals: &[&Signal], name: &str) -> Vec<String> {
    let Some(at) = signals.iter().position(|s| s.name == name) else { return Vec::new() };
    let same = |s: &&&Signal| s.ty == signals[at].ty;
    let before = signals[..at].iter().rev().find(same);
    let after = signals[at + 1..].iter().find(same);
    after.into_iter().chain(before).map(|s| s.name.clone()).collect()
}
