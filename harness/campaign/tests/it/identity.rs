// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns record the build that ran them, and results of different builds are mixed only on request.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use drra_campaign::{CampaignSettings, Shards, journal};
use drra_case::Case;
use drra_fabric::Layout;
use drra_generate::Profile;
use drra_lockstep::{Design, DesignFingerprint, Dut, GoldenDesign, StartError};
use drra_results::summary::Timing;

use crate::{run, small};

/// A design that differs from others only in the digest of its sources.
#[derive(Debug)]
pub(crate) struct Build(pub(crate) &'static str);

impl Design for Build {
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        GoldenDesign.start(case, layout)
    }

    fn simulator(&self) -> &str {
        "golden model"
    }

    fn fingerprint(&self) -> DesignFingerprint {
        DesignFingerprint { sources: self.0, model: "model" }
    }
}

fn settings(folder: &Path, shard: [u64; 2]) -> CampaignSettings {
    let (revision, program) = (Some("c0ffee".to_owned()), "program".to_owned());
    CampaignSettings { revision, program, ..small(folder, shard) }
}

/// Journal, summary, page and JUnit report contain program, revision, RTL, model, profile and times.
#[test]
fn every_file_names_the_build() {
    let dir = tempfile::tempdir().unwrap();
    let summary = run(&settings(dir.path(), [1, 1]), &Build("rtl-one")).unwrap();
    let identity = &summary.identity;
    assert_eq!((identity.rtl.as_str(), identity.model.as_str()), ("rtl-one", "model"));
    assert_eq!(identity.revision.as_deref(), Some("c0ffee"));
    assert_eq!((identity.program.as_str(), identity.profile.len()), ("program", 16));
    assert!(summary.timing.started <= summary.timing.ended);
    assert_eq!(summary.timing.started.len(), "2026-01-01T00:00:00Z".len());
    for name in [journal::FILE_NAME, "summary.json", "index.html", "junit.xml"] {
        let text = fs::read_to_string(dir.path().join(name)).unwrap();
        let profile = &identity.profile;
        let times = [&summary.timing.started, &summary.timing.ended].map(String::as_str);
        for part in ["rtl-one", "c0ffee", "program", profile].into_iter().chain(times) {
            assert!(text.contains(part), "{name}: {part}");
        }
    }
    // The digest of a profile depends on its contents.
    let other = Profile { dynamic: 0.25, ..Profile::shipped("smoke").unwrap() };
    let other = CampaignSettings { profile: other, ..settings(&dir.path().join("other"), [1, 1]) };
    let other = run(&other, &Build("rtl-one")).unwrap();
    assert_eq!(other.identity.differences(identity), ["profile"]);
}

#[test]
fn a_campaign_is_not_resumed_with_another_build() {
    let dir = tempfile::tempdir().unwrap();
    let begun = settings(dir.path(), [1, 1]);
    run(&begun, &Build("rtl-one")).unwrap();
    let before = fs::read(dir.path().join(journal::FILE_NAME)).unwrap();
    let more = CampaignSettings { resume: true, cases: Some(6), ..begun };
    let error = run(&more, &Build("rtl-two")).unwrap_err().to_string();
    assert!(error.contains("RTL rtl-one") && error.contains("RTL rtl-two"), "{error}");
    assert!(error.ends_with("(RTL differs)"), "{error}");
    assert_eq!(fs::read(dir.path().join(journal::FILE_NAME)).unwrap(), before);
    // Another revision with the same sources does not count as another build.
    let committed = CampaignSettings { revision: Some("decade".to_owned()), ..more.clone() };
    assert!(run(&committed, &Build("rtl-one")).unwrap().mixed.is_empty());

    let mixed = run(&CampaignSettings { mix: true, ..more.clone() }, &Build("rtl-two")).unwrap();
    assert_eq!((mixed.identity.rtl.as_str(), mixed.mixed[0].rtl.as_str()), ("rtl-one", "rtl-two"));
    assert!(mixed.to_text().contains("mixed: "));
    let page = fs::read_to_string(dir.path().join("index.html")).unwrap();
    assert!(page.contains("Results of several builds"));
    // Now both builds may resume the campaign, but a third build may not.
    assert_eq!(run(&more, &Build("rtl-two")).unwrap().mixed.len(), 1);
    let error = run(&more, &Build("rtl-three")).unwrap_err().to_string();
    assert!(error.ends_with("(RTL differs)"), "{error}");
}

#[test]
fn shards_of_different_builds_are_not_joined() {
    let dir = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = ["one", "two"].map(|name| dir.path().join(name)).to_vec();
    run(&settings(&folders[0], [1, 2]), &Build("rtl-one")).unwrap();
    run(&settings(&folders[1], [2, 2]), &Build("rtl-two")).unwrap();
    let error = Shards::open(&folders, false).unwrap_err().to_string();
    for part in ["rtl-one", "rtl-two", "one", "two", "(RTL differs)"] {
        assert!(error.contains(part), "{error}");
    }
    let mut shards = Shards::open(&folders, true).unwrap();
    let tally = shards.read(&mut |_, _| Ok(())).unwrap();
    let summary = tally.summarize(&shards.header, Timing::default());
    assert_eq!((summary.cases, summary.mixed.len()), (4, 1));
}
