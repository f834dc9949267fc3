// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory contents in VHDL test benches (chapter 1, 7.8).

mod record;

use std::mem;

use crate::{
    Geometry,
    image::{ImageError, Memory, MemoryImage, tile_at},
};

use record::{RECORDS, is_record};

/// Name of the constants with the contents of tiles; a suffix `_ROW_COLUMN` may follow.
const TILES: &str = "mem_init_values";

/// Name of the constant with the contents of register files.
const REGISTER_FILES: &str = "reg_init_values";

/// Types of constants that cannot be memory contents, whatever their name.
const SCALARS: [&str; 7] =
    ["integer", "natural", "positive", "boolean", "string", "time", "std_logic"];

/// Functions of a number and a width that yield a vector.
const CONVERSIONS: [&str; 3] = ["to_unsigned", "to_signed", "conv_std_logic_vector"];

/// Maximum nesting depth of brackets.
const MAX_DEPTH: usize = 8;

/// Reads the contents of tiles and register files from the constants `mem_init_values` and `reg_init_values` of a test
/// bench.
///
/// # Errors
/// `VHD-E1` no such constant, or contents that cannot be parsed; `MEM-E2` tile or cell outside the fabric; `MEM-E3`
/// address outside the memory or given twice.
pub fn read_test_bench(text: &str, geometry: &Geometry) -> Result<MemoryImage, ImageError> {
    let lines = text.split_inclusive('\n').map(without_comment);
    let text = lines.collect::<String>().to_ascii_lowercase();
    let mut reader = TestBenchReader { text: &text, at: 0, geometry };
    let mut image = MemoryImage::default();
    let mut found = false;
    let mut previous = "";
    while let Some(next) = reader.rest().chars().next() {
        let name = reader.word();
        let span = (reader.at - name.len(), reader.at);
        if name.is_empty() && reader.quoted().is_none() {
            reader.at += next.len_utf8();
        }
        let is_constant = mem::replace(&mut previous, name) == "constant";
        let is_known = tile_of(name).is_some() || name == REGISTER_FILES;
        if !(is_known || is_constant && is_contents(name)) {
            continue;
        }
        let Some(type_name) = reader.declares() else { continue };
        if is_known {
            found = true;
            reader.contents(name, &mut image)?;
        } else if !SCALARS.contains(&type_name) {
            let known = format!("only {TILES}, {TILES}_ROW_COLUMN and {REGISTER_FILES} are read");
            let what = format!("`{name}` is named like memory contents, but {known}");
            return reader.fail(span, what);
        }
    }
    if !found {
        let what = format!("there is no constant {TILES} or {REGISTER_FILES} with a value");
        return reader.fail((0, text.len()), what);
    }
    Ok(image)
}

/// The line with blanks in place of its comment, so that all offsets remain valid.
fn without_comment(line: &str) -> String {
    let end = line.trim_end_matches('\n').len();
    let start = line.find("--").unwrap_or(end);
    line[..start].to_owned() + &" ".repeat(end - start) + &line[end..]
}

/// The tile of a constant with this name: row 0 and column 0 for `mem_init_values`, row 1 and column 3 for
/// `mem_init_values_1_3`.
fn tile_of(name: &str) -> Option<(usize, usize)> {
    let suffix = name.strip_prefix(TILES)?;
    if suffix.is_empty() {
        return Some((0, 0));
    }
    let (row, col) = suffix.strip_prefix('_')?.split_once('_')?;
    Some((row.parse().ok()?, col.parse().ok()?))
}

/// True if a constant with this name has memory contents.
fn is_contents(name: &str) -> bool {
    name.starts_with("mem_init") || name.starts_with("reg_init") || name.ends_with("_init_values")
}

/// First byte of a part of the text, and the byte after it.
type Span = (usize, usize);

/// A value of a constant.
#[derive(Clone)]
enum ConstantValue {
    Number(i64),
    /// Leftmost bit first.
    Bits(Vec<bool>),
    /// The number of aggregates that enclose each word, and the words, in the order of their indices.
    Words(usize, Vec<PlacedWord>),
}

/// A word with its indices in its row, tile, tile row and fabric, if known; in a record, with its place as written.
#[derive(Clone, Copy)]
struct PlacedWord {
    span: Span,
    place: [Option<i64>; 4],
    value: u16,
}

