// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a recording with the golden model.

use std::ops::ControlFlow;
use std::sync::Arc;

use drra_case::Case;
use drra_isa::Geometry;
use drra_isa::fabric::Layout;
use drra_lockstep::Design;
use drra_lockstep::DutError;
use drra_lockstep::Ended;
use drra_lockstep::Mismatch;
use drra_lockstep::MismatchKind;
use drra_lockstep::Now;
use drra_lockstep::Observer;
use drra_lockstep::Outcome;
use drra_lockstep::Setup;
use drra_lockstep::run_golden;
use drra_lockstep::run_observed;
use drra_lockstep::running;

use crate::design::Recorded;
use crate::driven;
use crate::dump::Dump;
use crate::dump::DumpError;
use crate::map::InputPort;
use crate::map::MapFile;
use crate::map::MapProblem;
use crate::map::SignalMap;
use crate::plan::Plan;
use crate::state::Alignment;
use crate::survey::Survey;
use crate::survey::SurveyError;
use crate::survey::survey;

/// Why a recording cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The dump cannot be opened.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// The map does not fit the dump; at least one problem.
    #[error("the map does not fit the dump: {}", list(.0))]
    Map(Vec<MapProblem>),
    /// Cycles or stimulus cannot be found.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// There is nothing that says what was driven.
    #[error(
        "the map has no load ports (or the dump lacks them), so that a case must say what was driven"
    )]
    NoStimulus,
    /// Nothing was compared.
    #[error(
        "nothing was compared in {cycles} cycles: no condition of the map ever held, and no content of a memory \
         was ever known"
    )]
    Nothing {
        /// Cycles of the run.
        cycles: u64,
    },
    /// The run failed.
    #[error(transparent)]
    Dut(#[from] DutError),
}

fn list(problems: &[MapProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A recording, ready to be compared.
#[derive(Debug)]
pub struct Check {
    /// What is run: the stimulus of the dump, else the case given.
    pub case: Case,
    /// The recording as a design under test.
    pub design: Recorded,
    geometry: Geometry,
    /// The stimulus is that of the dump.
    from_dump: bool,
    /// Last cycle that the dump shows.
    last: u64,
    cut: Option<String>,
    /// What was driven otherwise than the given case says.
    stimulus: Option<Mismatch>,
    /// Cycles of the given case, in the time of the dump.
    cycles: Option<u64>,
}

impl Check {
    /// Reads a dump once: binds the map, finds cycle 0, takes the stimulus if the map has the load ports. A case
    /// that is given is compared with that stimulus, or is the stimulus. `name` is for a case from the dump.
    ///
    /// # Errors
    /// If the map does not fit the dump, or the dump does not show what is needed.
    pub fn new(
        dump: Dump,
        map: &MapFile,
        given: Option<&Case>,
        name: &str,
        geometry: &Geometry,
    ) -> Result<Self, CheckError> {
        let map = SignalMap::resolve(map, dump.names(), geometry).map_err(CheckError::Map)?;
        let Survey { start, cycles, cut, driver } = survey(&dump, &map, geometry)?;
        let plan = Plan::new(&map, &Layout::new(geometry));
        let offset = plan.lookahead;
        if cycles <= u64::from(offset) {
            return Err(SurveyError::TooShort { cycles, offset }.into());
        }
        let last = cycles - 1 - u64::from(offset);
        let mut stimulus = None;
        let from_dump = driver.is_some();
        let case = match (driver, given) {
            (None, None) => return Err(CheckError::NoStimulus),
            (None, Some(case)) => case.clone(),
            (Some(driver), given) => {
                let name = given.map_or(name, |case| &case.name);
                let mut recorded =
                    driver.case(name, last).map_err(|e| CheckError::Survey(e.into()))?;
                if let Some(case) = given {
                    complete(&mut recorded, case, &map);
                    stimulus = driven::difference(case, &recorded, geometry);
                }
                recorded
            }
        };
        let later = |given: &Case| {
            let shift = if from_dump { case.stimulus.end() } else { given.stimulus.end() };
            given.cycles.map(|cycles| (cycles + shift).saturating_sub(given.stimulus.end()))
        };
        let cycles = given.and_then(later);
        let reach = (Geometry::ROWS - 1 + geometry.columns - 1) as u64;
        let alignment = Alignment { start, load_end: case.stimulus.end() + reach };
        let design = Recorded::new(Arc::new(dump), map, plan, alignment, cut.clone());
        Ok(Self { case, design, geometry: *geometry, from_dump, last, cut, stimulus, cycles })
    }

    /// What the case runs on.
    pub fn setup(&self) -> Setup<'_> {
        Setup { geometry: &self.geometry, design: &self.design, cycles: None }
    }

    /// Compares. Without `cycles` the run goes to the end of the dump, and to the end of the given case at
    /// least; an end at which the golden model is not quiet is a finding.
    ///
    /// # Errors
    /// If nothing was compared, or the dump changed meanwhile.
    pub fn run(&self, cycles: Option<u64>) -> Result<Outcome, CheckError> {
        let wanted = cycles.or(self.cycles);
        let length = match wanted {
            Some(cycles) => Some(cycles),
            None => self.from_dump.then_some(self.last),
        };
        if let Some(mismatch) = self.stimulus.clone() {
            return Ok(Outcome {
                cycles: 0,
                instructions: 0,
                state_bits: 0,
                unfinished: false,
                mismatch: Some(mismatch),
            });
        }
        let setup = Setup { cycles: length, ..self.setup() };
        let mut ending = Ending::default();
        let mut outcome = run_observed(&self.case, &setup, &mut ending)?;
        let compared = self.design.account().is_some_and(|a| a.bit_cycles > 0);
        if outcome.mismatch.is_none() && !compared {
            return Err(CheckError::Nothing { cycles: outcome.cycles });
        }
        let open = wanted.is_none() && self.from_dump && !ending.quiet;
        if outcome.mismatch.is_none() && (open || self.cut.is_some() && cycles.is_none()) {
            let goes_on_to = match open {
                true => run_golden(&self.case, &self.geometry, None).cycles.max(self.last),
                false => self.last,
            };
            let ended = Ended { goes_on_to, running: ending.running, cut: self.cut.clone() };
            let kind = MismatchKind::Ended(ended);
            outcome.mismatch = Some(Mismatch { cycle: self.last, kind });
        }
        Ok(outcome)
    }
}

/// What the ports of the map do not show is as the case says.
fn complete(recorded: &mut Case, given: &Case, map: &SignalMap) {
    let has = |port| map.ports.inputs.contains_key(&port);
    if !has(InputPort::IoCell) {
        recorded.io_cells.clone_from(&given.io_cells);
    }
    if !has(InputPort::IoInData) {
        recorded.input_buffers.clone_from(&given.input_buffers);
    }
    recorded.seed = given.seed;
    recorded.origin.clone_from(&given.origin);
}

/// How the golden model is at the end of a run.
#[derive(Default)]
struct Ending {
    quiet: bool,
    running: Vec<drra_isa::CellId>,
}

impl Observer for Ending {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if now.last {
            self.quiet = now.golden.quiet();
            self.running = running(now.golden);
        }
        ControlFlow::Continue(())
    }
}
