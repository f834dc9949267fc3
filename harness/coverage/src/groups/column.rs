// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the two cells of a column do at the same time.

use drra_isa::{
    InstructionField, Opcode, Recipe, RecipeCell, Wanted,
    fabric::{AguId, MessageKind},
    instructions::{io, route, sram},
};
use rand_chacha::ChaCha8Rng;

use super::pairs::{FLAGS, flags};
use crate::{
    axes::{Axes, Axis},
    bits::ones,
    group::Bins,
    kind::{Kind, PRELUDE, refi_for},
};

/// Instructions that the two cells of a column decode in the same cycle, their flags.
pub(crate) struct ColumnPairs;

impl ColumnPairs {
    /// Number of a bin; row 0 comes first.
    #[inline]
    pub(crate) fn bin(rows: [(Kind, bool); 2]) -> usize {
        super::pairs::Pairs::bin(rows[0], rows[1])
    }
}

impl Bins for ColumnPairs {
    fn name(&self) -> String {
        "instructions of a column".to_owned()
    }

    fn axes(&self) -> Axes {
        Axes(vec![
            Axis::new("row 0", Kind::all().map(Kind::name)),
            Axis::new("row 1", Kind::all().map(|k| format!("with {}", k.name()))),
            Axis::new("flags", FLAGS),
        ])
    }

    fn recipe(&self, index: &[usize], rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let cycle = PRELUDE + 2;
        let flags = flags(index[2]);
        let mut cells = Vec::new();
        for row in [0, 1] {
            let kind = Kind::from_index(index[row]);
            let mut wanted = kind.wanted(rng);
            wanted.immediate = flags[row];
            let prelude = kind.prelude().map(|prelude| (0, prelude));
            let steps = prelude.into_iter().chain([(cycle, wanted)]);
            cells.push(RecipeCell::timed(steps).at(Some(row), 0));
        }
        Some(Recipe::of(cells))
    }
}

/// Something that a cell does with what it shares with the other cell of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    BlockRead,
    BlockWrite,
    RouteRead,
    RouteWrite,
    SramRead,
    SramWrite,
    IoRead,
    IoWrite,
}

impl Shared {
    /// All of them in the order of their numbers.
    pub(crate) const ALL: [Self; 8] = [
        Self::BlockRead,
        Self::BlockWrite,
        Self::RouteRead,
        Self::RouteWrite,
        Self::SramRead,
        Self::SramWrite,
        Self::IoRead,
        Self::IoWrite,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::BlockRead => "block read",
            Self::BlockWrite => "block written",
            Self::RouteRead => "read ROUTE",
            Self::RouteWrite => "write ROUTE",
            Self::SramRead => "read SRAM",
            Self::SramWrite => "write SRAM",
            Self::IoRead => "read IO",
            Self::IoWrite => "write IO",
        }
    }

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

/// What the cell of row 0 does, what that of row 1 does, cycles from the first to the second.
pub(crate) struct ColumnEvents;

/// Cycles from row 0 to row 1.
const DISTANCES: [&str; 5] =
    ["2 cycles before", "1 cycle before", "in the same cycle", "1 cycle later", "2 cycles later"];

impl ColumnEvents {
    /// Most cycles between two events.
    pub(crate) const MOST: usize = 2;

    /// Calls `note` with the number of the bin of each event of row 0 with each of row 1, which
    /// comes `distance` cycles later; sets of [`Shared`] as bits.
    #[inline]
    pub(crate) fn bins(rows: [u8; 2], distance: isize, mut note: impl FnMut(usize)) {
        let distance = distance.wrapping_add_unsigned(Self::MOST) as usize;
        for top in ones(rows[0]) {
            for bottom in ones(rows[1]) {
                note((top * Shared::ALL.len() + bottom) * DISTANCES.len() + distance);
            }
        }
    }
}

impl Bins for ColumnEvents {
    fn name(&self) -> String {
        "events of a column".to_owned()
    }

    fn axes(&self) -> Axes {
        let row = |row: usize| {
            Shared::ALL.iter().map(move |event| format!("{} by row {row}", event.name()))
        };
        Axes(vec![
            Axis::new("row 0", row(0)),
            Axis::new("row 1", row(1)),
            Axis::new("distance", DISTANCES),
        ])
    }

    fn recipe(&self, index: &[usize], _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let cycles = [2, index[2] as u64];
        let cell = |row: usize| {
            let steps = [(cycles[row], Shared::ALL[index[row]].wanted())];
            RecipeCell::timed(steps).at(Some(row), 0)
        };
        Some(Recipe::of([cell(0), cell(1)]))
    }
}
