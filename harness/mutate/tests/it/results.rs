// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records, and their summaries.

use std::fs;

use drra_mutate::{
    Bug, Guard, Mutant, MutationSummary, Operator, page,
    record::{
        JournalRecord, KillRecord, MutantResult, MutationJournal, MutationPlan, PLAN_VERSION,
        ProofVerdict, Waiver,
    },
    summarize,
    summary::MutantState,
};

const SOURCE: &str = "  assign x_o = a_i + b_i;\n";

fn mutant(number: u32) -> Mutant {
    Mutant {
        number,
        file: "m.sv".to_owned(),
        block: if number < 5 { "m" } else { "n" }.to_owned(),
        operator: Operator::Arithmetic,
        line: 1,
        column: 20,
        bytes: [19, 20],
        before: "+".to_owned(),
        after: "-".to_owned(),
        guard: None,
        bug: None,
    }
}

fn record(mutant: u32, found: MutantResult) -> JournalRecord {
    JournalRecord { mutant, fabric: "2x1".to_owned(), found }
}

fn killed(case: u64) -> MutantResult {
    let signature = "cell.dpu.acc none".to_owned();
    MutantResult::Killed(KillRecord {
        case,
        cycle: Some(3),
        signature,
        seconds: 0.5,
        ..KillRecord::default()
    })
}

fn empty_plan() -> MutationPlan {
    MutationPlan {
        version: PLAN_VERSION,
        seed: 1,
        profile: "default".to_owned(),
        cases: 100,
        fabrics: vec!["2x1".to_owned()],
        mutants: Vec::new(),
        saved: None,
    }
}

/// Checks that a page has these parts in this order.
#[track_caller]
fn follow(page: &str, parts: &[&str]) {
    let places =
        parts.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part}: {page}")));
    assert!(places.is_sorted(), "{parts:?}: {page}");
}

/// Eight mutants: four killed, one equivalent, one activated, one never activated, and one illegal.
fn summary(waivers: &[Waiver]) -> MutationSummary {
    let plan = MutationPlan { mutants: (1..=8).map(mutant).collect(), ..empty_plan() };
    let mut records: Vec<JournalRecord> =
        [0, 4, 9, 29].into_iter().zip(1..).map(|(c, n)| record(n, killed(c))).collect();
    records.extend((5..=7).map(|n| record(n, MutantResult::Survived { cases: 100 })));
    records.push(record(5, MutantResult::Equivalent { log: "proofs/mutant-5.log".into() }));
    records.push(record(6, MutantResult::Activated { case: 3 }));
    records.push(record(7, MutantResult::NeverActivated { cases: 100 }));
    records.push(record(8, MutantResult::Illegal { message: "no".to_owned() }));
    summarize(&plan, &records, waivers, 2.0, &|_| SOURCE.trim().to_owned())
}

#[test]
fn the_score_leaves_out_what_is_proved() {
    let s = summary(&[]);
    let t = &s.total;
    assert_eq!((t.killed, t.equivalent, t.activated, t.never, t.all()), (4, 1, 1, 1, 7));
    assert!((s.score - 100.0 * 4.0 / 6.0).abs() < 1e-9, "{}", s.score);
    assert_eq!(
        s.blocks.iter().map(|b| (b.name.as_str(), b.killed)).collect::<Vec<_>>(),
        [("m", 4), ("n", 0)]
    );
    let c = &s.cases_to_kill[0];
    // 1, 5, 10 and 30 cases.
    assert_eq!((c.killed, c.median, c.p95, c.p99, c.max), (4, 5, 30, 30, 30));
    assert_eq!(s.survivors().count(), 2);
    // Of the six mutants that count, the third needs 10 cases; two are not killed.
    let headline = "mutants: 4 killed, 1 not killed, 1 never activated; cases needed: median 10, 90 % not killed, 99 % not \
                    killed, worst not killed; killed within 1: 16.7 %, 3: 16.7 %, 10: 50.0 %, 30: 66.7 %, 100: 66.7 %";
    assert_eq!(s.headline().as_deref(), Some(headline));
    // Regression cases are no campaign.
    let saved = MutationPlan { saved: Some(vec![]), mutants: vec![mutant(1)], ..empty_plan() };
    let s = summarize(&saved, &[record(1, killed(0))], &[], 1.0, &|_| String::new());
    assert_eq!((s.headline(), s.total.killed), (None, 1));
}

