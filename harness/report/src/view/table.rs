// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures as text for a terminal.

use std::iter;

use drra_isa::fabric::AguId;

use super::statistics::{CellStatistics, Statistics};
use crate::text::table;

impl Statistics {
    /// The figures as lines and tables, at most 80 columns wide.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.program, self.sentence());
        if !self.cells.is_empty() {
            text += &figures(&CELL_HEADS, self.cells.iter().map(|c| self.cell_row(c).to_vec()));
        }
        if !self.tiles.is_empty() {
            text += &figures(&TILE_HEADS, self.tile_rows());
        }
        if !self.columns.is_empty() {
            text += &figures(&COLUMN_HEADS, self.column_rows());
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

fn figures(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let names = heads.iter().map(|head| (*head).to_owned()).collect();
    table(iter::once(names).chain(rows), 1..heads.len())
}

/// Per cent of the cycles of the program.
fn share(count: u64, of: u64) -> String {
    if of == 0 { "-".to_owned() } else { format!("{:.0} %", 100.0 * count as f64 / of as f64) }
}

/// A number with its noun.
fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
