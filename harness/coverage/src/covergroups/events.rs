// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events: interactions between instructions of several cells or cycles.

use drra_case::{DirectedCell, DirectedSequence, InstructionTemplate};
use drra_fabric::AguId;
use drra_isa::{
    Opcode,
    instructions::{BwConfig, DpuMode, loop_, route, sram, wait},
};
use rand_chacha::ChaCha8Rng;

use super::feed::read;
use crate::{
    cross::{DirectedCross, cross, named},
    decode::{NOWHERE, refi_for},
};

named! {
    /// Events that have a bin.
    Event {
        AguFromShadow "an AGU is launched from its shadow register",
        RefiReplaced "a REFI replaces one that waits in a shadow register",
        DpuFromShadow "the DPU is launched from its shadow register",
        DpuReplaced "a DPU instruction replaces one that waits",
        SameWord "w0 and w1 write the same word",
        BlockOverWord "a block is written over a word that w0 or w1 writes",
        ReadOfWritten "a word is read in the cycle in which it is written",
        BothRowsRead "both rows of a column read different blocks",
        BothRowsSend "both rows of a column issue different messages",
        SeveralRoutes "two or more ROUTEs reach a tile in one cycle",
        Lost "an SRAM configuration is lost because its AGU is busy",
        ReadAndWrite "a tile reads and writes different rows in one cycle",
        PassThrough "a tile reads the row that it writes",
        InitAgainstPattern "the initialisation port writes a tile that a pattern writes, too",
        InitOfRead "the initialisation port writes the row that a tile reads",
        InitBesideRead "the initialisation port writes a row while a tile reads another one",
        LongProgram "a program has 63 words or more",
        FourLoops "a loop is configured while three others are active",
        LongLoad "a program with more words than the memory has is loaded",
        JumpToOlder "a program jumps to words of an older one",
        MaskedOverWord "a masked word of a block is one that w0, w1 or a PERM writes",
        ResultForLoop "the RACCU writes the register of a loop that has another value for it",
        ResultForNewLoop "the RACCU writes the register of a loop that is configured",
        OperandOfRaccu "an instruction uses a register that the RACCU changes",
        OperandOfLoop "an instruction uses a register that the loop controller changes",
        BeyondEdge "an SWB connects an input to the other row beyond the edge of the fabric",
        LongAccumulation "an accumulation of 255 cycles ends",
        WidthChange "the width of the lanes changes while the DPU works",
    }
}

cross! {
    /// A bin for each event.
    Events "events" {
        event: Event = "event",
    }
}

impl DirectedCross for Events {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let pause = |cycles| InstructionTemplate::new(Opcode::Wait, &[(wait::CYCLE, cycles)]);
        let agu = refi_for(AguId::R0);
        Some(match self.event {
            Event::AguFromShadow => DirectedSequence::in_order([agu.deferred(), pause(1)]),
            Event::RefiReplaced => {
                DirectedSequence::in_order([agu.clone().deferred(), agu.deferred(), pause(1)])
            }
            Event::DpuFromShadow => DirectedSequence::in_order([
                InstructionTemplate::dpu(DpuMode::Add).deferred(),
                pause(1),
            ]),
            Event::DpuReplaced => {
                let waits = [
                    InstructionTemplate::dpu(DpuMode::Add).deferred(),
                    InstructionTemplate::dpu(DpuMode::Mac).deferred(),
                ];
                DirectedSequence::in_order(waits.into_iter().chain([pause(1)]))
            }
            Event::SameWord => words([read(AguId::W0, 5, 1, 1), read(AguId::W1, 5, 1, 0)]),
            // The addresses of a block and of one of its words.
            Event::BlockOverWord => words([read(AguId::Wb, 1, 1, 1), read(AguId::W0, 21, 1, 0)]),
            Event::ReadOfWritten => words([read(AguId::R0, 5, 1, 1), read(AguId::W0, 5, 1, 0)]),
            Event::BothRowsRead => both_rows(|row| read(AguId::Rb, row, 1, 0)),
            Event::BothRowsSend => both_rows(|row| {
                InstructionTemplate::new(Opcode::Route, &[(route::VERTICAL_HOPS, row as u64)])
            }),
            Event::SeveralRoutes => routes(),
            Event::Lost => transfers([false, false], [10, 12]),
            Event::ReadAndWrite => transfers([false, true], [10, 0]),
            Event::PassThrough => transfers([false, true], [0, 0]),
            Event::FourLoops => DirectedSequence::in_order((0..4).map(|slot| {
                let fields = [(loop_::LOOPID, slot), (loop_::ENDPC, NOWHERE), (loop_::ITER, 9)];
                InstructionTemplate::new(Opcode::Loop, &fields)
            })),
            Event::WidthChange => DirectedSequence::in_order([
                InstructionTemplate::bw(BwConfig::Int16),
                InstructionTemplate::dpu(DpuMode::Add),
                pause(2),
                InstructionTemplate::bw(BwConfig::Int8),
            ]),
            // The others need the initialisation port or a whole program, or are frequent.
            _ => return None,
        })
    }
}

/// Two generators of a cell that start in the same cycle.
fn words(refis: [InstructionTemplate; 2]) -> DirectedSequence {
    DirectedSequence::timed((2..).zip(refis))
}

/// Instructions of both cells of a column in the same cycle, by row.
fn both_rows(of: impl Fn(usize) -> InstructionTemplate) -> DirectedSequence {
    let cell = |row| DirectedCell::timed([(2, of(row))]).at(Some(row), 0);
    DirectedSequence::of([cell(0), cell(1)])
}

/// A ROUTE that ends in the home tile of a column, and one that arrives there from the east.
fn routes() -> DirectedSequence {
    let ends = InstructionTemplate::new(Opcode::Route, &[]);
    let west = InstructionTemplate::new(
        Opcode::Route,
        &[(route::HORIZONTAL_DIR, 0), (route::HORIZONTAL_HOPS, 1)],
    );
    let cells = [
        DirectedCell::timed([(6, ends)]).at(None, 0),
        // This ROUTE first passes its own home tile.
        DirectedCell::timed([(5, west)]).at(None, 1),
    ];
    DirectedSequence::of(cells).within([0, 1])
}

/// Two patterns in the home tile of a column, starting at the given rows; true means a write.
fn transfers(writes: [bool; 2], rows: [u64; 2]) -> DirectedSequence {
    let route = InstructionTemplate::new(Opcode::Route, &[]);
    let pattern = |k: usize| {
        let fields = [
            (sram::RW, u64::from(writes[k])),
            (sram::INIT_ADDR, rows[k]),
            (sram::L1_ITER, 7),
            (sram::L1_STEP, 1),
            (sram::INIT_DELAY, 1 - k as u64),
        ];
        InstructionTemplate::new(Opcode::Sram, &fields)
    };
    DirectedSequence::timed([(2, route), (6, pattern(0)), (7, pattern(1))])
}
