// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times of campaigns.

use std::{
    fs::File,
    time::{Duration, UNIX_EPOCH},
};

use drra_campaign::{
    CampaignSettings, header,
    journal::{self, Journal},
    timestamps::{TimeRange, Timestamp, text},
};

use crate::setup;

/// The duration includes parts that ended and a part that was killed.
#[test]
fn durations_of_all_parts_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let at = |second: u64| UNIX_EPOCH + Duration::from_secs(second);
    let started = |second| Timestamp::Started(text(at(second)));
    let ended = |second| Timestamp::Ended { at: text(at(second)), until: Vec::new() };
    let parts = [started(10), ended(15), started(100), ended(107), started(200)];
    for (count, written, seconds) in [(5, 203, 15), (4, 300, 12), (0, 300, 0)] {
        let folder = dir.path().join(count.to_string());
        let header = header(&CampaignSettings::default(), &setup());
        let mut journal = Journal::create(&folder, &header).unwrap();
        parts[..count].iter().for_each(|part| journal.append(part).unwrap());
        drop(journal);
        let file = File::options().append(true).open(folder.join(journal::FILE_NAME)).unwrap();
        file.set_modified(at(written)).unwrap();
        assert_eq!(journal::duration(&folder).unwrap(), Duration::from_secs(seconds));
    }
}

#[test]
fn a_wrong_clock_has_a_time() {
    let hour = Duration::from_secs(3600);
    assert_eq!(text(UNIX_EPOCH - hour), "1970-01-01T00:00:00Z");
    assert_eq!(text(UNIX_EPOCH + 100_000_000 * hour), "9999-12-31T23:59:59Z");
}

#[test]
fn a_range_covers_its_parts() {
    let mut range = TimeRange::default();
    for (hour, end) in [(3, 4), (1, 2)] {
        let mut other = TimeRange::default();
        other.add(&Timestamp::Started(format!("2026-01-01T0{hour}:00:00Z")));
        let at = format!("2026-01-01T0{end}:00:00Z");
        other.add(&Timestamp::Ended { at, until: Vec::new() });
        range.join(other);
    }
    range.join(TimeRange::default());
    assert_eq!(range.started, "2026-01-01T01:00:00Z");
    assert_eq!(range.ended, "2026-01-01T04:00:00Z");
}
