// SPDX-License-Identifier: MIT OR Apache-2.0
//! The activity of a tile in a cycle, for observers.

use drra_fabric::{SegmentDirection as Segment, Side};

use super::{
    TileInputs, TileSignals,
    route::{Arrival, E, N, Routing, S, W, arrival},
};
use crate::sram_agu::{ConfigOffer, PatternConfig, PatternPhase, refused};

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
    pub offers: [Option<ConfigOffer>; 2],
    /// Positions of the generators in their patterns, before the edge.
    pub phases: [PatternPhase; 2],
    /// Block addressed by a read pattern.
    pub read: Option<u8>,
    /// Block addressed by a write pattern; the initialisation port may have taken precedence.
    pub write: Option<u8>,
    /// Block that the initialisation port wrote.
    pub init: Option<u8>,
}

impl TileActivity {
    /// The activity; `active` says where a path enters, `new` contains the configurations for the read and the write
    /// generator with the sides that have them, and `rows` are those of the read, the write pattern and the
    /// initialisation.
    pub(super) fn new(
        i: &TileInputs,
        routing: &Routing,
        active: [bool; 4],
        new: [Option<(usize, PatternConfig)>; 2],
        phases: [PatternPhase; 2],
        rows: [Option<usize>; 3],
    ) -> Self {
        let [read, write, init] = rows.map(|row| row.map(|row| row as u8));
        let offer = |k: usize| {
            let (side, config) = new[k]?;
            Some(ConfigOffer { side: Side::ALL[side], phase: phases[k], config })
        };
        let offers = [offer(0), offer(1)];
        let taken = offers.map(|offer| offer.is_some_and(|offer| offer.phase.accepts()));
        // Neighbours' requests for the south and west segments have priority.
        let asked = [None, i.ask_s, None, i.ask_w];
        let closes = |y: usize| routing.ask[y] == Some(Segment::Closed) && asked[y].is_none();
        Self {
            routes: routing.got.iter().map(|got| u8::from(*got)).sum(),
            closed: [N, S, E, W].map(|y| if closes(y) { i.segdir[y] } else { Segment::Closed }),
            lost: refused(&offers) > 0,
            taken,
            arrivals: [N, S, E, W].map(|x| arrival(routing.rx[x], x, active[x])),
            offers,
            phases,
            read,
            write,
            init,
        }
    }
}

impl TileSignals {
    /// Row that is written.
    pub(crate) fn written(&self) -> Option<usize> {
        self.store.map(|(row, _)| row)
    }

    /// Number of SRAM messages without a path, plus the number of configurations for a busy generator.
    pub(crate) fn lost(&self) -> u64 {
        let TileActivity { arrivals, offers, .. } = &self.activity;
        let pathless = [Arrival::SramReadLost, Arrival::SramWriteLost];
        let pathless = arrivals.iter().flatten().filter(|arrival| pathless.contains(arrival));
        pathless.count() as u64 + refused(offers)
    }
}
