// SPDX-License-Identifier: MIT OR Apache-2.0
//! The joint coverage of several campaigns, with and without their journals.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use drra_campaign::{CampaignCases, CampaignSettings, JoinedCampaigns, distil, journal};
use drra_coverage::{Coverage, by_missing, groups};
use drra_generate::Profile;
use drra_lockstep::GoldenDesign;

use crate::{distil::bins, identity::Build, run, small};

/// A campaign of a few cases.
fn settings(folder: &Path, profile: &str, seed: u64, cases: u64) -> CampaignSettings {
    let profile = Profile::shipped(profile).unwrap();
    CampaignSettings { profile, seed, cases: Some(cases), ..small(folder, [1, 1]) }
}

fn read(folders: &[PathBuf]) -> Result<JoinedCampaigns, drra_campaign::CampaignError> {
    JoinedCampaigns::read(folders, false, &mut Err)
}

/// Numbers of the bins hit, over all groups.
fn hit(coverage: &Coverage) -> BTreeSet<u32> {
    let of = |group: &'static drra_coverage::Covergroup| {
        let bins = group.bins().filter(move |bin| coverage.is_hit(group, *bin));
        bins.map(|bin| (group.first + bin) as u32)
    };
    groups().iter().flat_map(of).collect()
}

/// The bins of campaigns with other seeds and profiles are those that their cases hit when they are run one by one, also
/// if journals are gone. Cases that two folders contain count once.
#[test]
fn seeds_and_profiles_are_joined() {
    let dir = tempfile::tempdir().unwrap();
    let all = [("smoke", 1, 9), ("smoke", 2, 12), ("loops", 1, 5), ("smoke", 1, 14)];
    let folders = [0, 1, 2, 3].map(|n| dir.path().join(n.to_string()));
    let mut expected = BTreeSet::new();
    for (folder, (profile, seed, count)) in folders.iter().zip(all) {
        run(&settings(folder, profile, seed, count), &GoldenDesign).unwrap();
        let cases = CampaignCases::new(Profile::shipped(profile).unwrap(), seed);
        expected.extend((0..count).flat_map(|number| bins(&cases.case(number))));
    }
    for gone in [&folders[..0], &folders[1..3], &folders] {
        gone.iter().for_each(|f| drop(fs::remove_file(f.join(journal::FILE_NAME))));
        let joined = read(&folders).unwrap();
        assert_eq!(hit(&joined.coverage), expected);
        assert_eq!((joined.campaigns.len(), joined.cases()), (3, 14 + 12 + 5));
    }
    let missing = by_missing(&read(&folders).unwrap().coverage);
    let missing: Vec<u64> = missing.iter().map(|(_, counts)| counts.missing()).collect();
    assert!(missing.is_sorted_by(|one, next| one >= next), "{missing:?}");
    // All cases of two seeds, without their journals, hit what both campaigns hit.
    let two = read(&folders[..2]).unwrap();
    let all = distil(&two.campaigns, 100, &BTreeMap::new());
    assert_eq!((all.examined, all.hit), (9 + 12, hit(&two.coverage).len()));
    assert!(all.cases.iter().any(|((campaign, _), _)| *campaign == 1));
}

/// A journal counts before an older file of hit bins. Without a journal, a file that is damaged anywhere is refused, and
/// so are other bins and another build.
#[test]
fn hit_bins_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let folders = ["one", "two"].map(|name| dir.path().join(name));
    let path = folders[0].join(journal::HITS);
    run(&settings(&folders[0], "smoke", 1, 3), &Build("rtl-one")).unwrap();
    let good = fs::read(&path).unwrap();
    let more = CampaignSettings { resume: true, ..settings(&folders[0], "smoke", 1, 5) };
    run(&more, &Build("rtl-one")).unwrap();
    fs::write(&path, &good).unwrap();
    assert_eq!(read(&folders[..1]).unwrap().cases(), 5);
    fs::remove_file(folders[0].join(journal::FILE_NAME)).unwrap();
    assert_eq!(read(&folders[..1]).unwrap().cases(), 3);
    let refused = || read(&folders[..1]).unwrap_err().to_string();
    let line = |n: usize| good.split_inclusive(|b| *b == b'\n').nth(n).unwrap();
    let second = line(0).len();
    for place in [30, second + 30, second + line(1).len() + 30, good.len() - 1] {
        let mut bad = good.clone();
        bad[place] ^= 1;
        fs::write(&path, bad).unwrap();
        assert!(refused().contains("hits.bin:"), "{place}: {}", refused());
    }
    for length in [0, 40, second, second + line(1).len(), good.len() - 4, good.len() - 1] {
        fs::write(&path, &good[..length]).unwrap();
        assert!(refused().contains("hits.bin:"), "{length}: {}", refused());
    }
    let bins = drra_coverage::fingerprint();
    let text = String::from_utf8(line(0).to_vec()).unwrap();
    let (fields, _) = text.split_once(",\"crc\"").unwrap();
    let fields = fields.replace(&format!("\"bins\":{bins}"), "\"bins\":51966");
    let fields = fields.replacen("\"version\":\"", "\"version\":\"9.", 1);
    let sum = crc32fast::hash(format!("{fields}}}").as_bytes());
    let other = format!("{fields},\"crc\":\"{sum:08x}\"}}\n");
    fs::write(&path, [other.as_bytes(), &good[second..]].concat()).unwrap();
    let here = env!("CARGO_PKG_VERSION");
    let parts = format!("digest cafe of drra 9.{here} here, {bins:x} of this drra {here}");
    assert!(refused().contains(&parts), "{}", refused());

    fs::write(&path, good).unwrap();
    run(&settings(&folders[1], "loops", 8, 2), &Build("rtl-two")).unwrap();
    let error = read(&folders).unwrap_err().to_string();
    assert!(error.ends_with("(RTL differs)"), "{error}");
    assert_eq!(JoinedCampaigns::read(&folders, true, &mut Err).unwrap().cases(), 5);
}
