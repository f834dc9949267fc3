// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums and totals of finished cases, which can be added in any order.

use drra_campaign::{AddOutcome, CampaignSettings, CaseRecord, CaseSums, Tally, header};
use drra_isa::{Revision, SizeText};
use drra_report::data::FabricFailures;
use drra_results::summary::Timing;

use crate::{profile, setup};

/// Cases added in any order become ranges.
#[test]
fn cases_become_ranges() {
    let mut some = CaseSums::default();
    for place in [3, 0, 9, 1, 2, 8] {
        some.add(&CaseSums::of(CaseRecord { case: 2 * place + 1, ..CaseRecord::default() }, 2));
    }
    assert_eq!(some.cases.ranges().collect::<Vec<_>>(), [[1, 0, 3], [1, 8, 9]]);
    assert_eq!(some.cases.count(), 6);
    let mut tally = Tally::new(2);
    assert_eq!(tally.add(&some), AddOutcome::New);
    assert_eq!(tally.numbers().collect::<Vec<_>>(), [1, 3, 5, 7, 17, 19]);
    // The gaps between them, up to the end of the campaign.
    for (cases, shard, gaps) in [
        (Some(24), 2, &[(9, Some(15)), (21, Some(23))][..]),
        (Some(20), 2, &[(9, Some(15))]),
        (None, 2, &[(9, Some(15)), (21, None)]),
        (Some(4), 1, &[(0, Some(2))]),
        (Some(0), 1, &[]),
    ] {
        let settings = CampaignSettings { cases, shard: [shard, 2], ..CampaignSettings::default() };
        let summary = tally.figures(&header(&settings, &setup()), Timing::default());
        let missing: Vec<_> = summary.missing.iter().map(|m| (m.first, m.last)).collect();
        assert_eq!(missing, gaps, "{cases:?}");
    }
    // Cases in common with the ranges.
    for (range, fit) in [
        ([1, 2, 8], AddOutcome::Overlap),
        ([1, 4, 7], AddOutcome::New),
        ([0, 0, 9], AddOutcome::New),
        ([1, 0, 99], AddOutcome::Overlap),
        ([1, 1, 2], AddOutcome::Known),
    ] {
        let others = serde_json::json!([range]);
        let others =
            CaseSums { cases: serde_json::from_value(others).unwrap(), ..CaseSums::default() };
        assert_eq!(tally.clone().add(&others), fit, "{range:?}");
    }
}

