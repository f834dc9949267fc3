// SPDX-License-Identifier: MIT OR Apache-2.0
//! Campaigns: the result does not depend on the number of workers, shards or interruptions.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs, iter,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use drra_campaign::{
    CampaignResult, CampaignSettings, CaseRecord, CaseSums, Novelty, ProgressEvent, Shards, Tally,
    header,
    journal::{self, Journal, JournalMetadata},
    shrink,
    timestamps::{self, Timestamp},
};
use drra_case::Case;
use drra_diagnose::signature;
use drra_fabric::Layout;
use drra_generate::Profile;
use drra_isa::Geometry;
use drra_lockstep::{Design, Dut, RunSetup, StartError};
use drra_results::{
    known::KnownDeviations,
    summary::{MissingCases, Summary, Timing},
};
use drra_testkit::{Fault, FaultyDesign};
use serde_json::{Value, json};

use crate::{GEOMETRY, setup};

/// A faulty program port: every RACCU subtraction becomes an addition.
fn subtraction_lost(word: u32) -> u32 {
    if word >> 20 == 10 << 3 | 2 { word ^ 3 << 20 } else { word }
}

fn settings(folder: Option<PathBuf>) -> CampaignSettings {
    CampaignSettings {
        profile: Profile::shipped("smoke").unwrap(),
        seed: 3,
        cases: Some(24),
        time: None,
        jobs: 1,
        shard: [1, 1],
        folder,
        shrink: shrink::ReductionBounds {
            time: Duration::from_secs(1000),
            ..shrink::ReductionBounds::default()
        },
        ..CampaignSettings::default()
    }
}

fn faulty() -> FaultyDesign<'static> {
    FaultyDesign::new(setup().design, Fault::Word(subtraction_lost))
}

fn run(settings: &CampaignSettings) -> CampaignResult {
    crate::result(settings, &faulty()).unwrap()
}

/// The summary without the fields that depend on time or machine.
fn timeless(summary: &Summary) -> String {
    Summary { timing: Timing::default(), ..summary.clone() }.to_json()
}

/// All files of the failures of a campaign.
fn failure_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for failure in fs::read_dir(folder.join("failures")).unwrap() {
        for file in fs::read_dir(failure.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            // The command that repeats the case contains its folder.
            let executor = folder.display().to_string();
            let mut contents = fs::read(&path).unwrap();
            if let Ok(text) = std::str::from_utf8(&contents) {
                contents = text.replace(&executor, "FOLDER").into_bytes();
            }
            files.insert(path.strip_prefix(folder).unwrap().to_owned(), contents);
        }
    }
    files
}

#[test]
fn workers_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let [one, two] = [1, 2].map(|jobs| {
        let folder = dir.path().join(jobs.to_string());
        let outcome = run(&CampaignSettings { jobs, ..settings(Some(folder.clone())) });
        (outcome.summary, failure_files(&folder))
    });
    assert_eq!(timeless(&one.0), timeless(&two.0));
    assert_eq!(one.1, two.1);
    // A fault that shows in two places is one failure, and its stored case has a single instruction. On the way to
    // other cells, the fault shows in the load pipeline; the load port of cell (0,0) is the program port itself
    // (chapter 5, 5.2). Another fabric has other cases, and possibly no case with this cell.
    let [found] = one.0.failures.as_slice() else { panic!("{:?}", one.0.failures) };
    assert_eq!(found.signature, "fabric load pipeline");
    assert_eq!(found.count, found.variants.iter().map(|v| v.count).sum::<u64>());
    let places = BTreeSet::from(["fabric.ld_pipe.instr none", "cell.load_instr none"]);
    let variants: BTreeSet<&str> = found.variants.iter().map(|v| v.signature.as_str()).collect();
    let as_here = GEOMETRY == Geometry::default();
    assert!(
        if as_here { variants == places } else { !variants.is_disjoint(&places) },
        "{variants:?}"
    );
    // The text, page and JUnit report name each variant.
    let text = one.0.to_text();
    assert!(text.contains(&format!("failures: 1 in {} of 24 cases", found.count)), "{text}");
    let shown = ["index.html", "junit.xml"].map(|name| dir.path().join("1").join(name));
    for form in shown.map(|path| fs::read_to_string(path).unwrap()).iter().chain([&text]) {
        assert!(places.iter().all(|executor| !as_here || form.contains(executor)), "{form}");
    }
    let text = &one.1[&Path::new(&one.0.failures[0].folder).join("case.json")];
    let small = drra_case::parse(std::str::from_utf8(text).unwrap()).unwrap();
    let named = format!("fabric load pipeline, case {}", found.first_case);
    assert_eq!(small.name, named, "its name tells it from other cases");
    assert_eq!(small.program.word_count(), 1);

    // The stored case fails in the same way with the fault, and agrees without it.
    let faulty = faulty();
    let with_fault = RunSetup { design: &faulty, ..setup() };
    let failing = signature::check(&small, &with_fault).unwrap().unwrap();
    assert_eq!(failing.signature, one.0.failures[0].variants[0].signature);
    assert!(signature::check(&small, &setup()).unwrap().is_none());
}

