// SPDX-License-Identifier: MIT OR Apache-2.0
//! `drra bisect`: finds the RTL commit that made a case fail.
//!
//! Git chooses among all commits, in a separate clone; each commit is built with this version of the harness, unless
//! the verdict for the same files of the design is known. Verdicts are stored, so an interrupted run continues where it
//! stopped.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    process::Command,
    time::Instant,
};

use drra_case::load::ProgramInputs;
use drra_mutate::built::{self, PROGRAM};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{args::BisectArgs, program};
use crate::{
    checkout::checkout,
    command_prelude::*,
    repository::{REMEDY, RepositoryClone, git, last_line},
};

/// Folder for the clone, the builds and the verdicts, relative to the folder of the project.
const FOLDER: &str = "target/bisect";
/// Stands for all files of a commit if the files of its design are unknown.
const EVERYTHING: &str = "";

/// The result of a case for a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CommitVerdict {
    Agrees,
    Fails,
    /// The reason there is no result.
    Unknown(String),
}

/// A verdict, and everything that it depends on.
#[derive(Debug, Serialize, Deserialize)]
struct StoredVerdict {
    /// The case and the harness.
    key: String,
    /// The files of the design, relative to its folder or absolute, each with the digest of its contents.
    files: BTreeMap<String, String>,
    verdict: CommitVerdict,
}

pub(super) fn run(a: &BisectArgs, build: &Build) -> Result<Exit, CommandError> {
    let (project, of_program) = checkout(a.project.as_deref(), build)?;
    let case = program::read(&a.case, &ProgramInputs::default(), build)?;
    let (rtl, variable) = match env::var_os("DRRA_RTL").filter(|folder| !folder.is_empty()) {
        // As in a build, a relative path starts at the folder of the project.
        Some(folder) => (project.join(folder), "DRRA_RTL"),
        None => (project.join("rtl"), "DRRA_MUTATED_RTL"),
    };
    if !rtl.is_dir() {
        let remedy = "set DRRA_RTL to the folder of the RTL, absolute or relative to the checkout";
        return Err(usage(format!("there is no folder {}", rtl.display()), remedy));
    }
    let path = a.case.canonicalize().map_err(|e| file(&a.case, e, "give a case file"))?;
    let folder = project.join(FOLDER);
    let of_folder = |e| file(&folder, e, REMEDY);
    fs::create_dir_all(&folder).map_err(of_folder)?;
    let lock = fs::File::create(folder.join("lock")).map_err(of_folder)?;
    lock.lock().map_err(of_folder)?;
    let top = PathBuf::from(git(&rtl, &["rev-parse", "--show-toplevel"])?);
    let text = fs::read(&path).map_err(|e| file(&path, e, "give a case file"))?;
    let key = format!("{} {variable} {} {}", digest(&text), case.geometry, build.sources);
    // The digest of the sources in the key is that of the checkout of this program.
    let kept = of_program.then(|| folder.join("verdicts.jsonl"));
    let stored = kept.as_ref().and_then(|kept| fs::read(kept).ok()).unwrap_or_default();
    let lines = stored.split(|byte| *byte == b'\n');
    let known = lines.filter_map(|line| serde_json::from_slice(line).ok());
    let clone = RepositoryClone::new(top.clone(), &folder.join("clone"))?;
    let mut bisection = Bisection {
        rtl: clone.folder.join(git(&rtl, &["rev-parse", "--show-prefix"])?),
        clone,
        variable,
        size: case.geometry.to_string(),
        known: known.filter(|one: &StoredVerdict| one.key == key).collect(),
        key,
        kept,
        case: path,
        project: &project,
        folder: &folder,
        named: BTreeSet::new(),
    };
    let [good, bad] = [&a.good, &a.bad].map(|name| {
        let (commit, of) = (format!("{name}^{{commit}}"), top.display());
        git(&top, &["rev-parse", "--quiet", "--verify", "--end-of-options", &commit])
            .map_err(|_| usage(format!("{name} is not a commit of {of}"), "give a git revision"))
    });
    let (good, bad) = (good?, bad?);
    for (name, commit, expected) in
        [(&a.bad, &bad, CommitVerdict::Fails), (&a.good, &good, CommitVerdict::Agrees)]
    {
        let found = bisection.test(commit)?;
        if found != expected {
            let what = format!("the case {} with {name}", found.text());
            return Err(usage(
                what,
                "give a commit at which it agrees, then one at which it fails",
            ));
        }
    }
    let mut said = bisection.git(&["bisect", "start", &bad, &good])?;
    loop {
        if let Some(commit) = said.lines().find_map(|l| l.strip_suffix(" is the first bad commit"))
        {
            let format = "--format=first bad commit: %h%n%an, %as: %s";
            say!("{}", bisection.git(&["show", "--stat", format, commit])?)?;
            return Ok(Exit::Mismatch);
        }
        if said.contains("only 'skip'ped commits left") {
            say!("{}", said.split_once('\n').unwrap_or_default().1)?;
            return Ok(Exit::Mismatch);
        }
        let commit = bisection.git(&["rev-parse", "HEAD"])?;
        said = match bisection.test(&commit)? {
            CommitVerdict::Agrees => bisection.git(&["bisect", "good"])?,
            CommitVerdict::Fails => bisection.git(&["bisect", "bad"])?,
            CommitVerdict::Unknown(_) => bisection.git(&["bisect", "skip"])?,
        };
    }
}

