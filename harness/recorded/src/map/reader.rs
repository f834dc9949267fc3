// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses the text of a map from left to right and resolves the names in it.

use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
};

use drra_fabric::Location;

use super::{
    file::{IndexValue, MapFile, Span},
    problem::MapProblem,
};
use crate::names::SignalNames;

/// Maximum nesting depth of expressions, arithmetic and prefixes.
pub(super) const MAX_DEPTH: usize = 64;
/// Maximum number of operands in one statement; `~a` counts as two.
const MAX_OPERANDS: usize = 512;

/// The reason there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BindError {
    /// The waveform does not have this path.
    Lacking(String),
    /// The value of a register is a constant of the map, which contains no information about the design.
    Constant,
    /// The map is wrong; the problem has been noted.
    Wrong,
}

/// A value of which the signals are known, such as an expression, or the reason there is none. If only the text is
/// checked, all signals are treated as missing.
pub(super) type BindResult<T> = Result<T, BindError>;

/// The result of arithmetic, or the reason there is no result.
pub(super) type ArithmeticResult = Result<IndexValue, String>;

/// The values of a pattern's letters.
pub(crate) type Bindings = Vec<(char, IndexValue)>;

/// A path with the prefix alternatives that it uses.
#[derive(Clone, Default)]
pub(super) struct PathCandidate {
    pub(super) path: String,
    pub(super) chosen: Vec<String>,
}

/// Resolves the names in a map, for one register or port after another.
pub(super) struct Finder<'a> {
    pub(super) file: &'a MapFile,
    pub(super) names: &'a SignalNames,
    /// One problem per position and description, regardless of the number of registers.
    pub(super) problems: Vec<MapProblem>,
    noted: HashMap<(Span, String), usize>,
    /// Number of times each alternative was chosen: `let.top[0]`, `first[1]`.
    pub(super) choices: BTreeMap<String, usize>,
    pub(super) bindings: Bindings,
    /// The letters used since the reader entered the current `let`.
    pub(super) used: Vec<char>,
    /// The paths of each `let` as last read, with the values of the letters in them: most registers need the same paths
    /// as the previous register.
    pub(super) prefixes: HashMap<String, (Bindings, Vec<PathCandidate>)>,
    pub(super) location: Option<Location>,
    /// The paths without `*` that no signal has, in the order in which they were looked up.
    pub(super) missing: Vec<String>,
    /// True if alternatives that are not chosen are also checked.
    pub(super) thorough: bool,
}

impl<'a> Finder<'a> {
    pub(super) fn new(file: &'a MapFile, names: &'a SignalNames) -> Self {
        Self {
            file,
            names,
            problems: Vec::new(),
            noted: HashMap::new(),
            choices: BTreeMap::new(),
            bindings: Bindings::default(),
            used: Vec::new(),
            prefixes: HashMap::new(),
            location: None,
            missing: Vec::new(),
            thorough: true,
        }
    }

    /// Parses the text at a position of the map, for a register or a port.
    pub(super) fn read<T>(
        &mut self,
        at: usize,
        bindings: Bindings,
        location: Option<Location>,
        read: impl FnOnce(&mut MapReader<'a, '_>) -> ParseResult<T>,
    ) -> BindResult<T> {
        (self.bindings, self.location) = (bindings, location);
        self.used.clear();
        read(&mut MapReader::of(self, at)).map_err(|problem| self.wrong(problem))
    }

    pub(super) fn note(&mut self, problem: MapProblem) {
        let key = (problem.span.clone(), problem.what.clone());
        match self.noted.get(&key) {
            Some(known) => self.problems[*known].more += 1,
            None => {
                self.noted.insert(key, self.problems.len());
                self.problems.push(MapProblem { example: self.location, ..problem });
            }
        }
    }

    pub(super) fn wrong(&mut self, problem: MapProblem) -> BindError {
        self.note(problem);
        BindError::Wrong
    }
}

/// True for a name of more than one character; single letters are indices.
pub(super) fn is_name(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_word)
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub(super) type ParseResult<T> = Result<T, MapProblem>;