/// A link in the folder of a campaign is replaced; its target is kept.
#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let (folder, outside) = (dir.path().join("out"), dir.path().join("outside"));
    fs::create_dir_all(folder.join("failures")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("case.json"), "precious").unwrap();
    symlink(&outside, folder.join("failures/fabric-load-pipeline")).unwrap();
    for name in ["summary.json", "index.html", "junit.xml"] {
        symlink(outside.join("case.json"), folder.join(name)).unwrap();
    }
    let found = run(&settings(Some(folder.clone()))).summary.failures;
    assert_eq!(found[0].folder, "failures/fabric-load-pipeline");
    assert!(folder.join("failures/fabric-load-pipeline/report.html").is_file());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(outside.join("case.json")).unwrap(), "precious");
}

#[test]
fn shards_join_into_one_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let whole = run(&settings(Some(dir.path().join("whole")))).summary;
    let folders: Vec<PathBuf> = (1..=3)
        .map(|shard| {
            let folder = dir.path().join(format!("shard{shard}"));
            let parts = CampaignSettings { shard: [shard, 3], ..settings(Some(folder.clone())) };
            assert!(run(&parts).summary.cases < whole.cases);
            folder
        })
        .collect();
    let joined = join(&folders, &dir.path().join("joined"));
    assert_eq!(joined.to_json(), timeless(&whole));
    // A shard that is given twice is counted once, and so is a shard that was merged before, in any order.
    let folder = |name: &str| dir.path().join(name);
    let twice = join(&[&folders[..], &folders[..1]].concat(), &folder("twice"));
    assert_eq!(twice.to_json(), timeless(&whole));
    let two = join(&folders[..2], &folder("two"));
    assert_eq!(two.missing, [MissingCases { shard: [3, 3], first: 2, last: Some(23) }]);
    let again = [&folders[1], &folder("two"), &folders[2]].map(Clone::clone);
    assert_eq!(join(&again, &folder("again")).to_json(), timeless(&whole));
    // A merged campaign can be resumed without the shards.
    let resumed = run(&CampaignSettings { resume: true, ..settings(Some(folder("two"))) }).summary;
    assert_eq!(timeless(&resumed), timeless(&whole));
    let (_, tally) = Tally::read(&folder("two")).unwrap();
    let cases: BTreeSet<u64> = tally.numbers().collect();
    assert_eq!(cases, (0..24).collect());
    // Agreeing cases are not listed individually: there is one line for each shard.
    let lines = fs::read_to_string(folder("joined").join(journal::FILE_NAME)).unwrap();
    assert_eq!(lines.lines().filter(|line| line.starts_with("{\"cases\"")).count(), 3);

    let other = dir.path().join("other");
    run(&CampaignSettings { seed: 8, cases: Some(2), ..settings(Some(other.clone())) });
    let error = Shards::open(&[folders[0].clone(), other], false).unwrap_err().to_string();
    assert!(error.contains("is a different campaign"), "{error}");
}

