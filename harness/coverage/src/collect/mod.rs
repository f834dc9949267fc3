// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches the golden model and notes which bins a case hits. `cell` is what concerns a cell alone,
//! `words` its register file.

mod cell;
mod hits;
mod words;

use drra_case::Case;
use drra_golden::Arrival;
use drra_golden::ColumnActivity;
use drra_golden::Fabric;
use drra_golden::PatternPhase;
use drra_golden::TileActivity;
use drra_isa::CellId;
use drra_isa::ColumnId;
use drra_isa::Geometry;
use drra_isa::TileId;
use drra_isa::fabric::AguId;
use drra_lockstep::Observer;

use self::cell::CellWatch;
use self::hits::Hits;
use self::words::WordWatch;
use crate::Coverage;
use crate::groups::Table;
use crate::groups::column::ColumnEvents;
use crate::groups::column::ColumnPairs;
use crate::groups::column::Shared;
use crate::groups::messages::Meetings;
use crate::groups::messages::Successions;
use crate::groups::patterns::GeneratorPairs;
use crate::groups::patterns::IoOffers;
use crate::groups::patterns::TileOffers;
use crate::groups::segments::Closings;
use crate::observed::Event;
#[cfg(test)]
use crate::observed::Observed;

/// Collects the bins of one case after the other. A bin is a situation at a cell, in a column or in a tile, wherever
/// that is: cases of all sizes of the fabric hit the same bins.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    geometry: Geometry,
    io_cells: u64,
    hits: Hits,
    cells: Vec<CellWatch>,
    words: Vec<WordWatch>,
    columns: Vec<ColumnWatch>,
    /// Messages that entered each tile in the last cycle.
    arrivals: Vec<[Option<Arrival>; 4]>,
}

/// What a column did in the current cycle and in those before, the latest first: for each row a set
/// of [`Shared`] as bits.
#[derive(Clone, Debug, Default)]
struct ColumnWatch {
    events: [[u8; Geometry::ROWS]; ColumnEvents::MOST + 1],
}

/// Makes a list of so many equal elements.
fn renew<T: Clone>(list: &mut Vec<T>, count: usize, element: T) {
    list.clear();
    list.resize(count, element);
}

impl Collector {
    /// A collector that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a case.
    pub fn start(&mut self, case: &Case) {
        self.io_cells = case.straps();
        self.geometry = case.geometry;
        self.hits.clear();
        let cells = case.geometry.cells();
        renew(&mut self.cells, cells, CellWatch::default());
        renew(&mut self.words, cells, WordWatch::default());
        renew(&mut self.columns, case.geometry.columns, ColumnWatch::default());
        renew(&mut self.arrivals, case.geometry.tiles(), [None; 4]);
    }