impl CommitVerdict {
    fn text(&self) -> String {
        match self {
            Self::Agrees => "agrees".to_owned(),
            Self::Fails => "fails".to_owned(),
            Self::Unknown(why) => format!("cannot be run ({why})"),
        }
    }
}

struct Bisection<'a> {
    clone: RepositoryClone,
    /// Folder of the RTL in the clone.
    rtl: PathBuf,
    /// Environment variable that names the RTL to build.
    variable: &'static str,
    size: String,
    case: PathBuf,
    /// Everything that a verdict depends on, other than the RTL.
    key: String,
    project: &'a Path,
    folder: &'a Path,
    /// The file with the verdicts of all runs, if they are stored.
    kept: Option<PathBuf>,
    /// The verdicts of earlier runs and of this run.
    known: Vec<StoredVerdict>,
    /// Warnings, already printed, about files and submodules that are the same for every commit.
    named: BTreeSet<String>,
}

impl Bisection<'_> {
    fn git(&self, arguments: &[&str]) -> Result<String, CommandError> {
        git(&self.clone.folder, arguments)
    }

    /// The digest of a file of the design in the clone.
    fn digest(&self, name: &str, commit: &str) -> Option<String> {
        match name {
            EVERYTHING => self.git(&["rev-parse", &format!("{commit}^{{tree}}")]).ok(),
            _ => fs::read(self.rtl.join(name)).ok().map(|text| digest(&text)),
        }
    }

    /// Builds a commit and runs the case, unless the verdict for the same files is already known.
    fn test(&mut self, commit: &str) -> Result<CommitVerdict, CommandError> {
        let start = Instant::now();
        let shown = self.git(&["show", "--no-patch", "--format=%h %s", commit])?;
        let mut unchanged = self.clone.check_out(commit)?;
        let same =
            |(name, was): (&String, &String)| self.digest(name, commit).as_ref() == Some(was);
        let known = self.known.iter().rposition(|one| one.files.iter().all(same));
        let (known, how) = match known {
            Some(known) => (known, "known".to_owned()),
            None => {
                let one = self.build_and_run(commit)?;
                self.keep(one)?;
                (self.known.len() - 1, format!("{:.0} s", start.elapsed().as_secs_f64()))
            }
        };
        let StoredVerdict { files, verdict, .. } = &self.known[known];
        // Files that do not belong to the repository are the same for every commit.
        let clone = self.clone.folder.canonicalize().unwrap_or_default();
        let paths = files.keys().filter_map(|name| self.rtl.join(name).canonicalize().ok());
        unchanged.extend(paths.filter(|path| !path.starts_with(&clone)).map(|path| {
            format!("{} is outside the repository; its present text is used", path.display())
        }));
        for what in unchanged {
            if !self.named.contains(&what) {
                note!("warning: not bisected: {what}");
                self.named.insert(what);
            }
        }
        note!("{shown}: {} ({how})", verdict.text());
        Ok(verdict.clone())
    }

    /// Remembers the result for a commit, and stores it if the case could be run.
    fn keep(&mut self, one: StoredVerdict) -> Result<(), CommandError> {
        if let Some(kept) = &self.kept
            && !matches!(one.verdict, CommitVerdict::Unknown(_))
        {
            let line = serde_json::to_string(&one).map_err(tool)? + "\n";
            let append = fs::File::options().append(true).create(true).open(kept);
            append
                .and_then(|mut f| f.write_all(line.as_bytes()))
                .map_err(|e| file(kept, e, REMEDY))?;
        }
        self.known.push(one);
        Ok(())
    }

    fn build_and_run(&self, commit: &str) -> Result<StoredVerdict, CommandError> {
        let target = self.folder.join("target");
        let design = [(self.variable, self.rtl.as_os_str()), ("DRRA_FABRICS", self.size.as_ref())];
        let mut read = Vec::new();
        let verdict = match built::build(self.project, &target, &design, PROGRAM)? {
            Ok(built) => {
                read = built.files;
                let ran = Command::new(&built.program).arg("replay").arg(&self.case).output();
                let ran = ran.map_err(|e| file(&built.program, e, REMEDY))?;
                match ran.status.code() {
                    Some(0) => CommitVerdict::Agrees,
                    Some(1) => CommitVerdict::Fails,
                    _ => CommitVerdict::Unknown(last_line(&ran)),
                }
            }
            Err(text) => {
                let log = self.folder.join(format!("build-{}.log", &commit[..12]));
                fs::write(&log, text).map_err(|e| file(&log, e, REMEDY))?;
                CommitVerdict::Unknown(format!("it does not build: {}", log.display()))
            }
        };
        let whole = self.rtl.canonicalize().unwrap_or_default();
        let mut names: Vec<PathBuf> =
            read.iter().map(|path| path.strip_prefix(&whole).unwrap_or(path).into()).collect();
        if names.is_empty() {
            names.push(EVERYTHING.into());
        }
        let files = names.iter().filter_map(|name| {
            let name = name.to_string_lossy().into_owned();
            self.digest(&name, commit).map(|digest| (name, digest))
        });
        Ok(StoredVerdict { key: self.key.clone(), files: files.collect(), verdict })
    }
}

/// The digest of the contents of a file.
fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