thread_local! {
    static PRINTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A faulty design that prints 25 warnings in every run, and one more in every run with an even seed.
#[derive(Debug)]
struct PrintingDesign(FaultyDesign<'static>);

impl Design for PrintingDesign {
    fn start(&self, case: &Case, layout: &Arc<Layout>) -> Result<Box<dyn Dut>, StartError> {
        let even = case.seed.is_multiple_of(2).then(|| "%Warning: a.sv:1: even".to_owned());
        let all = (0..25).map(|n| format!("%Warning: f.sv:{n:02}: late"));
        PRINTED.with_borrow_mut(|printed| printed.extend(all.chain(even)));
        self.0.start(case, layout)
    }

    fn simulator(&self) -> &str {
        self.0.simulator()
    }

    fn take_warnings(&self) -> Vec<String> {
        PRINTED.take()
    }
}

/// Warnings of agreeing cases are counted by text, regardless of workers and shards: the first 20 texts.
#[test]
fn warnings_of_agreeing_cases_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let run = |settings| crate::result(&settings, &PrintingDesign(faulty())).unwrap().summary;
    let whole = run(settings(None));
    assert!(whole.failed > 0 && whole.warnings.len() == 20);
    let [even, late] = [0, 1].map(|n| &whole.warnings[n]);
    assert_eq!(even.text, "%Warning: a.sv:1: even");
    assert_eq!((&*late.text, late.count), ("%Warning: f.sv:00: late", 24 - whole.failed));
    assert!((1..late.count).contains(&even.count), "{even:?}");
    let (count, first) = (late.count, late.first_case);
    let line =
        format!("\nprinted in {count} agreeing cases, first in case {first}: {}\n", late.text);
    assert!(whole.to_text().contains(&line), "{}", whole.to_text());
    assert_eq!(run(CampaignSettings { jobs: 2, ..settings(None) }).warnings, whole.warnings);
    let folders = [1, 2, 3].map(|shard| dir.path().join(format!("{shard}")));
    for (shard, folder) in (1..).zip(&folders) {
        run(CampaignSettings { shard: [shard, 3], ..settings(Some(folder.clone())) });
    }
    assert_eq!(join(&folders, &dir.path().join("joined")).warnings, whole.warnings);
}

/// Merges folders as `drra merge` does.
fn join(folders: &[PathBuf], out: &Path) -> Summary {
    let mut shards = Shards::open(folders, false).unwrap();
    let header = shards.header.clone();
    let mut journal = Journal::create(out, &header).unwrap();
    let tally = shards.read(&mut |_, part| journal.append(part)).unwrap();
    journal.append(&Timestamp::Ended { at: timestamps::now(), until: tally.ends() }).unwrap();
    drop(journal);
    // The written journal yields the same summary.
    let (outline, again) = Tally::read(out).unwrap();
    let summary = tally.summarize(&header, Timing::default());
    assert_eq!(again.summarize(&outline.header, Timing::default()), summary);
    summary
}

/// Writes the journal of one of three shards, which ran to its end, with a line for each of its eight cases.
fn write_shard(folder: &Path, shard: u64, cases: Option<u64>) {
    let settings = CampaignSettings { shard: [shard, 3], cases, ..settings(None) };
    let mut journal = Journal::create(folder, &header(&settings, &setup())).unwrap();
    for executor in 0..8 {
        let case = 3 * executor + shard - 1;
        journal
            .append(&CaseSums::of(CaseRecord { case, cycles: 300, ..CaseRecord::default() }, 3))
            .unwrap();
    }
    journal
        .append(&Timestamp::Ended { at: timestamps::now(), until: vec![[shard - 1, 8]] })
        .unwrap();
}

/// Cases that a shard lacks are reported as missing, regardless of the reason: its journal is damaged or truncated, a
/// line is lost, the shard is still running, or it never started. The intact lines and shards are counted.
#[test]
fn what_is_missing_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = (1..=3).map(|n| dir.path().join(n.to_string())).collect();
    let path = folders[1].join(journal::FILE_NAME);
    let read = |folders: &[PathBuf]| {
        let mut shards = Shards::open(folders, false).unwrap();
        let tally = shards.read(&mut |_, _| Ok(())).unwrap();
        let summary = tally.summarize(&shards.header, Timing::default());
        let missing: Vec<String> = summary.missing.iter().map(ToString::to_string).collect();
        (summary.cases, missing.join(", "), shards.damage.len())
    };
    // A campaign of 24 cases, and a campaign whose shards ran for a certain time, so that the number of cases that
    // could follow is unknown.
    for (cases, all, later, beyond) in [
        (Some(24), "cases 1 to 22", "cases 13 to 22", ""),
        (None, "cases from 1 on", "cases from 13 on", "cases from 25 on"),
    ] {
        let shards = (1..).zip(&folders);
        shards.for_each(|(shard, folder)| {
            let _ = fs::remove_dir_all(folder);
            write_shard(folder, shard, cases);
        });
        assert_eq!(read(&folders), (24, String::new(), 0));
        let good = fs::read_to_string(&path).unwrap();
        // The settings, eight cases, and the end.
        let lines: Vec<&str> = good.split_inclusive('\n').collect();
        let damaged = |line: usize| {
            let bad = lines[line].replacen(':', ": ", 1);
            [&lines[..line], &[&bad], &lines[line + 1..]].concat().concat()
        };
        let lost = [&lines[..8], &lines[9..]].concat().concat();
        for (what, text, count, missing, told) in [
            ("a damaged line", damaged(3), 23, "case 7", 1),
            ("damaged settings", damaged(0), 16, all, 1),
            ("a damaged end", damaged(9), 24, beyond, 1),
            ("the last case is missing", lost, 23, "case 22", 0),
            ("it is running", lines[..9].concat(), 24, beyond, 0),
            (
                "it is truncated",
                lines[..6].concat()[..lines[..5].concat().len() + 9].into(),
                20,
                later,
                0,
            ),
            ("it is empty", String::new(), 16, all, 1),
        ] {
            fs::write(&path, text).unwrap();
            let of = if missing.is_empty() { "" } else { " of shard 2 of 3" };
            assert_eq!(
                read(&folders),
                (count, format!("{missing}{of}"), told),
                "{what}, {cases:?}"
            );
        }
        let two = [folders[0].clone(), folders[2].clone()];
        assert_eq!(
            read(&two),
            (16, format!("{all} of shard 2 of 3"), 0),
            "never started, {cases:?}"
        );
    }
}

