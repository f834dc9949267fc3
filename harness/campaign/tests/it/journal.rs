// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a journal yields exactly its written contents.

use std::path::{Path, PathBuf};

use drra_campaign::{
    CampaignError, CaseRecord, CaseSums,
    journal::{FILE_NAME, Journal, JournalHeader, JournalMetadata, VERSION, is_begun, read_each},
    timestamps::{self, Timestamp},
};
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::ComparisonCoverage;
use drra_results::identity::CampaignIdentity;

fn header() -> JournalHeader {
    JournalHeader {
        version: VERSION,
        fabric: [8, 2, 64, 128],
        profile: Profile::shipped("default").unwrap(),
        profile_file: None,
        seed: 1,
        cases: Some(3),
        shard: [1, 1],
        compared: ComparisonCoverage::whole(&[Geometry::default()]),
        bins: drra_coverage::fingerprint(),
        identity: CampaignIdentity::default(),
        first_only: false,
        joined: None,
        mixed: Vec::new(),
    }
}

fn sums(case: u64) -> CaseSums {
    let (kinds, bins) = (vec![1, 2], vec![3, 4, 20_000]);
    let cycles = 100 + case;
    CaseSums::of(
        CaseRecord { case, cycles, instructions: 10, kinds, bins, ..CaseRecord::default() },
        1,
    )
}

/// A line of a journal: an object with the CRC-32 of its text as its last field.
fn sealed(object: &str) -> String {
    let fields = object.strip_suffix('}').unwrap();
    format!("{fields},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(object.as_bytes()))
}

/// Settings and lines of a journal.
fn read(folder: &Path) -> Result<(JournalHeader, Vec<CaseSums>), CampaignError> {
    let mut lines = Vec::new();
    let outline = read_each(folder, &mut |sums| {
        lines.push(sums);
        Ok(())
    })?;
    Ok((outline.header, lines))
}

#[test]
fn damage_inside_is_an_error_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &header()).unwrap();
    journal.append(&sums(0)).unwrap();
    let path = dir.path().join(FILE_NAME);
    let text = std::fs::read_to_string(&path).unwrap() + &sealed("{\"cases\":[[0,1,1]]}");
    std::fs::write(&path, text).unwrap();
    let error = read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("journal.jsonl:3: invalid record"), "{error}");
}

/// Failures that version 1.0 named differently are counted under their present names.
#[test]
fn failures_of_earlier_versions_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &header()).unwrap();
    for (case, name) in ["broken off x.sv:1", "aborted x.sv:1", "model memory"].iter().enumerate() {
        let failure = Some(((*name).to_owned(), 7));
        let record = CaseRecord { case: case as u64, failure, ..CaseRecord::default() };
        journal.append(&CaseSums::of(record, 1)).unwrap();
    }
    let mut all = CaseSums::default();
    read(dir.path()).unwrap().1.iter().for_each(|sums| all.add(sums));
    let counts: Vec<_> = all.failures.iter().map(|(name, seen)| (&**name, seen.count)).collect();
    assert_eq!(counts, [("aborted x.sv:1", 2), ("out of memory", 1)]);
}

/// A flipped bit in any line is never read as different contents: either an error names the line, or the last line is
/// treated as incomplete.
#[test]
fn a_flipped_bit_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &header()).unwrap();
    journal.append(&sums(0)).unwrap();
    journal.append(&sums(1)).unwrap();
    let path = dir.path().join(FILE_NAME);
    let good = std::fs::read(&path).unwrap();
    let line_of = |at: usize| 1 + good[..at].iter().filter(|b| **b == b'\n').count();
    for at in 0..good.len() {
        for bit in [0, 1, 4, 5] {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            std::fs::write(&path, &bad).unwrap();
            match read(dir.path()) {
                Err(e) => {
                    let place = format!("journal.jsonl:{}:", line_of(at));
                    assert!(e.to_string().contains(&place), "byte {at}, bit {bit}: {e}");
                }
                Ok((_, lines)) => {
                    assert_eq!(at, good.len() - 1, "byte {at}, bit {bit}");
                    assert_eq!(lines, [sums(0)], "the last line is incomplete");
                }
            }
        }
    }
}

