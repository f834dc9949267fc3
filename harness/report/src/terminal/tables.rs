// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables in the text report, fitted to its width.

use anstyle::{AnsiColor, Style as Ansi};
use tabled::{
    Table,
    builder::Builder,
    settings::{
        Alignment, Color, Modify, Style, Width,
        object::{Columns, Rows},
        peaker::Priority,
    },
};

use crate::data::{Reading, RegisterReading, ReportedDifference, UnitChanges};

/// Maximum width of the text: the usual width of a terminal or log.
pub(crate) const COLUMNS: usize = 80;
/// Width of a value in the table of other differences.
const VALUE: usize = 22;
/// Width of a change in the table of changes.
const CHANGE: usize = 31;
/// Widest value whose bits are shown.
const BITS: u32 = 32;
/// Widest text next to which the bits are shown: a state name, or a value of 32 bits with its decimal value.
const TEXT: usize = 24;

/// The colouring of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colouring {
    /// Without colours: for files and pipes.
    Plain,
    /// With ANSI colours: for a terminal.
    Ansi,
}

impl Colouring {
    fn styled(self, style: Ansi, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("{style}{text}{style:#}"),
        }
    }

    pub(super) fn heading(self, text: &str) -> String {
        self.styled(Ansi::new().bold(), text)
    }

    pub(super) fn failure(self, text: &str) -> String {
        self.styled(AnsiColor::Red.on_default().bold(), text)
    }
}

/// The text of a value with its bits in groups of four; for a value wider than [`BITS`], the text alone.
pub(super) fn with_bits(reading: &Reading) -> String {
    let (text, width) = (reading.text(), reading.value.width());
    let bit = |bit| reading.digit(bit);
    if width > BITS { text } else { beside(&text, width, bit) }
}

/// The bits that differ: a mark for each, or, for a value wider than [`BITS`], their numbers or their range.
pub(super) fn with_marks(width: u32, bits: &[u32]) -> String {
    if width <= BITS {
        return beside("", width, |bit| if bits.contains(&bit) { '^' } else { '.' });
    }
    match bits {
        [highest, .., lowest] if bits.len() > 8 => {
            format!("{} bits, from {highest} down to {lowest}", bits.len())
        }
        [bit] => format!("bit {bit}"),
        bits => {
            let bits: Vec<String> = bits.iter().map(u32::to_string).collect();
            format!("bits {}", bits.join(" "))
        }
    }
}

fn beside(text: &str, width: u32, digit: impl Fn(u32) -> char) -> String {
    let mut bits = String::new();
    for bit in (0..width).rev() {
        bits.push(digit(bit));
        if bit > 0 && bit.is_multiple_of(4) {
            bits.push(' ');
        }
    }
    if text.chars().count() > TEXT {
        return format!("{text}\n{:TEXT$} {bits}", "");
    }
    format!("{text:<TEXT$} {bits}")
}

/// A table of names and values.
pub(super) fn pairs(
    rows: Vec<[String; 2]>,
    paint: Colouring,
    painted: &[(usize, Color)],
) -> String {
    let widest = rows.iter().map(|r| r[0].chars().count()).max().unwrap_or(0);
    let mut table = Builder::default();
    let room = COLUMNS.saturating_sub(widest + 7);
    for [name, value] in rows {
        table.push_record([name, wrapped(&value, room)]);
    }
    let mut table = table.build();
    table.with(Style::sharp().remove_horizontals());
    if paint == Colouring::Ansi {
        for (row, color) in painted {
            table.with(Modify::new(Rows::one(*row)).with(color.clone()));
        }
    }
    table.to_string()
}

/// The other differences of the cycle.
pub(super) fn other_differences(others: &[ReportedDifference]) -> String {
    let mut table = Builder::default();
    table.push_record(["register", "golden", "rtl"]);
    for d in others {
        let [golden, rtl] = [&d.golden, &d.rtl].map(|r| wrapped(&r.text(), VALUE));
        table.push_record([d.location.to_string(), golden, rtl]);
    }
    fit(table.build()).to_string()
}

/// Changes on both sides, cycle by cycle.
pub(super) fn change_table(changes: &[UnitChanges], paint: Colouring) -> String {
    let mut table = Builder::default();
    table.push_record(["cycle", "golden", "rtl"]);
    let mut differing = Vec::new();
    let list = |side: &[RegisterReading]| {
        let lines = side.iter().map(|change| wrapped(&change.text(), CHANGE));
        lines.collect::<Vec<_>>().join("\n")
    };
    for (i, c) in changes.iter().enumerate() {
        let rtl = if c.golden == c.rtl {
            "the same".to_owned()
        } else {
            differing.push(i + 1);
            list(&c.rtl)
        };
        table.push_record([c.cycle.to_string(), list(&c.golden), rtl]);
    }
    let mut table = table.build();
    table.with(Style::sharp());
    if paint == Colouring::Ansi {
        for row in differing {
            table.with(Modify::new(Rows::one(row)).with(Color::FG_YELLOW));
        }
    }
    table.to_string()
}

/// A table with column names and rows, in which the columns in `right` are right-aligned. Empty without rows.
pub fn table(
    names: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    right: impl IntoIterator<Item = usize>,
) -> String {
    let mut table = Builder::default();
    table.push_record(names.iter().copied());
    rows.into_iter().for_each(|row| table.push_record(row));
    if table.count_records() == 1 {
        return String::new();
    }
    let mut table = fit(table.build());
    // Any setting after the wrapping makes the table measure its columns anew, so settings are added only for columns
    // that are aligned.
    for column in right {
        table.with(Modify::new(Columns::one(column)).with(Alignment::right()));
    }
    format!("{table}\n")
}

/// A table in the usual style that fits into a terminal; the widest columns are wrapped.
pub(super) fn fit(mut table: Table) -> Table {
    table.with(Style::sharp());
    table.with(Width::wrap(COLUMNS).keep_words(true).priority(Priority::max(true)));
    table
}

/// The words of a text as they were before its tables were fitted: without vertical lines, on one line.
pub fn unfitted(text: &str) -> String {
    text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines of at most this many characters, broken at spaces where possible.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    hanging(text, width, "")
}

/// Like [`wrapped`], but with the lines after the first indented.
pub(super) fn hanging(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width)
        .subsequent_indent(indent)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}
