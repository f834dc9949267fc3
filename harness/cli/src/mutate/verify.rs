// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares mutants of a model with many with builds of their single change.

use std::fs;

use drra_mutate::{
    record::{Found, Killed},
    worker::{Task, Work},
};

use super::{Run, model, pool};
use crate::error::{CommandError, file};

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
            let [many, alone] = [&known, &single].map(behaviour);
            let found = if many == alone {
                Found::Verified
            } else {
                Found::Deviates { message: format!("{many} in the model with many, alone {alone}") }
            };
            self.found(number, fabric, found)?;
        }
        Ok(())
    }
}

/// What a result tells of the behaviour: an assertion stands in another line of the model with many.
fn behaviour(found: &Found) -> String {
    let Found::Killed(killed) = found else { return format!("{found:?}") };
    let Killed { by, case, cycle, path, signature, .. } = killed;
    let place = path.as_deref().filter(|_| !signature.starts_with("assertion "));
    let cycle = cycle.map_or_else(|| "no cycle".to_owned(), |cycle| format!("cycle {cycle}"));
    format!("{by:?} in case {case}, {cycle}, at {}", place.unwrap_or(signature))
}

#[cfg(test)]
mod tests {
    use drra_mutate::record::Kill;

    use super::*;

    #[test]
    fn an_assertion_in_another_line_is_the_same() {
        let killed = |signature: &str, path: &str| {
            let (signature, path) = (signature.to_owned(), Some(path.to_owned()));
            let (by, cycle) = (Kill::Difference, Some(213));
            behaviour(&Found::Killed(Killed { by, case: 1, cycle, path, signature, seconds: 0.5 }))
        };
        let assertion = |path| killed("assertion drra_agu_shadow.FlagEmptiesShadow", path);
        assert_eq!(assertion("drra_agu_shadow.sv:72"), assertion("drra_agu_shadow.sv:30"));
        assert_ne!(killed("cell.rf AGU", "cell[0][0].rf"), killed("cell.rf AGU", "cell[0][1].rf"));
    }
}
