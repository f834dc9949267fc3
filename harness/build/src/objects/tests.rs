// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files that are compiled again after an edit.

use std::time::Duration;

use super::*;

/// A file that a substitute for a compiler compiles repeatedly. `a.cc` includes `a.h`, which includes `lib/b.h`; the
/// command includes `c.h`.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        fs::create_dir(project.path("lib")).unwrap();
        project.write("a.cc", "#include \"a.h\"\nint main() {}\n");
        project.write("a.h", "#pragma once\n#  include  <b.h> // and no other\n");
        project.write("lib/b.h", "#include <vector>\nint b;\n");
        project.write("c.h", "int c;\n");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A build of `a` alone, during which a file may be edited. Returns whether `a.cc` was compiled.
    fn build_while(&self, command: &str, edit: impl FnOnce()) -> bool {
        let objects = ObjectFolder::open(self.path("objects")).unwrap();
        let (source, included, folders) =
            (self.path("a.cc"), [self.path("c.h")], [self.path("lib")]);
        let made = Recipe { source: &source, command, included: &included, folders: &folders };
        let mut object = objects.object(&made);
        let compiled = !object.is_file();
        if compiled {
            edit();
            let new = objects.folder().join("a.new.o");
            fs::write(&new, self.code(command)).unwrap();
            object = objects.keep(&made, new).unwrap();
        }
        assert_eq!(fs::read_to_string(&object).unwrap(), self.code(command));
        objects.clean(&[object]).unwrap();
        assert_eq!(fs::read_dir(objects.folder()).unwrap().count(), 1);
        compiled
    }

    fn build(&self, command: &str) -> bool {
        self.build_while(command, || ())
    }

    /// The output of the substitute: the command and all texts.
    fn code(&self, command: &str) -> String {
        let texts =
            ["a.cc", "a.h", "lib/b.h", "c.h"].map(|name| fs::read_to_string(self.path(name)));
        texts.into_iter().fold(command.to_owned(), |code, text| code + &text.unwrap_or_default())
    }
}

#[test]
fn what_has_not_changed_is_not_compiled_again() {
    let project = Project::new();
    assert!(project.build("c++ -O2"));
    assert!(!project.build("c++ -O2"));
    project.write("c.h", "int c;\n"); // A new modification time, with the same text.
    assert!(!project.build("c++ -O2"));
    fs::remove_dir_all(project.path("objects")).unwrap();
    assert!(project.build("c++ -O2"));
}

#[test]
fn a_changed_source_header_or_command_is_compiled() {
    let project = Project::new();
    project.build("c++ -O2");
    for name in ["a.cc", "a.h", "lib/b.h", "c.h"] {
        let text = fs::read_to_string(project.path(name)).unwrap();
        project.write(name, &format!("{text}// changed\n"));
        assert!(project.build("c++ -O2"), "{name}");
        assert!(!project.build("c++ -O2"), "{name}");
    }
    assert!(project.build("c++ -O1"));
    assert!(!project.build("c++ -O1"));
    project.write("b.h", "int in_front_of_the_other;\n");
    assert!(project.build("c++ -O1"));
    fs::remove_file(project.path("lib/b.h")).unwrap();
    assert!(project.build("c++ -O1"));
}

/// The object may come from the text before or after the edit, so it is used once and not kept, even if the edit is
/// undone.
#[test]
fn what_is_edited_while_it_is_compiled_is_compiled_again() {
    let project = Project::new();
    assert!(project.build_while("c++", || {
        let header = fs::File::options().append(true).open(project.path("lib/b.h")).unwrap();
        header.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    }));
    let header = fs::File::options().append(true).open(project.path("lib/b.h")).unwrap();
    header.set_modified(SystemTime::now() - Duration::from_secs(9)).unwrap();
    assert!(project.build("c++"));
    assert!(!project.build("c++"));
}
