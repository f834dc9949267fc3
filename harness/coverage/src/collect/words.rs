// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records which agents access which words of a register file, and which agents accessed these words before.

use drra_fabric::AguId;
use drra_golden::CellView;

use super::hits::{Hits, SamplingThrottle};
use crate::{
    covergroups::{
        events::Event,
        words::{
            AGENTS, Agent, BLOCK, BlockWord, Distance, Gap, Histories, INIT, PERM, SameWord,
            WRITERS, WordAgain, Writer,
        },
    },
    cross::{Dimension, Pair},
};

/// Indices into [`WRITERS`], highest priority first (chapter 3, 4.2): the initialisation port, wb, w0, w1, a PERM.
const STRONGEST: [usize; WRITERS.len()] = [4, 2, 0, 1, 3];

/// Number of cycles kept to distinguish gaps: a power of two, at least the minimum number of cycles of the longest gap.
const REMEMBERED: usize = 8;

/// The accesses of a cycle with at least one access.
#[derive(Clone, Debug, Default)]
struct CycleAccesses {
    cycle: u64,
    /// Bit k: agent k accesses words.
    agents: u64,
    /// Words that at least one agent accesses, and words that several agents access.
    all: u64,
    shared: u64,
    /// Words that each agent accesses; for agents without a bit in `agents`, the words of some earlier cycle.
    words: [u64; AGENTS],
    /// Words of the block at `wb` that are masked.
    masked: u64,
}

/// The accesses to a register file so far.
#[derive(Clone, Debug, Default)]
pub(super) struct WordMonitor {
    interest: SamplingThrottle,
    /// Words that each of [`WRITERS`] was the last to write; a word is in at most one of these sets.
    last: [u64; WRITERS.len()],
    /// The last cycles that had any accesses, indexed by the cycle modulo the length of the array.
    recent: [CycleAccesses; (WordAgain::MAX_DISTANCE + 1).next_power_of_two()],
    /// Words written in the last cycles, with the cycle, indexed in the same way.
    writes: [(u64, u64); REMEMBERED],
}

impl WordMonitor {
    /// Records what happened in the cycle that just ended. Not inlined, as few cells have accesses.
    #[inline(never)]
    pub(super) fn after(&mut self, cell: CellView<'_>, cycle: u64, hits: &mut Hits) {
        let blocks = cell.block_writes();
        let emits = |agu: &AguId| cell.emitted(*agu).is_some();
        if blocks == [None; 2] && !AguId::ALL.iter().any(emits) {
            return;
        }
        let slot = cycle as usize % self.recent.len();
        self.recent[slot].look(cell, blocks, cycle);
        let now = &self.recent[slot];
        if now.agents == 0 {
            return;
        }
        if now.shared != 0 {
            now.meetings(hits);
        }
        if self.interest.looks() {
            let mut new = self.again(now, hits);
            new |= self.histories(now, hits);
            self.interest.saw(new);
        }
        let written = now.written();
        if written != 0 {
            self.writes[cycle as usize % REMEMBERED] = (cycle, written);
            let mut open = written;
            for writer in STRONGEST {
                let own = now.of(WRITERS[writer]) & open;
                self.last[writer] = self.last[writer] & !written | own;
                open &= !own;
            }
        }
    }

    /// Records accesses to words that were also accessed in the previous cycles; returns true if a bin had not been hit
    /// before.
    fn again(&self, now: &CycleAccesses, hits: &mut Hits) -> bool {
        let mut new = false;
        for distance in 1..=WordAgain::MAX_DISTANCE {
            let Some(then) = now.cycle.checked_sub(distance as u64) else { break };
            let before = &self.recent[then as usize % self.recent.len()];
            if before.cycle != then || before.all & now.all == 0 {
                continue;
            }
            for first in Agent::members(before.agents) {
                let words = before.words[first.0] & now.all;
                if words == 0 {
                    continue;
                }
                let seconds = Agent::members(now.agents).filter(|a| now.words[a.0] & words != 0);
                let distance = Distance(distance - 1);
                new |= hits.note_all(seconds.map(|second| WordAgain { first, second, distance }));
            }
        }
        new
    }

