// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of a signal map. A statement begins in the first column, and lines that are moved in continue it:
//!
//! ```text
//! let seq = tb.dut.row(r).col(c).seq | dut.row(r).col(c).seq
//! clock rising tb.clk
//! cell[r][c].seq.pc = {seq}.pc[5:0]
//! cell[r][c].dpu.ir0 = (1'b0, {seq}.high) offset 1 while golden cell[r][c].seq.state != 0   # shown with the entry
//! cell[r][c].dpu.bw_reg excluded: there is no such register
//! ```
//!
//! The reader keeps where everything stands, so that what is found wrong later has its place, too.

use std::{collections::BTreeMap, ops::Range};

use super::{
    ports::InputPort,
    problem::{MapError, Problem},
};
use crate::{Bits, frames::Edge};

/// Deepest nesting of expressions and arithmetic.
const DEPTH: usize = 64;
/// Most operators of one statement.
const OPERATORS: usize = 512;
/// Widest constant in bits.
const WIDEST: u32 = 4096;
/// Latest cycle that a dump can show a register, and the earliest.
const LATEST: i64 = 64;

/// Where something stands in the text, in bytes.
pub type Span = Range<usize>;

/// A signal map as it is written.
#[derive(Clone, Debug, Default)]
pub struct MapFile {
    /// What it is called in errors.
    pub name: String,
    pub text: String,
    /// What each statement defines (`let cell`, `clock`, `cell[r][c].seq.pc`), and where it stands with its note.
    pub statements: Vec<(String, Span)>,
    /// The size of the fabric that it is meant for: `columns`, `tile_rows`, `rf_words`, `sram_blocks`.
    pub fabric: Vec<(String, usize, Span)>,
    /// Beginnings of paths with a name; the first alternative that exists counts.
    pub prefixes: BTreeMap<String, Vec<Path>>,
    pub tables: BTreeMap<String, Table>,
    /// A map for a model that is run in lock-step needs none.
    pub clock: Option<(Edge, Path)>,
    /// The level that is active, and the signal.
    pub reset: Option<(bool, Path)>,
    /// Cycle 0 ends with the first edge that samples this as 1, so many edges later; without it with the first one
    /// that samples the reset as inactive.
    pub cycle_0: (Option<Term>, u32),
    pub ports: BTreeMap<InputPort, Term>,
    /// Cycles from a word to its immediate flag at cell (r,c).
    pub flag_delay: Option<(Sum, Span)>,
    /// By name; the place is that of the name.
    pub outputs: BTreeMap<String, (Term, Span)>,
    pub registers: Vec<RegisterEntry>,
}

/// A row of a table: its index as text, and what stands there.
pub(super) type Table = Vec<(String, Item)>;

/// What an index or a row of a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Number(i64),
    /// A name and, if it is that of a key, its position.
    Name(String, Option<i64>),
}

/// Registers of one pattern.
#[derive(Clone, Debug)]
pub struct RegisterEntry {
    /// Path of a register in which a letter stands for every index.
    pub register: String,
    /// Where the path stands.
    pub span: Span,
    pub value: Value,
    /// Cycles that the signal is later than the register; negative if it is earlier.
    pub offset: i32,
    pub from: CompareFrom,
    /// Compared while this bit of the dump is 1.
    pub condition: Option<Term>,
    /// Compared while a register of the golden model has or has not a value.
    pub golden: Option<Golden>,
    /// For readers; it is shown with the entry.
    pub note: Option<String>,
}

/// What shows a register.
#[derive(Clone, Debug)]
pub enum Value {
    Term(Term),
    /// A memory that the dump does not show, rebuilt from its write port.
    Memory(Box<Memory>),
    /// Nothing does; why.
    Excluded(String),
}

/// A write port: a word is written at an edge that samples `enable` as 1.
#[derive(Clone, Debug)]
pub struct Memory {
    pub enable: Term,
    pub address: Term,
    pub data: Term,
    /// It begins with a content that the write port does not show: a word is compared once it was written. Else it
    /// begins as in the golden model, so that a write that the design misses is found.
    pub unknown: bool,
}

/// From when on a register is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareFrom {
    /// From cycle 0 on.
    Reset,
    /// From the first cycle on in which every cell has all words of the case.
    LoadEnd,
    Cycle(u64),
}

