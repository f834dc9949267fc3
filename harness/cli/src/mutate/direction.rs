// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it brings to direct cases at empty bins: mutants that are found late are run again, with several
//! seeds of the campaign, with and without it.

use std::path::Path;

use drra_mutate::{
    record::Found,
    summary::LATE,
    worker::{Task, Work},
};

use super::{Run, pool};
use crate::{console::note, error::CommandError};

impl Run<'_> {
    /// Runs the mutants again that the first cases did not kill; seeds follow that of the run.
    pub(super) fn direction(&mut self, fabric: &str) -> Result<(), CommandError> {
        let late = |found: &Found| matches!(found, Found::Killed(k) if k.case >= LATE);
        let late = self.records.iter().filter(|r| r.fabric == fabric && late(&r.found));
        let late: Vec<u32> = late.map(|r| r.mutant).collect();
        if self.a.direction == 0 || late.is_empty() || self.stopped() {
            return Ok(());
        }
        let open = self.mutants.iter().filter(|c| late.contains(&c.mutant.number));
        let (model, _) = self.behaving(&open.cloned().collect::<Vec<_>>(), fabric)?;
        let first = self.plan.seed + 1;
        for seed in first..first + self.a.direction {
            for directed in [true, false] {
                let done = |number: &u32| {
                    self.records.iter().any(|r| match r.found {
                        Found::Again { seed: s, directed: d, .. } => {
                            r.mutant == *number && (s, d) == (seed, directed)
                        }
                        _ => false,
                    })
                };
                let work = Work::Campaign { first: 0, end: self.plan.cases };
                let task = |n: u32| (n, Task { slot: model.slot(n), work: work.clone() });
                let tasks = late.iter().filter(|n| !done(n)).map(|n| task(*n)).collect();
                self.again(&model.program, tasks, fabric, seed, directed)?;
            }
            note!("{fabric}: {} late mutants with seed {seed}", late.len());
        }
        Ok(())
    }

    fn again(
        &mut self,
        program: &Path,
        tasks: Vec<(u32, Task)>,
        fabric: &str,
        seed: u64,
        directed: bool,
    ) -> Result<(), CommandError> {
        let stop = std::sync::Arc::clone(&self.stop);
        let mut pool = pool(self.a, self.plan, program, &stop);
        (pool.seed, pool.directed) = (seed, directed);
        pool.run(tasks, &mut |mutant, found| {
            let cases = match found {
                Found::Killed(k) => Some(k.case + 1),
                _ => None,
            };
            self.found(mutant, fabric, Found::Again { seed, directed, cases })
        })
    }
}
