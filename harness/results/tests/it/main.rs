// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results that show the report of a mismatch, with the golden model as the design.

mod history;
mod known;

use std::{fs, path::Path, time::Duration};

use drra_case::programs;
use drra_diagnose::signature;
use drra_isa::Geometry;
use drra_lockstep::{Design, GoldenDesign, RunSetup, find};
use drra_report::{
    Report, ReportInput, build,
    stored::StoredError,
    waves::{self, WaveWindow},
};
use drra_results::{
    Bundle, LOG_FILE, WaveFiles,
    batch::{Batch, BatchCase},
    github,
    identity::CampaignIdentity,
    junit,
    known::KnownDeviations,
    summary::{Summary, profile_argument},
};
use drra_testkit::{Fault, FaultyDesign, Flip};

/// Fabric size of the cases in these tests.
const GEOMETRY: Geometry = Geometry::DEFAULT;

fn setup(design: &dyn Design) -> RunSetup<'_> {
    RunSetup::new(design)
}

/// Applies a function to the mismatch of `vec_add` in which a bit of word 33 flips as the word is written.
fn flipped<T>(using: impl FnOnce(&ReportInput<'_>) -> T) -> T {
    let case = &programs::ALL[0].case(&GEOMETRY).unwrap();
    let location = "cell[0][0].rf.mem[33]".parse().unwrap();
    let flip = Flip { cycle: case.stimulus.end() + 1 + 21, location, bit: 2 };
    let design = FaultyDesign::new(&GoldenDesign, Fault::Flip(flip));
    let setup = setup(&design);
    let mut outcome = find(case, &setup, &mut ()).unwrap();
    let (failing, around) = signature::recorded(case, &setup, &mut outcome).unwrap().unwrap();
    let (failing, around, repeat) = (&failing, &around, "again");
    using(&ReportInput { case, failing, around, setup, repeat, reduced: None })
}

/// The folder of a failure has the waves that a further run records, and a page that links to what is in the folder.
#[test]
fn a_folder_has_waves_and_links() {
    flipped(|subject| {
        let report = build(subject);
        let files = WaveFiles::of(subject, &report).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a b/ü");
        let bundle = Bundle::create(&folder).unwrap();
        bundle.write_case(subject.case).unwrap();
        bundle.write_log("").unwrap();
        bundle.write_report(&report, Some(&files), None).unwrap();
        let (again, window) =
            (dir.path().join("again.fst"), WaveWindow::around(subject.failing.mismatch.cycle));
        let recorded = waves::record(subject.case, &subject.setup, window, &again).unwrap();
        let opened = fs::read_to_string(folder.join("wave.gtkw")).unwrap();
        assert!(recorded.gtkwave("wave.fst").lines().all(|line| opened.contains(line)), "{opened}");
        let page = fs::read_to_string(folder.join("report.html")).unwrap();
        // A chapter is linked as soon as it is there, in any folder above.
        let chapter = report.rule.cited().chapter_file();
        assert!(page.contains(chapter) && !page.contains(&format!("{chapter}\"")), "{page}");
        let path = dir.path().join(chapter);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        bundle.write_report(&report, None, None).unwrap();
        let page = fs::read_to_string(folder.join("report.html")).unwrap();
        assert_eq!(page.matches(&format!("href=\"../../{chapter}\"")).count(), 2, "{page}");
        assert!(!page.contains("href=\"../../rtl"), "{page}");
        for (name, expected) in [("case.json", true), ("wave.sucl", true), ("program.sasm", false)]
        {
            assert_eq!(page.contains(&format!("href=\"{name}\"")), expected, "{name}");
        }
        assert!(!folder.join(LOG_FILE).exists());
        // Without new waves, those in the folder stay.
        bundle.write_report(&report, None, None).unwrap();
        assert_eq!(fs::read_to_string(folder.join("report.html")).unwrap(), page);
        // A file in place of the folder.
        assert!(Bundle::create(&folder.join("case.json")).is_err());
    });
}

/// JUnit: a test case for each program with its result.
#[test]
fn junit_of_programs() {
    let report = flipped(build);
    let ran = |name: &str, report: Option<Report>| junit::TestRun {
        name: name.into(),
        time: Duration::from_millis(1500),
        cycles: 99,
        seed: 5,
        report,
        compared: Some(setup(&GoldenDesign).compared(&[GEOMETRY])),
        ..Default::default()
    };
    let known =
        KnownDeviations::parse("cell.rf.mem * = 3.7: of old").unwrap().of_report(Some(&report));
    let known = junit::TestRun { known, ..ran("known", Some(report.clone())) };
    let text = junit::programs(&[ran("good", None), ran("bad", Some(report)), known]);
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.failures, text.matches("<skipped").count()), (3, 1, 1));
    assert!(text.contains("known deviation 3.7: of old"), "{text}");
    assert!(text.contains("rf.mem[33]"), "{text}");
    // Times are in seconds, as CI systems expect.
    assert_eq!(text.matches(" time=\"1.500\"").count(), 3, "{text}");
    assert_eq!(text.matches(" time=\"4.500\"").count(), 2, "suite and file: {text}");
}

