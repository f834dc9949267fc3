// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder that a model is made from: `rtl/`, the folder of the user (`DRRA_RTL`), or a copy of `rtl/` with mutants
//! (`DRRA_MUTATED_RTL`, set by `drra mutate`).

use std::{
    collections::BTreeSet,
    env, fs, io,
    path::{Path, PathBuf},
};

use crate::{
    error::{BuildError, FileError, FolderError},
    list::listed,
    verilator::Verilator,
};

/// Makes all variables of a design readable.
const EVERYTHING: &str = "`verilator_config\npublic_flat_rd -module \"*\" -var \"*\"\n";

/// A folder with a design.
pub(crate) struct SourceFolder {
    pub(crate) folder: PathBuf,
    /// False for the RTL of this project.
    pub(crate) of_user: bool,
    /// True for this project's RTL with mutants, as written by `drra mutate`.
    pub(crate) mutants: bool,
    /// The list of files, relative to the folder.
    list: PathBuf,
    /// The readable variables, as a configuration file for Verilator.
    public: PathBuf,
}

impl SourceFolder {
    /// Finds the folder of this build and checks that it has all required files. The name of the folder, and the text
    /// and path of its map, are passed to the root package.
    pub(crate) fn find(out: &Path) -> Result<Self, BuildError> {
        let folder_of = |variable: &str| {
            println!("cargo::rerun-if-env-changed={variable}");
            env::var_os(variable).filter(|folder| !folder.is_empty())
        };
        let (given, mutated) = (folder_of("DRRA_RTL"), folder_of("DRRA_MUTATED_RTL"));
        let (of_user, mutants) = (given.is_some() && mutated.is_none(), mutated.is_some());
        let folder = mutated.as_ref().or(given.as_ref()).map_or(Path::new("rtl"), Path::new);
        println!("cargo::rerun-if-changed={}", folder.display());
        let error = |what: FolderError| BuildError::Folder(folder.to_owned(), what);
        if !folder.is_dir() {
            // Cargo runs this script in the folder of the project.
            let whole = env::current_dir().unwrap_or_default().join(folder);
            return Err(error(FolderError::Missing(whole)));
        }
        let absolute = folder.canonicalize().map_err(FileError::of(folder))?;
        let public = absolute.join("public.vlt");
        if !absolute.join("rtl.f").is_file() {
            return Err(error(FolderError::NoList));
        }
        let list = list_for_verilator(&absolute, out)?;
        let mut source = Self { public, list, folder: absolute, of_user, mutants };
        let map = out.join("signals.map");
        let mut text = String::new();
        if of_user {
            let from = folder.join("signals.map");
            if !from.is_file() {
                return Err(error(FolderError::NoMap));
            }
            text = fs::read_to_string(&from).map_err(FileError::of(&from))?;
            if !source.public.is_file() {
                source.public = out.join("public.vlt");
                fs::write(&source.public, EVERYTHING).map_err(FileError::of(&source.public))?;
            }
        }
        fs::write(&map, text).map_err(FileError::of(&map))?;
        let name = source.folder.file_name().filter(|_| of_user).unwrap_or_default();
        println!("cargo::rustc-env=DRRA_RTL_NAME={}", name.to_string_lossy());
        let from = source.folder.join("signals.map");
        println!("cargo::rustc-env=DRRA_RTL_MAP_FILE={}", from.display());
        Ok(source)
    }

