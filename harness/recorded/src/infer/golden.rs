// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes the fingerprints of the registers of the golden model, and finds cycle 0 in a waveform without ports.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use drra_case::Case;
use drra_fabric::{Layout, Location, Register};
use drra_golden::Fabric;
use drra_isa::{Geometry, TileId, Unit};
use drra_lockstep::{GoldenRun, Value, between};

use super::{
    fingerprint::{Fingerprint, add, later, moment, times},
    memory::BlockWrite,
    runs::CommonSignals,
};
use crate::waveform::{WaveformError, WaveformValue};

/// Minimum and maximum number of changes of each register that is used to look for cycle 0.
const CHANGES: std::ops::RangeInclusive<u64> = 4..=200;
/// Minimum number of matching bits, with distinct changes, for an edge to be accepted as the end of cycle 0.
const MIN_MATCHES: usize = 4;

/// A register of the golden model.
pub(super) struct GoldenRegister {
    pub(super) location: Location,
    pub(super) fingerprint: Fingerprint,
    /// A number for each change; changes to equal values at the same time have the same number.
    pub(super) moments: Vec<u64>,
}

impl GoldenRegister {
    fn set(&mut self, moment: u64, words: &[u64]) {
        let shown = WaveformValue::Bits(Value::new(words, self.fingerprint.width));
        if self.fingerprint.set(moment, &shown) {
            let mut hasher = DefaultHasher::new();
            (moment, words).hash(&mut hasher);
            self.moments.push(hasher.finish());
        }
    }
}

/// All registers of a golden model.
pub(super) struct GoldenRegisters {
    pub(super) all: Vec<GoldenRegister>,
    /// The position of a register in the list.
    pub(super) places: HashMap<Location, usize>,
    /// The writes to the memories of the tiles.
    pub(super) writes: Vec<BlockWrite>,
    /// The times of the writes, by tile.
    pub(super) enables: Vec<Fingerprint>,
}

impl GoldenRegisters {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let golden = |location: Location| {
            let fingerprint = Fingerprint::new(location.register.width(geometry));
            GoldenRegister { location, fingerprint, moments: Vec::new() }
        };
        let all: Vec<GoldenRegister> = Layout::new(geometry).locations().map(golden).collect();
        let places = all.iter().enumerate().map(|(n, golden)| (golden.location, n)).collect();
        let enables = TileId::all(geometry).map(|_| Fingerprint::new(1)).collect();
        Self { all, places, writes: Vec::new(), enables }
    }

    /// Adds the writes at the end of a cycle.
    fn write(&mut self, case_run: usize, cycle: u64, fabric: &Fabric) {
        let tiles = TileId::all(fabric.geometry());
        for (tile, (id, enable)) in tiles.zip(&mut self.enables).enumerate() {
            let row = fabric.written_row(id);
            let level = WaveformValue::Bits(Value::new([row.is_some().into()], 1));
            match (cycle, moment(case_run, cycle)) {
                (0, moment) => enable.begin(moment, Some(&level)),
                (_, moment) => _ = enable.set(moment, &level),
            }
            let write =
                |row| BlockWrite { case_run, cycle, tile, row, block: fabric.sram(id)[row] };
            self.writes.extend(row.map(write));
        }
    }

    /// Adds a run of a case for this many cycles. Only registers that changed are read from the images; reading all
    /// registers in every cycle takes four times as long.
    pub(super) fn run(&mut self, case_run: usize, case: &Case, cycles: u64) {
        let layout = Layout::new(&case.geometry);
        let mut run = GoldenRun::new(case);
        for golden in &mut self.all {
            let value = run.fabric.value(golden.location);
            let shown =
                value.map(|v| WaveformValue::Bits(Value::new(&v, golden.fingerprint.width)));
            golden.fingerprint.begin(moment(case_run, 0), shown.as_ref());
        }
        let of = |unit| (unit, run.fabric.image(unit).to_vec());
        let mut images: Vec<(Unit, Vec<u64>)> = layout.units().map(of).collect();
        for cycle in 1..=cycles {
            run.step();
            self.write(case_run, cycle - 1, &run.fabric);
            if cycle == cycles {
                break;
            }
            run.fabric.pack();
            let moment = moment(case_run, cycle);
            let mut set = |location, words: &[u64]| {
                self.all[self.places[&location]].set(moment, words);
            };
            for (unit, before) in &mut images {
                let image = run.fabric.image(*unit);
                between(&layout, *unit, before, image)
                    .for_each(|(_, change)| set(change.location, change.dut.words()));
                before.copy_from_slice(image);
                if let Unit::Tile(tile) = *unit
                    && let Some(row) = run.fabric.written_row(tile)
                {
                    let register = Register::TileSram(row);
                    set(Location { unit: *unit, register }, &run.fabric.sram(tile)[row]);
                }
            }
        }
    }
}

/// For a run that does not show the ports: the edge that ends cycle 0, and the number of cycles from there on. The edge
/// is the one for which the most register bits of the case change like bits of signals. `None` if no edge fits.
pub(super) fn align(
    signals: &CommonSignals<'_>,
    case_run: usize,
) -> Result<Option<(u64, u64)>, WaveformError> {
    let case = &signals.runs[case_run].case;
    let toggles = |fingerprints: &mut dyn Iterator<Item = &Fingerprint>| -> HashSet<u64> {
        fingerprints
            .flat_map(|p| &p.bits)
            .map(|bit| bit.toggles)
            .filter(|toggles| *toggles != 0)
            .collect()
    };
    let width = |n| Fingerprint::new(signals.width(n));
    let mut fingerprints: Vec<Fingerprint> = (0..signals.all.len()).map(width).collect();
    let edges = add(signals, case_run, 0, &mut fingerprints)?;
    let seen = toggles(&mut fingerprints.iter());
    let mut registers = GoldenRegisters::new(&case.geometry);
    registers.run(case_run, case, edges);
    let moving =
        registers.all.iter().map(|g| &g.fingerprint).filter(|p| CHANGES.contains(&p.changes));
    let moving = toggles(&mut { moving });
    let found = |start: u64| {
        let factor = later(start as i64);
        moving.iter().filter(|toggles| seen.contains(&times(**toggles, factor))).count()
    };
    let best =
        (0..edges).map(|start| (found(start), start)).max_by_key(|(n, s)| (*n, u64::MAX - s));
    Ok(best.filter(|(count, _)| *count >= MIN_MATCHES).map(|(_, start)| (start, edges - start)))
}
