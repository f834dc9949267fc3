// SPDX-License-Identifier: MIT OR Apache-2.0
//! The grammar of a signal map. A statement begins at the start of a line and continues in indented lines:
//!
//! ```text
//! let seq = tb.dut.row(r).col(c).seq | dut.row(r).col(c).seq
//! clock rising tb.clk
//! cell[r][c].seq.pc = {seq}.pc[5:0]
//! cell[r][c].dpu.ir0 = (1'b0, {seq}.high) offset 1 while golden cell[r][c].seq.state != 0   # shown with the entry
//! cell[r][c].dpu.bw_reg excluded: there is no such register
//! ```
//!
//! Paths and expressions are not kept as trees: they are checked when the map is read, and parsed again for each
//! register that they show, once the values of the indices and the signals are known (`expression.rs`, `find.rs`).

use drra_fabric::{PortId, ports::InputPort};

use super::{
    evaluate::Expression,
    file::{
        CompareFrom, ComparisonWindow, EntryKind, GoldenCondition, IndexValue, MapFile,
        RegisterEntry, Span,
    },
    problem::{MapError, MapProblem},
    reader::{BindResult, MapReader, ParseResult, is_name, is_word},
};
use crate::samples::Edge;

/// Maximum offset in cycles, in either direction.
const MAX_OFFSET: i64 = 64;

impl MapFile {
    /// Reads a map; `name` is for errors.
    ///
    /// # Errors
    /// Returns all statements that cannot be read, each with its place and a remedy.
    pub fn parse(name: &str, text: &str) -> Result<Self, MapError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut file = Self { name: name.to_owned(), text: text.to_owned(), ..Self::default() };
        let mut reader = MapReader::new(text);
        let mut problems = Vec::new();
        while reader.find_statement() {
            let start = reader.at;
            match reader.statement(&mut file) {
                Ok(key) if file.statements.iter().any(|(known, _)| *known == key) => {
                    let what = format!("`{key}` is defined twice");
                    let end = start + text[start..].find(['\n', '=']).unwrap_or(0);
                    problems.push(MapProblem::new(start..end, what, "remove one of them"));
                }
                Ok(key) => file.statements.push((key, start..reader.at)),
                Err(problem) => {
                    problems.push(problem);
                    reader.skip_statement();
                }
            }
        }
        if problems.is_empty() { Ok(file) } else { Err(MapError::new(name, text, problems)) }
    }
}