    /// Bins that the case has hit, ascending.
    pub fn bins(&self) -> impl Iterator<Item = u32> + '_ {
        self.hits.bins()
    }

    /// Bins of the case that `known` has seen less than twice; `known` learns them.
    pub fn rare_bins(&self, known: &mut Coverage) -> Vec<u32> {
        let rare: Vec<u32> = self.bins().filter(|b| known.is_rare(*b)).collect();
        known.add(&rare);
        rare
    }

    /// Notes the bins that an observation hits.
    #[cfg(test)]
    pub(crate) fn observe(&mut self, seen: &Observed<'_>) {
        self.hits.observe(seen);
    }

    /// Messages, and instructions that both cells of a column decode.
    fn column_before(&mut self, golden: &Fabric, column: ColumnId) {
        let [top, bottom] = column.cells().map(|c| c.index(&self.geometry));
        if let (Some(a), Some(b)) = (self.cells[top].decoded, self.cells[bottom].decoded) {
            self.hits.note(Table::ColumnPairs, ColumnPairs::bin([a, b]));
        }
        let watch = &mut self.columns[column.col()];
        watch.events.rotate_right(1);
        watch.events[0] = [0; Geometry::ROWS];
        if golden.messages(column) == 0 {
            return;
        }
        for cell in column.cells() {
            let message = golden.message(cell).and_then(|(kind, w)| Shared::message(kind, w));
            if let Some(event) = message {
                watch.events[0][cell.row()] |= 1 << event as u8;
            }
        }
        if watch.events[0].iter().all(|events| *events != 0) {
            self.hits.event(Event::BothRowsSend);
        }
    }

    /// Block transfers, and what both rows of a column do within a few cycles.
    fn column_after(&mut self, golden: &Fabric, column: ColumnId) {
        let watch = &mut self.columns[column.col()];
        let mut blocks = [false; Geometry::ROWS];
        for cell in column.cells() {
            let rf = golden.register_file(cell);
            if rf.emits_nothing() {
                continue;
            }
            let reads = rf.emitted(AguId::Rb).is_some();
            blocks[cell.row()] = reads;
            let events = &mut watch.events[0][cell.row()];
            *events |= u8::from(reads) << Shared::BlockRead as u8;
            let writes = rf.emitted(AguId::Wb).is_some();
            *events |= u8::from(writes) << Shared::BlockWrite as u8;
        }
        if blocks == [true; Geometry::ROWS] {
            self.hits.event(Event::BothRowsRead);
        }
        let [now, earlier @ ..] = &watch.events;
        let hits = &mut self.hits;
        if *now == [0; Geometry::ROWS] {
            return;
        }
        ColumnEvents::bins(*now, 0, |bin| {
            hits.note(Table::ColumnEvents, bin);
        });
        for (cycles, before) in (1..).zip(earlier) {
            for (rows, distance) in [([before[0], now[1]], cycles), ([now[0], before[1]], -cycles)]
            {
                ColumnEvents::bins(rows, distance, |bin| {
                    hits.note(Table::ColumnEvents, bin);
                });
            }
        }
    }

    /// What happens to the generators of an I/O unit.
    fn io_unit(&mut self, activity: &ColumnActivity) {
        for (generator, offer) in activity.offers.iter().enumerate() {
            if let Some(offer) = offer {
                self.hits.note(Table::IoOffers, IoOffers::bin(generator, offer));
            }
        }
        self.hits.note(Table::IoPairs, GeneratorPairs::bin(activity.phases));
    }

    /// What meets in a tile.
    fn tile(&mut self, index: usize, activity: &TileActivity) {
        let hits = &mut self.hits;
        let before = std::mem::replace(&mut self.arrivals[index], activity.arrivals);
        if activity.arrivals != [None; 4] {
            Meetings::bins(&activity.arrivals, |bin| {
                hits.note(Table::Meetings, bin);
            });
            Successions::bins(&before, &activity.arrivals, |bin| {
                hits.note(Table::Successions, bin);
            });
        }
        for (generator, offer) in activity.offers.iter().enumerate() {
            if let Some(offer) = offer {
                hits.note(Table::TileOffers, TileOffers::bin(generator, offer));
            }
        }
        let works = activity.phases != [PatternPhase::Idle; 2];
        if works || activity.offers != [None; 2] {
            hits.note(Table::GeneratorPairs, GeneratorPairs::bin(activity.phases));
        }
        if activity.routes > 0 {
            Closings::bins(activity.routes, &activity.closed, |bin| {
                hits.note(Table::Closings, bin);
            });
        }
        if activity.routes > 1 {
            hits.event(Event::SeveralRoutes);
        }
        if activity.lost {
            hits.event(Event::Lost);
        }
        match (activity.read, activity.init.or(activity.write)) {
            (Some(r), Some(w)) if r == w => hits.event(Event::PassThrough),
            (Some(_), Some(_)) => hits.event(Event::ReadAndWrite),
            _ => {}
        }
        if activity.init.is_some() && activity.write.is_some() {
            hits.event(Event::InitAgainstPattern);
        }
    }
}

impl Observer for Collector {
    fn before(&mut self, golden: &Fabric, _cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            let index = cell.index(&self.geometry);
            let io_cell = self.io_cells >> index & 1 == 1;
            self.cells[index].before(golden, cell, io_cell, &mut self.hits);
        }
        for column in ColumnId::all(&self.geometry) {
            self.column_before(golden, column);
        }
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        for cell in CellId::all(&self.geometry) {
            let index = cell.index(&self.geometry);
            self.cells[index].after(golden, cell, &mut self.hits);
            let rf = golden.register_file(cell);
            self.words[index].after(rf, self.geometry.rf_words, cycle, &mut self.hits);
        }
        for column in ColumnId::all(&self.geometry) {
            self.column_after(golden, column);
            if let Some(activity) = golden.column_activity(column) {
                self.io_unit(activity);
            }
        }
        for tile in TileId::all(&self.geometry) {
            let index = tile.index(&self.geometry);
            if golden.is_active(tile) {
                self.tile(index, golden.tile_activity(tile));
            } else if self.arrivals[index] != [None; 4] {
                self.arrivals[index] = [None; 4];
            }
        }
    }
}