/// A condition on a register of the golden model.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Its path, with the letters of the entry.
    pub register: String,
    pub span: Span,
    /// Whether it must have the value or must not have it.
    pub equals: bool,
    pub value: u64,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Term {
    Path(Path),
    Constant(Bits, Span),
    /// A constant of so many bits that depends on indices: `7'd{a}`.
    Counted(u32, Sum, Span),
    /// Bits, counted from the lowest one: `x[msb:lsb]`.
    Slice(Box<Term>, Sum, Sum),
    /// The lower bits; a 1 above them is a finding.
    Narrow(Box<Term>, u32),
    /// The highest first.
    Concat(Vec<Term>),
    If(Box<[Term; 3]>),
    /// An enumeration by its literals, with the value of each and the width.
    Enum(Path, Vec<(String, u64)>, u32),
    /// Other codes: what is seen, and what stands for it.
    Translate(Box<Term>, Vec<(Bits, Bits)>),
    /// The first of which the dump has all signals.
    First(Vec<Term>),
    Not(Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Equal(Box<[Term; 2]>),
}

/// A path with what is put into it.
#[derive(Clone, Debug)]
pub struct Path {
    pub parts: Vec<Part>,
    pub span: Span,
}

/// A piece of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    /// The name of a `let`.
    Prefix(String),
    Sum(Sum),
}

/// Arithmetic with indices.
#[derive(Clone, Debug, PartialEq)]
pub enum Sum {
    Number(i64),
    /// An index.
    Letter(char),
    /// A row of a table.
    Row(String, Box<Sum>),
    /// One of `+ - * / %`.
    Two(char, Box<[Sum; 2]>),
}

impl Term {
    /// The expressions that it is made of.
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Path(_) | Self::Constant(..) | Self::Counted(..) | Self::Enum(..) => Vec::new(),
            Self::Slice(of, ..) | Self::Narrow(of, _) | Self::Translate(of, _) | Self::Not(of) => {
                vec![of]
            }
            Self::Concat(list) | Self::First(list) | Self::And(list) | Self::Or(list) => {
                list.iter().collect()
            }
            Self::If(operands) => operands.iter().collect(),
            Self::Equal(operands) => operands.iter().collect(),
        }
    }

    /// Where its paths and constants stand.
    pub fn span(&self) -> Span {
        match self {
            Self::Path(path) | Self::Enum(path, ..) => path.span.clone(),
            Self::Constant(_, span) | Self::Counted(_, _, span) => span.clone(),
            _ => {
                let spans: Vec<Span> = self.operands().into_iter().map(Self::span).collect();
                let end = spans.last().map_or(0, |s| s.end);
                spans.first().map_or(0, |s| s.start)..end
            }
        }
    }

    /// All its paths, from left to right.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::Path(path) | Self::Enum(path, ..) => vec![path],
            _ => self.operands().into_iter().flat_map(Self::paths).collect(),
        }
    }

    /// Reads an expression alone.
    ///
    /// # Errors
    /// As [`MapFile::parse`].
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let mut parser = Parser::new(text);
        let term = parser.term().and_then(|term| parser.end().map(|()| term));
        term.map_err(|problem| MapError::new("", text, vec![problem]))
    }
}

/// A path whose indices are between braces, as it is written in a map: between quotation marks if it has other
/// characters than usual ones.
pub fn quoted(path: &str) -> String {
    let mut parser = Parser::new(path);
    let begins = path.starts_with(|c: char| !c.is_ascii_digit()) && parser.at_function().is_none();
    let plain = |inside: &str| {
        let index = inside.split([']', ')', ',']).next().unwrap_or_default();
        is_name(index) || inside.starts_with(|c: char| "{*-".contains(c) || c.is_ascii_digit())
    };
    // What stands between braces has brackets of its own.
    let outside = path.split('}').map(|piece| piece.split('{').next().unwrap_or_default());
    let bare = outside.collect::<Vec<_>>().join("{}");
    let plain = bare.split(['[', '(']).skip(1).all(plain);
    if !(begins && plain && parser.path().is_ok() && parser.at == path.len()) {
        return format!("\"{path}\"");
    }
    // Arithmetic needs no braces if it is a whole index.
    let mut text = String::new();
    let mut rest = path;
    while let Some((before, inside)) = rest.split_once('{') {
        let (sum, behind) = inside.split_once('}').unwrap_or_default();
        let index = before.ends_with(['[', '(']) && behind.starts_with([']', ')']);
        match index && !is_name(sum) {
            true => text.extend([before, sum]),
            false => text.extend([before, "{", sum, "}"]),
        }
        rest = behind;
    }
    text + rest
}