#[test]
fn resumed_campaigns_end_alike() {
    let dir = tempfile::tempdir().unwrap();
    let whole_folder = dir.path().join("whole");
    let whole = run(&settings(Some(whole_folder.clone()))).summary;
    // A killed process leaves some lines, the last of which is incomplete, and no summary.
    let folder = dir.path().join("killed");
    fs::create_dir(&folder).unwrap();
    let text = fs::read(whole_folder.join(journal::FILE_NAME)).unwrap();
    let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let (cut, last) = (lines.len() / 2, lines[lines.len() / 2]);
    assert!(last.starts_with(b"{\"cases\":"), "{cut} of {} lines", lines.len());
    let torn = [lines[..cut].concat(), last[..10].to_vec()].concat();
    fs::write(folder.join(journal::FILE_NAME), torn).unwrap();
    let (_, tally) = Tally::read(&folder).unwrap();
    assert!(tally.cases() < 24);
    // A reduction that was cut short has also left its files.
    let cut = folder.join(&whole.failures[0].folder);
    fs::create_dir_all(&cut).unwrap();
    for name in ["case.full.json", "case.json", "program.sasm", "report.txt"] {
        fs::write(cut.join(name), "cut short").unwrap();
    }
    let again = run(&CampaignSettings { resume: true, ..settings(Some(folder.clone())) }).summary;
    assert_eq!(timeless(&again), timeless(&whole));
    assert_eq!(failure_files(&folder), failure_files(&whole_folder));
    // Nothing is left of the incomplete line.
    assert_eq!(Tally::read(&folder).unwrap().1.cases(), 24);
}

