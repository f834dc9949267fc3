// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages that enter a tile in the same cycle or in successive cycles, and NoC segments that are closed because
//! ROUTEs enter elsewhere.

use drra_case::{DirectedCell, DirectedSequence, InstructionTemplate};
use drra_fabric::{SegmentDirection, Side};
use drra_golden::Arrival;
use drra_isa::{
    InstructionField, Opcode,
    instructions::{route, sram},
};
use rand_chacha::ChaCha8Rng;

use crate::cross::{Dimension, DirectedCross, Pair, cross};

/// Two sides.
type SidePair = Pair<Side>;

cross! {
    /// Two messages in the same cycle at two sides: the sides, and the message at each.
    Meetings "messages that meet in a tile" {
        sides: SidePair = "sides" "from {sides}",
        first: Arrival = "first message",
        second: Arrival = "second message",
    }
}

impl Meetings {
    /// The bin of each pair of these messages.
    pub(crate) fn bins(arrivals: [Option<Arrival>; 4]) -> impl Iterator<Item = Self> {
        SidePair::all().filter_map(move |sides| {
            let [first, second] = [sides.0, sides.1].map(|side| arrivals[side as usize]);
            Some(Self { sides, first: first?, second: second? })
        })
    }
}

impl DirectedCross for Meetings {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        meet([(self.sides.0, self.first), (self.sides.1, self.second)], 0)
    }
}

cross! {
    /// Two messages in successive cycles.
    Successions "messages in successive cycles" {
        side: Side & first: Arrival = "first message" "{first} from {side}",
        next_side: Side & second: Arrival = "second message" "then {second} from {next_side}",
    }
}

impl Successions {
    /// The bin of each message combined with each message of the previous cycle.
    pub(crate) fn bins(
        before: [Option<Arrival>; 4],
        now: [Option<Arrival>; 4],
    ) -> impl Iterator<Item = Self> {
        let entered = |arrivals| Side::ALL.iter().zip(arrivals);
        entered(before).flat_map(move |(&side, first)| {
            entered(now).filter_map(move |(&next_side, second)| {
                Some(Self { side, first: first?, next_side, second: second? })
            })
        })
    }
}

impl DirectedCross for Successions {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
        meet([(self.side, self.first), (self.next_side, self.second)], 1)
    }
}

/// Side at which the path of a message leaves the tile (none if the path ends there); true for a write; for an SRAM,
/// true if it has a path.
pub(super) fn reach(side: Side, kind: Arrival) -> (Option<Side>, bool, Option<bool>) {
    let number = kind as usize;
    if number < 10 {
        let to = (number % 5).checked_sub(1).map(|k| Side::ALL[k]);
        return (to, number >= 5, None);
    }
    // The direction in which the path continues does not matter to an SRAM, so the path goes straight on.
    let (to, has_path) = match (number - 10) % 3 {
        0 => (None, true),
        1 => (Some(side.opposite()), true),
        _ => (None, false),
    };
    (to, number >= 13, Some(has_path))
}

/// A ROUTE that enters the tile of column 0 in row 1 at a side and leaves it at a side or ends there, and the number of
/// its moves, which is `hops` of an SRAM for the end of the path; `None` if there is no such path.
pub(super) fn path(side: Side, to: Option<Side>) -> Option<(Vec<(InstructionField, u64)>, u64)> {
    use route::*;
    let across = |east: bool, hops| {
        let fields = vec![(HORIZONTAL_DIR, u64::from(east)), (HORIZONTAL_HOPS, hops)];
        Some((fields, hops))
    };
    let up = |north: bool| vec![(VERTICAL_DIR, u64::from(north)), (VERTICAL_HOPS, 1)];
    match (side, to) {
        (Side::S, None) => Some((Vec::new(), 0)),
        (Side::S, Some(to @ (Side::N | Side::S))) => Some((up(to == Side::N), 1)),
        (Side::S, Some(to)) => across(to == Side::E, 1),
        (Side::E, None) => across(false, 1),
        (Side::E, Some(Side::W)) => across(false, 2),
        // From E, this is a ROUTE that leaves the eastern neighbour to the east, but also enters here.
        (Side::E | Side::W, Some(Side::E)) => across(true, 2),
        (Side::W, None) => across(true, 1),
        _ => None,
    }
}