#[test]
fn a_mutant_that_is_refused_does_not_count() {
    let plan = MutationPlan { mutants: vec![mutant(1)], ..empty_plan() };
    let refused = MutantResult::Illegal { message: "no such element".to_owned() };
    let records =
        [MutantResult::Survived { cases: 9 }, refused, MutantResult::Activated { case: 3 }];
    let records = records.map(|found| record(1, found));
    let s = summarize(&plan, &records, &[], 1.0, &|_| String::new());
    assert_eq!((s.total.all(), s.mutants[0].state), (0, MutantState::Illegal));
    assert_eq!(s.mutants[0].note.as_deref(), Some("no such element"));
}

#[test]
fn a_proof_that_was_stopped_is_counted_and_decides_nothing() {
    let plan = MutationPlan { mutants: (1..=2).map(mutant).collect(), ..empty_plan() };
    let log = || "proofs/log".into();
    let open = [MutantResult::NotDecided { log: log() }, MutantResult::Activated { case: 3 }];
    let shown = [MutantResult::NotProved { log: log() }, MutantResult::NeverActivated { cases: 9 }];
    let mut records: Vec<JournalRecord> = open.into_iter().map(|found| record(1, found)).collect();
    records.extend(shown.into_iter().map(|found| record(2, found)));
    let undecided = |records: &[JournalRecord]| {
        let s = summarize(&plan, records, &[], 1.0, &|_| String::new());
        assert_eq!(s.total.counted(), 2 - s.total.equivalent);
        s.undecided
    };
    assert_eq!(undecided(&records), 1);
    // In a later run, the proof succeeds.
    records.push(record(1, MutantResult::Equivalent { log: log() }));
    assert_eq!(undecided(&records), 0);
}

#[test]
fn what_is_waived_is_seen_and_does_not_count() {
    let waiver = Waiver {
        file: "m.sv".to_owned(),
        code: "assign x_o = a_i + b_i;".to_owned(),
        before: "+".to_owned(),
        after: "-".to_owned(),
        argument: "b_i is 0 in every state that can be reached".to_owned(),
    };
    let s = summary(&[waiver]);
    assert_eq!((s.total.waived, s.total.killed), (2, 4), "only survivors are waived");
    assert!((s.score - 100.0).abs() < 1e-9, "four of four: {}", s.score);
    assert!(s.survivors().all(|m| m.state == MutantState::Waived && m.note.is_some()));
    let text = page(&s, &|_| SOURCE.to_owned());
    follow(&text, &["Survivors</h2><p>None.</p>", "By module", "b_i is 0 in every"]);
}

/// What is proved needs no waiver; what differs keeps it, and shows how it differs.
#[test]
fn a_proof_against_the_chapter_decides() {
    let plan = MutationPlan { mutants: (1..=3).map(mutant).collect(), ..empty_plan() };
    let verdicts =
        [(ProofVerdict::Equal, 1), (ProofVerdict::Differs, 2), (ProofVerdict::NotDecided, 3)];
    let mut records = Vec::new();
    for (verdict, number) in verdicts {
        let (log, said) = ("proofs/log".into(), format!("<said> {number}"));
        records.push(record(number, MutantResult::NotDecided { log: "proofs/before".into() }));
        records.push(record(number, MutantResult::Chapter { verdict, log, said }));
        records.push(record(number, MutantResult::NeverActivated { cases: 9 }));
    }
    let s = summarize(&plan, &records, &[], 1.0, &|_| String::new());
    assert_eq!((s.total.equivalent, s.total.never, s.undecided), (1, 2, 1));
    assert_eq!((s.mutants[0].state, s.mutants[2].undecided), (MutantState::Equivalent, true));
    assert_eq!(s.mutants[0].note.as_deref(), Some("proofs/log"));
    let text = page(&s, &|_| SOURCE.to_owned());
    assert!(text.contains("&lt;said&gt; 2") && text.contains("&lt;said&gt; 3"), "{text}");
    assert!(!text.contains("&lt;said&gt; 1"), "not a survivor: {text}");
}

