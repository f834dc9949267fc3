// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns on a design that collects RTL coverage: a resumed campaign has the counts of all of its parts.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use drra_campaign::{CampaignSettings, RTL_COVERAGE};
use drra_case::Case;
use drra_fabric::Layout;
use drra_lockstep::{CoverageCounter, Design, Dut, DutError, GoldenDesign, StartError};

use crate::{result, run, small};

/// A design that counts the simulations that it starts, as one coverage point. Each value of this type
/// stands for one process.
#[derive(Debug, Default)]
struct CountingDesign(AtomicU64);

impl Design for CountingDesign {
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        GoldenDesign.start(case, layout)
    }

    fn simulator(&self) -> &str {
        "golden model"
    }

    fn counts(&self) -> Option<&dyn CoverageCounter> {
        Some(self)
    }
}

impl CoverageCounter for CountingDesign {
    fn write(&self, path: &Path) -> Result<(), DutError> {
        let text = format!("# SystemC::Coverage-3\n{POINT}{}\n", self.0.load(Ordering::Relaxed));
        fs::write(path, text).map_err(|e| DutError::Coverage(e.to_string()))
    }
}

const POINT: &str = "C '\x01f\x02drra_a.sv\x01l\x027\x01t\x02line\x01page\x02v_line/drra_a' ";

/// The count of a campaign after another process has run it.
fn count_after(settings: &CampaignSettings) -> u64 {
    run(settings, &CountingDesign::default()).unwrap();
    let folder = settings.folder.as_ref().unwrap();
    let text = fs::read_to_string(folder.join(RTL_COVERAGE)).unwrap();
    text.lines().find_map(|line| line.strip_prefix(POINT)).unwrap().parse().unwrap()
}

#[test]
fn a_resumed_campaign_has_the_counts_of_all_parts() {
    let dir = tempfile::tempdir().unwrap();
    let begun = small(dir.path(), [1, 1]);
    let more = |cases| CampaignSettings { resume: true, cases: Some(cases), ..begun.clone() };
    let counts = [&begun, &more(6), &more(6), &more(7)].map(count_after);
    assert_eq!(counts, [4, 6, 6, 7], "a simulation for each case");
    check_names(dir.path());
}

/// Checks that no temporary file is left.
fn check_names(folder: &Path) {
    let mut names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.all(|name| !name.to_string_lossy().ends_with(".part")));
}

/// A damaged file is reported and kept, and the findings of the campaign are not lost.
#[test]
fn damaged_counts_are_not_added_to() {
    let dir = tempfile::tempdir().unwrap();
    let begun = small(dir.path(), [1, 1]);
    run(&begun, &CountingDesign::default()).unwrap();
    let path = dir.path().join(RTL_COVERAGE);
    fs::write(&path, "C 'nothing\n").unwrap();
    let more = CampaignSettings { resume: true, cases: Some(6), ..begun };
    let result = result(&more, &CountingDesign::default()).unwrap();
    assert_eq!(result.summary.cases, 6);
    let error = result.incomplete.unwrap().to_string();
    assert!(error.ends_with("rtl_coverage.dat: line 1 is not a coverage point"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "C 'nothing\n");
    assert!(result.summary.timing.interrupted);
    check_names(dir.path());
}
