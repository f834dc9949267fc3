// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of the code section: labels, instructions, raw words.

use super::{
    cursor::Parser,
    expr,
    program::{Assignment, CodeItem, ItemBody},
};
use crate::{
    asm::{
        error::{AsmError, SourceSpan},
        expr::Expr,
        lexer::TokenKind,
    },
    description::Instruction,
    json::is_identifier,
};

impl<'a> Parser<'a> {
    pub(super) fn code_statement(&mut self) -> Result<(), AsmError> {
        let place = self.place();
        if matches!(self.peek(), TokenKind::Var(_)) || self.is_data_statement() {
            return place.fail("A14", "data belongs in the .DATA section");
        }
        loop {
            let at = self.place();
            match self.peek() {
                TokenKind::Str(text) => {
                    self.next();
                    if is_identifier(text) {
                        self.define_label(text, &at)?;
                    }
                }
                TokenKind::Ident(text) if self.peek_at(1) == TokenKind::Punct(':') => {
                    self.next();
                    self.next();
                    self.define_label(text, &at)?;
                }
                _ => break,
            }
        }
        match self.peek() {
            TokenKind::Eol | TokenKind::Eof => Ok(()),
            TokenKind::Dir(name) if name.eq_ignore_ascii_case("WORD") => self.raw(),
            TokenKind::Ident(name) => self.instruction(name),
            _ => self.unexpected("A02", "expected an instruction"),
        }
    }

    pub(super) fn is_data_statement(&self) -> bool {
        matches!(self.peek(), TokenKind::Ident(n) if n.eq_ignore_ascii_case("SRAM") || n.eq_ignore_ascii_case("RF"))
            && self.peek_at(1) == TokenKind::Punct('<')
    }

    pub(super) fn define_label(
        &mut self,
        name: &'a str,
        place: &SourceSpan,
    ) -> Result<(), AsmError> {
        let code = self.parsed.cells.entry(self.cell).or_default();
        let index = code.items.len();
        if code.labels.contains_key(name) {
            return place.fail("A11", format!("label `{name}` is defined twice in this cell"));
        }
        code.labels.insert(name, index);
        Ok(())
    }

    pub(super) fn suffix(&mut self) -> Result<bool, AsmError> {
        let TokenKind::Dir(suffix) = self.peek() else { return Ok(true) };
        let place = self.place();
        self.next();
        match suffix.to_ascii_uppercase().as_str() {
            "I" => Ok(true),
            "D" => Ok(false),
            other => place.fail("A02", format!("unknown suffix .{other}; expected .I or .D")),
        }
    }

    pub(super) fn raw(&mut self) -> Result<(), AsmError> {
        let start = self.place();
        self.next();
        let immediate = self.suffix()?;
        let mut words = vec![expr::parse(self, 0)?];
        while self.accept(',') {
            words.push(expr::parse(self, 0)?);
        }
        let place = start.to(&self.last_place());
        self.push_item(CodeItem { place, immediate, body: ItemBody::Raw(words) });
        Ok(())
    }

