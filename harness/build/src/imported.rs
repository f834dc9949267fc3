// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C++ that `rtl.f` lists: functions that a design imports (DPI), and libraries.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    archive::Archive,
    error::{BuildError, FileError, FolderError},
    makefile::Makefile,
    model::{Model, path},
    objects,
};

/// Name of the archive of the C++ files.
pub(crate) const ARCHIVE: &str = "drra_imported";

/// The C++ of a design, with paths that begin with the folder of the design.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ImportedCode {
    /// Source files.
    sources: Vec<PathBuf>,
    /// Folders of headers: the folder of the design, then those of `-CFLAGS`.
    folders: Vec<PathBuf>,
    /// Other options of the compiler.
    flags: Vec<String>,
    /// Words for the linker.
    libraries: Vec<String>,
}

impl ImportedCode {
    /// The C++ that a makefile names for a design in a folder.
    pub(crate) fn of(makefile: &Makefile, folder: &Path) -> Self {
        let mut code = Self {
            sources: makefile.cpp().map(|file| folder.join(file)).collect(),
            folders: vec![folder.to_owned()],
            flags: Vec::new(),
            libraries: Vec::new(),
        };
        let mut words = makefile.list("VM_USER_CFLAGS");
        while let Some(word) = words.next() {
            match (word, word.strip_prefix("-I")) {
                ("-I", _) => code.folders.extend(words.next().map(|headers| folder.join(headers))),
                (_, Some(headers)) => code.folders.push(folder.join(headers)),
                (_, None) => code.flags.push(word.to_owned()),
            }
        }
        for word in makefile.list("VM_USER_LDLIBS") {
            code.libraries.push(match word.strip_prefix("-L") {
                Some(libraries) => format!("-L{}", folder.join(libraries).display()),
                None if word.starts_with('-') => word.to_owned(),
                None => folder.join(word).display().to_string(),
            });
        }
        code
    }

    /// True if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.libraries.is_empty()
    }

    /// All its files, with the headers and libraries that the design brings along.
    pub(crate) fn files(&self) -> BTreeSet<PathBuf> {
        let sources = self.sources.iter();
        let all = sources.flat_map(|source| objects::with_headers(source, &self.folders));
        let folders = || self.libraries.iter().filter_map(|word| word.strip_prefix("-L"));
        let libraries = self.libraries.iter().flat_map(|word| match word.strip_prefix("-l") {
            Some(name) => {
                let file = |end| folders().map(move |at| format!("{at}/lib{name}.{end}").into());
                ["a", "so"].into_iter().flat_map(file).collect()
            }
            None => vec![PathBuf::from(word)],
        });
        all.chain(libraries.filter(|file| file.is_file())).collect()
    }

    /// Checks that the functions that a model imports can come from somewhere. `header` declares them.
    pub(crate) fn check(&self, header: &Path, folder: &Path) -> Result<(), BuildError> {
        let text = fs::read_to_string(header).unwrap_or_default();
        let missing = match (self.sources.iter().find(|file| !file.is_file()), imports(&text)) {
            (Some(file), _) => FolderError::NoCpp(file.to_owned()),
            (_, names) if self.is_empty() && !names.is_empty() => {
                FolderError::NotImported(names.join(", "))
            }
            _ => return Ok(()),
        };
        Err(BuildError::Folder(folder.to_owned(), missing))
    }

    /// The archive of the C++ files, if there are any, compiled with the headers of Verilator and of the model.
    pub(crate) fn archive(&self, model: &Model<'_>) -> Result<Option<Archive>, BuildError> {
        for word in &self.libraries {
            println!("cargo::rustc-link-arg={word}");
        }
        if self.sources.is_empty() {
            return Ok(None);
        }
        // Programs include the prototypes by the name that Verilator gives them by default.
        let header = model.kind.out.join("Vdrra_fabric__Dpi.h");
        let text = format!("#include \"{}\"\n", path(&model.prototypes())?);
        fs::write(&header, text).map_err(FileError::of(&header))?;
        let include = model.kind.include();
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(2).warnings(false).debug(false);
        build.includes(&self.folders).include(&model.kind.out);
        build.include(include.join("vltstd")).include(include);
        for flag in &self.flags {
            build.flag(flag);
        }
        // The functions are linked before the models that refer to them, and refer to those that the models export.
        Ok(Some(Archive::new(ARCHIVE, build, self.sources.clone())?.whole()))
    }
}

/// The names of the imported functions in a header of prototypes: `extern int name(...);` below `// DPI import at`.
fn imports(header: &str) -> Vec<&str> {
    let pairs = header.lines().zip(header.lines().skip(1));
    let imported = pairs.filter(|(line, _)| line.trim().starts_with("// DPI import at "));
    imported.filter_map(|(_, next)| next.split('(').next()?.split_whitespace().last()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Verilator 5.048 writes it.
    #[test]
    fn imported_functions_are_found() {
        let header = "#include \"svdpi.h\"\n\n    // DPI export at a.sv:3:10\n    extern void seen(int n);\n\
                      \x20   // DPI IMPORTS\n\
                      \x20   // DPI import at a.sv:4:37\n    extern int odd_count();\n\
                      \x20   // DPI import at a.sv:5:37\n    extern const char* name(const svBitVecVal* x);\n";
        assert_eq!(imports(header), ["odd_count", "name"]);
    }

    #[test]
    fn paths_begin_at_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            fs::write(folder.join(name), text).unwrap();
        };
        write("a.cpp", "#include \"svdpi.h\"\n#include \"sums.h\"\n#include <near.h>\n");
        write("inc/sums.h", "");
        write("near.h", "");
        write("lib.a", "");
        write("libs/libm.a", "");
        write(
            "V.mk",
            "VM_USER_CFLAGS = \\\n  -DX=1 -I inc \\\n\n\
                       VM_USER_LDLIBS = \\\n  -lm -Llibs \\\n  lib.a \\\n\na.o: a.cpp \n",
        );
        write("V_classes.mk", "");
        write("V___024root.h", "");
        let code = ImportedCode::of(&Makefile::read(folder, "V", folder).unwrap(), folder);
        let at = |name: &str| folder.join(name);
        assert_eq!(code.folders, [folder.to_owned(), at("inc")]);
        assert_eq!(code.flags, ["-DX=1"]);
        let libs = [format!("-L{}", at("libs").display()), at("lib.a").display().to_string()];
        assert_eq!(code.libraries, ["-lm", libs[0].as_str(), libs[1].as_str()]);
        assert_eq!(
            code.files(),
            ["a.cpp", "inc/sums.h", "near.h", "lib.a", "libs/libm.a"].map(at).into()
        );
    }

    /// A name that cannot be linked is an error before anything is compiled.
    #[test]
    fn what_cannot_be_linked_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let header = dir.path().join("V__Dpi.h");
        fs::write(&header, "// DPI import at a.sv:4:37\nextern int odd_count();\n").unwrap();
        let refusal = |sources: Vec<PathBuf>| {
            let (folders, flags, libraries) = (Vec::new(), Vec::new(), Vec::new());
            let code = ImportedCode { sources, folders, flags, libraries };
            code.check(&header, dir.path()).err().map(|e| e.to_string())
        };
        assert!(refusal(Vec::new()).unwrap().contains("nor libraries: odd_count\nhelp: add "));
        assert!(refusal(vec!["no.cpp".into()]).unwrap().contains("does not exist: no.cpp\nhelp: "));
        assert_eq!(refusal(vec![header.clone()]), None);
    }
}
