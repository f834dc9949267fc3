// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics as tables, and as text for a terminal.

use drra_fabric::AguId;
use drra_report::{
    table,
    text::{counted, percent},
};

use crate::statistics::Statistics;

impl Statistics {
    /// The statistics as a sentence, and as tables that are at most 80 columns wide.
    pub fn text(&self) -> String {
        let tables = self.tables().into_iter().chain(self.cost_tables());
        let tables = tables.map(|of| table(of.names, of.rows, 1..of.names.len()));
        format!("{}: {}\n", self.program, self.sentence()) + &tables.collect::<String>()
    }

    /// The duration and activity of the program, as a sentence.
    pub fn sentence(&self) -> String {
        let Some(span) = self.span else {
            return format!("{} cycles, nothing was decoded", self.cycles);
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
        let unheard: u64 = self.cells.iter().map(|c| c.words_unheard).sum();
        if unheard > 0 {
            text += &format!("; {} read that nothing takes", counted(unheard, "word"));
        }
        if self.totals.lost > 0 {
            text += &format!("; lost: {}", self.totals.lost);
        }
        if self.unfinished {
            text += "; still running at the end";
        }
        text
    }

    /// Cells, tiles and columns as tables.
    pub(crate) fn tables(&self) -> [UnitTable; 3] {
        let share = |count: u64| percent(count, self.program_cycles());
        let cells = self.cells.iter().map(|c| {
            let numbers = [
                c.all_instructions(),
                c.all_operations(),
                c.addresses(&[AguId::R0, AguId::R1]),
                c.addresses(&[AguId::W0, AguId::W1]),
                c.addresses(&[AguId::Wb, AguId::Rb]),
                c.all_messages(),
            ];
            row([c.cell.to_string(), share(c.busy), share(c.waiting), share(c.idle)], numbers)
        });
        let tiles = self.tiles.iter().map(|t| {
            let numbers = [t.rows_read, t.rows_written, t.blocks_moved, t.messages, t.lost];
            row([t.tile.to_string(), share(t.busy)], numbers)
        });
        let columns = self.columns.iter().map(|c| {
            let numbers = [c.blocks_up, c.buffer_reads, c.buffer_writes];
            row([format!("col[{}]", c.column), share(c.busy)], numbers)
        });
        [
            UnitTable {
                title: "Cells",
                names: &[
                    "cell", "busy", "WAIT", "idle", "instr", "ops", "read", "wrote", "blocks",
                    "msgs",
                ],
                rows: cells.collect(),
            },
            UnitTable {
                title: "Tiles",
                names: &["tile", "busy", "rows read", "rows written", "blocks", "messages", "lost"],
                rows: tiles.collect(),
            },
            UnitTable {
                title: "Columns",
                names: &["column", "busy", "blocks up", "buffer reads", "buffer writes"],
                rows: columns.collect(),
            },
        ]
    }
}

/// A table of units, with the names of its columns and a row for each unit.
pub(crate) struct UnitTable {
    pub(crate) title: &'static str,
    pub(crate) names: &'static [&'static str],
    pub(crate) rows: Vec<Vec<String>>,
}

fn row<const N: usize, const M: usize>(texts: [String; N], numbers: [u64; M]) -> Vec<String> {
    texts.into_iter().chain(numbers.map(|n| n.to_string())).collect()
}
