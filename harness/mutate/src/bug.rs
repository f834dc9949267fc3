// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bugs of other designs that were published: each is planted in the RTL by a patch, whose first lines describe it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use drra_case::load::read_text;
use drra_host::foreign;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    DesignModules, Mutant, MutantCandidate, MutateError, Operator, RtlProject,
    error::{WRITABLE, file},
    plan,
};

/// The fabric size of a bug that names none: that of programs.
const FABRIC: &str = "8x2";
/// The form of a patch, in the guide.
const FORM: &str = "see harness/guide/published-bugs.md for the form of a patch";

/// A published bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// Path of the patch.
    pub patch: String,
    /// What was wrong.
    pub title: String,
    /// Where the original was published.
    pub reference: String,
    /// Kind of the bug.
    pub class: String,
    /// Module in which the patch plants it.
    pub block: String,
    /// Instruction that it concerns; empty if there is none.
    pub instruction: String,
    /// Path of a case that shows it, if there is one.
    pub witness: Option<String>,
    /// Fabric size on which it is run.
    pub fabric: String,
    /// Cases that it needed when this was last written down.
    pub cases: Option<String>,
    /// The patch without its first lines.
    pub diff: String,
}

impl Bug {
    /// The bug that a patch plants.
    ///
    /// # Errors
    /// If the patch cannot be read or lacks a field.
    fn read(path: &Path) -> Result<Self, MutateError> {
        let wrong = |what: String| file(path, what, FORM);
        let text = read_text(path).map_err(|e| file(path, e, FORM))?;
        let mut fields = BTreeMap::new();
        let mut rest = text.as_str();
        while let Some((line, behind)) = rest.strip_prefix("# ").and_then(|r| r.split_once('\n')) {
            let (name, value) = line.split_once(": ").ok_or_else(|| {
                wrong(format!("{line:?} in the first lines, expected `# field: text`"))
            })?;
            fields.insert(name, value.trim().to_owned());
            rest = behind;
        }
        let mut optional = |name: &str| fields.remove(name);
        let (witness, fabric) = (optional("witness"), optional("fabric"));
        let cases = optional("cases");
        let mut field = |name: &str| {
            optional(name).ok_or_else(|| wrong(format!("no line `# {name}: ...` at the beginning")))
        };
        let bug = Self {
            patch: path.display().to_string(),
            title: field("title")?,
            reference: field("reference")?,
            class: field("class")?,
            block: field("block")?,
            instruction: field("instruction")?.trim_matches('-').to_owned(),
            witness: witness.map(|name| {
                path.with_file_name(Path::new(&name).file_name().unwrap_or_default())
                    .display()
                    .to_string()
            }),
            fabric: fabric.unwrap_or_else(|| FABRIC.to_owned()),
            cases,
            diff: rest.to_owned(),
        };
        if let Some(unknown) = fields.keys().next() {
            return Err(wrong(format!("unknown field {unknown:?}")));
        }
        match &bug.witness {
            Some(witness) if !Path::new(witness).is_file() => {
                Err(wrong(format!("there is no witness {witness}")))
            }
            _ => Ok(bug),
        }
    }

    /// Name of the patch without its ending.
    pub fn name(&self) -> String {
        let stem = Path::new(&self.patch).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// The change as a mutant of a design; its place is that of the first change.
    fn mutant(&self, design: &DesignModules) -> Result<Mutant, MutateError> {
        let wrong = |what: String| file(Path::new(&self.patch), what, FORM);
        if !design.modules().any(|name| name == self.block) {
            return Err(wrong(format!("block: there is no module {:?}", self.block)));
        }
        let mut lines = self.diff.lines();
        let name = lines.find_map(|line| line.strip_prefix("--- a/rtl/"));
        let hunk = lines.find_map(|line| line.strip_prefix("@@ -"));
        let first = hunk.and_then(|h| h.split([',', ' ']).next()?.parse::<usize>().ok());
        let (Some(name), Some(first)) = (name, first) else {
            return Err(wrong("no unified diff of a file a/rtl/NAME".to_owned()));
        };
        let name = name.split('\t').next().unwrap_or_default();
        let context = lines.clone().take_while(|line| line.starts_with(' ')).count();
        let changed = |sign: char| {
            let header = String::from_iter([sign; 3]);
            let lines = self.diff.lines().filter(|line| !line.starts_with(&header));
            let lines = lines.filter_map(|line| line.strip_prefix(sign));
            lines.map(str::trim).collect::<Vec<_>>().join(" ")
        };
        let removed = lines.skip(context).take_while(|line| line.starts_with('-')).count();
        let text = design.text(name);
        let byte = |line: usize| text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
        let line = (first + context).max(1);
        Ok(Mutant {
            number: 0,
            file: name.to_owned(),
            block: self.block.clone(),
            operator: Operator::Published,
            line: line as u32,
            column: 1,
            bytes: [byte(line - 1), byte(line - 1 + removed)],
            before: changed('-'),
            after: changed('+'),
            guard: None,
            bug: Some(self.clone()),
        })
    }

    /// Copies the files of the folder `rtl` to `rtl` below another folder, which is emptied, and applies the patch.
    ///
    /// # Errors
    /// If the patch does not apply, or the folder cannot be written.
    pub fn plant(&self, rtl: &Path, folder: &Path) -> Result<(), MutateError> {
        let _ = fs::remove_dir_all(folder);
        plan::copy(rtl, &folder.join("rtl"))?;
        let (path, name) = (Path::new(&self.patch), "bug.patch");
        fs::write(folder.join(name), &self.diff).map_err(|e| file(folder, e, WRITABLE))?;
        let mut git = foreign::git(folder);
        // Without a repository, so that the names are those below the folder.
        git.env("GIT_DIR", "none");
        git.args(["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", name]);
        let output = git.output().map_err(|e| file(path, format!("git: {e}"), "install git"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
        let remedy =
            "make the change in the present RTL, and replace the diff by that of `git diff`";
        Err(file(path, said, remedy))
    }
}

/// The bugs that the patches in a folder plant, in the order of their names.
///
/// # Errors
/// If a patch or the folder cannot be read, or there is no patch.
pub fn bugs(folder: &Path) -> Result<Vec<Bug>, MutateError> {
    let remedy = "give a folder with patches, or omit the folder";
    let entries = fs::read_dir(folder).and_then(|all| all.collect::<Result<Vec<_>, _>>());
    let entries = entries.map_err(|e| file(folder, e, remedy))?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "patch"));
    paths.sort();
    if paths.is_empty() {
        return Err(file(folder, "no file NAME.patch", remedy));
    }
    paths.iter().map(|path| Bug::read(path)).collect()
}

/// The bugs of a folder as mutants.
pub(crate) fn planted(
    rtl: &RtlProject,
    folder: &Path,
) -> Result<Vec<MutantCandidate>, MutateError> {
    let mutants = bugs(folder)?.into_iter().map(|bug| bug.mutant(&rtl.design));
    mutants.map(|mutant| mutant.map(MutantCandidate::whole)).collect()
}
