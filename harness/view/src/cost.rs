// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cost of loops and WAITs: how long an iteration takes, which unit of the cell is in use most of that time, and how
//! many cycles each WAIT holds its program.

use std::collections::BTreeMap;

use drra_fabric::AguId;
use drra_isa::SourceLine;
use drra_report::text::percent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CellStatistics, Statistics, recording::sequencing, table::UnitTable, track::NONE};

/// The units of a cell whose use is counted. If two are in use equally long, the first of them limits the loop: a WAIT
/// that is as long as a pattern waits for it.
pub(crate) const UNITS: [&str; 9] = ["w0", "w1", "wb", "r0", "r1", "rb", "DPU", "decode", "WAIT"];

/// The numbers of cycles in which each of the [`UNITS`] is in use, and of patterns that each AGU has started.
type UseCounts = ([u64; UNITS.len()], [u64; 6]);

/// A cycle, and the counts until then.
type Snapshot = (u64, UseCounts);

/// A loop: the instructions that a LOOP, or a jump backward, repeats at least once. An iteration lasts from the decode of
/// the first instruction of the body to the next decode after its last instruction; others are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopStatistics {
    /// Addresses of the first and the last instruction of the body.
    pub addresses: [usize; 2],
    /// Number of iterations in the run, by their cycles.
    pub iterations: BTreeMap<u64, u64>,
    /// Cycles of use, by unit: an AGU (`r0`) that emits addresses or counts delays, in iterations in which it starts a
    /// pattern; `DPU` while data arrive at its
    /// operands; `decode` while the sequencer decodes an instruction other than WAIT; `WAIT` while one holds it.
    pub busy: BTreeMap<String, u64>,
    /// The unit that is in use in most cycles of the iterations.
    pub limit: String,
}

/// Counts the cost of the loops of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopAccumulator {
    /// The loops, by their addresses, each with the beginning of its current iteration.
    loops: BTreeMap<[usize; 2], (LoopStatistics, Option<Snapshot>)>,
    /// The last decode of each address.
    decodes: BTreeMap<usize, Snapshot>,
    /// Address of the instruction that was decoded last; `None` if the cell does not execute a program.
    last: Option<usize>,
    counts: UseCounts,
}

impl LoopAccumulator {
    /// Adds a cycle: what the sequencer does, as in its track, if a WAIT holds it, and which AGUs and DPU are in use.
    pub(super) fn add(&mut self, cycle: u64, sequencer: i64, waits: bool, in_use: [bool; 7]) {
        match sequencer {
            NONE | sequencing::LOAD => self.goes_to(cycle, None),
            sequencing::HOLD.. => {}
            address => self.goes_to(cycle, Some(address as usize)),
        }
        let used = in_use.into_iter().chain([self.last.is_some() && !waits, waits]);
        self.counts.0.iter_mut().zip(used).for_each(|(count, used)| *count += u64::from(used));
    }

    /// An AGU starts a pattern.
    pub(super) fn launch(&mut self, agu: AguId) {
        self.counts.1[agu.index()] += 1;
    }

    /// The next instruction is decoded, or the program has ended.
    fn goes_to(&mut self, cycle: u64, next: Option<usize>) {
        if let (Some(start), Some(end)) = (next, self.last)
            && start <= end
            && !self.loops.contains_key(&[start, end])
        {
            // If loops begin together, the last decode of their first instruction may belong to another one.
            let alone = self.loops.keys().all(|addresses| addresses[0] != start);
            let begin = self.decodes.get(&start).copied().filter(|_| alone);
            let of = LoopStatistics { addresses: [start, end], ..LoopStatistics::default() };
            self.loops.insert([start, end], (of, begin));
        }
        for (&[start, end], (of, iteration)) in &mut self.loops {
            let leaves = next.is_none_or(|next| !(start..=end).contains(&next));
            let complete = self.last == Some(end) && (leaves || next == Some(start));
            let ended = iteration.take_if(|_| complete || leaves);
            if let Some((begin, before)) = ended.filter(|_| complete) {
                *of.iterations.entry(cycle - begin).or_default() += 1;
                let (now, starts) = self.counts;
                for (k, unit) in UNITS.iter().enumerate() {
                    // A pattern that goes on through the loop does not keep the loop waiting.
                    let goes_on = starts.get(k).is_some_and(|starts| *starts == before.1[k]);
                    let used = if goes_on { 0 } else { now[k] - before.0[k] };
                    *of.busy.entry((*unit).to_owned()).or_default() += used;
                }
                let most = UNITS.iter().rev().max_by_key(|unit| of.busy[**unit]);
                of.limit = most.map_or(String::new(), ToString::to_string);
            }
            if next == Some(start) {
                iteration.get_or_insert((cycle, self.counts));
            }
        }
        self.decodes.extend(next.map(|address| (address, (cycle, self.counts))));
        self.last = next;
    }

    /// The loops, ordered by address.
    pub(super) fn finish(self) -> Vec<LoopStatistics> {
        let loops = self.loops.into_values().map(|(of, _)| of);
        loops.filter(|of| !of.iterations.is_empty()).collect()
    }
}

impl Statistics {
    /// Adds the lines of the source.
    pub fn locate(mut self, lines: &[SourceLine]) -> Self {
        for cell in &mut self.cells {
            let lines = lines.iter().filter(|line| line.cell == cell.cell);
            cell.lines = lines.map(|line| (line.address, line.line)).collect();
        }
        self
    }

    /// The loops, and the WAITs that hold their program during at least a twentieth of its cycles.
    pub(crate) fn cost_tables(&self) -> [UnitTable; 2] {
        let line = |of: &CellStatistics, at| of.lines.get(at).map_or("-".into(), usize::to_string);
        let loops = self.cells.iter().flat_map(|cell| cell.loops.iter().map(move |of| (cell, of)));
        let loops = loops.map(|(cell, l)| {
            let total: u64 = l.iterations.iter().map(|(cycles, n)| cycles * n).sum();
            let share = |unit: &str| percent(l.busy.get(unit).copied().unwrap_or(0), total);
            let [start, end] = &l.addresses;
            // The smallest of the most frequent ones.
            let typical = l.iterations.iter().rev().max_by_key(|(_, n)| **n).map(|(n, _)| n);
            let cycles = [l.iterations.keys().next(), typical, l.iterations.keys().last()];
            vec![
                cell.cell.to_string(),
                format!("{start}-{end}"),
                format!("{}-{}", line(cell, start), line(cell, end)),
                l.iterations.values().sum::<u64>().to_string(),
                cycles.map(|n| n.map_or(String::new(), u64::to_string)).join("/"),
                format!("{} {}", l.limit, share(&l.limit)),
                share("WAIT"),
            ]
        });
        let all = self.program_cycles();
        let waits = self.cells.iter().flat_map(|of| of.waits.iter().map(move |wait| (of, wait)));
        let waits = waits.filter(|(_, (_, cycles))| 20 * **cycles >= all).map(|(of, (at, n))| {
            vec![of.cell.to_string(), at.to_string(), line(of, at), n.to_string(), percent(*n, all)]
        });
        let names = &["cell", "loop", "lines", "times", "cycles", "limit", "WAIT"];
        let columns = &["cell", "WAIT", "line", "cycles", "of the program"];
        [
            UnitTable { title: "Loops", names, rows: loops.collect() },
            UnitTable { title: "WAITs", names: columns, rows: waits.collect() },
        ]
    }
}
