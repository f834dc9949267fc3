// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case on which golden model and RTL must agree. A mismatch is reported as `drra replay` reports it, with the
//! command that reproduces it.

use std::{fs, path::Path};

use drra_case::Case;
use drra_diagnose::signature;
use drra_lockstep::Outcome;
use drra_report::{Colouring, ReportInput};

use crate::setup;

/// Runs a case in lock-step; a mismatch fails the test.
#[track_caller]
pub(crate) fn agree(case: &Case, name: &str) -> Outcome {
    let mut outcome = drra_lockstep::find(case, &setup(), &mut ()).unwrap();
    let recorded = signature::recorded(case, &setup(), &mut outcome).unwrap();
    if let Some((failing, around)) = recorded {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("disagree");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{}.json", signature::folder_name(name)));
        fs::write(&file, drra_case::to_json(case)).unwrap();
        let repeat = format!("cargo run --release -- replay {}", file.display());
        let subject = ReportInput {
            case,
            failing: &failing,
            around: &around,
            setup: setup(),
            repeat: &repeat,
            reduced: None,
        };
        let report = drra_report::build(&subject);
        panic!("{name}: {}\n{}", failing.signature, report.text(Colouring::Plain));
    }
    outcome
}
