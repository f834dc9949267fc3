// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a campaign: they agree with each other and with their schemas, and stored reports stay readable.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{OnceLock, atomic::AtomicBool},
    time::Duration,
};

use drra_campaign::{CampaignSettings, shrink};
use drra_cosim::SIZES;
use drra_generate::Profile;
use drra_lockstep::GoldenDesign;
use drra_report::Report;
use drra_testkit::{Fault, FaultyDesign};

use crate::{Folder, drra, refused, said, setup};

/// A faulty program port: every RACCU subtraction becomes an addition.
fn subtraction_lost(word: u32) -> u32 {
    if word >> 20 == 10 << 3 | 2 { word ^ 3 << 20 } else { word }
}

/// A campaign that compares the golden model with a design that loses subtractions; it is run once for all tests.
pub(crate) fn failing_campaign() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // Not a temporary folder: a static is never dropped, so nothing would delete it.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("night");
        let _ = fs::remove_dir_all(&folder);
        let settings = CampaignSettings {
            // Stored cases are run again by the program, which may have fewer sizes than the golden model.
            profile: Profile::shipped("smoke").unwrap().on(SIZES).unwrap(),
            seed: 7,
            cases: Some(60),
            folder: Some(folder.clone()),
            shrink: shrink::ReductionBounds {
                time: Duration::from_secs(1000),
                ..shrink::ReductionBounds::default()
            },
            ..CampaignSettings::default()
        };
        let faulty = FaultyDesign::new(&GoldenDesign, Fault::Word(subtraction_lost));
        drra_campaign::run(&settings, &faulty, &AtomicBool::new(false), &mut |_| {}).unwrap();
        folder
    })
}

