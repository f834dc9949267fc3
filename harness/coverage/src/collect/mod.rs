// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches the golden model and records which bins a case hits. `cell` covers single cells, `words` their register
//! files.

mod cell;
mod hits;
mod words;

use drra_case::Case;
use drra_fabric::{Generator, Side};
use drra_golden::{Arrival, ColumnActivity, Fabric, PatternPhase, TileActivity};
use drra_isa::{Geometry, TileId};
use drra_lockstep::{EndRule, LockstepRun, Observer};

use self::{cell::CellMonitor, hits::Hits, words::WordMonitor};
use crate::{
    coverage::Coverage,
    covergroups::{
        arbitration::TileChoices,
        events::Event,
        instructions::{ColumnEvents, ColumnPairs, Shared},
        limits::{self, Carries, LongCounters, LongPatterns},
        messages::{Closings, Meetings, Successions},
        patterns::{IoOffers, IoPairs, TileOffers, TilePairs},
    },
};

/// Collects the bins of one case after another. A bin is a situation in a cell, column or tile, regardless of its
/// position, so cases of all fabric sizes count towards the same bins.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    geometry: Geometry,
    io_cells: u64,
    hits: Hits,
    cells: Vec<CellMonitor>,
    words: Vec<WordMonitor>,
    columns: Vec<RecentColumnEvents>,
    tiles: Vec<TileArrivals>,
    /// Choices between the sides of each tile for a generator, which takes the configuration in the next cycle unless it
    /// is busy.
    choices: Vec<Vec<TileChoices>>,
    /// Counters of the patterns of each tile that have not ended, if they are long.
    long: Vec<[LongCounters; 2]>,
}

/// Events of a column in the previous cycles, latest first: for each row, a set of [`Shared`] as bits.
type RecentColumnEvents = [[u8; Geometry::ROWS]; ColumnEvents::MAX_DISTANCE];

/// The cycle after the one in which messages entered a tile, and these messages.
type TileArrivals = (u64, [Option<Arrival>; 4]);

/// Makes a list of `count` equal elements.
fn renew<T: Clone>(list: &mut Vec<T>, count: usize, element: T) {
    list.clear();
    list.resize(count, element);
}

impl Collector {
    /// An empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a case.
    pub fn start(&mut self, case: &Case) {
        self.io_cells = case.straps();
        self.geometry = case.geometry;
        self.hits.clear();
        let cells = case.geometry.cells();
        renew(&mut self.cells, cells, CellMonitor::new(case.geometry.columns));
        renew(&mut self.words, cells, WordMonitor::default());
        renew(&mut self.columns, case.geometry.columns, RecentColumnEvents::default());
        renew(&mut self.tiles, case.geometry.tiles(), TileArrivals::default());
        renew(&mut self.choices, case.geometry.tiles(), Vec::new());
        renew(&mut self.long, case.geometry.tiles(), [0; 2]);
    }

    /// Runs a case with a fixed number of cycles on the golden model alone, to its end or to an earlier cycle, and
    /// collects its bins.
    pub fn run(&mut self, case: &Case, until: Option<u64>) {
        self.start(case);
        let length = case.cycles.unwrap_or(0);
        let end = EndRule::at(until.map_or(length, |cycle| cycle.min(length)));
        LockstepRun::alone(case).run(end, self);
    }

