// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who accesses which words of a register file, and who did so before.

use drra_golden::units::RegisterFile;
use drra_isa::fabric::AguId;

use super::Hits;
use super::hits::Interest;
use crate::groups::Table;
use crate::groups::words::AGENTS;
use crate::groups::words::Histories;
use crate::groups::words::INIT;
use crate::groups::words::PERM;
use crate::groups::words::SameWord;
use crate::groups::words::WordAgain;
use crate::observed::Event;

/// Words of the largest register file, and of a block.
const WORDS: usize = 64;
const BLOCK: usize = 16;

/// The words that an agent accesses in a cycle, as bits.
type Accesses = [u64; AGENTS];

/// A register file as it was used so far.
#[derive(Clone, Debug)]
pub(super) struct WordWatch {
    /// Accesses of the last cycles that had any, by the remainder of the cycle, with that cycle and those of all
    /// agents together.
    recent: [(u64, Accesses, u64); WordAgain::MOST],
    /// Words that were written; the agent that wrote each last, and when.
    written: u64,
    writer: [u8; WORDS],
    when: [u64; WORDS],
    interest: Interest,
}

impl Default for WordWatch {
    fn default() -> Self {
        Self {
            recent: [(0, [0; AGENTS], 0); WordAgain::MOST],
            written: 0,
            writer: [0; WORDS],
            when: [0; WORDS],
            interest: Interest::default(),
        }
    }
}

/// Numbers of the bits that are 1.
#[inline]
fn ones(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let k = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        k
    })
}

/// Agents that write, the weakest first (chapter 3, 4.2).
const WRITERS: [usize; 5] = [PERM, AguId::W1.index(), AguId::W0.index(), AguId::Wb.index(), INIT];

impl WordWatch {
    /// Notes what happened in the cycle that is over.
    #[inline]
    pub(super) fn after(&mut self, rf: &RegisterFile, words: usize, cycle: u64, hits: &mut Hits) {
        let written = rf.block_writes();
        if rf.emits_nothing() && written == [None; 2] {
            return;
        }
        let mut now: Accesses = [0; AGENTS];
        let (mut agents, mut all, mut shared) = (0u64, 0u64, 0u64);
        let mut add = |agent: usize, set: u64| {
            now[agent] = set;
            agents |= 1 << agent;
            shared |= all & set;
            all |= set;
        };
        let block = |number: u8| 0xffff << (BLOCK * (usize::from(number) % (words / BLOCK)));
        for (agent, &agu) in AguId::ALL.iter().enumerate() {
            if let Some(address) = rf.emitted(agu) {
                add(agent, if agu.is_block() { block(address) } else { 1 << address });
            }
        }
        for (agent, number) in [PERM, INIT].into_iter().zip(written) {
            if let Some(number) = number {
                add(agent, block(number));
            }
        }
        if agents == 0 {
            return;
        }
        if shared != 0 {
            meetings(&now, agents, hits);
        }
        if self.interest.looks() {
            let mut new = self.again(&now, agents, all, cycle, hits);
            if all & self.written != 0 {
                new |= self.histories(&now, agents, cycle, hits);
            }
            self.interest.saw(new);
        }
        for agent in WRITERS.into_iter().filter(|agent| agents >> agent & 1 == 1) {
            for word in ones(now[agent]) {
                self.writer[word] = agent as u8;
                self.when[word] = cycle;
            }
            self.written |= now[agent];
        }
        self.recent[cycle as usize % WordAgain::MOST] = (cycle, now, all);
    }

    /// Words that were accessed in the cycles before; those of cycles without any are none.
    #[inline]
    fn again(&self, now: &Accesses, agents: u64, all: u64, cycle: u64, hits: &mut Hits) -> bool {
        let mut new = false;
        for distance in 1..=WordAgain::MOST {
            let Some(then) = cycle.checked_sub(distance as u64) else { break };
            let (noted, before, words) = &self.recent[then as usize % WordAgain::MOST];
            if *noted != then || words & all == 0 {
                continue;
            }
            for (first, words) in before.iter().enumerate().filter(|(_, w)| **w & all != 0) {
                for second in ones(agents).filter(|second| now[*second] & words != 0) {
                    let bin = WordAgain::bin(first, second, distance);
                    new |= hits.note(Table::WordAgain, bin);
                }
            }
        }
        new
    }

    /// Words that were written before.
    #[inline]
    fn histories(&self, now: &Accesses, agents: u64, cycle: u64, hits: &mut Hits) -> bool {
        let mut new = false;
        for next in ones(agents) {
            for word in ones(now[next] & self.written) {
                let cycles = cycle - self.when[word];
                let bin = Histories::bin(self.writer[word].into(), word, next, cycles);
                if let Some(bin) = bin {
                    new |= hits.note(Table::Histories, bin);
                }
            }
        }
        new
    }
}

/// Agents at the same word in the same cycle.
fn meetings(now: &Accesses, agents: u64, hits: &mut Hits) {
    for first in ones(agents) {
        for second in ones(agents >> (first + 1) << (first + 1)) {
            if now[first] & now[second] != 0 {
                hits.note(Table::SameWord, SameWord::bin(first, second));
            }
        }
    }
    let at = |agu: AguId| now[agu.index()];
    let written = at(AguId::W0) | at(AguId::W1);
    if at(AguId::W0) & at(AguId::W1) != 0 {
        hits.event(Event::SameWord);
    }
    if at(AguId::Wb) & written != 0 {
        hits.event(Event::BlockOverWord);
    }
    if (at(AguId::R0) | at(AguId::R1)) & written != 0 {
        hits.event(Event::ReadOfWritten);
    }
}
