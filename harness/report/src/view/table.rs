// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures as text for a terminal.

use drra_isa::{Unit, fabric::AguId};
use tabled::{
    builder::Builder,
    settings::{Alignment, Modify, object::Columns},
};

use super::{
    compare::{Comparison, FirstDifference, Stored, Write},
    statistics::{CellStatistics, Statistics},
};
use crate::text::fit;

/// Places that are listed of those that differ at the end.
const LISTED: usize = 8;

impl Statistics {
    /// The figures as lines and tables, at most 80 columns wide.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.program, self.sentence());
        if !self.cells.is_empty() {
            text += &table(&CELL_HEADS, self.cells.iter().map(|c| self.cell_row(c).to_vec()));
        }
        if !self.tiles.is_empty() {
            text += &table(&TILE_HEADS, self.tile_rows());
        }
        if !self.columns.is_empty() {
            text += &table(&COLUMN_HEADS, self.column_rows());
        }
        text
    }

    /// How long the program takes and what it does, in a sentence.
    pub fn sentence(&self) -> String {
        let Some(span) = self.span else {
            return format!("{} cycles, nothing is decoded", self.cycles);
        };
        let totals = &self.totals;
        let mut text = format!(
            "{} cycles from the first decode ({}) to the last activity ({}), {} with loading and idling; \
             {}, {}, {} moved",
            span.cycles,
            span.first_decode,
            span.last_active,
            self.cycles,
            counted(self.instructions, "instruction"),
            counted(totals.operations, "operation"),
            counted(totals.words_moved, "word"),
        );
        if totals.blocks_moved > 0 {
            text += &format!(", {} over the NoC", counted(totals.blocks_moved, "block"));
        }
        if totals.lost > 0 {
            text += &format!("; LOST: {}", counted(totals.lost, "message"));
        }
        if self.unfinished {
            text += "; still running at the end";
        }
        text
    }

    /// A cell as columns of [`CELL_HEADS`].
    pub(crate) fn cell_row(&self, c: &CellStatistics) -> [String; 10] {
        let share = |count: u64| share(count, self.program_cycles());
        [
            c.cell.to_string(),
            share(c.busy),
            share(c.waiting),
            share(c.idle),
            c.all_instructions().to_string(),
            c.all_operations().to_string(),
            c.addresses(&[AguId::R0, AguId::R1]).to_string(),
            c.addresses(&[AguId::W0, AguId::W1]).to_string(),
            c.addresses(&[AguId::Wb, AguId::Rb]).to_string(),
            c.all_messages().to_string(),
        ]
    }

    /// Tiles as rows of [`TILE_HEADS`].
    pub(crate) fn tile_rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.tiles.iter().map(|t| {
            let numbers = [t.rows_read, t.rows_written, t.blocks_moved, t.messages, t.lost];
            let head = [t.tile.to_string(), share(t.busy, self.program_cycles())];
            head.into_iter().chain(numbers.map(|n| n.to_string())).collect()
        })
    }

    /// Columns as rows of [`COLUMN_HEADS`].
    pub(crate) fn column_rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.columns.iter().map(|c| {
            let numbers = [c.blocks_up, c.buffer_reads, c.buffer_writes];
            let head = [format!("col[{}]", c.column), share(c.busy, self.program_cycles())];
            head.into_iter().chain(numbers.map(|n| n.to_string())).collect()
        })
    }
}

/// Heads of the table of cells.
pub(crate) const CELL_HEADS: [&str; 10] =
    ["cell", "busy", "WAIT", "idle", "instr", "ops", "read", "wrote", "blocks", "msgs"];
/// Heads of the table of tiles.
pub(crate) const TILE_HEADS: [&str; 7] =
    ["tile", "busy", "rows read", "rows written", "blocks", "messages", "lost"];
/// Heads of the table of columns.
pub(crate) const COLUMN_HEADS: [&str; 5] =
    ["column", "busy", "blocks up", "buffer reads", "buffer writes"];

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Builder::default();
    table.push_record(heads.iter().copied());
    rows.for_each(|row| table.push_record(row));
    let mut table = fit(table.build());
    table.with(Modify::new(Columns::new(1..)).with(Alignment::right()));
    format!("{table}\n")
}

