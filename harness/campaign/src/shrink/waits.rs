// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shortens WAITs of several cells together, because cells that interact in a cycle have to keep in step.

use drra_isa::CellId;

use super::{candidate::Candidate, shrinker::Shrinker};
use crate::CampaignError;

/// Number of WAITs per cell that are combined with WAITs of other cells, longest first.
const TRIED: usize = 4;

/// A static WAIT of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    cell: CellId,
    at: usize,
    cycles: u64,
}

impl Shrinker<'_> {
    /// Shortens WAITs of different cells by the same number of cycles: first the longest WAITs of all cells, then
    /// pairs.
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
    /// failure is lost with all of them.
    fn shorten_all(&mut self, group: &[Wait]) -> Result<bool, CampaignError> {
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
    fn long_waits(&self) -> Vec<Wait> {
        let mut all = Vec::new();
        for (&cell, program) in &self.best.cells {
            let waits = program.iter().enumerate().filter_map(|(at, instruction)| {
                let cycles = instruction.wait_cycles().filter(|cycles| *cycles > 1)?;
                Some(Wait { cell, at, cycles })
            });
            let mut waits: Vec<Wait> = waits.collect();
            waits.sort_by_key(|wait| (u64::MAX - wait.cycles, wait.at));
            all.extend(waits.into_iter().take(TRIED));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use drra_case::{Case, Expect};
    use drra_isa::{Assembler, CellId, Geometry, MemoryImage};
    use drra_lockstep::GoldenRun;

    use super::super::{Bounds, shrink};
    use crate::{CampaignError, case_run::CaseFailure};

    /// Fails in the first cycle in which the DPUs of cells (0,0) and (1,0) enter mode `add` together.
    fn meet(case: &Case) -> Result<Option<CaseFailure>, CampaignError> {
        let mut run = GoldenRun::new(case);
        let add = |run: &GoldenRun<'_>, row: usize| {
            let cell = drra_isa::CellId::new(row, 0).unwrap();
            run.fabric.dpu(cell).mode() == drra_isa::instructions::DpuMode::Add
        };
        let mut before = [false; 2];
        for cycle in 0..case.cycles.unwrap_or(1000) {
            let now = [add(&run, 0), add(&run, 1)];
            if now == [true; 2] && before == [false; 2] {
                let expect = Expect { cycle, path: "both".to_owned() };
                let signature = "meet".to_owned();
                return Ok(Some(CaseFailure { signature, expect, crash: None, note: None }));
            }
            before = now;
            run.step();
        }
        Ok(None)
    }

    /// Cell (1,0) is loaded after cell (0,0), and starts a cycle later: their WAITs differ, and neither can be
    /// shortened alone.
    #[test]
    fn waits_that_meet_become_shorter_together() {
        let text = "CELL <0,0>\nWAIT cycle=177\nDPU mode=add\nHALT\n\
                    CELL <1,0>\nWAIT cycle=176\nDPU mode=add, unused_0=5\nHALT\n";
        let image = Assembler::default().assemble(text).unwrap().image;
        let mut case = Case::new("meet", &Geometry::default(), image, MemoryImage::default());
        case.cycles = Some(400);
        let failure = meet(&case).unwrap().expect("both meet");
        let bounds = Bounds { steps: 3000, time: std::time::Duration::from_secs(1000) };
        let shrunk = shrink(&case, &failure, &meet, bounds, &|| false, &|_| true).unwrap();
        assert!(shrunk.complete);
        assert!(shrunk.after.cycles < 20, "{} cycles are left", shrunk.after.cycles);
        // No unusual value is left in a field that has no meaning.
        let plain = Assembler::default().assemble("DPU mode=add").unwrap().image;
        let plain = plain.cell(CellId::FIRST).unwrap()[0].bits;
        for (cell, words) in shrunk.case.program.cells() {
            assert!(words.iter().any(|word| word.bits == plain), "{cell:?}: {words:?}");
        }
    }
}