    /// Bins that the case has hit, in ascending order.
    pub fn bins(&self) -> impl Iterator<Item = u32> + '_ {
        self.hits.bins()
    }

    /// Bins of the case that `known` has seen fewer than twice; they are added to `known`.
    pub fn rare_bins(&self, known: &mut Coverage) -> Vec<u32> {
        let rare: Vec<u32> = self.bins().filter(|b| known.is_rare(*b)).collect();
        known.add(&rare);
        rare
    }

    /// Samples what the two cells of each column do in the same cycle or within a few cycles of each other.
    fn columns(&mut self) {
        let (top, bottom) = self.cells.split_at(self.geometry.columns);
        let hits = &mut self.hits;
        for ((top, bottom), before) in top.iter().zip(bottom).zip(&mut self.columns) {
            if let (Some(a), Some(b)) = (top.decoded, bottom.decoded) {
                hits.note(ColumnPairs::new([a, b]));
            }
            let now = [top.shares, bottom.shares];
            if now != [0; Geometry::ROWS] {
                column_events(now, before, hits);
                let both = |events| now.iter().all(|of| of & events != 0);
                if both(Shared::MESSAGES) && top.payload != bottom.payload {
                    hits.event(Event::BothRowsSend);
                }
                if both(1 << Shared::BlockRead as u8) && top.block != bottom.block {
                    hits.event(Event::BothRowsRead);
                }
            }
            *before = [now, before[0]];
        }
    }

    /// Samples the generators of an I/O unit. Few are active, so this and the like are not inlined.
    #[inline(never)]
    fn io_unit(&mut self, activity: &ColumnActivity) {
        let offers = Generator::ALL.iter().zip(&activity.offers);
        self.hits.note_all(offers.filter_map(|(g, o)| Some(IoOffers::new(*g, o.as_ref()?))));
        let taken = activity.offers.iter().flatten().filter(|offer| offer.phase.accepts());
        self.hits.note_all(taken.filter_map(|offer| Carries::new(&offer.config, None)));
        let [read, write] = activity.phases;
        self.hits.note(IoPairs { read, write });
    }

    /// Samples messages that meet in a tile, and its generators.
    #[inline(never)]
    fn tile(&mut self, index: usize, activity: &TileActivity, cycle: u64) {
        let hits = &mut self.hits;
        if activity.arrivals != [None; 4] {
            hits.note_all(Meetings::bins(activity.arrivals));
            let now = (cycle + 1, activity.arrivals);
            let (next, before) = std::mem::replace(&mut self.tiles[index], now);
            if next == cycle {
                hits.note_all(Successions::bins(before, activity.arrivals));
            }
        }
        let offers = Generator::ALL.iter().zip(&activity.offers);
        hits.note_all(offers.filter_map(|(g, o)| Some(TileOffers::new(*g, o.as_ref()?))));
        let choices = std::mem::take(&mut self.choices[index]).into_iter();
        hits.note_all(
            choices.filter(|c| c.generator().is_some_and(|g| activity.taken[g as usize])),
        );
        for (k, long) in self.long[index].iter_mut().enumerate() {
            if *long != 0 && activity.phases[k] == PatternPhase::RunLast {
                hits.note_all(LongPatterns::ended(1, std::mem::take(long)));
            }
            if let Some(offer) = activity.offers[k].filter(|_| activity.taken[k]) {
                *long = limits::long_rows(&offer.config);
                hits.note_all(Carries::new(&offer.config, Some(self.geometry.sram_blocks)));
            }
        }
        let works = activity.phases != [PatternPhase::Idle; 2];
        if works || activity.offers != [None; 2] {
            let [read, write] = activity.phases;
            hits.note(TilePairs { read, write });
        }
        if activity.routes > 0 {
            hits.note_all(Closings::bins(activity.routes, activity.closed));
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
        match (activity.read, activity.init) {
            (Some(r), Some(w)) if r == w => hits.event(Event::InitOfRead),
            (Some(_), Some(_)) => hits.event(Event::InitBesideRead),
            _ => {}
        }
        if activity.init.is_some() && activity.write.is_some() {
            hits.event(Event::InitAgainstPattern);
        }
    }
}

/// Samples events of both rows of a column in this cycle, alone and combined with earlier ones.
#[inline(never)]
fn column_events(now: [u8; Geometry::ROWS], before: &RecentColumnEvents, hits: &mut Hits) {
    hits.note_all(ColumnEvents::bins(now, 0));
    for (cycles, before) in (1..).zip(before) {
        hits.note_all(ColumnEvents::bins([before[0], now[1]], cycles));
        hits.note_all(ColumnEvents::bins([now[0], before[1]], -cycles));
    }
}

impl Observer for Collector {
    fn pre_edge(&mut self, golden: &Fabric, _cycle: u64) {
        for (index, (cell, watch)) in golden.cells().zip(&mut self.cells).enumerate() {
            watch.before(cell, self.io_cells >> index & 1 == 1, &mut self.hits);
        }
    }

    fn post_edge(&mut self, golden: &Fabric, cycle: u64) {
        let watches = self.cells.iter_mut().zip(&mut self.words);
        for (cell, (watch, words)) in golden.cells().zip(watches) {
            // A step with an access or a launch is not repeated; the work of a DPU can be.
            if cell.executed() || watch.work.is_some() {
                watch.after(golden, cell, &mut self.hits);
            }
            if cell.executed() {
                words.after(cell, cycle, &mut self.hits);
            }
        }
        self.columns();
        for activity in golden.active_columns() {
            self.io_unit(activity);
        }
        for (index, activity) in golden.active_tiles() {
            self.tile(index, activity, cycle);
            if activity.arrivals != [None; 4]
                && let Some(tile) = TileId::from_index(index, &self.geometry)
            {
                let sides = std::array::from_fn(|k| golden.side(tile, Side::ALL[k]));
                let choices = TileChoices::bins(activity.arrivals, sides);
                let (later, now): (Vec<_>, Vec<_>) =
                    choices.partition(|choice| choice.generator().is_some());
                self.choices[index] = later;
                self.hits.note_all(now);
            }
        }
    }
}
