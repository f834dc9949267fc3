// SPDX-License-Identifier: MIT OR Apache-2.0
//! Histories of several runs.

use drra_results::{
    history::{FailureHistory, FailureStatus, History, HistoryRun},
    known::KnownDeviations,
    summary::{Failure, FailureVariant, Summary, VERSION},
};

/// The variants of a failure share one history, and new variants are marked. In a summary of an earlier version,
/// each variant is a failure.
#[test]
fn variants_have_one_course() {
    let night = |failures: &[Failure]| {
        let failures = failures.to_vec();
        let summary = Summary { profile: "dpu".into(), failures, ..Summary::default() };
        (HistoryRun::default(), vec![summary])
    };
    let failure =
        |name: &str, count| Failure { signature: name.into(), count, ..Failure::default() };
    let variant = |name: &str, count| FailureVariant {
        signature: name.into(),
        count,
        ..FailureVariant::default()
    };
    let [state, addr_reg] = ["cell.rf.agu.state REFI", "cell.rf.agu.addr_reg REFI"];
    let variants = vec![variant(state, 1), variant("cell.agu_en none", 2)];
    let new = Failure { variants, ..failure("cell AGU", 3) };
    let nights = [night(&[failure(state, 1), failure(addr_reg, 1)]), night(&[new])];
    let unknown = |_: &FailureHistory| Ok::<_, ()>(None);
    let history = History::new(nights.to_vec(), &KnownDeviations::default(), unknown).unwrap();
    let [FailureHistory { signature, cases, variants, new_variants, .. }] = &history.failures[..]
    else {
        panic!("{:?}", history.failures);
    };
    assert_eq!((signature.as_str(), &cases[..]), ("cell AGU", &[Some(2), Some(3)][..]));
    assert_eq!((variants.len(), &new_variants[..]), (3, &["cell.agu_en none".to_owned()][..]));
    let text = history.to_text();
    assert!(text.contains("still failing: cell AGU (dpu)\n  cell.agu_en none, new\n"), "{text}");
    assert!(history.page().contains("cell.agu_en none, new"));

    // A failure is known if all its variants in the last run are known; variants that occurred only in the first
    // run are ignored.
    for (list, fails) in [
        ("cell.rf.agu.state REFI = #7: why", true),
        ("cell.rf.agu.state REFI = #7: why\ncell.agu_en * = #8: too", false),
    ] {
        let known = KnownDeviations::parse(list).unwrap();
        let history = History::new(nights.to_vec(), &known, unknown).unwrap();
        assert_eq!(history.fails(), fails, "{list}");
        let told = history.to_text().contains("known: cell AGU (dpu), known deviation #7: why");
        assert_eq!(told, !fails, "{}", history.to_text());
    }
}

/// A failure that an earlier version named differently is still there, and its old name in a list of known deviations
/// still explains it.
#[test]
fn renamed_failures_are_still_there() {
    let night = |names: [&str; 3]| {
        let failures = names.map(|name| Failure {
            signature: name.into(),
            count: 1,
            variants: vec![FailureVariant {
                signature: name.into(),
                count: 1,
                ..FailureVariant::default()
            }],
            ..Failure::default()
        });
        let summary = Summary { version: VERSION, failures: failures.into(), ..Summary::default() };
        (HistoryRun::default(), vec![Summary::parse(&summary.to_json()).unwrap()])
    };
    let old = ["broken off x.sv:3", "model flood", "model memory"];
    let new = ["aborted x.sv:3", "excessive output", "out of memory"];
    for (list, status) in [
        (old.map(|name| format!("{name} = #1: why")).join("\n"), FailureStatus::Known),
        ("broken*3 = #1: why\n*flood = #2: why\nmodel mem* = #3: why".into(), FailureStatus::Known),
        (new.map(|name| format!("{name} = #1: why")).join("\n"), FailureStatus::Known),
        (String::new(), FailureStatus::StillFailing),
    ] {
        let known = KnownDeviations::parse(&list).unwrap();
        let nights = vec![night(old), night(new)];
        let history = History::new(nights, &known, |_| Ok::<_, ()>(None)).unwrap();
        let found: Vec<_> = history.failures.iter().map(|c| (&*c.signature, c.status)).collect();
        assert_eq!(found, new.map(|name| (name, status)), "{list}");
        assert!(history.failures.iter().all(|failure| failure.new_variants.is_empty()));
    }
}

