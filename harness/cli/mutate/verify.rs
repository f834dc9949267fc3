// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares mutants of a model with many with builds of their single change.

use std::fs;

use drra_mutate::record::Found;
use drra_mutate::worker::Task;
use drra_mutate::worker::Work;

use super::Run;
use super::model;
use super::pool;
use crate::cli::error::CommandError;
use crate::cli::error::file;

impl Run<'_> {
    /// Compares some mutants with builds of their single change.
    pub(super) fn verify(&mut self, fabric: &str) -> Result<(), CommandError> {
        let open = self.without(&|r| {
            matches!(r.found, Found::Illegal { .. } | Found::Verified | Found::Deviates { .. })
        });
        // Spread over all of them.
        let step = (open.len() / self.a.verify.max(1)).max(1);
        for candidate in open.iter().step_by(step).take(self.a.verify) {
            if self.stopped() {
                break;
            }
            let number = candidate.mutant.number;
            let known = self.records.iter().find(|r| r.mutant == number && r.fabric == fabric);
            let Some(known) = known.map(|r| r.found.clone()) else { continue };
            let folder = self.folder.join("single");
            fs::create_dir_all(&folder).map_err(|e| file(&folder, e, ""))?;
            let program = model::build_single(self.rtl, candidate, fabric, &folder)?;
            let mut single = None;
            let work = Work::Campaign { first: 0, end: self.plan.cases };
            pool(self.a, self.plan, &program, &self.stop).run(
                vec![(number, Task { slot: 0, work })],
                &mut |_, found| {
                    single = Some(found);
                    Ok(())
                },
            )?;
            let Some(single) = single else { break };
            let found = if same(&known, &single) {
                Found::Verified
            } else {
                Found::Deviates {
                    message: format!("{known:?} in the model with many, alone {single:?}"),
                }
            };
            self.found(number, fabric, found)?;
        }
        Ok(())
    }
}

/// True if two results tell of the same behaviour.
fn same(a: &Found, b: &Found) -> bool {
    match (a, b) {
        (Found::Killed(a), Found::Killed(b)) => {
            (a.by, a.case, a.cycle, &a.path) == (b.by, b.case, b.cycle, &b.path)
        }
        (a, b) => a == b,
    }
}
