// SPDX-License-Identifier: MIT OR Apache-2.0
//! The format of a text: one of those in chapter 1, sections 7 and 8, or a case. The positional text of an older
//! assembler (7.7) is recognised, but not supported.

use std::fmt;

use crate::{asm::AsmError, description::Field, json::is_identifier, revision::Revision};

/// A format of programs or memory contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// The assembly language (section 8).
    Source,
    /// Source of the published assembler (7.6): assembly with sections for its scheduler.
    Manas,
    /// A listing (7.1).
    Listing,
    /// A schedule listing, `sync_instr.txt` (7.2).
    ScheduleText,
    /// A schedule in JSON, `sync_instr.json` (7.3).
    ScheduleJson,
    /// A program image (7.4).
    Image,
    /// A memory image (7.5).
    Memory,
    /// A VHDL test bench with memory contents (7.8).
    TestBench,
    /// A JSON object, as cases are.
    Case,
}

impl TextFormat {
    /// The form of a text, by its contents alone; `None` if no line identifies a form.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}');
        match text.trim_start().chars().next()? {
            '[' => return Some(Self::ScheduleJson),
            '{' => return Some(Self::Case),
            _ => {}
        }
        let lines = without_comments(text);
        let mut lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.clone().find(|line| !is_plain_heading(line))?;
        let word = first.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let word = word.unwrap_or_default();
        let is_word = |known: &str| known.split(' ').any(|k| k.eq_ignore_ascii_case(word));
        let rest = first[word.len()..].trim_start();
        if first.starts_with("--") || is_word(VHDL) {
            Some(Self::TestBench)
        } else if is_listing_heading(first) {
            Some(Self::Listing)
        } else if first.starts_with(|c: char| c.is_ascii_digit()) {
            Some(if rest.starts_with('(') { Self::ScheduleText } else { Self::Image })
        } else if is_word("SRAM RF") && rest.starts_with(|c: char| c.is_ascii_digit()) {
            Some(Self::Memory)
        } else if !first.starts_with(|c: char| c.is_ascii_alphabetic() || "_\".$".contains(c)) {
            None
        } else if lines.clone().any(is_scheduler_section) {
            Some(Self::Manas)
        } else if lines.clone().any(writes_padding)
            && lines.all(|l| is_plain_heading(l) || is_listing_heading(l) || operands(l).is_some())
        {
            Some(Self::Listing)
        } else {
            Some(Self::Source)
        }
    }
}

/// True if a text of instructions has an `.ISA` line.
pub(super) fn names_revision(text: &str) -> bool {
    let is_directive = |line: &str| {
        line.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(".ISA"))
    };
    without_comments(text).lines().any(is_directive)
}

impl fmt::Display for TextFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "assembly text",
            Self::Manas => "Manas source",
            Self::Listing => "a listing",
            Self::ScheduleText | Self::ScheduleJson => "a schedule",
            Self::Image => "a program image",
            Self::Memory => "a memory image",
            Self::TestBench => "a VHDL test bench",
            Self::Case => "a case",
        })
    }
}

/// Words with which a VHDL file can begin.
const VHDL: &str = "LIBRARY USE ENTITY ARCHITECTURE PACKAGE CONSTANT TYPE SUBTYPE SIGNAL";

/// `CELL row column`, which assembly text and images have in common.
fn is_plain_heading(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(|w| w.eq_ignore_ascii_case("CELL"))
        && words.all(|w| w.bytes().all(|b| b.is_ascii_digit()))
}

/// A heading `row_column`.
fn is_listing_heading(line: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    line.split_once('_').is_some_and(|(row, col)| digits(row) && digits(col))
}

fn is_scheduler_section(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    [".RELATION", ".DEPENDENCY"].iter().any(|s| s.eq_ignore_ascii_case(word))
}

/// The operands of a line `NAME (..)`.
fn operands(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once('(')?;
    let mnemonic = name.trim_end();
    let mnemonic = mnemonic.split_once('.').map_or(mnemonic, |(mnemonic, _)| mnemonic);
    rest.strip_suffix(')').filter(|_| is_identifier(mnemonic))
}

/// True if a line `NAME (..)` has a field that only listings write.
fn writes_padding(line: &str) -> bool {
    let names = operands(line).into_iter().flat_map(|o| o.split(','));
    names.filter_map(|o| o.split_once('=')).any(|(name, _)| is_padding(name.trim()))
}

/// True if a field with this name is padding: in the newest revision or, if that has no such field, in an earlier one.
/// The earlier ones are loaded only if they are needed.
fn is_padding(name: &str) -> bool {
    let of = |revision: Revision| {
        let fields = revision.isa().instructions.iter().flat_map(|i| &i.fields);
        fields.filter(|f| f.name == name).map(Field::is_padding).max()
    };
    Revision::ALL.into_iter().rev().find_map(of).unwrap_or(false)
}

/// The text without the comments of the assembly language; `--` in VHDL is kept.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['#', '/']) {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = match rest.as_bytes() {
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            [b'#', ..] | [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            _ => {
                kept.push('/');
                1
            }
        };
        rest = &rest[skipped..];
    }
    kept + rest
}

/// Mnemonics that exist only in the older instruction set.
const MNEMONICS: [&str; 8] =
    ["REFI_1", "REFI_2", "REFI_3", "DELAY", "LOOP_HEADER", "LOOP_TAIL", "SRAM_READ", "SRAM_WRITE"];

/// Keywords of the older data section that distribute variables.
const DISTRIBUTIONS: [&str; 2] = ["FULL_DISTR", "EVEN_DISTR"];

/// The error at the first line that shows that a text is positional, if there is such a line; it is reported instead of
/// the assembler's error.
pub(super) fn positional(error: AsmError, text: &str) -> AsmError {
    let one_of = |words: &[&str], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    let error_of = |(line, content): (usize, &str)| {
        let mut words = content.split_whitespace();
        let (first, second) = (words.next()?, words.next().unwrap_or_default());
        // A label may precede the mnemonic.
        let named = if first.starts_with('"') { second } else { first };
        let (code, word, what) = if one_of(&MNEMONICS, named) {
            ("A03", named, " instruction set with positional operands")
        } else if first.starts_with('$') && one_of(&DISTRIBUTIONS, second) {
            ("A08", second, ", positional format of data")
        } else {
            return None;
        };
        let message = format!(
            "`{word}` belongs to an older{what}, which is not supported (chapter 1, 7.7, lists the \
             operands); write the program with `name=value` operands, or give its image"
        );
        Some(AsmError::of_line(code, text, line, message))
    };
    (1..).zip(text.lines()).find_map(error_of).unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loading only the newest revision changes nothing: a name is padding in some revision, or a field in all of them.
    #[test]
    fn padding_is_padding_in_every_revision() {
        let fields = || {
            Revision::ALL.into_iter().flat_map(|r| &r.isa().instructions).flat_map(|i| &i.fields)
        };
        for Field { name, .. } in fields() {
            let expected = fields().any(|f| f.name == *name && f.is_padding());
            assert_eq!(is_padding(name), expected, "{name}");
        }
        assert!(is_padding("unused_0") && is_padding("not_used") && !is_padding("mode"));
    }
}