/// True for a name of more than one character: single letters are indices.
fn is_name(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_word)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl MapFile {
    /// Reads a map; `name` stands in errors.
    ///
    /// # Errors
    /// All statements that cannot be read, each with its place and a remedy; a map in JSON, as earlier releases had.
    pub fn parse(name: &str, text: &str) -> Result<Self, MapError> {
        let mut file = Self { name: name.to_owned(), text: text.to_owned(), ..Self::default() };
        let mut parser = Parser::new(text);
        let mut problems = Vec::new();
        if text.trim_start().starts_with('{') {
            let help = format!("convert it once: drra map convert {name} > signals.map");
            let what = "a map in JSON, as earlier releases had it";
            return Err(MapError::new(name, text, vec![Problem::new(0..1, what, help)]));
        }
        while parser.find_statement() {
            let start = parser.at;
            match parser.statement(&mut file) {
                Ok(key) if file.statements.iter().any(|(known, _)| *known == key) => {
                    let what = format!("`{key}` stands twice");
                    let end = start + parser.text[start..].find(['\n', '=']).unwrap_or(0);
                    problems.push(Problem::new(start..end, what, "leave one of them out"));
                }
                Ok(key) => file.statements.push((key, start..parser.at)),
                Err(problem) => {
                    problems.push(problem);
                    parser.skip_statement();
                }
            }
        }
        if problems.is_empty() { Ok(file) } else { Err(MapError::new(name, text, problems)) }
    }

    /// The text of a place.
    pub fn source(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

type Parsed<T> = Result<T, Problem>;

/// Reads from left to right. What is called `eat` takes a text as it stands, the others the space behind it as well.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    operators: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, operators: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// What is wrong from here to the end of the word.
    fn error<T>(&self, what: impl Into<String>, help: impl Into<String>) -> Parsed<T> {
        let word = self.rest().find(|c: char| c.is_whitespace()).unwrap_or(self.rest().len());
        let end = self.at + word.max(self.peek().map_or(0, char::len_utf8));
        Err(Problem::new(self.at..end, what, help))
    }

    fn expected<T>(&self, expected: &str) -> Parsed<T> {
        self.error(format!("{expected} expected"), "harness/guide/signal-map.md has the grammar")
    }

    /// Skips blanks and ends of lines that go on in a line that is moved in.
    fn space(&mut self) {
        loop {
            let rest = self.rest().trim_start_matches([' ', '\t', '\r']);
            self.at = self.text.len() - rest.len();
            let Some(next) = rest.strip_prefix('\n') else { return };
            if !next.starts_with([' ', '\t']) {
                return;
            }
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.eat(token);
        if found {
            self.space();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.takes(token) { Ok(()) } else { self.expected(&format!("`{token}`")) }
    }

    /// Takes a word if it stands alone.
    fn keyword(&mut self, word: &str) -> bool {
        let alone = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word));
        alone && self.takes(word)
    }

    fn eat_word(&mut self) -> &'a str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['-', '+']));
        let end = rest[sign..].find(|c| !is_word(c)).map_or(rest.len(), |end| sign + end);
        let Ok(number) = rest[..end].parse() else { return self.expected("a number") };
        self.at += end;
        self.space();
        Ok(number)
    }

    /// A word, or any text between quotation marks.
    fn text(&mut self) -> Parsed<String> {
        let text = if self.eat("\"") {
            let rest = self.rest();
            let Some(end) = rest.find(['"', '\n']).filter(|end| rest[*end..].starts_with('"'))
            else {
                return self.expected("`\"`");
            };
            self.at += end + 1;
            rest[..end].to_owned()
        } else {
            self.eat_word().to_owned()
        };
        if text.is_empty() {
            return self.expected("a word");
        }
        self.space();
        Ok(text)
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![each(self)?];
        while self.takes(",") {
            list.push(each(self)?);
        }
        Ok(list)
    }

    fn end(&mut self) -> Parsed<()> {
        self.space();
        if self.rest().is_empty() || self.rest().starts_with('\n') {
            return Ok(());
        }
        self.expected("the end of the line")
    }

    /// Goes to the beginning of the next statement.
    fn find_statement(&mut self) -> bool {
        loop {
            let rest = self.rest();
            let line = rest.lines().next().unwrap_or_default();
            if rest.is_empty() {
                return false;
            }
            if !line.trim_start().is_empty() && !line.trim_start().starts_with('#') {
                (self.depth, self.operators) = (0, 0);
                return true;
            }
            self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        }
    }

    /// Goes behind the statement that begins before this place.
    fn skip_statement(&mut self) {
        while let Some(end) = self.rest().find('\n') {
            self.at += end + 1;
            if !self.rest().starts_with([' ', '\t']) {
                return;
            }
        }
        self.at = self.text.len();
    }

    /// Reads a statement into a map, and says what it defines.
    fn statement(&mut self, file: &mut MapFile) -> Parsed<String> {
        let start = self.at;
        if self.peek().is_some_and(char::is_whitespace) {
            self.space();
            return self.error("this line continues nothing", "begin it in the first column");
        }
        let key = if self.keyword("let") {
            let name = self.name()?;
            let mut paths = vec![self.path()?];
            self.space();
            while self.takes("|") {
                paths.push(self.path()?);
                self.space();
            }
            file.prefixes.insert(name, paths);
            self.key(start)
        } else if self.keyword("table") {
            let name = self.name()?;
            let rows = self.list(Self::row)?;
            let rows = rows.into_iter().enumerate();
            let rows =
                rows.map(|(n, (index, item))| (index.unwrap_or_else(|| n.to_string()), item));
            file.tables.insert(name, rows.collect());
            self.key(start)
        } else if self.keyword("fabric") {
            file.fabric = self.list(|parser| {
                let start = parser.at;
                let name = parser.text()?;
                parser.expect(":")?;
                Ok((name, parser.number()?, start..parser.at))
            })?;
            "fabric".to_owned()
        } else if self.keyword("clock") {
            let edge = self.one_of("rising", Edge::Rising, "falling", Edge::Falling)?;
            file.clock = Some((edge, self.path()?));
            "clock".to_owned()
        } else if self.keyword("reset") {
            let level = self.one_of("high", true, "low", false)?;
            file.reset = Some((level, self.path()?));
            "reset".to_owned()
        } else if self.keyword("cycle_0") {
            let when = if self.keyword("when") { Some(self.term()?) } else { None };
            let skip = if self.keyword("skip") { self.number()? } else { 0 };
            file.cycle_0 = (when, skip);
            "cycle_0".to_owned()
        } else if self.keyword("port") {
            let at = self.at;
            let name = self.text()?;
            let Some(port) = InputPort::from_name(&name) else {
                self.at = at;
                let help = format!("ports are {}", InputPort::ALL.map(InputPort::name).join(", "));
                return self.error(format!("`{name}` is no input port of the fabric"), help);
            };
            self.expect("=")?;
            file.ports.insert(port, self.term()?);
            self.key(start)
        } else if self.keyword("output") {
            let at = self.at;
            let name = self.text()?;
            let span = at..at + name.len();
            self.expect("=")?;
            file.outputs.insert(name, (self.term()?, span));
            self.key(start)
        } else if self.keyword("flag_delay") {
            self.expect("=")?;
            let at = self.at;
            file.flag_delay = Some((self.sum()?, at..self.at));
            "flag_delay".to_owned()
        } else {
            let mut entry = self.entry()?;
            entry.note = self.note();
            let key = entry.register.clone();
            file.registers.push(entry);
            key
        };
        self.note();
        self.end()?;
        Ok(key)
    }

    /// What a statement defines: its text before the `=`.
    fn key(&self, start: usize) -> String {
        let text = self.text[start..self.at].split('=').next().unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Comments at the end of a statement, in its last line and in lines that are moved in.
    fn note(&mut self) -> Option<String> {
        let mut lines = Vec::new();
        while self.eat("#") {
            let line = self.rest().lines().next().unwrap_or_default();
            self.at += line.len();
            self.space();
            lines.push(line.trim());
        }
        (!lines.is_empty()).then(|| lines.join(" "))
    }

    /// The name of a `let` or a table, and the `=` behind it.
    fn name(&mut self) -> Parsed<String> {
        let start = self.at;
        let name = self.eat_word().to_owned();
        if !is_name(&name) {
            self.at = start;
            let help = "a letter, then letters, digits and `_`, two characters at least: single letters are indices";
            return self.error("a name expected", help);
        }
        self.space();
        self.expect("=")?;
        Ok(name)
    }

    fn one_of<T>(&mut self, one: &str, first: T, other: &str, second: T) -> Parsed<T> {
        match () {
            () if self.keyword(one) => Ok(first),
            () if self.keyword(other) => Ok(second),
            () => self.expected(&format!("`{one}` or `{other}`")),
        }
    }

    /// A row of a table, with its index if that is written.
    fn row(&mut self) -> Parsed<(Option<String>, Item)> {
        let first = self.text()?;
        let (index, text) = match self.takes(":") {
            true => (Some(first), self.text()?),
            false => (None, first),
        };
        let item = text.parse().map_or_else(|_| Item::Name(text.clone(), None), Item::Number);
        Ok((index, item))
    }

    /// The path of a register with letters, as it stands.
    fn pattern(&mut self) -> Parsed<(String, Span)> {
        let (start, rest) = (self.at, self.rest());
        let end = rest.find(|c: char| c.is_whitespace() || "=!".contains(c)).unwrap_or(rest.len());
        if end == 0 {
            return self.expected("the path of a register");
        }
        self.at += end;
        self.space();
        Ok((rest[..end].to_owned(), start..start + end))
    }

    fn entry(&mut self) -> Parsed<RegisterEntry> {
        let (register, span) = self.pattern()?;
        let mut entry = RegisterEntry {
            register,
            span,
            value: Value::Excluded(String::new()),
            offset: 0,
            from: CompareFrom::Reset,
            condition: None,
            golden: None,
            note: None,
        };
        if self.takes("excluded:") {
            entry.value = Value::Excluded(self.reason()?);
            return Ok(entry);
        }
        if !self.takes("=") {
            return self.expected("`=` and what shows the register, or `excluded:` and a reason,");
        }
        entry.value = if self.at_function() == Some("memory") {
            Value::Memory(Box::new(self.memory()?))
        } else {
            Value::Term(self.term()?)
        };
        loop {
            let start = self.at;
            if self.keyword("offset") {
                let offset: i64 = self.number()?;
                if offset.abs() > LATEST {
                    let what = format!("an offset of {offset} cycles, more than {LATEST}");
                    return Err(Problem::new(start..self.at, what, "use `from` to begin later"));
                }
                entry.offset = offset as i32;
            } else if self.keyword("from") {
                entry.from = match () {
                    () if self.keyword("reset") => CompareFrom::Reset,
                    () if self.keyword("load_end") => CompareFrom::LoadEnd,
                    () => CompareFrom::Cycle(self.number()?),
                };
            } else if self.keyword("while") {
                if self.keyword("golden") {
                    entry.golden = Some(self.golden()?);
                } else {
                    entry.condition = Some(self.term()?);
                }
            } else {
                return Ok(entry);
            }
        }
    }

    /// The text to the end of the statement or to a comment.
    fn reason(&mut self) -> Parsed<String> {
        let start = self.at;
        while !self.rest().is_empty() && !self.rest().starts_with(['\n', '#']) {
            let rest = self.rest();
            self.at += rest.find([' ', '\n']).unwrap_or(rest.len());
            self.space();
        }
        let reason: Vec<&str> = self.text[start..self.at].split_whitespace().collect();
        if reason.is_empty() { self.expected("a reason") } else { Ok(reason.join(" ")) }
    }

    fn golden(&mut self) -> Parsed<Golden> {
        let (register, span) = self.pattern()?;
        let equals = match () {
            () if self.takes("==") => true,
            () if self.takes("!=") => false,
            () => return self.expected("`==` or `!=`"),
        };
        Ok(Golden { register, span, equals, value: self.number()? })
    }

    fn memory(&mut self) -> Parsed<Memory> {
        self.expect("memory")?;
        self.expect("(")?;
        let mut part = |name: &str| {
            self.expect(name)?;
            self.expect(":")?;
            let term = self.term()?;
            if name == "data" || self.takes(",") { Ok(term) } else { self.expected("`,`") }
        };
        let (enable, address, data) = (part("enable")?, part("address")?, part("data")?);
        let unknown = self.takes(",");
        if unknown {
            self.expect("unknown")?;
        }
        self.expect(")")?;
        Ok(Memory { enable, address, data, unknown })
    }

    fn term(&mut self) -> Parsed<Term> {
        let condition = self.either()?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let then = self.term()?;
        self.expect(":")?;
        Ok(Term::If(Box::new([condition, then, self.term()?])))
    }

    fn either(&mut self) -> Parsed<Term> {
        let list = self.chain("|", Self::both)?;
        Ok(one_or(list, Term::Or))
    }

    fn both(&mut self) -> Parsed<Term> {
        let list = self.chain("&", Self::equal)?;
        Ok(one_or(list, Term::And))
    }

    fn chain(&mut self, sign: &str, each: fn(&mut Self) -> Parsed<Term>) -> Parsed<Vec<Term>> {
        let mut list = vec![each(self)?];
        while self.takes(sign) {
            list.push(each(self)?);
        }
        Ok(list)
    }

    fn equal(&mut self) -> Parsed<Term> {
        let first = self.operand()?;
        if !self.takes("==") {
            return Ok(first);
        }
        Ok(Term::Equal(Box::new([first, self.operand()?])))
    }

    /// One level deeper, if there may be one more.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.operators += 1;
        if self.depth == DEPTH || self.operators > OPERATORS {
            return self.error("too much of an expression", "divide it");
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// An operand with the bits that are taken of it.
    fn operand(&mut self) -> Parsed<Term> {
        self.deeper(|parser| {
            if parser.takes("~") {
                return Ok(Term::Not(Box::new(parser.operand()?)));
            }
            let mut term = parser.whole()?;
            while parser.takes("[") {
                let msb = parser.sum()?;
                let lsb = if parser.takes(":") { parser.sum()? } else { msb.clone() };
                if !parser.eat("]") {
                    return parser.expected("`]`");
                }
                term = Term::Slice(Box::new(term), msb, lsb);
            }
            parser.space();
            Ok(term)
        })
    }

    /// The function that begins here.
    fn at_function(&self) -> Option<&'static str> {
        let begins = |name: &&str| {
            let rest = self.rest().strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with('('))
        };
        ["narrow", "enum", "translate", "first", "memory"].into_iter().find(begins)
    }

    /// An operand without what stands behind it.
    fn whole(&mut self) -> Parsed<Term> {
        let start = self.at;
        if let Some(function) = self.at_function() {
            return self.function(function);
        }
        if self.takes("(") {
            let list = self.list(Self::term)?;
            return if self.eat(")") {
                Ok(one_or(list, Term::Concat))
            } else {
                self.expected("`)`")
            };
        }
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.constant().map(|(bits, sum)| match sum {
                Some(sum) => Term::Counted(bits.width(), sum, start..self.at),
                None => Term::Constant(bits, start..self.at),
            });
        }
        self.path().map(Term::Path)
    }

    fn function(&mut self, function: &str) -> Parsed<Term> {
        let start = self.at;
        self.eat(function);
        self.expect("(")?;
        let term = match function {
            "narrow" => {
                let of = self.term()?;
                self.expect(",")?;
                Term::Narrow(Box::new(of), self.number()?)
            }
            "first" => Term::First(self.list(Self::term)?),
            "enum" => {
                let path = self.path()?;
                self.space();
                self.expect(",")?;
                let (literals, width) = self.literals()?;
                Term::Enum(path, literals, width)
            }
            "translate" => {
                let of = self.term()?;
                self.expect(",")?;
                Term::Translate(Box::new(of), self.codes()?)
            }
            _ => {
                self.at = start;
                let help = "write it as the value of `tile[R][c].sram[a]`";
                return self.error(
                    "a memory is the value of all blocks of a tile, and nothing else",
                    help,
                );
            }
        };
        if self.eat(")") { Ok(term) } else { self.expected("`)`") }
    }

    /// Literals with their values, which count from 0 if none is written; constants have the width.
    fn literals(&mut self) -> Parsed<(Vec<(String, u64)>, u32)> {
        let (mut literals, mut widths) = (Vec::new(), Vec::new());
        self.list(|parser| {
            let start = parser.at;
            let literal = parser.text()?;
            let mut value = literals.len() as u64;
            if parser.takes(":") {
                if parser.rest().split('\'').next().is_some_and(|n| n.parse::<u32>().is_ok()) {
                    let bits = parser.known()?;
                    value = bits.number().unwrap_or_default();
                    widths.push(bits.width());
                } else {
                    value = parser.number()?;
                }
            }
            let twice = |(known, _): &(String, u64)| known.eq_ignore_ascii_case(&literal);
            if literals.iter().any(twice) {
                let what = format!("the literal `{literal}` stands twice");
                return Err(Problem::new(start..parser.at, what, "leave one of them out"));
            }
            literals.push((literal, value));
            Ok(())
        })?;
        let largest = literals.iter().map(|(_, value)| *value).max().unwrap_or_default();
        let least = (u64::BITS - largest.leading_zeros()).max(1);
        let width = widths.first().copied().unwrap_or(least);
        if width > u64::BITS || width < least || widths.iter().any(|other| *other != width) {
            return self.error(
                "the values of an enumeration have different widths",
                "write all as WIDTH'dN",
            );
        }
        Ok((literals, width))
    }

    /// What is seen and what stands for it.
    fn codes(&mut self) -> Parsed<Vec<(Bits, Bits)>> {
        let mut codes: Vec<(Bits, Bits)> = Vec::new();
        self.list(|parser| {
            let start = parser.at;
            let seen = parser.known()?;
            parser.expect(":")?;
            let code = parser.known()?;
            let error = |what: String, help: &str| Err(Problem::new(start..parser.at, what, help));
            if let Some((other_seen, other)) = codes.first() {
                for (bits, other) in [(&seen, other_seen), (&code, other)] {
                    if bits.width() != other.width() {
                        let (found, expected) = (bits.width(), other.width());
                        return error(
                            format!("{found} bits among others of {expected}"),
                            "write all codes of a side in one width",
                        );
                    }
                }
            }
            if codes.iter().any(|(other, _)| *other == seen) {
                return error(format!("the value {seen} stands twice"), "leave one of them out");
            }
            codes.push((seen, code));
            Ok(())
        })?;
        Ok(codes)
    }

    /// A constant without arithmetic.
    fn known(&mut self) -> Parsed<Bits> {
        let start = self.at;
        match self.constant()? {
            (bits, None) => {
                self.space();
                Ok(bits)
            }
            (_, Some(_)) => {
                self.at = start;
                self.expected("a constant")
            }
        }
    }

    /// A constant as SystemVerilog has it; of `7'd{a}` zeros of the width, and the arithmetic.
    fn constant(&mut self) -> Parsed<(Bits, Option<Sum>)> {
        let rest = self.rest();
        let text = &rest[..rest.find(|c| !is_word(c) && c != '\'').unwrap_or(rest.len())];
        let width = text
            .strip_suffix("'d")
            .and_then(|w| w.parse().ok())
            .filter(|w| (1..=WIDEST).contains(w));
        if let (Some(width), true) = (width, rest[text.len()..].starts_with('{')) {
            self.at += text.len() + 1;
            let sum = self.sum()?;
            if !self.eat("}") {
                return self.expected("`}`");
            }
            return Ok((Bits::new(&[], width), Some(sum)));
        }
        let Some(bits) = constant(text) else {
            let help = "constants are WIDTH'bDIGITS, WIDTH'oDIGITS, WIDTH'dDIGITS, WIDTH'hDIGITS, WIDTH'd{a}";
            return self.error(format!("`{text}` is no constant"), help);
        };
        self.at += text.len();
        Ok((bits, None))
    }

    /// A path; behind it stands no space, but perhaps the bits that are taken of it.
    fn path(&mut self) -> Parsed<Path> {
        let start = self.at;
        let mut path = Vec::new();
        if self.eat("\"") {
            loop {
                match self.peek() {
                    Some('"') => break,
                    Some('{') => self.put_in(&mut path)?,
                    None | Some('\n') => return self.expected("`\"`"),
                    Some(c) => {
                        self.at += c.len_utf8();
                        push(&mut path, c.encode_utf8(&mut [0; 4]));
                    }
                }
            }
            self.at += 1;
            return Ok(Path { parts: path, span: start..self.at });
        }
        loop {
            match self.peek() {
                Some('{') => self.put_in(&mut path)?,
                Some(open @ ('[' | '(')) if self.at > start => {
                    if !self.indices(open, &mut path)? {
                        break;
                    }
                }
                Some(c) if c.is_alphanumeric() || "_$*.".contains(c) => {
                    self.at += c.len_utf8();
                    push(&mut path, c.encode_utf8(&mut [0; 4]));
                }
                _ => break,
            }
        }
        if self.at == start {
            return self.expected("a path, a constant or `(`");
        }
        Ok(Path { parts: path, span: start..self.at })
    }

    /// What stands between braces: the name of a `let`, or arithmetic.
    fn put_in(&mut self, path: &mut Vec<Part>) -> Parsed<()> {
        self.expect("{")?;
        let start = self.at;
        let name = self.eat_word();
        if is_name(name) && self.eat("}") {
            path.push(Part::Prefix(name.to_owned()));
            return Ok(());
        }
        self.at = start;
        let sum = self.sum()?;
        if !self.eat("}") {
            return self.expected("`}`");
        }
        path.push(Part::Sum(sum));
        Ok(())
    }

    /// Indices between brackets; false if these are bits, which are not part of the path.
    fn indices(&mut self, open: char, path: &mut Vec<Part>) -> Parsed<bool> {
        let start = self.at;
        let close = if open == '[' { "]" } else { ")" };
        let mut inside = Vec::new();
        push(&mut inside, open.encode_utf8(&mut [0; 4]));
        self.at += 1;
        loop {
            self.space();
            let rest = self.rest();
            let end = rest.find([',', ']', ')']).unwrap_or(rest.len());
            let text = rest[..end].trim_end();
            let negative = text.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok());
            if text == "*" || is_name(text) || negative || text.parse::<u32>().is_ok() {
                push(&mut inside, text);
                self.at += end;
            } else {
                let sum = self.sum()?;
                if open == '[' && self.peek() == Some(':') {
                    self.at = start;
                    return Ok(false);
                }
                inside.push(Part::Sum(sum));
            }
            if self.eat(close) {
                break;
            }
            if !self.takes(",") {
                return self.expected(&format!("`{close}`"));
            }
            push(&mut inside, ",");
        }
        push(&mut inside, close);
        for part in inside {
            match part {
                Part::Text(text) => push(path, &text),
                part => path.push(part),
            }
        }
        Ok(true)
    }

    fn sum(&mut self) -> Parsed<Sum> {
        let mut left = self.product()?;
        while let Some(sign) = self.sign("+-") {
            left = Sum::Two(sign, Box::new([left, self.product()?]));
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Sum> {
        let mut left = self.summand()?;
        while let Some(sign) = self.sign("*/%") {
            left = Sum::Two(sign, Box::new([left, self.summand()?]));
        }
        Ok(left)
    }

    fn sign(&mut self, signs: &str) -> Option<char> {
        let sign = self.peek().filter(|c| signs.contains(*c))?;
        self.takes(&sign.to_string());
        Some(sign)
    }

    fn summand(&mut self) -> Parsed<Sum> {
        self.deeper(|parser| {
            for (open, close) in [("(", ")"), ("{", "}")] {
                if parser.takes(open) {
                    let inside = parser.sum()?;
                    parser.expect(close)?;
                    return Ok(inside);
                }
            }
            if parser.peek().is_some_and(|c| c.is_ascii_digit()) {
                return parser.number().map(Sum::Number);
            }
            let start = parser.at;
            let word = parser.eat_word();
            parser.space();
            if is_name(word) && parser.takes("[") {
                let index = Box::new(parser.sum()?);
                parser.expect("]")?;
                return Ok(Sum::Row(word.to_owned(), index));
            }
            let mut letters = word.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) if letter.is_ascii_alphabetic() => Ok(Sum::Letter(letter)),
                _ => {
                    parser.at = start;
                    parser.expected("a number, an index letter or a table")
                }
            }
        })
    }
}

