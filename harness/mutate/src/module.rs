// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads packages, and the items of modules: declarations, processes, assignments, instances, generate
//! blocks.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use crate::{
    MutateError,
    design::{Instance, Module, Process, Signal, Site, SiteKind, Type},
    expression::Expr,
    reader::Reader,
    source::{Kind, Source},
    statement,
};

/// Types that a file declares.
#[derive(Debug, Default)]
pub(crate) struct Types {
    /// Members by the full name of the structure.
    pub(crate) structures: BTreeMap<String, Vec<Signal>>,
    /// Full names of the values of each enumeration.
    pub(crate) enumerations: Vec<Vec<String>>,
}

type Parsed<T> = Result<T, MutateError>;
/// Inputs of a module that was read before.
type Inputs<'a> = &'a dyn Fn(&str) -> Option<BTreeSet<String>>;

/// Reads a package.
pub(crate) fn package(source: &Source) -> Parsed<Types> {
    let mut reader = Reader::new(source);
    let mut types = Types::default();
    reader.expect("package")?;
    let name = reader.name()?;
    reader.expect(";")?;
    while !reader.take("endpackage") {
        match reader.word() {
            "typedef" => typedef(&mut reader, &format!("{name}::"), &mut types)?,
            "function" => reader.skip_past("endfunction")?,
            _ => reader.skip_past(";")?,
        }
    }
    Ok(types)
}

/// Reads the file of a module.
pub(crate) fn module(source: &Source, inputs: Inputs<'_>) -> Parsed<(Module, Types)> {
    let mut items = Items {
        reader: Reader::new(source),
        module: Module::default(),
        types: Types::default(),
        inputs,
    };
    items.reader.expect("module")?;
    items.module.name = items.reader.name()?.to_owned();
    while items.reader.take("import") {
        items.reader.skip_past(";")?;
    }
    if items.reader.take("#") {
        items.reader.skip_group()?;
    }
    items.ports()?;
    items.reader.expect(";")?;
    while !items.reader.take("endmodule") {
        items.item()?;
    }
    Ok((items.module, items.types))
}

/// `typedef` of a structure, union or enumeration; others are passed.
fn typedef(reader: &mut Reader<'_>, scope: &str, types: &mut Types) -> Parsed<()> {
    reader.expect("typedef")?;
    match reader.word() {
        "enum" => {
            while reader.word() != "{" {
                reader.at += 1;
            }
            reader.expect("{")?;
            let mut values = Vec::new();
            while !reader.take("}") {
                values.push(format!("{scope}{}", reader.name()?));
                if reader.take("=") {
                    reader.expression()?;
                }
                reader.take(",");
            }
            types.enumerations.push(values);
        }
        "struct" | "union" => {
            while reader.word() != "{" {
                reader.at += 1;
            }
            reader.expect("{")?;
            let mut members = Vec::new();
            while !reader.take("}") {
                let ty = type_name(reader, scope)?;
                names(reader, &ty, &mut members)?;
            }
            types.structures.insert(format!("{scope}{}", reader.word()), members);
        }
        _ => {}
    }
    reader.skip_past(";")
}

/// A type with its packed dimensions. A name without a package is one of the scope, if it is no built-in one.
fn type_name(reader: &mut Reader<'_>, scope: &str) -> Parsed<Type> {
    let mut name = reader.name()?.to_owned();
    let built_in = matches!(name.as_str(), "logic" | "int" | "bit" | "integer");
    while reader.take("::") {
        name = format!("{name}::{}", reader.name()?);
    }
    if !built_in && !name.contains("::") {
        name.insert_str(0, scope);
    }
    while matches!(reader.word(), "unsigned" | "signed") {
        name = format!("{name} {}", reader.name()?);
    }
    Ok(Type { name, dimensions: dimensions(reader)? })
}

fn dimensions(reader: &mut Reader<'_>) -> Parsed<Vec<String>> {
    let mut all = Vec::new();
    while reader.word() == "[" {
        let first = reader.at;
        reader.skip_group()?;
        all.push(reader.source.line_of(&(first..reader.at)));
    }
    Ok(all)
}

/// Names of a declaration up to its semicolon, with unpacked dimensions; initial values are passed.
fn names(reader: &mut Reader<'_>, ty: &Type, into: &mut Vec<Signal>) -> Parsed<()> {
    loop {
        let name = reader.name()?.to_owned();
        let mut all = dimensions(reader)?;
        all.extend(ty.dimensions.iter().cloned());
        into.push(Signal { name, ty: Type { name: ty.name.clone(), dimensions: all } });
        if reader.take("=") {
            reader.expression()?;
        }
        if reader.take(";") {
            return Ok(());
        }
        reader.expect(",")?;
    }
}

/// The items of a module while it is read.
struct Items<'s, 'i> {
    reader: Reader<'s>,
    module: Module,
    types: Types,
    inputs: Inputs<'i>,
}

impl Items<'_, '_> {
    fn ports(&mut self) -> Parsed<()> {
        self.reader.expect("(")?;
        while !self.reader.take(")") {
            let input = match self.reader.name()? {
                "input" => true,
                "output" => false,
                _ => return self.reader.fail("the direction of a port"),
            };
            let mut ty = type_name(&mut self.reader, "")?;
            let name = self.reader.name()?.to_owned();
            let mut unpacked = dimensions(&mut self.reader)?;
            unpacked.append(&mut ty.dimensions);
            ty.dimensions = unpacked;
            if input {
                self.module.inputs.insert(name.clone());
            }
            self.module.signals.push(Signal { name, ty });
            if self.reader.word() != ")" {
                self.reader.expect(",")?;
            }
        }
        Ok(())
    }

