// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of the assembly language (chapter 1, 8.1 and 8.2).

mod code;
mod cursor;
mod data;
mod expr;
mod program;

use super::{
    assembly::Assembler,
    error::{AsmError, SourceSpan},
    expr::NameScope,
    lexer::TokenKind,
};
use crate::{
    Geometry,
    image::Memory,
    instruction_set::InstructionSet,
    place::{CellId, TileId},
    revision::Revision,
};

use cursor::{Parser, Section};
use expr::SUM;
pub(super) use program::{Assignment, CellCode, CodeItem, ItemBody, ParsedProgram};

pub(crate) fn parse<'a>(
    settings: &'a Assembler,
    text: &'a str,
) -> Result<ParsedProgram<'a>, AsmError> {
    let mut parser = Parser::new(settings, text);
    while parser.peek() != TokenKind::Eof {
        parser.statement()?;
        if parser.peek() != TokenKind::Eol {
            return parser.unexpected("A02", "unexpected text at the end of the statement");
        }
        parser.next();
    }
    Ok(parser.parsed)
}

impl Parser<'_> {
    /// The value of an expression without labels and value names.
    fn value(&mut self, level: usize) -> Result<i64, AsmError> {
        expr::parse(self, level)?.eval(&NameScope::default())
    }

    fn statement(&mut self) -> Result<(), AsmError> {
        let place = self.place();
        match self.peek() {
            TokenKind::Eol | TokenKind::Eof => Ok(()),
            TokenKind::Heading(row, col) => {
                self.next();
                self.statements_seen = true;
                self.select_cell(row as i64, col as i64, &place)
            }
            TokenKind::Dir(name) if !name.eq_ignore_ascii_case("WORD") => {
                self.next();
                self.directive(&name.to_ascii_uppercase(), &place)
            }
            TokenKind::Ident(name)
                if name.eq_ignore_ascii_case("CELL") && self.is_cell_heading() =>
            {
                if self.section == Section::Data {
                    return place.fail("A14", "CELL belongs in the .CODE section");
                }
                self.next();
                self.statements_seen = true;
                self.cell_heading(&place)
            }
            _ => {
                self.statements_seen = true;
                match self.section {
                    Section::Data => self.data_statement(),
                    Section::Code | Section::Skipped => self.code_statement(),
                }
            }
        }
    }

    fn is_cell_heading(&self) -> bool {
        // `CELL:` would be a label.
        self.peek_at(1) != TokenKind::Punct(':')
    }

    fn directive(&mut self, name: &str, place: &SourceSpan) -> Result<(), AsmError> {
        match name {
            "ISA" => {
                let at = self.place();
                let TokenKind::Ident(text) = self.next() else {
                    return at.fail("A02", "expected the name of a revision");
                };
                if self.statements_seen {
                    return place.fail("A19", ".ISA must precede the first statement");
                }
                self.select_isa(text, &at)
            }
            "IOCELL" => {
                let cell = self.angle_pair()?;
                let cell = self.check_cell(cell, place)?;
                if self.parsed.cells.get(&cell).is_some_and(|c| !c.items.is_empty()) {
                    return place
                        .fail("A19", ".IOCELL must precede the first instruction of its cell");
                }
                self.parsed.assembly.io_cells.insert(cell);
                Ok(())
            }
            "EQU" => {
                let at = self.place();
                let TokenKind::Ident(name) = self.next() else {
                    return at.fail("A02", "expected the name of a constant");
                };
                self.expect('=')?;
                let value = self.value(0)?;
                if self.constants.insert(name.to_ascii_lowercase(), value).is_some() {
                    return at.fail("A20", format!("constant `{name}` is defined twice"));
                }
                Ok(())
            }
            "DATA" => {
                self.section = Section::Data;
                Ok(())
            }
            "CODE" => {
                self.section = Section::Code;
                Ok(())
            }
            "RELATION" | "DEPENDENCY" => {
                self.section = Section::Skipped;
                self.parsed.has_relations = true;
                self.warn("W04", place.line, format!(".{name} is skipped"));
                Ok(())
            }
            _ => place.fail("A02", format!("unknown directive .{name}")),
        }
    }

    /// `.ISA name`: a published revision, or the given description.
    fn select_isa(&mut self, name: &str, at: &SourceSpan) -> Result<(), AsmError> {
        if let InstructionSet::Given(isa) = &self.parsed.assembly.isa {
            if isa.revision.eq_ignore_ascii_case(name) {
                return Ok(());
            }
            return at.fail(
                "A19",
                format!("the text requires `{name}`, not {}", self.parsed.assembly.isa),
            );
        }
        let revision: Revision = name.parse().map_err(|()| {
            at.error("A19", format!("unknown revision `{name}`; r0 to r4, v2 and v3 are known"))
        })?;
        self.parsed.assembly.isa = revision.into();
        Ok(())
    }

    /// `< sum , sum >`
    fn angle_pair(&mut self) -> Result<(i64, i64), AsmError> {
        self.expect('<')?;
        let row = self.value(SUM)?;
        self.expect(',')?;
        let col = self.value(SUM)?;
        self.expect('>')?;
        Ok((row, col))
    }

    fn cell_heading(&mut self, place: &SourceSpan) -> Result<(), AsmError> {
        let (row, col) = if self.peek() == TokenKind::Punct('<') {
            self.angle_pair()?
        } else {
            match (self.next(), self.next()) {
                (TokenKind::Int(row), TokenKind::Int(col)) => (row, col),
                _ => return place.fail("A02", "expected `CELL <row, column>`"),
            }
        };
        self.select_cell(row, col, place)
    }

    fn select_cell(&mut self, row: i64, col: i64, place: &SourceSpan) -> Result<(), AsmError> {
        self.cell = self.check_cell((row, col), place)?;
        Ok(())
    }

    fn check_cell(&self, (row, col): (i64, i64), at: &SourceSpan) -> Result<CellId, AsmError> {
        let cell = indices(row, col).and_then(|(row, col)| CellId::new(row, col));
        let cell = cell.filter(|cell| cell.is_in(&self.settings.geometry));
        cell.ok_or_else(|| self.outside("cell", (row, col), Geometry::ROWS, at))
    }

    fn memory(
        &self,
        sram: bool,
        (row, col): (i64, i64),
        at: &SourceSpan,
    ) -> Result<Memory, AsmError> {
        if !sram {
            return Ok(Memory::Rf(self.check_cell((row, col), at)?));
        }
        let geometry = &self.settings.geometry;
        let tile = indices(row, col).and_then(|(row, col)| TileId::from_image_row(row, col));
        let tile = tile.filter(|tile| tile.is_in(geometry));
        let outside = || self.outside("tile", (row, col), geometry.tile_rows, at);
        Ok(Memory::Sram(tile.ok_or_else(outside)?))
    }

    fn outside(
        &self,
        what: &str,
        (row, col): (i64, i64),
        rows: usize,
        at: &SourceSpan,
    ) -> AsmError {
        let columns = self.settings.geometry.columns;
        let fabric = format!("the fabric of {rows} x {columns} {what}s");
        at.error("A12", format!("{what} <{row},{col}> is outside {fabric}"))
    }
}

fn indices(row: i64, col: i64) -> Option<(usize, usize)> {
    Some((row.try_into().ok()?, col.try_into().ok()?))
}
