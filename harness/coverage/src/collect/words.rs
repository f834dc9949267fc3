// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who accesses which words of a register file, and who did so before.

use drra_golden::units::RegisterFile;
use drra_isa::fabric::AguId;

use super::Hits;
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
    /// Accesses of the last cycles, the latest first, and the cycle of the latest.
    recent: [Accesses; WordAgain::MOST],
    cycle: u64,
    /// Agent that wrote each word last, and when; none if it was never written.
    writer: [Option<(u8, u64)>; WORDS],
}

impl Default for WordWatch {
    fn default() -> Self {
        Self { recent: [[0; AGENTS]; WordAgain::MOST], cycle: 0, writer: [None; WORDS] }
    }
}

/// Numbers of the bits that are 1.
fn ones(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let k = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        k
    })
}

/// What the agents access in the cycle that is over; a set of the agents that do.
fn accesses(rf: &RegisterFile, words: usize) -> (Accesses, u8) {
    let mut now = [0; AGENTS];
    let mut active = 0;
    let mut add = |agent: usize, set: u64| {
        now[agent] = set;
        active |= 1 << agent;
    };
    let block = |number: u8| 0xffff << (BLOCK * (usize::from(number) % (words / BLOCK)));
    if !rf.emits_nothing() {
        for &agu in AguId::ALL {
            if let Some(address) = rf.emitted(agu) {
                let set = if agu.is_block() { block(address) } else { 1 << address };
                add(agu.index(), set);
            }
        }
    }
    let [perm, init] = rf.block_writes();
    for (agent, written) in [(PERM, perm), (INIT, init)] {
        if let Some(number) = written {
            add(agent, block(number));
        }
    }
    (now, active)
}

impl WordWatch {
    /// Notes what happened in the cycle that is over.
    #[inline]
    pub(super) fn after(&mut self, rf: &RegisterFile, words: usize, cycle: u64, hits: &mut Hits) {
        if rf.emits_nothing() && rf.block_writes() == [None; 2] {
            return;
        }
        let (now, active) = accesses(rf, words);
        if active != 0 {
            self.note(&now, active, cycle, hits);
        }
    }

    fn note(&mut self, now: &Accesses, active: u8, cycle: u64, hits: &mut Hits) {
        let agents = || ones(active.into());
        if active & (active - 1) != 0 {
            meetings(now, active, hits);
        }
        // Accesses of the cycles before; those of cycles without any are none.
        let since = (cycle - self.cycle) as usize;
        for (k, before) in self.recent.iter().enumerate() {
            let distance = since + k;
            if distance > WordAgain::MOST {
                break;
            }
            for (first, words) in before.iter().enumerate().filter(|(_, w)| **w != 0) {
                for second in agents().filter(|second| now[*second] & words != 0) {
                    hits.note(Table::WordAgain, WordAgain::bin(first, second, distance));
                }
            }
        }
        for next in agents() {
            for word in ones(now[next]) {
                let Some((writer, when)) = self.writer[word] else { continue };
                let bin = Histories::bin(writer.into(), word, next, cycle - when);
                if let Some(bin) = bin {
                    hits.note(Table::Histories, bin);
                }
            }
        }
        // The strongest writer is the last one: PERM, w1, w0, wb, initialisation (chapter 3, 4.2).
        for agent in [PERM, AguId::W1.index(), AguId::W0.index(), AguId::Wb.index(), INIT] {
            for word in ones(now[agent]) {
                self.writer[word] = Some((agent as u8, cycle));
            }
        }
        self.recent = match since {
            1 => [*now, self.recent[0]],
            _ => [*now, [0; AGENTS]],
        };
        self.cycle = cycle;
    }
}

/// Agents at the same word in the same cycle.
fn meetings(now: &Accesses, active: u8, hits: &mut Hits) {
    for first in ones(active.into()) {
        for second in ones(u64::from(active) >> (first + 1) << (first + 1)) {
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
