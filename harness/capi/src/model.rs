// SPDX-License-Identifier: MIT OR Apache-2.0
//! The golden model alone.

use std::sync::Arc;

use drra_case::{Case, MAX_CYCLES, load::LoadedCase};
use drra_lockstep::{EndRule, GoldenRun};

use crate::text::{Failure, bad};

/// A run of a case that the caller steps.
pub(crate) struct Model {
    pub(crate) run: GoldenRun<'static>,
    end: EndRule,
    /// True if the case has ended in the current or an earlier cycle.
    pub(crate) ended: bool,
    /// Owner of the case, which `run` refers to; dropped after it.
    _owner: Arc<LoadedCase>,
}

impl Model {
    /// A run in cycle 0.
    pub(crate) fn new(program: Arc<LoadedCase>) -> Self {
        let case = &raw const program.case;
        // SAFETY: the case is in an `Arc`, so it does not move or change, and `_owner` keeps it as long as `run`.
        let case: &'static Case = unsafe { &*case };
        let (run, end) = (GoldenRun::new(case), EndRule::new(case, None));
        let mut model = Self { run, end, ended: false, _owner: program };
        model.look();
        model
    }

    /// Executes this number of cycles; `u64::MAX` stands for all cycles up to the end of the case.
    pub(crate) fn step(&mut self, cycles: u64) -> Result<(), Failure> {
        if cycles > MAX_CYCLES && cycles != u64::MAX {
            return Err(bad(format!("{cycles} cycles, expected {MAX_CYCLES} or fewer")));
        }
        for _ in 0..cycles {
            if self.ended && cycles == u64::MAX {
                break;
            }
            self.run.step();
            self.look();
        }
        Ok(())
    }

    /// Finds out in each cycle whether the case has ended.
    fn look(&mut self) {
        self.ended = self.ended || self.end.ends(self.run.cycle, || self.run.quiet());
    }
}
