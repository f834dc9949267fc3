// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions that follow each other in a cell, that are decoded while others wait for a flag, or that both cells of
//! a column decode together; and events that involve both cells of a column.

use drra_case::{DirectedCell, DirectedSequence, InstructionTemplate, Step};
use drra_fabric::{AguId, MessageKind};
use drra_golden::Receiver;
use drra_isa::{
    InstructionField, Opcode,
    instructions::{DpuMode, io, loop_, raccu, refi, route, sram},
};
use rand_chacha::ChaCha8Rng;

use crate::{
    cross::{Dimension, DirectedCross, cross, named},
    decode::{InstructionKind, NOWHERE, PRELUDE, preludes, refi_for},
};

cross! {
    /// An instruction and the instruction decoded in the cycle after the first one ends, with their flags.
    Pairs "instruction pairs" {
        first: InstructionKind = "first instruction",
        second: InstructionKind = "second instruction" "then {second}",
        /// As `2 * first + second`.
        flags: Flags [
            "both deferred", "deferred then immediate", "immediate then deferred", "both immediate",
        ] = "flags",
    }
}

/// Immediate flags of instructions as bits; the lowest bit belongs to the last instruction.
fn flags(row: &[(InstructionKind, bool)]) -> usize {
    row.iter().fold(0, |flags, (_, flag)| 2 * flags + usize::from(*flag))
}

/// The k-th of the flags of `count` instructions.
fn flag(flags: usize, k: usize, count: usize) -> bool {
    flags >> (count - 1 - k) & 1 == 1
}

impl Pairs {
    /// The bin of two instructions with their flags.
    pub(crate) fn new(row: [(InstructionKind, bool); 2]) -> Self {
        Self { first: row[0].0, second: row[1].0, flags: Flags(flags(&row)) }
    }
}

impl DirectedCross for Pairs {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        Some(row(&[self.first, self.second], self.flags.0, rng))
    }
}

/// Instructions with flags, each decoded in the cycle after the previous one ends.
fn row(kinds: &[InstructionKind], flags: usize, rng: &mut ChaCha8Rng) -> DirectedSequence {
    let mut steps = preludes(kinds);
    for (k, kind) in kinds.iter().enumerate() {
        let template =
            InstructionTemplate { immediate: flag(flags, k, kinds.len()), ..kind.template(rng) };
        let jumps = template.opcode == Opcode::Jump || *kind == InstructionKind::BRANCH_TAKEN;
        let on = jumps && k + 1 < kinds.len();
        steps.push(Step { template, target: on.then_some(steps.len() + 1) });
    }
    DirectedSequence::in_order(steps)
}

cross! {
    /// Three instructions, each decoded in the cycle after the previous one ends, with their flags.
    Triples "instruction triples" {
        first: InstructionKind = "first instruction",
        second: InstructionKind = "second instruction" "then {second}",
        third: InstructionKind = "third instruction" "then {third}",
        /// `d` deferred, `i` immediate.
        flags: ThreeFlags ["ddd", "ddi", "did", "dii", "idd", "idi", "iid", "iii"] = "flags",
    }
}

impl Triples {
    /// The bin of three instructions with their flags.
    pub(crate) fn new(row: [(InstructionKind, bool); 3]) -> Self {
        let [first, second, third] = row.map(|(kind, _)| kind);
        Self { first, second, third, flags: ThreeFlags(flags(&row)) }
    }
}

impl DirectedCross for Triples {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        Some(row(&[self.first, self.second, self.third], self.flags.0, rng))
    }
}

cross! {
    /// A receiver in which a configuration waits, the instruction whose flag arrives there, and its flag. The receivers
    /// of LOOP and RACCU get the flag in the cycle of the decode, the other receivers in the next one.
    Waiting "what waits" {
        receiver: Receiver = "what waits" "{receiver} waits",
        kind: InstructionKind = "instruction",
        flag: Flag ["deferred", "immediate"] = "flag",
    }
}

impl Waiting {
    /// Receivers that get the flag of an instruction in the cycle of its decode.
    pub(crate) const AT_ONCE: u16 = 1 << Receiver::Raccu as u16 | 1 << Receiver::Loop as u16;
}

impl DirectedCross for Waiting {
    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let waits = match self.receiver {
            Receiver::Dpu => InstructionTemplate::dpu(DpuMode::Add),
            Receiver::Message => InstructionTemplate::new(Opcode::Route, &[]),
            Receiver::Perm => InstructionTemplate::new(Opcode::Perm, &[]),
            Receiver::Raccu => {
                let fields = [(raccu::MODE, 1), (raccu::OPERAND1, 5), (raccu::RESULT, 3)];
                InstructionTemplate::new(Opcode::Raccu, &fields)
            }
            Receiver::Loop => {
                InstructionTemplate::new(Opcode::Loop, &[(loop_::ENDPC, NOWHERE), (loop_::ITER, 2)])
            }
            agu => refi_for(AguId::ALL[agu as usize]),
        };
        let flag = InstructionTemplate { immediate: self.flag.0 == 1, ..self.kind.template(rng) };
        let steps = [waits.deferred(), flag].map(Step::from);
        Some(DirectedSequence::in_order(preludes(&[self.kind]).into_iter().chain(steps)))
    }
}