/// Per cent of the cycles of the program.
pub(crate) fn share(count: u64, of: u64) -> String {
    if of == 0 { "-".to_owned() } else { format!("{:.0} %", 100.0 * count as f64 / of as f64) }
}

/// A number with its noun.
fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

impl Comparison<'_> {
    /// The figures side by side and where the writes part, as text for a terminal.
    pub fn text(&self) -> String {
        let heads = ["", "A", "B", "B - A"];
        let names = self.runs.map(|run| run.name.clone());
        let names = vec!["program".to_owned(), names[0].clone(), names[1].clone(), String::new()];
        let rows = self.figures().into_iter().map(|(name, [a, b])| {
            vec![name.to_owned(), a.to_string(), b.to_string(), change(a, b)]
        });
        let table = table(&heads, std::iter::once(names).chain(rows));
        format!("{table}{}\n{}\n", self.first_sentence(), self.end_sentence())
    }

    /// Figures of both runs.
    pub(crate) fn figures(&self) -> Vec<(&'static str, [u64; 2])> {
        let of = |figure: fn(&Statistics) -> u64| self.runs.map(|run| figure(&run.statistics));
        vec![
            ("cycles of the program", of(Statistics::program_cycles)),
            ("cycles of the run", of(|s| s.cycles)),
            ("instructions", of(|s| s.instructions)),
            ("cycles decoding, all cells", of(|s| s.cells.iter().map(|c| c.busy).sum())),
            ("cycles in WAIT, all cells", of(|s| s.cells.iter().map(|c| c.waiting).sum())),
            ("operations", of(|s| s.totals.operations)),
            ("words read", of(|s| s.totals.words_read)),
            ("words written", of(|s| s.totals.words_written)),
            ("words moved", of(|s| s.totals.words_moved)),
            ("blocks moved", of(|s| s.totals.blocks_moved)),
            ("messages", of(|s| s.totals.messages)),
            ("lost", of(|s| s.totals.lost)),
        ]
    }

    /// Where the writes part, in a sentence.
    pub(crate) fn first_sentence(&self) -> String {
        match self.first_difference() {
            None => "All memory writes are the same, in the same cycles after the first decode."
                .to_owned(),
            Some(first) => first.text(),
        }
    }

    /// What differs at the end, in a sentence.
    pub(crate) fn end_sentence(&self) -> String {
        let different = self.different_at_the_end();
        if different.is_empty() {
            return "At the end the memories hold the same.".to_owned();
        }
        let listed: Vec<String> =
            different.iter().take(LISTED).map(|(unit, address)| place(*unit, *address)).collect();
        let more = if different.len() > LISTED { ", .." } else { "" };
        let count = counted(different.len() as u64, "place");
        format!("At the end {count} of the memories differ: {}{more}.", listed.join(", "))
    }
}

/// B minus A, with its sign.
pub(crate) fn change(a: u64, b: u64) -> String {
    match i128::from(b) - i128::from(a) {
        0 => String::new(),
        change => format!("{change:+}"),
    }
}

impl FirstDifference {
    /// When, and what each run writes there.
    pub fn text(&self) -> String {
        let [a, b] = [&self.only[0], &self.only[1]].map(|writes| list(writes));
        format!(
            "Memory writes differ first {} after the first decode (A: cycle {}, B: cycle {}): A writes {a}; \
             B writes {b}.",
            counted(self.after, "cycle"),
            self.cycles[0],
            self.cycles[1]
        )
    }
}

fn list(writes: &[Write]) -> String {
    let texts: Vec<String> = writes.iter().take(LISTED).map(Write::text).collect();
    match writes.len() {
        0 => "nothing of its own".to_owned(),
        n if n > LISTED => format!("{} and more", texts.join(", ")),
        _ => texts.join(", "),
    }
}

impl Write {
    /// Place and value.
    pub fn text(&self) -> String {
        let value = match self.value {
            Stored::Word(word) => format!("{word:#06x}"),
            Stored::Row([q0, q1, q2, q3]) => format!("0x{q3:016x}{q2:016x}{q1:016x}{q0:016x}"),
        };
        format!("{} = {value}", place(self.unit, self.address))
    }
}

/// Path of a word or row.
fn place(unit: Unit, address: usize) -> String {
    match unit {
        Unit::Tile(_) => format!("{unit}.sram[{address}]"),
        _ => format!("{unit}.rf.mem[{address}]"),
    }
}
