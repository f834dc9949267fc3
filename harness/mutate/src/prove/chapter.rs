// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proves that a mutant equals the chapters, or finds a difference: `tests/proofs/prove.py` on a copy of the RTL.

use std::sync::atomic::Ordering;

use drra_host::foreign;

use super::{FOLDER, PATIENCE, Prover};
use crate::{
    Mutant, MutateError,
    error::tool,
    record::{MutantResult, ProofVerdict},
};

impl Prover<'_> {
    /// Compares mutants, one after the other; `tell` receives each result.
    pub(crate) fn against_chapters(
        &self,
        mutants: &[Mutant],
        tell: &mut dyn FnMut(u32, MutantResult) -> Result<(), MutateError>,
    ) -> Result<(), MutateError> {
        for mutant in mutants {
            let found = self.against_chapter(mutant)?;
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            tell(mutant.number, found)?;
        }
        Ok(())
    }

    /// Compares the blocks that the module of a mutant belongs to with their chapters. No case is searched that shows a
    /// difference, because the campaign has run more cases than this search would.
    pub(super) fn against_chapter(&self, mutant: &Mutant) -> Result<MutantResult, MutateError> {
        let original = self.rtl.design.text(&mutant.file);
        let copy = format!("rtl/{}", mutant.file);
        self.write(&copy, &mutant.apply(original))?;
        let (patience, jobs) = (PATIENCE.as_secs().to_string(), self.jobs.max(1).to_string());
        let output = foreign::python()
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(self.rtl.project.join("tests/proofs/prove.py"))
            .args(["--module", &mutant.block, "--unchanged", "--cases", "0"])
            .args(["--patience", &patience, "--jobs", &jobs, "--rtl"])
            .arg(self.folder.join("rtl"))
            .output()
            .map_err(|e| tool(format!("python3: {e}")))?;
        self.write(&copy, original)?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim_end().to_owned();
        let name = format!("mutant-{}-chapter.log", mutant.number);
        self.write(&name, &format!("{said}\n"))?;
        let verdict = match output.status.code() {
            Some(0) => ProofVerdict::Equal,
            Some(1) => ProofVerdict::Differs,
            _ => ProofVerdict::NotDecided,
        };
        Ok(MutantResult::Chapter { verdict, log: [FOLDER, &name].iter().collect(), said })
    }
}
