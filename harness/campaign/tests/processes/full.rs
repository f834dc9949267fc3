// SPDX-License-Identifier: MIT OR Apache-2.0
//! A campaign on a full disk.

use std::{path::Path, process::Command, sync::atomic::AtomicBool};

use drra_campaign::{CampaignSettings, journal::JournalMetadata};
use drra_results::summary::Summary;

use crate::planted::{run, settings, timeless};

/// A small file system that is mounted as long as this value exists.
struct SmallFileSystem<'a>(&'a Path);

impl<'a> SmallFileSystem<'a> {
    /// Mounts the file system; `None` where this is not possible.
    fn mount(at: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=32k", "tmpfs"]).arg(at);
        mount.output().is_ok_and(|o| o.status.success()).then_some(Self(at))
    }
}

impl Drop for SmallFileSystem<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// Findings that cannot be written are still in the result. With enough space, the campaign can be resumed and ends
/// with the same summary as an undisturbed campaign.
pub(crate) fn a_full_disk_loses_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let Some(mounted) = SmallFileSystem::mount(&small) else {
        println!("skipped: no small file system can be mounted here");
        return;
    };
    let never = AtomicBool::new(false);
    let folder = small.join("campaign");
    let result = run("crashing", &settings(400, Some(folder.clone())), &never);
    let error = result.incomplete.expect("32 kilobytes are full");
    assert!(error.is_full(), "{error}");
    assert!(result.summary.cases < 400 && result.summary.timing.interrupted);
    // The stored text says the same.
    if let Ok(text) = std::fs::read_to_string(folder.join("summary.json")) {
        assert!(Summary::parse(&text).unwrap().timing.interrupted, "{text}");
    }
    assert!(!JournalMetadata::read(&folder).unwrap().is_complete());
    let entry = &result.entries[0];
    assert_eq!(entry.failure.signature, "model crash SIGABRT");
    assert!(entry.report.as_ref().unwrap().repeat.contains("--number"), "{entry:?}");

    // The journal is intact, except for the cases that did not fit.
    let moved = dir.path().join("moved");
    std::fs::create_dir(&moved).unwrap();
    std::fs::copy(folder.join("journal.jsonl"), moved.join("journal.jsonl")).unwrap();
    drop(mounted);
    let text = std::fs::read(moved.join("journal.jsonl")).unwrap();
    assert!(text.ends_with(b"}\n"), "the line that did not fit was removed");
    let (_, tally) = drra_campaign::Tally::read(&moved).unwrap();
    assert!(tally.cases() > 0 && tally.cases() <= result.summary.cases);
    let again = CampaignSettings { resume: true, ..settings(400, Some(moved)) };
    let again = run("crashing", &again, &never);
    let whole = run("crashing", &settings(400, None), &never);
    assert!(again.incomplete.is_none());
    assert_eq!(timeless(&again.summary), timeless(&whole.summary));
}
