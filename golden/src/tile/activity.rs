// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of a tile in a cycle, for observers.

use drra_fabric::{SegmentDirection as Segment, Side};

use super::{
    TileSignals,
    route::{Arrival, E, N, S, W, arrival},
};
use crate::{
    message::NocMessage,
    sram_agu::{Offer, PatternPhase, refused},
};

/// The activity of a tile in a cycle; none of this is a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileActivity {
    /// Number of ROUTE messages that arrived.
    pub routes: u8,
    /// Previous directions of the segments at sides N, S, E, W that these messages closed; `Closed` for a segment that
    /// they did not close.
    pub closed: [Segment; 4],
    /// A configuration was lost because its generator was busy.
    pub lost: bool,
    /// Whether the read generator, and whether the write generator, took a configuration.
    pub taken: [bool; 2],
    /// Messages that entered at sides N, S, E, W.
    pub arrivals: [Option<Arrival>; 4],
    /// Configurations offered to the read and the write generator.
    pub offers: [Option<Offer>; 2],
    /// Positions of the generators in their patterns, before the edge.
    pub phases: [PatternPhase; 2],
    /// Row that was read.
    pub read: Option<u8>,
    /// Row addressed by a write pattern; the initialisation port may have taken precedence.
    pub write: Option<u8>,
    /// Row that the initialisation port wrote.
    pub init: Option<u8>,
}

impl TileSignals {
    /// Row that is written.
    #[inline]
    pub(crate) fn written(&self) -> Option<usize> {
        self.store.map(|(row, _)| row)
    }

    /// True if [`Self::activity`] is not empty.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.rx != [NocMessage::NONE; 4]
            || self.phases != [PatternPhase::Idle; 2]
            || self.new.iter().any(Option::is_some)
            || self.hit.is_some()
    }

    /// Number of SRAM messages without a path, plus the number of configurations for a busy generator.
    pub(crate) fn lost(&self) -> u64 {
        if !self.is_active() {
            return 0;
        }
        let TileActivity { arrivals, offers, .. } = self.activity();
        let pathless = [Arrival::SramReadLost, Arrival::SramWriteLost];
        let pathless = arrivals.iter().flatten().filter(|arrival| pathless.contains(arrival));
        pathless.count() as u64 + refused(&offers)
    }

    /// The activity of the tile.
    pub(crate) fn activity(&self) -> TileActivity {
        let phases = self.phases;
        let accepts = phases.map(PatternPhase::accepts);
        let offer = |k: usize| {
            let (side, config) = self.new[k]?;
            Some(Offer { side: Side::ALL[side], phase: phases[k], config })
        };
        let taken = [0, 1].map(|k| self.new[k].is_some() && accepts[k]);
        let [read, write] = self.rows.map(|row| row.map(|row| row as u8));
        TileActivity {
            routes: self.routing.got.iter().map(|got| u8::from(*got)).sum(),
            closed: self.closed(),
            lost: [0, 1].iter().any(|&k| self.new[k].is_some() && !accepts[k]),
            taken,
            arrivals: [N, S, E, W].map(|x| arrival(self.rx[x], self.active[x])),
            offers: [offer(0), offer(1)],
            phases,
            read,
            write,
            init: self.hit.map(|row| row as u8),
        }
    }

    /// Previous directions of the segments that the tile closes. Neighbours' requests for the south and west segments
    /// have priority.
    fn closed(&self) -> [Segment; 4] {
        let [n, s, e, w] = self.routing.closes;
        let [ask_w, ask_s] = self.asks;
        let own =
            |ask: Option<Segment>, closes| if ask.is_none() { closes } else { Segment::Closed };
        [n, own(ask_s, s), e, own(ask_w, w)]
    }
}
