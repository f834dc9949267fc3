// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of the groups that are crosses.

use std::marker::PhantomData;

use super::{
    branch::Branches,
    column::{ColumnEvents, ColumnPairs},
    connections::Connections,
    events::Events,
    loop_ends::LoopEnds,
    messages::{Meetings, Successions},
    modes::{ModeChanges, WidthChanges},
    operands::{OperandPairs, SingleOperands},
    pairs::{Pairs, Triples},
    patterns::{IoOffers, IoPairs, TileOffers, TilePairs},
    relaunch::{Relaunches, Shadowings},
    saturation::Saturated,
    segments::Closings,
    sequencer::Sequencers,
    waiting::Waiting,
    words::{Histories, SameWord, WordAgain},
};
use crate::{
    cross::{BinsOf, Directed},
    group::Bins,
};

/// A cross of the list.
pub(crate) trait Listed: Directed {
    /// Its position.
    const POSITION: usize;
}

/// The list in the order of the bins.
macro_rules! list {
    ($($Group:ident,)*) => {
        enum Position {
            $($Group,)*
        }

        $(impl Listed for $Group {
            const POSITION: usize = Position::$Group as usize;
        })*

        /// Number of crosses.
        pub(crate) const CROSSES: usize = [$(Position::$Group,)*].len();

        /// All of them.
        pub(crate) fn crosses() -> [Box<dyn Bins>; CROSSES] {
            [$(Box::new(BinsOf::<$Group>(PhantomData)),)*]
        }
    };
}

list! {
    Events,
    Pairs,
    Triples,
    ColumnPairs,
    ColumnEvents,
    Waiting,
    Relaunches,
    Shadowings,
    TileOffers,
    TilePairs,
    IoOffers,
    IoPairs,
    Meetings,
    Successions,
    Closings,
    SameWord,
    WordAgain,
    Histories,
    ModeChanges,
    WidthChanges,
    OperandPairs,
    SingleOperands,
    Saturated,
    LoopEnds,
    Branches,
    Connections,
    Sequencers,
}