    /// Records accesses to words that were written before; returns true if a bin had not been hit before.
    fn histories(&self, now: &CycleAccesses, hits: &mut Hits) -> bool {
        let mut new = false;
        if self.last.iter().all(|words| words & now.all == 0) {
            return new;
        }
        let gaps = self.gaps(now.cycle);
        for next in Agent::members(now.agents) {
            for (writer, last) in Writer::all().zip(&self.last) {
                let words = now.words[next.0] & last;
                if words == 0 {
                    continue;
                }
                for (gap, of_gap) in Gap::all().zip(&gaps) {
                    let words = BlockWord::members(places(words & of_gap));
                    new |= hits.note_all(words.map(|word| Histories { writer, word, next, gap }));
                }
            }
        }
        new
    }

    /// Words by the number of cycles since they were written, in the order of [`Gap::LEAST`]; words that were never
    /// written are in the last set.
    fn gaps(&self, cycle: u64) -> [u64; Gap::LEAST.len()] {
        let written = |cycles: u64| match cycle.checked_sub(cycles) {
            Some(then) => {
                let (noted, words) = self.writes[then as usize % REMEMBERED];
                if noted == then { words } else { 0 }
            }
            None => 0,
        };
        let [first, second, third] = Gap::LEAST;
        let soon = (first..second).fold(0, |set, cycles| set | written(cycles));
        let later = (second..third).fold(0, |set, cycles| set | written(cycles)) & !soon;
        [soon, later, !(soon | later)]
    }
}

impl CycleAccesses {
    /// Records what the agents access in a cycle.
    fn look(&mut self, cell: CellView<'_>, blocks: [Option<u8>; 2], cycle: u64) {
        (self.cycle, self.agents, self.all, self.shared) = (cycle, 0, 0, 0);
        let block = |number: u8| ((1 << BLOCK) - 1) << (BLOCK * usize::from(number));
        for (agent, &agu) in AguId::ALL.iter().enumerate() {
            if let Some(address) = cell.emitted(agu) {
                self.add(agent, if agu.is_block() { block(address) } else { 1 << address });
            }
        }
        let written = cell.emitted(AguId::Wb);
        self.masked = written.map_or(0, |b| u64::from(cell.masked()) << (BLOCK * usize::from(b)));
        for (agent, number) in [PERM, INIT].into_iter().zip(blocks) {
            if let Some(number) = number {
                self.add(agent, block(number));
            }
        }
    }

    fn add(&mut self, agent: usize, words: u64) {
        self.words[agent] = words;
        self.agents |= 1 << agent;
        self.shared |= self.all & words;
        self.all |= words;
    }

    /// Words that an agent accesses.
    fn of(&self, agent: usize) -> u64 {
        if self.agents >> agent & 1 == 1 { self.words[agent] } else { 0 }
    }

    /// Words that are written.
    fn written(&self) -> u64 {
        WRITERS.iter().fold(0, |words, agent| words | self.of(*agent))
    }

    /// Records pairs of agents at the same word.
    fn meetings(&self, hits: &mut Hits) {
        for first in Agent::members(self.agents) {
            let others = Agent::members(self.agents >> (first.0 + 1) << (first.0 + 1));
            let meet = others.filter(|second| self.words[first.0] & self.words[second.0] != 0);
            hits.note_all(meet.map(|second| SameWord { agents: Pair(first, second) }));
        }
        let at = |agu: AguId| self.of(agu.index());
        let written = at(AguId::W0) | at(AguId::W1);
        if at(AguId::W0) & at(AguId::W1) != 0 {
            hits.event(Event::SameWord);
        }
        if at(AguId::Wb) & written != 0 {
            hits.event(Event::BlockOverWord);
        }
        if self.masked & (written | self.of(PERM)) != 0 {
            hits.event(Event::MaskedOverWord);
        }
        if (at(AguId::R0) | at(AguId::R1)) & written != 0 {
            hits.event(Event::ReadOfWritten);
        }
    }
}

/// Positions of words in their blocks, as bits.
fn places(words: u64) -> u64 {
    let pairs = words | words >> (2 * BLOCK);
    (pairs | pairs >> BLOCK) & ((1 << BLOCK) - 1)
}
