// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accesses to the same word of a register file.

use drra_isa::{
    Opcode, Recipe, Wanted,
    fabric::AguId,
    instructions::{perm, refi},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{
    axes::{Axes, Axis},
    group::Bins,
    kind::refi_for,
};

/// Who accesses words of a register file: its AGUs, a PERM, the initialisation port.
pub(crate) const AGENTS: usize = AguId::ALL.len() + 2;

/// A PERM among the agents.
pub(crate) const PERM: usize = AguId::ALL.len();
/// The initialisation port among the agents.
pub(crate) const INIT: usize = PERM + 1;

/// Name of an agent.
fn name(agent: usize) -> String {
    match AguId::ALL.get(agent) {
        Some(agu) => agu.to_string(),
        None => ["PERM", "initialisation"][agent - PERM].to_owned(),
    }
}

/// Agents that write, as positions among the agents.
pub(crate) const WRITERS: [usize; 5] =
    [AguId::W0.index(), AguId::W1.index(), AguId::Wb.index(), PERM, INIT];

/// Words of a block.
pub(crate) const BLOCK: usize = 16;

/// An instruction by which an agent accesses a word so many cycles after its decode: at least one,
/// and exactly one by a PERM; `None` for the initialisation port.
fn access(agent: usize, word: usize, cycles: u64) -> Option<Wanted> {
    let block = (word / BLOCK) as u64;
    if let Some(&agu) = AguId::ALL.get(agent) {
        let address = if agu.is_block() { block } else { word as u64 };
        let fields = [(refi::INIT_ADDR, address), (refi::INIT_DELAY, cycles - 1)];
        return Some(refi_for(agu).with(&fields));
    }
    let wanted = || Wanted::new(Opcode::Perm, &[(perm::BLOCK, block), (perm::DISTANCE, 1)]);
    (agent == PERM && cycles == 1).then(wanted)
}

/// Two agents at the same word in the same cycle.
pub(crate) struct SameWord;

/// Pairs of different agents.
fn agent_pairs() -> impl Iterator<Item = [usize; 2]> {
    (0..AGENTS).flat_map(|a| (a + 1..AGENTS).map(move |b| [a, b]))
}

impl SameWord {
    /// Number of a bin; the first agent has the lower number.
    #[inline]
    pub(crate) fn bin(first: usize, second: usize) -> usize {
        // Pairs with a lower first agent come before.
        first * (2 * AGENTS - first - 1) / 2 + second - first - 1
    }
}

impl Bins for SameWord {
    fn name(&self) -> String {
        "same word at once".to_owned()
    }

    fn axes(&self) -> Axes {
        let pairs = agent_pairs().map(|[a, b]| format!("{} and {}", name(a), name(b)));
        Axes(vec![Axis::new("agents", pairs)])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let [a, b] = agent_pairs().nth(index[0])?;
        let word = rng.random_range(0..64);
        Some(Recipe::timed([(0, access(a, word, 2)?), (1, access(b, word, 1)?)]))
    }
}

/// An agent at a word, another or the same one at the same word one or two cycles later.
pub(crate) struct WordAgain;

impl WordAgain {
    /// Most cycles between the two.
    pub(crate) const MOST: usize = 2;

    /// Number of a bin; `distance` is at least 1.
    #[inline]
    pub(crate) fn bin(first: usize, second: usize, distance: usize) -> usize {
        (first * AGENTS + second) * Self::MOST + distance - 1
    }
}

impl Bins for WordAgain {
    fn name(&self) -> String {
        "same word again".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("first", (0..AGENTS).map(name)),
            Axis::new("second", (0..AGENTS).map(|a| format!("then {}", name(a)))),
            Axis::new("distance", ["1 cycle later", "2 cycles later"]),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let word = rng.random_range(0..64);
        let then = 2 + index[2] as u64;
        Some(Recipe::timed([(1, access(index[0], word, 1)?), (then, access(index[1], word, 1)?)]))
    }
}

/// The agent that wrote a word last, place of the word in its block, the agent that accesses it next
/// but in the same cycle, cycles in between.
pub(crate) struct Histories;

/// Names of the cycles between a write and the next access.
const GAPS: [&str; 3] = ["in the next cycle", "2 to 7 cycles later", "8 cycles later or more"];

impl Histories {
    /// Least cycles of each gap between a write and the next access.
    pub(crate) const GAPS: [u64; GAPS.len()] = [1, 2, 8];

    /// Number of a bin; `writer`: position among [`WRITERS`], `word`: place in its block, `gap`: position in
    /// [`Self::GAPS`].
    #[inline]
    pub(crate) fn bin(writer: usize, word: usize, next: usize, gap: usize) -> usize {
        ((writer * BLOCK + word) * AGENTS + next) * GAPS.len() + gap
    }
}

impl Bins for Histories {
    fn name(&self) -> String {
        "word after its writer".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("writer", WRITERS.map(|w| format!("written by {}", name(w)))),
            Axis::new("word", (0..BLOCK).map(|w| format!("word {w}"))),
            Axis::new("next", (0..AGENTS).map(|a| format!("then {}", name(a)))),
            Axis::new("gap", GAPS),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let word = rng.random_range(0..4) * BLOCK + index[1];
        let gap = [1, rng.random_range(2..8), rng.random_range(8..14)][index[3]];
        // The port writes before programs begin.
        let first = if WRITERS[index[0]] == INIT {
            if index[3] != 2 {
                return None;
            }
            None
        } else {
            Some((1, access(WRITERS[index[0]], word, 1)?))
        };
        let next = (1 + gap, access(index[2], word, 1)?);
        Some(Recipe::timed(first.into_iter().chain([next])))
    }
}
