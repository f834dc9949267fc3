// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator's makefiles of a model: what must be compiled and linked besides the model itself.

use std::{fs, path::Path};

use crate::error::{BuildError, FolderError};

/// Options that are refused, because the bridge does not use what they add to a model, each after the file of the runtime
/// by which it is known.
const REFUSED: [(&str, &str); 7] = [
    ("verilated_vcd_c", "--trace-vcd"),
    ("verilated_fst_c", "--trace-fst"),
    ("verilated_saif_c", "--trace-saif"),
    ("verilated_cov", "--coverage"),
    ("verilated_save", "--savable"),
    ("verilated_timing", "--timing"),
    ("verilated_profiler", "--prof-exec or --prof-pgo"),
];

/// The text of the makefiles of a model.
pub(crate) struct Makefile(String);

impl Makefile {
    /// Reads the makefiles of a model, whose name is `name`, in its folder. `design` is the folder of the design.
    pub(crate) fn read(folder: &Path, name: &str, design: &Path) -> Result<Self, BuildError> {
        let text = |end: &str| fs::read_to_string(folder.join(format!("{name}{end}")));
        let is_model = folder.join(format!("{name}___024root.h")).is_file();
        match (text(".mk"), text("_classes.mk")) {
            (Ok(one), Ok(other)) if is_model => Ok(Self(one + "\n" + &other)),
            _ => Err(BuildError::Folder(design.to_owned(), FolderError::NoModel)),
        }
    }

    /// The words of a list: `NAME = \`, then a line for each entry, then an empty line.
    pub(crate) fn list<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let is_head = move |line: &str| {
            line.split_once(['=', '+']).is_some_and(|(variable, _)| variable.trim_end() == name)
        };
        let entries = self.0.lines().skip_while(move |line| !is_head(line)).skip(1);
        entries.map_while(|line| line.strip_suffix('\\')).flat_map(str::split_whitespace)
    }

    /// The files of Verilator's runtime that the model needs, without their endings.
    pub(crate) fn runtime(&self) -> impl Iterator<Item = &str> {
        self.list("VM_GLOBAL_FAST").chain(self.list("VM_GLOBAL_SLOW"))
    }

    /// The C++ files of the design, relative to its folder.
    pub(crate) fn cpp(&self) -> impl Iterator<Item = &str> {
        self.0.lines().filter_map(|line| Some(line.split_once(".o: ")?.1.trim()))
    }

    /// An option of the design that the build refuses, unless the build has set it itself.
    pub(crate) fn refused(&self, own: &[&str]) -> Option<&'static str> {
        let refused = |file| REFUSED.iter().find(|(one, _)| *one == file && !own.contains(one));
        self.runtime().find_map(refused).map(|(_, option)| *option)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Verilator 5.048 writes them.
    const TEXT: &str = "VM_USER_CFLAGS = \\\n  -DX=1 -Iinc \\\n\n\
                        VM_USER_CLASSES = \\\n  other \\\n  imported \\\n\n\
                        libV.a: $(VK_OBJS) $(VK_USER_OBJS)\n\
                        other.o: ../ext/other.cc \n\t$(CXX) -c -o $@ $<\n\
                        imported.o: csrc/imported.cpp \n\t$(CXX) -c -o $@ $<\n\
                        VM_TRACE = 1\nVM_GLOBAL_FAST += \\\n  verilated \\\n  verilated_vpi \\\n\n\
                        VM_GLOBAL_SLOW += \\\n  verilated_fst_c \\\n\n";

    #[test]
    fn lists_and_rules_are_read() {
        let makefile = Makefile(TEXT.to_owned());
        assert_eq!(Vec::from_iter(makefile.list("VM_USER_CFLAGS")), ["-DX=1", "-Iinc"]);
        assert_eq!(makefile.list("VM_USER_LDLIBS").count(), 0);
        assert_eq!(Vec::from_iter(makefile.cpp()), ["../ext/other.cc", "csrc/imported.cpp"]);
        let runtime = ["verilated", "verilated_vpi", "verilated_fst_c"];
        assert_eq!(Vec::from_iter(makefile.runtime()), runtime);
    }

    #[test]
    fn options_are_known_by_the_runtime_they_need() {
        let makefile = Makefile(TEXT.to_owned());
        assert_eq!(makefile.refused(&[]), Some("--trace-fst"));
        assert_eq!(makefile.refused(&["verilated_fst_c"]), None);
    }
}
