// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accesses to the same word of a register file.

use drra_case::{DirectedSequence, InstructionTemplate};
use drra_fabric::AguId;
use drra_isa::{
    Opcode,
    instructions::{perm, refi},
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{DirectedCross, Pair, cross, numbered},
    decode::refi_for,
};

numbered! {
    /// The agents that access words of a register file: its AGUs, a PERM, the initialisation port.
    Agent, AGENTS, name
}

/// Number of agents.
pub(crate) const AGENTS: usize = AguId::ALL.len() + 2;

/// Index of PERMs among the agents.
pub(crate) const PERM: usize = AguId::ALL.len();
/// Index of the initialisation port among the agents.
pub(crate) const INIT: usize = PERM + 1;

/// Name of an agent.
fn name(agent: usize) -> String {
    match AguId::ALL.get(agent) {
        Some(agu) => agu.to_string(),
        None => ["PERM", "initialisation"][agent - PERM].to_owned(),
    }
}

/// Agents that write, as indices among the agents.
pub(crate) const WRITERS: [usize; 5] =
    [AguId::W0.index(), AguId::W1.index(), AguId::Wb.index(), PERM, INIT];

/// Number of words in a block.
pub(crate) const BLOCK: usize = 16;

/// An instruction by which an agent accesses a word `cycles` cycles after the decode; `cycles` is at least 1. `None`
/// for the initialisation port, and for a PERM unless `cycles` is 1.
fn access(agent: usize, word: usize, cycles: u64) -> Option<InstructionTemplate> {
    let block = (word / BLOCK) as u64;
    if let Some(&agu) = AguId::ALL.get(agent) {
        let address = if agu.is_block() { block } else { word as u64 };
        let fields = [(refi::INIT_ADDR, address), (refi::INIT_DELAY, cycles - 1)];
        return Some(refi_for(agu).with(&fields));
    }
    let template =
        || InstructionTemplate::new(Opcode::Perm, &[(perm::BLOCK, block), (perm::DISTANCE, 1)]);
    (agent == PERM && cycles == 1).then(template)
}

cross! {
    /// Two agents at the same word in the same cycle.
    SameWord "same word at once" {
        agents: AgentPair = "agents",
    }
}

/// Two different agents.
pub(crate) type AgentPair = Pair<Agent>;

impl DirectedCross for SameWord {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let Pair(Agent(first), Agent(second)) = self.agents;
        let word = rng.random_range(0..64);
        Some(DirectedSequence::timed([(0, access(first, word, 2)?), (1, access(second, word, 1)?)]))
    }
}

cross! {
    /// An agent at a word, and the same or another agent at that word one or two cycles later.
    WordAgain "same word again" {
        first: Agent = "first",
        second: Agent = "second" "then {second}",
        /// The distance in cycles, minus one.
        distance: Distance ["1 cycle later", "2 cycles later"] = "distance",
    }
}

impl WordAgain {
    /// Maximum number of cycles between the two accesses.
    pub(crate) const MAX_DISTANCE: usize = 2;
}

impl DirectedCross for WordAgain {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let word = rng.random_range(0..64);
        let then = 2 + self.distance.0 as u64;
        Some(DirectedSequence::timed([
            (1, access(self.first.0, word, 1)?),
            (then, access(self.second.0, word, 1)?),
        ]))
    }
}

cross! {
    /// The agent that wrote a word last, the position of the word in its block, an agent that accesses it in a later
    /// cycle, and the number of cycles from the write to the access.
    Histories "word after its writer" {
        writer: Writer = "writer" "written by {writer}",
        word: BlockWord = "word",
        next: Agent = "next" "then {next}",
        gap: Gap ["in the next cycle", "2 to 7 cycles later", "8 cycles later or more"] = "gap",
    }
}

numbered! {
    /// An agent that writes, as an index into [`WRITERS`].
    Writer, WRITERS.len(), |k| name(WRITERS[k])
}

numbered! {
    /// A word of a block.
    BlockWord, BLOCK, |k| format!("word {k}")
}

impl Gap {
    /// Minimum number of cycles of each gap.
    pub(crate) const LEAST: [u64; 3] = [1, 2, 8];
}

impl DirectedCross for Histories {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let word = rng.random_range(0..4) * BLOCK + self.word.0;
        let writer = WRITERS[self.writer.0];
        let gap = [1, rng.random_range(2..8), rng.random_range(8..14)][self.gap.0];
        let next = (1 + gap, access(self.next.0, word, 1)?);
        // The initialisation port writes before the programs start.
        if writer == INIT {
            return (self.gap.0 == 2).then(|| DirectedSequence::timed([next]));
        }
        Some(DirectedSequence::timed([(1, access(writer, word, 1)?), next]))
    }
}
