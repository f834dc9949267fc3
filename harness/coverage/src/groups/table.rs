// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups whose bins are noted by their numbers.

use super::branch::Branches;
use super::column::ColumnEvents;
use super::column::ColumnPairs;
use super::connections::Connections;
use super::events::Events;
use super::loop_ends::LoopEnds;
use super::messages::Meetings;
use super::messages::Successions;
use super::modes::ModeChanges;
use super::modes::WidthChanges;
use super::operands::Operand;
use super::operands::OperandPairs;
use super::pairs::Pairs;
use super::pairs::Triples;
use super::patterns::GeneratorPairs;
use super::patterns::IoOffers;
use super::patterns::IoPairs;
use super::patterns::TileOffers;
use super::relaunch::Relaunches;
use super::relaunch::Shadowings;
use super::saturation::Saturated;
use super::segments::Closings;
use super::sequencer::Sequencers;
use super::waiting::Waiting;
use super::words::Histories;
use super::words::SameWord;
use super::words::WordAgain;
use crate::group::Bins;

/// One of these groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Events,
    Pairs,
    Triples,
    ColumnPairs,
    ColumnEvents,
    Waiting,
    Relaunches,
    Shadowings,
    TileOffers,
    GeneratorPairs,
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
    Operand,
    Saturated,
    LoopEnds,
    Branches,
    Connections,
    Sequencers,
}

impl Table {
    /// All of them in the order of their bins.
    pub(crate) const ALL: &[Self] = &[
        Self::Events,
        Self::Pairs,
        Self::Triples,
        Self::ColumnPairs,
        Self::ColumnEvents,
        Self::Waiting,
        Self::Relaunches,
        Self::Shadowings,
        Self::TileOffers,
        Self::GeneratorPairs,
        Self::IoOffers,
        Self::IoPairs,
        Self::Meetings,
        Self::Successions,
        Self::Closings,
        Self::SameWord,
        Self::WordAgain,
        Self::Histories,
        Self::ModeChanges,
        Self::WidthChanges,
        Self::OperandPairs,
        Self::Operand,
        Self::Saturated,
        Self::LoopEnds,
        Self::Branches,
        Self::Connections,
        Self::Sequencers,
    ];

    /// Its bins.
    pub(crate) fn bins(self) -> Box<dyn Bins> {
        match self {
            Self::Events => Box::new(Events),
            Self::Pairs => Box::new(Pairs),
            Self::Triples => Box::new(Triples),
            Self::ColumnPairs => Box::new(ColumnPairs),
            Self::ColumnEvents => Box::new(ColumnEvents),
            Self::Waiting => Box::new(Waiting),
            Self::Relaunches => Box::new(Relaunches),
            Self::Shadowings => Box::new(Shadowings),
            Self::TileOffers => Box::new(TileOffers),
            Self::GeneratorPairs => Box::new(GeneratorPairs),
            Self::IoOffers => Box::new(IoOffers),
            Self::IoPairs => Box::new(IoPairs),
            Self::Meetings => Box::new(Meetings),
            Self::Successions => Box::new(Successions),
            Self::Closings => Box::new(Closings),
            Self::SameWord => Box::new(SameWord),
            Self::WordAgain => Box::new(WordAgain),
            Self::Histories => Box::new(Histories),
            Self::ModeChanges => Box::new(ModeChanges),
            Self::WidthChanges => Box::new(WidthChanges),
            Self::OperandPairs => Box::new(OperandPairs),
            Self::Operand => Box::new(Operand),
            Self::Saturated => Box::new(Saturated),
            Self::LoopEnds => Box::new(LoopEnds),
            Self::Branches => Box::new(Branches),
            Self::Connections => Box::new(Connections),
            Self::Sequencers => Box::new(Sequencers),
        }
    }
}
