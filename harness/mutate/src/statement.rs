// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the statements of a process.

use std::collections::BTreeSet;

use crate::{
    MutateError,
    design::{Module, Process, Site, SiteKind},
    expression::Expr,
    module::{depend, unused},
    reader::Reader,
};

type Parsed<T> = Result<T, MutateError>;

/// Reads the statement of a process and adds its sites.
pub(crate) fn process(
    reader: &mut Reader<'_>,
    module: &mut Module,
    process: Process,
) -> Parsed<()> {
    let mut statements = Statements {
        reader,
        module,
        process,
        assigned: BTreeSet::new(),
        targets: Vec::new(),
        read: Vec::new(),
    };
    statements.statement()?;
    let (targets, read) = (statements.targets, statements.read);
    if process == Process::Combinational {
        let read: Vec<&Expr> = read.iter().collect();
        for target in &targets {
            depend(reader.source, module, target, &read);
        }
    }
    Ok(())
}

/// Goes past a statement.
pub(crate) fn skip(reader: &mut Reader<'_>) -> Parsed<()> {
    process(reader, &mut Module::default(), Process::Clocked { reset: false })
}

/// The statements of a process while it is read.
struct Statements<'r, 's, 'm> {
    reader: &'r mut Reader<'s>,
    module: &'m mut Module,
    process: Process,
    /// Signals that an earlier statement assigns.
    assigned: BTreeSet<String>,
    targets: Vec<Expr>,
    /// Names that are read.
    read: Vec<Expr>,
}

impl Statements<'_, '_, '_> {
    fn statement(&mut self) -> Parsed<()> {
        match self.reader.word() {
            "begin" => self.block(),
            "if" => self.conditional(),
            "unique" | "unique0" | "priority" | "case" => self.case(),
            "for" => {
                self.reader.at += 1;
                self.reader.skip_group()?;
                self.statement()
            }
            "automatic" => self.reader.skip_past(";"),
            ";" => {
                self.reader.at += 1;
                Ok(())
            }
            word if word.starts_with('$') => self.reader.skip_past(";"),
            _ => self.assignment(),
        }
    }

    fn block(&mut self) -> Parsed<()> {
        self.reader.expect("begin")?;
        if self.reader.take(":") {
            self.reader.name()?;
        }
        while !self.reader.take("end") {
            self.statement()?;
        }
        Ok(())
    }

    fn reads(&mut self, e: &Expr) {
        let mut names = Vec::new();
        e.names(&mut names);
        self.read.extend(names.into_iter().cloned());
    }

    fn conditional(&mut self) -> Parsed<()> {
        self.reader.expect("if")?;
        self.reader.expect("(")?;
        let condition = self.reader.expression()?;
        self.reader.expect(")")?;
        self.reads(&condition);
        let clocked = matches!(self.process, Process::Clocked { .. });
        let resets = clocked && self.reader.source.line_of(&condition.tokens) == "!rst_ni";
        if !resets {
            let tokens = condition.tokens.clone();
            let kind = SiteKind::Condition(condition);
            self.module.sites.push(Site { kind, tokens, process: self.process });
        }
        let outer = self.process;
        if resets {
            self.process = Process::Clocked { reset: true };
        }
        self.statement()?;
        self.process = outer;
        if self.reader.take("else") {
            self.statement()?;
        }
        Ok(())
    }

    fn case(&mut self) -> Parsed<()> {
        self.reader.take("unique");
        self.reader.expect("case")?;
        self.reader.expect("(")?;
        let subject = self.reader.expression()?;
        self.reader.expect(")")?;
        self.reads(&subject);
        let mut items = Vec::new();
        let mut default = None;
        while !self.reader.take("endcase") {
            let first = self.reader.at;
            if self.reader.take("default") {
                self.reader.expect(":")?;
                let body = self.reader.at;
                self.statement()?;
                default = Some(body..self.reader.at);
                continue;
            }
            let mut labels = Vec::new();
            while !self.reader.take(":") {
                labels.push(self.reader.expression()?.tokens);
                if self.reader.word() != ":" {
                    self.reader.expect(",")?;
                }
            }
            let body = self.reader.at;
            let place = self.module.sites.len();
            self.statement()?;
            items.push((place, labels, body..self.reader.at, first..self.reader.at));
        }
        let Some(default) = default else { return Ok(()) };
        // Inserted where the sites in their statements begin: outer sites come first.
        for (place, labels, body, whole) in items.into_iter().rev() {
            let subject = subject.tokens.clone();
            let kind = SiteKind::Item { default: default.clone(), labels, subject, whole };
            self.module.sites.insert(place, Site { kind, tokens: body, process: self.process });
        }
        Ok(())
    }

    fn assignment(&mut self) -> Parsed<()> {
        let first = self.reader.at;
        let target = self.reader.target()?;
        if !self.reader.take("=") {
            self.reader.expect("<=")?;
        }
        let value = self.reader.expression()?;
        self.reader.expect(";")?;
        self.reads(&value);
        // Indices of a target are read, too; its own name does no harm here.
        self.targets.push(target.clone());
        if unused(self.reader.source, &target) {
            return Ok(());
        }
        let base = target.base().map(|e| self.reader.source.line_of(&e.tokens));
        let assigned_before = match base {
            Some(base) => !self.assigned.insert(base),
            None => false,
        };
        let tokens = first..self.reader.at;
        let kind = SiteKind::Assignment { target, value, assigned_before };
        self.module.sites.push(Site { kind, tokens, process: self.process });
        Ok(())
    }
}