/// An element of an aggregate.
struct AggregateItem<'t> {
    span: Span,
    choice: ElementChoice<'t>,
    value: ConstantValue,
}

/// The elements of the array or record that an item sets.
#[derive(Clone, Copy, PartialEq)]
enum ElementChoice<'t> {
    Next,
    /// First and last index.
    Range(i64, i64),
    Field(&'t str),
    Others,
}

/// Parses a text in lower case without comments.
struct TestBenchReader<'t> {
    text: &'t str,
    at: usize,
    geometry: &'t Geometry,
}

impl<'t> TestBenchReader<'t> {
    /// An error about the first line of a part of the text.
    fn error(&self, code: &'static str, (start, end): Span, message: String) -> ImageError {
        let line = 1 + self.text[..start].matches('\n').count();
        let marked = self.text[start..end].lines().next().unwrap_or_default().trim_end();
        ImageError { code, line, span: start..start + marked.len(), message }
    }

    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Result<T, ImageError> {
        Err(self.error("VHD-E1", span, message.into()))
    }

    /// The error about the next character.
    fn unexpected<T>(&mut self, message: &str) -> Result<T, ImageError> {
        let len = self.rest().chars().next().map_or(0, char::len_utf8);
        self.fail((self.at, self.at + len), message)
    }

    /// The text from the next token on.
    fn rest(&mut self) -> &'t str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Reads a name, a number or the base of a literal; empty if another token follows.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '#');
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// The text in the quotes of a literal. The quote of `clk'event` does not start a literal.
    fn quoted(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let begins = |q: &char| *q == '"' || *q == '\'' && rest.chars().nth(2) == Some('\'');
        let quote = rest.chars().next().filter(begins)?;
        let text = rest[1..].split([quote, '\n']).next()?;
        self.at = self.text.len().min(self.at + text.len() + 2);
        Some(text)
    }

