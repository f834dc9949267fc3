// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of a run: the instructions that are decoded, and the words and blocks that are read, computed and written;
//! and a table of them for people.

use std::collections::{BTreeMap, BTreeSet};

use drra_fabric::AguId;
use drra_isa::{ColumnId, Unit};
use drra_report::data::ProgramLine;

use crate::{cost::UNITS, html::tables::mode, recording::RecordedRun, track::Track};

/// An event: its cycle and unit, its column in the table, the part of the unit (`r0`, `DPU`, `out0` and so on), and the
/// complete text.
pub(crate) type UnitEvent = (u64, Unit, usize, &'static str, String);

impl RecordedRun {
    /// The instructions that are decoded in the cycles shown, ordered by cycle.
    pub(crate) fn decodes(&self) -> Vec<(u64, Unit, &ProgramLine)> {
        let mut all = Vec::new();
        for program in &self.programs {
            for line in &program.lines {
                all.extend(line.decoded.iter().map(|cycle| (*cycle, program.cell.into(), line)));
            }
        }
        all.sort_by_key(|(cycle, unit, _)| (*cycle, *unit));
        all
    }

    /// All other events in these cycles, ordered by cycle.
    pub(crate) fn events(&self) -> Vec<UnitEvent> {
        let mut all = Vec::new();
        // The state after the last edge belongs to no cycle.
        let last = self.to.min(self.statistics.cycles.saturating_sub(1));
        let mut add = |unit, column, part, track: &Track, text: &dyn Fn(u64, i64) -> String| {
            for run in track.runs(last) {
                let text = |cycle| (cycle, unit, column, part, text(cycle, run.value));
                all.extend((run.from..run.from + run.cycles).map(text));
            }
        };
        let word = |word: i64| (word as i16).to_string();
        let block = |number: i64| {
            let words = drra_case::stimulus::words(&self.tracks.blocks.all[number as usize]);
            words.map(|word| (word as i16).to_string()).join(" ")
        };
        for (cell, t) in self.cells() {
            let mut port = |agu: AguId, column, value: &dyn Fn(u64, i64) -> Option<String>| {
                let (k, nothing) = (agu.index(), || "nothing".to_owned());
                add(cell.into(), column, UNITS[k], &t.addresses[k], &|cycle, at| {
                    format!("{agu}[{at}]={}", value(cycle, at).unwrap_or_else(nothing))
                });
            };
            for agu in [AguId::R0, AguId::R1] {
                port(agu, 2, &|cycle, at| Some(word(self.word(cell, at as usize, cycle).into())));
            }
            for agu in [AguId::W0, AguId::W1] {
                port(agu, 4, &|cycle, _| t.taken[agu.index()].at(cycle).map(word));
            }
            port(AguId::Rb, 2, &|cycle, _| t.block_read.at(cycle).map(block));
            port(AguId::Wb, 4, &|cycle, _| t.block_taken.at(cycle).map(block));
            add(cell.into(), 3, "DPU", &t.operates, &|cycle, _| {
                let operands = t.taken[2..].iter().filter_map(|track| track.at(cycle));
                let operands = operands.map(|operand| format!(" {}", word(operand)));
                mode(t.mode.at(cycle).unwrap_or_default()) + &operands.collect::<String>()
            });
            for (track, part) in t.results.iter().zip(["out0", "out1"]) {
                add(cell.into(), 3, part, track, &|_, result| format!("{part}={}", word(result)));
            }
        }
        for (column, t) in ColumnId::all(&self.geometry).zip(&self.tracks.columns) {
            add(column.into(), 2, "reads", &t.buffer_reads, &|_, row| format!("buffer[{row}]"));
            add(column.into(), 4, "writes", &t.buffer_writes, &|_, row| format!("buffer[{row}]"));
        }
        for (tile, t) in self.tiles() {
            add(tile.into(), 2, "reads", &t.row_reads, &|_, row| format!("row[{row}]"));
            for (track, part) in t.entering.iter().zip(["to N", "to S", "to E", "to W"]) {
                add(tile.into(), 3, part, track, &|_, number| format!("{part}={}", block(number)));
            }
            add(tile.into(), 4, "writes", &t.row_writes, &|_, row| format!("row[{row}]"));
        }
        all.sort();
        all
    }

    /// A line for each unit and cycle in which it decodes an instruction or moves data, of these units.
    pub fn trace_table(&self, units: &BTreeSet<Unit>) -> String {
        let mut rows = BTreeMap::<(u64, Unit), [String; 6]>::new();
        let mut add = |cycle: u64, unit: Unit, column: usize, text: &str| {
            let row = rows.entry((cycle, unit)).or_default();
            (row[0], row[1]) = (cycle.to_string(), unit.to_string());
            row[column] += if row[column].is_empty() { "" } else { " " };
            row[column] += text;
        };
        for (cycle, unit, column, _, text) in self.events() {
            // The text of a block is longer.
            let text = if text.len() > 28 { format!("{text:.28}...") } else { text };
            add(cycle, unit, column, &text);
        }
        for (cycle, unit, line) in self.decodes() {
            add(cycle, unit, 5, &format!("{} {}", line.address, line.text()));
        }
        rows.retain(|(_, unit), _| units.contains(unit));
        let head = ["cycle", "unit", "reads", "DPU", "writes", "decodes"].map(str::to_owned);
        let all = || [&head].into_iter().chain(rows.values());
        let width = |column: usize| all().map(|row| row[column].len()).max().unwrap_or_default();
        let widths = [0, 1, 2, 3, 4].map(width);
        let line = |row: &[String; 6]| {
            let cells = row.iter().zip(widths).map(|(text, width)| format!("{text:width$}  "));
            (cells.collect::<String>() + &row[5]).trim_end().to_owned()
        };
        all().map(line).collect::<Vec<_>>().join("\n")
    }
}