/// Two writers would mix their lines, so the second writer is rejected. A campaign is never overwritten.
#[test]
fn only_one_process_writes_a_journal() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::create(dir.path(), &header()).unwrap();
    let second = Journal::resume(dir.path(), &mut |_| Ok(()));
    let running = "another process is running this campaign";
    assert!(second.unwrap_err().to_string().ends_with(running));
    assert!(read(dir.path()).is_ok(), "reading is allowed");
    // The loser of a race for a folder receives the error for a running campaign, because the advice to resume would
    // not help.
    let again = Journal::create(dir.path(), &header());
    assert!(again.unwrap_err().to_string().ends_with(running));
    drop(journal);
    assert!(Journal::resume(dir.path(), &mut |_| Ok(())).is_ok());
    let again = Journal::create(dir.path(), &header());
    let exists = "this folder already contains a campaign";
    assert!(again.unwrap_err().to_string().ends_with(exists));
}

/// Where files cannot grow, a line is written in part. It is removed, and the lines after it are whole. The limit is
/// that of a process, so the test runs itself again as a process of its own.
#[cfg(unix)]
#[test]
fn a_torn_line_is_removed() {
    let me = "journal::a_torn_line_is_removed";
    let Some(folder) = std::env::var_os("DRRA_TORN").map(PathBuf::from) else {
        let dir = tempfile::tempdir().unwrap();
        // Files cannot grow beyond 64 blocks of 512 bytes; because the signal is ignored, writing more is an error.
        let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
        let test = std::env::current_exe().unwrap();
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", script]).arg(test).args(["--exact", me, "--nocapture"]);
        let output = limited.env("DRRA_TORN", dir.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let (_, lines) = read(dir.path()).unwrap();
        assert!(lines.len() > 100);
        // It can be resumed, and continued if it ended.
        let (mut journal, outline) = Journal::resume(dir.path(), &mut |_| Ok(())).unwrap();
        assert!(!outline.range().ended.is_empty());
        journal.append(&sums(9999)).unwrap();
        assert_eq!(read(dir.path()).unwrap().1.len(), lines.len() + 1);
        return;
    };
    let mut journal = Journal::create(&folder, &header()).unwrap();
    let length = || std::fs::metadata(folder.join(FILE_NAME)).unwrap().len();
    let mut cases = 0;
    while length() < 64 * 512 - 3000 {
        journal.append(&sums(cases)).unwrap();
        cases += 1;
    }
    let bins = (0..2000).collect();
    let long = CaseSums::of(CaseRecord { case: cases, bins, ..CaseRecord::default() }, 1);
    for _ in 0..2 {
        assert!(journal.append(&long).is_err());
        journal.append(&sums(cases)).unwrap();
        cases += 1;
    }
    journal.append(&Timestamp::Ended { at: timestamps::now(), until: Vec::new() }).unwrap();
    assert_eq!(read(&folder).unwrap().1, (0..cases).map(sums).collect::<Vec<_>>());
}

/// A link, or a file of another kind, is not overwritten, however it is reached.
#[cfg(unix)]
#[test]
fn what_is_no_journal_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let precious = dir.path().join("precious");
    for (case, contents) in [("link", ""), ("hard", "no line feed"), ("failures", "x")] {
        std::fs::write(&precious, contents).unwrap();
        let folder = dir.path().join(case);
        std::fs::create_dir(&folder).unwrap();
        match case {
            "link" => std::os::unix::fs::symlink("../precious", folder.join(FILE_NAME)),
            "hard" => std::fs::hard_link(&precious, folder.join(FILE_NAME)),
            _ => std::os::unix::fs::symlink("..", folder.join("failures")),
        }
        .unwrap();
        let error = Journal::create(&folder, &header()).unwrap_err().to_string();
        let expected = if case == "hard" { "not a journal" } else { "a link, which leads out" };
        assert!(error.contains(expected), "{error}");
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), contents);
    }
}

/// On a file system without locks, a file takes their place, and is removed with the journal. Another machine, on which
/// the file system has locks, respects it.
#[test]
fn a_file_takes_the_place_of_a_lock() {
    let dir = tempfile::tempdir().unwrap();
    drop(Journal::create(dir.path(), &header()).unwrap());
    let path = dir.path().join(FILE_NAME);
    let none = || Err(std::fs::TryLockError::Error(std::io::Error::other("no locks available")));
    let claim = drra_files::lock(&path, none()).unwrap().unwrap();
    assert_eq!(&*claim, dir.path().join("journal.lock"));
    let second = drra_files::lock(&path, none()).unwrap_err();
    assert_eq!(second.kind(), std::io::ErrorKind::AlreadyExists);
    let error = Journal::resume(dir.path(), &mut |_| Ok(())).unwrap_err().to_string();
    assert!(error.ends_with("journal.lock: another process is running this campaign"), "{error}");
    drop(claim);
    assert!(!dir.path().join("journal.lock").exists());
    assert!(Journal::resume(dir.path(), &mut |_| Ok(())).is_ok());
}