    /// Advances to the value assigned to the preceding name, if there is one, and returns the name of the type. An index
    /// range in brackets may follow the type.
    fn declares(&mut self) -> Option<&'t str> {
        let (type_name, _) = self.rest().strip_prefix(':')?.split_once(":=")?;
        if type_name.contains([';', '=']) {
            return None;
        }
        self.at += ":".len() + type_name.len() + ":=".len();
        type_name.split_whitespace().next()
    }

    /// Reads the value of the constant with this name into the image.
    fn contents(&mut self, name: &str, image: &mut MemoryImage) -> Result<(), ImageError> {
        let item = self.item(0)?;
        let (level @ 1.., words) = self.words(&item)? else {
            return self.fail(item.span, "expected a row of the scratchpad, not a word");
        };
        let tile = tile_of(name);
        if level == RECORDS && ![TILES, REGISTER_FILES].contains(&name) {
            let what = format!("records name their tile themselves; put them into {TILES}");
            return self.fail(item.span, what);
        }
        for block in words.chunks(Geometry::BLOCK_WORDS) {
            let PlacedWord { span, place: [_, address, in_col, in_row], .. } = block[0];
            let number = |place: i64| usize::try_from(place).unwrap_or(usize::MAX);
            let memory = match (in_row.zip(in_col), tile) {
                (Some(place), _) if level == RECORDS => self.memory_of(tile.is_some(), place),
                (_, Some((row, col))) => {
                    let tile = (in_row.map_or(row, number), in_col.map_or(col, number));
                    let tile = tile_at(tile, self.geometry).map(Memory::Sram);
                    tile.map_err(|message| ("MEM-E2", message))
                }
                _ => Err(("VHD-E1", "expected a record of address, row, col and data".to_owned())),
            };
            let memory = memory.map_err(|(code, message)| self.error(code, span, message))?;
            let (address, data) = (address.unwrap_or(0), std::array::from_fn(|k| block[k].value));
            if let Some(message) = image.insert(memory, address, data, self.geometry) {
                return Err(self.error("MEM-E3", span, message));
            }
        }
        Ok(())
    }

    /// A term, or several concatenated terms.
    fn value(&mut self, depth: usize) -> Result<ConstantValue, ImageError> {
        let (mut value, start) = (self.term(depth)?, self.at);
        while self.accept("&") {
            match (&mut value, self.term(depth)?) {
                (ConstantValue::Bits(all), ConstantValue::Bits(more)) => all.extend(more),
                _ => return self.fail((start, self.at), "only vectors can be joined with `&`"),
            }
        }
        Ok(value)
    }

    fn term(&mut self, depth: usize) -> Result<ConstantValue, ImageError> {
        let sign = if self.accept("-") { -1 } else { 1 };
        let (start, word) = (self.at, self.word());
        if let Some(digits) = self.quoted() {
            let bits = bits(digits, word.trim_start_matches(|c: char| c.is_ascii_digit()));
            let wrong = || {
                let what = "the literal has digits that are not bits";
                self.error("VHD-E1", (start, self.at), what.into())
            };
            return bits.map(ConstantValue::Bits).ok_or_else(wrong);
        }
        match number(word) {
            Some(value) => return Ok(ConstantValue::Number(sign * value)),
            None if sign < 0 => return self.unexpected("expected a number after `-`"),
            None if !word.is_empty() => self.accept("'"),
            None => false,
        };
        if !self.accept("(") {
            if word.is_empty() {
                return self.unexpected("expected a literal or `(`");
            }
            let what = format!("`{word}` is not a literal; write the constant out in full");
            return self.fail((start, start + word.len()), what);
        }
        let items = self.items(depth)?;
        if !CONVERSIONS.contains(&word) {
            return self.aggregate(&items, (start, self.at));
        }
        match items.iter().map(|i| &i.value).collect::<Vec<_>>()[..] {
            [ConstantValue::Number(value), ConstantValue::Number(width @ 1..=256)] => {
                let bit = |bit: i64| *value >> bit.min(63) & 1 == 1;
                Ok(ConstantValue::Bits((0..*width).rev().map(bit).collect()))
            }
            _ => self.fail((start, self.at), "expected a number and a width"),
        }
    }

    /// The elements of an aggregate after its opening bracket.
    fn items(&mut self, depth: usize) -> Result<Vec<AggregateItem<'t>>, ImageError> {
        if depth == MAX_DEPTH {
            return self.unexpected("brackets are nested too deeply");
        }
        let mut items = vec![self.item(depth + 1)?];
        while !self.accept(")") {
            if !self.accept(",") {
                return self.unexpected("expected `,` or `)`");
            }
            items.push(self.item(depth + 1)?);
        }
        Ok(items)
    }

    fn item(&mut self, depth: usize) -> Result<AggregateItem<'t>, ImageError> {
        self.rest();
        let (start, choice, value) = (self.at, self.choice(), self.value(depth)?);
        Ok(AggregateItem { span: (start, self.at), choice, value })
    }

    /// `others =>`, `3 =>`, `0 to 3 =>`, `field =>`, or nothing.
    fn choice(&mut self) -> ElementChoice<'t> {
        let (start, word) = (self.at, self.word());
        let mut range = number(word).map(|index| (index, index));
        if let Some((from, _)) = range
            && !self.rest().starts_with("=>")
        {
            range = match (self.word(), number(self.word())) {
                ("to", Some(to)) => Some((from, to)),
                ("downto", Some(to)) => Some((to, from)),
                _ => None,
            };
        }
        match (self.accept("=>"), range, word) {
            (false, ..) => {
                self.at = start;
                ElementChoice::Next
            }
            (true, Some((from, to)), _) => ElementChoice::Range(from, to),
            (true, None, "others") => ElementChoice::Others,
            (true, None, field) => ElementChoice::Field(field),
        }
    }

    /// A value alone in brackets, a record, or an aggregate of words, rows, columns, tile rows or records.
    fn aggregate(&self, items: &[AggregateItem], span: Span) -> Result<ConstantValue, ImageError> {
        if let [AggregateItem { choice: ElementChoice::Next, value, .. }] = items {
            return Ok(value.clone());
        }
        if is_record(items) {
            return self.record(items, span);
        }
        let inner: Vec<(usize, Vec<PlacedWord>)> =
            items.iter().map(|item| self.words(item)).collect::<Result<_, _>>()?;
        let level = inner[0].0;
        if inner.iter().all(|(of, _)| *of == RECORDS) {
            return self.records(items, &inner);
        }
        let Geometry { sram_blocks, columns, tile_rows, .. } = *self.geometry;
        let limit = [Geometry::BLOCK_WORDS, sram_blocks, columns, tile_rows].get(level).copied();
        let Some(limit) = limit.filter(|_| inner.iter().all(|(of, _)| *of == level)) else {
            let what = "expected words, rows, columns, tile rows or records, all of one kind";
            return self.fail(span, what);
        };
        let indices = self.indices(items, limit)?;
        if level == 0 && !indices.iter().map(|(index, _)| *index).eq(0..limit as i64) {
            let what = format!("a row of {} words, expected 16, numbered 0 to 15", indices.len());
            return self.fail(span, what);
        }
        let mut words = Vec::new();
        for (index, k) in indices {
            for word in &inner[k].1 {
                let mut place = word.place;
                place[level].get_or_insert(index);
                words.push(PlacedWord { place, ..*word });
            }
        }
        Ok(ConstantValue::Words(level + 1, words))
    }

    /// The indices of an array of `limit` elements, each with the index of its item; `others` stands for the indices
    /// that no other item names.
    fn indices(
        &self,
        items: &[AggregateItem],
        limit: usize,
    ) -> Result<Vec<(i64, usize)>, ImageError> {
        let mut named: Vec<(i64, usize)> = Vec::new();
        let mut next = 0;
        for (k, item) in items.iter().enumerate() {
            let (from, to) = match item.choice {
                ElementChoice::Next => (next, next),
                ElementChoice::Range(from, to) => (from, to),
                // Only records have names.
                ElementChoice::Others | ElementChoice::Field(_) => continue,
            };
            if to.saturating_sub(from) >= (limit - named.len()) as i64 {
                return self.fail(item.span, format!("more than {limit} elements"));
            }
            named.extend((from..=to).map(|index| (index, k)));
            next = to.saturating_add(1);
        }
        if let Some(others) = items.iter().position(|i| i.choice == ElementChoice::Others) {
            let free = (0..limit as i64).filter(|i| named.iter().all(|(index, _)| index != i));
            named.extend(free.map(|index| (index, others)).collect::<Vec<_>>());
        }
        named.sort();
        Ok(named)
    }

    /// The number of aggregates that enclose the words of an item, and these words. A vector of 256 bits counts as a
    /// row. A single bit for `others` means words filled with this bit.
    fn words(
        &self,
        AggregateItem { span, choice, value }: &AggregateItem,
    ) -> Result<(usize, Vec<PlacedWord>), ImageError> {
        let word = |bits: &[bool]| bits.iter().fold(0, |word, bit| word << 1 | u16::from(*bit));
        let (level, values) = match value {
            ConstantValue::Words(level, words) => return Ok((*level, words.clone())),
            ConstantValue::Number(value @ -32768..=65535) => (0, vec![*value as u16]),
            ConstantValue::Number(value) => {
                return self.fail(*span, format!("{value} does not fit in a word of 16 bits"));
            }
            ConstantValue::Bits(bits) => match (bits.len(), choice) {
                (1, ElementChoice::Others) => (0, vec![if bits[0] { u16::MAX } else { 0 }]),
                (16, _) => (0, vec![word(bits)]),
                (256, _) => (1, bits.rchunks(16).map(word).collect()),
                (len, _) => {
                    return self.fail(*span, format!("a row of {len} bits, expected 256"));
                }
            },
        };
        let place = |k| [(level == 1).then_some(k), None, None, None];
        let words =
            (0..).zip(values).map(|(k, value)| PlacedWord { span: *span, place: place(k), value });
        Ok((level, words.collect()))
    }
}

/// `12`, `1_000`, `16#ff#`
fn number(word: &str) -> Option<i64> {
    let clean = word.replace('_', "");
    let Some((base, digits)) = clean.split_once('#') else { return clean.parse().ok() };
    let base = base.parse().ok().filter(|base| (2..=16).contains(base))?;
    i64::from_str_radix(digits.strip_suffix('#')?, base).ok()
}

/// The bits of a literal with this base.
fn bits(digits: &str, base: &str) -> Option<Vec<bool>> {
    let width = match base {
        "x" | "ux" => 4,
        "o" | "uo" => 3,
        "" | "b" | "ub" => 1,
        _ => return None,
    };
    let mut bits = Vec::new();
    for digit in digits.chars().filter(|c| *c != '_') {
        let value = digit.to_digit(1 << width)?;
        bits.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    }
    Some(bits)
}
