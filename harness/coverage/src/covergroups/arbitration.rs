// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages or redirects that compete in one cycle. A bin is hit only if the loser would have had a different effect,
//! so that a fault in the precedence can show.

use drra_fabric::{Generator, Side, fields::sram_take};
use drra_golden::{Arrival, SideRegisters};

use super::messages::reach;
use crate::cross::{Dimension, DirectedCross, cross, named};

named! {
    /// A resource that a tile gives to one of its sides (chapter 6, 6.3 and 6.5).
    Choice {
        ReadAgu "read AGU",
        WriteAgu "write AGU",
        Crossbar "crossbar",
        Bus "bus to E and W",
        SegmentE "segment to E",
        SegmentW "segment to W",
    }
}

cross! {
    /// A resource of a tile and two sides that compete for it, one of which gets it.
    TileChoices "arbitration in a tile" {
        choice: Choice = "choice",
        sides: Rivals ["S and E", "S and W", "E and W"] = "sides" "between {sides}",
    }
}

/// The sides of each value of [`Rivals`].
const RIVALS: [[Side; 2]; 3] = [[Side::S, Side::E], [Side::S, Side::W], [Side::E, Side::W]];

impl Choice {
    /// The sides, highest precedence first, without N, at which no message enters.
    fn order(self) -> [Side; 3] {
        match self {
            Self::ReadAgu | Self::WriteAgu => [Side::S, Side::W, Side::E],
            Self::Crossbar => [Side::S, Side::E, Side::W],
            Self::Bus | Self::SegmentE | Self::SegmentW => [Side::W, Side::E, Side::S],
        }
    }

    /// A number that identifies the request of a side; `None` without a request.
    fn asked(self, side: Side, message: Option<Arrival>, after: &SideRegisters) -> Option<u64> {
        let agu = |rw| {
            let [valid, of] = [sram_take::VALID, sram_take::RW].map(|f| f.get(after.agu));
            (valid == 1 && of == rw).then_some(after.agu)
        };
        let route = message.filter(|kind| *kind < Arrival::SramReadTaken);
        let segment = |at: Side| match reach(side, route?).0 {
            Some(to) => (to == at).then_some(1),
            None => (side == at).then_some(0),
        };
        match self {
            Self::ReadAgu => agu(0),
            Self::WriteAgu => agu(1),
            Self::Crossbar => route.map(|_| side as u64),
            Self::Bus => after.hsel.then_some(after.fwd),
            Self::SegmentE => segment(Side::E),
            Self::SegmentW => segment(Side::W),
        }
    }
}

impl TileChoices {
    /// The generator to which the tile gives a configuration, if it is one.
    pub(crate) fn generator(&self) -> Option<Generator> {
        match self.choice {
            Choice::ReadAgu => Some(Generator::Read),
            Choice::WriteAgu => Some(Generator::Write),
            _ => None,
        }
    }

    /// The bins of messages that enter a tile. Both arrays are indexed by side; the registers are those after the edge
    /// that takes the messages.
    pub(crate) fn bins(
        messages: [Option<Arrival>; 4],
        after: [SideRegisters; 4],
    ) -> impl Iterator<Item = Self> {
        Choice::all().flat_map(move |choice| {
            let asked =
                |side: Side| choice.asked(side, messages[side.index()], &after[side.index()]);
            let [s, e, w] = [Side::S, Side::E, Side::W].map(asked);
            let winner = choice.order().into_iter().find(|side| asked(*side).is_some());
            let differ =
                [s.zip(e), s.zip(w), e.zip(w)].map(|both| both.is_some_and(|(a, b)| a != b));
            let sides = Rivals::all().filter(move |sides| {
                differ[sides.0] && winner.is_some_and(|side| RIVALS[sides.0].contains(&side))
            });
            sides.map(move |sides| Self { choice, sides })
        })
    }
}

impl DirectedCross for TileChoices {}

cross! {
    /// Two redirects of the program counter to different addresses in one cycle, of which the one named first takes
    /// effect, or a redirect in a cycle in which a loop ends without jumping back.
    Redirects "redirects in one cycle" {
        redirects: Redirect [
            "a loop, not a loop in a higher slot", "a loop, not a skip", "a loop, not a pending jump",
            "a loop, not a JUMP or BRANCH", "a loop, not one that ends",
            "a skip, not a JUMP or BRANCH", "a skip, not a loop that ends",
            "a pending jump, not a loop that ends", "a JUMP or BRANCH, not a loop that ends",
        ] = "redirects",
    }
}

/// For each value of [`Redirect`], the positions of both among the redirects of a sequencer.
const REDIRECTS: [[usize; 2]; 9] =
    [[0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [2, 4], [2, 5], [3, 5], [4, 5]];

impl Redirects {
    /// The bins of the redirects of a cycle, in the order of [`drra_golden::SequencerActivity::redirects`].
    pub(crate) fn bins(targets: [Option<u8>; 6]) -> impl Iterator<Item = Self> {
        let first = targets.iter().position(Option::is_some);
        let hit = Redirect::all().filter(move |redirects| {
            let [winner, other] = REDIRECTS[redirects.0];
            let differs = targets[other].is_some() && targets[other] != targets[winner];
            first == Some(winner) && differs
        });
        hit.map(|redirects| Self { redirects })
    }
}

impl DirectedCross for Redirects {}