#[test]
fn invalid_ranges_are_refused() {
    let read = |ranges| {
        let line = format!(r#"{{"cases":{ranges},"cycles":1,"instructions":1,"kinds":[]}}"#);
        serde_json::from_str::<CaseSums>(&line)
    };
    for ranges in ["[[0,2,1]]", "[[0,0,5],[0,3,9]]", "[[0,0,18446744073709551615]]", "[[0,1]]"] {
        assert!(read(ranges).is_err(), "{ranges}");
    }
    let good = read("[[0,0,5],[2,3,9]]").unwrap();
    assert!(serde_json::to_string(&good).unwrap().starts_with(r#"{"cases":[[0,0,5],[2,3,9]],"#));
}

/// A bin occupies a few bytes, however large its number, and is written at most twice.
#[test]
fn bins_are_written_as_differences() {
    let sums = CaseSums { bins: vec![4, 20_000, 3, 4, 4], ..CaseSums::default() };
    let line = serde_json::to_string(&sums).unwrap();
    assert!(line.contains(r#""bins":[3,1,0,19996]"#), "{line}");
    let read: CaseSums = serde_json::from_str(&line).unwrap();
    assert_eq!(read.bins, [3, 4, 4, 20_000]);
}

fn record(case: u64, failure: Option<(&str, u64)>) -> CaseSums {
    let record = CaseRecord {
        case,
        fabric: (case > 1).then(SizeText::default),
        cycles: 10 + case,
        instructions: 1,
        kinds: vec![1, case],
        replaced: vec![2],
        moved: (case == 1).then_some([[3, 2], [1, 1], [0, 0]]),
        bins: vec![5],
        failure: failure.map(|(signature, cycle)| (signature.to_owned(), cycle)),
        ..CaseRecord::default()
    };
    CaseSums::of(record, 3)
}

fn of<'r>(records: impl IntoIterator<Item = &'r CaseSums>) -> Tally {
    let mut tally = Tally::new(3);
    for record in records {
        tally.add(record);
    }
    tally
}

#[test]
fn the_order_does_not_matter() {
    let records = [
        record(0, None),
        record(1, Some(("a", 7))),
        record(2, Some(("b", 1))),
        record(3, Some(("a", 2))),
    ];
    let forward = of(&records);
    let backward = of(records.iter().rev());
    let constraint = r#", "constraints": [{"situation": "tile_init"}]"#;
    let settings =
        CampaignSettings { profile: profile("default", constraint), ..CampaignSettings::default() };
    let header = header(&CampaignSettings { shard: [1, 3], ..settings }, &setup());
    for tally in [&forward, &backward] {
        let summary = tally.figures(&header, Timing::default());
        assert_eq!((summary.cases, summary.cycles, summary.instructions), (4, 46, 4));
        let [size] = &summary.fabrics[..] else { panic!("{:?}", summary.fabrics) };
        assert_eq!((size.fabric.as_str(), size.cases, size.cycles), ("8x2", 2, 25));
        let kinds = Revision::R4.isa().instructions.iter().map(|i| summary.kinds.get(&i.name));
        assert_eq!(kinds.flatten().collect::<Vec<_>>(), [&4, &6]);
        assert_eq!(summary.constraints[0].replaced, 8);
        assert_eq!((summary.moved.cases, summary.moved.transfers), (1, [3, 2]));
        let failures = summary.failures.iter();
        let failures = failures.map(|f| (&*f.signature, f.count, f.first_case, f.cycle));
        assert_eq!(failures.collect::<Vec<_>>(), [("a", 2, 1, 7), ("b", 1, 2, 1)]);
    }
    // The cases of a failure are listed in ascending order.
    for order in [[1, 3], [3, 1]] {
        let mut sums = CaseSums::default();
        order.iter().for_each(|k| sums.add(&records[*k]));
        let seen = &sums.failures["a"];
        assert_eq!((seen.count, seen.first, &seen.next[..]), (2, (1, 7), &[(3, 2)][..]));
    }
}

#[test]
fn a_case_counts_once() {
    let mut tally = Tally::new(3);
    let fits = [5, 5, 8].map(|case| tally.add(&record(case, Some(("a", 1)))));
    assert_eq!(fits, [AddOutcome::New, AddOutcome::Known, AddOutcome::New]);
    // Sums of a known case and a new case.
    let mut others = record(8, None);
    others.add(&record(11, None));
    assert_eq!(tally.add(&others), AddOutcome::Overlap);
    assert_eq!((tally.cases(), tally.has(11)), (2, false));
    let here: Vec<u64> = (0..300).filter(|case| tally.has(*case)).collect();
    assert_eq!(here, [5, 8]);
}

/// Variants of a failure are counted as one failure, in any order.
#[test]
fn variants_are_one_failure() {
    let [refi, none] = ["cell.agu_addr REFI", "cell.rf.agu.p_l1_step none"];
    let records =
        [record(4, Some((refi, 7))), record(5, Some((none, 2))), record(6, Some((refi, 1)))];
    let header =
        header(&CampaignSettings { shard: [1, 3], ..CampaignSettings::default() }, &setup());
    for tally in [of(&records), of(records.iter().rev())] {
        let summary = tally.figures(&header, Timing::default());
        let [failure] = &summary.failures[..] else { panic!("{:?}", summary.failures) };
        assert_eq!((failure.signature.as_str(), failure.count), ("cell AGU", 3));
        let variants = failure.variants.iter().map(|v| (&*v.signature, v.count, v.first_case));
        assert_eq!(variants.collect::<Vec<_>>(), [(refi, 2, 4), (none, 1, 5)]);
    }
}

/// Failing cases are counted by size, over all variants of a failure.
#[test]
fn failures_are_counted_by_size() {
    let sizes = ["2x1", "3x3"].map(|size| SizeText(size.parse().unwrap()));
    let mut tally = Tally::new(1);
    for case in 0..40 {
        let fabric = Some(sizes[case as usize % 2]);
        let variant = ["cell.agu_addr REFI", "cell.rf.agu.state REFI"][case as usize / 2 % 2];
        let failure = (case % 2 == 1 && case < 12).then(|| (variant.to_owned(), 5));
        let record = CaseRecord { case, fabric, failure, ..CaseRecord::default() };
        tally.add(&CaseSums::of(record, 1));
    }
    let header = header(&CampaignSettings::default(), &setup());
    let summary = tally.figures(&header, Timing::default());
    let [failure] = &summary.failures[..] else { panic!("{:?}", summary.failures) };
    assert_eq!(failure.variants.len(), 2);
    let text = FabricFailures::text(&failure.fabrics).unwrap();
    assert_eq!(text, "only on 3x3: 6 of 20 cases; 2x1: 0 of 20 cases");
}