/// The verdict comes first. Figures without information, and covergroups that were not requested, are left out.
#[test]
fn a_summary_begins_with_its_verdict() {
    let CampaignResult { summary: failing, entries, .. } = run(&settings(None));
    let (kinds, failed) = (failing.failures.len(), failing.failed);
    let text = failing.to_text();
    let verdict = format!("failures: {kinds} in {failed} of 24 cases");
    assert_eq!(text.lines().next(), Some(verdict.as_str()));
    let few = CampaignSettings { cases: Some(2), ..settings(None) };
    let passing = crate::run(&few, &drra_lockstep::GoldenDesign).unwrap();
    let text = passing.to_text();
    assert_eq!(text.lines().next(), Some("failures: 0 in 2 cases"));
    for part in ["below 100", "in the next 1000", "REFI fields"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    assert!(passing.coverage_table().contains("REFI fields"));
    // The names of JUnit test cases are the same every night.
    let failure = &*failing.failures[0].signature;
    for (summary, entries, name) in [(&passing, &[][..], "campaign"), (&failing, &entries, failure)]
    {
        let text = drra_results::junit::campaign(summary, entries);
        let case =
            format!("<testcase name=\"{name}\" classname=\"drra.campaign.{}\"", summary.profile);
        assert!(text.contains(&case) && text.contains("\" time=\""), "{text}");
    }
}

/// A failure is new in its first case, and so is each of its further variants.
#[test]
fn variants_are_new_once() {
    let (stop, mut new) = (AtomicBool::new(false), Vec::new());
    let summary = drra_campaign::run(&settings(None), &faulty(), &stop, &mut |progress| {
        if let ProgressEvent::NewFailure { new: what, signature, .. } = progress {
            new.push((what, signature.to_owned()));
        }
    });
    let [failure] = &summary.unwrap().summary.failures[..] else { panic!("several failures") };
    assert!(failure.count > 2 && failure.variants.len() > 1, "{failure:?}");
    let kinds = iter::once(Novelty::Failure).chain(iter::repeat(Novelty::Variant));
    let expected = kinds.zip(failure.variants.iter().map(|v| v.signature.clone()));
    assert_eq!(new, expected.collect::<Vec<_>>());
}

/// Known failures are counted separately, and are skipped in JUnit even without a report.
#[test]
fn known_failures_are_marked() {
    let all = run(&settings(None)).summary;
    let first = &all.failures[0];
    let list = format!("{} = #7: as ever\nfabric nothing = #8: gone", first.signature);
    let known = drra_results::known::KnownDeviations::parse(&list).unwrap();
    let CampaignResult { summary, entries, .. } =
        run(&CampaignSettings { known, ..settings(None) });
    let new: Vec<_> = summary.new_failures().map(|f| &f.signature).collect();
    assert_eq!(new, all.failures[1..].iter().map(|f| &f.signature).collect::<Vec<_>>());
    let text = summary.to_text();
    let verdict = format!("failures: {} new, 1 known in {} of 24 cases", new.len(), all.failed);
    assert_eq!(text.lines().next(), Some(verdict.as_str()));
    for line in [
        format!("{}: known deviation #7: as ever (in {} cases)", first.signature, first.count),
        "warning: no failure matches line 2: fabric nothing (#8)".to_owned(),
    ] {
        assert!(text.lines().any(|l| l == line), "{line}: {text}");
    }
    let bare: Vec<_> =
        entries.iter().map(|e| drra_results::FailureEntry { report: None, ..e.clone() }).collect();
    for entries in [entries, bare] {
        let junit = drra_results::junit::campaign(&summary, &entries);
        assert_eq!(junit.matches("<skipped").count(), 1, "{junit}");
    }
    // Nothing else changes.
    let mut unmarked = summary;
    unmarked.failures.iter_mut().for_each(|f| f.known = None);
    unmarked.unmatched.clear();
    assert_eq!(timeless(&unmarked), timeless(&all));
}

/// Comparing nothing is not agreement, so a campaign whose time is too short for one case still runs exactly one case.
#[test]
fn a_campaign_without_time_finishes_a_case() {
    let dir = tempfile::tempdir().unwrap();
    let hurried = CampaignSettings {
        cases: None,
        time: Some(std::time::Duration::ZERO),
        jobs: 1,
        ..settings(Some(dir.path().join("hurried")))
    };
    assert_eq!(run(&hurried).summary.cases, 1);
    assert_eq!(run(&CampaignSettings { resume: true, ..hurried }).summary.cases, 1);
}

/// A resumed campaign can have more cases, with the same result as if it had had them from the beginning, but it can
/// never have fewer.
#[test]
fn a_campaign_becomes_longer() {
    let dir = tempfile::tempdir().unwrap();
    let whole = run(&settings(None)).summary;
    let folder = dir.path().join("longer");
    run(&CampaignSettings { cases: Some(20), ..settings(Some(folder.clone())) });
    let longer = run(&CampaignSettings { resume: true, ..settings(Some(folder.clone())) }).summary;
    assert_eq!(timeless(&longer), timeless(&whole));
    assert_eq!(JournalMetadata::read(&folder).unwrap().header.cases, Some(whole.cases));

    let fewer =
        CampaignSettings { cases: Some(whole.cases - 1), resume: true, ..settings(Some(folder)) };
    let text = crate::run(&fewer, &faulty()).unwrap_err().to_string();
    assert!(text.contains("the campaign already has 24 cases, more than 23"), "{text}");
}

/// The summary conforms to its schema, and an invalid summary does not.
#[test]
fn summary_schema() {
    let schema = include_str!("../../summary.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let summary = run(&settings(None)).summary;
    let value: Value = serde_json::from_str(&summary.to_json()).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    for (key, bad) in [
        ("version", json!(3)),
        ("cases", json!(-1)),
        ("new_bin", json!(1.5)),
        ("moved", json!({"cases": 1, "transfers": [1], "results": [0, 0], "write_backs": [0, 0]})),
        ("coverage", json!([{"name": "x", "hit": 1}])),
        ("failures", json!([{}])),
        ("colour", json!(1)),
    ] {
        let mut value: Value = value.clone();
        value[key] = bad;
        assert!(!validator.is_valid(&value), "{key}");
    }
}

/// A campaign ends after the requested number of failures, and is complete; known failures are not counted.
#[test]
fn a_campaign_ends_after_enough_failures() {
    let most = CampaignSettings { max_failures: Some(1), ..settings(None) };
    // Workers are a few hundred cases ahead.
    let summary = run(&CampaignSettings { cases: Some(4000), ..most.clone() }).summary;
    assert!(summary.failed >= 1 && summary.cases < 4000, "{} cases", summary.cases);
    assert_eq!((&summary.missing, summary.timing.interrupted), (&Vec::new(), false));
    let known = KnownDeviations::parse("fabric load pipeline = 1: known").unwrap();
    assert_eq!(run(&CampaignSettings { known, ..most }).summary.cases, 24);
}