cross! {
    /// Instructions that the two cells of a column decode in the same cycle, with their flags.
    ColumnPairs "instructions of a column" {
        top: InstructionKind = "row 0",
        bottom: InstructionKind = "row 1" "with {bottom}",
        flags: Flags = "flags",
    }
}

impl ColumnPairs {
    /// The bin of two instructions with their flags.
    pub(crate) fn new(rows: [(InstructionKind, bool); 2]) -> Self {
        Self { top: rows[0].0, bottom: rows[1].0, flags: Flags(flags(&rows)) }
    }
}

impl DirectedCross for ColumnPairs {
    const ALL_DIRECTED: bool = true;

    fn sequence(self, rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let cycle = PRELUDE + 2;
        let mut cells = Vec::new();
        for (row, kind) in [self.top, self.bottom].into_iter().enumerate() {
            let template =
                InstructionTemplate { immediate: flag(self.flags.0, row, 2), ..kind.template(rng) };
            let prelude = kind.prelude().map(|prelude| (0, prelude));
            let steps = prelude.into_iter().chain([(cycle, template)]);
            cells.push(DirectedCell::timed(steps).at(Some(row), 0));
        }
        Some(DirectedSequence::of(cells))
    }
}

named! {
    /// An action of a cell that uses resources shared with the other cell of its column.
    Shared {
        BlockRead "block read",
        BlockWrite "block written",
        RouteRead "read ROUTE",
        RouteWrite "write ROUTE",
        SramRead "read SRAM",
        SramWrite "write SRAM",
        IoRead "read IO",
        IoWrite "write IO",
    }
}

impl Shared {
    /// The actions that are messages, as bits.
    pub(crate) const MESSAGES: u8 = !(1 << Self::BlockRead as u8 | 1 << Self::BlockWrite as u8);

    /// The action that issues a message of this kind; `None` if there is no message.
    pub(crate) fn message(kind: MessageKind, write: bool) -> Option<Self> {
        let read = match kind {
            MessageKind::None => return None,
            MessageKind::Route => Self::RouteRead,
            MessageKind::Sram => Self::SramRead,
            MessageKind::Io => Self::IoRead,
        };
        Some(Self::of(read.index() + usize::from(write)))
    }

    /// An instruction that causes this action of a row in the cycle after its decode; it differs between the rows.
    fn template(self, row: u64) -> InstructionTemplate {
        let of = |opcode, write: InstructionField, number: InstructionField| {
            InstructionTemplate::new(opcode, &[(write, (self as u64) & 1), (number, row)])
        };
        match self {
            Self::BlockRead => refi_for(AguId::Rb).with(&[(refi::INIT_ADDR, row)]),
            Self::BlockWrite => refi_for(AguId::Wb).with(&[(refi::INIT_ADDR, row)]),
            Self::RouteRead | Self::RouteWrite => {
                of(Opcode::Route, route::DIRECTION, route::VERTICAL_HOPS)
            }
            Self::SramRead | Self::SramWrite => of(Opcode::Sram, sram::RW, sram::INIT_ADDR),
            Self::IoRead | Self::IoWrite => of(Opcode::Io, io::RW, io::INIT_ADDR),
        }
    }
}

cross! {
    /// An event of the cell in row 0, an event of the cell in row 1, and the number of cycles from the first to the
    /// second.
    ColumnEvents "events of a column" {
        top: Shared = "row 0" "{top} by row 0",
        bottom: Shared = "row 1" "{bottom} by row 1",
        distance: Distance [
            "2 cycles before", "1 cycle before", "in the same cycle", "1 cycle later",
            "2 cycles later",
        ] = "distance",
    }
}

impl ColumnEvents {
    /// Maximum number of cycles between two events.
    pub(crate) const MAX_DISTANCE: usize = 2;

    /// The bin of each event of row 0 with each event of row 1 that comes `distance` cycles later; events are sets of
    /// [`Shared`] as bits.
    pub(crate) fn bins(rows: [u8; 2], distance: isize) -> impl Iterator<Item = Self> {
        let distance = Distance(distance.wrapping_add_unsigned(Self::MAX_DISTANCE) as usize);
        Shared::members(rows[0]).flat_map(move |top| {
            Shared::members(rows[1]).map(move |bottom| Self { top, bottom, distance })
        })
    }
}

impl DirectedCross for ColumnEvents {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        let cell = |row, cycle, event: Shared| {
            let steps = [(cycle, event.template(row as u64))];
            DirectedCell::timed(steps).at(Some(row), 0)
        };
        Some(DirectedSequence::of([
            cell(0, 2, self.top),
            cell(1, self.distance.0 as u64, self.bottom),
        ]))
    }
}
