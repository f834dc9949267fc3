// SPDX-License-Identifier: MIT OR Apache-2.0
//! The selection of a few cases of a campaign.

use std::collections::{BTreeMap, HashSet};

use drra_campaign::{CampaignCases, CampaignSettings, CaseRecord, CaseSums, Tally, distil, header};
use drra_case::Case;
use drra_coverage::Collector;
use drra_generate::Profile;
use drra_lockstep::GoldenDesign;

use crate::{run, setup};

/// A few cases hit many of the bins, and all cases together hit all of them. Each selected case adds bins or
/// mutants, and the first case adds the most.
#[test]
fn few_cases_hit_much() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("campaign");
    let settings = CampaignSettings {
        profile: Profile::shipped("smoke").unwrap(),
        cases: Some(60),
        folder: Some(folder.clone()),
        ..CampaignSettings::default()
    };
    run(&settings, &GoldenDesign).unwrap();
    let header = header(&settings, &setup());
    let campaigns = [(header.clone(), Tally::read(&folder).unwrap().1)];
    let none = BTreeMap::new();
    let [few, all] = [6, 60].map(|most| distil(&campaigns, most, &none));
    assert_eq!((few.cases.len(), all.examined, all.hit), (6, 60, all.bins));
    assert!(few.hit * 3 > all.hit && few.hit < all.hit, "{} of {}", few.hit, all.hit);
    let cases = CampaignCases::new(settings.profile, settings.seed);
    let most = (0..60).map(|n| bins(&cases.case(n)).len()).max().unwrap();
    assert_eq!(bins(&few.cases[0].1).len(), most);
    let mut hit = HashSet::new();
    for ((_, number), case) in &all.cases {
        let before = hit.len();
        hit.extend(bins(case));
        assert!(hit.len() > before, "case {number} adds nothing");
    }
    // Cases that kill mutants come first, in descending order of the number of mutants they add; killing a mutant
    // once is enough.
    let kills = [(7, vec![1, 2]), (11, vec![2]), (30, vec![3, 4, 5])];
    let kills = BTreeMap::from(kills.map(|(number, mutants)| ((0, number), mutants)));
    let gate = distil(&campaigns, 3, &kills);
    let numbers: Vec<u64> = gate.cases.iter().map(|((_, number), _)| *number).collect();
    assert_eq!((&numbers[..2], gate.killed), (&[30, 7][..], 5));
    assert!(numbers[2] != 11, "{numbers:?}");
    // Of a failure with three cases, the last listed one is case 5: later cases may fail.
    let failing = r#"{"count":3,"first":[2,0],"next":[[5,0]]}"#;
    let failing = BTreeMap::from([(String::new(), serde_json::from_str(failing).unwrap())]);
    let mut tally = Tally::new(1);
    for case in 0..60 {
        let mut sums = CaseSums::of(CaseRecord { case, ..CaseRecord::default() }, 1);
        if case == 2 {
            sums.failures.clone_from(&failing);
        }
        tally.add(&sums);
    }
    assert_eq!(distil(&[(header, tally)], 60, &none).examined, 4);
}

/// Bins that a case hits.
pub(crate) fn bins(case: &Case) -> Vec<u32> {
    let mut collector = Collector::new();
    collector.run(case, None);
    collector.bins().collect()
}
