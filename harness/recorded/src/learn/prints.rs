// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fingerprints of all signals of the dumps, and of all registers of the golden model.

use std::collections::{HashMap, HashSet};

use drra_case::Case;
use drra_isa::{
    Geometry, TileId, Unit,
    fabric::{Layout, Location, Register, RegisterId},
    ports::Block,
};
use drra_lockstep::GoldenRun;

use super::{
    common::Common,
    recording::Recordings,
    solve::Instance,
    track::{Track, mix, salt},
};
use crate::{
    dump::{DumpError, Shown},
    frames::Edge,
};

/// The fingerprints of the signals, by number, from the edges `starts` on.
pub(super) fn of_signals(
    common: &Common,
    recordings: Recordings<'_>,
    clock: (usize, Edge),
    starts: &[u64],
) -> Result<Vec<Track>, DumpError> {
    let all: Vec<usize> = (0..common.signals.len()).collect();
    let mut tracks: Vec<Track> = all.iter().map(|&n| Track::new(common.width(n))).collect();
    for (n, dump) in recordings.dumps() {
        let (salt, start) = (salt(n), starts[n]);
        let mut before: Vec<Option<Shown>> = vec![None; all.len()];
        common.edges((dump, n), clock, &all, &mut |edge, changes| {
            if edge > start {
                changes.iter().for_each(|(s, shown)| tracks[*s].set(salt, edge - start, shown));
                return;
            }
            changes.iter().for_each(|(s, shown)| before[*s] = Some(shown.clone()));
            if edge == start {
                for (track, shown) in tracks.iter_mut().zip(&mut before) {
                    match shown.take() {
                        Some(shown) => track.begin(salt, &shown),
                        None => track.begin_words(salt, &[]),
                    }
                }
            }
        })?;
    }
    Ok(tracks)
}

/// A write of a tile's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub(super) recording: usize,
    pub(super) tile: TileId,
    /// The first cycle in which the row has the new content.
    pub(super) cycle: u64,
    pub(super) row: usize,
    pub(super) data: Block,
}

/// The registers of the golden model with their fingerprints.
pub(super) struct Registers {
    pub(super) locations: Vec<Location>,
    pub(super) tracks: Vec<Track>,
    /// Where a register is in the two lists.
    pub(super) places: HashMap<Location, usize>,
    /// Writes of the memories, in order of time.
    pub(super) writes: Vec<Write>,
    /// A number for each change of a register: those of changes to equal values at the same time are equal.
    moments: Vec<Vec<u64>>,
}

impl Registers {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let of_unit = |unit: Unit| {
            let ids = RegisterId::ALL.iter().filter(move |id| id.info().unit == unit.kind());
            ids.flat_map(move |id| id.all(geometry)).filter_map(move |r| Location::new(unit, r))
        };
        let locations: Vec<Location> = Unit::all(geometry).flat_map(of_unit).collect();
        let width = |l: &Location| l.register.width(geometry);
        let tracks = locations.iter().map(|l| Track::new(width(l))).collect();
        let places = locations.iter().enumerate().map(|(n, l)| (*l, n)).collect();
        let moments = vec![Vec::new(); locations.len()];
        Self { locations, tracks, places, writes: Vec::new(), moments }
    }

    /// Different changes of some registers: of those that change to equal values at the same time one counts.
    pub(super) fn different_changes(&self, instances: &[Instance]) -> usize {
        let moments = instances.iter().flat_map(|i| &self.moments[i.register]);
        moments.collect::<HashSet<_>>().len()
    }

    fn set(&mut self, place: Location, (salt, cycle): (u64, u64), words: &[u64]) {
        let number = self.places[&place];
        if self.tracks[number].set_words(salt, cycle, words) {
            self.moments[number].push(words.iter().fold(mix(salt, cycle), |m, w| mix(m, *w)));
        }
    }

    /// Adds the run of a case of so many cycles.
    pub(super) fn run(&mut self, n: usize, case: &Case, cycles: u64) {
        let salt = salt(n);
        let layout = Layout::new(&case.geometry);
        let mut run = GoldenRun::new(case);
        let mut images: HashMap<Unit, Vec<u64>> = HashMap::new();
        for (location, track) in self.locations.iter().zip(&mut self.tracks) {
            track.begin_words(salt, &run.fabric.value(*location).unwrap_or_default());
        }
        for unit in layout.units() {
            images.insert(unit, run.fabric.image(unit).to_vec());
        }
        for cycle in 1..cycles {
            run.step();
            run.fabric.pack();
            for unit in layout.units() {
                let (image, before) = (run.fabric.image(unit), images.entry(unit).or_default());
                if image != before.as_slice() {
                    self.changes(&layout, unit, before, image, (salt, cycle));
                    before.copy_from_slice(image);
                }
                let Unit::Tile(tile) = unit else { continue };
                if let Some(row) = run.fabric.written_row(tile) {
                    let place = Location { unit, register: Register::TileSram(row) };
                    let data = run.fabric.sram(tile)[row];
                    self.set(place, (salt, cycle), &data);
                    self.writes.push(Write { recording: n, tile, cycle, row, data });
                }
            }
        }
    }

    fn changes(
        &mut self,
        layout: &Layout,
        unit: Unit,
        before: &[u64],
        image: &[u64],
        moment: (u64, u64),
    ) {
        for variable in layout.variables_of(unit.kind()) {
            let words = variable.words(image);
            if words == variable.words(before) {
                continue;
            }
            for field in &variable.fields {
                let place = Location { unit, register: field.register };
                self.set(place, moment, &field.value(words));
            }
        }
    }
}
