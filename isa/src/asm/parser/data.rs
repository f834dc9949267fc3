// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statements of the data section: words and blocks at addresses, variables.

use super::cursor::Parser;
use crate::asm::{
    error::{AsmError, SourceSpan},
    lexer::TokenKind,
};

impl Parser<'_> {
    pub(super) fn data_statement(&mut self) -> Result<(), AsmError> {
        let start = self.place();
        match self.peek() {
            TokenKind::Var(name) => {
                self.next();
                self.variable_statement(name, &start)
            }
            TokenKind::Ident(name) if self.is_data_statement() => {
                self.next();
                self.placed_data(name.eq_ignore_ascii_case("SRAM"), &start)
            }
            TokenKind::Ident(_) | TokenKind::Str(_) | TokenKind::Dir(_) => {
                start.fail("A14", "an instruction belongs in the .CODE section")
            }
            _ => self.unexpected("A02", "expected a data statement"),
        }
    }

    /// `SRAM <r,c> [a] = data` and `RF <r,c> [a] = data`
    pub(super) fn placed_data(&mut self, sram: bool, start: &SourceSpan) -> Result<(), AsmError> {
        let pair = self.angle_pair()?;
        let memory = self.memory(sram, pair, start)?;
        self.expect('[')?;
        let address = self.value(0)?;
        self.expect(']')?;
        self.expect('=')?;
        let (words, rows) = self.data_words()?;
        let place = start.to(&self.last_place());
        self.parsed.data.place(memory, address, (&words, rows), &place)
    }

    /// `$name location type row col data`
    pub(super) fn variable_statement(
        &mut self,
        name: &str,
        start: &SourceSpan,
    ) -> Result<(), AsmError> {
        let mut numbers = [0; 4];
        for number in &mut numbers {
            let TokenKind::Int(v) = self.peek() else {
                return self.unexpected("A02", "expected `$name location type row column data`");
            };
            self.next();
            *number = v;
        }
        let [location, format, row, col] = numbers;
        if !(0..=1).contains(&location) || !(0..=1).contains(&format) {
            return start.fail("A17", "location and type must be 0 or 1");
        }
        let memory = self.memory(location == 1, (row, col), start)?;
        let (words, _) = self.data_words()?;
        let place = start.to(&self.last_place());
        self.parsed.data.variable_data(name, memory, &words, &place)
    }

    /// The words of a data item, and whether they were written as whole hex rows.
    pub(super) fn data_words(&mut self) -> Result<(Vec<u16>, bool), AsmError> {
        let start = self.place();
        match self.peek() {
            TokenKind::HexRow(_) => {
                let mut words = Vec::new();
                loop {
                    let at = self.place();
                    let TokenKind::HexRow(hex) = self.next() else {
                        return at.fail("A02", "expected a hex row X\"..\"");
                    };
                    let block = crate::image::parse_block(hex)
                        .ok_or_else(|| at.error("A17", "a hex row has 64 hex digits"))?;
                    words.extend(block);
                    if !self.accept(',') {
                        return Ok((words, true));
                    }
                }
            }
            TokenKind::Punct('[') => {
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
            TokenKind::Ident(name) => {
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
                    return place.fail("A17", format!("count {count} is outside 1..2048"));
                }
                let (from, step) = match name.to_ascii_uppercase().as_str() {
                    "ZEROS" => (0, 0),
                    "ONES" => (1, 0),
                    "RAMP" => (first, 1),
                    _ => {
                        return place.fail("A02", "expected a list, hex rows, ZEROS, ONES or RAMP");
                    }
                };
                let words = (0..count)
                    .map(|i| word(from.wrapping_add(step * i), &place))
                    .collect::<Result<_, _>>()?;
                Ok((words, false))
            }
            _ => self.unexpected("A02", "expected a list, hex rows, ZEROS, ONES or RAMP"),
        }
    }

    pub(super) fn data_word(&mut self) -> Result<u16, AsmError> {
        let start = self.place();
        let (sign, ahead) = match self.peek() {
            TokenKind::Punct('-') => (-1.0, 1),
            TokenKind::Punct('+') => (1.0, 1),
            _ => (1.0, 0),
        };
        if let TokenKind::Fixed(text) = self.peek_at(ahead) {
            for _ in 0..=ahead {
                self.next();
            }
            let place = start.to(&self.last_place());
            // The standard parser rounds decimal literals of any length correctly, scaling by a power of two is exact,
            // and `round` rounds ties away from zero.
            let value = (sign * text.parse::<f64>().unwrap_or(f64::INFINITY) * 2048.0).round();
            if !(-32768.0..=32767.0).contains(&value) {
                return place.fail("A17", format!("{text} is outside the Q4.11 range"));
            }
            return Ok(value as i64 as u16);
        }
        let value = self.value(0)?;
        word(value, &start.to(&self.last_place()))
    }
}

fn word(value: i64, place: &SourceSpan) -> Result<u16, AsmError> {
    if (-32768..=65535).contains(&value) {
        Ok(value as u16)
    } else {
        place.fail("A17", format!("data value {value} is outside -32768..65535"))
    }
}