/// Two messages that enter a tile, the second one `later` cycles after the first. SRAMs have different addresses, so
/// that they can be told apart.
fn meet(messages: [(Side, Arrival); 2], later: u64) -> Option<DirectedSequence> {
    // Paths for SRAMs are decoded in cycle 2, and messages in cycle 8. Those from a neighbour's column are decoded one
    // cycle earlier, because they pass the neighbour's home tile. A message that turns back at the neighbour needs a
    // ROUTE in the previous cycle. That ROUTE ends other paths, so if both
    // messages arrive together, the paths for SRAMs are decoded in that cycle, too.
    let turns = messages.contains(&(Side::E, Arrival::ReadToE))
        || messages.contains(&(Side::E, Arrival::WriteToE));
    let paths = if turns && later == 0 { 7 } else { 2 };
    let mut cells = ColumnCells::new();
    for (k, (side, kind)) in messages.into_iter().enumerate() {
        let (to, write, with_path) = reach(side, kind);
        let (fields, hops) = path(side, to)?;
        let column = column_of(side);
        let early = column.unsigned_abs() as u64;
        let cycle = 8 + k as u64 * later - early;
        let path = InstructionTemplate::new(Opcode::Route, &fields)
            .with(&[(route::DIRECTION, write.into())]);
        let mut steps = Vec::new();
        match with_path {
            None => {
                if side == Side::E && to == Some(Side::E) {
                    steps.push((cycle - 1, ending(side)?));
                }
                steps.push((cycle, path));
            }
            Some(has) => {
                if has {
                    steps.push((paths - early, path));
                } else if side != Side::S {
                    return None; // no message enters at a side without a path
                }
                let address = 3 + 4 * k as u64;
                let fields =
                    [(sram::RW, u64::from(write)), (sram::HOPS, hops), (sram::INIT_ADDR, address)];
                steps.push((cycle, InstructionTemplate::new(Opcode::Sram, &fields)));
            }
        }
        match cells.iter_mut().find(|(c, _)| *c == column) {
            Some((_, known)) => {
                let free = |cycle: u64| known.iter().all(|(taken, _)| *taken != cycle);
                let more: Vec<(u64, InstructionTemplate)> =
                    steps.into_iter().filter(|(cycle, _)| *cycle > 2 && free(*cycle)).collect();
                known.extend(more);
            }
            None => cells.push((column, steps)),
        }
    }
    keep_open(messages, later, &mut cells);
    let lost = |kind| reach(Side::S, kind).2 == Some(false);
    if later == 1 && messages[0].0 == Side::S && messages[1].0 == Side::S && lost(messages[1].1) {
        // A ROUTE from elsewhere ends the path of the first message.
        if reach(Side::S, messages[0].1).2 == Some(true) {
            cells.push((-1, vec![(7, ending(Side::W)?)]));
        }
    }
    Some(of_columns(cells))
}

/// Cells of some columns with their instructions.
type ColumnCells = Vec<(isize, Vec<(u64, InstructionTemplate)>)>;

/// The sequence of these cells, for a fabric that has their columns.
fn of_columns(cells: ColumnCells) -> DirectedSequence {
    let margin = [-1, 1].map(|column| cells.iter().any(|(c, _)| *c == column).into());
    let cells =
        cells.into_iter().map(|(column, steps)| DirectedCell::timed(steps).at(None, column));
    DirectedSequence::of(cells).within(margin)
}

/// Column of the cell whose messages enter the tile of column 0 at a side: the messages come from a neighbour's home
/// tile, or from the tile's own column.
fn column_of(side: Side) -> isize {
    match side {
        Side::E => 1,
        Side::W => -1,
        Side::N | Side::S => 0,
    }
}

