// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the build script compiles again.

#[path = "../../harness/bridge/build/objects.rs"]
mod cache;
#[path = "../../harness/bridge/build/units.rs"]
mod grouping;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use cache::Objects;
use grouping::{Generated, module, together};

/// A file that is compiled again and again by something that is no compiler.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.write("a.cc", "#include \"a.h\"");
        project.write("a.h", "int a;");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn objects(&self) -> Objects {
        Objects::open(self.path("objects")).unwrap()
    }

    /// A build of `a` alone. Says whether it was compiled.
    fn build(&self, command: &str) -> bool {
        let objects = self.objects();
        let compiled = !objects.has("a", command);
        if compiled {
            self.compile(&objects, command);
        }
        objects.clean(["a"].into_iter()).unwrap();
        compiled
    }

    /// An object of the text of both files and the command.
    fn compile(&self, objects: &Objects, command: &str) {
        let (object, rule) = objects.fresh("a");
        let read = ["a.cc", "a.h"].map(|name| self.path(name));
        let mut bytes = command.as_bytes().to_vec();
        bytes.extend(read.iter().flat_map(|path| fs::read(path).unwrap()));
        fs::write(object, bytes).unwrap();
        let [source, header] = read.map(|path| path.display().to_string());
        fs::write(rule, format!("object: {source} \\\n  {header}\n")).unwrap();
        objects.keep("a", command).unwrap();
    }

    fn object(&self) -> String {
        fs::read_to_string(self.path("objects/a.o")).unwrap()
    }
}

#[test]
fn what_has_not_changed_is_not_compiled_again() {
    let project = Project::new();
    assert!(project.build("c++ -O2"));
    assert!(!project.build("c++ -O2"));
    project.write("a.h", "int a;"); // another time, the same text
    assert!(!project.build("c++ -O2"));
}

#[test]
fn a_changed_source_header_or_flag_is_compiled() {
    let project = Project::new();
    project.build("c++ -O2");
    project.write("a.h", "int b;");
    assert!(project.build("c++ -O2"));
    assert_eq!(project.object(), "c++ -O2#include \"a.h\"int b;");
    project.write("a.cc", "#include <a.h>");
    assert!(project.build("c++ -O2"));
    assert!(project.build("c++ -O1"));
    assert_eq!(project.object(), "c++ -O1#include <a.h>int b;");
    assert!(!project.build("c++ -O1"));
    fs::remove_file(project.path("a.h")).unwrap();
    assert!(!project.objects().has("a", "c++ -O1"));
}

#[test]
fn a_header_that_is_edited_while_it_is_compiled_is_compiled_again() {
    let project = Project::new();
    let objects = project.objects();
    let header = fs::File::options().append(true).open(project.path("a.h")).unwrap();
    header.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    project.compile(&objects, "c++");
    assert!(objects.object("a").is_file());
    assert!(!project.objects().has("a", "c++"));
}

#[test]
fn a_damaged_object_or_record_is_made_again() {
    let project = Project::new();
    for name in ["objects/a.o", "objects/a.record"] {
        project.build("c++");
        let whole = fs::read_to_string(project.path(name)).unwrap();
        for end in [0, 1, whole.trim_end().rfind('\n').map_or(5, |line| line + 1)] {
            project.write(name, &whole[..end]);
            assert!(project.build("c++"), "{name} of {end} bytes");
            assert_eq!(fs::read_to_string(project.path(name)).unwrap(), whole);
        }
        fs::remove_file(project.path(name)).unwrap();
        assert!(project.build("c++"), "without {name}");
    }
}

#[test]
fn what_a_build_does_not_use_is_deleted() {
    let project = Project::new();
    project.build("c++");
    for name in ["b.o", "b.record", "a.new.o", "a.new.d"] {
        project.write(&format!("objects/{name}"), "of another build, or of one that was ended");
    }
    project.build("c++");
    let left = fs::read_dir(project.path("objects")).unwrap();
    let left: BTreeSet<String> =
        left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(Vec::from_iter(left), ["a.o", "a.record"]);
}

/// A rule as GCC writes it for these names.
#[test]
fn names_of_files_are_read_as_compilers_write_them() {
    let project = Project::new();
    let names = ["with blank.h", "dollar$.h", "hash#.h", "back\\slash.h"];
    names.iter().for_each(|name| project.write(name, "1"));
    let written = ["with\\ blank.h", "dollar$$.h", "hash\\#.h", "back\\slash.h"];
    let paths = written.map(|name| project.path(name).display().to_string());
    let rule = format!("object: {}\n", paths.join(" \\\n "));
    for changed in names {
        let objects = project.objects();
        let (object, written) = objects.fresh("a");
        fs::write(object, "code").unwrap();
        fs::write(written, &rule).unwrap();
        objects.keep("a", "c++").unwrap();
        assert!(project.objects().has("a", "c++"));
        project.write(changed, "2");
        assert!(!project.objects().has("a", "c++"), "{changed}");
    }
}

/// A compiler that does not tell what it has read.
#[test]
fn without_a_rule_nothing_is_reused() {
    let project = Project::new();
    for rule in [None, Some(""), Some("a.o: a.cc\n")] {
        let objects = project.objects();
        let (object, written) = objects.fresh("a");
        fs::write(object, "code").unwrap();
        if let Some(text) = rule {
            fs::write(written, text).unwrap();
        }
        objects.keep("a", "c++").unwrap();
        assert_eq!(project.object(), "code");
        assert!(!project.objects().has("a", "c++"), "{rule:?}");
    }
}

#[test]
fn files_are_known_by_their_modules() {
    for (file, expected) in [
        ("Vfabric_2x1_drra_cell__0.cpp", "drra_cell"),
        ("Vfabric_2x1_drra_tile__D1_C2__0__Slow.cpp", "drra_tile"),
        ("Vfabric_2x1.cpp", "top"),
        ("Vfabric_2x1__Syms__Slow.cpp", "top"),
        ("Vfabric_2x1___024root__0.cpp", "top"),
    ] {
        assert_eq!(module("Vfabric_2x1", file), expected, "{file}");
    }
}

/// Files of two models with 1.5 MB of a module `b` each, small modules `a` and `c`.
fn two_models(of_b: u64) -> Vec<Generated> {
    let sizes = [("a", 10_000), ("b", of_b), ("b", 500_000), ("c", 300_000), ("d", 300_000)];
    let file = |model: &str, number: usize, module: &str, bytes| Generated {
        module: module.to_owned(),
        path: Path::new(model).join(number.to_string()),
        bytes,
    };
    let of = |model| sizes.iter().enumerate().map(move |(n, &(m, bytes))| file(model, n, m, bytes));
    of("m").chain(of("n")).collect()
}

fn names(files: Vec<Generated>) -> Vec<String> {
    let units = together(files).into_iter();
    units.map(|u| format!("{} {} {}", u.name, u.paths.len(), u.bytes)).collect()
}

/// At most 2 MiB are compiled in one go. A module begins a unit, unless there is little in the one before.
#[test]
fn modules_are_compiled_apart() {
    let expected = ["a_0 4 1520000", "b_0 2 1500000", "c_0 2 600000", "d_0 2 600000"];
    assert_eq!(names(two_models(1_000_000)), expected);
    let larger = ["a_0 4 1520010", "b_0 2 1500010", "c_0 2 600000", "d_0 2 600000"];
    assert_eq!(names(two_models(1_000_010)), larger);
    let huge = ["a_0 2 20000", "b_0 1 3000000", "b_1 1 500000"];
    assert_eq!(names(two_models(3_000_000))[..3], huge);
}
