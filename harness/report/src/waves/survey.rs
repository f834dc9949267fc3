// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run contains, found before anything is written.

use std::{collections::BTreeSet, ops::ControlFlow};

use drra_case::Case;
use drra_golden::Fabric;
use drra_isa::{
    TileId, Unit,
    fabric::{Location, RegisterId},
};
use drra_lockstep::{DutError, EndRule, Now, Observer, Pair, Setup, StepError};

use super::Window;

/// What a run contains, found before anything is written.
pub(super) struct Survey {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) mismatch: Option<u64>,
    /// What differs, in the order in which it begins to.
    pub(super) differing: Vec<Location>,
    /// Rows of the memories that change or differ.
    pub(super) rows: BTreeSet<(TileId, usize)>,
}

/// Surveys a run.
struct Surveyor {
    found: Survey,
    seen: BTreeSet<Location>,
}

impl Observer for Surveyor {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        let (found, cycle, golden) = (&mut self.found, now.cycle, now.golden);
        if cycle >= found.from
            && let Some(dut) = now.dut
            && (!dut.agrees(golden) || !dut.srams_agree(golden))
        {
            found.mismatch.get_or_insert(cycle);
            for d in dut.differences(golden) {
                found.rows.extend(row_of(d.location));
                if self.seen.insert(d.location) {
                    found.differing.push(d.location);
                }
            }
        }
        found.to = cycle;
        ControlFlow::Continue(())
    }

    fn after(&mut self, golden: &Fabric, cycle: u64) {
        if cycle >= self.found.from {
            for tile in TileId::all(golden.geometry()) {
                self.found.rows.extend(golden.written_row(tile).map(|row| (tile, row)));
            }
        }
    }

    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Finds what a window of a run contains.
pub(super) fn survey(case: &Case, setup: &Setup<'_>, window: Window) -> Result<Survey, DutError> {
    let (from, end) = match window {
        Window::Around { cycle, before, after } => {
            (cycle.saturating_sub(before), EndRule::at(cycle.saturating_add(after)))
        }
        Window::Full => (0, setup.end(case)),
    };
    let found =
        Survey { from, to: from, mismatch: None, differing: Vec::new(), rows: BTreeSet::new() };
    let mut surveyor = Surveyor { found, seen: BTreeSet::new() };
    Pair::replay(case, setup.design)?.run(end, &mut surveyor);
    Ok(surveyor.found)
}

/// Row of a tile's memory, if that is what stands there.
pub(super) fn row_of(location: Location) -> Option<(TileId, usize)> {
    match (location.unit, location.register.id()) {
        (Unit::Tile(tile), RegisterId::TileSram) => Some((tile, location.register.key().index())),
        _ => None,
    }
}
