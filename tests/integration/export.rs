// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra export`: folders that are either complete or absent, and the cases of a campaign.

use std::{fs, path::Path, sync::atomic::AtomicBool};

use drra_campaign::{CampaignCases, CampaignSettings};
use drra_case::load::{self, LoadedCase, ProgramInputs};
use drra_generate::{FabricWeights, Profile};
use drra_isa::Geometry;
use drra_lockstep::GoldenDesign;
use drra_recorded::{
    export::{ExportOptions, FlagTiming, Manifest, WordOrder},
    map::MapFile,
};

use crate::{Folder, drra_in, refused, said};

const VEC_ADD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/vec_add.sasm");

/// Exports into the folder `out`; returns what is printed.
#[track_caller]
fn export(dir: &Folder, arguments: &[&str]) -> String {
    let (code, out, err) =
        said(drra_in(dir.path(), &[&["export", "--out", "out"], arguments].concat()));
    assert_eq!(code, Some(0), "{err}");
    out
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
    let dir = Folder::new();
    let out = dir.join("new/out");
    let arguments = ["export", VEC_ADD, "--out", "new/out"];
    let (code, told, err) = said(drra_in(dir.path(), &arguments));
    assert_eq!(code, Some(0), "{err}");
    // 98 cycles on the golden model, and 2 idle cycles.
    assert!(told.starts_with("vec_add.sasm: 100 cycles; "), "{told}");
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

    // A folder with files is not touched.
    refused(dir.path(), &arguments, &["new or empty"]);
    assert_eq!(names(&out), files);
}

/// Also with many cases, the test is written once, for the size of their fabric.
#[test]
fn a_test_for_cocotb() {
    let dir = Folder::new();
    fs::create_dir(dir.join("cases")).unwrap();
    fs::copy(VEC_ADD, dir.join("cases/one.sasm")).unwrap();
    let arguments = ["--campaign", "cases", "--fabric", "2x1", "--bench", "cocotb"];
    refused(
        dir.path(),
        &["export", "--out", "out", "--bench", "cocotb", "--for", "silago-published"],
        &["cannot be used with"],
    );
    export(&dir, &arguments);
    let text = fs::read_to_string(dir.join("out/test_drra.py")).unwrap();
    assert!(text.contains(r#"{"Cols": 2, "DimarchRows": 1, "RfDepth": 64, "SramDepth": 128}"#));
    assert!(!text.contains("{{"), "every placeholder of the template is filled");
}

#[test]
fn what_is_refused_leaves_nothing() {
    let dir = Folder::new();
    fs::create_dir(dir.join("cases")).unwrap();
    let refused = |arguments: &[&str], reason: &str| {
        refused(dir.path(), &[&["export", "--out", "out"], arguments].concat(), &[reason]);
        assert_eq!(names(dir.path()), ["cases"], "{reason}");
    };
    let of_cases = ["--campaign", "cases"];
    refused(&of_cases, "contains no campaign, cases or programs");
    fs::copy(VEC_ADD, dir.join("cases/one.sasm")).unwrap();
    dir.write("cases/two.json", "{}");
    refused(&of_cases, "two.json");
    fs::rename(dir.join("cases/two.json"), dir.join("cases/one.json")).unwrap();
    refused(&of_cases, "would both be exported to");
    refused(&[], "required");
    refused(&["no.sasm"], "no.sasm");
}

/// The exported cases of a campaign are the cases that it ran, according to its journal.
#[test]
fn the_cases_of_a_campaign() {
    let dir = Folder::new();
    let (folder, out) = (Some(dir.join("campaign")), dir.join("out"));
    let mut settings = CampaignSettings { cases: Some(5), folder, ..CampaignSettings::default() };
    // A test bench has the ports of one size.
    settings.profile.fabrics = FabricWeights::one(Geometry { columns: 3, ..Geometry::default() });
    let stop = AtomicBool::new(false);
    drra_campaign::run(&settings, &GoldenDesign, &stop, &mut |_| {}).unwrap();
    let options = ["--load-order", "diagonal", "--idle-cycles", "7", "--jobs", "3"];
    export(&dir, &[&["--campaign", "campaign"], &options[..]].concat());

    let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest = Manifest::parse(&manifest).unwrap();
    assert_eq!(
        manifest.options,
        ExportOptions { idle_cycles: 7, order: WordOrder::Diagonal, ..ExportOptions::default() }
    );
    assert_eq!(manifest.cases.len(), 5);
    let cases = CampaignCases::new(settings.profile, settings.seed);
    for (number, listed) in (0..).zip(&manifest.cases) {
        assert_eq!(listed.folder, format!("case-{number:06}"));
        let generated = cases.case(number);
        assert_eq!(listed.name, generated.name);
        let files = names(&out.join(&listed.folder));
        assert_eq!(files, ["buffers.txt", "case.json", "program.sasm", "stimulus.txt"]);
        let case = fs::read_to_string(out.join(&listed.folder).join("case.json")).unwrap();
        let case = drra_case::parse(&case).unwrap();
        assert_eq!(case.cycles, Some(listed.cycles));
        // The text assembles to the words that the stimulus loads, unless they are too many for the assembler.
        let path = out.join(&listed.folder).join("program.sasm");
        let too_many = case.program.cells().any(|(_, words)| words.len() > 63);
        match load::load(&path, &ProgramInputs::default(), &case.geometry) {
            Ok(LoadedCase { case: again, .. }) => {
                assert!(again.program.cells().eq(case.program.cells()), "{path:?}");
                assert_eq!(again.io_cells, case.io_cells);
            }
            Err(e) => assert!(too_many, "{e}"),
        }
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
    let dir = Folder::new();
    export(&dir, &["--for", "silago-published", "--cases", "3", "--seed", "5"]);
    let read = |name: &str| fs::read_to_string(dir.join("out").join(name)).unwrap();
    let manifest = Manifest::parse(&read("manifest.json")).unwrap();
    assert_eq!(
        manifest.options,
        ExportOptions { flag: FlagTiming::Delayed, ..ExportOptions::default() }
    );
    let profile = Profile::shipped("silago-published").unwrap();
    let cases = CampaignCases::new(profile, 5);
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

    // The folder for lock-step: its map names only readable variables.
    let folder = Folder::new();
    export(&folder, &["--for", "silago-published", "--lock-step"]);
    let read = |name: &str| fs::read_to_string(folder.join("out").join(name)).unwrap();
    let map = read("signals.map");
    assert!(MapFile::parse("signals.map", &map).is_ok());
    assert!(map.contains("let top = drra_fabric.\n") && map.contains("output all_idle excluded"));
    let public = read("public.vlt");
    for name in ["instr_reg", "bus_out_*", "rows", "reg_out", "bus_ver_direction"] {
        assert!(public.contains(&format!("-var \"{name}\"\n")), "{name}");
    }
    assert!(public.lines().all(|line| !line.contains("-var \"*\"")), "{public}");

    for (options, reason) in [
        (["--for", "silago-published", "--fabric", "2x1"], "not 2x1"),
        (["--for", "silago-published", "--cases", "0"], "nothing to export"),
        ([VEC_ADD, "--seed", "5", "--idle-cycles=2"], "cannot be used with"),
    ] {
        let arguments = [&["export", "--out", "nowhere"], &options[..]].concat();
        refused(dir.path(), &arguments, &[reason]);
        assert!(!dir.join("nowhere").exists(), "{reason}");
    }
}
