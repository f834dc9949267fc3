// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where cases run: in this process, or in processes of their own, whose end costs one case.

use std::sync::OnceLock;

use drra_lockstep::Setup;

use crate::{
    CampaignError, Cases, Settings,
    exam::{self, Exam, Examined},
    runner::Runner,
    sums::Record,
};

/// Where cases run. A place is used by all workers of a campaign at the same time.
pub trait Place: Sync {
    /// Runs cases of a campaign as one of its workers, until there are no more.
    ///
    /// # Errors
    /// If the design cannot be run. What a design does to a case is no error.
    fn work(&self, work: &Work<'_>) -> Result<(), CampaignError>;

    /// Looks at one case.
    ///
    /// # Errors
    /// As [`Place::work`], and if the files of a report cannot be written.
    fn examine(&self, exam: &Exam<'_>, setup: &Setup<'_>) -> Result<Examined, CampaignError>;
}

/// What a worker of a campaign needs.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// What makes the cases.
    pub(crate) settings: &'a Settings,
    /// What they run on.
    pub(crate) setup: Setup<'a>,
    /// The cases, for a worker that makes them in this process.
    pub(crate) cases: &'a LazyCases<'a>,
    /// Number of the next case, if there is one.
    pub(crate) next: &'a (dyn Fn() -> Option<u64> + Sync),
    /// Takes a finished case; false if nobody does any more.
    pub(crate) done: &'a dyn Fn(Record) -> bool,
}

/// The cases of a campaign, known when they are asked for first: that takes some hundred runs of the golden model.
pub(crate) struct LazyCases<'a> {
    settings: &'a Settings,
    cases: OnceLock<Cases>,
}

impl<'a> LazyCases<'a> {
    pub(crate) fn new(settings: &'a Settings) -> Self {
        Self { settings, cases: OnceLock::new() }
    }

    pub(crate) fn get(&self) -> &Cases {
        self.cases.get_or_init(|| Cases::new(self.settings.clone()))
    }
}

/// This process: any design can be run, and one that ends the process ends everything.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Place for Here {
    fn work(&self, work: &Work<'_>) -> Result<(), CampaignError> {
        let mut runner = Runner::new(work.setup, work.cases.get());
        while let Some(case) = (work.next)() {
            if !(work.done)(runner.run(case, None)?) {
                break;
            }
        }
        Ok(())
    }

    fn examine(&self, exam: &Exam<'_>, setup: &Setup<'_>) -> Result<Examined, CampaignError> {
        exam::examine(exam, setup)
    }
}
