// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file of SystemVerilog as tokens. Comments, compiler directives and uses of macros are no tokens: what
//! an assertion says is not mutated.

use std::ops::Range;

use crate::MutateError;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Keyword, identifier or system function.
    Word,
    /// Number with or without a size, or `'0` and `'1`.
    Number,
    /// Operator or punctuation.
    Symbol,
    /// Text in quotes.
    Text,
}

/// A token: its bytes in the file.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) bytes: Range<usize>,
}

/// A file of SystemVerilog.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name without folder.
    pub file: String,
    pub text: String,
    pub(crate) tokens: Vec<Token>,
}

/// Longest first.
const SYMBOLS: [&str; 26] = [
    "<<<", ">>>", "===", "!==", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "+:", "-:", "::",
    "**", "++", "--", "->", "'{", "~^", "~&", "~|", "+=", "-=", ".*",
];

impl Source {
    /// Splits a text into tokens.
    ///
    /// # Errors
    /// If a comment, a text, a directive or the parentheses of a macro do not end.
    pub fn new(file: &str, text: &str) -> Result<Self, MutateError> {
        let mut source = Self { file: file.to_owned(), text: text.to_owned(), tokens: Vec::new() };
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            at = match next {
                c if c.is_whitespace() => at + c.len_utf8(),
                '/' if text[at..].starts_with("//") => source.find(at, "\n").unwrap_or(text.len()),
                '/' if text[at..].starts_with("/*") => source.until(at, "*/")?,
                '`' => source.directive(at)?,
                _ => source.token(at, next)?,
            };
        }
        Ok(source)
    }

    fn find(&self, at: usize, what: &str) -> Option<usize> {
        self.text[at..].find(what).map(|found| at + found)
    }

    /// The place after the next `what`.
    fn until(&self, at: usize, what: &str) -> Result<usize, MutateError> {
        let end = self.find(at + 1, what).map(|found| found + what.len());
        end.ok_or_else(|| self.error(at, what))
    }

    /// The place after a compiler directive with all that it leaves out, or after the use of a macro.
    fn directive(&self, at: usize) -> Result<usize, MutateError> {
        let name_end = at + 1 + word_len(&self.text[at + 1..]);
        match &self.text[at + 1..name_end] {
            "ifdef" | "ifndef" => self.until(at, "`endif"),
            "include" | "define" | "undef" => Ok(self.find(at, "\n").unwrap_or(self.text.len())),
            _ if self.text[name_end..].starts_with('(') => {
                let mut depth = 0;
                for (offset, c) in self.text[name_end..].char_indices() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    if depth == 0 {
                        return Ok(name_end + offset + 1);
                    }
                }
                Err(self.error(at, ")"))
            }
            _ => Ok(name_end),
        }
    }

    /// Adds the token at a place; the place after it.
    fn token(&mut self, at: usize, first: char) -> Result<usize, MutateError> {
        let rest = &self.text[at..];
        let (kind, len) = if first == '"' {
            (Kind::Text, self.until(at, "\"")? - at)
        } else if first.is_ascii_digit() || (first == '\'' && fill(rest)) {
            (Kind::Number, number_len(rest))
        } else if first.is_ascii_alphabetic() || first == '_' || first == '$' {
            (Kind::Word, 1 + word_len(&rest[1..]))
        } else {
            let known = SYMBOLS.iter().find(|s| rest.starts_with(**s));
            (Kind::Symbol, known.map_or(first.len_utf8(), |s| s.len()))
        };
        self.tokens.push(Token { kind, bytes: at..at + len });
        Ok(at + len)
    }

    /// Text of a token; empty at the end of the file.
    pub(crate) fn word(&self, token: usize) -> &str {
        self.tokens.get(token).map_or("", |t| &self.text[t.bytes.clone()])
    }

    /// Bytes of some tokens.
    pub(crate) fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        match self.tokens.get(tokens.clone()) {
            Some([first, .., last]) => first.bytes.start..last.bytes.end,
            Some([only]) => only.bytes.clone(),
            _ => {
                let at = self.tokens.get(tokens.start).map_or(self.text.len(), |t| t.bytes.start);
                at..at
            }
        }
    }

    /// Tokens as one line, with a space between them where the text has one.
    pub(crate) fn line_of(&self, tokens: &Range<usize>) -> String {
        self.line_with(tokens, &(0..0), "")
    }

    /// Tokens as one line, those in `replaced` replaced by a text.
    pub(crate) fn line_with(
        &self,
        tokens: &Range<usize>,
        replaced: &Range<usize>,
        text: &str,
    ) -> String {
        let mut line = String::new();
        let mut end = None;
        for token in tokens.clone() {
            let bytes = &self.tokens[token].bytes;
            if end.is_some_and(|end| end < bytes.start) {
                line.push(' ');
            }
            end = Some(bytes.end);
            if token == replaced.start && !replaced.is_empty() {
                line += text;
            } else if !replaced.contains(&token) {
                line += &self.text[bytes.clone()];
            }
        }
        line
    }

    /// Line and column of a byte, counted from 1.
    pub fn place(&self, byte: usize) -> (u32, u32) {
        let before = &self.text[..byte];
        let line = before.matches('\n').count() as u32 + 1;
        let column = (byte - before.rfind('\n').map_or(0, |n| n + 1)) as u32 + 1;
        (line, column)
    }

    /// Something else than `expected` stands at a byte.
    pub(crate) fn error(&self, byte: usize, expected: &str) -> MutateError {
        let (line, column) = self.place(byte);
        let found: String = self.text[byte..].chars().take_while(|c| !c.is_whitespace()).collect();
        MutateError::Syntax {
            file: self.file.clone(),
            line,
            column,
            expected: expected.to_owned(),
            found,
        }
    }
}

fn word_len(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len())
}

/// `'0` or `'1`.
fn fill(text: &str) -> bool {
    matches!(text.as_bytes(), [b'\'', b'0' | b'1', rest @ ..] if !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

fn number_len(text: &str) -> usize {
    if fill(text) {
        return 2;
    }
    let digits = |text: &str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())
    };
    let size = digits(text);
    match text.as_bytes().get(size + 1) {
        Some(c) if text[size..].starts_with('\'') && c.is_ascii_alphabetic() => {
            size + 1 + digits(&text[size + 1..])
        }
        _ => size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_line() {
        let text = "a <= 6'(b) + 15'h7_f; // no\n`DRRA_ASSERT(X, (a))\n'{x: '0} '1";
        let source = Source::new("t.sv", text).unwrap();
        let words: Vec<&str> = (0..source.tokens.len()).map(|t| source.word(t)).collect();
        let expected = [
            "a", "<=", "6", "'", "(", "b", ")", "+", "15'h7_f", ";", "'{", "x", ":", "'0", "}",
            "'1",
        ];
        assert_eq!(words, expected);
        assert_eq!(source.place(source.tokens[10].bytes.start), (3, 1));
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        for text in ["/* x", "\"x", "`M(a, (b)", "`ifdef X\nlogic a;"] {
            assert!(Source::new("t.sv", text).is_err(), "{text}");
        }
    }
}