/// Folder of the first failure of this campaign.
pub(crate) fn failure() -> PathBuf {
    let mut folders: Vec<_> = fs::read_dir(failing_campaign().join("failures"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    folders.sort();
    folders.remove(0)
}

/// Every file of a failure exists, is small, and agrees with the others.
#[test]
fn files_of_a_failure() {
    let folder = failure();
    let files = fs::read_dir(&folder).unwrap().map(Result::unwrap);
    let mut files: Vec<(String, u64)> = files
        .map(|file| (file.file_name().into_string().unwrap(), file.metadata().unwrap().len()))
        .collect();
    files.sort();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let expected = "case.full.json case.json program.sasm report.html report.json report.txt \
                    wave.fst wave.gtkw wave.sucl";
    assert_eq!(names.join(" "), expected);
    let size: u64 = files.iter().map(|(_, size)| size).sum();
    assert!(size <= 2 << 20, "{size} bytes");

    let json = fs::read_to_string(folder.join("report.json")).unwrap();
    let schema = include_str!("../../harness/report/report.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let value = serde_json::from_str(&json).unwrap();
    let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());

    // The fault changes the word on its way into the program memory, so the program memory differs.
    let report = Report::parse(&json).unwrap();
    assert!(
        report.place().contains("ld_pipe") || report.place().contains("imem"),
        "{}",
        report.place()
    );
    let chapter = report.rule.rule.chapter_file();
    assert!(!report.spread.is_empty());
    let text = fs::read_to_string(folder.join("report.txt")).unwrap();
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    for part in [&report.place(), report.signature.as_str(), chapter] {
        assert!(text.contains(part) && page.contains(part), "{part}");
    }
    // Nothing is fetched: links lead to the files next to the page and to the index.
    for address in ["http:", "https:", "//cdn", "@import", "url(http"] {
        assert!(!page.contains(address), "{address}");
    }
    for link in page.split("href=\"").skip(1).map(|l| l.split('"').next().unwrap()) {
        let local = link.starts_with('#') || link == "data:,";
        assert!(local || folder.join(link).exists(), "{link}");
    }
    let index = fs::read_to_string(failing_campaign().join("index.html")).unwrap();
    for link in index.split("href=\"").skip(1).map(|l| l.split('"').next().unwrap()) {
        let local = link.starts_with('#') || link == "data:,";
        assert!(local || failing_campaign().join(link).exists(), "{link}");
    }
}

/// A build that can write waves of all RTL signals does so; any other build names the feature that it lacks.
#[test]
fn waves_of_the_rtl() {
    let dir = Folder::new();
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm");
    let out = dir.name("w.rtl.fst");
    let arguments = ["replay", case, "--waves", "rtl", "--waves-out", &out];
    if !setup().design.writes_waves() {
        refused(dir.path(), &arguments, &["rtl-trace"]);
        assert!(!Path::new(&out).exists());
        return;
    }
    assert_eq!(drra(&arguments).status.code(), Some(0));
    let waves = wellen::simple::read(&out).unwrap();
    let mut names = waves.hierarchy().all_vars();
    let full = |v: wellen::VarRef| waves.hierarchy()[v].full_name(waves.hierarchy());
    assert!(names.any(|v| full(v).ends_with("u_seq.pc_q") || full(v).contains("u_seq.core_q")));
}

/// A case that no longer fails keeps its report; the page is written again.
#[test]
fn reports_of_old_runs_stay_readable() {
    let dir = Folder::new();
    let copy = dir.join("night");
    copy_tree(failing_campaign(), &copy);
    // Outside the checkout, the files that the page names are no links.
    let unlinked = |page: String| {
        let mut parts = page.split("<a class=\"value\" href=\"../");
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |text, part| {
            let (name, rest) = part.split_once('>').unwrap().1.split_once("</a>").unwrap();
            text + name + rest
        })
    };
    let before = fs::read_to_string(copy.join("index.html")).unwrap();
    // The program itself has no fault: the stored cases agree.
    let name = failure().file_name().unwrap().to_owned();
    let page = copy.join("failures").join(&name).join("report.html");
    let old = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    let (code, text, _) = said(drra(&["report", &dir.name("night")]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("does not fail with this build"), "{text}");
    assert_eq!(unlinked(fs::read_to_string(&page).unwrap()), unlinked(old));
    let after = fs::read_to_string(copy.join("index.html")).unwrap();
    assert!(!before.contains("does not fail with this build"));
    assert!(after.contains("does not fail with this build"));

    // The folder of one failure.
    let one = copy.join("failures").join(&name);
    let result = drra(&["report", one.to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(0));

    // Another version is rejected, with its number and a remedy, and nothing is changed.
    let path = one.join("report.json");
    let json = fs::read_to_string(&path).unwrap().replacen("\"version\": 2", "\"version\": 99", 1);
    fs::write(&path, &json).unwrap();
    refused(dir.path(), &["report", "night"], &["unknown version 99", "report.json"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), json);
    refused(dir.path(), &["report", "."], &[]);
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_tree(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// JUnit reports have a test case for each distinct failure of a campaign, with its seed, and for each program of a
/// run.
#[test]
fn junit_reports() {
    let text = fs::read_to_string(failing_campaign().join("junit.xml")).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    let suite = &read.test_suites[0];
    let count = fs::read_dir(failing_campaign().join("failures")).unwrap().count();
    assert_eq!((suite.tests, suite.failures), (count, count));
    for case in &suite.test_cases {
        let seed = case.properties.iter().find(|p| p.name.as_str() == "seed").unwrap();
        assert!(seed.value.as_str().parse::<u64>().unwrap() > 0);
    }

    let dir = Folder::new();
    let out = dir.name("junit.xml");
    let programs = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let files = [format!("{programs}/pending.sasm"), format!("{programs}/nested_loops.sasm")];
    let result = drra(&["run", &files[0], &files[1], "--junit", &out]);
    assert_eq!(result.status.code(), Some(0));
    let read =
        quick_junit::Report::deserialize_from_str(&fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!((read.test_suites[0].tests, read.test_suites[0].failures), (2, 0));
}

/// A run that agrees writes a job summary, but no annotations.
#[test]
fn github_summary() {
    let dir = Folder::new();
    let summary = dir.join("summary.md");
    let mut command = Command::new(env!("CARGO_BIN_EXE_drra"));
    command.args(["run", concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm")]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let (code, text, _) = said(command.output().unwrap());
    assert!(code == Some(0) && !text.contains("::error"), "{text}");
    assert_eq!(fs::read_to_string(summary).unwrap(), "### drra run\n\nNo mismatch.\n\n");
}

/// The failures of a merged campaign can be replayed from its own folder, even if the folders of its shards have been
/// deleted.
#[test]
fn merged_reports_name_the_merged_folder() {
    let dir = Folder::new();
    let shard = failing_campaign().to_str().unwrap();
    assert_eq!(drra(&["merge", shard, "--out", &dir.name("merged")]).status.code(), Some(1));
    for failure in fs::read_dir(dir.join("merged/failures")).unwrap() {
        let folder = failure.unwrap().path();
        let command = format!("drra replay {}", folder.join("case.json").display());
        for name in ["report.json", "report.txt", "report.html"] {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            assert!(text.contains(&command) && !text.contains(shard), "{name}: {text}");
        }
    }
}

/// Coverage can be compared, a minimum can be required, and a case can be generated for a hole.
#[test]
fn coverage_is_compared_limited_and_extended() {
    let folder = failing_campaign().to_str().unwrap();
    let dir = Folder::new();
    let case = &*dir.name("case.json");
    let unknown = "DPU width changes: mac, from int8 to int5";
    for (arguments, code, part) in [
        (&["cover", folder, "--diff", folder] as &[&str], 0, "0 bins no longer hit, 0 newly hit"),
        (&["cover", folder, "--min-coverage", "all=0"], 0, "all covergroups: "),
        (
            &["cover", folder, "--min-coverage", "RACCU=0.1", "--min-coverage", "all=99"],
            1,
            "99 % are",
        ),
        (&["cover", folder, "--min-coverage", "RACU=1"], 2, "did you mean `RACCU`?"),
        (&["cover", "--make", unknown], 2, "did you mean `mac, from int8 to int4`?"),
        (&["cover", "--make", &unknown.replace('5', "4"), "-o", case], 0, "hit by"),
        (&["replay", case], 0, "agree"),
    ] {
        let (found, out, err) = said(drra(arguments));
        assert_eq!(found, Some(code), "{arguments:?}: {err}");
        assert!(out.contains(part) || err.contains(part), "{arguments:?}: {out}{err}");
    }
    // In the generated case, the width of a mac changes.
    let text = fs::read_to_string(case).unwrap();
    let case = drra_case::parse(&text).unwrap();
    let isa = drra_isa::Revision::R4.isa();
    let changes = |words: &[drra_isa::Word]| {
        let lines = drra_isa::disassemble(isa, words, false);
        ["mode=mac", "config=int8", "config=int4"]
            .iter()
            .all(|t| lines.iter().any(|l| l.text.contains(t)))
    };
    assert!(case.program.cells().any(|(_, words)| changes(words)), "{text}");
}
