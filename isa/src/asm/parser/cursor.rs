// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parser at a token of the text, and what it has read so far.

use std::collections::HashMap;

use super::program::ParsedProgram;
use crate::{
    asm::{
        assembly::{Assembler, Assembly, TextKind},
        data::DataSection,
        error::{AsmError, SourceSpan, Warning},
        lexer::{Token, TokenKind, tokens},
    },
    place::CellId,
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Data,
    Code,
    Skipped,
}

pub(super) struct Parser<'a> {
    pub(super) settings: &'a Assembler,
    tokens: Vec<Token<'a>>,
    /// The error that the token `Bad` stands for.
    bad: Option<AsmError>,
    pos: usize,
    depth: usize,
    pub(super) section: Section,
    pub(super) cell: CellId,
    pub(super) statements_seen: bool,
    pub(super) constants: HashMap<String, i64>,
    pub(super) parsed: ParsedProgram<'a>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(settings: &'a Assembler, text: &'a str) -> Self {
        let (tokens, bad) = tokens(text, settings.kind == TextKind::Listing);
        let (isa, io_cells) = (settings.isa.clone(), settings.io_cells.clone());
        let assembly = Assembly { isa, io_cells, ..Assembly::default() };
        let data = DataSection::new(settings.geometry);
        Self {
            settings,
            tokens,
            bad,
            pos: 0,
            depth: 0,
            section: Section::Code,
            cell: CellId::FIRST,
            statements_seen: false,
            constants: HashMap::new(),
            parsed: ParsedProgram { assembly, data, ..ParsedProgram::default() },
        }
    }

    pub(super) fn peek(&self) -> TokenKind<'a> {
        self.tokens[self.pos].kind
    }

    pub(super) fn peek_at(&self, ahead: usize) -> TokenKind<'a> {
        self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn next(&mut self) -> TokenKind<'a> {
        let kind = self.peek();
        if !matches!(kind, TokenKind::Eof) {
            self.pos += 1;
        }
        kind
    }

    pub(super) fn place(&self) -> SourceSpan {
        self.tokens[self.pos].place.clone()
    }

    /// Location of the token read last.
    pub(super) fn last_place(&self) -> SourceSpan {
        self.tokens[self.pos.saturating_sub(1)].place.clone()
    }

    pub(super) fn accept(&mut self, c: char) -> bool {
        let found = matches!(self.peek(), TokenKind::Punct(next) if next == c);
        if found {
            self.pos += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, c: char) -> Result<(), AsmError> {
        if self.accept(c) {
            return Ok(());
        }
        self.unexpected("A02", format!("expected `{c}`"))
    }

    /// The error about the next token; a lexical error is reported as such.
    pub(super) fn unexpected<T>(
        &self,
        code: &'static str,
        message: impl Into<String>,
    ) -> Result<T, AsmError> {
        match &self.bad {
            Some(error) if self.peek() == TokenKind::Bad => Err(error.clone()),
            _ => self.place().fail(code, message),
        }
    }

    /// Parses an expression in brackets, which may be nested at most 64 deep.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, AsmError>,
    ) -> Result<T, AsmError> {
        if self.depth >= 64 {
            return self.place().fail("A02", "brackets are nested too deeply");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(super) fn constant(&self, name: &str) -> Option<i64> {
        if self.constants.is_empty() {
            return None;
        }
        self.constants.get(&name.to_ascii_lowercase()).copied()
    }

    pub(super) fn variable(&self, name: &str) -> Option<i64> {
        self.parsed.data.variable(name)
    }

    pub(super) fn warn(&mut self, code: &'static str, line: usize, message: impl Into<String>) {
        self.parsed.assembly.warnings.push(Warning { code, line, message: message.into() });
    }
}