/// A ROUTE closes the paths from the other sides. If the first message is a ROUTE and the second message needs a path
/// of its own, another ROUTE, which enters at the side of the second message in the cycle of the first, keeps that path
/// open.
fn keep_open(messages: [(Side, Arrival); 2], later: u64, cells: &mut ColumnCells) {
    let [(first, kind), (second, next)] = messages;
    let (.., is_sram) = reach(first, kind);
    let (.., needs_path) = reach(second, next);
    let needs = second == Side::E || needs_path == Some(true);
    if later == 0 || first == second || is_sram.is_some() || !needs {
        return;
    }
    let Some(ending) = ending(second) else { return };
    let column = column_of(second);
    let cycle = 8 - column.unsigned_abs() as u64;
    if let Some((_, steps)) = cells.iter_mut().find(|(c, _)| *c == column) {
        steps.retain(|(known, _)| *known > 2 && *known != cycle);
        steps.push((cycle, ending));
    }
}

/// A ROUTE that enters at a side and ends in the tile.
fn ending(side: Side) -> Option<InstructionTemplate> {
    let (fields, _) = path(side, None)?;
    Some(InstructionTemplate::new(Opcode::Route, &fields))
}

cross! {
    /// The number of ROUTEs that enter a tile together, the side at which they close a segment, and the direction of
    /// that segment.
    Closings "segments that ROUTEs close" {
        /// The number minus one; no ROUTE enters from N.
        routes: Routes ["one", "two together", "three together"] = "ROUTEs",
        side: Side = "segment" "close {side}",
        direction: Direction ["ahead", "back"] = "direction" "that led {direction}",
    }
}

impl Closings {
    /// The bin of each segment that this number of ROUTEs closes.
    pub(crate) fn bins(
        routes: u8,
        closed: [SegmentDirection; Side::ALL.len()],
    ) -> impl Iterator<Item = Self> {
        let routes = Routes(usize::from(routes).min(Routes::count()) - 1);
        let closed = Side::ALL.iter().zip(closed).filter(|(_, d)| *d != SegmentDirection::Closed);
        let direction = |led| Direction::class(led == SegmentDirection::Back);
        closed.map(move |(&side, led)| Self { routes, side, direction: direction(led) })
    }
}

impl DirectedCross for Closings {
    fn sequence(self, _rng: &mut ChaCha8Rng) -> Option<DirectedSequence> {
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
        // The tile is in row 1, or in row 2 for the segment to the south; messages arrive there in the same cycle.
        let above = side == Side::S;
        let inwards = side == Side::E && back || side == Side::W && !back;
        let open = match side {
            Side::S => entering(Side::S, true),
            _ if inwards => entering(side, false),
            _ => (0, 1, route_to(path(Side::S, Some(side))?.0)),
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
        let mut sequence = of_columns(cells);
        if side == Side::E {
            // There is no segment at the eastern edge.
            sequence.margin[1] = 1;
        }
        Some(sequence)
    }
}

/// Cycles from the ROUTE that opens a segment to the ROUTEs that close it.
const LATER: u64 = 6;

/// A ROUTE that enters the tile of column 0 in row 1 or 2 at a side and ends there, with the column and cycle of its
/// decode, chosen so that all ROUTEs arrive at the same time.
fn entering(side: Side, above: bool) -> (isize, u64, InstructionTemplate) {
    let column = column_of(side);
    let hops = column.unsigned_abs() as u64;
    let fields = [
        (route::VERTICAL_DIR, 1),
        (route::VERTICAL_HOPS, above.into()),
        (route::HORIZONTAL_DIR, u64::from(side == Side::W)),
        (route::HORIZONTAL_HOPS, hops),
    ];
    (column, 1 - hops, route_to(fields.to_vec()))
}

fn route_to(fields: Vec<(InstructionField, u64)>) -> InstructionTemplate {
    InstructionTemplate::new(Opcode::Route, &fields)
}
