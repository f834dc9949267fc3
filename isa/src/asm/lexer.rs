// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits text into tokens. A lexical error becomes a token, which is followed only by the end of the text, so that
//! earlier errors are found first.

use super::error::{AsmError, SourceSpan};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind<'a> {
    Ident(&'a str),
    /// `.NAME`, without the dot.
    Dir(&'a str),
    /// `$name`, without the dollar.
    Var(&'a str),
    Int(i64),
    /// Number with a decimal point, as text.
    Fixed(&'a str),
    Str(&'a str),
    HexRow(&'a str),
    /// One character, or `«` and `»` for the two shifts.
    Punct(char),
    /// `r_c` alone on a line of a listing.
    Heading(usize, usize),
    Eol,
    Eof,
    /// The lexical error.
    Bad,
}

pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) place: SourceSpan,
}

const SECTIONS: [&str; 4] = [".DATA", ".CODE", ".RELATION", ".DEPENDENCY"];

/// The tokens of a text, and the lexical error if there is one.
pub(crate) fn tokens(text: &str, listing: bool) -> (Vec<Token<'_>>, Option<AsmError>) {
    // Programs have about three bytes for each token.
    let out = Vec::with_capacity(text.len() / 3);
    let mut lexer = Lexer { text, pos: 0, line: 1, depth: 0, out };
    let bad = lexer.run(listing).err();
    if let Some(error) = &bad {
        let place = SourceSpan { line: error.line, span: error.span.clone() };
        lexer.out.push(Token { kind: TokenKind::Bad, place });
    }
    let end = SourceSpan { line: lexer.line, span: text.len()..text.len() };
    lexer.out.push(Token { kind: TokenKind::Eol, place: end.clone() });
    lexer.out.push(Token { kind: TokenKind::Eof, place: end });
    (lexer.out, bad)
}

struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    line: usize,
    depth: usize,
    out: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self, listing: bool) -> Result<(), AsmError> {
        loop {
            if listing && self.at_line_start() {
                self.heading();
            }
            let rest = &self.text[self.pos..];
            let Some(c) = rest.chars().next() else { return Ok(()) };
            let start = self.pos;
            match c {
                '\n' => {
                    self.pos += 1;
                    if self.depth == 0 {
                        self.push(TokenKind::Eol, start);
                    }
                    self.line += 1;
                }
                ' ' | '\t' | '\r' | '\u{feff}' => self.pos += c.len_utf8(),
                '#' => self.skip_line(),
                '/' if rest.starts_with("//") => self.skip_line(),
                '/' if rest.starts_with("/*") => self.block_comment()?,
                '"' => {
                    let s = self.string(start)?;
                    self.push(TokenKind::Str(s), start);
                }
                'x' | 'X' if rest[1..].starts_with('"') => {
                    self.pos += 1;
                    let s = self.string(start)?;
                    self.push(TokenKind::HexRow(s), start);
                }
                '.' => {
                    self.pos += 1;
                    let name = self.word();
                    if name.is_empty() {
                        return Err(self.error(start, "expected a name after `.`"));
                    }
                    self.push(TokenKind::Dir(name), start);
                    if ["RELATION", "DEPENDENCY"].iter().any(|s| s.eq_ignore_ascii_case(name)) {
                        self.skip_section();
                    }
                }
                '$' => {
                    self.pos += 1;
                    let name = self.word();
                    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                        return Err(self.error(start, "expected a name after `$`"));
                    }
                    self.push(TokenKind::Var(name), start);
                }
                '0'..='9' => {
                    let kind = self.number(start)?;
                    self.push(kind, start);
                }
                'a'..='z' | 'A'..='Z' | '_' => {
                    let name = self.word();
                    self.push(TokenKind::Ident(name), start);
                }
                '<' if rest.starts_with("<<") => self.punct('«', 2),
                '>' if rest.starts_with(">>") => self.punct('»', 2),
                '(' => {
                    self.depth += 1;
                    self.punct(c, 1);
                }
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.punct(c, 1);
                }
                '[' | ']' | '<' | '>' | ',' | '=' | '+' | '-' | '*' | '/' | '%' | '&' | '|'
                | '^' | '~' | ':' => self.punct(c, 1),
                _ => {
                    self.pos += c.len_utf8();
                    return Err(self.error(start, format!("character `{c}` has no meaning here")));
                }
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.pos == 0 || self.text.as_bytes()[self.pos - 1] == b'\n'
    }

    /// A listing heading `r_c` alone on its line.
    fn heading(&mut self) {
        let rest = &self.text[self.pos..];
        let line = rest.lines().next().unwrap_or("").trim();
        let Some((row, col)) = line.split_once('_') else { return };
        let digits =
            |s: &str| !s.is_empty() && s.len() < 6 && s.bytes().all(|b| b.is_ascii_digit());
        if digits(row) && digits(col) {
            let start = self.pos;
            self.skip_line();
            let kind =
                TokenKind::Heading(row.parse().expect("digits"), col.parse().expect("digits"));
            self.push(kind, start);
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.pos..];
        let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        self.pos += len;
        &rest[..len]
    }

    fn number(&mut self, start: usize) -> Result<TokenKind<'a>, AsmError> {
        let word = self.word();
        let rest = &self.text[self.pos..];
        let fraction =
            rest.strip_prefix('.').map_or(0, |f| f.bytes().take_while(u8::is_ascii_digit).count());
        let decimal = word.bytes().all(|b| b.is_ascii_digit());
        if fraction > 0 && decimal {
            self.pos += 1;
            let tail = self.word();
            if !tail.bytes().all(|b| b.is_ascii_digit())
                || (word.len() > 1 && word.starts_with('0'))
            {
                return Err(self.error(start, "malformed number"));
            }
            return Ok(TokenKind::Fixed(&self.text[start..self.pos]));
        }
        let (digits, radix) = match word.get(..2) {
            Some("0x" | "0X") => (&word[2..], 16),
            Some("0b" | "0B") => (&word[2..], 2),
            Some("0o" | "0O") => (&word[2..], 8),
            _ => (word, 10),
        };
        if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
            return Err(self.error(start, "a decimal number must not have a leading zero"));
        }
        if digits.is_empty() || digits.starts_with('_') {
            return Err(self.error(start, "malformed number"));
        }
        let value = digits.chars().filter(|c| *c != '_').try_fold(0u64, |value, c| {
            value.checked_mul(u64::from(radix))?.checked_add(u64::from(c.to_digit(radix)?))
        });
        // Numbers in other radixes are patterns of up to 64 bits.
        value
            .filter(|value| radix != 10 || i64::try_from(*value).is_ok())
            .map(|value| TokenKind::Int(value as i64))
            .ok_or_else(|| self.error(start, "malformed number, or it does not fit in 64 bits"))
    }

    /// The text between quotes; `self.pos` is at the opening quote.
    fn string(&mut self, start: usize) -> Result<&'a str, AsmError> {
        let rest = &self.text[self.pos + 1..];
        match rest.find(['"', '\n']) {
            Some(end) if rest.as_bytes()[end] == b'"' => {
                self.pos += end + 2;
                Ok(&rest[..end])
            }
            _ => {
                self.pos =
                    self.text.len().min(self.pos + 1 + rest.find('\n').unwrap_or(rest.len()));
                Err(self.error(start, "unterminated string"))
            }
        }
    }

    fn block_comment(&mut self) -> Result<(), AsmError> {
        let start = self.pos;
        let Some(len) = self.text[start + 2..].find("*/") else {
            self.pos = start + 2;
            return Err(self.error(start, "unterminated comment"));
        };
        let body = &self.text[start..start + 2 + len];
        self.line += body.matches('\n').count();
        self.pos = start + len + 4;
        Ok(())
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.pos..];
        self.pos += rest.find('\n').unwrap_or(rest.len());
    }

    /// Skips everything up to the next section directive.
    fn skip_section(&mut self) {
        self.skip_line();
        while self.pos < self.text.len() {
            let start = self.pos;
            self.pos += 1; // the line feed
            self.push(TokenKind::Eol, start);
            self.line += 1;
            let first = self.text[self.pos..].split_whitespace().next().unwrap_or("");
            let on_this_line =
                self.text[self.pos..].lines().next().is_some_and(|l| !l.trim().is_empty());
            if on_this_line && SECTIONS.iter().any(|s| s.eq_ignore_ascii_case(first)) {
                return;
            }
            self.skip_line();
        }
    }

    fn punct(&mut self, c: char, len: usize) {
        let start = self.pos;
        self.pos += len;
        self.push(TokenKind::Punct(c), start);
    }

    fn push(&mut self, kind: TokenKind<'a>, start: usize) {
        let place = SourceSpan { line: self.line, span: start..self.pos };
        self.out.push(Token { kind, place });
    }

    fn error(&self, start: usize, message: impl Into<String>) -> AsmError {
        SourceSpan { line: self.line, span: start..self.pos }.error("A01", message)
    }
}