/// Runs that began on the same day are distinguished by their time.
#[test]
fn runs_of_one_day_differ() {
    let started = ["", "2026-11-01T22:00:00Z", "2026-11-02T01:30:00Z", "2026-11-02T22:00:00Z"];
    let run = |(n, started): (usize, &str)| {
        (
            HistoryRun { name: format!("run {n}"), started: started.into(), ..Default::default() },
            vec![],
        )
    };
    let runs = started.into_iter().enumerate().map(run).collect();
    let history = History::new(runs, &KnownDeviations::default(), |_| Ok::<_, ()>(None)).unwrap();
    let dates = ["run 0", "2026-11-01", "2026-11-02 01:30", "2026-11-02 22:00"];
    assert_eq!(history.dates(), dates);
    assert!(history.to_text().starts_with("4 runs: run 0 to 2026-11-02 22:00\n"));
    assert!(history.page().contains("run 0 to 2026-11-02 22:00"));
}

#[test]
fn status_of_a_failure() {
    for (cases, status) in [
        (&[Some(1)][..], FailureStatus::New),
        (&[Some(0), Some(2)], FailureStatus::New),
        (&[Some(1), Some(2)], FailureStatus::StillFailing),
        (&[Some(1), Some(0)], FailureStatus::Fixed),
        (&[Some(1), Some(0), Some(0)], FailureStatus::FixedEarlier),
        (&[Some(1), Some(0), Some(1)], FailureStatus::Returned),
        // An earlier night without the profile does not affect the status.
        (&[Some(1), None, Some(1)], FailureStatus::StillFailing),
        (&[Some(1), None, Some(0)], FailureStatus::Fixed),
        (&[Some(1), Some(1), None], FailureStatus::NotRun),
    ] {
        let failures = |count| match count {
            0 => vec![],
            _ => vec![Failure { signature: "cell AGU".into(), count, ..Failure::default() }],
        };
        let summary = |count| Summary { failures: failures(count), ..Summary::default() };
        let nights =
            cases.iter().map(|n| (HistoryRun::default(), n.map(summary).into_iter().collect()));
        let agrees = |_: &FailureHistory| Ok::<_, ()>(Some(false));
        let history = History::new(nights.collect(), &KnownDeviations::default(), agrees).unwrap();
        let [failure] = &history.failures[..] else { panic!("{cases:?}: {history:?}") };
        assert_eq!((&failure.cases[..], failure.status), (cases, status));
    }
}

/// The steps of the axes are round numbers, and the axes include all values.
#[test]
fn axes_have_round_steps() {
    let axis = |title: &str, nights: Vec<HistoryRun>| {
        let nights = nights.into_iter().map(|night| (night, vec![])).collect();
        let none = |_: &FailureHistory| Ok::<_, ()>(None);
        let page = History::new(nights, &KnownDeviations::default(), none).unwrap().page();
        let (_, figure) = page.split_once(&format!("<figcaption>{title}</figcaption>")).unwrap();
        let (figure, _) = figure.split_once("</figure>").unwrap();
        let labels = figure.split("<text class=\"value\"").skip(1);
        let labels = labels.map(|l| l.split(['<', '>']).nth(1).unwrap().to_owned());
        labels.collect::<Vec<_>>()
    };
    for (distinct, ticks) in
        [(0, &["0", "1"][..]), (3, &["0", "1", "2", "3"]), (870, &["0", "500", "1000"])]
    {
        let failures = vec![Failure::default(); distinct];
        let campaign = Summary { failures, ..Summary::default() };
        let night = HistoryRun::new("run".into(), &[campaign], None);
        assert_eq!(axis("Distinct failures", vec![night]), ticks, "{distinct}");
    }
    let scores = [61.3, 61.9]
        .map(|score| HistoryRun { mutation_score: Some(score), ..HistoryRun::default() });
    let ticks = ["61.2 %", "61.4 %", "61.6 %", "61.8 %", "62.0 %"];
    assert_eq!(axis("Mutation score", scores.to_vec()), ticks);
}