    /// Arguments of every Verilator run on the folder.
    pub(crate) fn arguments<'a>(&'a self) -> Result<Vec<&'a str>, BuildError> {
        let name = |path: &'a PathBuf| path.to_str().ok_or_else(|| BuildError::Path(path.clone()));
        let (public, list) = (name(&self.public)?, name(&self.list)?);
        // Lint warnings of a user's design are not our concern, but its waves must have our time unit.
        let own: &[&str] = if self.of_user {
            &["-Wno-fatal", "--timescale-override", "1ps/1ps"]
        } else if self.mutants {
            &["-Wno-lint", "-Wno-fatal"] // a mutant can cause a lint warning
        } else {
            &["-Wall"]
        };
        let common = [public, "-f", list, "--top-module", "drra_fabric"];
        Ok(own.iter().copied().chain(common).collect())
    }

    /// The files of a design, from Verilator's list of the files that it read for a model. They are in the folder or
    /// outside it, and include the map of a user's design and the files that it reads when it runs.
    pub(crate) fn files(
        &self,
        list: &Path,
        verilator: &Verilator,
    ) -> Result<Vec<PathBuf>, BuildError> {
        let text = fs::read_to_string(list).map_err(FileError::of(list))?;
        let read = listed(&text).map(|name| self.folder.join(name));
        // Neither Verilator itself nor the lists of files and of readable variables that this script wrote belong to the
        // design.
        let made = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.starts_with(&verilator.root)
                || name.starts_with("verilator_bin")
                || (*path == self.public || *path == self.list) && !path.starts_with(&self.folder)
        };
        let map = self.of_user.then(|| self.folder.join("signals.map"));
        let list = self.list.is_absolute().then(|| self.folder.join("rtl.f"));
        let read = read.filter(|path| !made(path));
        let mut files: Vec<PathBuf> = read.chain(map).chain(list).collect();
        if self.of_user {
            for file in files.clone() {
                let text = fs::read(&file).map_err(FileError::of(&file))?;
                let text = String::from_utf8_lossy(&text);
                for name in variables(&text) {
                    println!("cargo::rerun-if-env-changed={name}");
                }
                files.extend(named_in(&text, &self.folder));
            }
        }
        Ok(files)
    }
}

/// The list of files in a form that Verilator reads: `rtl.f`, or a copy in `out` if it begins with a byte order mark.
fn list_for_verilator(folder: &Path, out: &Path) -> Result<PathBuf, FileError> {
    let list = folder.join("rtl.f");
    let bytes = fs::read(&list).map_err(FileError::of(&list))?;
    match &bytes[..] {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err(FileError::of(&list)(io::Error::other("this is UTF-16 text; save it as UTF-8")))
        }
        [0xef, 0xbb, 0xbf, text @ ..] => {
            let copy = out.join("rtl.f");
            fs::write(&copy, text).map_err(FileError::of(&copy))?;
            Ok(copy)
        }
        _ => Ok("rtl.f".into()),
    }
}

/// The files of a folder that a source names in quotation marks, such as those for `$readmemh`.
fn named_in(text: &str, folder: &Path) -> Vec<PathBuf> {
    // In a list of files, quotation marks of a parameter are escaped.
    let strings = text.split('"').map(|text| text.strip_suffix('\\').unwrap_or(text));
    let strings = strings.filter(|text| !text.is_empty() && !text.contains('\n'));
    strings.map(|name| folder.join(name)).filter(|file| file.is_file()).collect()
}

/// The names of environment variables that a list of files may use, as `$NAME`, `${NAME}` or `$(NAME)`. In other files,
/// these are names of functions, which no variable has.
fn variables(text: &str) -> BTreeSet<&str> {
    let rest = text.split('$').skip(1).map(|rest| rest.trim_start_matches(['{', '(']));
    rest.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Verilator would take a byte order mark for a part of the first name.
    #[test]
    fn a_list_with_a_byte_order_mark_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (list, out) = (dir.path().join("rtl.f"), dir.path().join("out"));
        fs::create_dir(&out).unwrap();
        fs::write(&list, "\u{feff}a.sv\n").unwrap();
        let copy = list_for_verilator(dir.path(), &out).unwrap();
        assert_eq!(fs::read_to_string(copy).unwrap(), "a.sv\n");
        fs::write(&list, b"\xff\xfea\0").unwrap();
        let error = list_for_verilator(dir.path(), &out).unwrap_err().to_string();
        assert!(error.ends_with("rtl.f: this is UTF-16 text; save it as UTF-8"), "{error}");
    }

    #[test]
    fn files_that_a_design_reads_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("data")).unwrap();
        fs::write(at("data/rom.hex"), "11").unwrap();
        fs::write(at("a b.txt"), "22").unwrap();
        let text = "parameter string F = \"a b.txt\";\ninitial $readmemh(\"data/rom.hex\", rom);\n\
                    initial $display(\"data\", \"none.hex\");\n";
        assert_eq!(named_in(text, dir.path()), [at("a b.txt"), at("data/rom.hex")]);
        let list = "-GF=\\\"data/rom.hex\\\"\n+incdir+${IP_DIR}/inc\n-F $ROOT/a.f $(B_1)/b.v\n";
        assert_eq!(named_in(list, dir.path()), [at("data/rom.hex")]);
        assert_eq!(Vec::from_iter(variables(list)), ["B_1", "IP_DIR", "ROOT"]);
    }
}
