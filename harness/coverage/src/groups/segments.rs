// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments of the NoC that are closed because ROUTEs enter elsewhere.

use drra_isa::{
    InstructionField, Opcode, Recipe, RecipeCell, Wanted,
    fabric::{SegmentDirection, Side},
    instructions::route,
};
use rand_chacha::ChaCha8Rng;

use super::messages::{Reach, path};
use crate::cross::{Dimension, Directed, cross};

cross! {
    /// How many ROUTEs enter a tile together, at which side they close a segment, which way it led.
    Closings "segments that ROUTEs close" {
        /// Less one; none enters from N.
        routes: Routes = "ROUTEs" ["one", "two together", "three together"],
        side: Side = "segment" "close {}",
        direction: Direction = "direction" "that led {}" ["ahead", "back"],
    }
}

impl Closings {
    /// The bin of each segment that so many ROUTEs close.
    #[inline]
    pub(crate) fn bins(
        routes: u8,
        closed: [SegmentDirection; Side::ALL.len()],
    ) -> impl Iterator<Item = Self> {
        let routes = Routes(usize::from(routes).min(Routes::count()) - 1);
        let closed = Side::ALL.iter().zip(closed).filter(|(_, d)| *d != SegmentDirection::Closed);
        closed.map(move |(&side, direction)| {
            let direction = Direction((direction == SegmentDirection::Back).into());
            Self { routes, side, direction }
        })
    }
}

impl Directed for Closings {
    fn recipe(self, _rng: &mut ChaCha8Rng) -> Option<Recipe> {
        let (routes, side, back) = (self.routes.0 + 1, self.side, self.direction.0 == 1);
        let vertical = matches!(side, Side::N | Side::S);
        if vertical && back {
            return None;
        }
        let elsewhere = [Side::S, Side::E, Side::W].into_iter().filter(|s| *s != side);
        let enter: Vec<Side> = elsewhere.take(routes).collect();
        if enter.len() < routes {
            return None;
        }
        // The tile is that of row 1, for the segment to the south that of row 2; messages get there in the same cycle.
        let above = side == Side::S;
        let inwards = side == Side::E && back || side == Side::W && !back;
        let open = match side {
            Side::S => entering(Side::S, true),
            _ if inwards => entering(side, false),
            _ => (0, 1, route_to(path(Side::S, Reach::To(side))?.0)),
        };
        let mut cells = vec![(open.0, vec![(open.1, open.2)])];
        for from in enter {
            let (column, cycle, route) = entering(from, above);
            let step = (LATER + cycle, route);
            match cells.iter_mut().find(|(c, _)| *c == column) {
                Some((_, steps)) => steps.push(step),
                None => cells.push((column, vec![step])),
            }
        }
        let used = |column| cells.iter().any(|(c, _)| *c == column);
        // At the eastern edge there is no segment.
        let margin = [used(-1), used(1) || side == Side::E].map(usize::from);
        let cells = cells.into_iter().map(|(c, steps)| RecipeCell::timed(steps).at(None, c));
        Some(Recipe::of(cells).within(margin))
    }
}

/// Cycles from the ROUTE that opens a segment to those that close it.
const LATER: u64 = 6;

/// A ROUTE that enters the tile of column 0 in row 1, or in row 2, at a side and ends there: column and cycle of
/// its decode, so that all are there at once.
fn entering(side: Side, above: bool) -> (isize, u64, Wanted) {
    let column: isize = match side {
        Side::E => 1,
        Side::W => -1,
        Side::N | Side::S => 0,
    };
    let hops = column.unsigned_abs() as u64;
    let fields = [
        (route::VERTICAL_DIR, 1),
        (route::VERTICAL_HOPS, above.into()),
        (route::HORIZONTAL_DIR, u64::from(side == Side::W)),
        (route::HORIZONTAL_HOPS, hops),
    ];
    (column, 1 - hops, route_to(fields.to_vec()))
}

fn route_to(fields: Vec<(InstructionField, u64)>) -> Wanted {
    Wanted::new(Opcode::Route, &fields)
}
