// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of the assembly language (chapter 1, 8.1 and 8.2).

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::HashMap;

use super::AsmError;
use super::Assembler;
use super::Mode;
use super::Place;
use super::Warning;
use super::data::Data;
use super::expr;
use super::expr::Expr;
use super::expr::Names;
use super::expr::SUM;
use super::lexer::Kind;
use super::lexer::Token;
use super::lexer::tokens;
use crate::geometry::Geometry;
use crate::json::is_identifier;
use crate::revision::Revision;

/// A program after parsing, before layout.
pub(crate) struct Parsed {
    pub(crate) cells: BTreeMap<(usize, usize), CellCode>,
    pub(crate) data: Data,
    pub(crate) io_cells: BTreeSet<(usize, usize)>,
    pub(crate) revision: Revision,
    pub(crate) warnings: Vec<Warning>,
}

#[derive(Default)]
pub(crate) struct CellCode {
    pub(crate) items: Vec<Item>,
    /// Label to the index of the item it stands before.
    pub(crate) labels: HashMap<String, usize>,
}

pub(crate) struct Item {
    pub(crate) place: Place,
    pub(crate) immediate: bool,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    /// Index of the instruction in the description, and what is written.
    Instruction(usize, Vec<Assign>),
    Raw(Vec<Expr>),
}

pub(crate) struct Assign {
    pub(crate) field: usize,
    pub(crate) value: Expr,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Data,
    Code,
    Skipped,
}

pub(crate) struct Parser<'a> {
    settings: &'a Assembler,
    tokens: Vec<Token>,
    pos: usize,
    depth: usize,
    revision: Revision,
    section: Section,
    cell: (usize, usize),
    statements_seen: bool,
    constants: HashMap<String, i64>,
    cells: BTreeMap<(usize, usize), CellCode>,
    io_cells: BTreeSet<(usize, usize)>,
    data: Data,
    warnings: Vec<Warning>,
}

pub(crate) fn parse(settings: &Assembler, text: &str) -> Result<Parsed, AsmError> {
    let mut parser = Parser {
        settings,
        tokens: tokens(text, settings.mode == Mode::Listing),
        pos: 0,
        depth: 0,
        revision: settings.revision,
        section: Section::Code,
        cell: (0, 0),
        statements_seen: false,
        constants: HashMap::new(),
        cells: BTreeMap::new(),
        io_cells: settings.io_cells.clone(),
        data: Data::default(),
        warnings: Vec::new(),
    };
    while *parser.peek() != Kind::Eof {
        parser.statement()?;
        match parser.peek() {
            Kind::Eol => {
                parser.next();
            }
            Kind::Bad(error) => return Err(error.clone()),
            _ => {
                return Err(parser
                    .place()
                    .error("A02", "unexpected text at the end of the statement"));
            }
        }
    }
    Ok(Parsed {
        cells: parser.cells,
        data: parser.data,
        io_cells: parser.io_cells,
        revision: parser.revision,
        warnings: parser.warnings,
    })
}

