// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory contents in VHDL test benches (chapter 1, 7.8).

use crate::{
    Geometry,
    image::{ImageError, Memory, MemoryImage, tile_at},
};

/// Name of the constants with memory contents; a suffix `_ROW_COLUMN` may follow.
const NAME: &str = "mem_init_values";

/// Functions of a number and a width that yield a vector.
const CONVERSIONS: [&str; 3] = ["to_unsigned", "to_signed", "conv_std_logic_vector"];

/// Maximum nesting depth of brackets.
const MAX_DEPTH: usize = 8;

/// Reads the scratchpad contents from the constants `mem_init_values` of a test bench.
///
/// # Errors
/// `VHD-E1` no such constant, or a value that cannot be parsed; `MEM-E2` tile outside the fabric; `MEM-E3` address
/// outside the memory or given twice.
pub fn read_test_bench(text: &str, geometry: &Geometry) -> Result<MemoryImage, ImageError> {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join("\n").to_ascii_lowercase();
    let mut reader = TestBenchReader { text: &text, at: 0, geometry };
    let mut image = MemoryImage::default();
    let mut found = false;
    while let Some(next) = reader.rest().chars().next() {
        let name = reader.word();
        if name.is_empty() && reader.quoted().is_none() {
            reader.at += next.len_utf8();
        }
        let Some((row, col)) = tile_of(name).filter(|_| reader.declares()) else { continue };
        found = true;
        let item = reader.item(0)?;
        let (1.., words) = reader.words(&item)? else {
            return reader.fail(item.start, "expected a row of the scratchpad, not a word");
        };
        for block in words.chunks(Geometry::BLOCK_WORDS) {
            let PlacedWord { start, place: [_, address, in_col, in_row], .. } = block[0];
            let error = |code, message| reader.error(code, start, message);
            let number = |place: i64| usize::try_from(place).unwrap_or(usize::MAX);
            let tile = (in_row.map_or(row, number), in_col.map_or(col, number));
            let tile = tile_at(tile, geometry).map_err(|message| error("MEM-E2", message))?;
            let (address, block) = (address.unwrap_or(0), std::array::from_fn(|k| block[k].value));
            if let Some(message) = image.insert(Memory::Sram(tile), address, block, geometry) {
                return Err(error("MEM-E3", message));
            }
        }
    }
    if !found {
        return reader.fail(0, format!("there is no constant {NAME} with a value"));
    }
    Ok(image)
}

/// The tile of a constant with this name: row 0 and column 0 for `mem_init_values`, row 1 and column 3 for
/// `mem_init_values_1_3`.
fn tile_of(name: &str) -> Option<(usize, usize)> {
    let suffix = name.strip_prefix(NAME)?;
    if suffix.is_empty() {
        return Some((0, 0));
    }
    let (row, col) = suffix.strip_prefix('_')?.split_once('_')?;
    Some((row.parse().ok()?, col.parse().ok()?))
}

/// A value of a constant.
#[derive(Clone)]
enum ConstantValue {
    Number(i64),
    /// Leftmost bit first.
    Bits(Vec<bool>),
    /// The number of aggregates that enclose each word, and the words, in the order of their indices.
    Words(usize, Vec<PlacedWord>),
}

/// A word with its indices in its row, tile, tile row and fabric, if known.
#[derive(Clone)]
struct PlacedWord {
    start: usize,
    place: [Option<i64>; 4],
    value: u16,
}

/// An element of an aggregate.
struct AggregateItem {
    start: usize,
    choice: ElementChoice,
    value: ConstantValue,
}

/// The elements of the array or record that an item sets.
#[derive(PartialEq)]
enum ElementChoice {
    Next,
    /// First and last index.
    Range(i64, i64),
    Field,
    Others,
}

/// Parses a text in lower case without comments.
struct TestBenchReader<'t> {
    text: &'t str,
    at: usize,
    geometry: &'t Geometry,
}

impl<'t> TestBenchReader<'t> {
    fn error(&self, code: &'static str, at: usize, message: String) -> ImageError {
        ImageError { code, line: 1 + self.text[..at].matches('\n').count(), message }
    }

    fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ImageError> {
        Err(self.error("VHD-E1", at, message.into()))
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

    /// Advances to the value assigned to the preceding name, if there is one. The type of the constant may have an
    /// index range in brackets.
    fn declares(&mut self) -> bool {
        let rest = self.rest();
        let value = rest.find(":=").filter(|at| *at > 0 && rest.starts_with(':'));
        let value = value.filter(|at| !rest[..*at].contains(';'));
        self.at += value.map_or(0, |at| at + 2);
        value.is_some()
    }

    /// A term, or several concatenated terms.
    fn value(&mut self, depth: usize) -> Result<ConstantValue, ImageError> {
        let mut value = self.term(depth)?;
        while self.accept("&") {
            match (&mut value, self.term(depth)?) {
                (ConstantValue::Bits(all), ConstantValue::Bits(more)) => all.extend(more),
                _ => return self.fail(self.at, "only vectors can be joined with `&`"),
            }
        }
        Ok(value)
    }

    fn term(&mut self, depth: usize) -> Result<ConstantValue, ImageError> {
        let sign = if self.accept("-") { -1 } else { 1 };
        let (start, word) = (self.at, self.word());
        if let Some(digits) = self.quoted() {
            let bits = bits(digits, word.trim_start_matches(|c: char| c.is_ascii_digit()));
            let wrong =
                || self.error("VHD-E1", start, "the literal has digits that are not bits".into());
            return bits.map(ConstantValue::Bits).ok_or_else(wrong);
        }
        match number(word) {
            Some(value) => return Ok(ConstantValue::Number(sign * value)),
            None if sign < 0 => return self.fail(start, "expected a number after `-`"),
            None if !word.is_empty() => self.accept("'"),
            None => false,
        };
        if !self.accept("(") {
            let what = match word {
                "" => "expected a literal or `(`".to_owned(),
                _ => format!("`{word}` is not a literal; write the constant out in full"),
            };
            return self.fail(start, what);
        }
        let items = self.items(depth)?;
        if !CONVERSIONS.contains(&word) {
            return self.aggregate(&items, start);
        }
        match items.iter().map(|i| &i.value).collect::<Vec<_>>()[..] {
            [ConstantValue::Number(value), ConstantValue::Number(width @ 1..=256)] => {
                let bit = |bit: i64| *value >> bit.min(63) & 1 == 1;
                Ok(ConstantValue::Bits((0..*width).rev().map(bit).collect()))
            }
            _ => self.fail(start, "expected a number and a width"),
        }
    }

    /// The elements of an aggregate after its opening bracket.
    fn items(&mut self, depth: usize) -> Result<Vec<AggregateItem>, ImageError> {
        if depth == MAX_DEPTH {
            return self.fail(self.at, "brackets are nested too deeply");
        }
        let mut items = vec![self.item(depth + 1)?];
        while !self.accept(")") {
            if !self.accept(",") {
                return self.fail(self.at, "expected `,` or `)`");
            }
            items.push(self.item(depth + 1)?);
        }
        Ok(items)
    }

    fn item(&mut self, depth: usize) -> Result<AggregateItem, ImageError> {
        self.rest();
        Ok(AggregateItem { start: self.at, choice: self.choice(), value: self.value(depth)? })
    }

    /// `others =>`, `3 =>`, `0 to 3 =>`, `field =>`, or nothing.
    fn choice(&mut self) -> ElementChoice {
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
            (true, None, _) => ElementChoice::Field,
        }
    }

    /// A value alone in brackets, a record of an address and a row, or an aggregate of words, rows, columns or tile
    /// rows.
    fn aggregate(
        &self,
        items: &[AggregateItem],
        start: usize,
    ) -> Result<ConstantValue, ImageError> {
        if let [AggregateItem { choice: ElementChoice::Next, value, .. }] = items {
            return Ok(value.clone());
        }
        if let [AggregateItem { value: ConstantValue::Number(address), .. }, row] = items
            && let (1, mut words) = self.words(row)?
        {
            words.iter_mut().for_each(|word| word.place[1] = Some(*address));
            return Ok(ConstantValue::Words(1, words));
        }
        let inner: Vec<(usize, Vec<PlacedWord>)> =
            items.iter().map(|item| self.words(item)).collect::<Result<_, _>>()?;
        let level = inner[0].0;
        let Geometry { sram_blocks, columns, tile_rows, .. } = *self.geometry;
        let limit = [Geometry::BLOCK_WORDS, sram_blocks, columns, tile_rows].get(level).copied();
        let Some(limit) = limit.filter(|_| inner.iter().all(|(of, _)| *of == level)) else {
            let what = "expected words, rows, columns or tile rows, all of one kind";
            return self.fail(start, what);
        };
        let indices = self.indices(items, limit)?;
        if level == 0 && !indices.iter().map(|(index, _)| *index).eq(0..limit as i64) {
            let what = format!("a row of {} words, expected 16, numbered 0 to 15", indices.len());
            return self.fail(start, what);
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
                ElementChoice::Field => {
                    return self.fail(item.start, "expected an index, not the name of a field");
                }
                ElementChoice::Others => continue,
            };
            if to.saturating_sub(from) >= (limit - named.len()) as i64 {
                return self.fail(item.start, format!("more than {limit} elements"));
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
        AggregateItem { start, choice, value }: &AggregateItem,
    ) -> Result<(usize, Vec<PlacedWord>), ImageError> {
        let word = |bits: &[bool]| bits.iter().fold(0, |word, bit| word << 1 | u16::from(*bit));
        let (level, values) = match value {
            ConstantValue::Words(level, words) => return Ok((*level, words.clone())),
            ConstantValue::Number(value @ -32768..=65535) => (0, vec![*value as u16]),
            ConstantValue::Number(value) => {
                return self.fail(*start, format!("{value} does not fit in a word of 16 bits"));
            }
            ConstantValue::Bits(bits) => match (bits.len(), choice) {
                (1, ElementChoice::Others) => (0, vec![if bits[0] { u16::MAX } else { 0 }]),
                (16, _) => (0, vec![word(bits)]),
                (256, _) => (1, bits.rchunks(16).map(word).collect()),
                (len, _) => {
                    return self.fail(*start, format!("a row of {len} bits, expected 256"));
                }
            },
        };
        let place = |k| [(level == 1).then_some(k), None, None, None];
        let words = (0..).zip(values).map(|(k, value)| PlacedWord {
            start: *start,
            place: place(k),
            value,
        });
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
