// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the two cells of a column do at the same time.

use drra_isa::{
    InstructionField, Opcode, Recipe, RecipeCell, Wanted,
    fabric::{AguId, MessageKind},
    instructions::{io, route, sram},
};
use rand_chacha::ChaCha8Rng;

use super::pairs::Flags;
use crate::{
    cross::{Dimension, Directed, cross, named},
    decode::{Kind, PRELUDE, refi_for},
};

cross! {
    /// Instructions that the two cells of a column decode in the same cycle, their flags.
    ColumnPairs "instructions of a column" {
        top: Kind = "row 0",
        bottom: Kind = "row 1" "with {}",
        flags: Flags = "flags",
    }
}

impl ColumnPairs {
    /// The bin of two instructions with their flags.
    #[inline]
    pub(crate) fn new(top: (Kind, bool), bottom: (Kind, bool)) -> Self {
        Self { top: top.0, bottom: bottom.0, flags: Flags::new(top.1, bottom.1) }
    }
}

impl Directed for ColumnPairs {
    fn recipe(self, rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let cycle = PRELUDE + 2;
        let flags = self.flags.each();
        let mut cells = Vec::new();
        for (row, kind) in [self.top, self.bottom].into_iter().enumerate() {
            let mut wanted = kind.wanted(rng);
            wanted.immediate = flags[row];
            let prelude = kind.prelude().map(|prelude| (0, prelude));
            let steps = prelude.into_iter().chain([(cycle, wanted)]);
            cells.push(RecipeCell::timed(steps).at(Some(row), 0));
        }
        Some(Recipe::of(cells))
    }
}

named! {
    /// Something that a cell does with what it shares with the other cell of its column.
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
    /// Those that are messages, as bits.
    pub(crate) const MESSAGES: u8 = !(1 << Self::BlockRead as u8 | 1 << Self::BlockWrite as u8);

    /// A message.
    #[inline]
    pub(crate) fn message(kind: MessageKind, write: bool) -> Option<Self> {
        Some(match (kind, write) {
            (MessageKind::None, _) => return None,
            (MessageKind::Route, false) => Self::RouteRead,
            (MessageKind::Route, true) => Self::RouteWrite,
            (MessageKind::Sram, false) => Self::SramRead,
            (MessageKind::Sram, true) => Self::SramWrite,
            (MessageKind::Io, false) => Self::IoRead,
            (MessageKind::Io, true) => Self::IoWrite,
        })
    }

    /// An instruction that does it in the cycle after its decode.
    fn wanted(self) -> Wanted {
        let of = |opcode, field: InstructionField, write: bool| {
            Wanted::new(opcode, &[(field, write.into())])
        };
        match self {
            Self::BlockRead => refi_for(AguId::Rb),
            Self::BlockWrite => refi_for(AguId::Wb),
            Self::RouteRead => of(Opcode::Route, route::DIRECTION, false),
            Self::RouteWrite => of(Opcode::Route, route::DIRECTION, true),
            Self::SramRead => of(Opcode::Sram, sram::RW, false),
            Self::SramWrite => of(Opcode::Sram, sram::RW, true),
            Self::IoRead => of(Opcode::Io, io::RW, false),
            Self::IoWrite => of(Opcode::Io, io::RW, true),
        }
    }
}

cross! {
    /// What the cell of row 0 does, what that of row 1 does, cycles from the first to the second.
    ColumnEvents "events of a column" {
        top: Shared = "row 0" "{} by row 0",
        bottom: Shared = "row 1" "{} by row 1",
        distance: Distance = "distance" [
            "2 cycles before", "1 cycle before", "in the same cycle", "1 cycle later",
            "2 cycles later",
        ],
    }
}

impl ColumnEvents {
    /// Most cycles between two events.
    pub(crate) const MOST: usize = 2;

    /// The bin of each event of row 0 with each of row 1, which comes `distance` cycles later; sets
    /// of [`Shared`] as bits.
    #[inline]
    pub(crate) fn bins(rows: [u8; 2], distance: isize) -> impl Iterator<Item = Self> {
        let distance = Distance(distance.wrapping_add_unsigned(Self::MOST) as usize);
        Shared::members(rows[0]).flat_map(move |top| {
            Shared::members(rows[1]).map(move |bottom| Self { top, bottom, distance })
        })
    }
}

impl Directed for ColumnEvents {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let cell = |row, cycle, event: Shared| {
            let steps = [(cycle, event.wanted())];
            RecipeCell::timed(steps).at(Some(row), 0)
        };
        Some(Recipe::of([cell(0, 2, self.top), cell(1, self.distance.0 as u64, self.bottom)]))
    }
}
