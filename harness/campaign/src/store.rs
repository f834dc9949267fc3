// SPDX-License-Identifier: MIT OR Apache-2.0
//! A distinct failure of a campaign: its first case is reduced, and written into a folder with its report.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use drra_case::{Case, output::write_whole};
use drra_isa::Geometry;
use drra_lockstep::Setup;
use drra_report::{Entry, summary::Failure};

use crate::{
    CampaignError, Progress, Settings,
    error::of_file,
    exam::{Effort, Exam, Found, Wanted, write_log},
    place::Place,
    process::NOT_AGAIN,
    publish::{generate_command, repeat_command},
    shrink::{self, Shrunk},
};

/// Why a failure has no report.
const STOPPED: &str = "the campaign was stopped before its case was stored";

/// A failure of a campaign that is to be stored.
#[derive(Clone, Copy)]
pub(super) struct Store<'a> {
    pub(super) settings: &'a Settings,
    pub(super) setup: &'a Setup<'a>,
    pub(super) place: &'a dyn Place,
    pub(super) failure: &'a Failure,
    /// Its first case.
    pub(super) full: &'a Case,
    pub(super) stop: &'a AtomicBool,
}

impl Store<'_> {
    /// Reduces the case and writes its files, if there is a folder for them.
    pub(super) fn store(
        &self,
        folder: Option<&Path>,
        tell: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Entry, CampaignError> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder).map_err(of_file(folder))?;
        }
        let seen = match self.place.examine(&Exam::of(self.full), self.setup) {
            Err(CampaignError::Stopped) => return self.without(folder, STOPPED),
            seen => seen?,
        };
        let Some(found) = seen.found else {
            return self.without(folder, NOT_AGAIN);
        };
        if let Some(note) = &found.note {
            return self.without(folder, note);
        }
        let start = Instant::now();
        let shrunk = self.shrink(&found)?;
        tell(Progress::Reduced {
            signature: &found.signature,
            instructions: [shrunk.before.instructions, shrunk.after.instructions],
            time: start.elapsed(),
        });
        let start = Instant::now();
        if let Some(folder) = folder {
            self.write_cases(folder, Some(&shrunk.case), &seen.printed)?;
        }
        let wanted = Wanted {
            repeat: self.repeat(folder),
            reduced: Some(reduction(&shrunk)),
            folder: folder.map(Path::to_owned),
            index: folder.map(|_| drra_report::INDEX.to_owned()),
            case: false,
        };
        let exam = Exam {
            ending: shrunk.failing.ending.as_ref(),
            report: Some(&wanted),
            ..Exam::of(&shrunk.case)
        };
        let report = match self.place.examine(&exam, self.setup) {
            Err(CampaignError::Stopped) => return self.without(folder, STOPPED),
            seen => seen?.report,
        };
        if folder.is_some() {
            tell(Progress::Reported { signature: &found.signature, time: start.elapsed() });
        }
        let note = report.is_none().then(|| "the reduced case does not fail any more".to_owned());
        let page = folder.is_some() && report.is_some();
        Ok(Entry { failure: self.failure.clone(), report: report.map(|r| *r), note, page })
    }

    fn shrink(&self, found: &Found) -> Result<Shrunk, CampaignError> {
        let stopped = || self.stop.load(Ordering::Relaxed);
        let profile = &self.settings.profile;
        let permitted = |case: &Case| profile.violated(case).is_none();
        let check = tries(self.place, self.setup, found);
        shrink::shrink(self.full, found, &check, self.settings.shrink, &stopped, &permitted)
    }

    /// The files of the case, and what the design printed when it was run as a whole.
    fn write_cases(
        &self,
        folder: &Path,
        reduced: Option<&Case>,
        printed: &str,
    ) -> Result<(), CampaignError> {
        let small = drra_case::to_json(reduced.unwrap_or(self.full));
        let full = drra_case::to_json(self.full);
        let mut files = vec![("case.full.json", full), ("case.json", small)];
        // A text with more words than are executed is refused.
        let is_text = |case: &&Case| {
            let mut programs = case.program.cells();
            !case.ports && programs.all(|(_, words)| words.len() <= Geometry::PROGRAM_WORDS)
        };
        if let Some(case) = reduced.filter(is_text) {
            files.push(("program.sasm", program_text(case)));
        }
        for (name, text) in files {
            let path = folder.join(name);
            write_whole(&path, text.as_bytes()).map_err(of_file(&path))?;
        }
        write_log(folder, printed)
    }

    /// The failure without a report; its case is stored as it is.
    fn without(&self, folder: Option<&Path>, note: &str) -> Result<Entry, CampaignError> {
        if let Some(folder) = folder {
            self.write_cases(folder, None, "")?;
        }
        let note = Some(note.to_owned());
        Ok(Entry { failure: self.failure.clone(), report: None, note, page: false })
    }

    fn repeat(&self, folder: Option<&Path>) -> String {
        match folder {
            Some(folder) => repeat_command(folder),
            None => generate_command(self.settings, self.failure.first_case),
        }
    }
}

/// The tries of the reduction of a failure at a place. One that the place does not end by itself is none that fails.
pub fn tries<'a>(
    place: &'a dyn Place,
    setup: &'a Setup<'a>,
    found: &Found,
) -> impl Fn(&Case) -> Result<Option<Found>, CampaignError> + 'a {
    let effort = if found.ending.is_some() { Effort::TryEnding } else { Effort::Try };
    move |case| match place.examine(&Exam { effort, ..Exam::of(case) }, setup) {
        Err(CampaignError::Stopped) => Ok(None),
        seen => Ok(seen?.found),
    }
}

/// Sizes of a reduced case.
pub fn reduction(shrunk: &shrink::Shrunk) -> drra_report::Reduced {
    let (before, after) = (shrunk.before, shrunk.after);
    drra_report::Reduced {
        instructions: [before.instructions, after.instructions],
        cells: [before.cells, after.cells],
        cycles: [before.cycles, after.cycles],
        steps: shrunk.steps,
        complete: shrunk.complete,
    }
}

/// Programs of a case as assembly text.
fn program_text(case: &Case) -> String {
    let isa = drra_isa::Revision::R4.isa();
    let mut text = match case.geometry {
        size if size == Geometry::default() => String::new(),
        size => format!("# For a fabric {size}: drra run --fabric {size}\n"),
    };
    for cell in &case.io_cells {
        let (row, col) = (cell.row(), cell.col());
        text += &format!(".IOCELL <{row},{col}>\n");
    }
    for (cell, words) in case.program.cells() {
        let (row, col) = (cell.row(), cell.col());
        text += &format!("CELL <{row},{col}>\n");
        for line in drra_isa::disassemble(isa, words, case.io_cells.contains(&cell)) {
            text += &format!("        {}\n", line.text);
        }
    }
    text
}
