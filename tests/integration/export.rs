// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra export`: folders that are either complete or absent, and the cases of a campaign.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    sync::atomic::AtomicBool,
};

use drra_campaign::{Cases, Settings};
use drra_generate::{Fabrics, Profile};
use drra_isa::Geometry;
use drra_lockstep::GoldenDesign;
use drra_recorded::{
    export::{Flag, Manifest, Options, Order},
    map::MapFile,
};

fn export(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drra"))
        .arg("export")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn one_case() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new/out");
    let arguments = ["isa/vec_add.sasm".as_ref(), "--out".as_ref(), out.as_path()];
    let output = export(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // 98 cycles on the golden model, and 2 idle cycles.
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("vec_add.sasm: 100 cycles; "), "{said}");
    let files = names(&out);
    for name in ["README.md", "buffers.txt", "case.json", "stimulus.txt", "tb.sv", "tb.vhd"] {
        assert!(files.iter().any(|file| file == name), "{name}");
    }
    let scripts = files.iter().filter(|file| file.starts_with("run-")).count();
    assert_eq!(scripts, 7);
    let places = fs::read_to_string(out.join("tb.sv")).unwrap();
    assert!(!places.contains("{{"), "every placeholder of the template is filled");
    let case = fs::read_to_string(out.join("case.json")).unwrap();
    assert_eq!(drra_case::parse(&case).unwrap().cycles, Some(100));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name| fs::metadata(out.join(name)).unwrap().permissions().mode();
        assert_eq!((mode("run-icarus.sh") & 0o100, mode("tb.sv") & 0o100), (0o100, 0));
    }

    let again = export(&arguments);
    assert_eq!(again.status.code(), Some(2), "a folder with files is not touched");
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("new or empty"), "{said}");
    assert_eq!(names(&out), files);
}

#[test]
fn what_is_refused_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let cases = dir.path().join("cases");
    fs::create_dir(&cases).unwrap();
    let of_cases = ["--campaign".as_ref(), cases.as_path(), "--out".as_ref(), out.as_path()];
    let refused = |arguments: &[&Path], reason: &str| {
        let output = export(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
        assert_eq!(names(dir.path()), ["cases"], "{reason}");
    };
    refused(&of_cases, "contains no campaign, cases or programs");
    fs::copy("isa/vec_add.sasm", cases.join("one.sasm")).unwrap();
    fs::write(cases.join("two.json"), "{}").unwrap();
    refused(&of_cases, "two.json");
    fs::rename(cases.join("two.json"), cases.join("one.json")).unwrap();
    refused(&of_cases, "would both be exported to");
    refused(&["--out".as_ref(), out.as_path()], "required");
    refused(&["no.sasm".as_ref(), "--out".as_ref(), out.as_path()], "no.sasm");
}

/// The exported cases of a campaign are the cases that it ran, according to its journal.
#[test]
fn the_cases_of_a_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let (campaign, out) = (dir.path().join("campaign"), dir.path().join("out"));
    let mut settings =
        Settings { cases: Some(5), folder: Some(campaign.clone()), ..Settings::default() };
    // A test bench has the ports of one size.
    settings.profile.fabrics = Fabrics::one(Geometry { columns: 3, ..Geometry::default() });
    let stop = AtomicBool::new(false);
    drra_campaign::run(&settings, &GoldenDesign, &stop, &mut |_| {}).unwrap();
    let mut arguments = vec!["--campaign".as_ref(), campaign.as_path(), "--out".as_ref(), &out];
    arguments
        .extend(["--load-order", "diagonal", "--idle-cycles", "7", "--jobs", "3"].map(Path::new));
    let output = export(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest = Manifest::parse(&manifest).unwrap();
    assert_eq!(
        manifest.options,
        Options { idle_cycles: 7, order: Order::Diagonal, ..Options::default() }
    );
    assert_eq!(manifest.cases.len(), 5);
    let cases = Cases::new(settings.profile, settings.seed);
    for (number, listed) in (0..).zip(&manifest.cases) {
        assert_eq!(listed.folder, format!("case-{number:06}"));
        let generated = cases.case(number);
        assert_eq!(listed.name, generated.name);
        let files = names(&out.join(&listed.folder));
        assert_eq!(files, ["buffers.txt", "case.json", "stimulus.txt"]);
        let case = fs::read_to_string(out.join(&listed.folder).join("case.json")).unwrap();
        let case = drra_case::parse(&case).unwrap();
        assert_eq!(case.cycles, Some(listed.cycles));
        assert_eq!(listed.cycles, generated.cycles.unwrap() + 7);
        let used = |case: &drra_case::Case| {
            case.stimulus.entries().iter().filter(|entry| entry.uses_a_port()).count()
        };
        assert_eq!(used(&case), used(&generated));
        assert_eq!((case.seed, case.origin), (generated.seed, generated.origin));
    }
}

/// Everything for the published fabric, whose sources are not part of this project: its test bench, its signals and
/// map, and cases of its profile with the flag timing that this fabric needs.
#[test]
fn the_published_fabric() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let arguments = ["--for", "silago-published", "--cases", "3", "--seed", "5", "--out"];
    let mut arguments = arguments.map(Path::new).to_vec();
    arguments.push(&out);
    let output = export(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let manifest = Manifest::parse(&read("manifest.json")).unwrap();
    assert_eq!(manifest.options, Options { flag: Flag::Delayed, ..Options::default() });
    let profile = Profile::shipped("silago-published").unwrap();
    let cases = Cases::new(profile, 5);
    let names: Vec<String> = (0..3).map(|number| cases.case(number).name).collect();
    assert_eq!(
        manifest.cases.iter().map(|case| &case.name).collect::<Vec<_>>(),
        names.iter().collect::<Vec<_>>()
    );
    let bench = read("tb.vhd");
    assert!(bench.contains("entity work.silagonn") && !bench.contains("{{"), "{bench}");
    assert!(MapFile::parse("signals.map", &read("signals.map")).is_ok());
    let signals = read("signals.opt");
    assert!(signals.lines().skip(1).all(|line| line.starts_with("/tb/")), "{signals}");

    for (options, reason) in [
        (["--for", "silago-published", "--fabric", "2x1"], "not 2x1"),
        (["--for", "silago-published", "--cases", "0"], "nothing to export"),
        (["isa/vec_add.sasm", "--seed", "5", "--idle-cycles=2"], "cannot be used with"),
    ] {
        let nowhere = dir.path().join("nowhere");
        let arguments = [&options.map(Path::new)[..], &[Path::new("--out"), &nowhere]].concat();
        let refused = export(&arguments);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(reason) && !nowhere.exists(), "{said}");
    }
}
