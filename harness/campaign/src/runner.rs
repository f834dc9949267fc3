// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the cases of a campaign one after the other, and writes down what they hit.

use drra_coverage::{Collector, Coverage};
use drra_diagnose::signature;
use drra_lockstep::{GoldenDesign, Setup};
use drra_report::summary::Moved;

use crate::{CampaignError, Cases, effectiveness, exam::Ending, sums::Record};

/// Of so many cases one is run once more to see whether its data move.
const MOVED_PERIOD: u64 = 16;

/// One worker of a campaign: it makes cases, runs them and sums up what they hit.
pub(crate) struct Runner<'a> {
    setup: Setup<'a>,
    cases: &'a Cases,
    collector: Collector,
    known: Coverage,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(setup: Setup<'a>, cases: &'a Cases) -> Self {
        let collector = Collector::new();
        Self { setup, cases, collector, known: Coverage::default() }
    }

    /// Runs a case. Of a case whose end is known, the golden model stands for the design.
    pub(crate) fn run(
        &mut self,
        case: u64,
        ending: Option<&Ending>,
    ) -> Result<Record, CampaignError> {
        let stand_in = ending.map(|ending| ending.known_to(&GoldenDesign));
        let mut setup = self.setup;
        if let Some(stand_in) = &stand_in {
            setup.design = stand_in;
        }
        let generated = self.cases.generated(case);
        self.collector.start(&generated.case);
        let mut outcome = drra_lockstep::find(&generated.case, &setup, &mut self.collector)?;
        let failing = signature::failing(&generated.case, &setup, &mut outcome)?;
        let moved = case.is_multiple_of(MOVED_PERIOD).then(|| {
            let Moved { transfers, results, write_backs, .. } =
                effectiveness::effectiveness(&generated);
            [transfers, results, write_backs]
        });
        Ok(Record {
            case,
            fabric: self.cases.names_sizes().then_some(generated.case.geometry),
            cycles: outcome.cycles,
            instructions: outcome.instructions,
            kinds: generated.kinds,
            replaced: generated.replaced,
            moved,
            bins: self.collector.rare_bins(&mut self.known),
            failure: failing.map(|f| (f.signature, f.mismatch.cycle)),
        })
    }
}
