// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the program with mutants, in a separate target directory.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
};

use drra_case::load::read_text;

use crate::{
    MutantCandidate, MutateError, RtlProject, built,
    error::{WRITABLE, file, tool},
    schemata::{self, MutantEffect},
};

/// Target directory of these builds, below the folder of the project.
const TARGET: &str = "target/mutate";

/// A program with mutants.
#[derive(Debug)]
pub struct MutantModel {
    /// Path of the executable.
    pub program: PathBuf,
    /// Numbers of the mutants, in the order of the model.
    pub slots: Vec<u32>,
    /// Mutants that Verilator rejects, each with Verilator's message.
    pub illegal: Vec<(u32, String)>,
}

impl MutantModel {
    /// The value that selects a mutant in the model; 0, which selects the original, if the model lacks the mutant.
    pub fn slot(&self, number: u32) -> usize {
        self.slots.iter().position(|n| *n == number).map_or(0, |place| place + 1)
    }
}

/// Builds a program with some mutants for a fabric size, in its own folder; reuses an existing one that has all these
/// mutants. `package` and `name` are the package and the name of the program.
///
/// # Errors
/// If the build fails for a reason other than a mutant, or the folder cannot be written.
pub fn build(
    rtl: &RtlProject,
    mutants: &[MutantCandidate],
    purpose: MutantEffect,
    fabric: &str,
    folder: &Path,
    [package, name]: [&str; 2],
) -> Result<MutantModel, MutateError> {
    fs::create_dir_all(folder).map_err(|e| file(folder, e, WRITABLE))?;
    let program = folder.join(name);
    let list = folder.join("mutants.json");
    let mut slots: Vec<u32> = mutants.iter().map(|c| c.mutant.number).collect();
    if program.is_file()
        && let Ok(text) = fs::read_to_string(&list)
        && let Ok(known) = serde_json::from_str::<Vec<u32>>(&text)
        && slots.iter().all(|n| known.contains(n))
    {
        return Ok(MutantModel { program, slots: known, illegal: Vec::new() });
    }
    let _alone = alone(rtl)?;
    let mut kept = mutants.to_vec();
    let mut illegal = Vec::new();
    let sources = folder.join("rtl");
    let built = loop {
        let mut files = schemata::sources(&rtl.design, &kept, purpose);
        files.push((format!("{}.sv", schemata::PACKAGE), schemata::package(purpose)));
        write(rtl, &sources, &files)?;
        let text = match compile(rtl, &sources, fabric, [package, name])? {
            Ok(built) => break built,
            Err(text) => text,
        };
        let refused = refused(&text, &files);
        if refused.is_empty() {
            return Err(failed(folder, &text));
        }
        for (slot, message) in refused.iter().rev() {
            if *slot <= kept.len() {
                illegal.push((kept.remove(slot - 1).mutant.number, message.clone()));
            }
        }
    };
    slots = kept.iter().map(|c| c.mutant.number).collect();
    keep(&built, &program)?;
    let text = serde_json::to_string(&slots).unwrap_or_default();
    fs::write(&list, text).map_err(|e| file(&list, e, ""))?;
    Ok(MutantModel { program, slots, illegal })
}

/// Builds the program with the RTL in `rtl` below a folder for a fabric size, in that folder.
///
/// # Errors
/// If the build fails, or the folder cannot be written.
pub(crate) fn build_one(
    rtl: &RtlProject,
    fabric: &str,
    folder: &Path,
) -> Result<PathBuf, MutateError> {
    let _alone = alone(rtl)?;
    let program = folder.join(built::PROGRAM[1]);
    let built = compile(rtl, &folder.join("rtl"), fabric, built::PROGRAM)?;
    keep(&built.map_err(|text| failed(folder, &text))?, &program)?;
    Ok(program)
}

/// The program with the RTL in a folder, or the messages of the build.
fn compile(
    rtl: &RtlProject,
    sources: &Path,
    fabric: &str,
    names: [&str; 2],
) -> Result<Result<PathBuf, String>, MutateError> {
    let path = sources.canonicalize().map_err(|e| file(sources, e, ""))?;
    let design = [("DRRA_MUTATED_RTL", path.as_os_str()), ("DRRA_FABRICS", fabric.as_ref())];
    let built = built::build(&rtl.project, &rtl.project.join(TARGET), &design, names)?;
    Ok(built.map(|built| built.program))
}

/// Writes the messages of a build that failed.
fn failed(folder: &Path, text: &str) -> MutateError {
    let log = folder.join("build.log");
    match fs::write(&log, text) {
        Ok(()) => tool(format!("cannot build the model: {}", log.display())),
        Err(e) => file(&log, e, WRITABLE),
    }
}

/// Copies a program. An old one may still be running, so it is replaced rather than overwritten.
fn keep(built: &Path, program: &Path) -> Result<(), MutateError> {
    let _ = fs::remove_file(program);
    fs::copy(built, program).map_err(|e| file(built, e, ""))?;
    Ok(())
}

/// Waits until no other run is building. All runs share one target directory, from which each run copies its program.
fn alone(rtl: &RtlProject) -> Result<File, MutateError> {
    let folder = rtl.project.join(TARGET);
    let path = folder.join("lock");
    let remedy = "the target directory must be writable";
    fs::create_dir_all(&folder).map_err(|e| file(&folder, e, remedy))?;
    let lock = File::create(&path).map_err(|e| file(&path, e, remedy))?;
    lock.lock().map_err(|e| file(&path, e, remedy))?;
    Ok(lock)
}

/// Writes a copy of the RTL with some files replaced or added; the package is compiled first.
fn write(rtl: &RtlProject, to: &Path, files: &[(String, String)]) -> Result<(), MutateError> {
    rtl.copy(to)?;
    let write = |name: &str, text: &str| {
        let path = to.join(name);
        fs::write(&path, text).map_err(|e| file(&path, e, WRITABLE))
    };
    for (name, text) in files {
        write(name, text)?;
    }
    let list = to.join("rtl.f");
    let text = read_text(&list).map_err(|e| file(&list, e, WRITABLE))?;
    let first = text.lines().find(|line| line.ends_with(".sv")).unwrap_or_default();
    write("rtl.f", &text.replacen(first, &format!("{}.sv\n{first}", schemata::PACKAGE), 1))
}

/// The mutants on the lines to which Verilator's messages refer.
fn refused(text: &str, files: &[(String, String)]) -> BTreeMap<usize, String> {
    let mut all = BTreeMap::new();
    for line in text.lines() {
        let Some(message) = line.trim_start().strip_prefix("%Error") else { continue };
        let mut parts = message.split(": ").flat_map(|part| part.split(':'));
        let name = parts.by_ref().map(str::trim).find(|part| part.ends_with(".sv"));
        let number = parts.next().and_then(|n| n.parse::<usize>().ok());
        let (Some(name), Some(number)) = (name, number) else { continue };
        let source = files.iter().find(|(n, _)| name.ends_with(n.as_str()));
        let line = source.and_then(|(_, text)| text.lines().nth(number - 1));
        if let Some(slot) = line.and_then(schemata::slot_on) {
            all.entry(slot).or_insert_with(|| message.trim_start_matches([':', ' ']).to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn messages_lead_to_mutants() {
        let files = [("a.sv".to_owned(), "x\n/*mutant 7*/ y\n".to_owned())];
        let text = "%Error: a.sv:1:2: other\n  %Error-BAD: a.sv:2:5: no such thing\n";
        let found = refused(text, &files);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [7]);
    }
}
