// SPDX-License-Identifier: MIT OR Apache-2.0
//! Statistics as tables, and as text for a terminal.

use drra_fabric::AguId;
use drra_isa::{ColumnId, Unit};
use drra_report::{
    table,
    text::{counted, percent},
};

use crate::statistics::Statistics;

/// Maximum number of units listed with their losses.
const MAX_UNITS: usize = 4;

impl Statistics {
    /// The statistics as a sentence, and as tables that are at most 80 columns wide.
    pub fn text(&self) -> String {
        let tables = self.tables().into_iter();
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
        let cells = self.cells.iter().map(|c| (c.cell.into(), c.lost));
        let columns = self.columns.iter();
        let columns = columns.filter_map(|c| Some((ColumnId::new(c.column)?.into(), c.lost)));
        let tiles = self.tiles.iter().map(|t| (t.tile.into(), t.lost));
        if let Some(lost) = lost(cells.chain(columns).chain(tiles)) {
            text += &format!("; {lost}");
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

/// The losses of some units as text, if there are any: `LOST: 2 REFI at cell[0][0], 1 message at tile[1][0]`.
pub fn lost(units: impl Iterator<Item = (Unit, u64)>) -> Option<String> {
    let units: Vec<(Unit, u64)> = units.filter(|(_, count)| *count > 0).collect();
    let mut texts: Vec<String> = units
        .iter()
        .take(MAX_UNITS)
        .map(|(unit, count)| match unit {
            Unit::Cell(_) => format!("{count} REFI at {unit}"),
            _ => format!("{} at {unit}", counted(*count, "message")),
        })
        .collect();
    if units.len() > MAX_UNITS {
        texts.push(format!("more at {}", counted((units.len() - MAX_UNITS) as u64, "other unit")));
    }
    (!texts.is_empty()).then(|| format!("LOST: {}", texts.join(", ")))
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
