// SPDX-License-Identifier: MIT OR Apache-2.0
//! One case looked at closely: whether it fails, how, and its report.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drra_case::{Case, Expect, output::write_whole};
use drra_diagnose::signature;
use drra_golden::Fabric;
use drra_lockstep::{Design, KnownStop, Mismatch, MismatchKind, Observer, Setup, Stop, Stopping};
use drra_report::{Reduced, Report, Subject};
use serde::{Deserialize, Serialize};

use crate::{CampaignError, error::of_file};

/// What the design printed, in the folder of a failure.
pub const LOG: &str = "model.log";

/// A case to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct Exam<'a> {
    pub case: &'a Case,
    /// Cycles to run instead of what the case says.
    pub cycles: Option<u64>,
    /// Where the design is known to end.
    pub ending: Option<&'a Ending>,
    /// The report that is wanted if it fails.
    pub report: Option<&'a Wanted>,
    /// How sure the answer has to be.
    pub effort: Effort,
}

/// How sure an answer has to be about a design that ends its process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// It has to do so twice.
    #[default]
    Full,
    /// Once is enough: one of the many tries of a reduction.
    Try,
    /// As [`Effort::Try`], and it is likely to happen: the cycle is found at once.
    TryEnding,
}

impl<'a> Exam<'a> {
    /// Whether a case fails.
    pub fn of(case: &'a Case) -> Self {
        Self { case, cycles: None, ending: None, report: None, effort: Effort::Full }
    }
}

/// How the design ended the process that ran a case. When the case is run again with this knowledge, the design
/// is stopped just before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Cycle whose edge it did not survive; `None`: reset.
    pub cycle: Option<u64>,
    /// What it did.
    pub stop: Stop,
}

impl Ending {
    /// A design that stops there instead of ending its process.
    pub fn known_to<'d>(&self, design: &'d dyn Design) -> Stopping<'d> {
        let stop = KnownStop { cycle: self.cycle, failure: self.stop.clone().into() };
        Stopping { design, stop }
    }
}

/// A report that is wanted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Wanted {
    /// Command that shows the mismatch again.
    pub repeat: String,
    /// What a reduction did.
    pub reduced: Option<Reduced>,
    /// Folder for its files and the waves; it is made if it does not exist.
    pub folder: Option<PathBuf>,
    /// The case is written, too.
    pub case: bool,
    /// The page that its page leads back to.
    pub index: Option<String>,
}

/// What was seen of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Examined {
    /// Length of the run: clock edges. The state after the last one was compared, too.
    pub cycles: u64,
    /// Instructions decoded by the golden model.
    pub instructions: u64,
    /// Bits of state compared in each cycle.
    pub state_bits: u64,
    /// True if a sequencer was still running when the run ended.
    pub unfinished: bool,
    /// How it fails, if it does.
    pub found: Option<Found>,
    /// The report, if one was wanted and the case fails.
    pub report: Option<Box<Report>>,
    /// What the design printed, if that was collected.
    pub printed: String,
}

/// How a case fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What makes the failure distinct.
    pub signature: String,
    /// Cycle, and what differs first.
    pub expect: Expect,
    /// How it ended its process, if it did.
    pub ending: Option<Ending>,
    /// Why there can be no report; only of a failure that does not repeat.
    pub note: Option<String>,
}

/// Looks at a case in this process.
///
/// # Errors
/// If the design does not fit its maps, or a file cannot be written.
pub fn examine(exam: &Exam<'_>, setup: &Setup<'_>) -> Result<Examined, CampaignError> {
    examine_telling(exam, setup, None)
}

/// As [`examine`]; every cycle is told before its edge.
pub(crate) fn examine_telling(
    exam: &Exam<'_>,
    setup: &Setup<'_>,
    tell: Option<&mut dyn FnMut(u64)>,
) -> Result<Examined, CampaignError> {
    let ended;
    let mut setup = Setup { cycles: exam.cycles.or(setup.cycles), ..*setup };
    if let Some(ending) = exam.ending {
        ended = ending.known_to(setup.design);
        setup.design = &ended;
    }
    let case = exam.case;
    let mut outcome = match tell {
        Some(tell) => drra_lockstep::find(case, &setup, &mut Teller(tell))?,
        None => drra_lockstep::find(case, &setup, &mut ())?,
    };
    let (failing, report) = match exam.report {
        None => (signature::failing(case, &setup, &mut outcome)?, None),
        Some(wanted) => match signature::recorded(case, &setup, &mut outcome)? {
            None => (None, None),
            Some((failing, around)) => {
                let Wanted { repeat, reduced, folder, .. } = wanted;
                let reduced = reduced.as_ref();
                let subject =
                    Subject { case, failing: &failing, around: &around, setup, repeat, reduced };
                let report = drra_report::build(&subject);
                if let Some(folder) = folder {
                    write_files(wanted, folder, &subject, &report)?;
                }
                (Some(failing), Some(Box::new(report)))
            }
        },
    };
    Ok(Examined {
        cycles: outcome.cycles,
        instructions: outcome.instructions,
        state_bits: outcome.state_bits,
        unfinished: outcome.unfinished,
        found: failing.map(|failing| Found {
            expect: expect(&failing.mismatch),
            signature: failing.signature,
            ending: exam.ending.cloned(),
            note: None,
        }),
        report,
        printed: String::new(),
    })
}

/// What a case that shows a mismatch says about it: cycle, and the register, port or assertion that differs first.
pub fn expect(mismatch: &Mismatch) -> Expect {
    let path = match &mismatch.kind {
        MismatchKind::State(d) | MismatchKind::Unknown(d) => {
            d.first().map_or_else(String::new, |d| d.location.to_string())
        }
        MismatchKind::Port(p) | MismatchKind::UnknownPort(p) => {
            p.first().map_or_else(String::new, |p| p.to_string())
        }
        MismatchKind::Assertion(failure) => failure.to_string(),
        MismatchKind::Stimulus(difference) => difference.driven.to_string(),
        MismatchKind::Ended(_) => "end of the recording".to_owned(),
    };
    Expect { cycle: mismatch.cycle, path }
}

/// Writes what is wanted of a failure into a folder.
fn write_files(
    wanted: &Wanted,
    folder: &Path,
    subject: &Subject<'_>,
    report: &Report,
) -> Result<(), CampaignError> {
    fs::create_dir_all(folder).map_err(of_file(folder))?;
    if wanted.case {
        let path = folder.join("case.json");
        let text = drra_case::to_json(subject.case);
        write_whole(&path, text.as_bytes()).map_err(of_file(&path))?;
    }
    drra_report::write_waves(folder, subject)?;
    drra_report::write_report(folder, report, wanted.index.as_deref())?;
    Ok(())
}

/// Writes what the design printed, if it did, into the folder of a failure.
///
/// # Errors
/// If the file cannot be written.
pub fn write_log(folder: &Path, printed: &str) -> Result<(), CampaignError> {
    if printed.is_empty() {
        return Ok(());
    }
    let path = folder.join(LOG);
    write_whole(&path, printed.as_bytes()).map_err(of_file(&path))
}

/// Tells every cycle before its edge.
struct Teller<'a>(&'a mut dyn FnMut(u64));

impl Observer for Teller<'_> {
    fn pre_edge(&mut self, _golden: &Fabric, cycle: u64) {
        (self.0)(cycle);
    }
}