    fn item(&mut self) -> Parsed<()> {
        let reader = &mut self.reader;
        match reader.word() {
            "typedef" => typedef(reader, "", &mut self.types),
            "localparam" | "parameter" | "genvar" => reader.skip_past(";"),
            "function" => reader.skip_past("endfunction"),
            "assign" => self.continuous(),
            "always_comb" => {
                reader.at += 1;
                statement::process(reader, &mut self.module, Process::Combinational)
            }
            "always_ff" | "always" => {
                reader.at += 1;
                reader.expect("@")?;
                reader.skip_group()?;
                statement::process(reader, &mut self.module, Process::Clocked { reset: false })
            }
            "initial" => {
                reader.at += 1;
                statement::skip(reader)
            }
            "for" => {
                reader.at += 1;
                reader.skip_group()?;
                self.block()
            }
            "if" => {
                reader.at += 1;
                reader.skip_group()?;
                self.block()?;
                while self.reader.take("else") {
                    if self.reader.take("if") {
                        self.reader.skip_group()?;
                    }
                    self.block()?;
                }
                Ok(())
            }
            _ if reader.ahead(1) == "#" || (reader.ahead(2) == "(" && named(reader)) => {
                self.instance()
            }
            _ => {
                let ty = type_name(reader, "")?;
                names(reader, &ty, &mut self.module.signals)
            }
        }
    }

    /// A generate block.
    fn block(&mut self) -> Parsed<()> {
        if !self.reader.take("begin") {
            return self.item();
        }
        if self.reader.take(":") {
            self.reader.name()?;
        }
        while !self.reader.take("end") {
            self.item()?;
        }
        Ok(())
    }

    fn continuous(&mut self) -> Parsed<()> {
        let first = self.reader.at;
        self.reader.expect("assign")?;
        let target = self.reader.target()?;
        self.reader.expect("=")?;
        let value = self.reader.expression()?;
        self.reader.expect(";")?;
        let source = self.reader.source;
        let mut from = Vec::new();
        value.names(&mut from);
        target.names(&mut from);
        depend(source, &mut self.module, &target, &from);
        if !unused(source, &target) {
            let tokens = first..self.reader.at;
            let kind = SiteKind::Continuous { target, value };
            self.module.sites.push(Site { kind, tokens, process: Process::Continuous });
        }
        Ok(())
    }

    fn instance(&mut self) -> Parsed<()> {
        let first = self.reader.at;
        let child = self.reader.name()?.to_owned();
        let Some(inputs) = (self.inputs)(&child) else {
            return self.reader.fail("an instance of a module that was read before");
        };
        if self.reader.take("#") {
            self.reader.skip_group()?;
        }
        self.reader.name()?;
        self.reader.expect("(")?;
        let (mut ins, mut outs) = (Vec::new(), Vec::new());
        while !self.reader.take(")") {
            self.reader.expect(".")?;
            let port = self.reader.name()?;
            let at = self.reader.at - 1;
            let value = if self.reader.take("(") {
                let value = self.reader.expression()?;
                self.reader.expect(")")?;
                value
            } else {
                Expr { tokens: at..at + 1, node: crate::expression::Node::Name }
            };
            let all = if inputs.contains(port) { &mut ins } else { &mut outs };
            all.push((value.clone(), !(value.tokens == (at..at + 1))));
            if self.reader.word() != ")" {
                self.reader.expect(",")?;
            }
        }
        self.reader.expect(";")?;
        let source = self.reader.source;
        let mut from = Vec::new();
        ins.iter().for_each(|(e, _)| e.names(&mut from));
        let reads = from.iter().map(|e| source.line_of(&e.tokens)).collect();
        let mut drives = Vec::new();
        for (out, _) in &outs {
            depend(source, &mut self.module, out, &from);
            out.names(&mut drives);
        }
        let drives = drives.iter().map(|e| source.line_of(&e.tokens)).collect();
        self.module.instances.push(Instance { module: child, reads, drives });
        // `.clk_i` alone names the port and the signal in one token.
        for (value, _) in ins.iter().filter(|(_, explicit)| *explicit) {
            let tokens: Range<usize> = value.tokens.clone();
            let kind = SiteKind::Connection { value: value.clone(), instance: first };
            self.module.sites.push(Site { kind, tokens, process: Process::Continuous });
        }
        Ok(())
    }
}

/// Two names one after the other: an instance, as there is no package before the second.
fn named(reader: &Reader<'_>) -> bool {
    reader.source.tokens.get(reader.at + 1).is_some_and(|t| t.kind == Kind::Word)
}

/// Remembers what a target is computed from.
pub(crate) fn depend(source: &Source, module: &mut Module, target: &Expr, from: &[&Expr]) {
    let mut targets = Vec::new();
    target.names(&mut targets);
    for name in targets {
        let from = from.iter().map(|e| source.line_of(&e.tokens));
        module.depends.entry(source.line_of(&name.tokens)).or_default().extend(from);
    }
}

/// A target that exists to satisfy a lint.
pub(crate) fn unused(source: &Source, target: &Expr) -> bool {
    target.base().is_some_and(|name| source.line_of(&name.tokens).starts_with("unused"))
}