#[test]
fn views_show_the_survivors() {
    let s = summary(&[]);
    let text = page(&s, &|_| SOURCE.to_owned());
    follow(&text, &["66.67 %", "Cases needed", "never activated", "m6\">", "m7\">", "By module"]);
    assert!(text.contains("assign x_o = a_i <del>+</del><ins>-</ins> b_i;"), "{text}");
    let junit = s.junit(99.0);
    assert!(junit.contains("failures=\"2\""), "all together and block n: {junit}");
    assert!(s.junit(0.0).contains("failures=\"0\""));
}

/// Nine guarded mutants: six are killed, the last of them on the second fabric size, and one is equivalent.
fn guarded_summary() -> MutationSummary {
    let guard = Guard { when: "n_q == 4'd9".to_owned(), bytes: [2, 26], after: "x".to_owned() };
    let guarded = |number| Mutant { guard: Some(guard.clone()), ..mutant(number) };
    let plan = MutationPlan {
        mutants: (1..=9).map(guarded).collect(),
        fabrics: vec!["2x1".to_owned(), "4x2".to_owned()],
        ..empty_plan()
    };
    let mut records: Vec<JournalRecord> =
        [0, 2, 3, 10, 99].into_iter().zip(1..).map(|(c, n)| record(n, killed(c))).collect();
    records.push(JournalRecord { fabric: "4x2".to_owned(), ..record(6, killed(49)) });
    records.push(record(7, MutantResult::Activated { case: 3 }));
    records.push(record(8, MutantResult::NeverActivated { cases: 100 }));
    records.push(record(9, MutantResult::Equivalent { log: "proofs/mutant-9.log".into() }));
    summarize(&plan, &records, &[], 2.0, &|_| SOURCE.trim().to_owned())
}

#[test]
fn guarded_mutants_have_figures_of_their_own() {
    let s = guarded_summary();
    // Of eight mutants, the fourth needs 11 cases; the eighth is not found.
    let headline = "guarded mutants: 6 killed, 1 not killed, 1 never activated; cases needed: median 11, 90 % not killed, \
                    99 % not killed, worst not killed; killed within 1: 12.5 %, 3: 25.0 %, 10: 37.5 %, 30: 50.0 %, \
                    100: 62.5 %, 200: 75.0 %";
    assert_eq!(s.headline().as_deref(), Some(headline));
    let text = page(&s, &|_| SOURCE.to_owned());
    assert!(s.junit(0.0).contains(headline));
    follow(&text, &["median <strong>11<", "90 % <strong>not killed<", "worst <strong>not killed<"]);
    assert_eq!(text.matches("Acts only when <code>n_q == 4'd9</code>.").count(), 2, "{text}");
    assert_eq!(text.matches("No case reached this").count(), 1, "only never activated: {text}");
    assert!(!summary(&[]).to_json().contains("guard"));
}