    pub(super) fn instruction(&mut self, mnemonic: &str) -> Result<(), AsmError> {
        let start = self.place();
        self.next();
        let set = self.parsed.assembly.isa.clone();
        let isa = set.isa();
        let Some(index) =
            isa.instructions.iter().position(|i| i.name.eq_ignore_ascii_case(mnemonic))
        else {
            return start.fail("A03", set.no_mnemonic(mnemonic));
        };
        let instruction = &isa.instructions[index];
        let io_cell = self.parsed.assembly.io_cells.contains(&self.cell);
        if !isa.available(instruction, io_cell) {
            let kind =
                if io_cell { "an I/O cell" } else { "a cell that is not an I/O cell (.IOCELL)" };
            return start.fail("A21", format!("{} does not exist in {kind}", instruction.name));
        }
        let immediate = self.suffix()?;
        let bracket = self.accept('(');
        let mut assigns: Vec<Assignment<'_>> = Vec::with_capacity(instruction.fields.len());
        if !self.at_end(bracket) {
            loop {
                let assign = self.assign(instruction, assigns.len())?;
                if assigns.iter().any(|a| a.field == assign.field) {
                    let name = &instruction.fields[assign.field].name;
                    return assign.place.fail("A05", format!("field {name} is written twice"));
                }
                assigns.push(assign);
                if self.accept(',') {
                    continue;
                }
                if self.at_end(bracket) {
                    break;
                }
                return match self.peek() {
                    TokenKind::Ident(_) | TokenKind::Int(_) => {
                        self.unexpected("A08", "a comma is missing between two operands")
                    }
                    _ => self.unexpected("A02", "expected `,` or the end of the operands"),
                };
            }
        }
        if bracket {
            self.expect(')')?;
        }
        let place = start.to(&self.last_place());
        self.push_item(CodeItem { place, immediate, body: ItemBody::Instruction(index, assigns) });
        Ok(())
    }

    pub(super) fn at_end(&self, bracket: bool) -> bool {
        match self.peek() {
            TokenKind::Eol | TokenKind::Eof => true,
            TokenKind::Punct(')') => bracket,
            _ => false,
        }
    }

    /// Parses an operand; `earlier` is the number of operands before it.
    pub(super) fn assign(
        &mut self,
        instruction: &Instruction,
        earlier: usize,
    ) -> Result<Assignment<'a>, AsmError> {
        let start = self.place();
        let name = match (self.peek(), self.peek_at(1)) {
            (TokenKind::Ident(name), TokenKind::Punct('=')) => name,
            (
                TokenKind::Ident(_) | TokenKind::Int(_) | TokenKind::Var(_) | TokenKind::Fixed(_),
                _,
            ) => {
                let mut message = "operands must be written as `name=value`".to_owned();
                if let Some(field) = only_field(instruction).filter(|_| earlier == 0) {
                    let value = match self.peek() {
                        TokenKind::Ident(name) => name.to_owned(),
                        TokenKind::Int(number) => number.to_string(),
                        _ => "VALUE".to_owned(),
                    };
                    message += &format!(": write {} {field}={value}", instruction.name);
                }
                return start.fail("A08", message);
            }
            _ => return self.unexpected("A02", "expected an operand `name=value`"),
        };
        self.next();
        self.next();
        // Many texts write all fields in order.
        let next = instruction.fields.get(earlier).filter(|f| f.name == name);
        let field = next
            .map_or_else(|| instruction.field_index(name), |_| Some(earlier))
            .ok_or_else(|| start.error("A04", instruction.no_field(name)))?;
        let value = match (self.peek(), self.peek_at(1)) {
            (
                TokenKind::Punct(sign @ ('+' | '-')),
                TokenKind::Punct(',' | ')') | TokenKind::Eol | TokenKind::Eof,
            ) => {
                let place = self.place();
                self.next();
                let raw = instruction.fields[field].value_of(&sign.to_string());
                let message = || format!("field {name} has no value named `{sign}`");
                Expr::Num(raw.ok_or_else(|| place.error("A06", message()))? as i64)
            }
            _ => expr::parse(self, 0)?,
        };
        Ok(Assignment { field, value, place: start.to(&self.last_place()) })
    }

    pub(super) fn push_item(&mut self, item: CodeItem<'a>) {
        self.parsed.cells.entry(self.cell).or_default().items.push(item);
    }
}

/// The name of the only field that a program has to write, apart from the one that selects how it is read.
fn only_field(instruction: &Instruction) -> Option<&str> {
    let fields = &instruction.fields;
    let selects = |at: usize| fields.iter().any(|f| f.selector == Some(at));
    let mut written = (0..).zip(fields).filter(|(at, f)| !f.is_padding() && !selects(*at));
    match (written.next(), written.next()) {
        (Some((_, field)), None) => Some(&field.name),
        _ => None,
    }
}