/// Parses the text of a map from left to right. Functions called `eat` consume only the text that they match; the other
/// functions that consume text also consume the space after it, unless they say otherwise.
pub(super) struct MapReader<'a, 'f> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Resolves the names for one register or port; `None` to check only the text.
    pub(super) finder: Option<&'f mut Finder<'a>>,
    pub(super) depth: usize,
    pub(super) operands: usize,
}

impl<'a, 'f> MapReader<'a, 'f> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, finder: None, depth: 0, operands: 0 }
    }

    /// A reader of the text of a map, starting at a position.
    pub(super) fn of(finder: &'f mut Finder<'a>, at: usize) -> Self {
        let reader = Self::new(&finder.file.text);
        Self { at, finder: Some(finder), ..reader }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The span from a position to the end of the last token.
    pub(super) fn since(&self, start: usize) -> Span {
        start..start + self.text[start..self.at].trim_end().len()
    }

    /// Reports a problem from here to the end of the word.
    pub(super) fn error<T>(
        &self,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> ParseResult<T> {
        let word = self.rest().find(char::is_whitespace).unwrap_or(self.rest().len());
        let end = self.at + word.max(self.peek().map_or(0, char::len_utf8));
        Err(MapProblem::new(self.at..end, what, help))
    }

    pub(super) fn expected<T>(&self, expected: &str) -> ParseResult<T> {
        self.error(format!("expected {expected}"), "see the grammar in harness/guide/signal-map.md")
    }

    /// Skips blanks, and line ends before an indented line.
    pub(super) fn space(&mut self) {
        loop {
            self.eat_while(|c| matches!(c, ' ' | '\t' | '\r'));
            if !["\n ", "\n\t"].iter().any(|next| self.rest().starts_with(next)) {
                return;
            }
            self.at += 1;
        }
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    pub(super) fn eat_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let text = &rest[..rest.find(|c| !fits(c)).unwrap_or(rest.len())];
        self.at += text.len();
        text
    }

    pub(super) fn takes(&mut self, token: &str) -> bool {
        let found = self.eat(token);
        if found {
            self.space();
        }
        found
    }

    pub(super) fn expect(&mut self, token: &str) -> ParseResult<()> {
        if self.takes(token) { Ok(()) } else { self.expected(&format!("`{token}`")) }
    }

    /// Consumes a closing delimiter; no space is skipped, because the text that follows may belong to it.
    pub(super) fn close(&mut self, token: &str) -> ParseResult<()> {
        if self.eat(token) { Ok(()) } else { self.expected(&format!("`{token}`")) }
    }

    /// Consumes a word if it comes next and is not the beginning of a longer word.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let alone = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word));
        alone && self.takes(word)
    }

    pub(super) fn number<T: FromStr>(&mut self) -> ParseResult<T> {
        let start = self.at;
        self.at += usize::from(self.rest().starts_with(['-', '+']));
        self.eat_while(is_word);
        let Ok(number) = self.text[start..self.at].parse() else {
            self.at = start;
            return self.expected("a number");
        };
        self.space();
        Ok(number)
    }

    /// A word, or any quoted text.
    pub(super) fn word(&mut self) -> ParseResult<&'a str> {
        let quoted = self.eat("\"");
        let text = self.eat_while(|c| if quoted { !matches!(c, '"' | '\n') } else { is_word(c) });
        if quoted {
            self.close("\"")?;
        }
        if text.is_empty() {
            return self.expected("a word");
        }
        self.space();
        Ok(text)
    }

    pub(super) fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<Vec<T>> {
        let mut list = vec![each(self)?];
        while self.takes(",") {
            list.push(each(self)?);
        }
        Ok(list)
    }

    pub(super) fn end(&mut self) -> ParseResult<()> {
        self.space();
        match self.peek() {
            None | Some('\n') => Ok(()),
            _ => self.expected("the end of the line"),
        }
    }

    /// Descends one level, if the limits allow it.
    pub(super) fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        self.operands += 1;
        if self.depth == MAX_DEPTH || self.operands > MAX_OPERANDS {
            return self.error("expression too long", "split it");
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }
}