/// Three published bugs, of which one is found, one is not, and one was not run.
#[test]
fn published_bugs_have_figures_of_their_own() {
    let bug = |name: &str, class: &str| Bug {
        patch: format!("tests/published/{name}.patch"),
        title: "A <counter> is too narrow.".to_owned(),
        reference: "someone/something issue 1, 2024-01-01".to_owned(),
        class: class.to_owned(),
        block: "m".to_owned(),
        instruction: "LOOP".to_owned(),
        witness: None,
        fabric: "8x2".to_owned(),
        cases: None,
        diff: "-a\n+b\n".to_owned(),
    };
    let mutants = [(1, "01-one", "width"), (2, "02-two", "width"), (3, "03-three", "reset")];
    let mutants = mutants.map(|(number, name, class)| Mutant {
        operator: Operator::Published,
        bug: Some(bug(name, class)),
        ..mutant(number)
    });
    let fabrics = ["2x1", "8x2"].map(str::to_owned).to_vec();
    let plan = MutationPlan { mutants: mutants.to_vec(), fabrics, ..empty_plan() };
    let records = [
        MutantResult::Witness { found: Some(KillRecord::default()) },
        killed(41),
        MutantResult::Survived { cases: 100 },
    ];
    let records = records.into_iter().zip([1, 1, 2]);
    let records =
        records.map(|(found, mutant)| JournalRecord { mutant, fabric: "8x2".into(), found });
    let s = summarize(&plan, &records.collect::<Vec<_>>(), &[], 2.0, &|_| String::new());
    let headline = "published bugs: 1 found, 1 not found, 1 open; cases needed: median not found, 90 % not found, 99 % \
                    not found, worst not found; found within 1: 0.0 %, 3: 0.0 %, 10: 0.0 %, 30: 0.0 %, 100: 33.3 %";
    assert_eq!(s.headline().as_deref(), Some(headline));
    let rows: Vec<_> = s.bugs().map(|(bug, o)| (bug.name(), o.needed())).collect();
    let expected = [("01-one", "42"), ("02-two", "not found"), ("03-three", "open")];
    assert_eq!(rows, expected.map(|(name, cases)| (name.to_owned(), cases.to_owned())));
    let classes: Vec<_> = s.operators.iter().map(|c| (c.name.as_str(), c.all())).collect();
    assert_eq!(classes, [("reset", 1), ("width", 2)]);
    let text = page(&s, &|_| SOURCE.to_owned());
    assert!(text.contains("A &lt;counter&gt; is too narrow.") && text.contains("-a\n+b"), "{text}");
    assert!(s.junit(0.0).contains(headline));
}

/// A plan without guards is what earlier versions wrote.
#[test]
fn a_mutant_without_a_guard_keeps_its_form() {
    let plain = serde_json::to_string(&mutant(1)).unwrap();
    assert!(
        !plain.contains("guard") && serde_json::from_str::<Mutant>(&plain).unwrap() == mutant(1)
    );
    let guarded = &guarded_summary().mutants[0].mutant;
    assert_eq!(
        serde_json::from_str::<Mutant>(&serde_json::to_string(guarded).unwrap()).unwrap(),
        *guarded
    );
}

#[test]
fn the_summary_fits_its_schema() {
    let stored = include_str!("../../summary.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(stored).unwrap()).unwrap();
    for summary in [summary(&[]), guarded_summary()] {
        let json = serde_json::from_str(&summary.to_json()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&json).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn a_journal_goes_on_after_a_line_that_was_cut() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, found) = MutationJournal::open(dir.path()).unwrap();
    assert!(found.is_empty());
    journal.append(&record(1, killed(2))).unwrap();
    drop(journal);
    let path = dir.path().join(drra_mutate::record::JOURNAL);
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{{\"mutant\":2,\"fab")).unwrap();
    let (mut journal, found) = MutationJournal::open(dir.path()).unwrap();
    assert_eq!(found, [record(1, killed(2))]);
    journal.append(&record(2, MutantResult::Survived { cases: 9 })).unwrap();
    drop(journal);
    assert_eq!(MutationJournal::open(dir.path()).unwrap().1.len(), 2);
    fs::write(&path, format!("nothing\n{whole}")).unwrap();
    assert!(
        MutationJournal::open(dir.path())
            .unwrap_err()
            .to_string()
            .contains("journal.jsonl: line 1")
    );
}
