// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths of a map, parsed for one register or port: the letters are replaced by their values, and the signal is looked
//! up.

use std::mem;

use super::{
    file::{IndexValue, Span},
    problem::MapProblem,
    reader::{
        ArithmeticResult, BindError, BindResult, Finder, MAX_DEPTH, MapReader, ParseResult,
        PathCandidate, is_name, is_word,
    },
};
use crate::names::{NameError, SignalHandle, SignalNames};

/// Maximum number of similar paths to suggest.
pub(super) const MAX_SUGGESTIONS: usize = 3;
/// Maximum number of prefixes in a path, and of paths that their alternatives yield.
const MAX_PREFIXES: usize = 500;
const MAX_ALTERNATIVES: usize = 64;

impl Finder<'_> {
    /// The value of a letter.
    fn letter(&mut self, letter: char) -> ArithmeticResult {
        let found = self.bindings.iter().find(|(known, _)| *known == letter);
        self.used.push(letter);
        found.map(|(_, item)| item.clone()).ok_or_else(|| {
            let letters: Vec<_> = self.bindings.iter().map(|(l, _)| format!("`{l}`")).collect();
            let known = match &letters[..] {
                [] => "no letters are defined".to_owned(),
                [one] => format!("the only letter is {one}"),
                _ => format!("the letters are {}", letters.join(", ")),
            };
            format!("the letter `{letter}` is not an index here; {known}")
        })
    }

    /// The row of a table for an index: by the text of the index, ignoring case, or else by its number.
    fn row(&self, name: &str, index: &IndexValue) -> ArithmeticResult {
        let table = self.file.tables.get(name);
        let table = table.ok_or_else(|| format!("there is no table `{name}`"))?;
        let row = |text: &str| table.iter().find(|(row, _)| row.eq_ignore_ascii_case(text));
        let by_position = || row(&index.number?.to_string());
        let found = row(&index.text).or_else(by_position).map(|(_, item)| item.clone());
        found.ok_or_else(|| {
            let rows: Vec<&str> = table.iter().map(|(row, _)| row.as_str()).collect();
            let rows = rows.join(", ");
            format!("the table `{name}` has no row `{}`; its rows are {rows}", index.text)
        })
    }

    /// The signal at a path, or one of its bits: `x[3]` may be a bit of a vector if it is not an array element.
    fn look_up(&mut self, path: &str) -> Result<(SignalHandle, Option<u32>), NameError> {
        let mut find = |path: &str| {
            let found = self.names.find(path);
            if matches!(found, Err(NameError::Missing { .. })) && !path.contains('*') {
                self.missing.push(path.to_owned());
            }
            found
        };
        let missing = match find(path) {
            Ok(id) => return Ok((id, None)),
            Err(e @ NameError::Missing { .. }) => e,
            Err(e) => return Err(e),
        };
        let mut bit = || {
            let (of, index) = path.strip_suffix(']')?.rsplit_once('[')?;
            let index = index.parse().ok()?;
            Some((find(of).ok()?, Some(index)))
        };
        bit().ok_or(missing)
    }
}

/// A path with its substitutions.
pub(super) struct MapPath {
    pub(super) span: Span,
    /// The paths that result, in the order in which they are tried, or the reason there is no path.
    candidates: Result<Vec<PathCandidate>, String>,
}

impl MapPath {
    fn push(&mut self, text: &str) {
        self.candidates.iter_mut().flatten().for_each(|c| c.path.push_str(text));
    }

    /// Appends the value of arithmetic or of an index.
    fn push_sum(&mut self, sum: ArithmeticResult) {
        match sum {
            Ok(IndexValue { text, .. }) => self.push(&text),
            Err(what) if self.candidates.is_ok() => self.candidates = Err(what),
            Err(_) => {}
        }
    }

