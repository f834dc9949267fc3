// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control flow of a cell: ends of loops, BRANCHes soon after a change of the compare status, states of the sequencer.

use std::sync::LazyLock;

use drra_case::{DirectedSequence, InstructionTemplate, Step, Steps};
use drra_fabric::{DpuStatus, SequencerState};
use drra_golden::{LoadEvent, ProgramEnd, SequencerActivity, SlotPhase};
use drra_isa::{
    Opcode, Operand,
    instructions::{BranchMode, BwConfig, DpuMode, branch, loop_, wait},
};
use rand_chacha::ChaCha8Rng;

use super::feed::feed;
use crate::{
    cross::{Dimension, DirectedCross, cross, numbered},
    decode::{InstructionKind, NOWHERE, preludes},
};

cross! {
    /// Phases of the four slots, with at least one slot at its end, and the kind of the instruction there.
    LoopEnds "loop ends" {
        slots: Situation = "slots",
        instruction: AtEnd [
            "plain instruction", "WAIT", "JUMP", "BRANCH taken", "BRANCH not taken", "LOOP", "HALT",
        ] = "instruction",
    }
}

numbered! {
    /// Phases of the slots, as an index into [`SITUATIONS`].
    Situation, SITUATIONS.len(), |k| {
        let slots = SITUATIONS[k].iter().enumerate();
        slots.map(|(k, s)| format!("slot {k} {}", s.name())).collect::<Vec<_>>().join(", ")
    }
}

/// All phase combinations with a bin; slot 3 varies fastest.
static SITUATIONS: LazyLock<Vec<[SlotPhase; 4]>> = LazyLock::new(|| {
    let count = SlotPhase::ALL.len();
    let all = (0..count.pow(4)).map(|number| {
        [3, 2, 1, 0].map(|faster| SlotPhase::ALL[number / count.pow(faster) % count])
    });
    let ends = |phase: &_| matches!(phase, SlotPhase::AtEnd | SlotPhase::AtLastEnd);
    all.filter(|slots| slots.iter().any(ends)).collect()
});

/// Number of the [`AtEnd`] for an instruction.
fn class(kind: InstructionKind) -> usize {
    match kind.opcode() {
        Some((Opcode::Wait, _)) => 1,
        Some((Opcode::Jump, _)) => 2,
        Some((Opcode::Branch, variant)) => 3 + variant,
        Some((Opcode::Loop, _)) => 5,
        Some((Opcode::Halt, _)) => 6,
        _ => 0,
    }
}

impl LoopEnds {
    /// The bin of a cycle in which a slot is at its end; `None` in other cycles.
    pub(crate) fn new(slots: &[SlotPhase; 4], kind: InstructionKind) -> Option<Self> {
        let slots = Situation(SITUATIONS.binary_search(slots).ok()?);
        Some(Self { slots, instruction: AtEnd(class(kind)) })
    }
}

impl DirectedCross for LoopEnds {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let slots = SITUATIONS[self.slots.0];
        let AtEnd(number) = self.instruction;
        let kind = InstructionKind::all()
            .find(|kind| class(*kind) == number && *kind != InstructionKind::NONE)?;
        let mut steps = preludes(&[kind]);
        let loops = slots.iter().filter(|s| **s != SlotPhase::Inactive).count();
        // The end comes after the loops and an instruction inside all of them.
        let end = steps.len() + loops + 1;
        for (slot, phase) in slots.iter().enumerate() {
            let (iterations, ends) = match phase {
                SlotPhase::Inactive => continue,
                SlotPhase::Runs => (2, false),
                SlotPhase::AtEnd => (3, true),
                SlotPhase::AtLastEnd => (1, true),
            };
            let fields = [
                (loop_::LOOPID, slot as u64),
                (loop_::ITER, iterations),
                (loop_::ENDPC, NOWHERE - 1),
            ];
            let template = InstructionTemplate::new(Opcode::Loop, &fields);
            steps.push(Step { template, target: ends.then_some(end) });
        }
        steps.push(InstructionTemplate::bw(BwConfig::Int16).into());
        let template = match number {
            0 => InstructionTemplate::bw(BwConfig::Int8),
            _ => kind.template(rng),
        };
        steps.push(template.into());
        Some(DirectedSequence::in_order(steps))
    }
}

cross! {
    /// A BRANCH, with the compare status in the cycle of its decode.
    Branches "BRANCH" {
        mode: BranchMode = "mode",
        status: DpuStatus = "status" "on {status}",
        since: Since ["new in this cycle", "for 2 cycles", "for longer"] = "since",
    }
}

impl DirectedCross for Branches {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        // Operands of cycle 9 + k are pair k; the status of pair 8 is valid from cycle 18 on, and the pairs before it
        // have a different status.
        let pair = |status: DpuStatus| match status {
            DpuStatus::Less => [3, 7],
            DpuStatus::Greater => [7, 3],
            DpuStatus::Equal => [5, 5],
        };
        let other = *DpuStatus::ALL.iter().find(|s| **s != self.status)?;
        let pairs: Vec<[u16; 2]> = [[pair(other); 8], [pair(self.status); 8]].concat();
        let mode = InstructionTemplate::dpu(DpuMode::MaxMin);
        let mut sequence = feed(mode, BwConfig::Int16, Some(Operand::In1), &pairs);
        let fields = [(branch::MODE, self.mode.code().into()), (branch::FALSE_PC, NOWHERE)];
        if let Steps::Timed(steps) = &mut sequence.cells[0].steps {
            steps.push((
                18 + self.since.0 as u64,
                InstructionTemplate::new(Opcode::Branch, &fields),
            ));
        }
        Some(sequence)
    }
}

cross! {
    /// State, load port, end of the program, and whether a loop is active.
    Sequencers "sequencer" {
        state: SequencerState = "state",
        load: LoadEvent = "load port",
        end: ProgramEnd = "end of the program",
        loops: Loops ["no loop active", "a loop active"] = "loops",
    }
}

impl Sequencers {
    /// The bin for the activity of a sequencer.
    pub(crate) fn new(did: &SequencerActivity, loop_active: bool) -> Self {
        Self { state: did.state, load: did.load, end: did.end, loops: Loops(loop_active.into()) }
    }
}

impl DirectedCross for Sequencers {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let end = match (self.state, self.load, self.end) {
            (SequencerState::Run, LoadEvent::None, ProgramEnd::No) => {
                InstructionTemplate::new(Opcode::Wait, &[(wait::CYCLE, 2)])
            }
            (SequencerState::Run, LoadEvent::None, ProgramEnd::Halt) => {
                InstructionTemplate::new(Opcode::Halt, &[])
            }
            // All other bins are outside RUN, or need words from the load port or a program with a different end.
            _ => return None,
        };
        let fields = [(loop_::ENDPC, NOWHERE), (loop_::ITER, 9)];
        let enclosing =
            (self.loops.0 == 1).then(|| InstructionTemplate::new(Opcode::Loop, &fields));
        Some(DirectedSequence::in_order(enclosing.into_iter().chain([end])))
    }
}