impl Parser<'_> {
    // ---- tokens ----

    pub(crate) fn peek(&self) -> &Kind {
        &self.tokens[self.pos].kind
    }

    fn peek_at(&self, ahead: usize) -> &Kind {
        &self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(crate) fn next(&mut self) -> Kind {
        let kind = self.tokens[self.pos].kind.clone();
        if kind != Kind::Eof {
            self.pos += 1;
        }
        kind
    }

    pub(crate) fn place(&self) -> Place {
        self.tokens[self.pos].place.clone()
    }

    /// Place of the token read last.
    pub(crate) fn last_place(&self) -> Place {
        self.tokens[self.pos.saturating_sub(1)].place.clone()
    }

    fn accept(&mut self, c: char) -> bool {
        let found = *self.peek() == Kind::Punct(c);
        if found {
            self.pos += 1;
        }
        found
    }

    pub(crate) fn expect(&mut self, c: char) -> Result<(), AsmError> {
        if self.accept(c) {
            return Ok(());
        }
        match self.peek() {
            Kind::Bad(error) => Err(error.clone()),
            _ => Err(self.place().error("A02", format!("`{c}` is expected"))),
        }
    }

    /// Parses an expression in brackets with a bound on the nesting depth.
    pub(crate) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, AsmError>,
    ) -> Result<T, AsmError> {
        if self.depth >= 64 {
            return Err(self.place().error("A02", "brackets are nested too deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn constant(&self, name: &str) -> Option<i64> {
        self.constants.get(&name.to_ascii_lowercase()).copied()
    }

    pub(crate) fn variable(&self, name: &str) -> Option<i64> {
        self.data.variable(name)
    }

    /// An expression of constants and variables only.
    fn value(&mut self, level: usize) -> Result<i64, AsmError> {
        expr::parse(self, level)?.eval(&Names::default())
    }

    fn warn(&mut self, code: &'static str, line: usize, message: impl Into<String>) {
        self.warnings.push(Warning { code, line, message: message.into() });
    }

    // ---- statements ----

    fn statement(&mut self) -> Result<(), AsmError> {
        let place = self.place();
        match self.peek().clone() {
            Kind::Eol | Kind::Eof => Ok(()),
            Kind::Bad(error) => Err(error),
            Kind::Heading(row, col) => {
                self.next();
                self.statements_seen = true;
                self.select_cell(row as i64, col as i64, &place)
            }
            Kind::Dir(name) if name != "WORD" => {
                self.next();
                self.directive(&name, &place)
            }
            Kind::Ident(name) if name.eq_ignore_ascii_case("CELL") && self.is_cell_heading() => {
                if self.section == Section::Data {
                    return Err(place.error("A14", "CELL belongs into the .CODE section"));
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
        *self.peek_at(1) != Kind::Punct(':')
    }

    fn directive(&mut self, name: &str, place: &Place) -> Result<(), AsmError> {
        match name {
            "ISA" => {
                let at = self.place();
                let Kind::Ident(text) = self.next() else {
                    return Err(at.error("A02", "the name of a revision is expected"));
                };
                if self.statements_seen {
                    return Err(place.error("A19", ".ISA must stand before the first statement"));
                }
                self.revision = text.parse().map_err(|()| {
                    at.error(
                        "A19",
                        format!("unknown revision `{text}`; r0 to r4, v2 and v3 are known"),
                    )
                })?;
                Ok(())
            }
            "IOCELL" => {
                let cell = self.angle_pair()?;
                let cell = self.check_cell(cell, place)?;
                if self.cells.get(&cell).is_some_and(|c| !c.items.is_empty()) {
                    return Err(place.error(
                        "A19",
                        ".IOCELL must stand before the first instruction of its cell",
                    ));
                }
                self.io_cells.insert(cell);
                Ok(())
            }
            "EQU" => {
                let at = self.place();
                let Kind::Ident(name) = self.next() else {
                    return Err(at.error("A02", "the name of a constant is expected"));
                };
                self.expect('=')?;
                let value = self.value(0)?;
                if self.constants.insert(name.to_ascii_lowercase(), value).is_some() {
                    return Err(at.error("A20", format!("constant `{name}` is defined twice")));
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
                self.warn("W04", place.line, format!(".{name} is skipped"));
                Ok(())
            }
            _ => Err(place.error("A02", format!("unknown directive .{name}"))),
        }
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

    fn cell_heading(&mut self, place: &Place) -> Result<(), AsmError> {
        let (row, col) = if *self.peek() == Kind::Punct('<') {
            self.angle_pair()?
        } else {
            match (self.next(), self.next()) {
                (Kind::Int(row), Kind::Int(col)) => (row, col),
                _ => return Err(place.error("A02", "`CELL <row, column>` is expected")),
            }
        };
        self.select_cell(row, col, place)
    }

    fn select_cell(&mut self, row: i64, col: i64, place: &Place) -> Result<(), AsmError> {
        self.cell = self.check_cell((row, col), place)?;
        Ok(())
    }

    fn check_cell(
        &self,
        (row, col): (i64, i64),
        place: &Place,
    ) -> Result<(usize, usize), AsmError> {
        inside(row, col, Geometry::ROWS, self.settings.geometry.columns).ok_or_else(|| {
            place.error(
                "A12",
                format!(
                    "cell <{row},{col}> is outside the fabric of {} x {} cells",
                    Geometry::ROWS,
                    self.settings.geometry.columns
                ),
            )
        })
    }

    // ---- code ----

    fn code_statement(&mut self) -> Result<(), AsmError> {
        let place = self.place();
        if matches!(self.peek(), Kind::Var(_)) || self.is_data_statement() {
            return Err(place.error("A14", "data belongs into the .DATA section"));
        }
        loop {
            let at = self.place();
            match self.peek().clone() {
                Kind::Str(text) => {
                    self.next();
                    if is_identifier(&text) {
                        self.define_label(text, &at)?;
                    }
                }
                Kind::Ident(text) if *self.peek_at(1) == Kind::Punct(':') => {
                    self.next();
                    self.next();
                    self.define_label(text, &at)?;
                }
                _ => break,
            }
        }
        match self.peek().clone() {
            Kind::Eol | Kind::Eof => Ok(()),
            Kind::Dir(name) if name == "WORD" => self.raw(),
            Kind::Ident(name) => self.instruction(&name),
            Kind::Bad(error) => Err(error),
            _ => Err(self.place().error("A02", "an instruction is expected")),
        }
    }

    fn is_data_statement(&self) -> bool {
        matches!(self.peek(), Kind::Ident(n) if n.eq_ignore_ascii_case("SRAM") || n.eq_ignore_ascii_case("RF"))
            && *self.peek_at(1) == Kind::Punct('<')
    }

    fn define_label(&mut self, name: String, place: &Place) -> Result<(), AsmError> {
        let code = self.cells.entry(self.cell).or_default();
        let index = code.items.len();
        if code.labels.contains_key(&name) {
            return Err(place.error("A11", format!("label `{name}` is defined twice in this cell")));
        }
        code.labels.insert(name, index);
        Ok(())
    }

    fn suffix(&mut self) -> Result<bool, AsmError> {
        let place = self.place();
        match self.peek() {
            Kind::Dir(s) if s == "I" => {
                self.next();
                Ok(true)
            }
            Kind::Dir(s) if s == "D" => {
                self.next();
                Ok(false)
            }
            Kind::Dir(s) => {
                Err(place.error("A02", format!("unknown suffix .{s}; .I and .D are known")))
            }
            _ => Ok(true),
        }
    }

    fn raw(&mut self) -> Result<(), AsmError> {
        let start = self.place();
        self.next();
        let immediate = self.suffix()?;
        let mut words = vec![expr::parse(self, 0)?];
        while self.accept(',') {
            words.push(expr::parse(self, 0)?);
        }
        let place = start.to(&self.last_place());
        self.push_item(Item { place, immediate, body: Body::Raw(words) });
        Ok(())
    }

    fn instruction(&mut self, mnemonic: &str) -> Result<(), AsmError> {
        let start = self.place();
        self.next();
        let isa = self.revision.isa();
        let Some(index) =
            isa.instructions.iter().position(|i| i.name.eq_ignore_ascii_case(mnemonic))
        else {
            return Err(start.error(
                "A03",
                format!("unknown mnemonic `{mnemonic}` in revision {}", self.revision.name()),
            ));
        };
        let instruction = &isa.instructions[index];
        let io_cell = self.io_cells.contains(&self.cell);
        if !isa.available(instruction, io_cell) {
            let kind =
                if io_cell { "an I/O cell" } else { "a cell that is not an I/O cell (.IOCELL)" };
            return Err(
                start.error("A21", format!("{} does not exist in {kind}", instruction.name))
            );
        }
        let immediate = self.suffix()?;
        let bracket = self.accept('(');
        let mut assigns: Vec<Assign> = Vec::new();
        if !self.at_end(bracket) {
            loop {
                let assign = self.assign(instruction)?;
                if assigns.iter().any(|a| a.field == assign.field) {
                    let name = &instruction.fields[assign.field].name;
                    return Err(assign
                        .place
                        .error("A05", format!("field {name} is written twice")));
                }
                assigns.push(assign);
                if self.accept(',') {
                    continue;
                }
                if self.at_end(bracket) {
                    break;
                }
                return Err(match self.peek() {
                    Kind::Bad(error) => error.clone(),
                    Kind::Ident(_) | Kind::Int(_) => {
                        self.place().error("A08", "a comma is missing between two operands")
                    }
                    _ => self.place().error("A02", "`,` or the end of the operands is expected"),
                });
            }
        }
        if bracket {
            self.expect(')')?;
        }
        let place = start.to(&self.last_place());
        self.push_item(Item { place, immediate, body: Body::Instruction(index, assigns) });
        Ok(())
    }

    fn at_end(&self, bracket: bool) -> bool {
        match self.peek() {
            Kind::Eol | Kind::Eof => true,
            Kind::Punct(')') => bracket,
            _ => false,
        }
    }

    fn assign(
        &mut self,
        instruction: &crate::description::Instruction,
    ) -> Result<Assign, AsmError> {
        let start = self.place();
        let name = match (self.peek().clone(), self.peek_at(1)) {
            (Kind::Ident(name), Kind::Punct('=')) => name,
            (Kind::Bad(error), _) => return Err(error),
            (Kind::Ident(_) | Kind::Int(_) | Kind::Var(_) | Kind::Fixed(_), _) => {
                return Err(start.error("A08", "an operand is written `name=value`"));
            }
            _ => return Err(start.error("A02", "an operand `name=value` is expected")),
        };
        self.next();
        self.next();
        let field = instruction.field_index(&name).ok_or_else(|| {
            start.error("A04", format!("{} has no field `{name}`", instruction.name))
        })?;
        let sign_alone = matches!(self.peek(), Kind::Punct('+' | '-'))
            && matches!(self.peek_at(1), Kind::Punct(',' | ')') | Kind::Eol | Kind::Eof);
        let value = if sign_alone {
            let place = self.place();
            let Kind::Punct(sign) = self.next() else { unreachable!("checked above") };
            let raw = instruction.fields[field].value_of(&sign.to_string()).ok_or_else(|| {
                place.error("A06", format!("field {name} has no value named `{sign}`"))
            })?;
            Expr::Num(raw as i64)
        } else {
            expr::parse(self, 0)?
        };
        Ok(Assign { field, value, place: start.to(&self.last_place()) })
    }

    fn push_item(&mut self, item: Item) {
        self.cells.entry(self.cell).or_default().items.push(item);
    }

    // ---- data ----

    fn data_statement(&mut self) -> Result<(), AsmError> {
        let start = self.place();
        match self.peek().clone() {
            Kind::Var(name) => {
                self.next();
                self.variable_statement(&name, &start)
            }
            Kind::Ident(_) if self.is_data_statement() => {
                let Kind::Ident(name) = self.next() else { unreachable!("checked above") };
                self.placed_data(name.eq_ignore_ascii_case("SRAM"), &start)
            }
            Kind::Bad(error) => Err(error),
            Kind::Ident(_) | Kind::Str(_) | Kind::Dir(_) => {
                Err(start.error("A14", "an instruction belongs into the .CODE section"))
            }
            _ => Err(start.error("A02", "a data statement is expected")),
        }
    }

    fn memory_place(
        &self,
        sram: bool,
        (row, col): (i64, i64),
        place: &Place,
    ) -> Result<(usize, usize), AsmError> {
        if !sram {
            return self.check_cell((row, col), place);
        }
        let geometry = &self.settings.geometry;
        inside(row, col, geometry.tile_rows, geometry.columns).ok_or_else(|| {
            place.error(
                "A12",
                format!(
                    "tile <{row},{col}> is outside the fabric of {} x {} tiles",
                    geometry.tile_rows, geometry.columns
                ),
            )
        })
    }

    /// `SRAM <r,c> [a] = data` and `RF <r,c> [a] = data`
    fn placed_data(&mut self, sram: bool, start: &Place) -> Result<(), AsmError> {
        let pair = self.angle_pair()?;
        let memory = self.memory_place(sram, pair, start)?;
        self.expect('[')?;
        let address = self.value(0)?;
        self.expect(']')?;
        self.expect('=')?;
        let (words, rows) = self.data_words()?;
        let place = start.to(&self.last_place());
        let geometry = self.settings.geometry;
        self.data.place(&geometry, sram, memory, address, &words, rows, &place)
    }

    /// `$name location type row col data`
    fn variable_statement(&mut self, name: &str, start: &Place) -> Result<(), AsmError> {
        let mut numbers = [0; 4];
        for number in &mut numbers {
            let at = self.place();
            match self.next() {
                Kind::Int(v) => *number = v,
                Kind::Bad(error) => return Err(error),
                _ => {
                    return Err(
                        at.error("A02", "`$name location type row column data` is expected")
                    );
                }
            }
        }
        let [location, format, row, col] = numbers;
        if !(0..=1).contains(&location) || !(0..=1).contains(&format) {
            return Err(start.error("A17", "location and type must be 0 or 1"));
        }
        let sram = location == 1;
        let memory = self.memory_place(sram, (row, col), start)?;
        let (words, _) = self.data_words()?;
        let place = start.to(&self.last_place());
        let geometry = self.settings.geometry;
        self.data.variable_data(&geometry, name, sram, memory, &words, &place)
    }

    /// The words of a data item, and whether they were written as whole hex rows.
    fn data_words(&mut self) -> Result<(Vec<u16>, bool), AsmError> {
        let start = self.place();
        match self.peek().clone() {
            Kind::HexRow(_) => {
                let mut words = Vec::new();
                loop {
                    let at = self.place();
                    let Kind::HexRow(hex) = self.next() else {
                        return Err(at.error("A02", "a hex row X\"..\" is expected"));
                    };
                    let block = crate::image::parse_block(&hex)
                        .ok_or_else(|| at.error("A17", "a hex row has 64 hex digits"))?;
                    words.extend(block);
                    if !self.accept(',') {
                        return Ok((words, true));
                    }
                }
            }
            Kind::Punct('[') => {
                self.next();
                let mut words = Vec::new();
                loop {
                    words.push(self.data_word()?);
                    if self.accept(',') {
                        continue;
                    }
                    self.expect(']')?;
                    return Ok((words, false));
                }
            }
            Kind::Ident(name) => {
                self.next();
                self.expect('(')?;
                let first = self.value(0)?;
                let ramp = name.eq_ignore_ascii_case("RAMP");
                let count = if ramp {
                    self.expect(',')?;
                    self.value(0)?
                } else {
                    first
                };
                self.expect(')')?;
                let place = start.to(&self.last_place());
                if !(1..=2048).contains(&count) {
                    return Err(place.error("A17", format!("count {count} is outside 1..2048")));
                }
                let (from, step) = match name.to_ascii_uppercase().as_str() {
                    "ZEROS" => (0, 0),
                    "ONES" => (1, 0),
                    "RAMP" => (first, 1),
                    _ => {
                        return Err(
                            place.error("A02", "data is a list, hex rows, ZEROS, ONES or RAMP")
                        );
                    }
                };
                let words = (0..count)
                    .map(|i| word(from.wrapping_add(step * i), &place))
                    .collect::<Result<_, _>>()?;
                Ok((words, false))
            }
            Kind::Bad(error) => Err(error),
            _ => Err(start.error("A02", "data is a list, hex rows, ZEROS, ONES or RAMP")),
        }
    }

    fn data_word(&mut self) -> Result<u16, AsmError> {
        let start = self.place();
        let (sign, ahead) = match self.peek() {
            Kind::Punct('-') => (-1.0, 1),
            Kind::Punct('+') => (1.0, 1),
            _ => (1.0, 0),
        };
        if let Kind::Fixed(text) = self.peek_at(ahead).clone() {
            for _ in 0..=ahead {
                self.next();
            }
            let place = start.to(&self.last_place());
            // Decimal literals of any length are rounded correctly by the parser; scaling by a
            // power of two is exact; `round` takes ties away from zero.
            let value = (sign * text.parse::<f64>().unwrap_or(f64::INFINITY) * 2048.0).round();
            if !(-32768.0..=32767.0).contains(&value) {
                return Err(place.error("A17", format!("{text} is outside the Q4.11 range")));
            }
            return Ok(value as i64 as u16);
        }
        let value = self.value(0)?;
        word(value, &start.to(&self.last_place()))
    }
}

fn word(value: i64, place: &Place) -> Result<u16, AsmError> {
    if (-32768..=65535).contains(&value) {
        Ok(value as u16)
    } else {
        Err(place.error("A17", format!("data value {value} is outside -32768..65535")))
    }
}

fn inside(row: i64, col: i64, rows: usize, cols: usize) -> Option<(usize, usize)> {
    let (r, c) = (usize::try_from(row).ok()?, usize::try_from(col).ok()?);
    (r < rows && c < cols).then_some((r, c))
}