    /// Appends the alternatives of the prefix that `let` defines with this name.
    fn push_prefix(&mut self, name: &str, beginnings: Result<Vec<PathCandidate>, String>) {
        let joined = |(c, inner): (&PathCandidate, &PathCandidate)| {
            let mut chosen = c.chosen.clone();
            chosen.extend(inner.chosen.iter().filter(|i| !c.chosen.contains(i)).cloned());
            PathCandidate { path: format!("{}{}", c.path, inner.path), chosen }
        };
        let Ok(candidates) = &self.candidates else { return };
        self.candidates = beginnings.and_then(|beginnings| {
            if beginnings.len() * candidates.len() > MAX_ALTERNATIVES {
                return Err(circle(name));
            }
            let pairs =
                candidates.iter().flat_map(|c| beginnings.iter().map(move |inner| (c, inner)));
            Ok(pairs.map(joined).collect())
        });
    }
}

fn circle(name: &str) -> String {
    format!("`let {name}` refers to itself, or yields too many alternatives")
}

/// A number in a path must not be negative.
fn counted(sum: ArithmeticResult) -> ArithmeticResult {
    sum.and_then(|item| match item.number {
        Some(n) if n < 0 => Err(format!("`{n}` is negative")),
        _ => Ok(item),
    })
}

fn number(sum: ArithmeticResult) -> Result<i64, String> {
    let IndexValue { text, number } = sum?;
    number.ok_or_else(|| format!("`{text}` is not a number"))
}