/// Each annotation is one line; what would end it or its title is escaped.
#[test]
fn github_annotations() {
    let report = flipped(build);
    let line = github::annotation(&report);
    let title = "title=cell RF write%3A cell.rf.mem REFI::";
    assert!(line.starts_with(&format!("::error file=rtl/drra_register_file.sv,{title}")), "{line}");
    assert!(line.contains("cell[0][0].rf.mem[33]") && !line.contains('\n'), "{line}");
    let compared = Some(setup(&GoldenDesign).compared(&[GEOMETRY]));
    let of_user = Report { compared, ..report.clone() };
    assert!(github::annotation(&of_user).starts_with(&format!("::error {title}")));
    let (signature, repeat) = ("a:b,c".to_owned(), "100 %\nnext".to_owned());
    let line = github::annotation(&Report { signature, repeat, ..report });
    assert!(line.contains("a%3Ab%2Cc::"), "{line}");
    assert!(line.ends_with("repeat: 100 %25%0Anext"), "{line}");
}

#[test]
fn other_versions_are_refused() {
    let summary = Summary::parse(r#"{"version": 1}"#);
    assert_eq!(summary, Err(StoredError::Version { found: 1, known: 2 }));
}

/// Variants are counted as one failure, and each variant has its own count and first waveform.
#[test]
fn variants_are_one_failure() {
    let verdicts = ["cell.loop_jump LOOP", "agreed", "cell.loop_jump JUMP", "cell.loop_jump LOOP"];
    let case = |(n, verdict): (usize, &&str)| BatchCase {
        name: format!("case{n}"),
        exit: 1,
        verdict: (*verdict).to_owned(),
        known: None,
        cycles: 9,
        cycle: (*verdict != "agreed").then_some(n as u64),
        first: None,
        compared: None,
    };
    let batch = Batch::new(verdicts.iter().enumerate().map(case).collect());
    let [failure] = &batch.failures[..] else { panic!("{:?}", batch.failures) };
    assert_eq!((failure.signature.as_str(), failure.count), ("cell loops", 3));
    let variants = failure.variants.iter().map(|v| (v.signature.as_str(), v.count, &*v.first));
    let expected = [(verdicts[0], 2, "case0"), (verdicts[2], 1, "case2")];
    assert_eq!(variants.collect::<Vec<_>>(), expected);
    assert!(batch.failures_table().contains("  cell.loop_jump JUMP"));
}

#[test]
fn the_revision_alone_is_no_difference() {
    let one =
        CampaignIdentity { version: "1".into(), rtl: "ab".into(), ..CampaignIdentity::default() };
    let committed = CampaignIdentity { revision: Some("c0ffee".into()), ..one.clone() };
    assert!(one.fits(&committed));
    assert_eq!(committed.text(), "version 1, revision c0ffee, RTL ab");
    let other = CampaignIdentity { rtl: "cd".into(), model: "ef".into(), ..one.clone() };
    assert_eq!(one.differences(&other), ["RTL", "model"]);
    assert_eq!(CampaignIdentity::default().text(), "an unrecorded build");
}

#[test]
fn a_file_is_never_taken_for_a_name() {
    let here = std::env::current_dir().unwrap();
    for (file, expected) in [("smoke", "./smoke"), ("a b", "./'a b'"), ("p.json", "p.json")] {
        assert_eq!(profile_argument("mine", Some(&here.join(file))), expected);
    }
    assert_eq!(profile_argument("smoke", Some(Path::new("/x/it's"))), "\"/x/it's\"");
    assert_eq!(profile_argument("smoke", None), "smoke");
}