/// Adds text to a path.
fn push(path: &mut Vec<Part>, text: &str) {
    match path.last_mut() {
        Some(Part::Text(last)) => last.push_str(text),
        _ => path.push(Part::Text(text.to_owned())),
    }
}

/// What is grouped, if that is one alone.
fn one_or(mut list: Vec<Term>, several: impl FnOnce(Vec<Term>) -> Term) -> Term {
    match list.len() {
        1 => list.remove(0),
        _ => several(list),
    }
}

/// The value of a constant; `None` if it is malformed, or its digits do not fit its width.
fn constant(text: &str) -> Option<Bits> {
    let (width, rest) = text.split_once('\'')?;
    let width: u32 = width.parse().ok().filter(|w| (1..=WIDEST).contains(w))?;
    let radix = match rest.chars().next()?.to_ascii_lowercase() {
        'b' => 2,
        'o' => 8,
        'd' => 10,
        'h' => 16,
        _ => return None,
    };
    let digits: Vec<char> = rest.chars().skip(1).filter(|c| *c != '_').collect();
    if digits.is_empty() {
        return None;
    }
    // One word more than the width needs, so that a value that does not fit is seen.
    let mut words = vec![0_u64; width.div_ceil(64) as usize + 1];
    for digit in digits {
        let mut carry = u128::from(digit.to_digit(radix)?);
        for word in &mut words {
            let sum = u128::from(*word) * u128::from(radix) + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
        let value = Bits::new(&words, width);
        if words.iter().zip(value.words().iter().chain([&0])).any(|(a, b)| a != b) {
            return None;
        }
    }
    Some(Bits::new(&words, width))
}