fn computed(a: ArithmeticResult, sign: char, b: ArithmeticResult) -> ArithmeticResult {
    let (a, b) = (number(a)?, number(b)?);
    let value = match sign {
        '+' => a.checked_add(b),
        '-' => a.checked_sub(b),
        '*' => a.checked_mul(b),
        '/' => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    value.map(IndexValue::from).ok_or_else(|| format!("`{a} {sign} {b}` cannot be computed"))
}

impl<'a> MapReader<'a, '_> {
    /// A path. Space after the path is not skipped, because a bit selection may follow directly.
    pub(super) fn path(&mut self) -> ParseResult<MapPath> {
        self.path_with(&mut MAX_PREFIXES.clone())
    }

    /// A path made of at most `left` prefixes.
    fn path_with(&mut self, left: &mut usize) -> ParseResult<MapPath> {
        let start = self.at;
        let mut path =
            MapPath { span: start..start, candidates: Ok(vec![PathCandidate::default()]) };
        let quoted = self.eat("\"");
        loop {
            match self.peek() {
                Some('{') => self.put_in(&mut path, left)?,
                Some(open @ ('[' | '(')) if !quoted && self.at > start => {
                    if !self.indices(open, &mut path)? {
                        break;
                    }
                }
                _ => match self.eat_while(|c| match quoted {
                    true => !"\"{\n".contains(c),
                    false => c.is_alphanumeric() || "_$*.".contains(c),
                }) {
                    "" => break,
                    text => path.push(text),
                },
            }
        }
        if quoted {
            self.close("\"")?;
        }
        if self.at == start {
            return self.expected("a path, a constant or `(`");
        }
        path.span.end = self.at;
        Ok(path)
    }

    /// The contents of braces: the name of a `let`, or arithmetic.
    fn put_in(&mut self, path: &mut MapPath, left: &mut usize) -> ParseResult<()> {
        self.expect("{")?;
        let start = self.at;
        let name = self.eat_while(is_word);
        if is_name(name) && self.eat("}") {
            let beginnings = self.prefix(name, left);
            path.push_prefix(name, beginnings);
            return Ok(());
        }
        self.at = start;
        path.push_sum(counted(self.sum()?));
        self.close("}")
    }

    /// The paths of a `let`.
    fn prefix(&mut self, name: &str, left: &mut usize) -> Result<Vec<PathCandidate>, String> {
        let Some(finder) = &mut self.finder else { return Ok(Vec::new()) };
        if let Some((letters, known)) = finder.prefixes.get(name)
            && letters.iter().all(|letter| finder.bindings.contains(letter))
        {
            finder.used.extend(letters.iter().map(|(letter, _)| *letter));
            return Ok(known.clone());
        }
        let outside = mem::take(&mut finder.used);
        let paths = finder.file.prefixes.get(name);
        let paths = paths.ok_or_else(|| format!("there is no `let {name}`"))?;
        if self.depth == MAX_DEPTH {
            return Err(circle(name));
        }
        let (back, operands, mut all) = (self.at, self.operands, Vec::new());
        for (number, span) in paths.iter().enumerate() {
            *left = left.checked_sub(1).ok_or_else(|| circle(name))?;
            (self.at, self.operands, self.depth) = (span.start, 0, self.depth + 1);
            let path = self.path_with(left);
            (self.at, self.operands, self.depth) = (back, operands, self.depth - 1);
            for mut inner in path.map_err(|problem| problem.what)?.candidates? {
                inner.chosen.extend((paths.len() > 1).then(|| format!("let.{name}[{number}]")));
                all.push(inner);
            }
        }
        if let Some(finder) = &mut self.finder {
            let letters = finder.bindings.iter().filter(|(l, _)| finder.used.contains(l)).cloned();
            finder.prefixes.insert(name.to_owned(), (letters.collect(), all.clone()));
            finder.used.extend(outside);
        }
        Ok(all)
    }

    /// Reads indices between brackets; returns false for a range of bits, which is not part of the path.
    fn indices(&mut self, open: char, path: &mut MapPath) -> ParseResult<bool> {
        let start = self.at;
        let close = if open == '[' { "]" } else { ")" };
        let mut inside =
            MapPath { span: start..start, candidates: Ok(vec![PathCandidate::default()]) };
        inside.push(open.encode_utf8(&mut [0; 4]));
        self.at += 1;
        loop {
            self.space();
            let rest = self.rest();
            let end = rest.find([',', ']', ')']).unwrap_or(rest.len());
            let text = rest[..end].trim_end();
            let digits = text.strip_prefix('-').unwrap_or(text);
            if text == "*" || is_name(text) || digits.parse::<u32>().is_ok() {
                inside.push(text);
                self.at += end;
            } else {
                let sum = self.sum()?;
                if open == '[' && self.peek() == Some(':') {
                    self.at = start;
                    return Ok(false);
                }
                inside.push_sum(counted(sum));
            }
            if self.eat(close) {
                break;
            }
            if !self.takes(",") {
                return self.expected(&format!("`{close}`"));
            }
            inside.push(",");
        }
        inside.push(close);
        path.push_prefix("", inside.candidates);
        Ok(true)
    }

    /// Arithmetic on indices.
    pub(super) fn sum(&mut self) -> ParseResult<ArithmeticResult> {
        self.numbers(&["+-", "*/%"])
    }

    /// Numbers joined by these operators or by operators of higher precedence.
    fn numbers(&mut self, signs: &[&str]) -> ParseResult<ArithmeticResult> {
        let Some((these, tighter)) = signs.split_first() else {
            return self.deeper(Self::summand);
        };
        let mut left = self.numbers(tighter)?;
        while let Some(sign) = self.peek().filter(|c| these.contains(*c)) {
            self.takes(sign.encode_utf8(&mut [0; 4]));
            left = computed(left, sign, self.numbers(tighter)?);
        }
        Ok(left)
    }

    fn summand(&mut self) -> ParseResult<ArithmeticResult> {
        for (open, close) in [("(", ")"), ("{", "}")] {
            if self.takes(open) {
                let inside = self.sum()?;
                self.expect(close)?;
                return Ok(inside);
            }
        }
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.number::<i64>().map(|n| Ok(IndexValue::from(n)));
        }
        let start = self.at;
        let word = self.eat_while(is_word);
        self.space();
        if is_name(word) && self.takes("[") {
            let index = self.sum()?;
            self.expect("]")?;
            let finder = self.finder.as_ref().ok_or_else(String::new);
            return Ok(finder.and_then(|finder| finder.row(word, &index?)));
        }
        let mut letters = word.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_ascii_alphabetic() => {
                let finder = self.finder.as_mut().ok_or_else(String::new);
                Ok(finder.and_then(|finder| finder.letter(letter)))
            }
            _ => {
                self.at = start;
                self.expected("a number, an index letter or a table")
            }
        }
    }

    /// The result of arithmetic as a count.
    pub(super) fn count(&mut self, sum: ArithmeticResult, span: &Span) -> BindResult<u32> {
        let count = number(sum)
            .and_then(|n| u32::try_from(n).map_err(|_| format!("`{n}` is negative or too large")));
        count.or_else(|what| self.wrong_sum(span, what))
    }

    fn wrong_sum<T>(&mut self, span: &Span, what: String) -> BindResult<T> {
        let help =
            "braces contain the name of a `let`, or arithmetic with the letters of the entry";
        self.wrong(span.clone(), what, help)
    }

    /// Notes a problem, unless only the text is being checked.
    pub(super) fn wrong<T>(
        &mut self,
        span: Span,
        what: impl Into<String>,
        help: &str,
    ) -> BindResult<T> {
        if let Some(finder) = &mut self.finder {
            finder.note(MapProblem::new(span, what, help));
        }
        Err(BindError::Wrong)
    }

    /// The names of the waveform; without them, all signals are treated as missing.
    pub(super) fn names(&self) -> BindResult<&'a SignalNames> {
        let names = self.finder.as_ref().map(|finder| finder.names);
        names.ok_or_else(|| BindError::Lacking(String::new()))
    }

    pub(super) fn chosen(&mut self, choices: impl IntoIterator<Item = String>) {
        if let Some(finder) = &mut self.finder {
            for choice in choices {
                *finder.choices.entry(choice).or_default() += 1;
            }
        }
    }

    /// The signal at a path, or one of its bits.
    pub(super) fn find(&mut self, path: MapPath) -> BindResult<(SignalHandle, Option<u32>)> {
        self.names()?;
        let candidates = match path.candidates {
            Ok(candidates) => candidates,
            Err(what) => return self.wrong_sum(&path.span, what),
        };
        let (mut furthest, mut partial) = (None::<(usize, String)>, None);
        for candidate in candidates {
            let Some(finder) = &mut self.finder else { break };
            match finder.look_up(&candidate.path) {
                // A signal of which bits are missing is used only if no alternative is complete.
                Ok((id, None)) if finder.names.bits(id).contains(&None) => {
                    partial.get_or_insert((id, candidate.chosen));
                }
                Ok(found) => {
                    self.chosen(candidate.chosen);
                    return Ok(found);
                }
                // The neighbouring bits of a vector with gaps, joined by the reader.
                Err(NameError::Several { paths }) if paths.iter().all(|path| *path == paths[0]) => {
                    furthest = Some((usize::MAX, candidate.path));
                }
                Err(NameError::Several { mut paths }) => {
                    paths.truncate(MAX_SUGGESTIONS);
                    let (path_of, all) = (candidate.path, paths.join(", "));
                    let what = format!("`{path_of}` matches several signals: {all}");
                    let help = "replace a `*` with the level that distinguishes them";
                    return self.wrong(path.span, what, help);
                }
                Err(NameError::Missing { found }) => {
                    if furthest.as_ref().is_none_or(|(length, _)| found.len() > *length) {
                        furthest = Some((found.len(), candidate.path));
                    }
                }
            }
        }
        let Some((id, chosen)) = partial else {
            return Err(BindError::Lacking(furthest.unwrap_or_default().1));
        };
        self.chosen(chosen);
        Ok((id, None))
    }

    /// The signal at a path, but not one of its bits.
    pub(super) fn signal(&mut self, path: MapPath) -> BindResult<SignalHandle> {
        let span = path.span.clone();
        match self.find(path)? {
            (id, None) if !self.names()?.bits(id).contains(&None) => Ok(id),
            _ => Err(BindError::Lacking(self.text[span].to_owned())),
        }
    }
}
