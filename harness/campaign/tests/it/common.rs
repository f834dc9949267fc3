// SPDX-License-Identifier: MIT OR Apache-2.0
//! Situations that the failing cases of a campaign have in common.

use drra_campaign::{CampaignCases, CampaignSettings, CaseRecord, CaseSums, Tally, header};
use drra_coverage::{Collector, groups};
use drra_generate::Profile;
use drra_isa::Revision;
use drra_report::data::CommonSituation;
use drra_results::summary::Timing;

use crate::setup;

/// If every case whose programs divide fails in its last cycle, division is the common situation.
#[test]
fn what_failing_cases_have_in_common_is_told() {
    let profile = Profile::shipped("dpu").unwrap();
    let settings = CampaignSettings { profile, ..CampaignSettings::default() };
    let header = header(&settings, &setup());
    let (cases, isa) = (CampaignCases::new(settings.profile, settings.seed), Revision::R4.isa());
    let (mut tally, mut dividing) = (Tally::new(1), 0);
    for number in 0..200 {
        let case = cases.case(number);
        let programs = case.program.cells();
        let mut lines = programs.flat_map(|(_, words)| drra_isa::disassemble(isa, words, false));
        let divides = lines.any(|l| l.text.starts_with("DPU") && l.text.contains("mode=div"));
        dividing += u64::from(divides);
        let failure = divides.then(|| ("cell.dpu.out0 DPU".to_owned(), case.cycles.unwrap()));
        let record = CaseRecord { case: number, cycles: 300, failure, ..CaseRecord::default() };
        tally.add(&CaseSums::of(record, 1));
    }
    let summary = tally.summarize(&header, Timing::default());
    let text: Vec<String> = summary.failures[0].common.iter().map(CommonSituation::text).collect();
    let CommonSituation { what, failing, agreeing } = &summary.failures[0].common[0];
    assert_eq!([failing[1], agreeing[1]], [dividing, 200 - dividing], "{text:#?}");
    assert!(failing[0] * 10 > failing[1] * 9 && agreeing[0] * 50 < agreeing[1], "{text:#?}");
    assert!(["DPU", "div", "div_softmax"].iter().all(|t| what.contains(t)), "{text:#?}");
}

/// Values are listed without the words that they add only for the name of a bin, as in `then DPU`.
#[test]
fn values_are_named() {
    let group = groups().iter().find(|group| group.name == "instruction triples").unwrap();
    let named = |point: usize, name: &str| {
        group.coverpoints()[point].values.iter().position(|value| value == name).unwrap()
    };
    let (first, third) = (named(0, "LOOP"), ["then DPU", "then BW"].map(|name| named(2, name)));
    let settings = CampaignSettings::default();
    let header = header(&settings, &setup());
    let cases = CampaignCases::new(settings.profile, settings.seed);
    let (mut tally, mut collector) = (Tally::new(1), Collector::new());
    for number in 0..300 {
        let case = cases.case(number);
        collector.run(&case, None);
        let bins = collector.bins().filter_map(|bin| (bin as usize).checked_sub(group.first));
        let mut triples = bins.filter(|bin| group.bins().contains(bin)).map(|bin| group.index(bin));
        let fails = triples.any(|values| values[0] == first && third.contains(&values[2]));
        let failure = fails.then(|| ("cell.seq.pc none".to_owned(), case.cycles.unwrap()));
        let record = CaseRecord { case: number, cycles: 300, failure, ..CaseRecord::default() };
        tally.add(&CaseSums::of(record, 1));
    }
    let summary = tally.summarize(&header, Timing::default());
    let expected = "instruction triples: first instruction = LOOP, third instruction = DPU or BW";
    assert_eq!(summary.failures[0].common[0].what, expected);
}