/// A word as written in a map: quoted if it has special characters.
pub(crate) fn word(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(is_word);
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

/// A path with indices in braces, as written in a map: quoted if it has special characters.
pub fn quoted(path: &str) -> String {
    let mut reader = MapReader::new(path);
    let begins = path.starts_with(|c: char| !c.is_ascii_digit()) && reader.at_function().is_none();
    let plain = |inside: &str| {
        let index = inside.split([']', ')', ',']).next().unwrap_or_default();
        is_name(index) || ["{}", "*"].contains(&index) || index.parse::<i64>().is_ok()
    };
    // Braces can contain brackets.
    let outside = path.split('}').map(|piece| piece.split('{').next().unwrap_or_default());
    let bare = outside.collect::<Vec<_>>().join("{}");
    let plain = bare.split(['[', '(']).skip(1).all(plain);
    match begins && plain && reader.path().is_ok() && reader.at == path.len() {
        true => path.to_owned(),
        false => format!("\"{path}\""),
    }
}

impl MapReader<'_, '_> {
    /// Advances to the beginning of the next statement.
    fn find_statement(&mut self) -> bool {
        (self.depth, self.operands) = (0, 0);
        while let Some(line) = self.rest().split_inclusive('\n').next() {
            if !line.trim_start().is_empty() && !line.trim_start().starts_with('#') {
                return true;
            }
            self.at += line.len();
        }
        false
    }

    /// Skips the rest of the statement that begins before this position.
    fn skip_statement(&mut self) {
        while let Some(end) = self.rest().find('\n') {
            self.at += end + 1;
            if !self.rest().starts_with([' ', '\t']) {
                return;
            }
        }
        self.at = self.text.len();
    }

    /// Reads a statement into a map. Returns the name that the statement defines.
    fn statement(&mut self, file: &mut MapFile) -> ParseResult<String> {
        let start = self.at;
        if self.peek().is_some_and(char::is_whitespace) {
            self.space();
            return self.error("indented line that continues nothing", "start in the first column");
        }
        let mut named = true;
        if self.keyword("let") {
            let name = self.name()?;
            let mut paths = vec![self.path_alone()?];
            while self.takes("|") {
                paths.push(self.path_alone()?);
            }
            file.prefixes.insert(name, paths);
        } else if self.keyword("table") {
            let name = self.name()?;
            let mut rows = Vec::new();
            self.list(|reader| {
                let first = reader.word()?;
                rows.push(match reader.takes(":") {
                    true => (first.to_owned(), IndexValue::of_row(reader.word()?)),
                    false => (rows.len().to_string(), IndexValue::of_row(first)),
                });
                Ok(())
            })?;
            file.tables.insert(name, rows);
        } else if self.keyword("port") {
            let (name, span) = self.port()?;
            let port = InputPort::from_name(&name).ok_or_else(|| {
                let what = format!("`{name}` is not an input port of the fabric");
                let names = InputPort::ALL.map(InputPort::name).join(", ");
                MapProblem::new(span, what, format!("the input ports are {names}"))
            })?;
            file.ports.insert(port, self.checked(Self::expression)?);
        } else if self.keyword("output") {
            let start = self.at;
            let name = self.word()?.to_owned();
            let port = PortId::from_name(&name).ok_or_else(|| {
                let what = format!("`{name}` is not an output of the fabric");
                MapProblem::new(self.since(start), what, "chapter 5 lists the outputs; omit `_o`")
            })?;
            if self.takes("excluded:") {
                self.reason()?;
                file.excluded_outputs.insert(port);
            } else {
                self.expect("=")?;
                file.outputs.insert(port, self.checked(Self::expression)?);
            }
        } else if self.keyword("signal") {
            let (name, span) = self.pattern()?;
            self.expect("=")?;
            file.signals.push((name, self.checked(Self::expression)?, span));
        } else {
            named = false;
        }
        let key = if named {
            let text = self.text[start..self.at].split('=').next().unwrap_or_default();
            let key = text.split("excluded:").next().unwrap_or_default();
            key.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            self.single(file)?
        };
        self.note();
        self.end()?;
        Ok(key)
    }

    /// A statement that may occur at most once, or an entry.
    fn single(&mut self, file: &mut MapFile) -> ParseResult<String> {
        let key = ["fabric", "clock", "reset", "cycle_0", "flag_delay"];
        let Some(key) = key.into_iter().find(|key| self.keyword(key)) else {
            let mut entry = self.entry()?;
            entry.note = self.note();
            file.registers.push(entry);
            return Ok(file.registers.last().map_or_else(String::new, |e| e.register.clone()));
        };
        match key {
            "fabric" => {
                file.fabric = self.list(|reader| {
                    let start = reader.at;
                    let name = reader.word()?.to_owned();
                    reader.expect(":")?;
                    Ok((name, reader.number()?, reader.since(start)))
                })?;
            }
            "clock" => {
                let edge = self.one_of([("rising", Edge::Rising), ("falling", Edge::Falling)])?;
                file.clock = Some((edge, self.path_alone()?));
            }
            "reset" => {
                let level = self.one_of([("high", true), ("low", false)])?;
                file.reset = Some((level, self.path_alone()?));
            }
            "cycle_0" => {
                let when = self.keyword("when");
                let when = when.then(|| self.checked(Self::expression)).transpose()?;
                let skip = if self.keyword("skip") { self.number()? } else { 0 };
                file.cycle_0 = (when, skip);
            }
            _ => {
                self.expect("=")?;
                file.flag_delay = Some(self.checked(Self::sum)?);
            }
        }
        Ok(key.to_owned())
    }

    /// Comments at the end of a statement: on its last line, and on indented lines after it.
    fn note(&mut self) -> Option<String> {
        let mut lines = Vec::new();
        while self.eat("#") {
            lines.push(self.eat_while(|c| c != '\n').trim());
            self.space();
        }
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    /// The name of a `let` or a table, and the `=` after it.
    fn name(&mut self) -> ParseResult<String> {
        let start = self.at;
        let name = self.eat_while(is_word);
        if !is_name(name) {
            self.at = start;
            let help = "a letter or `_`, then letters, digits and `_`, at least two characters: single letters are indices";
            return self.error("expected a name", help);
        }
        self.space();
        self.expect("=")?;
        Ok(name.to_owned())
    }

    /// The name of a port, and the `=` after it.
    fn port(&mut self) -> ParseResult<(String, Span)> {
        let start = self.at;
        let name = self.word()?.to_owned();
        let span = self.since(start);
        self.expect("=")?;
        Ok((name, span))
    }

    fn one_of<T>(&mut self, [one, other]: [(&str, T); 2]) -> ParseResult<T> {
        match () {
            () if self.keyword(one.0) => Ok(one.1),
            () if self.keyword(other.0) => Ok(other.1),
            () => self.expected(&format!("`{}` or `{}`", one.0, other.0)),
        }
    }

    /// Checks that a part can be parsed, and returns its position.
    fn checked<T>(&mut self, read: fn(&mut Self) -> ParseResult<T>) -> ParseResult<usize> {
        let start = self.at;
        read(self).map(|_| start)
    }

    /// The position of a path without a bit selection.
    fn path_alone(&mut self) -> ParseResult<Span> {
        let span = self.path()?.span;
        self.space();
        Ok(span)
    }

    /// The path of a register, or the name of a signal, with letters, as written.
    fn pattern(&mut self) -> ParseResult<(String, Span)> {
        let start = self.at;
        let path = self.eat_while(|c| !c.is_whitespace() && !"=!".contains(c)).to_owned();
        if path.is_empty() {
            return self.expected("the path of a register");
        }
        self.space();
        Ok((path, self.since(start)))
    }

    fn entry(&mut self) -> ParseResult<RegisterEntry> {
        let (register, span) = self.pattern()?;
        let (kind, when) = if self.takes("excluded:") {
            (EntryKind::Excluded(self.reason()?), ComparisonWindow::default())
        } else if self.takes("=") {
            let start = self.at;
            let kind = match self.at_function() == Some("memory") {
                true => self.memory().map(|_| EntryKind::Memory(start))?,
                false => self.expression().map(|_| EntryKind::Expression(start))?,
            };
            (kind, self.when()?.0)
        } else {
            return self.expected("`=` and an expression, or `excluded:` and a reason");
        };
        Ok(RegisterEntry { register, span, kind, when, note: None })
    }

    /// The text up to the end of the statement or to a comment.
    fn reason(&mut self) -> ParseResult<String> {
        let start = self.at;
        while !self.rest().is_empty() && !self.rest().starts_with(['\n', '#']) {
            self.eat_while(|c| !matches!(c, ' ' | '\n'));
            self.space();
        }
        let reason: Vec<&str> = self.text[start..self.at].split_whitespace().collect();
        if reason.is_empty() { self.expected("a reason") } else { Ok(reason.join(" ")) }
    }

    /// Reads when a register is compared, and the condition on signals.
    pub(super) fn when(
        &mut self,
    ) -> ParseResult<(ComparisonWindow, Option<BindResult<Expression>>)> {
        let (mut when, mut condition) = (ComparisonWindow::default(), None);
        loop {
            let start = self.at;
            if self.keyword("offset") {
                let offset: i64 = self.number()?;
                if offset.abs() > MAX_OFFSET {
                    let what = format!(
                        "the offset {offset} is not between -{MAX_OFFSET} and {MAX_OFFSET}"
                    );
                    let help = "use `from` to begin later";
                    return Err(MapProblem::new(self.since(start), what, help));
                }
                when.offset = offset as i32;
            } else if self.keyword("from") {
                when.from = match () {
                    () if self.keyword("reset") => CompareFrom::Reset,
                    () if self.keyword("load_end") => CompareFrom::LoadEnd,
                    () => CompareFrom::Cycle(self.number()?),
                };
            } else if !self.keyword("while") {
                return Ok((when, condition));
            } else if self.keyword("golden") {
                let (register, span) = self.pattern()?;
                let equals = self.takes("==");
                if !equals && !self.takes("!=") {
                    return self.expected("`==` or `!=`");
                }
                when.golden =
                    Some(GoldenCondition { register, span, equals, value: self.number()? });
            } else {
                condition = Some(self.expression_of(1)?);
            }
        }
    }
}
