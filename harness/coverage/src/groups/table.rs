// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of the groups that are crosses.

use std::marker::PhantomData;

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
    ($($module:ident::$Group:ident,)*) => {
        enum Position {
            $($Group,)*
        }

        $(impl Listed for super::$module::$Group {
            const POSITION: usize = Position::$Group as usize;
        })*

        /// Number of crosses.
        pub(crate) const CROSSES: usize = [$(Position::$Group,)*].len();

        /// All of them.
        pub(crate) fn crosses() -> [Box<dyn Bins>; CROSSES] {
            [$(Box::new(BinsOf::<super::$module::$Group>(PhantomData)),)*]
        }
    };
}

list! {
    events::Events,
    pairs::Pairs,
    pairs::Triples,
    column::ColumnPairs,
    column::ColumnEvents,
    waiting::Waiting,
    relaunch::Relaunches,
    relaunch::Shadowings,
    patterns::TileOffers,
    patterns::TilePairs,
    patterns::IoOffers,
    patterns::IoPairs,
    messages::Meetings,
    messages::Successions,
    segments::Closings,
    words::SameWord,
    words::WordAgain,
    words::Histories,
    modes::ModeChanges,
    modes::WidthChanges,
    operands::OperandPairs,
    operands::SingleOperands,
    saturation::Saturated,
    loop_ends::LoopEnds,
    branch::Branches,
    connections::Connections,
    sequencer::Sequencers,
}
