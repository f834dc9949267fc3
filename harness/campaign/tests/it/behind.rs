// SPDX-License-Identifier: MIT OR Apache-2.0
//! Failures behind the first difference of a case.

use std::{fs, time::Duration};

use drra_campaign::{CampaignSettings, shrink::ReductionBounds};
use drra_lockstep::{GoldenDesign, run};
use drra_results::summary::Summary;
use drra_testkit::{Fault, FaultyDesign, Flip};

use crate::{result, setup};

/// A cycle in the middle of most cases.
const LATE: u64 = 120;

/// A campaign on a design in which every program word is loaded wrongly and, if `also` is true, another fault flips a bit
/// of a register in a later cycle of every case.
fn campaign(also: bool, settings: &CampaignSettings) -> Summary {
    let location = "cell[0][0].dpu.pack_reg".parse().unwrap();
    let late = Fault::Flip(Flip { cycle: if also { LATE } else { u64::MAX }, location, bit: 4 });
    let always = FaultyDesign::new(setup().design, Fault::Word(|word| word ^ 1));
    result(settings, &FaultyDesign::new(&always, late)).unwrap().summary
}

fn settings() -> CampaignSettings {
    let time = Duration::from_secs(1000);
    CampaignSettings {
        seed: 9,
        cases: Some(12),
        shrink: ReductionBounds { time, ..ReductionBounds::default() },
        ..CampaignSettings::default()
    }
}

/// A fault in every case does not hide another one, which is a failure of its own that can be run alone; a single fault
/// that acts in many cycles is a single failure. The figures are those of the cycles compared.
#[test]
fn a_failure_does_not_hide_another() {
    let alone = campaign(false, &settings());
    let [failure] = &alone.failures[..] else { panic!("{:#?}", alone.failures) };
    assert_eq!((failure.signature.as_str(), failure.count), ("fabric load pipeline", 12));
    assert_eq!((alone.failed, alone.cycles), (12, alone.planned));
    assert_eq!(alone.ended_early(), None);

    let folder = tempfile::tempdir().unwrap();
    let settings = CampaignSettings { folder: Some(folder.path().to_owned()), ..settings() };
    let both = campaign(true, &settings);
    let [first, behind] = &both.failures[..] else { panic!("{:#?}", both.failures) };
    assert_eq!((first.count, first.behind), (12, false));
    assert_eq!((behind.signature.as_str(), behind.behind), ("cell DPU scaler", true));
    assert_eq!((behind.cycle, both.failed), (LATE, 12));
    assert!(both.to_text().contains("cell DPU scaler, behind the first difference"));

    // The reduced case needs only the second fault.
    let stored = fs::read_to_string(folder.path().join(&behind.folder).join("case.json")).unwrap();
    let case = drra_case::parse(&stored).unwrap();
    assert_eq!(case.compare_from, 0);
    // The full case fails behind the first one.
    let full = folder.path().join(&behind.folder).join("case.full.json");
    let full = drra_case::parse(&fs::read_to_string(full).unwrap()).unwrap();
    assert_eq!(full.compare_from, LATE);
    assert_eq!(run(&full, &setup()).unwrap().mismatch, None, "the golden model has no fault");
}

/// With `first_only`, each case ends at its first difference, and the figures say so.
#[test]
fn a_campaign_can_end_cases_at_their_first_difference() {
    let ended = campaign(true, &CampaignSettings { first_only: true, ..settings() });
    assert_eq!(ended.failures.len(), 1);
    assert!(ended.cycles < ended.planned / 4, "{} of {}", ended.cycles, ended.planned);
    let warning = "nothing behind it was tested";
    assert!(ended.ended_early().is_some_and(|text| text.ends_with(warning)));
    assert!(ended.to_text().contains(warning));
    assert!(ended.moved.kinds().iter().all(|(_, [expected, _])| *expected == 0));
    // Nothing is said about a campaign in which nothing fails.
    let agreeing = result(&settings(), &GoldenDesign).unwrap().summary;
    assert_eq!((agreeing.ended_early(), agreeing.cycles), (None, agreeing.planned));
}

/// Two faults that violate one rule are one failure; its cases fall into groups, which have their own conditions.
#[test]
fn cases_of_one_rule_fall_into_groups() {
    // The program port changes subtractions of RACCU, and odd first words of SRAM and IO.
    let fault = |word: u32| match word >> 23 {
        10 if word >> 20 & 7 == 2 => word ^ 3 << 20,
        13 if word & 1 == 1 => word ^ 2,
        _ => word,
    };
    let design = FaultyDesign::new(setup().design, Fault::Word(fault));
    let settings = CampaignSettings { cases: Some(40), ..settings() };
    let entries = result(&settings, &design).unwrap().entries;
    let [entry] = &entries[..] else { panic!("{} failures", entries.len()) };
    let report = entry.report.as_ref().unwrap();
    let variation = report.variation.as_ref().unwrap();
    let all: Vec<String> =
        variation.decisive().into_iter().chain(variation.other_groups()).collect();
    let [first, other] = &all[..] else { panic!("{all:#?}") };
    assert!(first.starts_with("fails only if RACCU mode is sub"), "{first}");
    let expected = "case 2 has other conditions: fails only if SRAM l1_step has bit 4 set";
    assert_eq!(other, expected);
}
