// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of a DPU in the provenance of an end state: whether they were due, and what was accumulated (chapter 4,
//! 5.5 and section 7).

use drra_diagnose::{GoldenHistory, attribution::Cause};
use drra_fabric::{CellInput, Lane};
use drra_isa::{CellId, Operand, Unit};

use super::Tracer;
use crate::data::ProvenanceEvent;

impl Tracer<'_> {
    /// Traces the value that an output of a DPU shows in a cycle.
    pub(super) fn result(
        &mut self,
        depth: usize,
        cell: CellId,
        (lane, channel): (Lane, usize),
        cycle: u64,
        end: &GoldenHistory,
    ) {
        let mode = self.r.mode(cell, cycle);
        let operands = mode.map(|mode| mode.info().operands_of_output(channel));
        if operands.is_some_and(|all| all.contains(Operand::Acc)) {
            return self.accumulated(depth, cell, channel, cycle, end);
        }
        let due = |at| end.carries(cell, lane, at);
        if !due(cycle) {
            self.nearest((depth, cycle), cell, "no result is due, nearest results", due);
        }
        self.shown(depth, cell, channel, cycle);
    }

    /// Traces what an accumulator holds in a cycle: at each input, the first operand and the first one without a word;
    /// the clear before them.
    fn accumulated(
        &mut self,
        depth: usize,
        cell: CellId,
        channel: usize,
        cycle: u64,
        end: &GoldenHistory,
    ) {
        let (r, recorded, mode) = (self.r, self.r.cycles(), self.r.mode(cell, cycle));
        let Some(operands) = mode.map(|mode| mode.info().operands_of_output(channel)) else {
            return;
        };
        let inputs = || operands.inputs().map(|n| CellInput::ALL[CellInput::Dpu0.index() + n]);
        let arrives = |input, at: &u64| {
            let source = r.signals(*at).and_then(|signals| signals.cell(cell).source(input));
            source.is_some_and(|(from, lane)| end.carries(from, lane, *at))
        };
        let operates = |at: &u64| inputs().any(|input| arrives(input, at));
        // A launch after ld_acc begins, but does not clear.
        let begins = |at: &u64| r.clears(cell, *at).is_some() || r.mode(cell, *at) != mode;
        let begin = |before: u64| (recorded.start..before).rev().find(begins);
        let first = |begin: Option<u64>| begin.map_or(recorded.start, |begin| begin + 1);
        let clear = begin(cycle);
        let held: Vec<u64> = (first(clear)..cycle).filter(operates).collect();
        self.cycles((depth, cycle), cell, "operands accumulated", held.clone());
        let next = (cycle..recorded.end).find(|at| r.clears(cell, *at).is_some());
        let later: Vec<u64> = (cycle..next.unwrap_or(recorded.end)).filter(operates).collect();
        if !later.is_empty() {
            self.cycles((depth, cycle), cell, "operands that come later", later);
        }
        let before = cycle.saturating_sub(1);
        for input in inputs() {
            let (with, without): (Vec<u64>, Vec<u64>) =
                held.iter().partition(|at| arrives(input, at));
            for at in [with.first(), without.first()].into_iter().flatten() {
                self.input(depth, cell, input, *at);
            }
            if let Some(first) = without.first() {
                let at = (depth + 1, *first);
                self.cycles(at, cell, "operands without a word", without);
            } else if held.is_empty() {
                self.input(depth, cell, input, before);
            }
        }
        let is_constant = |operand: &Operand| operand.input().is_none() && *operand != Operand::Acc;
        let constants = operands.iter().filter(is_constant).collect();
        self.operands(depth, cell, channel, constants, held.first().copied().unwrap_or(before));

        let Some(at) = clear else { return };
        self.accumulator(depth, cell, channel, at);
        let cleared: Vec<u64> = (first(begin(at))..=at).filter(operates).collect();
        if r.clears(cell, at).is_some() && !cleared.is_empty() {
            self.cycles((depth + 1, at), cell, "operands that it removes", cleared);
        }
    }

    /// Adds the nearest cycles before and after a cycle in which something happens.
    pub(super) fn nearest(
        &mut self,
        (depth, cycle): (usize, u64),
        unit: impl Into<Unit>,
        what: &str,
        happens: impl Fn(u64) -> bool,
    ) {
        let recorded = self.r.cycles();
        let before = (recorded.start..cycle).rev().find(|at| happens(*at));
        let after = (cycle + 1..recorded.end).find(|at| happens(*at));
        self.cycles((depth, cycle), unit, what, before.into_iter().chain(after).collect());
    }

    fn cycles(&mut self, at: (usize, u64), unit: impl Into<Unit>, what: &str, cycles: Vec<u64>) {
        let what = what.to_owned();
        self.note(at, unit, ProvenanceEvent::Cycles { what, cycles }, &None);
    }

    /// Adds a step that only the provenance of an end state has.
    pub(super) fn note(
        &mut self,
        at: (usize, u64),
        unit: impl Into<Unit>,
        step: ProvenanceEvent,
        by: &Cause,
    ) {
        if self.end.is_some() {
            self.add(at, unit, step, None, by);
        }
    }
}
