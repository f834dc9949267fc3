// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shortens WAITs of several cells together, because cells that interact in a cycle have to keep in step.

use drra_isa::CellId;

use super::{candidate::Candidate, shrinker::Shrinker};
use crate::CampaignError;

/// Number of WAITs per cell that are combined with WAITs of other cells, longest first.
const MAX_WAITS: usize = 4;

/// A static WAIT of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StaticWait {
    cell: CellId,
    at: usize,
    cycles: u64,
}

impl Shrinker<'_> {
    /// Shortens WAITs of different cells by the same number of cycles: first the longest WAIT of every cell, then
    /// pairs of WAITs.
    pub(super) fn shorten_together(&mut self) -> Result<(), CampaignError> {
        loop {
            let waits = self.long_waits();
            let of_cells = waits.chunk_by(|a, b| a.cell == b.cell);
            let mut groups = vec![of_cells.map(|longest| longest[0]).collect::<Vec<_>>()];
            for (k, a) in waits.iter().enumerate() {
                let others = waits[k + 1..].iter().filter(|b| b.cell != a.cell);
                groups.extend(others.map(|b| vec![*a, *b]));
            }
            let mut shorter = false;
            for group in groups.iter().filter(|group| group.len() > 1) {
                if self.shorten_all(group)? {
                    // The positions and cycles of the other WAITs may have changed.
                    shorter = true;
                    break;
                }
            }
            if !shorter || self.stopped {
                return Ok(());
            }
        }
    }

    /// Shortens all WAITs of a group by the same number of cycles, trying large numbers first; returns false if the
    /// failure is lost with every number.
    fn shorten_all(&mut self, group: &[StaticWait]) -> Result<bool, CampaignError> {
        let mut by = group.iter().map(|wait| wait.cycles - 1).min().unwrap_or(0);
        while by > 0 && !self.stopped {
            let shorten = |c: &mut Candidate| {
                group.iter().for_each(|wait| c.set_wait(wait.cell, wait.at, wait.cycles - by));
            };
            if self.change(shorten)? {
                return Ok(true);
            }
            by /= 2;
        }
        Ok(false)
    }

    /// The longest WAITs of each cell, in descending order, cell by cell.
    fn long_waits(&self) -> Vec<StaticWait> {
        let mut all = Vec::new();
        for (&cell, program) in &self.best.cells {
            let waits = program.iter().enumerate().filter_map(|(at, instruction)| {
                let cycles = instruction.wait_cycles().filter(|cycles| *cycles > 1)?;
                Some(StaticWait { cell, at, cycles })
            });
            let mut waits: Vec<StaticWait> = waits.collect();
            waits.sort_by_key(|wait| (u64::MAX - wait.cycles, wait.at));
            all.extend(waits.into_iter().take(MAX_WAITS));
        }
        all
    }
}