/// The numbers of bins have another meaning in another version.
#[test]
fn other_versions_and_bins_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    std::fs::write(&path, "{\"version\": 1, \"fabric\": [8, 2, 64, 128]}\n").unwrap();
    let error = Journal::resume(dir.path(), &mut |_| Ok(())).unwrap_err().to_string();
    assert!(error.ends_with(":1: unknown version 1; this program reads version 2 or 3"), "{error}");
    for (shard, joined) in [([0, 1], None), ([2, 1], None), ([1, 1], Some(u64::MAX))] {
        let other = JournalHeader { shard, joined, ..header() };
        std::fs::write(&path, sealed(&serde_json::to_string(&other).unwrap())).unwrap();
        let error = read(dir.path()).unwrap_err().to_string();
        assert!(error.ends_with("`shard` is not within the number of shards"), "{error}");
    }
    let other = JournalHeader { bins: 5, ..header() };
    std::fs::write(&path, sealed(&serde_json::to_string(&other).unwrap())).unwrap();
    let error = read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("the coverage bins differ: digest 5 of drra"), "{error}");
}

/// A journal of version 2 has a line for each case, and the lines for the ends of its parts do not record numbers of
/// cases.
#[test]
fn a_journal_of_version_2_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let old = JournalHeader { version: 2, ..header() };
    let mut text = sealed(&serde_json::to_string(&old).unwrap());
    let case = r#"{"case":1,"cycles":101,"instructions":10,"kinds":[1,2],"bins":[3,1,19996]}"#;
    for line in
        [r#"{"started":"2026-01-01T00:00:00Z"}"#, case, r#"{"ended":"2026-01-01T00:01:00Z"}"#]
    {
        text += &sealed(line);
    }
    std::fs::write(dir.path().join(FILE_NAME), text).unwrap();
    assert_eq!(read(dir.path()).unwrap(), (header(), vec![sums(1)]));
    let outline = JournalMetadata::read(dir.path()).unwrap();
    assert_eq!(outline.range().ended, "2026-01-01T00:01:00Z");
    assert!(!outline.is_complete());
}

/// A process that is killed immediately leaves a journal without a complete first line, and such a folder is not
/// considered a campaign.
#[test]
fn a_journal_without_settings_is_started_again() {
    let dir = tempfile::tempdir().unwrap();
    for torn in ["", "{\"version\": 2, \"fab"] {
        let folder = dir.path().join(torn.len().to_string());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(FILE_NAME), torn).unwrap();
        assert!(!is_begun(&folder));
        Journal::create(&folder, &header()).unwrap().append(&sums(0)).unwrap();
        assert_eq!(read(&folder).unwrap(), (header(), vec![sums(0)]));
        assert!(is_begun(&folder));
    }
}

/// A part that was killed ends at the time when its last line was written.
#[test]
fn a_killed_part_gets_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &header()).unwrap();
    journal.append(&Timestamp::Started("2026-01-01T00:00:00Z".to_owned())).unwrap();
    drop(journal);
    let before = timestamps::now();
    for _ in 0..2 {
        let (journal, resumed) = Journal::resume(dir.path(), &mut |_| Ok(())).unwrap();
        drop(journal);
        let outline = JournalMetadata::read(dir.path()).unwrap();
        let ended = outline.range().ended;
        assert!(!ended.is_empty() && ended <= before);
        let text = std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap();
        assert_eq!(text.matches("\"ended\":").count(), 1, "only once");
        assert_eq!(resumed.range(), outline.range());
    }
}

/// The metadata of a journal are read without its cases, so a damaged case is an error only for a reader of cases.
#[test]
fn an_outline_passes_over_the_cases() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), &header()).unwrap();
    journal.append(&sums(0)).unwrap();
    let longer = JournalHeader { cases: Some(9), ..header() };
    journal.append(&longer).unwrap();
    journal.append(&Timestamp::Started("2026-01-01T00:00:00Z".to_owned())).unwrap();
    let path = dir.path().join(FILE_NAME);
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, good.replace("\"cycles\":100", "\"cycles\":101")).unwrap();
    let outline = JournalMetadata::read(dir.path()).unwrap();
    assert_eq!(outline.header, longer);
    assert_eq!(outline.range().started, "2026-01-01T00:00:00Z");
    let damaged = read(dir.path()).unwrap_err().to_string();
    assert!(damaged.ends_with(":2: damaged line: wrong checksum"), "{damaged}");
    std::fs::write(&path, good.replace("2026", "2025")).unwrap();
    let damaged = JournalMetadata::read(dir.path()).unwrap_err().to_string();
    assert!(damaged.ends_with(":4: damaged line: wrong checksum"), "{damaged}");
}
